"""Reference implementations of comparisons of systems.

Scores of one metric at one depth are a list of rows, with one row per system and one score per
topic. A missing score is None. A test is a function of two rows that returns a p-value. All
functions use only the topics on which every system has a score. `cost` is True if lower is better.
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
    """Return pairs (i, j) in which i is significantly better."""
    p, mean = p_values(rows, test), means(rows, cost=cost)
    significant_pairs = [pair for pair in p if p[pair] < alpha]
    significant_pairs += [(j, i) for i, j in significant_pairs]
    return {(i, j) for i, j in significant_pairs if mean[i] > mean[j]}


def discrimination(rows, test, alpha):
    p = p_values(rows, test)
    return add_up(value < alpha for value in p.values()) / len(p)


def median_p(rows, test):
    return statistics.median(p_values(rows, test).values())


def coverage(new, reference, test, alpha, *, costs=(False, False)):
    significant_pairs = significant(reference, test, alpha, cost=costs[1])
    confirmed = significant_pairs & significant(new, test, alpha, cost=costs[0])
    return len(confirmed) / len(significant_pairs) if significant_pairs else float("nan")


def inversions(new, reference, test, alpha, *, costs=(False, False)):
    significant_pairs = significant(reference, test, alpha, cost=costs[1])
    mean = means(new, cost=costs[0])
    against = [(i, j) for i, j in significant_pairs if mean[j] > mean[i]]
    return len(against) / len(significant_pairs) if significant_pairs else float("nan")
