"""Metrics that ask only whether a document is relevant, and at which rank."""

from .topic import count_relevant, is_relevant, normaliser


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
