"""Means, intervals and counts."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels).ireval.score("AP", "NumRelRet", "NumQ", at=[5, 50])


def test_intervals_equal_scipy(scores):
    summary = scores.ireval.summary(alpha=0.1)
    values = scores.sel(metric="AP", system="ance", depth=5).to_numpy()
    low, high = stats.t.interval(0.9, len(values) - 1, values.mean(), stats.sem(values))
    here = summary.sel(metric="AP", system="ance", depth=5)
    found = [here[name].item() for name in ("mean", "ci_low", "ci_high", "n")]
    assert found == pytest.approx([values.mean(), low, high, len(values)])


def test_counts_are_added_up(scores):
    summary = scores.ireval.summary()
    assert (summary["mean"].sel(metric="NumQ") == 16).all()
    total = scores.sel(metric="NumRelRet").sum("topic")
    xr.testing.assert_equal(
        summary["mean"].sel(metric="NumRelRet").drop_vars("metric"),
        total.drop_vars("metric").rename("mean"),
    )
    assert np.isnan(summary["ci_low"].sel(metric=["NumQ", "NumRelRet"])).all()


def test_geometric_means_have_no_interval():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("GMAP", at=50)
    summary = scores.ireval.summary()
    expected = np.exp(np.log(np.maximum(scores, 1e-5)).mean("topic"))
    np.testing.assert_allclose(summary["mean"], expected)
    assert summary["ci_low"].isnull().all()
    frame = scores.ireval.compare("t")
    assert frame["ci_low"].isna().all()
    means = summary["mean"].sel(metric="GMAP", depth=50).to_series()
    np.testing.assert_allclose(frame["mean_a"], means.loc[frame["system_a"]])


def test_topics_without_scores_are_not_counted(scores):
    holes = scores.where(scores["topic"] != "101")
    summary = holes.ireval.summary()
    assert (summary["n"] == 15).all()
    rest = scores.isel(topic=slice(1, None)).ireval.summary()
    xr.testing.assert_allclose(summary["mean"], rest["mean"])


def test_dask_and_numpy_agree(scores):
    xr.testing.assert_allclose(
        scores.chunk(system=3).ireval.summary().compute(), scores.ireval.summary()
    )


@pytest.mark.parametrize("alpha", [0, 1, -0.1])
def test_alpha_is_a_probability(scores, alpha):
    with pytest.raises(ParameterError, match="alpha, a number above 0 and below 1"):
        scores.ireval.summary(alpha=alpha)


def test_a_single_topic_has_a_mean_without_an_interval(scores):
    summary = scores.isel(topic=[3]).ireval.summary()
    np.testing.assert_array_equal(summary["mean"], scores[:, :, 3])
    assert (summary["n"] == 1).all()
    assert np.isnan(summary["ci_low"]).all()
    assert np.isnan(summary["ci_high"]).all()
