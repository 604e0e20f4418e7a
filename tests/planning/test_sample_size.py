"""Least numbers of topics, against statsmodels and the approximations of Sakai's spreadsheets."""

import numpy as np
import pytest
from scipy import stats

from irframe.planning.topics_needed import topics_for_anova, topics_for_t, topics_for_width

LEVELS = [(0.05, 0.8), (0.05, 0.95), (0.01, 0.9)]


def of(function, goal, variance, **options):
    return function(goal, np.array([variance]), **options).item()


@pytest.mark.parametrize(("alpha", "power"), LEVELS)
@pytest.mark.parametrize("effect", [0.05, 0.3, 2.0])
def test_a_paired_t_test_has_just_enough_power(alpha, power, effect):
    from statsmodels.stats.power import ttest_power

    n = of(topics_for_t, effect * 0.3, 0.3**2, power=power, alpha=alpha)
    assert ttest_power(effect, n, alpha) >= power
    assert n == 2 or ttest_power(effect, n - 1, alpha) < power


@pytest.mark.parametrize(("alpha", "power"), LEVELS)
@pytest.mark.parametrize(("difference", "systems"), [(0.05, 2), (0.1, 10), (0.5, 100)])
def test_an_analysis_of_variance_has_just_enough_power(alpha, power, difference, systems):
    from statsmodels.stats.power import ftest_anova_power

    options = {"systems": systems, "power": power, "alpha": alpha}
    n = of(topics_for_anova, difference, 0.1, **options)
    effect = difference / np.sqrt(2 * systems * 0.1)
    reached = [ftest_anova_power(effect, m * systems, alpha, systems) for m in (n - 1, n)]
    assert reached[0] < power <= reached[1]


def nagata_t(effect, alpha, power):
    """The least n by the normal approximation of Nagata that Sakai's samplesizeTTEST2 has."""
    z = stats.norm.ppf
    n = int((z(1 - alpha / 2) + z(power)) ** 2 / effect**2 + z(1 - alpha / 2) ** 2 / 2) - 3

    def reached(n):
        df, shift = n - 1, np.sqrt(n) * effect
        w = stats.t.ppf(1 - alpha / 2, df)
        ends = np.array([-w, w]) * (1 - 1 / (4 * df)) - shift
        below, inside = stats.norm.cdf(ends / np.sqrt(1 + w**2 / (2 * df)))
        return below + 1 - inside >= power

    return next(m for m in range(n, n + 9) if reached(m))


@pytest.mark.parametrize(("alpha", "power"), LEVELS)
def test_sakais_spreadsheet_for_t_tests(alpha, power):
    for effect in (0.1, 0.25, 0.5, 1.0):
        n = of(topics_for_t, effect, 1.0, power=power, alpha=alpha)
        assert abs(n - nagata_t(effect, alpha, power)) <= 1
    assert of(topics_for_t, 0.1, 0.5, power=0.8, alpha=0.05) == 395


def nagata_anova(n, effect, systems, alpha):
    """The power of n topics by the normal approximation that Sakai's samplesizeANOVA2 has."""
    df, rest, shift = systems - 1, systems * (n - 1), n * effect
    w = stats.f.ppf(1 - alpha, df, rest)
    c, wide = (df + 2 * shift) / (df + shift), (df + shift) ** 2 / (df + 2 * shift)
    u = np.sqrt(w / rest) * np.sqrt(2 * rest - 1) - np.sqrt(c / df) * np.sqrt(2 * wide - 1)
    return 1 - stats.norm.cdf(u / np.sqrt(c / df + w / rest))


@pytest.mark.parametrize(("alpha", "power"), LEVELS)
@pytest.mark.parametrize(("difference", "systems"), [(0.1, 3), (0.1, 10), (0.5, 100)])
def test_sakais_spreadsheet_for_analyses_of_variance(alpha, power, difference, systems):
    options = {"systems": systems, "power": power, "alpha": alpha}
    n = of(topics_for_anova, difference, 0.1, **options)
    approximate = nagata_anova(n, difference**2 / 0.2, systems, alpha)
    assert approximate == pytest.approx(power, abs=0.02)


@pytest.mark.parametrize(("width", "variance"), [(0.1, 0.05), (0.05, 0.1), (1.0, 0.1)])
def test_intervals_are_as_wide_as_in_sakais_spreadsheet(width, variance):
    n = of(topics_for_width, width, variance, alpha=0.05)
    half = [
        stats.t.ppf(0.975, m - 1) * np.sqrt(variance / m) * (1 - 1 / (4 * (m - 1)))
        for m in (n - 1, n, n + 1)
    ]
    assert half[2] < width / 2 < half[0]


def test_no_variance_and_no_number():
    variance = np.array([[0.0, np.nan]])
    found = topics_for_t(0.1, variance, power=0.8, alpha=0.05)
    np.testing.assert_array_equal(found, [[2, np.nan]])
    np.testing.assert_array_equal(topics_for_width(0.1, variance, alpha=0.05), [[2, np.nan]])
