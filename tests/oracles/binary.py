"""Reference implementations of metrics for binary relevance."""

import math

from .graded import precision
from .topic import add_up, count_relevant, is_relevant, normaliser


def recall(topic, k, *, rel=1):
    """Return Recall."""
    R = count_relevant(topic.judged, rel)
    return count_relevant(topic.serp[:k], rel) / R if R else 0.0


def success(topic, k, *, rel=1):
    """Return Success."""
    return float(any(is_relevant(grade, rel) for grade in topic.serp[:k]))


def reciprocal_rank(topic, k, *, rel=1):
    """Return RR, the reciprocal of the first relevant rank."""
    for rank, grade in enumerate(topic.serp[:k], start=1):
        if is_relevant(grade, rel):
            return 1 / rank
    return 0.0


def r_precision(topic, k, *, rel=1):
    """Return Rprec of the list cut at k."""
    R = count_relevant(topic.judged, rel)
    return count_relevant(topic.serp[:k][:R], rel) / R if R else 0.0


def average_precision(topic, k, *, norm="R", rel=1):
    """Return AP: precisions at relevant ranks, divided by N."""
    N = normaliser(topic, k, norm, rel)
    result, total = 0, 0.0
    for rank, grade in enumerate(topic.serp[:k], start=1):
        if is_relevant(grade, rel):
            result += 1
            total += result / rank
    return total / N if N else 0.0


def interpolated_precision(topic, k, *, recall=0.0, rounding="up", rel=1):
    """Return IPrec, the best precision at a sufficient recall."""
    R = count_relevant(topic.judged, rel)
    needed = int(recall * R + {"up": 0.9, "nearest": 0.5}[rounding])
    best = 0.0
    for rank in range(1, min(k, len(topic.serp)) + 1):
        result = count_relevant(topic.serp[:rank], rel)
        if result >= needed:
            best = max(best, result / rank)
    return best


def harmonic(P, R, beta):
    """Return the F measure of precision and recall."""
    return (1 + beta**2) * P * R / (beta**2 * P + R) if P and R else 0.0


def f_measure(topic, k, *, beta=1.0, rel=1):
    """Return F of P@k and Recall@k."""
    return harmonic(precision(topic, k, rel=rel), recall(topic, k, rel=rel), beta)


def set_precision(topic, k, *, rel=1):
    """Return SetP, the precision of the retrieved set."""
    retrieved = number_retrieved(topic, k)
    return count_relevant(topic.serp[:k], rel) / retrieved if retrieved else 0.0


def set_f(topic, k, *, beta=1.0, rel=1):
    """Return SetF, the F measure of SetP and recall."""
    return harmonic(set_precision(topic, k, rel=rel), recall(topic, k, rel=rel), beta)


def judged(topic, k):
    """Return Judged, the share of judged documents."""
    retrieved = topic.serp[:k]
    return add_up(grade is not None for grade in retrieved) / len(retrieved) if retrieved else 0.0


def number_retrieved(topic, k):
    """Return NumRet."""
    return float(min(k, len(topic.serp)))


def number_relevant(topic, k, *, rel=1):  # noqa: ARG001
    """Return NumRel, the same at every depth."""
    return float(count_relevant(topic.judged, rel))


def number_relevant_retrieved(topic, k, *, rel=1):
    """Return NumRelRet."""
    return float(count_relevant(topic.serp[:k], rel))


def number_topics(topic, k):  # noqa: ARG001
    """Return NumQ, which is 1 for every topic."""
    return 1.0


def accuracy(topic, k, *, rel=1):
    """Return Accuracy, the share of correctly ordered pairs."""
    listed = [is_relevant(grade, rel) for grade in topic.serp[:k]]
    pairs = [upper for i, upper in enumerate(listed) for lower in listed[i + 1 :] if upper != lower]
    return add_up(pairs) / len(pairs) if pairs else math.nan


def all_found(topic, k, *, share=1.0, rel=1):
    """Return All, NaN without relevant documents."""
    relevant = count_relevant(topic.judged, rel)
    if not relevant:
        return float("nan")
    return float(count_relevant(topic.serp[:k], rel) >= share * relevant - 1e-9)
