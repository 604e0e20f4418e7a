"""Metrics that ask only whether a document is relevant: by its rank, and of a set cut at k."""

import math

from .graded import precision
from .topic import add_up, count_relevant, is_relevant, normaliser


def recall(topic, k, *, rel=1):
    """Recall: relevant documents in the top k, over R."""
    R = count_relevant(topic.judged, rel)
    return count_relevant(topic.serp[:k], rel) / R if R else 0.0


def success(topic, k, *, rel=1):
    """Success: 1 if the top k hold a relevant document."""
    return float(any(is_relevant(grade, rel) for grade in topic.serp[:k]))


def reciprocal_rank(topic, k, *, rel=1):
    """RR: 1 over the rank of the first relevant document within k."""
    for rank, grade in enumerate(topic.serp[:k], start=1):
        if is_relevant(grade, rel):
            return 1 / rank
    return 0.0


def r_precision(topic, k, *, rel=1):
    """Rprec: precision at rank R of the list cut at k."""
    R = count_relevant(topic.judged, rel)
    return count_relevant(topic.serp[:k][:R], rel) / R if R else 0.0


def average_precision(topic, k, *, norm="R", rel=1):
    """AP: precision at each relevant document within k, summed and divided by N."""
    N = normaliser(topic, k, norm, rel)
    found, total = 0, 0.0
    for rank, grade in enumerate(topic.serp[:k], start=1):
        if is_relevant(grade, rel):
            found += 1
            total += found / rank
    return total / N if N else 0.0


def interpolated_precision(topic, k, *, recall=0.0, rounding="up", rel=1):
    """IPrec: the best precision at any rank within k where the wanted recall is reached."""
    R = count_relevant(topic.judged, rel)
    wanted = int(recall * R + {"up": 0.9, "nearest": 0.5}[rounding])
    best = 0.0
    for rank in range(1, min(k, len(topic.serp)) + 1):
        found = count_relevant(topic.serp[:rank], rel)
        if found >= wanted:
            best = max(best, found / rank)
    return best


def harmonic(P, R, beta):
    """Return F: the harmonic mean of precision and recall, recall weighted beta times."""
    return (1 + beta**2) * P * R / (beta**2 * P + R) if P and R else 0.0


def f_measure(topic, k, *, beta=1.0, rel=1):
    """F of P@k and Recall@k."""
    return harmonic(precision(topic, k, rel=rel), recall(topic, k, rel=rel), beta)


def set_precision(topic, k, *, rel=1):
    """SetP: relevant share of what was retrieved within k."""
    retrieved = number_retrieved(topic, k)
    return count_relevant(topic.serp[:k], rel) / retrieved if retrieved else 0.0


def set_f(topic, k, *, beta=1.0, rel=1):
    """SetF: F of SetP and recall."""
    return harmonic(set_precision(topic, k, rel=rel), recall(topic, k, rel=rel), beta)


def judged(topic, k):
    """Judged: share of what was retrieved within k that has a judgment."""
    retrieved = topic.serp[:k]
    return add_up(grade is not None for grade in retrieved) / len(retrieved) if retrieved else 0.0


def number_retrieved(topic, k):
    """NumRet: documents retrieved within k."""
    return float(min(k, len(topic.serp)))


def number_relevant(topic, k, *, rel=1):  # noqa: ARG001
    """NumRel: relevant documents known, at every depth."""
    return float(count_relevant(topic.judged, rel))


def number_relevant_retrieved(topic, k, *, rel=1):
    """NumRelRet: relevant documents retrieved within k."""
    return float(count_relevant(topic.serp[:k], rel))


def number_topics(topic, k):  # noqa: ARG001
    """NumQ: one for every topic, so that the sum counts them."""
    return 1.0


def accuracy(topic, k, *, rel=1):
    """Return the share of pairs, relevant and not, retrieved within k, in the right order."""
    listed = [is_relevant(grade, rel) for grade in topic.serp[:k]]
    pairs = [upper for i, upper in enumerate(listed) for lower in listed[i + 1 :] if upper != lower]
    return add_up(pairs) / len(pairs) if pairs else math.nan


def all_found(topic, k, *, share=1.0, rel=1):
    """All: whether enough of the relevant documents is within k; nothing where there are none."""
    relevant = count_relevant(topic.judged, rel)
    if not relevant:
        return float("nan")
    return float(count_relevant(topic.serp[:k], rel) >= share * relevant - 1e-9)
