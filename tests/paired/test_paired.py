"""Tests of paired tests against scipy and reference implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import paired_tests as oracle
from scipy import stats
from turns import few_of

from irframe.paired import (
    TESTS,
    Bootstrap,
    PairedT,
    Permutation,
    RankSum,
    Sign,
    TukeyHSD,
    Wilcoxon,
    all_pairs,
    baseline_pairs,
)
from irframe.paired import pairs as blocks_module

FEW = st.sampled_from([0.0, 0.1, 0.2, 0.25, 1 / 3, 0.5, 2 / 3, 1.0])
MANY = st.floats(-1, 1, allow_subnormal=False).map(lambda x: round(x, 6))
CUBES = st.tuples(st.integers(2, 5), st.integers(1, 8), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, shape, elements=FEW | MANY)
)


def realistic(systems=8, topics=50, depths=3, seed=0):
    """Return scores with topic effects, ties and two equal systems."""
    rng = np.random.default_rng(seed)
    topic = rng.random((1, topics, 1))
    scores = 0.6 * topic + 0.4 * rng.random((systems, topics, depths))
    scores[1] = scores[0] + 1e-4 * rng.normal(size=(topics, depths))
    scores[2] = scores[0]
    scores[3] = scores[0].round(1)
    scores[4] = scores[0] + 0.3 * rng.random((topics, depths)) + 0.5
    return scores


def on_arrays(function):
    return lambda a, b: function(np.array(a), np.array(b))


def assert_equal(result, expected):
    np.testing.assert_allclose(result.statistic, expected[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(result.p, expected[1], rtol=1e-9)


def scipy_t(a, b):
    if np.ptp(a - b) == 0:
        return oracle.t((a - b).tolist()), float(a[0] == b[0])
    return stats.ttest_rel(a, b)


def scipy_wilcoxon(**options):
    def test(a, b):
        difference = np.round(a - b, 12)
        if not difference.any():
            return 0, 1
        rank = stats.rankdata(abs(difference)) * (difference != 0)
        rank -= (difference == 0).sum() * (difference != 0)
        p = stats.wilcoxon(difference, **options).pvalue
        return (rank * np.sign(difference)).sum(), p

    return test


def scipy_rank_sum(a, b, *, correction=True):
    result = stats.mannwhitneyu(a, b, method="asymptotic", use_continuity=correction)
    return 2 * result.statistic - len(a) ** 2, result.pvalue


def scipy_plain_rank_sum(a, b):
    return scipy_rank_sum(a, b)[0], stats.ranksums(a, b).pvalue


def scipy_sign(a, b):
    difference = np.round(a - b, 12)
    wins, losses = (difference > 0).sum(), (difference < 0).sum()
    p = stats.binomtest(int(wins), int(wins + losses)).pvalue if wins + losses else 1
    return wins - losses, p


SCIPY = {
    PairedT(): scipy_t,
    Wilcoxon(): scipy_wilcoxon(method="asymptotic", correction=False),
    Wilcoxon(correction=True): scipy_wilcoxon(method="asymptotic", correction=True),
    RankSum(): scipy_rank_sum,
    RankSum(correction=False): lambda a, b: scipy_rank_sum(a, b, correction=False),
    RankSum(correction=False, tie_correction=False): scipy_plain_rank_sum,
    Sign(): scipy_sign,
}
LOOPS = {
    PairedT(): oracle.paired_t,
    Wilcoxon(): oracle.wilcoxon,
    Wilcoxon(correction=True): lambda a, b: oracle.wilcoxon(a, b, correction=True),
    RankSum(): oracle.rank_sum,
    RankSum(correction=False): lambda a, b: oracle.rank_sum(a, b, correction=False),
    Wilcoxon(exact=True): oracle.wilcoxon_exact,
    Sign(): oracle.sign,
}
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
OURS = pytest.mark.parametrize("test", SCIPY, ids=repr)


@OURS
def test_p_values_on_realistic_scores_equal_scipy(test):
    scores = realistic()
    assert_equal(test.kernel(scores), oracle.pairwise(on_arrays(SCIPY[test]), scores))


@OURS
@pytest.mark.parametrize("measure", few_of(["ap", "p10", "rr"], 3))
def test_p_values_on_real_scores_equal_scipy(test, measure, shared):
    path = shared / "data" / "score-matrices" / f"adhoc8_{measure}.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1).T[100:112, :, None]
    assert_equal(test.kernel(scores), oracle.pairwise(on_arrays(SCIPY[test]), scores))


def test_exact_wilcoxon_on_real_scores_equals_a_loop_over_signs(shared):
    path = shared / "data" / "score-matrices" / "adhoc8_p10.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1).T[100:106, :, None]
    test = Wilcoxon(exact=True)
    assert_equal(test.kernel(scores), oracle.pairwise(LOOPS[test], scores))


def test_p_values_equal_published_values(shared):
    path = shared / "data" / "score-matrices" / "adhoc8_ap.csv"
    scores = np.loadtxt(path, delimiter=",", skiprows=1).T[124:126, :, None]
    p = PairedT().kernel(scores).p.item()
    assert round(p, 7) == 0.0013194
    assert round(p / 2, 7) == 0.0006597
    # The published test gives different ranks to two differences that are equal at 12 decimals.
    p = Wilcoxon(correction=True, decimals=None).kernel(scores).p.item()
    assert round(p, 7) == 0.0034452
    assert round(p / 2, 7) == 0.0017226
    assert Wilcoxon(correction=True).kernel(scores).p.item() == pytest.approx(0.0034452, rel=0.02)


@pytest.mark.parametrize("test", LOOPS, ids=repr)
@given(scores=CUBES)
def test_statistics_and_p_values_equal_those_of_loops(test, scores):
    looped = oracle.pairwise(LOOPS[test], scores)
    assert_equal(test.kernel(scores), looped)


def quick(name, samples=20):
    """Return a test with few samples."""
    drawn = {"permutation", "bootstrap", "tukey"}
    return TESTS[name](**{"samples": samples} if name in drawn else {})


@pytest.mark.parametrize("name", TESTS)
def test_results_do_not_depend_on_blocks_of_depths(name, monkeypatch):
    test, scores = quick(name, 70), realistic(topics=20, depths=7)
    at_once = test.kernel(scores)
    monkeypatch.setattr(blocks_module, "BLOCK_BYTES", 2000)
    monkeypatch.setattr(blocks_module, "GROUP_BYTES", 3000)
    for depth in (0, 4):
        single_depth = test.kernel(scores[:, :, [depth]])
        np.testing.assert_allclose(single_depth.p[:, 0], at_once.p[:, depth], rtol=1e-9)
    assert_equal(test.kernel(scores), at_once)


@pytest.mark.parametrize("name", TESTS)
def test_results_with_a_baseline_equal_those_of_all_pairs(name):
    test, scores = quick(name, 70), realistic(topics=20)
    of_all = test.kernel(scores)
    assert of_all.statistic.shape == of_all.p.shape == (28, 3)
    pairs = baseline_pairs(8, 2)
    baseline = test.kernel(scores, pairs)
    lookup = {tuple(pair): row for row, pair in enumerate(all_pairs(8).tolist())}
    for row, (i, j) in enumerate(pairs.tolist()):
        index = lookup[min(i, j), max(i, j)]
        sign = 1 if i < j else -1
        np.testing.assert_allclose(baseline.p[row], of_all.p[index], rtol=1e-9)
        np.testing.assert_allclose(
            baseline.statistic[row], sign * of_all.statistic[index], rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("name", TESTS)
def test_inputs_do_not_change_and_one_system_is_valid(name):
    scores = realistic(topics=9)
    before = scores.copy()
    quick(name).kernel(scores)
    np.testing.assert_array_equal(scores, before)
    nothing = quick(name).kernel(scores[:1])
    assert nothing.statistic.shape == nothing.p.shape == (0, 3)


@pytest.mark.parametrize("test", EVERY, ids=repr)
def test_identical_systems_have_statistic_0_and_p_1(test):
    scores = np.random.default_rng(0).random((1, 6, 2)).repeat(3, axis=0)
    statistic, p = test.kernel(scores)
    assert (statistic == 0).all()
    assert (p == 1).all()


@pytest.mark.parametrize("test", EVERY, ids=repr)
def test_a_single_topic_is_not_significant(test):
    statistic, p = test.kernel(np.array([0.7, 0.2])[:, None, None])
    unknown = isinstance(test, PairedT | Bootstrap)
    assert np.isnan(statistic.item()) if unknown else statistic.item() > 0
    normal = oracle.two_sided(1) if test in {Wilcoxon(), RankSum(correction=False)} else 1
    assert p.item() == pytest.approx(normal)


def test_tiny_p_values_equal_scipy():
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
