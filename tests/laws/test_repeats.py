"""A law: what is of scores counts repeats, or refuses them by its name and says what to do."""

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from laws.experiments import experiment
from laws.verbs import VERBS, asked

import irframe as ir
from irframe.accessor import verbs
from irframe.errors import IrframeError, IrframeWarning
from irframe.kinds import SCORES, takes

COUNTING = {
    *("compare", "summary", "leaderboard", "rank_intervals", "components", "topics_needed"),
    *("discrimination", "median_p"),
}
"""Verbs of scores that count repeats."""
DRAWN = {"system_ranking"}
"""Figures that do."""
GIVEN = {
    "best_so_far": {"dates": {}},
    "topic_differences": {"a": "s1", "b": "s2"},
    "select_top": {"share": 0.5},
    "freeze": {"path": "none.irframe"},
    "pareto_front": {"cost": "nDCG"},
}


def of_scores(home):
    """Return the names of the functions of a namespace that are of scores."""
    return sorted(name for name, (made, _) in verbs(home).items() if SCORES in takes(name, made))


@pytest.fixture(scope="module")
def cube():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        return ir.cube(*experiment(1))


@pytest.fixture(scope="module")
def scores(cube):
    """Return scores with three repeats of every system."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        found = ir.verbs.score(cube, "nDCG", at=[3]).fillna(0)
    rng = np.random.default_rng(0)
    several = found.expand_dims({"repeat": [1, 2, 3]}) * 1.0
    several = several + rng.normal(0, 0.02, several.shape)
    return several.transpose("metric", "system", "repeat", "topic", "depth").assign_attrs(
        found.attrs
    )


def refused(function, scores, **options):
    """Return the error with which a function refuses scores, or None."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(scores, **options)
        except IrframeError as error:
            return str(error)
    return None


@pytest.mark.parametrize("name", of_scores("irframe.verbs"))
@pytest.mark.parametrize("framed", [False, True])
def test_verbs_count_repeats_or_refuse_them(name, framed, scores, cube):
    function = verbs("irframe.verbs")[name][0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options = asked(name, cube)[1] if name in VERBS else {}
    options = {k: v for k, v in options.items() if k not in {"at", "metric", "metrics"}}
    options |= {"difference": 0.1} if name == "topics_needed" else {}
    given = ir.as_scores(scores.isel(depth=0, drop=True)) if framed else scores
    told = refused(function, given, **options | GIVEN.get(name, {}))
    if name in COUNTING:
        assert told is None, told
    else:
        assert told, name
        assert "one repeat" in told, told
        assert "verage over them" in told, told


@pytest.mark.parametrize("name", of_scores("irframe.plots"))
def test_figures_draw_repeats_or_refuse_them(name, scores):
    function = verbs("irframe.plots")[name][0]
    told = refused(function, scores, **GIVEN.get(name, {}))
    plt.close("all")
    assert told is None if name in DRAWN else told and "one repeat" in told, told


def test_cubes_with_repeats_are_scored_or_refused():
    runs, qrels = ir.example_track()
    both = runs[runs["system"].isin(["bm25", "ance"])]
    rows = [
        both.assign(seed=n, score=both["score"] * (1 + n * (both.index % 3 == 0))) for n in (1, 2)
    ]
    cube = ir.cube(__import__("pandas").concat(rows), qrels)
    told = refused(ir.verbs.leave_out, cube)
    assert "one seed of every system for leave_out" in told
    alone = ir.verbs.search_lengths(cube.isel(system=cube["repeat"].to_numpy() == 1))
    assert alone["system"].nunique() == 2
    apart = ir.verbs.search_lengths(cube.drop_vars(["repeat", "repeat_of"]))
    assert apart["system"].nunique() == 4
