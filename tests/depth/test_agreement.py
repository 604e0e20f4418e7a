"""Tests of `agreement` and of its confidence intervals.

Confidence intervals are compared with a loop over resamples.
"""

from itertools import product

import numpy as np
import pytest
import xarray as xr
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.depth import agreement as agreement_intervals
from irframe.errors import DepthError, IrframeWarning, ParameterError
from irframe.paired.pairs import draw_topics


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
@pytest.mark.parametrize(
    ("reference", "of_reference"),
    [
        (20, lambda scores, metric, _: means(scores, metric, 20)),
        ("ASL", lambda scores, _, depth: means(scores, "ASL", depth)),
        ("RR@5", lambda scores, _, __: means(scores, "RR", 5)),
    ],
)
def test_agreement_with_a_reference_equals_scipy(scores, method, reference, of_reference):
    result = scores.ireval.agreement(reference, method).sel(depth=[3, 20, 50])
    for metric, depth in product(scores["metric"].to_numpy(), (3, 20, 50)):
        expected = METHODS[method](
            of_reference(scores, metric, depth), means(scores, metric, depth)
        )
        assert result.sel(metric=metric, depth=depth).item() == pytest.approx(expected)


@pytest.mark.parametrize("method", METHODS)
def test_agreement_between_metrics_equals_scipy(scores, method):
    result = scores.sel(depth=[5, 50]).ireval.agreement(coefficient=method)
    assert result.dims == ("metric", "metric_other", "depth")
    expected = METHODS[method](means(scores, "ASL", 50), means(scores, "RR", 50))
    value = result.sel(metric="ASL", metric_other="RR", depth=50)
    assert value.item() == pytest.approx(expected)


def test_agreement_with_ties_equals_the_worked_case(golden):
    case = golden["002-kendall-ties"]
    x, y = (
        xr.DataArray(np.array(case["input"][side])[:, None], dims=("system", "topic"))
        for side in "xy"
    )
    for method in ("tau_a", "tau_b", "pearson", "rmse"):
        with pytest.warns(ir.errors.IrframeWarning, match="single topic"):
            result = x.ireval.agreement(y, method)
        assert result.item() == pytest.approx(case["expected"][method])
    with pytest.warns(ir.errors.IrframeWarning) as caught:
        assert np.isnan((x * 0).ireval.agreement(y).item())
    assert "1 of 1 agreements are undefined, because all systems tie" in str(caught[1].message)


def test_rmse_has_the_unit_of_the_scores(scores):
    result = scores.ireval.agreement(20, "rmse").sel(depth=50).sel(metric="ASL").item()
    difference = scores.sel(metric="ASL", depth=20) - scores.sel(metric="ASL", depth=50)
    assert result == pytest.approx(np.sqrt((difference.mean("topic") ** 2).mean().item()))


def test_tau_ap_takes_the_ordering_of_the_reference_as_the_true_ordering(scores):
    result = scores.ireval.agreement(50, "tau_ap").sel(depth=1).sel(metric="RBP(p=0.95)").item()
    true, estimated = (means(scores, "RBP(p=0.95)", depth)[np.newaxis] for depth in (50, 1))
    assert result == pytest.approx(ir.agreements.TauAP().kernel(true, estimated).item())
    assert result != pytest.approx(ir.agreements.TauAP().kernel(estimated, true).item())


def test_means_that_differ_by_a_rounding_error_are_tied():
    noisy = xr.DataArray([[0.1, 0.2], [0.3, 0.0], [0.5, 0.5]], dims=("system", "topic"))
    swapped = xr.DataArray([[0.15, 0.15], [0.15, 0.15], [0.5, 0.5]], dims=("system", "topic"))
    assert noisy.mean("topic")[0] != noisy.mean("topic")[1]
    assert noisy.ireval.agreement(swapped).item() == 1


def test_invalid_references_are_refused(scores):
    refused(DepthError, "from 1 to 50", lambda: scores.ireval.agreement(51))
    refused(ParameterError, "same systems.*bm25", lambda: scores.ireval.agreement(scores[:, 1:]))
    refused(ParameterError, "two systems", lambda: scores[:, :1].ireval.agreement(10))


OPTIONS = {"interval_of": "expected", "resamples": ir.Resampling(40, seed=2), "alpha": 0.1}


@pytest.fixture(scope="module")
def deep():
    return ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10, 50])


def at_topics(first, second, method, costs, topics):
    """Return the agreement of two score arrays on `topics`."""
    signs = [-1 if cost else 1 for cost in costs]
    sides = zip(signs, (first, second), strict=True)
    return method(*np.round([s * x.values[:, topics].mean(axis=1) for s, x in sides], 12))


