"""Tests of `select_top`."""

import numpy as np
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.mark.parametrize(("top", "count"), [(0.75, 6), (1, 8), (0.7, 6), (0.5, 4), (0.1, 1)])
def test_systems_with_the_best_means_are_selected(cube, top, count):
    means = cube.ireval.score("AP", at=50).mean("topic")[0].to_series()
    result = cube.ireval.select_top(top)
    best = means.sort_values(ascending=False).index[:count]
    assert result["system"].to_numpy().tolist() == [s for s in means.index if s in best]
    scores = cube.ireval.score("AP", "Twist")
    np.testing.assert_array_equal(scores.ireval.select_top(top)["system"], result["system"])


def test_number_of_removed_systems_is_rounded_down():
    cube = ir.cube(*ir.simulate_track(systems=10, topics=3, docs=200, depth=20, pool_depth=5))
    assert cube.ireval.select_top(0.9).sizes["system"] == 9


@pytest.mark.parametrize("at", [[2, 10], [10, 2]])
def test_systems_are_ranked_at_the_greatest_depth(cube, at):
    scores = cube.ireval.score("AP", "nDCG", at=at)
    best = scores.sel(metric="nDCG", depth=10).mean("topic").idxmax("system").item()
    assert scores.ireval.select_top(0.1, metric="nDCG")["system"].item() == best


def test_other_verbs_accept_selected_scores(cube):
    scores = cube.ireval.score("AP", "RR")
    subset = scores.ireval.select_top(0.75)
    same = scores.sel(system=subset["system"])
    for verb in ("agreement", "summary", "compare"):
        result, expected = (getattr(x.ireval, verb)() for x in (subset, same))
        assert result.equals(expected)


def test_invalid_arguments_of_select_top_are_refused(cube):
    scores = cube.ireval.score("nDCG", at=10)
    refused(InputError, "scores of RBP", scores.ireval.select_top, metric="RBP(p=0.8)")
    for share in (0, 1.5, "all"):
        with pytest.raises(ParameterError, match="share to be a number above 0 and at most 1"):
            scores.ireval.select_top(share, metric="nDCG")
