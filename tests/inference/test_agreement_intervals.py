"""Intervals of agreements, against a loop over resamples."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.inference import agreement_intervals
from irframe.paired.resamples import draw_topics

ASKED = {"interval": True, "samples": 40, "level": 0.9, "seed": 2}


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", at=[5, 10, 50])


def looped(one, other, method, costs=(False, False)):
    """Return the third smallest and largest agreement of 40 resamples; scores (system, topic)."""
    signs = [-1 if cost else 1 for cost in costs]
    values = []
    for topics in draw_topics(one.sizes["topic"], samples=40, seed=2):
        means = [
            s * x.values[:, topics].mean(axis=1) for s, x in zip(signs, (one, other), strict=True)
        ]
        values.append(method(*np.round(means, 12)))
    return sorted(values)[2], sorted(values)[-3]


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
    assert found.attrs | {"level": 0.9, "samples": 40} == found.attrs


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
        (ir.agreement, {"reference": 10}),
        (ir.volatility, {}),
        (ir.agreement, {}),
    ):
        with pytest.warns(IrframeWarning, match="left out"):
            found = verb(holes, **options, **ASKED)
        xr.testing.assert_allclose(found, verb(rest, **options, **ASKED))


def test_lazy_scores_are_loaded(scores):
    lazy = scores.chunk(topic=5)
    for verb, options in ((ir.agreement, {"reference": 10}), (ir.volatility, {})):
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
    found = scores.ireval.agreement(scores, interval=True, samples=100)
    assert found["agreement"].item() == 1
    assert np.isnan(found["ci_low"]).all()
    assert np.isnan(found["ci_high"]).all()


def test_bad_input(scores):
    other = scores.assign_coords(topic=scores["topic"].values + "x")
    for verb in (ir.agreement, ir.volatility):
        with pytest.raises(ParameterError, match="topics in common"):
            verb(scores, other, **ASKED)
        for wrong in ({"samples": 0}, {"level": 2}, {"seed": 0.5}):
            with pytest.raises(ParameterError, match=str(*wrong)):
                verb(scores, **(ASKED | wrong))
