"""Compatibility: rank-biased overlap with the ideal ranking that is most like the list."""

from .addition import add_up
from .topic import is_relevant


def compatibility(topic, k, *, p=0.95, normalize=True, horizon=None, rel=1):
    """Compat: overlap of list and ideal, over that of the ideal with itself."""
    names = list(enumerate(topic.serp[:k]))
    left = list(topic.judged)
    for _, grade in names:
        if grade is not None:
            left.remove(grade)
    known = [*names, *((f"missed{n}", grade) for n, grade in enumerate(left))]
    ideal = [pair for pair in known if is_relevant(pair[1], rel)]
    ideal.sort(key=lambda pair: -pair[1])
    depth = horizon or max(len(names), len(ideal))
    best = overlap(ideal, ideal, p, depth) if normalize else add_up(p**i for i in range(depth))
    return overlap(names, ideal, p, depth) / best if best else 0.0


def overlap(first, second, p, depth):
    """Return the sum of p^(i-1) times the share that two lists have in common down to i."""
    return add_up(p ** (i - 1) * len({*first[:i]} & {*second[:i]}) / i for i in range(1, depth + 1))
