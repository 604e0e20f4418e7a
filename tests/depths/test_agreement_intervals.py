"""Intervals of agreements, against a loop over resamples."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.depths import agreement as agreement_intervals
from irframe.errors import IrframeWarning, ParameterError
from irframe.paired.pairs import draw_topics

ASKED = {"interval": True, "samples": 40, "alpha": 0.1, "seed": 2}


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10, 50])


def at_topics(one, other, method, costs, topics):
    """Return the agreement on some topics; scores (system, topic)."""
    signs = [-1 if cost else 1 for cost in costs]
    sides = zip(signs, (one, other), strict=True)
    return method(*np.round([s * x.values[:, topics].mean(axis=1) for s, x in sides], 12))


def looped(one, other, method, costs=(False, False)):
    """Return the expanded percentile interval of 40 resamples of 16 topics."""
    drawn = draw_topics(one.sizes["topic"], samples=40, seed=2)
    values = sorted(at_topics(one, other, method, costs, topics) for topics in drawn)
    beyond = int(40 * stats.norm.cdf(-stats.t.ppf(0.95, 15) * np.sqrt(16 / 15)))
    assert beyond == 1  # a plain percentile would leave out two
    return values[beyond], values[-1 - beyond]


def looped_of_averages(one, other, method, costs=(False, False)):
    """Return the interval of the agreement by the averages over all topics."""
    every = np.arange(16)
    found = at_topics(one, other, method, costs, every)
    drawn = [
        at_topics(one, other, method, costs, topics)
        for topics in draw_topics(16, samples=40, seed=2)
    ]
    without = [at_topics(one, other, method, costs, np.delete(every, n)) for n in every]
    jackknife = np.sqrt(15 / 16 * ((without - np.mean(without)) ** 2).sum())
    error = max(np.std(drawn, ddof=1) * np.sqrt(16 / 15), jackknife)
    reach = stats.t.ppf(0.95, 15) * error
    return max(found - reach, -1), min(found + max(0, found - np.mean(drawn)) + reach, 1)


def tau(x, y):
    return stats.kendalltau(x, y).statistic


def found_at(result, **place):
    here = result.sel(place)
    return here["ci_low"].item(), here["ci_high"].item()


def test_intervals_with_a_depth_equal_the_loop(scores):
    found = scores.ireval.agreement(10, **ASKED)
    xr.testing.assert_equal(found["agreement"], scores.ireval.agreement(10))
    for metric in ("nDCG", "ASL"):
        one, other = (scores.sel(metric=metric, depth=depth) for depth in (10, 5))
        expected = looped(one, other, tau, [metric == "ASL"] * 2)
        assert found_at(found, metric=metric, depth=5) == pytest.approx(expected)
    told = {"alpha": 0.1, "samples": 40, "interval_of": "expected of 16 topics like these"}
    assert found.attrs | told == found.attrs


@pytest.mark.parametrize("method", ["kendall", "pearson"])
def test_intervals_of_averages_equal_the_loop(scores, method):
    with pytest.warns(IrframeWarning, match="not to be relied on below 20 topics: 16") as caught:
        found = scores.ireval.agreement("ASL@10", method, **ASKED, of="averages")
    assert len(caught) == 1
    assert found.attrs["caution"] == str(caught[0].message)
    assert found.attrs["interval_of"] == "by the averages over all topics"
    one, other = scores.sel(metric="ASL", depth=10), scores.sel(metric="nDCG", depth=5)
    measure = tau if method == "kendall" else lambda x, y: np.corrcoef(x, y)[0, 1]
    expected = looped_of_averages(one, other, measure, (True, False))
    assert found_at(found, metric="nDCG", depth=5) == pytest.approx(expected)
    with pytest.raises(ParameterError, match="a correlation"):
        scores.ireval.agreement("ASL@10", "rmse", **ASKED, of="averages")


def test_intervals_of_averages_leave_out_topics_as_if_they_had_never_been(scores):
    holes = scores.where((scores["topic"] != "101") | (scores["system"] != "bm25"))
    rest = scores.sel(topic=scores["topic"] != "101")
    asked = ASKED | {"of": "averages"}
    for verb, options in (
        (ir.verbs.agreement, {"reference": 10}),
        (ir.verbs.volatility, {}),
        (ir.verbs.agreement, {}),
    ):
        with pytest.warns(IrframeWarning):
            found, expected = (verb(some, **options, **asked) for some in (holes, rest))
        xr.testing.assert_allclose(found, expected)


def test_intervals_with_a_metric_equal_the_loop(scores):
    def pearson(x, y):
        return np.corrcoef(x, y)[0, 1]

    found = scores.ireval.agreement("ASL", "pearson", **ASKED)
    one, other = (scores.sel(metric=metric, depth=5) for metric in ("ASL", "nDCG"))
    expected = looped(one, other, pearson, (True, False))
    assert found_at(found, metric="nDCG", depth=5) == pytest.approx(expected)


def test_distances_take_averages_as_they_are(scores):
    found = scores.ireval.agreement("ASL@10", "rmse", **ASKED)
    one, other = scores.sel(metric="ASL", depth=10), scores.sel(metric="nDCG", depth=5)
    expected = looped(one, other, lambda x, y: np.sqrt(((x - y) ** 2).mean()))
    assert found_at(found, metric="nDCG", depth=5) == pytest.approx(expected)


@pytest.mark.parametrize("method", ["kendall", "tau_ap"])
def test_metrics_and_depths_have_the_intervals_of_each_pair(scores, method, monkeypatch):
    monkeypatch.setattr(agreement_intervals, "BLOCK_BYTES", 1)
    between = scores.ireval.agreement(method=method, **ASKED)
    by_depth = scores.ireval.volatility(method=method, **ASKED)
    crossed = scores[:1].ireval.volatility(scores[1:], method=method, **ASKED)
    xr.testing.assert_equal(by_depth["agreement"], scores.ireval.volatility(method=method))
    for name in ("ci_low", "ci_high"):
        for row, reference in enumerate(("nDCG", "ASL")):
            one = scores.ireval.agreement(reference, method, **ASKED)[name]
            np.testing.assert_allclose(between[name][row], one)
        for place, depth in enumerate((5, 10, 50)):
            one = scores.ireval.agreement(depth, method, **ASKED)[name]
            np.testing.assert_allclose(by_depth[name][:, place], one)
        one = scores[1:, ..., :1].ireval.agreement(scores[:1, ..., :1], method, **ASKED)
        np.testing.assert_allclose(crossed[name][0, 0, 0], one[name][0, 0])


def test_both_sides_draw_the_same_topics_whatever_their_order(scores):
    one, other = scores[:1, ..., :1], scores[:1, ..., 1:2].assign_coords(depth=[5])
    found = one.ireval.agreement(other, **ASKED)
    turned = one.ireval.agreement(other.isel(topic=slice(None, None, -1)), **ASKED)
    xr.testing.assert_equal(found, turned)
    same = one.ireval.agreement(one.isel(system=slice(None, None, -1)), **ASKED)
    assert found_at(same, metric="nDCG", depth=5) == (1, 1)


def test_topics_left_out_are_as_if_they_had_never_been(scores):
    holes = scores.where((scores["topic"] != "101") | (scores["system"] != "bm25"))
    rest = scores.sel(topic=scores["topic"] != "101")
    for verb, options in (
        (ir.verbs.agreement, {"reference": 10}),
        (ir.verbs.volatility, {}),
        (ir.verbs.agreement, {}),
    ):
        with pytest.warns(IrframeWarning, match="left out"):
            found = verb(holes, **options, **ASKED)
        xr.testing.assert_allclose(found, verb(rest, **options, **ASKED))


def test_lazy_scores_are_loaded(scores):
    lazy = scores.chunk(topic=5)
    for verb, options in ((ir.verbs.agreement, {"reference": 10}), (ir.verbs.volatility, {})):
        xr.testing.assert_allclose(verb(lazy, **options, **ASKED), verb(scores, **options, **ASKED))


def test_a_single_topic_tells_nothing_of_others(scores):
    with pytest.warns(IrframeWarning, match="single topic"):
        found = scores.isel(topic=[3]).ireval.agreement(10, **ASKED)
    assert found["agreement"].notnull().all()
    assert np.isnan(found["ci_low"]).all()
    assert np.isnan(found["ci_high"]).all()


def test_agreements_that_are_often_undefined_have_no_interval():
    values = np.array([[0, 0, 0, 0, 0, 1.0], [0, 0, 0, 0, 0, 0.5]])
    scores = xr.DataArray(values, dims=["system", "topic"], name="AP")
    with pytest.warns(IrframeWarning, match="without an interval, .*: 1 of 1"):
        found = scores.ireval.agreement(scores, interval=True, samples=100)
    assert found["agreement"].item() == 1
    assert np.isnan(found["ci_low"]).all()
    assert np.isnan(found["ci_high"]).all()


def test_an_agreement_that_no_resample_changes_has_no_interval_but_with_itself():
    values = (
        np.arange(3)[:, np.newaxis, np.newaxis] + np.random.default_rng(0).random((3, 9, 2)) / 9
    )
    scores = xr.DataArray(values, dims=["system", "topic", "depth"], name="AP")
    with pytest.warns(IrframeWarning, match="without an interval, .*: 2 of 4"):
        found = scores.assign_coords(depth=[1, 5]).ireval.volatility(interval=True, samples=100)
    assert (found["agreement"] == 1).all()
    for end in ("ci_low", "ci_high"):
        np.testing.assert_array_equal(found[end][0], np.where(np.eye(2), 1, np.nan))


def test_bad_input(scores):
    other = scores.assign_coords(topic=scores["topic"].values + "x")
    for verb in (ir.verbs.agreement, ir.verbs.volatility):
        with pytest.raises(ParameterError, match="topics in common"):
            verb(scores, other, **ASKED)
        for wrong in ({"samples": 0}, {"alpha": 2}, {"seed": 0.5}, {"of": "all"}):
            with pytest.raises(ParameterError, match=str(*wrong)):
                verb(scores, **(ASKED | wrong))


def test_there_may_be_more_depths_than_systems(monkeypatch):
    few = ir.cube(*ir.example_track()).ireval.score("nDCG", at=[1, 2, 5, 10, 50])[:, [0, 3, 6]]
    whole = few.ireval.volatility(**ASKED)
    monkeypatch.setattr(agreement_intervals, "BLOCK_BYTES", 1)
    xr.testing.assert_equal(few.ireval.volatility(**ASKED), whole)
