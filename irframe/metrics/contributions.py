"""One ranking scored without any frame, and what each of its documents adds.

Verbs: score_ranking, score_subtopics.
"""

from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from irframe.arrays import Floats, Grade
from irframe.errors import MetricError
from irframe.metrics.base import METRICS, Metric
from irframe.metrics.block import Block, close_up
from irframe.metrics.evidence import Evidence
from irframe.metrics.subtopics import ideal_gains
from irframe.names import EMPTY, UNJUDGED


def refuse_without_terms(metrics: Iterable[Metric]) -> None:
    """Raise for metrics that are no sum of what documents add.

    Examples
    --------
    >>> from irframe.metrics import AP, F
    >>> refuse_without_terms([AP(), F()])
    Traceback (most recent call last):
    ...
    irframe.errors.MetricError: wanted metrics that are sums over documents: ...; found F...
    """
    refused = [str(metric) for metric in metrics if metric.terms is None]
    if refused:
        known = [name for name, metric in METRICS.items() if metric.terms is not None]
        wanted = f"metrics that are sums over documents: {', '.join(sorted(known))}"
        raise MetricError(wanted, "", "", refused)


def added_by_rank(metric: Metric, evidence: Evidence) -> Floats:
    """Return what each rank adds to the score at the last depth of rankings; (..., depth)."""
    added: Floats = getattr(metric, "terms")(**evidence.read(metric, "terms"))  # noqa: B009
    return added


def contributions(metric: Metric, block: Block, depth: int) -> Floats:
    """Return what the document at each rank adds to a score.

    Parameters
    ----------
    metric
        A metric that has terms.
    block
        Rankings of one top grade, in the one order they have.
    depth
        Evaluation depth; that of the metric, if it has one, counts where it is smaller.

    Returns
    -------
    numpy.ndarray
        Shape (..., depth of the block), 0 where a rank is not read. The sum over ranks is the
        score at the depth; NaN where there is none.

    Raises
    ------
    MetricError
        For a metric that is no such sum.

    Examples
    --------
    >>> from irframe.metrics import AP
    >>> block = Block(
    ...     grade=np.array([[1, 0, 1]], dtype=np.int16),
    ...     retrieved=np.array([3]),
    ...     levels=np.array([0, 1]),
    ...     count=np.array([[1, 2]]),
    ...     top=1,
    ... )
    >>> contributions(AP(), block, 3).round(3)
    array([[0.5  , 0.   , 0.333]])
    """
    refuse_without_terms([metric])
    seen = block.condensed() if metric.judged_only else block
    shown = min(depth, metric.depth or depth, block.grade.shape[-1])
    doc = None if seen.doc is None else seen.doc[..., :shown]
    evidence = Evidence(replace(seen.cut(shown), doc=doc))
    added = np.zeros(block.grade.shape)
    added[..., :shown] = added_by_rank(metric, evidence)
    if metric.judged_only:
        order, *_ = close_up(block.grade, np.zeros(block.grade.shape, bool))
        np.put_along_axis(added, order, added.copy(), axis=-1)
    return added


def score_ranking(
    metric: Metric,
    grades: Sequence[int | None],
    judged: Sequence[int] | None = None,
    *,
    depth: int | None = None,
    top: int | None = None,
) -> Floats:
    """Score one ranking at every depth.

    Parameters
    ----------
    metric
        The metric.
    grades
        Grades from the best rank down, None where unjudged.
    judged
        All judged grades of the topic; by default those in the ranking.
    depth
        How many depths; by default as long as the ranking.
    top
        Highest grade of the collection; by default the highest one judged, at least 1.

    Returns
    -------
    numpy.ndarray
        Scores, shape (depth,).

    Examples
    --------
    >>> from irframe.metrics import RR
    >>> score_ranking(RR(), [0, None, 1])
    array([0.        , 0.        , 0.33333333])
    """
    base = np.array([g for g in grades if g is not None] if judged is None else judged, int)
    levels, count = np.unique(base, return_counts=True)
    length = depth or len(grades)
    row = np.full(length, EMPTY, dtype=Grade)
    row[: len(grades)] = [UNJUDGED if grade is None else grade for grade in grades][:length]
    block = Block(
        grade=row,
        retrieved=np.array(min(len(grades), length)),
        levels=levels,
        count=count,
        top=top or max([1, *base.tolist()]),
    )
    return metric.score(Evidence(block))


def score_subtopics(
    metric: Metric,
    ranking: Sequence[Collection[Hashable]],
    missed: Sequence[Collection[Hashable]] = (),
) -> Floats:
    """Score one ranking by subtopics at every depth.

    Parameters
    ----------
    metric
        A metric of subtopics.
    ranking
        The subtopics that every document is relevant to, from the best rank down.
    missed
        The same of judged documents that are not retrieved.

    Returns
    -------
    numpy.ndarray
        Scores, shape (depth,).

    Examples
    --------
    >>> from irframe.metrics import StRecall
    >>> score_subtopics(StRecall(), [{"jaguar the cat"}, {}], missed=[{"Jaguar the car"}])
    array([0.5, 0.5])
    """
    documents = [*ranking, *missed]
    names = list(dict.fromkeys(name for document in documents for name in document))
    grade = np.array([[name in document for name in names] for document in documents], Grade)
    grade = grade.reshape(len(documents), len(names))
    relevant = np.asarray(grade.any(axis=1))
    alpha = getattr(metric, "alpha", 0.0)
    ideal = ideal_gains(grade > 0, np.zeros(len(grade), int), 1, alpha)
    block = Block(
        grade=relevant[: len(ranking)].astype(Grade),
        retrieved=np.array(len(ranking)),
        levels=np.array([0, 1]),
        count=np.array([(~relevant).sum(), relevant.sum()]),
        top=1,
        doc=np.arange(len(ranking)),
        start=np.array(0),
        subtopic_grade=grade,
        subtopic_count=np.stack([(grade == level).sum(axis=0) for level in (0, 1)], axis=-1),
        ideal=ideal,
        ideal_of=np.array([[alpha, 1.0]]),
    )
    return metric.score(Evidence(block))
