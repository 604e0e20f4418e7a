"""Speed of paired tests, compared with scipy.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_paired.py``. The loop calls scipy
once per pair and depth. The time of the loop is measured on a sample of the calls, and
extrapolated. The times of two vectorised alternatives are also extrapolated: a call of scipy per
pair over all depths, and a call for many pairs at one depth. The faster of the two alternatives is
reported.
"""

from functools import partial

import numpy as np
import pytest
from scipy import stats
from timed import against, mean_seconds, seconds

from irframe.paired import (
    Bootstrap,
    PairedT,
    Permutation,
    RankSum,
    Sign,
    TukeyHSD,
    Wilcoxon,
    all_pairs,
    describe_differences,
)

SYSTEMS, TOPICS, DEPTHS = 110, 249, 1000


@pytest.fixture(scope="module")
def cube():
    """Return scores with common topic effects that converge with depth."""
    rng = np.random.default_rng(0)
    depth = np.sqrt(np.arange(1, DEPTHS + 1))
    scores = rng.standard_normal((SYSTEMS, TOPICS, DEPTHS)) / depth
    scores += rng.standard_normal((1, TOPICS, 1))
    scores += 0.3 * rng.standard_normal((SYSTEMS, 1, 1))
    scores += 0.7 * rng.standard_normal((SYSTEMS, TOPICS, 1))
    return 1 / (1 + np.exp(-scores))


@pytest.fixture(scope="module")
def twenty(cube):
    return np.ascontiguousarray(cube[:, :, :: DEPTHS // 20])


def p_of(function):
    return lambda a, b: function(a, b).pvalue


def sample_of(function, scores, size):
    """Return the mean seconds of a call, and p-values."""
    rng = np.random.default_rng(1)
    pairs = all_pairs(len(scores))
    rows, depths = rng.integers(len(pairs), size=size), rng.integers(scores.shape[2], size=size)
    sides = [(*scores[pairs[row]][:, :, depth],) for row, depth in zip(rows, depths, strict=True)]
    mean, values = mean_seconds(function, sides)
    return mean, rows, depths, values


def seconds_of_vectorised(function, scores, *, size=20):
    """Return the extrapolated time of scipy's fastest vectorised call."""
    pairs, depths = all_pairs(len(scores)), scores.shape[2]
    few = np.random.default_rng(2).choice(pairs, size)
    sides = [(scores[a], scores[b]) for a, b in few]
    over_depths = mean_seconds(partial(function, axis=0), sides)[0] * len(pairs)
    a, b = np.random.default_rng(2).choice(pairs, 20 * size).T
    deepest = np.ascontiguousarray(scores[:, :, -1])
    over_pairs = (
        seconds(partial(function, axis=1), deepest[a], deepest[b]) / len(a) * len(pairs) * depths
    )
    return min(over_depths, over_pairs)


def race(benchmark, test, scores, function, *, size=300, rounds=2):
    """Time all pairs and the loop; return the ratio."""
    result = benchmark.pedantic(test.kernel, args=(scores,), rounds=rounds, warmup_rounds=0)
    mean, rows, depths, values = sample_of(function, scores, size)
    np.testing.assert_allclose(result.p[rows, depths], values, rtol=1e-9)
    return against(benchmark, "loop", mean * result.p.size)


def test_t_at_every_depth(benchmark, cube):
    assert race(benchmark, PairedT(), cube, p_of(stats.ttest_rel)) >= 200
    vectorised = seconds_of_vectorised(stats.ttest_rel, cube)
    assert against(benchmark, "scipy with axis=", vectorised) >= 2


def wilcoxon(*, correction):
    options = {"method": "asymptotic", "correction": correction}

    def test(a, b, axis=0):
        return stats.wilcoxon(np.round(a - b, 12), axis=axis, **options).pvalue

    return test


def rank_sum(a, b, axis=0):
    return stats.mannwhitneyu(a, b, axis=axis, method="asymptotic").pvalue


def sign(a, b):
    difference = np.round(a - b, 12)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    return stats.binomtest(wins, wins + losses).pvalue


RANK_TESTS = [
    (Wilcoxon(), wilcoxon(correction=False)),
    (Wilcoxon(correction=True), wilcoxon(correction=True)),
    (RankSum(), rank_sum),
]


@pytest.mark.parametrize(("test", "function"), RANK_TESTS)
def test_ranks_at_twenty_depths(benchmark, twenty, test, function):
    assert race(benchmark, test, twenty, function) >= 20
    assert against(benchmark, "scipy with axis=", seconds_of_vectorised(function, twenty)) >= 2


def test_signs_at_twenty_depths(benchmark, twenty):
    assert race(benchmark, Sign(), twenty, sign) >= 20


def test_bootstrap_at_one_depth(benchmark, twenty):
    test, scores = Bootstrap(), twenty[:, :, -1:]
    resamples = test.resamples(TOPICS)

    def loop(a, b):
        z = a - b
        w = z - z.mean()
        drawn = w[resamples]
        t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(TOPICS))
        observed = stats.ttest_1samp(z, 0).statistic
        return max((abs(t) >= abs(observed)).mean(), 1 / (1 + test.samples))

    assert race(benchmark, test, scores, loop, size=50) >= 5


def test_permutation_at_one_depth(benchmark, twenty):
    test, scores = Permutation(samples=1000), twenty[:, :, -1:]
    signs = test.signs(TOPICS)

    def loop(a, b):
        difference = a - b
        count = (abs((signs * difference).sum(axis=1)) >= abs(difference.sum())).sum()
        return (1 + count) / (1 + len(signs))

    assert race(benchmark, test, scores, loop, size=50) >= 2


def test_tukey_at_one_depth(benchmark, twenty):
    test, scores = TukeyHSD(samples=500), twenty[:, :, -1:]
    benchmark.pedantic(test.kernel, args=(scores,), rounds=2)
    rows, generator = scores[:, :, 0], np.random.default_rng(0)

    def shuffle(rows):
        np.ptp(np.mean([generator.permutation(column) for column in rows.T], axis=0))

    against(benchmark, "loop", mean_seconds(shuffle, [(rows,)] * 20)[0] * test.samples)


def test_description_at_twenty_depths(benchmark, twenty):
    description = benchmark.pedantic(describe_differences, args=(twenty,), rounds=3)
    assert description.wins.shape == (5995, 20)
