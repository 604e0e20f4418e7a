"""Tests of variance components.

The expected values are from published analyses, statsmodels and simulations.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.planning.components import mean_squares, variance_interval


def matrix(shared, name):
    """Return real scores as an array (system, topic)."""
    frame = pd.read_csv(shared / "data" / "score-matrices" / f"{name}.csv")
    frame.index = frame.index.astype(str)
    return xr.DataArray(
        frame.T, {"system": [*frame], "topic": frame.index}, ["system", "topic"], name="AP"
    )


def analysed(scores):
    """Return mean squares from statsmodels."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    long = scores.rename("value").to_dataframe().reset_index()
    table = anova_lm(ols("value ~ C(system) + C(topic)", long).fit())
    return table["sum_sq"] / table["df"]


def test_components_of_real_scores_equal_those_of_statsmodels(shared):
    scores = matrix(shared, "web2011_ap")[:12, :30]
    system, topic, remaining = analysed(scores)
    result = scores.ireval.components()
    expected = [(system - remaining) / 30, (topic - remaining) / 12, remaining]
    np.testing.assert_allclose(result["variance"][0], expected)
    assert result["share"].sum("component").item() == pytest.approx(1)


def test_components_at_one_depth_do_not_depend_on_other_depths():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)")
    full, some = scores.ireval.components(), scores.sel(depth=[10, 1]).ireval.components()
    assert full["variance"].dims == ("metric", "depth", "component")
    xr.testing.assert_allclose(some["variance"], full["variance"].sel(depth=[10, 1]))


def test_negative_variances_are_set_to_zero_with_a_warning():
    scores = xr.DataArray([[0.0, 1.0], [1.0, 0.0]], dims=["system", "topic"], name="AP")
    with pytest.warns(IrframeWarning, match=r"negative .* AP .*: system \(1\), topic \(1\)"):
        result = scores.ireval.components()
    assert result["share"].to_numpy().ravel().tolist() == [0, 0, 1]


def test_components_drop_topics_with_missing_scores():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[5, 10])
    holes = scores.copy()
    holes[0, 2, 0, 1] = np.nan
    with pytest.warns(IrframeWarning, match="1 of"):
        result = holes.ireval.components()
    expected = scores.isel(topic=slice(1, None)).sel(depth=10).ireval.components()
    xr.testing.assert_allclose(result.sel(depth=10), expected)
    assert np.diff(result["n_topics"][0]).item() == -1


def test_components_of_a_single_topic_are_nan():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10]).isel(topic=[0])
    with pytest.warns(IrframeWarning, match="topic"):
        result = scores.ireval.components()
    assert result["variance"].to_series().isna().all()


BRENNAN = """
565553456733 937775557752 343353356516 755331435335 929777372753
343533634512 737775575554 585775543211 998866655811 444335655711
"""
"""Scores of ten persons (rows) by twelve raters, from table 3.2 of Brennan (2001)."""


def synthetic():
    return np.array([[*map(int, row)] for row in BRENNAN.split()], float)[..., np.newaxis]


def test_mean_squares_equal_those_of_a_textbook():
    result = mean_squares(synthetic())
    squares = np.ravel([result.system, result.topic, result.residual])
    np.testing.assert_allclose(squares, [10.2962962962963, 11.6272727272727, 2.78720538720539])
    published = [0.625757575757576, 0.884006734006734, 2.78720538720539]
    np.testing.assert_allclose(result.variances.ravel(), published)


@pytest.mark.parametrize(
    ("systems", "topics", "truth"),
    [(20, 50, (0.003, 0.025, 0.01)), (5, 25, (0.003, 0.02, 0.01)), (60, 30, (0.0003, 0.03, 0.01))],
)
def test_intervals_have_nominal_coverage(systems, topics, truth):
    rng = np.random.default_rng(7)
    shapes = (systems, 1, 1000), (1, topics, 1000), (systems, topics, 1000)
    effects = [np.sqrt(v) * rng.standard_normal(s) for v, s in zip(truth, shapes, strict=True)]
    result = mean_squares(sum(effects))
    ends = [*zip(*variance_interval(result, 0.05), strict=True)]
    for (low, high), target in zip(ends, truth, strict=True):
        assert 0.93 <= ((low <= target) & (target <= high)).mean() <= 0.97


def test_variance_of_scores_that_differ_by_rounding_errors_is_zero():
    level = np.array([0.1, 0.3, 0.7])[:, np.newaxis, np.newaxis]
    topic = np.array([0.1, 0.2, 0.4, 0.8])[:, np.newaxis]
    result = mean_squares(level + topic)
    assert result.residual.item() == 0


def variance_of_mean(differences, shares, clusters):
    """Return the variance of a mean with clusters, by loops."""
    mean, total = shares @ differences, (shares**2).sum()
    variance = 0.0
    for name in set(clusters):
        members = np.array([cluster == name for cluster in clusters])
        b, q = shares[members].sum(), (shares[members] ** 2).sum()
        off = shares[members] @ (differences[members] - mean)
        variance += q / (q - 2 * b * q + b**2 * total) * off**2
    return variance


WEIGHTS = {"equal": np.ones(60), "falling": 1 / (1 + np.arange(60))}


@pytest.mark.filterwarnings("ignore:negative variances of AP:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("icc", [0.0, 0.5, 1.0])
def test_intraclass_correlation_does_not_depend_on_the_scale_of_weights(weights, icc):
    rng = np.random.default_rng(3)
    of_cluster = rng.normal(0.5, 0.1, (2, 20))[:, np.arange(60) // 3]
    values = icc**0.5 * of_cluster + (1 - icc) ** 0.5 * rng.normal(0.5, 0.1, (2, 60))
    scores = xr.DataArray(values, dims=["system", "topic"], name="AP")
    cluster = {topic: topic // 3 for topic in range(60)}
    base_weights = WEIGHTS[weights]
    result = [
        scores.assign_coords(topic=range(60))
        .ireval.design(cluster=cluster, weight=dict(enumerate(times * base_weights)))
        .ireval.components()["icc"]
        .item()
        for times in (1, 7)
    ]
    shares = base_weights / base_weights.sum()
    clusters = np.arange(60) // 3
    with_, without = (
        variance_of_mean(values[0] - values[1], shares, of) for of in (clusters, np.arange(60))
    )
    size = (np.bincount(clusters, shares) ** 2).sum() / (shares**2).sum()
    assert result[0] == pytest.approx(min(1, (with_ / without - 1) / (size - 1)))
    assert result[1] == pytest.approx(result[0], rel=1e-9)
    assert result[0] <= 1
    if weights == "equal":
        assert abs(result[0] - icc) < 0.3
