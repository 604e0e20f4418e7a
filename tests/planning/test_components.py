"""Variance components by metric and depth, and what goes with it.

Mean squares, variances and reliabilities against published analyses, and how often they hold.
"""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.planning.components import (
    SIGNALS,
    MeanSquares,
    mean_squares,
    reliability,
    topics_for,
    variance_interval,
)


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
    assert found["erho2"].item() == pytest.approx((system - rest) / system)


def test_depths_and_topics():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)")
    whole, some = scores.ireval.components(), scores.ireval.components(at=[10, 1], topics=500)
    assert whole["variance"].dims == ("metric", "depth", "component")
    xr.testing.assert_allclose(some["variance"], whole["variance"].sel(depth=[10, 1]))
    assert (some["erho2"] > whole["erho2"].sel(depth=[10, 1])).all()
    system, _, rest = some["variance"].transpose("component", ...)
    np.testing.assert_allclose(some["erho2"], system / (system + rest / 500))


def test_negative_variances_are_told_and_taken_to_be_0():
    scores = xr.DataArray([[0.0, 1.0], [1.0, 0.0]], dims=["system", "topic"], name="AP")
    with pytest.warns(IrframeWarning, match=r"AP below 0 .*: system \(1\), topic \(1\)"):
        found = scores.ireval.components()
    assert found["share"].to_numpy().ravel().tolist() == [0, 0, 1]
    assert found["erho2"].item() == 0


def test_intervals_hold_their_estimates_and_shrink():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10])
    found, narrow = (scores.ireval.components(alpha=alpha) for alpha in (0.05, 0.5))
    for name in ("variance", "erho2", "phi"):
        assert (found[f"{name}_low"] < narrow[f"{name}_low"]).all()
        assert (narrow[f"{name}_low"] < found[name]).all()
        assert (found[name] < narrow[f"{name}_high"]).all()
        assert (narrow[f"{name}_high"] < found[f"{name}_high"]).all()


def test_missing_scores_leave_topics_out():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[5, 10])
    holes = scores.copy()
    holes[0, 2, 0, 1] = np.nan
    with pytest.warns(IrframeWarning, match="1 of"):
        found = holes.ireval.components()
    expected = scores.isel(topic=slice(1, None)).ireval.components(at=10)
    xr.testing.assert_allclose(found.sel(depth=[10]), expected)
    assert np.diff(found["n_topics"][0]).item() == -1


def test_intervals_of_fixed_systems_equal_the_loop():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[3, 10])

    def signal(topics):
        return np.log1p([each.item() for each in erho2(topics)[0]])

    def erho2(topics):
        part = scores.isel(topic=topics).ireval.components(topics=1)["erho2"].to_numpy()
        return part / (1 - part) * len(topics)

    every = np.arange(16)
    found = scores.ireval.components(systems="fixed", alpha=0.1)
    without = np.array([signal(np.delete(every, n)) for n in every])
    error = np.sqrt(15 / 16 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    reach = stats.t.ppf(0.95, 15) * error
    for end, side in (("erho2_low", -reach), ("erho2_high", reach)):
        np.testing.assert_allclose(found[end][0], 1 - np.exp(-(signal(every) + side)))
    assert not {"phi_low", "variance_low"} & {*found}
    random = scores.ireval.components()
    for name in ("variance", "share", "erho2", "phi"):
        xr.testing.assert_equal(found[name], random[name])
    with pytest.warns(IrframeWarning, match="topic"):
        alone = scores.isel(topic=[0]).ireval.components(systems="fixed")
    assert np.isnan(alone["erho2_low"]).all()


def test_a_single_topic_says_nothing():
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10]).isel(topic=[0])
    with pytest.warns(IrframeWarning, match="topic"):
        found = scores.ireval.components()
    assert found["variance"].to_series().isna().all()
    assert found["erho2"].to_series().isna().all()


@pytest.mark.parametrize("options", [{"alpha": 1}, {"topics": 0}, {"systems": "some"}])
def test_arguments_have_ranges(options):
    scores = ir.cube(*ir.example_track()).ireval.score("AP", at=[10])
    refused(ParameterError, next(iter(options)), lambda: scores.ireval.components(**options))


BRENNAN = """
565553456733 937775557752 343353356516 755331435335 929777372753
343533634512 737775575554 585775543211 998866655811 444335655711
"""
"""Synthetic data set 4 of Brennan (2001), table 3.2: ten persons by twelve raters."""


def synthetic():
    return np.array([[*map(int, row)] for row in BRENNAN.split()], float)[..., np.newaxis]


def reliabilities(found, kind, alpha, topics):
    signal, interval = SIGNALS[kind]
    return [reliability(end, topics).item() for end in (signal(found), *interval(found, alpha))]


def needed(found, kind, alpha):
    signal, interval = SIGNALS[kind]
    low, high = interval(found, alpha)
    return [topics_for(0.95, end).item() for end in (signal(found), high, low)]


def test_a_textbook_analysis():
    found = mean_squares(synthetic())
    squares = np.ravel([found.system, found.topic, found.residual])
    np.testing.assert_allclose(squares, [10.2962962962963, 11.6272727272727, 2.78720538720539])
    published = [0.625757575757576, 0.884006734006734, 2.78720538720539]
    np.testing.assert_allclose(found.variances.ravel(), published)


@pytest.mark.parametrize(
    ("kind", "published", "topics"),
    [
        ("erho2", [0.729300196206671, 0.541010905420649, 0.876363137240463], [85, 33, 194]),
        ("phi", [0.671635722997696, 0.456901329313964, 0.845419296231267], [112, 42, 272]),
    ],
)
def test_reliabilities_equal_those_of_gt4ireval(kind, published, topics):
    found = mean_squares(synthetic())
    np.testing.assert_allclose(reliabilities(found, kind, 0.2, 12), published, rtol=1e-12)
    assert needed(found, kind, 0.2) == topics


@pytest.mark.parametrize(
    ("kind", "published", "topics"),
    [
        ("erho2", [0.93265, 0.89311, 0.96287], [69, 37, 114]),
        ("phi", [0.78613, 0.66141, 0.88039], [259, 130, 487]),
    ],
)
def test_trec_3_as_gt4ireval_prints_it(kind, published, topics):
    squares = (np.array([square]) for square in (0.15074, 0.85296, 0.010152))
    found = MeanSquares(*squares, np.array([30]), np.array([50]))
    np.testing.assert_allclose(reliabilities(found, kind, 0.05, 50), published, atol=2e-5)
    assert needed(found, kind, 0.05) == topics


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
    ends += [interval(found, 0.05) for _, interval in SIGNALS.values()]
    targets = [*truth, truth[0] / truth[2], truth[0] / (truth[1] + truth[2])]
    for (low, high), target in zip(ends, targets, strict=True):
        assert 0.93 <= ((low <= target) & (target <= high)).mean() <= 0.97


def test_rounding_is_no_variance():
    level = np.array([0.1, 0.3, 0.7])[:, np.newaxis, np.newaxis]
    topic = np.array([0.1, 0.2, 0.4, 0.8])[:, np.newaxis]
    found = mean_squares(level + topic)
    assert found.residual.item() == 0
    assert reliability(SIGNALS["erho2"][0](found), 1).item() == 1


def test_topics_for_is_not_misled_by_rounding():
    assert topics_for(0.95, np.array([1.0, 19.0, 100.0, 0.0])).tolist() == [19, 1, 1, np.inf]
