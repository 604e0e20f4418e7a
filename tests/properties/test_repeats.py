"""Verbs that take scores use repeats, or refuse them."""

import re
import warnings
from functools import cache
from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from properties.experiments import experiment
from properties.verbs import VERBS, asked, call
from turns import few_of

import irframe as ir
from irframe.errors import IrframeError, IrframeWarning
from irframe.kinds import SCORES, takes, verbs
from irframe.names import LAYOUTS

COUNTING = {
    *("compare", "summary", "leaderboard", "rank_intervals", "components", "topics_needed"),
    *("discrimination", "median_p", "design"),
}
"""Verbs that take scores and accept several repeats of a system."""
OF_CUBES = {
    *("score", "cwl", "bounds", "tie_ranges", "tie_rates"),
    *("condense", "pooled", "sample", "rejudge"),
}
"""Verbs that take a cube and accept several repeats of a system."""
DRAWN = {"system_ranking"}
"""Figures that show repeats."""
GIVEN = {
    "best_so_far": {"dates": {}},
    "topic_differences": {"a": "s1", "b": "s2"},
    "select_top": {"share": 0.5},
    "freeze": {"path": "none.irframe"},
    "pareto_front": {"cost": "nDCG"},
}


def of_scores(home):
    """Return the functions of a module that accept scores."""
    return sorted(
        name for name, (function, _) in verbs(home).items() if SCORES in takes(name, function)
    )


@pytest.fixture(scope="module")
def cube():
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        return ir.cube(*experiment(1))


@pytest.fixture(scope="module")
def scores(cube):
    """Return scores with three repeats of every system."""
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        array = ir.verbs.score(cube, "nDCG", at=[3]).fillna(0)
    rng = np.random.default_rng(0)
    several = array.expand_dims({"repeat": [1, 2, 3]}) * 1.0
    several = several + rng.normal(0, 0.02, several.shape)
    return several.transpose("metric", "system", "repeat", "topic", "depth").assign_attrs(
        array.attrs
    )


def refused(function, scores, **options):
    """Return the error message of a call, or None."""
    with warnings.catch_warnings(action="ignore"):
        try:
            function(scores, **options)
        except IrframeError as error:
            return str(error)
    return None


@pytest.mark.parametrize("name", few_of(of_scores("irframe.verbs"), 3, drawn=False))
def test_verbs_use_repeats_of_frames_or_refuse_them(name, scores, cube):
    function = verbs("irframe.verbs")[name][0]
    with warnings.catch_warnings(action="ignore"):
        options = asked(name, cube)[1] if name in VERBS else {}
    options = {k: v for k, v in options.items() if k not in {"at", "metric", "metrics"}}
    options |= {"difference": 0.1} if name == "topics_needed" else {}
    frame = ir.as_scores(scores.isel(depth=0, drop=True))
    for shape in (frame, frame.reset_index("repeat"), frame.reset_index()):
        message = refused(function, shape, **options | GIVEN.get(name, {}))
        if name in COUNTING:
            assert message is None, message
        else:
            assert message, name
            none = "found DataFrame" in message
            assert none or ("one repeat" in message and "verage over them" in message), message


@pytest.mark.parametrize("name", of_scores("irframe.plots"))
def test_figures_draw_repeats_or_refuse_them(name, scores):
    function = verbs("irframe.plots")[name][0]
    message = refused(function, scores, **GIVEN.get(name, {}))
    plt.close("all")
    assert message is None if name in DRAWN else message and "one repeat" in message, message


@cache
def repeated(layout):
    """Return a cube with two repeats of every system."""
    runs, qrels = experiment(1)
    lists = [
        runs.assign(repeat=n, score=runs["score"] * (1 + n * (runs.index % 3 == 0))) for n in (1, 2)
    ]
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        return ir.cube(pd.concat(lists), qrels, pool=2).ireval.design(repeats=layout)


def one(cube, repeat):
    """Return the cube of one repeat under original system names."""
    repeat_cube = cube.isel(system=cube["repeat"].to_numpy() == repeat)
    names = repeat_cube["repeat_of"].to_numpy()
    return repeat_cube.drop_vars(["repeat", "repeat_of"]).assign_coords(system=names)


@pytest.mark.parametrize(("layout", "name"), few_of(product(LAYOUTS, sorted(VERBS)), 6))
def test_verbs_accept_cubes_with_repeats_or_give_advice(layout, name):
    try:
        joined = call(name, repeated(layout))
    except IrframeError as error:
        message = str(error)
        assert name not in OF_CUBES | COUNTING, message
        assert "one repeat" in message, message
        assert re.search(r"Average over them: scores\.mean|elect one, as in cube\.isel", message), (
            message
        )
        return
    if name not in OF_CUBES:
        assert name in COUNTING | {"letters"}  # of a comparison
    elif "grade" not in joined:
        for repeat in (1, 2):
            alone, selected = call(name, one(repeated(layout), repeat)), joined.sel(repeat=repeat)
            selected, alone = (result.reset_coords(drop=True) for result in (selected, alone))
            xr.testing.assert_equal(selected.drop_vars("repeat", errors="ignore"), alone)


def test_cubes_with_repeats_are_scored_or_refused():
    runs, qrels = ir.example_track()
    both = runs[runs["system"].isin(["bm25", "ance"])]
    rows = [
        both.assign(seed=n, score=both["score"] * (1 + n * (both.index % 3 == 0))) for n in (1, 2)
    ]
    cube = ir.cube(pd.concat(rows), qrels)
    message = refused(ir.verbs.leave_out, cube)
    assert "one seed of every system for leave_out" in message
    alone = ir.verbs.search_lengths(cube.isel(system=cube["repeat"].to_numpy() == 1))
    assert alone["system"].nunique() == 2
    renamed = ir.verbs.search_lengths(cube.drop_vars(["repeat", "repeat_of"]))
    assert renamed["system"].nunique() == 4