def looped(first, second, method, costs=(False, False)):
    """Return the expanded percentile interval from a loop over resamples."""
    drawn = draw_topics(first.sizes["topic"], samples=40, seed=2)
    values = sorted(at_topics(first, second, method, costs, topics) for topics in drawn)
    beyond = int(40 * stats.norm.cdf(-stats.t.ppf(0.95, 15) * np.sqrt(16 / 15)))
    # a plain percentile interval would leave out two values, so the test could not tell them apart
    assert beyond == 1
    return values[beyond], values[-1 - beyond]


def looped_of_averages(first, second, method, costs=(False, False)):
    """Return the interval for averages from a loop over resamples."""
    every = np.arange(16)
    result = at_topics(first, second, method, costs, every)
    drawn = [
        at_topics(first, second, method, costs, topics)
        for topics in draw_topics(16, samples=40, seed=2)
    ]
    without = [at_topics(first, second, method, costs, np.delete(every, n)) for n in every]
    jackknife = np.sqrt(15 / 16 * ((without - np.mean(without)) ** 2).sum())
    error = max(np.std(drawn, ddof=1) * np.sqrt(16 / 15), jackknife)
    reach = stats.t.ppf(0.95, 15) * error
    return max(result - reach, -1), min(result + max(0, result - np.mean(drawn)) + reach, 1)


def tau(x, y):
    return stats.kendalltau(x, y).statistic


def limits_at(result, **labels):
    cell = result.sel(labels)
    return cell["ci_low"].item(), cell["ci_high"].item()


def test_intervals_with_a_reference_depth_agree_with_a_loop(deep):
    result = deep.ireval.agreement(10, **OPTIONS)
    xr.testing.assert_equal(result["agreement"], deep.ireval.agreement(10))
    for metric in ("nDCG", "ASL"):
        first, second = (deep.sel(metric=metric, depth=depth) for depth in (10, 5))
        expected = looped(first, second, tau, [metric == "ASL"] * 2)
        assert limits_at(result, metric=metric, depth=5) == pytest.approx(expected)
    recorded = {
        "alpha": 0.1,
        "samples": 40,
        "interval_of": "to be expected on 16 topics like these",
    }
    assert result.attrs | recorded == result.attrs


@pytest.mark.parametrize("method", ["kendall", "pearson"])
def test_intervals_for_averages_agree_with_a_loop(deep, method):
    with pytest.warns(IrframeWarning, match="unreliable with fewer than 20 topics: 16") as caught:
        result = deep.ireval.agreement("ASL@10", method, **OPTIONS | {"interval_of": "averages"})
    assert len(caught) == 1
    assert result.attrs["caution"] == str(caught[0].message)
    assert result.attrs["interval_of"] == "by the averages over all topics"
    first, second = deep.sel(metric="ASL", depth=10), deep.sel(metric="nDCG", depth=5)
    measure = tau if method == "kendall" else lambda x, y: np.corrcoef(x, y)[0, 1]
    expected = looped_of_averages(first, second, measure, (True, False))
    assert limits_at(result, metric="nDCG", depth=5) == pytest.approx(expected)
    with pytest.raises(ParameterError, match="tau_ap, spearman or pearson"):
        deep.ireval.agreement("ASL@10", "rmse", **OPTIONS | {"interval_of": "averages"})


@pytest.mark.parametrize(
    ("reference", "depth", "method", "loop", "costs"),
    [
        ("ASL", 5, "pearson", lambda x, y: np.corrcoef(x, y)[0, 1], (True, False)),
        ("ASL@10", 10, "rmse", lambda x, y: np.sqrt(((x - y) ** 2).mean()), (False, False)),
    ],
)
def test_intervals_with_a_reference_metric_agree_with_a_loop(
    deep, reference, depth, method, loop, costs
):
    """Correlations negate the means of cost metrics, unlike RMSE."""
    result = deep.ireval.agreement(reference, method, **OPTIONS)
    first, second = deep.sel(metric="ASL", depth=depth), deep.sel(metric="nDCG", depth=5)
    expected = looped(first, second, loop, costs)
    assert limits_at(result, metric="nDCG", depth=5) == pytest.approx(expected)


def test_the_distance_of_a_cost_from_equal_scores_is_0_with_certainty(deep):
    values = deep.to_numpy().copy()
    metrics = deep["metric"].to_numpy().tolist()
    values[metrics.index("ASL")] = values[metrics.index("nDCG")]
    result = deep.copy(data=values).ireval.agreement("ASL@10", "rmse", **OPTIONS)
    assert result["agreement"].sel(metric="nDCG", depth=10) == 0
    assert limits_at(result, metric="nDCG", depth=10) == (0, 0)


