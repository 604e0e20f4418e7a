"""The report and `compare` agree on significance in every design."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from paged import view_of
from turns import few_of

import irframe as ir

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
METRICS, DEPTHS = ["AP", "RBP(p=0.8)"], [5, 10]
DESIGNS = {
    "topics": {},
    "clusters": {"cluster": lambda index: f"c{index // 2}"},
    "tasks": {"task": lambda index: f"t{index % 2}"},
    "clusters of tasks": {
        "cluster": lambda index: f"c{index // 2}",
        "task": lambda index: f"t{index % 4 // 2}",
    },
    "weights": {"weight": lambda index: 1.0 + index % 3},
    "seeds": {},
}
"""Mapping from the name of a design to its options of `design`.

The value of an option is a function that returns the label of a topic from its position.
"""


def three_seeds():
    """Return a cube with three noisy repeats of each system."""
    runs, qrels = ir.example_track()
    noise = np.random.default_rng(0).normal(0, 0.3, (3, len(runs)))
    repeats = [runs.assign(seed=n, score=runs["score"] + n * noise[n]) for n in range(3)]
    cube = pd.concat(repeats).drop(columns="rank").ireval.cube(qrels)
    return cube.ireval.design(repeats="system")


@pytest.mark.parametrize(("drawn", "alpha"), few_of(product(DESIGNS, [0.2, 0.01]), 3))
def test_report_and_compare_make_the_same_decisions(drawn, alpha):
    cube = three_seeds() if drawn == "seeds" else ir.cube(*ir.example_track())
    topics = cube["topic"].to_numpy().tolist()
    labels = {
        word: {topic: label(index) for index, topic in enumerate(topics)}
        for word, label in DESIGNS[drawn].items()
    }
    cube = cube.ireval.design(**labels) if labels else cube
    view = view_of(cube, METRICS, DEPTHS, alpha=alpha)
    scores = cube.ireval.score(*METRICS, at=DEPTHS)
    decided = ir.Significance("t", alpha=alpha)
    compared = scores.ireval.compare(decided)
    shape = len(METRICS), len(DEPTHS), -1
    np.testing.assert_array_equal(
        (view.strength > 0).ravel(), compared["significant"].to_numpy().astype(bool)
    )
    half = ((compared["ci_high"] - compared["ci_low"]) / 2).to_numpy().reshape(shape)
    if drawn == "topics":
        spread = (compared["difference"] / compared["effect_size"]).to_numpy().reshape(shape)
        np.testing.assert_allclose(view.reach[..., np.newaxis] * spread, half)
    else:
        np.testing.assert_allclose(view.half, half)
    ranks = scores.ireval.rank_intervals(test=decided).transpose("metric", "depth", ...)
    for name in ("mean", "ci_low", "ci_high", "rank", "rank_low", "rank_high"):
        np.testing.assert_allclose(view.ranked[name], ranks[name])
