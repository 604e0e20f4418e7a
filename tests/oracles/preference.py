"""Metrics for incomplete judgments: bpref and inferred AP."""

from .addition import add_up
from .topic import count_relevant, is_relevant

EPSILON = 0.00001


def binary_preference(topic, k, *, variant="trec", rel=1):
    """Bpref: share of judged non-relevant documents kept below each relevant one, cut at k.

    Every negative grade counts as not judged.
    """
    R = count_relevant(topic.judged, rel)
    N = add_up(grade >= 0 for grade in topic.judged) - R
    above, total = 0, 0.0
    for grade in topic.serp[:k]:
        if is_relevant(grade, rel):
            bound = {"trec": min(R, N), "2004": R}[variant]
            total += 1 - min(above, R) / bound if above else 1
        elif grade is not None and grade >= 0:
            above += 1
    return total / R if R else 0.0


def inferred_average_precision(topic, k, *, rel=1):
    """InfAP: AP expected from a judged sample of the pool, cut at k.

    A negative grade is a document of the pool that was not in the sample; None is one outside
    the pool.
    """
    R = count_relevant(topic.judged, rel)
    relevant = nonrelevant = unsampled = 0
    total = 0.0
    for above, grade in enumerate(topic.serp[:k]):
        if grade is not None and grade < 0:
            unsampled += 1
        elif is_relevant(grade, rel):
            pooled = relevant + nonrelevant + unsampled
            share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
            total += (1 + (pooled * share if above else 0)) / (above + 1)
            relevant += 1
        elif grade is not None:
            nonrelevant += 1
    return total / R if R else 0.0
