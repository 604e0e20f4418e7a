"""The systems that are kept."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("Twist", "AP", "nDCG", at=50)


@pytest.mark.parametrize(("top", "kept"), [(0.75, 6), (1, 8), (0.7, 6), (0.5, 4), (0.1, 1)])
def test_best_systems(top, kept):
    cube = ir.cube(*ir.example_track())
    means = cube.ireval.score("AP", at=50).mean("topic")[0, :, 0].to_series()
    found = cube.ireval.select_top(top)
    best = means.sort_values(ascending=False).index[:kept]
    assert found["system"].to_numpy().tolist() == [s for s in means.index if s in best]
    scores = cube.ireval.score("AP", "Twist")
    np.testing.assert_array_equal(scores.ireval.select_top(top)["system"], found["system"])


def test_share_of_whole_systems():
    cube = ir.cube(*ir.simulate_track(systems=10, topics=3, docs=200, depth=20, pool_depth=5))
    assert cube.ireval.select_top(0.9).sizes["system"] == 9


def test_selection_by_another_metric(scores):
    best = scores.sel(metric="nDCG").mean("topic").idxmax("system").item()
    assert scores.ireval.select_top(0.1, metric="nDCG")["system"].item() == best


def test_bad_selections(scores):
    for top in (0, 1.5, "all"):
        with pytest.raises(ParameterError, match="share, a number of at most 1 and above 0"):
            scores.ireval.select_top(top)
    with pytest.raises(InputError, match="scores of RBP"):
        scores.ireval.select_top(metric="RBP(p=0.8)")
