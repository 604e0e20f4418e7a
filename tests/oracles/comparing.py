"""Comparisons of systems as slow loops over pairs, written from their definitions.

Scores of one metric at one depth are a list of rows, one per system, of topic scores; None marks
a missing score. A test takes two rows and gives a p-value. Everything looks at the topics on
which every system has a score; `cost` says that lower is better.
"""

import itertools
import statistics

from .topic import add_up


def common(rows):
    topics = [t for t in range(len(rows[0])) if all(row[t] is not None for row in rows)]
    return [[row[t] for t in topics] for row in rows]


def means(rows, *, cost=False):
    sign = -1 if cost else 1
    return [round(sign * add_up(row) / len(row), 12) for row in common(rows)]


def p_values(rows, test):
    rows = common(rows)
    return {(i, j): test(rows[i], rows[j]) for i, j in pairs(rows)}


def pairs(rows):
    return list(itertools.combinations(range(len(rows)), 2))


def significant(rows, test, alpha, *, cost=False):
    """Return the set of (i, j), i significantly better than j."""
    p, mean = p_values(rows, test), means(rows, cost=cost)
    told = [pair for pair in p if p[pair] < alpha]
    told += [(j, i) for i, j in told]
    return {(i, j) for i, j in told if mean[i] > mean[j]}


def discrimination(rows, test, alpha):
    p = p_values(rows, test)
    return add_up(value < alpha for value in p.values()) / len(p)


def median_p(rows, test):
    return statistics.median(p_values(rows, test).values())


def coverage(new, reference, test, alpha, *, costs=(False, False)):
    told = significant(reference, test, alpha, cost=costs[1])
    confirmed = told & significant(new, test, alpha, cost=costs[0])
    return len(confirmed) / len(told) if told else float("nan")


def inversions(new, reference, test, alpha, *, costs=(False, False)):
    told = significant(reference, test, alpha, cost=costs[1])
    mean = means(new, cost=costs[0])
    against = [(i, j) for i, j in told if mean[j] > mean[i]]
    return len(against) / len(told) if told else float("nan")
