"""Tests of `summary`, and of means in other verbs."""

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, IrframeWarning
from irframe.scores.averages import averages
from irframe.scores.read_scores import scores_to_compare


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
        result = [here[name].item() for name in ("mean", "ci_low", "ci_high", "n")]
        assert result == pytest.approx([mean, low, high, len(values)])
        assert summary.attrs["interval"] == interval


def test_logit_intervals_need_scores_between_0_and_1():
    values = np.random.default_rng(0).random((3, 2, 6))
    values[1] += 0.5
    values[0, 0, 0] = 1 + 2e-16  # rounding may lift a perfect nDCG above 1
    labels = {"metric": ["nDCG", "AP", "my own"]}
    scores = xr.DataArray(values, labels, ("metric", "system", "topic"))
    student, result = (scores.ireval.summary(interval=name) for name in ("t", "logit"))
    same = (student["ci_low"] == result["ci_low"]).all("system")
    # The values decide the kind of interval, not the name of the metric.
    assert same.values.tolist() == [False, True, False]
    assert result.attrs["interval"] == "logit, but t of AP"
    assert student.attrs["interval"] == "t"
    inside = result.sel(metric="nDCG")
    assert (inside["ci_low"] > 0).all()
    assert (inside["ci_high"] < 1).all()


@pytest.mark.parametrize("lazy", [False, True])
@pytest.mark.parametrize("interval", ["logit", "t"])
def test_scores_that_do_not_vary_have_no_interval(interval, lazy):
    values = np.array([[0.0] * 5, [1.0] * 5, [0.1] * 5, [0.1, 0.2, 0.1, 0.2, 0.3]])
    labels = {"metric": ["AP"], "system": list("abcd")}
    scores = xr.DataArray(values[np.newaxis], labels, ("metric", "system", "topic"))
    inputs = scores.chunk(topic=2) if lazy else scores
    message = "scores are the same: AP of a, AP of b, AP of c$"
    with pytest.warns(IrframeWarning, match=message) as caught:
        result = inputs.ireval.summary(interval=interval).compute()
    assert len(caught) == 1
    assert np.isnan(result["ci_low"]).values.tolist() == [[True, True, True, False]]
    assert np.isnan(result["ci_high"]).values.tolist() == [[True, True, True, False]]
    assert "AP of a" in result.attrs["caution"]


@pytest.mark.parametrize("weights", [None, {"1": 1.0, "2": 2.0, "3": 3.0}])
def test_means_of_infinite_scores_have_no_interval(weights):
    names = pd.MultiIndex.from_product([["a", "b"], list("123")], names=["system", "topic"])
    frame = pd.DataFrame({"BalancePoint": [1.0, np.inf, 2.0, 1.0, 3.0, 2.0]}, names)
    frame = frame if weights is None else frame.ireval.design(weight=weights)
    with pytest.warns(IrframeWarning) as caught:
        result = frame.ireval.summary().loc["BalancePoint"]
    messages = [str(warning.message) for warning in caught]
    assert sum(
        "no interval if scores are infinite: BalancePoint of a" in single for single in messages
    )
    assert not sum("the same" in single for single in messages)
    assert result.loc["a", "mean"] == np.inf
    assert result[["ci_low", "ci_high"]].notna().all(axis=1).to_dict() == {"a": False, "b": True}


def test_reciprocal_ranks_on_few_topics_have_a_caution():
    few = ir.cube(*ir.example_track()).ireval.score("RR", "AP").isel(topic=slice(7), depth=[49])
    message = "intervals of a mean RR are unreliable with fewer than 8 topics: 7"
    with pytest.warns(IrframeWarning, match=message) as caught:
        summary = few.ireval.summary()
    assert len(caught) == 1
    assert summary.attrs["caution"] == message
    for shown in (summary, few):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", IrframeWarning)
            assert message in shown.ireval.styled().to_html()


def with_gaps(seed):
    """Return scores with several kinds of average and missing values."""
    rng = np.random.default_rng(seed)
    values = rng.random((5, 5, 9, 3)).round(2)
    values[0, 1, 2] = values[1, 2, :, 1] = values[2, 3, 1:] = np.nan
    values[3:, 0, 0, 0] = 0
    labels = {"metric": ["AP", "NumRel", "P", "InverseASL", "GMAP"], "system": list("abcde")}
    return xr.DataArray(values, labels, ("metric", "system", "topic", "depth"))


