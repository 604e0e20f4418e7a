"""Reference implementations of paired tests.

Functions take the scores of two systems, a and b, as sequences over the same topics.
"""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np

from .topic import add_up

ROUNDING = 1e-9
"""Statistics are treated as equal if their relative difference is at most this tolerance."""


def pairwise(function, scores):
    """Apply a function to pairs, and return arrays (pair, depth)."""
    values = [
        [function(a, b) for a, b in zip(one.T.tolist(), other.T.tolist(), strict=True)]
        for one, other in itertools.combinations(scores, 2)
    ]
    return np.moveaxis(np.array(values, dtype=float), -1, 0)


def differences(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def rounded(a, b):
    return [round(d, 12) for d in differences(a, b)]


def mean(values):
    return math.fsum(values) / len(values)


def t(values):
    """Return Student's t of one sample.

    If the standard error is 0, t is 0 for a mean of 0, and infinite otherwise.
    """
    middle = mean(values)
    squares = math.fsum((v - middle) ** 2 for v in values)
    if len(set(values)) == 1 or squares == 0:
        return math.copysign(math.inf, middle) if middle else 0.0
    return middle / math.sqrt(squares / (len(values) - 1) / len(values))


def paired_t(a, b):
    """Return Student's t in exact arithmetic, and its p-value."""
    from scipy import stats

    ds = [Fraction(d) for d in differences(a, b)]
    n, middle = len(ds), add_up(ds) / len(ds)
    if n == 1:
        return math.nan if ds[0] else 0.0, 1.0
    noise = 8 * 2.0**-52 * max(map(abs, [*a, *b]))
    if max(ds) - min(ds) <= noise:
        return (0.0, 1.0) if abs(middle) <= noise else (math.copysign(math.inf, middle), 0.0)
    square = middle**2 * n * (n - 1) / add_up((d - middle) ** 2 for d in ds)
    value = math.copysign(math.sqrt(square), middle)
    return value, 2 * stats.t.sf(abs(value), n - 1)


def designed_mean(values, weights=None, cluster=None, task=None):
    """Return mean, variance, degrees of freedom, and effective sample size.

    The degrees of freedom are those of Bell and McCaffrey, computed with n x n matrices.
    """
    d = np.asarray(values, float)
    n = len(d)
    weights = np.ones(n) if weights is None else np.asarray(weights, float)
    cluster = np.arange(n) if cluster is None else np.asarray(cluster)
    task = np.zeros(n) if task is None else np.asarray(task)
    mean, arrays, freedoms, shares = 0.0, [], [], []
    tasks = dict.fromkeys(task.tolist())
    for label in tasks:
        here = task == label
        b = weights[here] / weights[here].sum()
        residual_maker = np.eye(len(b)) - np.outer(np.ones(len(b)), b)
        rows = []
        for group in dict.fromkeys(cluster[here].tolist()):
            member = (cluster[here] == group) * b
            # The product of `off` and the differences equals the sum of the cluster's residuals.
            off = member @ residual_maker
            rows.append(np.sqrt((member**2).sum() / (off @ off)) * off)
        projected = np.array(rows)
        inner = projected @ projected.T
        mean += b @ d[here] / len(tasks)
        arrays.append(((projected @ d[here]) ** 2).sum() / len(tasks) ** 2)
        freedoms.append(np.trace(inner) ** 2 / np.trace(inner @ inner))
        shares.append(b / len(tasks))
    variance = math.fsum(arrays)
    freedom = variance**2 / math.fsum(v**2 / df for v, df in zip(arrays, freedoms, strict=True))
    return mean, variance, freedom, 1 / (np.concatenate(shares) ** 2).sum()


def average_ranks(values):
    """Return ranks from 1, with mean ranks for ties."""
    return [
        add_up(other_value < value for other_value in values)
        + (add_up(other_value == value for other_value in values) + 1) / 2
        for value in values
    ]


def tie_term(values):
    return add_up(values.count(value) ** 3 - values.count(value) for value in set(values))


def two_sided(z):
    return math.erfc(abs(z) / math.sqrt(2))


def wilcoxon(a, b, *, correction=False):
    """Return the signed-rank sum, and its asymptotic p-value."""
    selected = [d for d in rounded(a, b) if d]
    n = len(selected)
    if not n:
        return 0.0, 1.0
    sizes = [abs(d) for d in selected]
    ranks = average_ranks(sizes)
    plus = add_up(rank for rank, d in zip(ranks, selected, strict=True) if d > 0)
    away = abs(plus - n * (n + 1) / 4)
    if correction:
        away = max(away - 0.5, 0)
    variance = n * (n + 1) * (2 * n + 1) / 24 - tie_term(sizes) / 48
    return 2 * plus - add_up(ranks), two_sided(away / math.sqrt(variance))


def wilcoxon_exact(a, b):
    """Return the signed-rank sum, and its exact p-value."""
    selected = [d for d in rounded(a, b) if d]
    ranks = average_ranks([abs(d) for d in selected])
    statistic = add_up(rank if d > 0 else -rank for rank, d in zip(ranks, selected, strict=True))
    counts = Counter({0: 1})
    for rank in ranks:
        both = Counter()
        for total, number in counts.items():
            both[total + rank] += number
            both[total - rank] += number
        counts = both
    beyond = add_up(number for total, number in counts.items() if abs(total) >= abs(statistic))
    return statistic, float(Fraction(beyond, 2 ** len(ranks)))


def rank_sum(a, b, *, correction=True):
    """Return the rank-sum statistic, and its asymptotic p-value."""
    a, b = [round(x, 12) for x in a], [round(x, 12) for x in b]
    n = len(a)
    above = add_up((x > y) - (x < y) for x in a for y in b)
    away = abs(above) / 2
    if correction:
        away = max(away - 0.5, 0)
    both = a + b
    variance = n * n / 12 * (2 * n + 1 - tie_term(both) / (2 * n * (2 * n - 1)))
    return above, two_sided(away / math.sqrt(variance)) if variance > 0 else 1.0


def sides(a, b):
    """Count wins, ties and losses."""
    ds = rounded(a, b)
    return add_up(d > 0 for d in ds), add_up(d == 0 for d in ds), add_up(d < 0 for d in ds)


def sign(a, b):
    """Return wins minus losses, and the exact p-value."""
    wins, _, losses = sides(a, b)
    n = wins + losses
    below = add_up(math.comb(n, k) for k in range(min(wins, losses) + 1))
    return wins - losses, float(min(1, Fraction(2 * below, 2**n)))


def permutation(a, b, signs):
    """Return the mean difference, and its permutation p-value."""
    ds = differences(a, b)
    least = abs(math.fsum(ds)) - ROUNDING / 1000 * math.fsum(map(abs, ds))
    count = 0
    for row in signs:
        count += abs(math.fsum(s * d for s, d in zip(row, ds, strict=True))) >= least
    return mean(ds), (1 + count) / (1 + len(signs))


def replicates(a, b, resamples):
    """Return |t| and |mean| of centred differences per bootstrap sample."""
    ds = differences(a, b)
    middle = mean(ds)
    w = [0.0 if len(set(ds)) == 1 else d - middle for d in ds]
    drawn = [[w[topic] for topic in row] for row in resamples]
    return [(abs(t(values)), abs(mean(values))) for values in drawn]


def bootstrap(a, b, resamples):
    """Return the observed t, and its bootstrap p-value.

    t is 0 if the mean is 0 at 12 decimals.
    """
    ds = differences(a, b)
    observed = t(ds) if round(mean(ds), 12) else 0.0
    least = abs(observed) * (1 - ROUNDING)
    values = [value for value, _ in replicates(a, b, resamples)]
    return observed, add_up(value >= least for value in values) / len(values)


def bootstrap_delta(a, b, resamples, rank):
    """Return |mean| of the sample with the rank-th largest |t|."""
    pairs = replicates(a, b, resamples)
    order = sorted(range(len(pairs)), key=lambda i: -pairs[i][0])
    value = pairs[order[rank - 1]][0]
    return next(size for reached, size in pairs if reached == value)


def tukey(rows, shuffles):
    """Return the p-value of every pair of rows.

    For topic t, ``shuffle[t][s]`` is the row whose score row s receives.
    """
    systems, topics = len(rows), len(rows[0])
    ranges = []
    for shuffle in shuffles:
        means = [mean([rows[shuffle[t][s]][t] for t in range(topics)]) for s in range(systems)]
        ranges.append(max(means) - min(means))
    slack = 1e-12 * max(abs(value) for row in rows for value in row)
    result = {}
    for i, j in itertools.combinations(range(systems), 2):
        least = abs(mean(rows[i]) - mean(rows[j])) - slack
        result[i, j] = (1 + add_up(reach >= least for reach in ranges)) / (1 + len(ranges))
    return result


def of_pairs(function):
    """Return the oracle of a test that compares single pairs."""
    return lambda _test, scores: pairwise(function, scores)


def by_signs(test, scores):
    """Return permutation tests for the random signs of a test."""
    signs = test.signs(scores.shape[1]).tolist()
    return pairwise(lambda a, b: permutation(a, b, signs), scores)


def by_resamples(test, scores):
    """Return bootstrap tests for the bootstrap samples of a test."""
    resamples = test.resamples(scores.shape[1]).tolist()
    return pairwise(lambda a, b: bootstrap(a, b, resamples), scores)


def by_shuffles(test, scores):
    """Return Tukey's tests for the random shuffles of a test."""
    shuffles = np.concatenate(list(test.shuffles(*scores.shape[:2]))).tolist()
    p = [list(tukey(one.tolist(), shuffles).values()) for one in np.moveaxis(scores, 2, 0)]
    (means,) = pairwise(lambda a, b: [mean(a) - mean(b)], scores)
    return means, np.transpose(p)


ORACLES = {
    "t": of_pairs(paired_t),
    "wilcoxon": of_pairs(wilcoxon),
    "ranksum": of_pairs(rank_sum),
    "sign": of_pairs(sign),
    "permutation": by_signs,
    "bootstrap": by_resamples,
    "tukey": by_shuffles,
}
"""Mapping from the names in `irframe.paired.TESTS` to oracles.

An oracle returns two arrays of shape (pair, depth): statistics and p-values.
"""
