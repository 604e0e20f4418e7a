"""Algorithm 1 of Moffat and Mackenzie, as printed.

JASIST 75, 2024, doi:10.1002/asi.24874."""

from fractions import Fraction
from itertools import product


def compare(first, second):
    """Return the label of the first ranking against the second."""
    cumul = Fraction(0)
    been_neg = been_pos = False
    for one, other in zip(first, second, strict=True):
        cumul += Fraction(str(one))
        cumul -= Fraction(str(other))
        if cumul < 0:
            been_neg = True
        if cumul > 0:
            been_pos = True
    if been_neg and been_pos:
        return "**"
    if been_pos:
        return "ni"
    if been_neg:
        return "ns"
    return "="


def compare_integers(first, second):
    """Return the label for integer gains, in a fast loop."""
    cumul = 0
    been_neg = been_pos = False
    for one, other in zip(first, second, strict=True):
        cumul += one - other
        if cumul < 0:
            been_neg = True
        elif cumul > 0:
            been_pos = True
    if been_neg and been_pos:
        return "**"
    if been_pos:
        return "ni"
    return "ns" if been_neg else "="


def by_depth(first, second):
    """Return the label at every depth, for padded lists.

    Gains of None count as 0.
    """
    depth = max(len(first), len(second))
    one, other = ([g or 0 for g in serp] + [0] * (depth - len(serp)) for serp in (first, second))
    return [compare(one[:k], other[:k]) for k in range(1, depth + 1)]


def group(first, second):
    """Return the label at full depth.

    The label of a non-separable pair includes the one at the depth before.
    """
    labels = by_depth(first, second) or ["="]
    if labels[-1] != "**":
        return labels[-1]
    return "**" + labels[labels.index("**") - 1]


def count_pairs(k):
    """Count equal, separable and non-separable ordered pairs of binary rankings."""
    serps = list(product([0, 1], repeat=k))
    labels = [compare(a, b) for a in serps for b in serps]
    return labels.count("="), labels.count("ni") + labels.count("ns"), labels.count("**")


def covers(serp):
    """Return the rankings directly below a binary ranking.

    They have a 1 moved down by one rank, or lack the last 1.
    """
    below = [
        (*serp[:i], 0, 1, *serp[i + 2 :]) for i in range(len(serp) - 1) if serp[i : i + 2] == (1, 0)
    ]
    return below + ([(*serp[:-1], 0)] if serp[-1] else [])
