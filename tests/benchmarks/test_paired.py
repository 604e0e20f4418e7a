"""Speed of the paired tests over all pairs and depths against a loop over scipy.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_paired.py``. The loop, one call for
each pair and depth, is timed on a sample in the same run and extrapolated; so is one call for each
pair over all depths at once, where scipy takes arrays.
"""

import sys
import time

import numpy as np
import pytest
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
    describe_differences,
)

SYSTEMS, TOPICS, DEPTHS = 110, 249, 1000


@pytest.fixture(scope="module")
def cube():
    """Scores that share topic effects and settle as depth grows."""
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
    """Mean seconds of one call on one pair at one depth, and the p-values of the sample."""
    rng = np.random.default_rng(1)
    pairs = all_pairs(len(scores))
    rows, depths = rng.integers(len(pairs), size=size), rng.integers(scores.shape[2], size=size)
    sides = [(*scores[pairs[row]][:, :, depth],) for row, depth in zip(rows, depths, strict=True)]
    function(*sides[0])
    start = time.perf_counter()
    values = [function(a, b) for a, b in sides]
    return (time.perf_counter() - start) / size, rows, depths, values


def race(benchmark, test, scores, function, *, size=300, rounds=2):
    """Time all pairs and depths and the loop, check that they agree, and return the ratio."""
    result = benchmark.pedantic(test.kernel, args=(scores,), rounds=rounds, warmup_rounds=0)
    each, rows, depths, values = sample_of(function, scores, size)
    np.testing.assert_allclose(result.p[rows, depths], values, rtol=1e-9)
    return report(benchmark, test, result.p.shape, each * result.p.size)


def report(benchmark, test, shape, loop):
    ours = benchmark.stats.stats.min
    benchmark.extra_info.update(loop=loop, ratio=loop / ours)
    size = f"{shape[0]} pairs x {TOPICS} topics x {shape[1]} depths"
    sys.stdout.write(f"\n{test}, {size}: {ours:.2f} s, loop {loop:.0f} s: {loop / ours:.0f} x\n")
    return loop / ours


def test_t_at_every_depth(benchmark, cube):
    assert race(benchmark, PairedT(), cube, p_of(stats.ttest_rel)) >= 200
    start = time.perf_counter()
    pairs = all_pairs(SYSTEMS)[::600]
    for a, b in pairs:
        stats.ttest_rel(cube[a], cube[b], axis=0)
    vectorised = (time.perf_counter() - start) / len(pairs) * len(all_pairs(SYSTEMS))
    ratio = vectorised / benchmark.stats.stats.min
    sys.stdout.write(f"one call per pair over all depths {vectorised:.0f} s: {ratio:.0f} x\n")


def wilcoxon(*, correction):
    options = {"method": "asymptotic", "correction": correction}
    return lambda a, b: stats.wilcoxon(np.round(a - b, 12), **options).pvalue


def rank_sum(a, b):
    return stats.mannwhitneyu(a, b, method="asymptotic").pvalue


def sign(a, b):
    difference = np.round(a - b, 12)
    wins, losses = int((difference > 0).sum()), int((difference < 0).sum())
    return stats.binomtest(wins, wins + losses).pvalue


@pytest.mark.parametrize(
    ("test", "function"),
    [
        (Wilcoxon(), wilcoxon(correction=False)),
        (Wilcoxon(correction=True), wilcoxon(correction=True)),
        (RankSum(), rank_sum),
        (Sign(), sign),
    ],
)
def test_ranks_at_twenty_depths(benchmark, twenty, test, function):
    assert race(benchmark, test, twenty, function) >= 20


def test_bootstrap_at_one_depth(benchmark, twenty):
    test, scores = Bootstrap(), twenty[:, :, -1:]
    resamples = test.resamples(TOPICS)

    def loop(a, b):
        z = a - b
        w = z - z.mean()
        drawn = w[resamples]
        t = drawn.mean(axis=1) / (drawn.std(axis=1, ddof=1) / np.sqrt(TOPICS))
        observed = stats.ttest_1samp(z, 0).statistic
        return (abs(t) >= abs(observed)).mean()

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
    result = benchmark.pedantic(test.kernel, args=(scores,), rounds=2)
    rows, generator = scores[:, :, 0], np.random.default_rng(0)
    start = time.perf_counter()
    for _ in range(20):
        shuffled = [generator.permutation(column) for column in rows.T]
        np.ptp(np.mean(shuffled, axis=0))
    each = (time.perf_counter() - start) / 20
    report(benchmark, test, result.p.shape, each * test.samples)


def test_description_at_twenty_depths(benchmark, twenty):
    found = benchmark.pedantic(describe_differences, args=(twenty,), rounds=3)
    assert found.wins.shape == (5995, 20)
