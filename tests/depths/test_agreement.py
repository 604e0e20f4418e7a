"""Agreement of metrics and depths with a reference, and with each other."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    return cube.ireval.score("AP(norm='min')", "RBP(p=0.95)", "RR", "ASL", no_rel="nan")


def means(scores, metric, depth):
    sign = -1 if metric == "ASL" else 1
    return sign * scores.sel(metric=metric, depth=depth).mean("topic").to_numpy().round(12)


METHODS = {
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
}


@pytest.mark.parametrize("method", METHODS)
class TestScipy:
    def test_a_depth(self, scores, method):
        found = scores.ireval.agreement(20, method, at=[3, 20, 50])
        for metric in scores["metric"].to_numpy():
            for depth in (3, 20, 50):
                expected = METHODS[method](means(scores, metric, 20), means(scores, metric, depth))
                assert found.sel(metric=metric, depth=depth).item() == pytest.approx(expected)

    def test_a_metric(self, scores, method):
        found = scores.ireval.agreement("ASL", method, at=[3, 50])
        fixed = scores.ireval.agreement("RR@5", method, at=[3, 50])
        for metric in scores["metric"].to_numpy():
            for depth in (3, 50):
                here = means(scores, metric, depth)
                expected = METHODS[method](means(scores, "ASL", depth), here)
                assert found.sel(metric=metric, depth=depth).item() == pytest.approx(expected)
                expected = METHODS[method](means(scores, "RR", 5), here)
                assert fixed.sel(metric=metric, depth=depth).item() == pytest.approx(expected)

    def test_metrics_with_each_other(self, scores, method):
        found = scores.ireval.agreement(method=method, at=[5, 50])
        assert found.dims == ("metric", "metric_other", "depth")
        expected = METHODS[method](means(scores, "ASL", 50), means(scores, "RR", 50))
        value = found.sel(metric="ASL", metric_other="RR", depth=50)
        assert value.item() == pytest.approx(expected)


def test_worked_ties(golden):
    case = golden["002-kendall-ties"]
    x, y = (
        xr.DataArray(np.array(case["input"][side])[:, None], dims=("system", "topic"))
        for side in "xy"
    )
    for method in ("tau_a", "tau_b", "pearson", "rmse"):
        with pytest.warns(ir.errors.IrframeWarning, match="single topic"):
            found = x.ireval.agreement(y, method)
        assert found.item() == pytest.approx(case["expected"][method])
    with pytest.warns(ir.errors.IrframeWarning, match="single topic"):
        assert np.isnan((x * 0).ireval.agreement(y).item())


def test_errors_are_in_the_units_of_the_scores(scores):
    found = scores.ireval.agreement(20, "rmse", at=50).sel(metric="ASL").item()
    difference = scores.sel(metric="ASL", depth=20) - scores.sel(metric="ASL", depth=50)
    assert found == pytest.approx(np.sqrt((difference.mean("topic") ** 2).mean().item()))


def test_the_reference_of_tau_ap_is_the_true_ordering(scores):
    found = scores.ireval.agreement(50, "tau_ap", at=1).sel(metric="RBP(p=0.95)").item()
    true, estimated = (means(scores, "RBP(p=0.95)", depth)[np.newaxis] for depth in (50, 1))
    assert found == pytest.approx(ir.agreements.TauAP().kernel(true, estimated).item())
    assert found != pytest.approx(ir.agreements.TauAP().kernel(estimated, true).item())


def test_means_that_differ_by_rounding_tie():
    noisy = xr.DataArray([[0.1, 0.2], [0.3, 0.0], [0.5, 0.5]], dims=("system", "topic"))
    swapped = xr.DataArray([[0.15, 0.15], [0.15, 0.15], [0.5, 0.5]], dims=("system", "topic"))
    assert noisy.mean("topic")[0] != noisy.mean("topic")[1]
    assert noisy.ireval.agreement(swapped).item() == 1


def test_frames_and_groups(scores):
    runs, qrels = ir.example_track()
    wide = runs.ireval.evaluate(qrels, ["AP", "RR"])
    assert wide.ireval.agreement("AP").dims == ("metric",)
    matrix = wide.ireval.agreement()
    assert matrix.dims == ("metric", "metric_other")
    np.testing.assert_allclose(np.diag(matrix), 1)
    halves = scores.assign_coords(half=("topic", np.repeat(["a", "b"], 8)))
    found = halves.ireval.agreement(10, at=[5, 50], by="half")
    assert found.dims == ("half", "metric", "depth")
    alone = scores[:, :, 8:].ireval.agreement(10, at=[5, 50])
    np.testing.assert_array_equal(found.sel(half="b"), alone)


def test_bad_input(scores):
    with pytest.raises(ParameterError, match="'tau_ap'"):
        scores.ireval.agreement(10, "tau")
    with pytest.raises(DepthError, match="from 1 to 50"):
        scores.ireval.agreement(51)
    with pytest.raises(ParameterError, match="same systems.*bm25"):
        scores.ireval.agreement(scores[:, 1:])
    with pytest.raises(ParameterError, match="two systems"):
        scores[:, :1].ireval.agreement(10)
