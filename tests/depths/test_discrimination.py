"""Pairs that are told apart: against loops over pairs, and at the border of significance."""

import numpy as np
import pytest
import xarray as xr
from looped import ALPHA, looped, random_scores, rows, t_test
from oracles import comparing

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.paired import TESTS

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{each}:irframe.errors.IrframeWarning")
    for each in ("topics on which some", "comparisons whose", "tukey presumes")
]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("holes", [False, True])
def test_every_metric_and_depth_against_the_loop(seed, holes):
    scores = random_scores(seed, holes=holes)
    expected = looped(
        scores, lambda m, k: comparing.discrimination(rows(scores, m, k), t_test, ALPHA)
    )
    found = scores.ireval.discrimination("t", adjust=None, alpha=ALPHA)
    assert found.dims == ("metric", "depth")
    np.testing.assert_allclose(found, expected)


def test_worked_example(golden):
    case = golden["002-sec34-example"]
    scores = xr.DataArray(np.array(case["input"]["ref"], float), dims=("system", "topic"))
    expected = case["expected"]["discrimination"]
    assert scores.ireval.discrimination(adjust=None).item() == pytest.approx(expected)


@pytest.mark.parametrize("test", [*TESTS])
@pytest.mark.parametrize("adjust", [{}, {"adjust": "none"}, {"adjust": "fdr_by", "family": "all"}])
def test_it_is_the_share_of_significant_rows_of_the_comparison_frame(test, adjust):
    if TESTS[test].joint:
        adjust = {}
    scores, asked = random_scores(1)[:, :4, :, :2], {"test": test, "alpha": ALPHA, **adjust}
    groups = scores.ireval.compare(**asked).groupby(["metric", "depth"], sort=False)
    share = groups["significant"].mean().to_xarray().sel(metric=scores["metric"])
    for given in (scores, scores.chunk(topic=3)):
        found = given.ireval.discrimination(**asked)
        np.testing.assert_allclose(found, share)
        usual = "none" if TESTS[test].joint else "holm"
        told = {"family": "depth", "adjust": usual, **asked}
        told["test"] = scores.ireval.compare(told["test"]).attrs["test"]
        assert found.attrs | told == found.attrs


def test_systems_that_are_the_same_are_not_told_apart():
    scores = random_scores(0) * 0 + 0.5
    assert (scores.ireval.discrimination() == 0).all()


def test_missing_scores_are_counted():
    with pytest.warns(IrframeWarning, match="1 of 7 for AP .2.; 1 of 7 for ASL .4."):
        random_scores(0, holes=True).ireval.discrimination()


@pytest.mark.parametrize("alpha", [0, 1, 2])
def test_levels_that_are_none(alpha):
    with pytest.raises(ParameterError, match="alpha"):
        random_scores(0).ireval.discrimination("t", alpha=alpha)


def test_a_p_value_of_alpha_is_not_significant():
    scores = xr.DataArray([[2.0, 3, 4, 5], [1.0, 2, 3, 4]], dims=("system", "topic"))
    p = scores.ireval.compare("sign")["p"].item()
    assert p == 0.125
    assert scores.ireval.discrimination("sign", alpha=p) == 0
    assert scores.ireval.discrimination("sign", alpha=np.nextafter(p, 1)) == 1
    assert np.isnan(scores.ireval.coverage(scores, "sign", alpha=p))
    assert not scores.ireval.compare("sign", alpha=p)["significant"].item()


def test_alpha_of_a_hedge_is_not_significant_either():
    cube = ir.cube(*ir.example_track())
    report = cube.ireval.compare_orderings(baseline="bm25", metric="P", depth=10)
    p = report["p"].min()
    strict = cube.ireval.compare_orderings(baseline="bm25", metric="P", depth=10, alpha=p)
    assert not strict["dagger"].any()