def test_means_and_intervals_equal_pandas():
    scores = with_gaps(0)
    with pytest.warns(IrframeWarning) as caught:
        result = scores.ireval.summary(interval="t")
    uneven, single = (str(warning.message) for warning in caught)
    assert "different topics" in uneven
    assert single == "no interval for systems with a single score: d"
    for pos in np.ndindex(5, 5, 3):
        row, system, depth = pos
        values = scores[row, system, :, depth].to_pandas().dropna()
        n, here = len(values), result.isel(metric=row, system=system, depth=depth)
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


@pytest.fixture(scope="module")
def averaged():
    metrics = ("AP", "InverseASL", "NumRelRet", "ASL", "GMAP")
    return ir.cube(*ir.example_track()).ireval.score(*metrics, at=[5, 50])


def reported(scores, metric):
    """Return the mean of bm25 that each verb reports."""
    single = scores.sel(metric=[metric])
    compared = single.sel(depth=50).ireval.compare(baseline="bm25")
    paired = scores_to_compare(single)
    sign, pos = paired.signs[0], paired.systems.get_loc("bm25")
    axes = single.ireval.plot.depth_curves()
    (line,) = (line for line in axes.lines if line.get_label().strip("_") == "bm25")
    return [
        single.ireval.summary()["mean"].sel(system="bm25", depth=50).item(),
        single.sel(system=["bm25"]).ireval.best_systems()["value"].item(),
        *compared["mean_b"].unique(),
        sign * paired.means[0, -1, pos],
        line.get_ydata()[-1],
    ]


def test_all_verbs_report_the_same_mean(averaged):
    values = averaged.sel(system="bm25", depth=50)
    harmonic = 1 / (1 / values.sel(metric="InverseASL")).mean().item()
    assert round(harmonic, 4) == 0.0358
    assert reported(averaged, "InverseASL") == pytest.approx([harmonic] * 5, rel=1e-12)
    logs = np.log(np.maximum(values.sel(metric="GMAP"), 1e-5))
    assert reported(averaged, "GMAP") == pytest.approx([np.exp(logs.mean()).item()] * 5, rel=1e-12)
    total = values.sel(metric="NumRelRet").sum().item()
    assert reported(averaged, "NumRelRet") == [total] * 5
    for metric in ("AP", "ASL"):
        mean = values.sel(metric=metric).mean().item()
        assert reported(averaged, metric) == pytest.approx([mean] * 5, rel=1e-12)


def test_only_differences_of_arithmetic_means_have_intervals(averaged):
    compared = averaged.sel(depth=50).ireval.compare()
    difference = compared["mean_a"] - compared["mean_b"]
    np.testing.assert_allclose(compared["difference"], difference, atol=1e-12)
    averaged = compared["metric"].isin(["AP", "ASL"])
    assert (compared["ci_low"].notna() == averaged).all()
    assert (compared["ci_high"].notna() == averaged).all()
    assert compared["p"].notna().all()


def test_averages_keep_other_dimensions(averaged):
    bounds = xr.concat([averaged, averaged + 1], dim="bound").where(averaged["topic"] != "101")
    result = averages(bounds)
    assert result.dims == ("bound", "metric", "system", "depth")
    remainder = bounds.isel(topic=slice(1, None))
    for side in (0, 1):
        xr.testing.assert_allclose(result[side], averages(remainder[side]))
        xr.testing.assert_allclose(result[side, 0], averages(bounds[side, 0]))
    assert np.isnan(averages(bounds * np.nan)).all()


@pytest.mark.parametrize("at", [[1, 10], [99], 99, True, "x", [], [5, 5]])
def test_unknown_depths_are_refused(at):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RR", at=[5, 10])
    for ask in (scores.ireval.best_systems, scores.ireval.reordering):
        refused(DepthError, "depths of the scores", ask, at=at)


@pytest.mark.parametrize("at", [[10, 5], (10,), np.array([5])])
def test_several_depths_are_distinguished_by_a_column(at):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RR", at=[5, 10])
    scores = scores.assign_coords(half=("topic", list("ab") * 8))
    for verb, options in {
        "best_systems": {},
        "reordering": {},
        "rrie": {"baseline": "bm25"},
    }.items():
        for by in (None, "half"):
            ask = getattr(scores.ireval if by is None else scores.ireval.groupby(by), verb)
            result = ask(at=at, **options)
            for depth in at:
                subset = (
                    result[result["depth"] == depth].drop(columns="depth").reset_index(drop=True)
                )
                pd.testing.assert_frame_equal(subset, ask(at=int(depth), **options))
