"""Slow references for effects of metrics on system order.

Definitions are in Alex et al. 2022, section 4.4."""

from statistics import fmean

from scipy import stats

from .outcomes import t_p
from .topic import add_up


def is_better(scores, other, own, *, cost, mean=fmean, margin=0.1, alpha=0.05):
    """Return whether a system is better than a reference.

    It must exceed the reference by the margin, and the t-test must be significant.
    """
    a, b = mean(scores[other]), mean(scores[own])
    gain = b - a if cost else a - b
    enough = gain > 1e-12 and gain >= margin * abs(b) - 1e-12
    return enough and t_p(scores[own], scores[other]) <= alpha


def delta_sort(old, new):
    """Return the change of rank of every system, in percent.

    `old` and `new` are pairs of scores, a list per system, and what `is_better` needs to know.
    """
    systems = list(old[0])
    moved = {}
    for own in systems:
        counts = [
            add_up(is_better(scores, other, own, **facts) for other in systems if other != own)
            for scores, facts in (old, new)
        ]
        moved[own] = 100 * (counts[0] - counts[1]) / len(systems)
    return moved


def kendall(old, new):
    """Return tau-b between two lists of means."""
    return float(stats.kendalltau(old, new).statistic)
