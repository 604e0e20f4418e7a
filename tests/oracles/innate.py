"""Algorithm 1 of Moffat and Mackenzie, as in the paper.

JASIST 75, 2024, doi:10.1002/asi.24874."""

from fractions import Fraction
from itertools import product


def compare(first, second):
    """Return the label of one ranking compared with another."""
    cumul = Fraction(0)
    been_neg = been_pos = False
    for gain_a, gain_b in zip(first, second, strict=True):
        cumul += Fraction(str(gain_a))
        cumul -= Fraction(str(gain_b))
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
    for gain_a, gain_b in zip(first, second, strict=True):
        cumul += gain_a - gain_b
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
    """Return the label of two padded lists at every depth.

    None is a gain of 0.
    """
    depth = max(len(first), len(second))
    gains_a, gains_b = (
        [g or 0 for g in serp] + [0] * (depth - len(serp)) for serp in (first, second)
    )
    return [compare(gains_a[:k], gains_b[:k]) for k in range(1, depth + 1)]


def group(first, second):
    """Return the ordering label of two full rankings.

    The label of a non-separable pair is ``**``, followed by the label before the pair became
    non-separable.
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

    In these rankings, a 1 is moved down by one rank, or a 1 at the last rank is removed.
    """
    below = [
        (*serp[:i], 0, 1, *serp[i + 2 :]) for i in range(len(serp) - 1) if serp[i : i + 2] == (1, 0)
    ]
    return below + ([(*serp[:-1], 0)] if serp[-1] else [])
