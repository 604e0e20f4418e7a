"""Reference implementation of how a metric changes the system order.

The definitions are those of Alex et al. 2022, section 4.4."""

from statistics import fmean

from scipy import stats

from .outcomes import t_p
from .topic import add_up


def is_better(scores, other, own, *, cost, mean=fmean, margin=0.1, alpha=0.05):
    """Return whether a system is better than a reference.

    The system must exceed the reference by the margin, with a significant t-test.
    """
    a, b = mean(scores[other]), mean(scores[own])
    gain = b - a if cost else a - b
    enough = gain > 1e-12 and gain >= margin * abs(b) - 1e-12
    return enough and t_p(scores[own], scores[other]) <= alpha


def delta_sort(old, new):
    """Return the change of rank of every system, in percent.

    `old` and `new` are pairs of a mapping from system to scores, and keyword arguments of
    `is_better`.
    """
    systems = list(old[0])
    moved = {}
    for system in systems:
        counts = [
            add_up(
                is_better(scores, rival, system, **facts) for rival in systems if rival != system
            )
            for scores, facts in (old, new)
        ]
        moved[system] = 100 * (counts[0] - counts[1]) / len(systems)
    return moved


def kendall(old, new):
    """Return tau-b between two lists of means."""
    return float(stats.kendalltau(old, new).statistic)
