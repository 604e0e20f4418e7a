"""Counts, and the metrics of the retrieved documents as a set: no rank but the cut at k."""

import math

from .binary import recall
from .graded import precision
from .topic import Topic, count_relevant, is_relevant


def harmonic(P: float, R: float, beta: float) -> float:
    """Return F: the harmonic mean of precision and recall, recall weighted beta times."""
    return (1 + beta**2) * P * R / (beta**2 * P + R) if P and R else 0.0


def f_measure(topic: Topic, k: int, *, beta: float = 1.0, rel: int = 1) -> float:
    """F of P@k and Recall@k."""
    return harmonic(precision(topic, k, rel=rel), recall(topic, k, rel=rel), beta)


def set_precision(topic: Topic, k: int, *, rel: int = 1) -> float:
    """SetP: relevant share of what was retrieved within k."""
    retrieved = number_retrieved(topic, k)
    return count_relevant(topic.serp[:k], rel) / retrieved if retrieved else 0.0


def set_f(topic: Topic, k: int, *, beta: float = 1.0, rel: int = 1) -> float:
    """SetF: F of SetP and recall."""
    return harmonic(set_precision(topic, k, rel=rel), recall(topic, k, rel=rel), beta)


def judged(topic: Topic, k: int) -> float:
    """Judged: share of what was retrieved within k that has a judgment."""
    retrieved = topic.serp[:k]
    return sum(grade is not None for grade in retrieved) / len(retrieved) if retrieved else 0.0


def number_retrieved(topic: Topic, k: int) -> float:
    """NumRet: documents retrieved within k."""
    return float(min(k, len(topic.serp)))


def number_relevant(topic: Topic, k: int, *, rel: int = 1) -> float:  # noqa: ARG001
    """NumRel: relevant documents known, at every depth."""
    return float(count_relevant(topic.judged, rel))


def number_relevant_retrieved(topic: Topic, k: int, *, rel: int = 1) -> float:
    """NumRelRet: relevant documents retrieved within k."""
    return float(count_relevant(topic.serp[:k], rel))


def number_topics(topic: Topic, k: int) -> float:  # noqa: ARG001
    """NumQ: one for every topic, so that the sum counts them."""
    return 1.0


def accuracy(topic: Topic, k: int, *, rel: int = 1) -> float:
    """Return the share of pairs, relevant and not, retrieved within k, in the right order."""
    listed = [is_relevant(grade, rel) for grade in topic.serp[:k]]
    pairs = [upper for i, upper in enumerate(listed) for lower in listed[i + 1 :] if upper != lower]
    return sum(pairs) / len(pairs) if pairs else math.nan


def all_found(topic: Topic, k: int, *, share: float = 1.0, rel: int = 1) -> float:
    """All: whether enough of the relevant documents is within k; nothing where there are none."""
    relevant = count_relevant(topic.judged, rel)
    if not relevant:
        return float("nan")
    return float(count_relevant(topic.serp[:k], rel) >= share * relevant - 1e-9)
