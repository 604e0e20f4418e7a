"""Tests of the t-test, and rank-sum, sign and signed-rank tests.

The sign test is checked for tiny p-values. Wilcoxon's signed-rank test is checked with exact
p-values, rounded differences and large scores.
"""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused
from scipy import stats
from turns import few_of

from irframe.errors import ParameterError
from irframe.paired import Bootstrap, PairedT, RankSum, Wilcoxon, all_pairs, sign_p


@pytest.mark.parametrize("shift", [1.0, 0.1, -0.1, 1 / 3, 1e-3, 7.7])
@pytest.mark.parametrize("test", [PairedT(), Bootstrap(samples=50)], ids=repr)
def test_t_of_constant_differences_is_infinite(test, shift):
    base = np.random.default_rng(1).random((40, 1))
    further = np.random.default_rng(2).random((5, 40, 1))
    statistic, p = test.kernel(np.concatenate([[base + shift, base], further]))
    assert statistic[0, 0] == np.copysign(np.inf, shift)
    assert p[0, 0] <= 1 / 51  # the smallest p-value of 50 bootstrap samples


def test_differences_within_rounding_are_zero():
    base = np.random.default_rng(1).random((40, 1))
    scores = np.stack([base, (base + 0.3) - 0.3, base])
    assert np.ptp(scores[0] - scores[1]) > 0
    statistic, p = PairedT().kernel(scores)
    assert (statistic == 0).all()
    assert (p == 1).all()


@pytest.mark.parametrize(
    ("topics", "shift", "spread"),
    few_of(
        product([4, 50, 300], [0.0, 1e-6, 0.3], [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13]), 5
    ),
)
def test_t_of_nearly_constant_differences_equals_that_of_scipy(spread, shift, topics):
    rng = np.random.default_rng(3)
    scores = rng.random((8, topics, 2))
    scores[1] = scores[0] + shift + spread * rng.normal(size=(topics, 2))
    scores[2] = scores[0] - spread * rng.normal(size=(topics, 2))
    statistic, p = PairedT().kernel(scores)
    for pair, (i, j) in enumerate(all_pairs(8)):
        for k in range(2):
            expected = stats.ttest_rel(scores[i, :, k], scores[j, :, k])
            assert statistic[pair, k] == pytest.approx(expected.statistic, rel=1e-9, abs=1e-11)
            assert p[pair, k] == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("offset", [0.0, 1e3, 1e6])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_p_values_do_not_depend_on_scale_and_topic_means(offset, scale):
    rng = np.random.default_rng(6)
    scores = scale * (rng.random((6, 30, 2)) + offset * rng.random((1, 30, 1)))
    statistic, p = PairedT().kernel(scores)
    a, b = all_pairs(6).T
    expected = stats.ttest_rel(scores[a], scores[b], axis=1)
    np.testing.assert_allclose(statistic, expected.statistic, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(p, expected.pvalue, rtol=1e-9)


def test_rank_sum_test_rounds_scores_to_twelve_decimals():
    noisy = np.array([[0.1 + 0.2, 0.5], [0.3, 0.4]])[:, :, None]
    plain = np.array([[0.3, 0.5], [0.3, 0.4]])[:, :, None]
    assert RankSum().kernel(noisy).p == RankSum().kernel(plain).p


def test_p_values_of_the_sign_test_equal_the_worked_case(golden):
    case = golden["001-sign-test"]
    wins, losses = np.array(case["input"]["pairs"]).T
    np.testing.assert_allclose(sign_p(wins, losses), case["expected"]["exact"], rtol=1e-12)


@pytest.mark.parametrize("wins", [0, 3, 37, 400])
@pytest.mark.parametrize("losses", [0, 4, 90, 1000])
def test_tiny_p_values_of_the_sign_test_equal_those_of_scipy(wins, losses):
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses).pvalue
        assert sign_p(np.array([wins]), np.array([losses])) == pytest.approx(expected, rel=1e-9)


def test_exact_wilcoxon_test_uses_average_ranks_of_ties():
    scores = np.array([[0.8, 0.8, 0.4, 1, 1, 0.4, 0.8], [0.6, 0, 0.2, 0.4, 0.4, 0.6, 0.4]])
    assert Wilcoxon(exact=True).kernel(scores[:, :, np.newaxis]).p.item() == 0.0625  # not .0469


@given(seed=st.integers(0, 999), topics=st.integers(3, 30))
def test_exact_wilcoxon_test_equals_scipys_permutation_test(seed, topics):
    differences = np.random.default_rng(seed).integers(-4, 6, topics).astype(float)
    p = Wilcoxon(exact=True).kernel(np.stack([differences, 0 * differences])[:, :, np.newaxis]).p
    selected = differences[differences != 0]
    if len(selected) and len(selected) <= 12:
        every = stats.PermutationMethod(n_resamples=2 ** len(selected))
        assert p.item() == pytest.approx(stats.wilcoxon(selected, method=every).pvalue)
    repeated = np.stack([np.append(differences, np.zeros(5)), np.zeros(topics + 5)])
    assert Wilcoxon(exact=True).kernel(repeated[:, :, np.newaxis]).p.item() == p.item()


def test_wilcoxon_test_rounds_differences_to_decimals():
    scores = np.array([[0.26, 0.28, 0.0], [0.0, 0.0, 0.34]])[:, :, np.newaxis]
    assert Wilcoxon(decimals=1).kernel(scores).statistic.item() == 2  # signed ranks 2, 2, -2
    assert Wilcoxon(decimals=2).kernel(scores).statistic.item() == 0  # signed ranks 1, 2, -3
    assert Wilcoxon(decimals=0).kernel(scores).statistic.item() == 0


def test_wilcoxon_test_of_large_scores_equals_that_of_scipy():
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 100_000, (2, 40, 1)).astype(float)
    expected = stats.wilcoxon(*scores[:, :, 0], method="asymptotic", correction=False).pvalue
    assert Wilcoxon().kernel(scores).p.item() == pytest.approx(expected, rel=1e-9)


def test_exact_wilcoxon_test_of_many_topics_equals_that_of_scipy():
    scores = np.random.default_rng(9).random((2, 150, 1))
    scores[0] += 0.15
    expected = stats.wilcoxon(*scores[:, :, 0], method="exact").pvalue
    assert Wilcoxon(exact=True).kernel(scores).p.item() == pytest.approx(expected, rel=1e-9)


def test_exact_wilcoxon_test_with_continuity_correction_is_refused():
    refused(ParameterError, r"but found both\. Omit one", Wilcoxon, correction=True, exact=True)
