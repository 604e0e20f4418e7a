"""Tests of the number of topics needed.

The expected values are from statsmodels and Sakai's spreadsheets.
"""

import numpy as np
import pytest
import xarray as xr
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import ParameterError
from irframe.names import SIDES
from irframe.planning.over_repeats import _least_topics
from irframe.planning.topics_needed import (
    topics_for_difference,
    topics_for_margin,
    topics_for_width,
)


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP", "RBP(p=0.8)", at=[5, 10])


def test_pooled_variances_are_means_over_pairs(scores):
    pooled, by_pair = (scores.ireval.topics_needed(difference=0.05, per=p) for p in (None, "pair"))
    assert by_pair["topics"].dims == ("metric", "depth", "pair")
    xr.testing.assert_allclose(by_pair["variance"].mean("pair"), pooled["variance"])
    pairs = list(zip(*(by_pair[side].to_numpy() for side in SIDES), strict=True))
    pair = scores.sel(system=["bm25", "ance"])
    alone = pair.ireval.topics_needed(difference=0.05)
    xr.testing.assert_allclose(
        by_pair.isel(pair=pairs.index(("bm25", "ance")), drop=True), alone, check_dim_order=False
    )
    np.testing.assert_allclose(
        alone["variance"], pair.diff("system").var("topic", ddof=1).squeeze("system")
    )


def test_variance_with_a_baseline_is_averaged_over_its_pairs(scores):
    options = {"width": 0.1, "baseline": "bm25"}
    result, by_pair = (scores.ireval.topics_needed(**options, per=p) for p in (None, "pair"))
    assert set(by_pair["system_b"].to_numpy()) == {"bm25"}
    xr.testing.assert_allclose(by_pair["variance"].mean("pair"), result["variance"])


def test_tests_on_resampled_topics_have_the_required_power(scores):
    pair = scores.sel(system=["bm25", "splade"], depth=[10], metric=["AP"])
    n = int(pair.ireval.topics_needed(difference=0.05)["topics"].item())
    z = np.diff(pair.to_numpy().reshape(2, -1), axis=0)[0]
    drawn = np.random.default_rng(1).choice(z - z.mean() + 0.05, (4000, n))
    # The variance of resampled topics has divisor n, and the variance of the pilot n - 1.
    drawn = 0.05 + (drawn - 0.05) * np.sqrt(len(z) / (len(z) - 1))
    assert (stats.ttest_1samp(drawn, 0, axis=1).pvalue < 0.05).mean() == pytest.approx(
        0.8, abs=0.025
    )


def test_anova_needs_more_topics_for_more_systems(scores):
    result = scores.ireval.topics_needed(difference=0.1, test="anova")
    variance = scores.var("topic", ddof=1).mean("system")
    xr.testing.assert_allclose(result["variance"].drop_attrs(), variance.rename("variance"))
    more = scores.ireval.topics_needed(difference=0.1, test="anova", systems=100)
    assert (more["topics"] > result["topics"]).all()


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ({}, "one of difference, width"),
        ({"width": 0.1, "margin": 0.9}, "found 2: width, margin"),
        ({"difference": 0.1, "power": 0.05}, "power"),
        ({"difference": 0.1, "systems": 4}, "systems"),
        ({"difference": 0.1, "test": "anova", "per": "pair"}, "per"),
        ({"width": 0.9, "test": "anova"}, "'width'.* found test"),
    ],
)
def test_invalid_arguments_of_topics_needed_are_refused(scores, options, pattern):
    refused(ParameterError, pattern, lambda: scores.ireval.topics_needed(**options))


LEVELS = [(0.05, 0.8), (0.05, 0.95), (0.01, 0.9)]


def of(function, goal, variance, **options):
    return function(goal, np.array([variance]), **options).item()


@pytest.mark.parametrize(("alpha", "power"), LEVELS)
@pytest.mark.parametrize("effect", [0.05, 0.3, 2.0])
def test_topics_for_a_paired_t_test_are_the_smallest_number(alpha, power, effect):
    from statsmodels.stats.power import ttest_power

    n = of(topics_for_difference, effect * 0.3, 0.3**2, power=power, alpha=alpha)
    assert ttest_power(effect, n, alpha) >= power
    assert n == 2 or ttest_power(effect, n - 1, alpha) < power
    # The number of topics is from Sakai's spreadsheet.
    assert of(topics_for_difference, 0.1, 0.5, power=0.8, alpha=0.05) == 395


@pytest.mark.parametrize(("alpha", "power"), LEVELS)
@pytest.mark.parametrize(("difference", "systems"), [(0.05, 2), (0.1, 10), (0.5, 100)])
def test_topics_for_an_anova_are_the_smallest_number(alpha, power, difference, systems):
    from statsmodels.stats.power import ftest_anova_power

    options = {"systems": systems, "power": power, "alpha": alpha}
    n = of(topics_for_difference, difference, 0.1, **options)
    effect = difference / np.sqrt(2 * systems * 0.1)
    reached = [ftest_anova_power(effect, m * systems, alpha, systems) for m in (n - 1, n)]
    assert reached[0] < power <= reached[1]


@pytest.mark.parametrize(("width", "variance"), [(0.1, 0.05), (0.05, 0.1), (1.0, 0.1)])
def test_widths_of_intervals_equal_those_of_sakais_spreadsheet(width, variance):
    n = of(topics_for_width, width, variance, alpha=0.05)
    half = [
        stats.t.ppf(0.975, m - 1) * np.sqrt(variance / m) * (1 - 1 / (4 * (m - 1)))
        for m in (n - 1, n, n + 1)
    ]
    assert half[2] < width / 2 < half[0]


def test_zero_variance_needs_two_topics():
    variance = np.array([[0.0, np.nan]])
    result = topics_for_difference(0.1, variance, power=0.8, alpha=0.05)
    np.testing.assert_array_equal(result, [[2, np.nan]])
    np.testing.assert_array_equal(topics_for_width(0.1, variance, alpha=0.05), [[2, np.nan]])


@pytest.mark.parametrize("alpha", [0.2, 0.05])
def test_a_wider_margin_never_needs_more_topics(alpha):
    options = {"power": 0.8, "alpha": alpha}
    variance = np.linspace(5, 90, 900) ** -2
    for needed in (
        topics_for_margin(1.0, variance, **options),
        _least_topics((variance, variance, variance), 3, 2.0, draws=2, one_sided=True, **options),
    ):
        assert (np.diff(needed) <= 0).all()
        assert needed[-1] == 2
