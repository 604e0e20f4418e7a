"""Tests of suggested calls for parameters of other functions."""

from tempfile import mkdtemp

import numpy as np
import pandas as pd
import pytest
from turns import few_of

import irframe as ir
from irframe.moved import MOVED

RUNS, QRELS = ir.example_track()
RUNS = RUNS.assign(half=np.where(RUNS["topic"] < "109", "first", "second"))
JUDGED = QRELS.assign(source=QRELS["topic"].str[-1])
SCORES = ir.evaluate(RUNS, QRELS, ["AP", "nDCG@10"])
CUBE = ir.cube(RUNS, QRELS)
DEPTHS = CUBE.ireval.score("AP", at=[5, 10])
BOUNDS = CUBE.ireval.bounds("P", at=[5, 10])
FRAME = DEPTHS.to_series().rename("value").reset_index()
SEEDS = pd.concat([RUNS.assign(seed=1), RUNS.assign(seed=2, score=RUNS["score"] / 2)])
SEEDED = ir.evaluate(SEEDS, QRELS, "AP")
TOKENS = ir.cube(RUNS.assign(tokens=100), QRELS, units=ir.Units(length="tokens"))
BUDGETS = TOKENS.ireval.score("P", stop=ir.Budget([200, 500]))
HALVES = {topic: "first" if topic < "109" else "second" for topic in RUNS["topic"].unique()}
WEIGHTS = pd.Series(range(1, 17), SCORES.index.unique("topic"))

CALLS = [
    (RUNS, "evaluate", (JUDGED, "AP", ["P@5", ir.metrics.nDCG(depth=3)]), {"by": "half"}),
    (RUNS, "evaluate", (JUDGED, "AP"), {"by": HALVES, "depth": 10}),
    (RUNS, "evaluate", (JUDGED, "AP"), {"cluster": "source"}),
    (RUNS, "cube", (JUDGED,), {"by": "half"}),
    (RUNS, "cube", (JUDGED,), {"tasks": "source"}),
    (RUNS, "collapse", ("doc",), {"by": "first", "of": r"(\w+)"}),
    (CUBE, "describe", (), {"by": "team", "depth": 10}),
    (SCORES, "compare", ("wilcoxon",), {"baseline": "bm25", "by": HALVES}),
    (SCORES, "compare", (), {"groupby": "team"}),
    (SCORES, "compare", ("t",), {"adjust": "holm", "alpha": 0.1, "family": "all"}),
    (SCORES, "compare", (), {"weights": WEIGHTS}),
    (SCORES, "leaderboard", (), {"tasks": HALVES, "order_by": "win_rate"}),
    (SCORES, "summary", (), {"cluster": HALVES, "alpha": 0.1}),
    (SCORES, "as_scores", (), {"cluster": HALVES, "lower": ["AP"]}),
    (DEPTHS, "discrimination", (), {"adjust": None, "alpha": 0.01}),
    (DEPTHS, "coverage", (10, "sign"), {"adjust": "bonferroni"}),
    (SEEDS, "evaluate", (QRELS, "AP"), {"repeats": "shared"}),
    (SEEDS, "cube", (QRELS,), {"repeats": "topic", "depth": 5}),
    (SEEDED, "components", (), {"repeats": "system"}),
    (QRELS, "scorer", ("AP",), {"repeats": "system"}),
    (DEPTHS, "bootstrap_sensitivity", (), {"at": 10, "resamples": 20}),
    (DEPTHS, "compare", (), {"at": [10], "baseline": "bm25"}),
    (DEPTHS, "components", (), {"at": 5}),
    (BOUNDS, "decide", (), {"at": 10}),
    (DEPTHS, "discrimination", ("sign",), {"at": 10}),
    (DEPTHS, "median_p", (), {"at": np.array([5])}),
    (DEPTHS, "rank_intervals", (), {"at": range(5, 6)}),
    (DEPTHS, "replicate", (DEPTHS,), {"at": 10}),
    (DEPTHS, "risk", (), {"baseline": "bm25", "at": [5]}),
    (DEPTHS, "topics_needed", (), {"difference": 0.1, "at": 5}),
    (DEPTHS, "volatility", ("AP",), {"at": [5, 10]}),
    (CUBE, "replay", ("pool", 5, "AP", ["nDCG"]), {"at": 10, "resamples": 2}),
    (DEPTHS, "agreement", (10,), {"at": [5]}),
    (DEPTHS, "coverage", (10,), {"at": 5}),
    (DEPTHS, "inversions", (), {"reference": "AP@10", "at": [5]}),
    (DEPTHS, "ratios", (10,), {"at": [5]}),
    (FRAME, "compare", (), {"at": [5, 10]}),
    (FRAME, "discrimination", (), {"at": range(5, 6)}),
    (SCORES, "compare", (), {"at": 10}),
    (BUDGETS, "compare", (), {"at": 500}),
    (SEEDED.ireval.design(repeats="system"), "compare", ("t",), {"over": "topic", "margin": 0.1}),
    (SEEDED.ireval.design(repeats="system"), "discrimination", (), {"over": "repeat"}),
    (SCORES.ireval.design(task=HALVES), "leaderboard", (), {"over": "task"}),
    (CUBE, "report", (f"{mkdtemp()}/a.html",), {"depths": [10, 5], "resamples": 100}),
    ({"a": QRELS, "b": QRELS}, "compare_judges", (), {"samples": 20, "seed": 3}),
    ({"a": QRELS, "b": QRELS}, "compare_judges", (), {"by": "topic", "resamples": 20}),
]
"""Calls with a parameter that belongs to another function.

A call is a tuple of object, verb, positional arguments and options.
"""