@pytest.mark.parametrize("method", ["kendall", "tau_ap"])
def test_intervals_between_metrics_or_depths_equal_intervals_with_a_reference(
    deep, method, monkeypatch
):
    monkeypatch.setattr(agreement_intervals, "BLOCK_BYTES", 1)
    between = deep.ireval.agreement(coefficient=method, **OPTIONS)
    by_depth = deep.ireval.volatility(coefficient=method, **OPTIONS)
    crossed = deep[:1].ireval.volatility(deep[1:], coefficient=method, **OPTIONS)
    xr.testing.assert_equal(by_depth["agreement"], deep.ireval.volatility(coefficient=method))
    for name in ("ci_low", "ci_high"):
        for row, reference in enumerate(("nDCG", "ASL")):
            expected = deep.ireval.agreement(reference, method, **OPTIONS)[name]
            np.testing.assert_allclose(between[name][row], expected)
        for pos, depth in enumerate((5, 10, 50)):
            expected = deep.ireval.agreement(depth, method, **OPTIONS)[name]
            np.testing.assert_allclose(by_depth[name][:, pos], expected)
        expected = deep[1:, ..., :1].ireval.agreement(deep[:1, ..., :1], method, **OPTIONS)
        np.testing.assert_allclose(crossed[name][0, 0, 0], expected[name][0, 0])


def test_intervals_do_not_depend_on_the_order_of_topics(deep):
    first, second = deep[:1, ..., :1], deep[:1, ..., 1:2].assign_coords(depth=[5])
    result = first.ireval.agreement(second, **OPTIONS)
    turned = first.ireval.agreement(second.isel(topic=slice(None, None, -1)), **OPTIONS)
    xr.testing.assert_equal(result, turned)
    same = first.ireval.agreement(first.isel(system=slice(None, None, -1)), **OPTIONS)
    assert limits_at(same, metric="nDCG", depth=5) == (1, 1)


@pytest.mark.parametrize("of", ["expected", "averages"])
def test_topics_without_a_score_of_some_system_have_no_effect_on_intervals(deep, of):
    holes = deep.where((deep["topic"] != "101") | (deep["system"] != "bm25"))
    complete, interval_options = (
        deep.sel(topic=deep["topic"] != "101"),
        OPTIONS | {"interval_of": of},
    )
    for verb, options in (
        (ir.verbs.agreement, {"reference": 10}),
        (ir.verbs.volatility, {}),
        (ir.verbs.agreement, {}),
    ):
        with pytest.warns(IrframeWarning):
            result, expected = (
                verb(some, **options, **interval_options) for some in (holes, complete)
            )
        xr.testing.assert_allclose(result, expected)


def test_a_single_topic_has_no_interval(deep):
    with pytest.warns(IrframeWarning, match="single topic"):
        result = deep.isel(topic=[3]).ireval.agreement(10, **OPTIONS)
    assert result["agreement"].notnull().all()
    assert np.isnan(result["ci_low"]).all()
    assert np.isnan(result["ci_high"]).all()


def test_agreements_that_are_often_undefined_have_no_interval():
    values = np.array([[0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, 0.5]])
    scores = xr.DataArray(values, dims=["system", "topic"], name="AP")
    with pytest.warns(IrframeWarning, match="without an interval, .*: 1 of 1"):
        result = scores.ireval.agreement(scores, interval_of="expected", resamples=100)
    assert result["agreement"].item() == 1
    assert np.isnan(result["ci_low"]).all()
    assert np.isnan(result["ci_high"]).all()


def test_agreements_that_are_equal_for_all_resamples_have_no_interval():
    values = (
        np.arange(3)[:, np.newaxis, np.newaxis] + np.random.default_rng(0).random((3, 9, 2)) / 9
    )
    scores = xr.DataArray(values, dims=["system", "topic", "depth"], name="AP")
    with pytest.warns(IrframeWarning, match="without an interval, .*: 2 of 4"):
        result = scores.assign_coords(depth=[1, 5]).ireval.volatility(
            interval_of="expected", resamples=100
        )
    assert (result["agreement"] == 1).all()
    for end in ("ci_low", "ci_high"):
        np.testing.assert_array_equal(result[end][0], np.where(np.eye(2), 1, np.nan))


def test_intervals_work_with_more_depths_than_systems(monkeypatch):
    few = ir.cube(*ir.example_track()).ireval.score("nDCG", at=[1, 2, 5, 10, 50])[:, [0, 3, 6]]
    expected = few.ireval.volatility(**OPTIONS)
    monkeypatch.setattr(agreement_intervals, "BLOCK_BYTES", 1)
    xr.testing.assert_equal(few.ireval.volatility(**OPTIONS), expected)
