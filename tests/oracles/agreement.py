"""Agreement of two score vectors or orderings, by slow loops from the definitions.

Each takes two sequences of scores of the same systems, higher is better, the reference first;
the summaries take one volatility matrix as a list of rows.
"""

import math
from collections.abc import Sequence
from itertools import combinations

Scores = Sequence[float]


def tau(x: Scores, y: Scores, variant: str = "b") -> float:
    """Kendall (1945): pairs ordered alike less pairs swapped, over all or all untied pairs."""
    balance, pairs, untied_x, untied_y = 0, 0, 0, 0
    for i, j in combinations(range(len(x)), 2):
        side_x, side_y = compare(x[i], x[j]), compare(y[i], y[j])
        balance += side_x * side_y
        pairs += 1
        untied_x += side_x != 0
        untied_y += side_y != 0
    scale = float(pairs) if variant == "a" else math.sqrt(untied_x * untied_y)
    return balance / scale if scale else math.nan


def compare(a: float, b: float) -> int:
    """Return 1, 0 or -1 as a is above, equal to or below b."""
    return (a > b) - (a < b)


def ordering(scores: Scores) -> list[int]:
    """Systems, the best first; those with equal scores as they came."""
    return sorted(range(len(scores)), key=lambda system: -scores[system])


def tau_ap(reference: Scores, estimated: Scores) -> float:
    """AP correlation (Yilmaz et al. 2008): how often the items above one belong above it."""
    true, guess = ordering(reference), ordering(estimated)
    N = len(guess)
    if N < 2:
        return math.nan
    total = 0.0
    for i in range(2, N + 1):
        item = guess[i - 1]
        above = guess[: i - 1]
        C = sum(1 for other in above if true.index(other) < true.index(item))
        total += C / (i - 1)
    return 2 / (N - 1) * total - 1


def tau_ap_symmetric(x: Scores, y: Scores) -> float:
    """Average AP correlation with either side as the reference."""
    return (tau_ap(x, y) + tau_ap(y, x)) / 2


def rbo_ext(x: Scores, y: Scores, p: float) -> float:
    """RBO (Webber et al. 2010), extrapolated from rankings seen to the same depth k."""
    first, second = ordering(x), ordering(y)
    k = len(first)
    X = {d: len(set(first[:d]) & set(second[:d])) for d in range(1, k + 1)}
    return X[k] / k * p**k + (1 - p) / p * sum(X[d] / d * p**d for d in range(1, k + 1))


def rbo_limit(x: Scores, y: Scores, p: float, depth: int) -> float:
    """RBO as the infinite sum it extrapolates, agreement staying put past the last rank."""
    first, second = ordering(x), ordering(y)
    total = 0.0
    for d in range(1, depth + 1):
        seen = min(d, len(first))
        total += p ** (d - 1) * len(set(first[:seen]) & set(second[:seen])) / seen
    return (1 - p) * total


def rmse(x: Scores, y: Scores) -> float:
    """Root mean squared error."""
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) / len(x))


def stable_depth(T: Sequence[Scores], depths: Scores, threshold: float) -> float:
    """Lu et al. (2016), section 3.7: the least theta from which all correlations exceed."""
    for theta in depths:
        later = [k for k, depth in enumerate(depths) if depth >= theta]
        if all(T[k1][k2] > threshold for k1 in later for k2 in later):
            return theta
    return math.nan


def share_above(T: Sequence[Scores], threshold: float) -> float:
    """Share of the entries off the diagonal above the threshold."""
    entries = [T[a][b] > threshold for a in range(len(T)) for b in range(len(T)) if a != b]
    return sum(entries) / len(entries) if entries else math.nan
