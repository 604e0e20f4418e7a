"""Means, intervals and counts."""

import tracemalloc
import warnings

import numpy as np
import pytest
import xarray as xr
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels).ireval.score("AP", "NumRelRet", "NumQ", at=[5, 50])


def test_intervals_equal_scipy(scores):
    values = scores.sel(metric="AP", system="ance", depth=5).to_numpy()
    mean, error, df = values.mean(), stats.sem(values), len(values) - 1
    half = stats.t.ppf(0.95, df) * error / (mean * (1 - mean))
    ends = {
        "t": stats.t.interval(0.9, df, mean, error),
        "logit": [1 / (1 + np.exp(side * half) * (1 - mean) / mean) for side in (1, -1)],
    }
    for interval, (low, high) in ends.items():
        summary = scores.ireval.summary(alpha=0.1, interval=interval)
        here = summary.sel(metric="AP", system="ance", depth=5)
        found = [here[name].item() for name in ("mean", "ci_low", "ci_high", "n")]
        assert found == pytest.approx([mean, low, high, len(values)])
        assert summary.attrs["interval"] == interval


def test_logit_intervals_are_of_scores_from_0_to_1():
    values = np.random.default_rng(0).random((3, 2, 6))
    values[1] += 0.5
    values[0, 0, 0] = 1 + 2e-16  # a perfect nDCG, but for rounding
    labels = {"metric": ["nDCG", "AP", "my own"]}
    scores = xr.DataArray(values, labels, ("metric", "system", "topic"))
    student, found = (scores.ireval.summary(interval=name) for name in ("t", "logit"))
    same = (student["ci_low"] == found["ci_low"]).all("system")
    assert same.values.tolist() == [False, True, False]  # by the values, not by the name
    assert found.attrs["interval"] == "logit, but t of AP"
    assert student.attrs["interval"] == "t"
    inside = found.sel(metric="nDCG")
    assert (inside["ci_low"] > 0).all()
    assert (inside["ci_high"] < 1).all()
    refused(ParameterError, "'logit', 't'; found 'z'", lambda: scores.ireval.summary(interval="z"))


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("interval", ["logit", "t"])
def test_scores_that_do_not_vary_have_no_interval(interval, lazy):
    values = np.array([[0.0] * 5, [1.0] * 5, [0.1] * 5, [0.1, 0.2, 0.1, 0.2, 0.3]])
    labels = {"metric": ["AP"], "system": list("abcd")}
    scores = xr.DataArray(values[np.newaxis], labels, ("metric", "system", "topic"))
    given = scores.chunk(topic=2) if lazy else scores
    message = "scores are the same: AP of a, AP of b, AP of c$"
    with pytest.warns(IrframeWarning, match=message) as caught:
        found = given.ireval.summary(interval=interval).compute()
    assert len(caught) == 1
    assert found["ci_low"].isnull().values.tolist() == [[True, True, True, False]]
    assert found["ci_high"].isnull().values.tolist() == [[True, True, True, False]]
    assert "AP of a" in found.attrs["caution"]


def test_reciprocal_ranks_on_few_topics_are_told():
    few = ir.cube(*ir.example_track()).ireval.score("RR", "AP").isel(topic=slice(7), depth=[49])
    message = "intervals of a mean RR hold less often than they say below 8 topics: 7"
    with pytest.warns(IrframeWarning, match=message) as caught:
        summary = few.ireval.summary()
    assert len(caught) == 1
    assert summary.attrs["caution"] == message
    for shown in (summary, few):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrframeWarning)
            assert message in shown.ireval.styled().to_html()


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_alpha_is_a_probability(scores, alpha):
    with pytest.raises(ParameterError, match="alpha, a number above 0 and below 1"):
        scores.ireval.summary(alpha=alpha)


def with_gaps(seed):
    """Return scores with metrics averaged in every way, and holes of every shape."""
    rng = np.random.default_rng(seed)
    values = rng.random((5, 5, 9, 3)).round(2)
    values[0, 1, 2] = values[1, 2, :, 1] = values[2, 3, 1:] = np.nan
    values[3:, 0, 0, 0] = 0
    labels = {"metric": ["AP", "NumRel", "P", "InverseASL", "GMAP"], "system": list("abcde")}
    return xr.DataArray(values, labels, ("metric", "system", "topic", "depth"))


def test_moments_against_pandas():
    scores = with_gaps(0)
    found = scores.ireval.summary(interval="t")
    for place in np.ndindex(5, 5, 3):
        row, system, depth = place
        values = scores[row, system, :, depth].to_pandas().dropna()
        n, here = len(values), found.isel(metric=row, system=system, depth=depth)
        harmonic = 1 / (1 / values.replace(0, 1e-300)).mean()
        geometric = stats.gmean(values.clip(lower=1e-5)) if n else np.nan
        means = [values.mean(), values.sum(min_count=1), values.mean(), harmonic, geometric]
        mean = means[row]
        half = stats.t.ppf(0.975, n - 1) * values.sem() if n > 1 and row in {0, 2} else np.nan
        expected = [mean, mean - half, mean + half, n]
        observed = [here[name].item() for name in ("mean", "ci_low", "ci_high", "n")]
        np.testing.assert_allclose(observed, expected, rtol=1e-12, atol=1e-15)


def test_a_summary_takes_little_memory_beyond_the_scores():
    scores = xr.DataArray(
        np.random.default_rng(0).random((1, 40, 100, 500)),
        {"metric": ["AP"]},
        ("metric", "system", "topic", "depth"),
    )
    scores.ireval.summary()
    tracemalloc.start()
    scores.ireval.summary()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < scores.nbytes / 1.5
