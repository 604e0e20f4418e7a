"""Variance components by metric and depth, and what goes with it.

Mean squares and variances against published analyses, and how often intervals hold.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import IrframeWarning
from irframe.planning.components import mean_squares, variance_interval


def matrix(shared, name):
    """Return real scores, a row per topic, as an array of systems and topics."""
    frame = pd.read_csv(shared / "data" / "score-matrices" / f"{name}.csv")
    frame.index = frame.index.astype(str)
    return xr.DataArray(
        frame.T, {"system": [*frame], "topic": frame.index}, ["system", "topic"], name="AP"
    )


def analysed(scores):
    """Return mean squares by statsmodels."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    long = scores.rename("value").to_dataframe().reset_index()
    table = anova_lm(ols("value ~ C(system) + C(topic)", long).fit())
    return table["sum_sq"] / table["df"]


def test_real_scores_as_statsmodels_analyses_them(shared):
    scores = matrix(shared, "web2011_ap")[:12, :30]
    system, topic, rest = analysed(scores)
    found = scores.ireval.components()
    expected = [(system - rest) / 30, (topic - rest) / 12, rest]
    np.testing.assert_allclose(found["variance"][0], expected)
    assert found["share"].sum("component").item() == pytest.approx(1)


def test_depths_and_topics():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)")
    whole, some = scores.ireval.components(), scores.sel(depth=[10, 1]).ireval.components()
    assert whole["variance"].dims == ("metric", "depth", "component")
    xr.testing.assert_allclose(some["variance"], whole["variance"].sel(depth=[10, 1]))


def test_negative_variances_are_told_and_taken_to_be_0():
    scores = xr.DataArray([[0.0, 1.0], [1.0, 0.0]], dims=["system", "topic"], name="AP")
    with pytest.warns(IrframeWarning, match=r"AP below 0 .*: system \(1\), topic \(1\)"):
        found = scores.ireval.components()
    assert found["share"].to_numpy().ravel().tolist() == [0, 0, 1]


def test_missing_scores_leave_topics_out():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[5, 10])
    holes = scores.copy()
    holes[0, 2, 0, 1] = np.nan
    with pytest.warns(IrframeWarning, match="1 of"):
        found = holes.ireval.components()
    expected = scores.isel(topic=slice(1, None)).sel(depth=10).ireval.components()
    xr.testing.assert_allclose(found.sel(depth=10), expected)
    assert np.diff(found["n_topics"][0]).item() == -1


def test_a_single_topic_says_nothing():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10]).isel(topic=[0])
    with pytest.warns(IrframeWarning, match="topic"):
        found = scores.ireval.components()
    assert found["variance"].to_series().isna().all()


BRENNAN = """
565553456733 937775557752 343353356516 755331435335 929777372753
343533634512 737775575554 585775543211 998866655811 444335655711
"""
"""Synthetic data set 4 of Brennan (2001), table 3.2: ten persons by twelve raters."""


def synthetic():
    return np.array([[*map(int, row)] for row in BRENNAN.split()], float)[..., np.newaxis]


def test_a_textbook_analysis():
    found = mean_squares(synthetic())
    squares = np.ravel([found.system, found.topic, found.residual])
    np.testing.assert_allclose(squares, [10.2962962962963, 11.6272727272727, 2.78720538720539])
    published = [0.625757575757576, 0.884006734006734, 2.78720538720539]
    np.testing.assert_allclose(found.variances.ravel(), published)


@pytest.mark.parametrize(
    ("systems", "topics", "truth"),
    [(20, 50, (0.003, 0.025, 0.01)), (5, 25, (0.003, 0.02, 0.01)), (60, 30, (0.0003, 0.03, 0.01))],
)
def test_intervals_hold_the_truth_95_times_in_100(systems, topics, truth):
    rng = np.random.default_rng(7)
    shapes = (systems, 1, 1000), (1, topics, 1000), (systems, topics, 1000)
    parts = [np.sqrt(v) * rng.standard_normal(s) for v, s in zip(truth, shapes, strict=True)]
    found = mean_squares(sum(parts))
    ends = [*zip(*variance_interval(found, 0.05), strict=True)]
    for (low, high), target in zip(ends, truth, strict=True):
        assert 0.93 <= ((low <= target) & (target <= high)).mean() <= 0.97


def test_rounding_is_no_variance():
    level = np.array([0.1, 0.3, 0.7])[:, np.newaxis, np.newaxis]
    topic = np.array([0.1, 0.2, 0.4, 0.8])[:, np.newaxis]
    found = mean_squares(level + topic)
    assert found.residual.item() == 0


def variance_of_mean(differences, shares, clusters):
    """Return the variance of a weighted mean of clusters by loops, of topics of one task."""
    mean, total = shares @ differences, (shares**2).sum()
    variance = 0.0
    for name in set(clusters):
        own = np.array([cluster == name for cluster in clusters])
        b, q = shares[own].sum(), (shares[own] ** 2).sum()
        off = shares[own] @ (differences[own] - mean)
        variance += q / (q - 2 * b * q + b**2 * total) * off**2
    return variance


WEIGHTS = {"equal": np.ones(60), "falling": 1 / (1 + np.arange(60))}


@pytest.mark.filterwarnings("ignore:variances of AP:irframe.errors.IrframeWarning")
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("together", [0.0, 0.5, 1.0])
def test_correlation_within_clusters_is_by_the_same_weights_on_both_sides(weights, together):
    rng = np.random.default_rng(3)
    shared = rng.normal(0.5, 0.1, (2, 20))[:, np.arange(60) // 3]
    values = together**0.5 * shared + (1 - together) ** 0.5 * rng.normal(0.5, 0.1, (2, 60))
    scores = xr.DataArray(values, dims=["system", "topic"], name="AP")
    cluster = {topic: topic // 3 for topic in range(60)}
    given = WEIGHTS[weights]
    found = [
        scores.assign_coords(topic=range(60))
        .ireval.design(cluster=cluster, weight=dict(enumerate(times * given)))
        .ireval.components()["icc"]
        .item()
        for times in (1, 7)
    ]
    shares = given / given.sum()
    clusters = np.arange(60) // 3
    with_, without = (
        variance_of_mean(values[0] - values[1], shares, of) for of in (clusters, np.arange(60))
    )
    size = (np.bincount(clusters, shares) ** 2).sum() / (shares**2).sum()
    assert found[0] == pytest.approx(min(1, (with_ / without - 1) / (size - 1)))
    assert found[1] == pytest.approx(found[0], rel=1e-9)
    assert found[0] <= 1
    if weights == "equal":
        assert abs(found[0] - together) < 0.3