@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    ("subject", "verb", "arguments", "options"),
    few_of(CALLS, 3),
    ids=[f"{verb}-{'-'.join(options)}" for _, verb, _, options in CALLS],
)
def test_suggested_calls_run_on_the_same_object(subject, verb, arguments, options):
    function = getattr(ir.verbs, verb, None) or getattr(ir, verb)
    if isinstance(subject, pd.DataFrame) and subject is SCORES and "groupby" in options:
        subject = SCORES.join(RUNS.drop_duplicates("system").set_index("system")["team"])
    with pytest.raises(TypeError, match="write ") as caught:
        function(subject, *arguments, **options)
    line = str(caught.value).partition(": write ")[2]
    names = {"ir": ir, "qrels": JUDGED, "weights": WEIGHTS, "original": DEPTHS, **options}
    names |= dict.fromkeys(("runs", "scores", "bounds", "cube", "judges", "data", "x"), subject)
    result = eval(line, names)  # noqa: S307 - what irframe writes
    assert result is not None


@pytest.mark.parametrize(
    "ask",
    [
        lambda x: x.compare(at=10),
        lambda x: x.compare(adjust="holm", family="all"),
        lambda x: x.compare(weights=None),
    ],
)
def test_suggested_calls_contain_the_groups(ask):
    with pytest.raises(TypeError, match="write ") as caught:
        ask(DEPTHS.ireval.groupby("team"))
    line = str(caught.value).partition(": write ")[2]
    assert '.groupby("team")' in line
    result = eval(line, {"ir": ir, "scores": DEPTHS})  # noqa: S307 - what irframe writes
    assert "team" in result


def test_every_moved_parameter_is_tested():
    tried = {(verb, name) for _, verb, _, options in CALLS for name in options}
    for row in MOVED:
        assert any(name in row.fields and verb in (row.verbs or (verb,)) for verb, name in tried)


def test_suggested_calls_contain_the_other_arguments():
    with pytest.raises(TypeError) as caught:
        SCORES.ireval.compare("wilcoxon", baseline="bm25", by="team")
    assert str(caught.value) == (
        "compare(): got an unexpected keyword argument 'by': write "
        'scores.ireval.groupby("team").compare("wilcoxon", baseline="bm25")'
    )
    with pytest.raises(TypeError) as caught:
        DEPTHS.ireval.topics_needed(difference=0.1, alpha=0.01)
    assert str(caught.value).endswith(
        "scores.ireval.topics_needed(difference=0.1, test=ir.Significance(alpha=0.01))"
    )
    with pytest.raises(TypeError) as caught:
        CUBE.ireval.replay("pool", 5, "AP", "nDCG", at=10)
    assert str(caught.value).endswith('cube.ireval.replay("pool", 5, "AP@10", "nDCG@10")')
    with pytest.raises(TypeError) as caught:
        RUNS.ireval.evaluate(JUDGED, "AP", "nDCG", "P", seed=3)
    assert str(caught.value).endswith(
        'runs.ireval.evaluate(qrels, "AP", "nDCG", "P", ties=ir.Ties(seed=3))'
    )
