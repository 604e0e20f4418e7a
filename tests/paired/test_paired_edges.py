"""Conventions for differences that do not vary, vary hardly, or are few."""

import numpy as np
import pytest
from oracles import paired_tests as oracle
from scipy import stats

from irframe.paired import (
    Bootstrap,
    PairedT,
    Permutation,
    RankSum,
    Sign,
    TukeyHSD,
    Wilcoxon,
    all_pairs,
    sign_p,
)

EVERY = [
    PairedT(),
    Wilcoxon(),
    Wilcoxon(correction=True),
    Wilcoxon(exact=True),
    RankSum(),
    RankSum(correction=False),
    Sign(),
    Permutation(samples=30),
    Bootstrap(samples=30),
    TukeyHSD(samples=30),
]


def test_golden_t_test(golden):
    case = golden["002-t-test-edges"]
    for name, rows in case["input"].items():
        t, p = PairedT().kernel(np.array(rows, dtype=float)[:, :, None])
        wanted = case["expected"][name]
        expected = np.nan if wanted[0] is None else float(wanted[0])
        np.testing.assert_allclose(t.item(), expected, rtol=1e-12)
        np.testing.assert_allclose(p.item(), wanted[1], rtol=1e-12)


def test_golden_significance_of_constant_scores(golden):
    case = golden["002-sec34-example"]
    found = {}
    for name, rows in case["input"].items():
        scores = np.array(rows, dtype=float)
        t, p = PairedT().kernel(scores[:, :, None])
        better = np.sign(t[:, 0]) * (p[:, 0] < 0.05)
        pairs = all_pairs(len(scores))[better != 0]
        better = better[better != 0]
        found[name] = {tuple(q if s > 0 else q[::-1]) for q, s in zip(pairs, better, strict=True)}
    assert len(found["ref"]) == 35
    share = len(found["ref"] & found["new"]) / len(found["ref"])
    assert share == case["expected"]["coverage"]
    assert len(found["ref"]) / 45 == pytest.approx(case["expected"]["discrimination"])


def test_golden_sign_test(golden):
    case = golden["001-sign-test"]
    wins, losses = np.array(case["input"]["pairs"]).T
    np.testing.assert_allclose(sign_p(wins, losses), case["expected"]["exact"], rtol=1e-12)


@pytest.mark.parametrize("wins", [0, 3, 37, 400])
@pytest.mark.parametrize("losses", [0, 4, 90, 1000])
def test_sign_p_in_the_tails(wins, losses):
    if wins + losses:
        expected = stats.binomtest(wins, wins + losses).pvalue
        assert sign_p(np.array([wins]), np.array([losses])) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("test", EVERY, ids=repr)
def test_identical_systems(test):
    scores = np.random.default_rng(0).random((1, 6, 2)).repeat(3, axis=0)
    statistic, p = test.kernel(scores)
    assert (statistic == 0).all()
    assert (p == 1).all()


@pytest.mark.parametrize("test", EVERY, ids=repr)
def test_one_topic(test):
    statistic, p = test.kernel(np.array([0.7, 0.2])[:, None, None])
    if isinstance(test, PairedT | Bootstrap):
        assert np.isnan(statistic.item())
    else:
        assert statistic.item() > 0
    normal = oracle.two_sided(1) if test in {Wilcoxon(), RankSum(correction=False)} else 1
    assert p.item() == pytest.approx(normal)


@pytest.mark.parametrize("shift", [1.0, 0.1, -0.1, 1 / 3, 1e-3, 7.7])
@pytest.mark.parametrize("test", [PairedT(), Bootstrap(samples=50)], ids=repr)
def test_constant_shift_whatever_its_rounding(test, shift):
    base = np.random.default_rng(1).random((40, 1))
    others = np.random.default_rng(2).random((5, 40, 1))
    statistic, p = test.kernel(np.concatenate([[base + shift, base], others]))
    assert statistic[0, 0] == np.copysign(np.inf, shift)
    assert p[0, 0] == 0


def test_differences_of_rounding_are_none():
    base = np.random.default_rng(1).random((40, 1))
    scores = np.stack([base, (base + 0.3) - 0.3, base])
    assert np.ptp(scores[0] - scores[1]) > 0
    statistic, p = PairedT().kernel(scores)
    assert (statistic == 0).all()
    assert (p == 1).all()


@pytest.mark.parametrize("spread", [1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13])
@pytest.mark.parametrize("shift", [0.0, 1e-6, 0.3])
@pytest.mark.parametrize("topics", [4, 50, 300])
def test_nearly_constant_differences_meet_scipy(spread, shift, topics):
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
def test_any_scale_and_topic_effect(offset, scale):
    rng = np.random.default_rng(6)
    scores = scale * (rng.random((6, 30, 2)) + offset * rng.random((1, 30, 1)))
    statistic, p = PairedT().kernel(scores)
    a, b = all_pairs(6).T
    expected = stats.ttest_rel(scores[a], scores[b], axis=1)
    np.testing.assert_allclose(statistic, expected.statistic, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(p, expected.pvalue, rtol=1e-9)


def test_tails_reach_as_far_as_floats():
    rng = np.random.default_rng(7)
    scores = rng.random((4, 249, 1)) * 0.1 + np.arange(4)[:, None, None] / [[[5.0]]]
    p = PairedT().kernel(scores).p
    a, b = all_pairs(4).T
    expected = stats.ttest_rel(scores[a], scores[b], axis=1).pvalue
    assert expected.min() < 1e-150
    np.testing.assert_allclose(p, expected, rtol=1e-9)
    wide = rng.random((2, 1200, 1))
    wide[1] += 0.9
    expected = stats.wilcoxon(*wide[:, :, 0], method="asymptotic", correction=False).pvalue
    assert 0 < expected < 1e-150
    assert Wilcoxon().kernel(wide).p.item() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("test", [Wilcoxon(), Wilcoxon(exact=True), Sign()], ids=repr)
def test_rank_tests_round_to_twelve_decimals(test):
    noisy = np.array([[1 / 2, 1 / 3, 0.9, 0.2], [1 / 3, 1 / 6, 0.8, 0.3]])[:, :, None]
    plain = np.array([[1 / 6, 1 / 6, 0.1, 0.0], [0.0, 0.0, 0.0, 0.1]])[:, :, None]
    a, b = test.kernel(noisy), test.kernel(plain)
    assert (a.statistic, a.p) == (b.statistic, b.p)


def test_rank_sum_rounds_scores():
    noisy = np.array([[0.1 + 0.2, 0.5], [0.3, 0.4]])[:, :, None]
    plain = np.array([[0.3, 0.5], [0.3, 0.4]])[:, :, None]
    assert RankSum().kernel(noisy).p == RankSum().kernel(plain).p


def test_wilcoxon_of_large_cost_scores():
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 100_000, (2, 40, 1)).astype(float)
    expected = stats.wilcoxon(*scores[:, :, 0], method="asymptotic", correction=False).pvalue
    assert Wilcoxon().kernel(scores).p.item() == pytest.approx(expected, rel=1e-9)


def test_exact_wilcoxon_of_many_topics():
    scores = np.random.default_rng(9).random((2, 150, 1))
    scores[0] += 0.15
    expected = stats.wilcoxon(*scores[:, :, 0], method="exact").pvalue
    assert Wilcoxon(exact=True).kernel(scores).p.item() == pytest.approx(expected, rel=1e-9)
