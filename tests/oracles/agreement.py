"""Reference implementations of the agreement of scores and orderings.

An oracle takes two sequences of scores of the same systems. Higher is better, and the first
sequence is the reference. The oracles `stable_depth` and `share_above` take a volatility matrix as
a list of rows.
"""

import math
from itertools import chain, combinations, permutations, product
from statistics import fmean as mean

from .topic import add_up


def tau(x, y, variant="b"):
    """Return Kendall's tau-a or tau-b (Kendall 1945).

    The numerator is the number of concordant minus discordant pairs.
    """
    balance, pairs, untied_x, untied_y = 0, 0, 0, 0
    for i, j in combinations(range(len(x)), 2):
        side_x, side_y = compare(x[i], x[j]), compare(y[i], y[j])
        balance += side_x * side_y
        pairs += 1
        untied_x += side_x != 0
        untied_y += side_y != 0
    scale = float(pairs) if variant == "a" else math.sqrt(untied_x * untied_y)
    return balance / scale if scale else math.nan


def compare(a, b):
    """Return the sign of a - b."""
    return (a > b) - (a < b)


def orderings(scores):
    """Return all orders by decreasing score that ties allow."""
    groups = (
        permutations(system for system, other_score in enumerate(scores) if other_score == score)
        for score in sorted(set(scores), reverse=True)
    )
    return [tuple(chain(*order)) for order in product(*groups)]


def over_orders(function, x, y):
    """Return a function's mean over all orders of tied systems."""
    return mean(function(first, second) for first in orderings(x) for second in orderings(y))


def tau_ap(reference, estimated):
    """Return the expected AP correlation (Yilmaz et al. 2008)."""
    return over_orders(_tau_ap, reference, estimated)


def _tau_ap(true, guess):
    N = len(guess)
    if N < 2:
        return math.nan
    total = 0.0
    for i in range(2, N + 1):
        item = guess[i - 1]
        above = guess[: i - 1]
        C = add_up(1 for higher in above if true.index(higher) < true.index(item))
        total += C / (i - 1)
    return 2 / (N - 1) * total - 1


def tau_ap_symmetric(x, y):
    """Return the mean of the AP correlations in both directions."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def tau_ap_b(x, y):
    """Return tie-corrected AP correlation (Urbano and Marrero 2017)."""
    return (_tau_ap_b(x, y) + _tau_ap_b(y, x)) / 2


def _tau_ap_b(reference, estimated):
    t = first_ranks(estimated)
    below = [i for i in range(len(t)) if t[i] > 1]
    if not below or len(set(reference)) == 1:
        return math.nan
    total = 0.0
    for i in below:
        better = [j for j in range(len(t)) if estimated[j] > estimated[i]]
        total += add_up(reference[j] > reference[i] for j in better) / (t[i] - 1)
    return 2 / len(below) * total - 1


def first_ranks(scores):
    """Return the best possible rank of each system."""
    return [1 + add_up(other_score > score for other_score in scores) for score in scores]


def last_ranks(scores):
    """Return the worst possible rank of each system."""
    return [add_up(other_score >= score for other_score in scores) for score in scores]


def rbo_ext(x, y, p, ties="w"):
    """Return extrapolated RBO (Webber et al. 2010).

    Ties are treated as in Corsi and Urbano (2024).
    """
    n = len(x)
    A = {}
    for d in range(1, n + 1):
        A[d] = agreement(contributions(x, d, ties), contributions(y, d, ties), d, ties)
    return (1 - p) / p * add_up(A[d] * p**d for d in A) + A[n] * p**n


def contributions(scores, d, ties):
    """Return each system's degree of membership in the top d."""
    ends = zip(first_ranks(scores), last_ranks(scores), strict=True)
    if ties == "w":
        return [float(t <= d) for t, _ in ends]
    return [0.0 if d < t else 1.0 if d > b else (d - t + 1) / (b - t + 1) for t, b in ends]


def agreement(c, other, d, ties):
    """Return the agreement at depth d between two rankings."""
    shared = add_up(a * b for a, b in zip(c, other, strict=True))
    if ties == "w":
        return 2 * shared / (add_up(c) + add_up(other))
    if ties == "a":
        return shared / d
    return shared / math.sqrt(add_up(a * a for a in c) * add_up(b * b for b in other))


def rbo_limit(x, y, p, depth):
    """Return the mean RBO at a depth over tie orders."""

    def one(first, second):
        total = 0.0
        for d in range(1, depth + 1):
            length = min(d, len(first))
            total += p ** (d - 1) * len(set(first[:length]) & set(second[:length])) / length
        return (1 - p) * total

    return over_orders(one, x, y)


def rmse(x, y):
    """Return the root mean squared error."""
    return math.sqrt(add_up((a - b) ** 2 for a, b in zip(x, y, strict=True)) / len(x))


def stable_depth(T, depths, threshold):
    """Return the stable depth (Lu et al. 2016, section 3.7)."""
    for theta in depths:
        later = [k for k, depth in enumerate(depths) if depth >= theta]
        if all(T[k1][k2] > threshold for k1 in later for k2 in later):
            return theta
    return math.nan


def share_above(T, threshold):
    """Return the share of off-diagonal entries above the threshold."""
    entries = [T[a][b] > threshold for a in range(len(T)) for b in range(len(T)) if a != b]
    return add_up(entries) / len(entries) if entries else math.nan


def pearson(x, y):
    """Return Pearson's correlation, NaN if one side is constant."""
    ends = mean(x), mean(y)
    if len(set(x)) == 1 or len(set(y)) == 1:
        return math.nan
    off = [(a - ends[0], b - ends[1]) for a, b in zip(x, y, strict=True)]
    spread = math.fsum(a * a for a, _ in off) * math.fsum(b * b for _, b in off)
    return math.fsum(a * b for a, b in off) / math.sqrt(spread)


def spearman(x, y):
    """Return Spearman's correlation, with mean ranks for ties."""

    def ranks(scores):
        return [mean(ends) for ends in zip(first_ranks(scores), last_ranks(scores), strict=True)]

    return pearson(ranks(x), ranks(y))


ORACLES = {
    "kendall": tau,
    "pearson": pearson,
    "rbo": lambda x, y: rbo_ext(x, y, 0.9),
    "rbo_a": lambda x, y: rbo_ext(x, y, 0.9, "a"),
    "rbo_b": lambda x, y: rbo_ext(x, y, 0.9, "b"),
    "rmse": rmse,
    "spearman": spearman,
    "tau_a": lambda x, y: tau(x, y, "a"),
    "tau_ap": tau_ap,
    "tau_ap_b": tau_ap_b,
    "tau_b": tau,
}
"""Mapping from the names in `irframe.agreements.correlations.AGREEMENTS` to oracles."""
