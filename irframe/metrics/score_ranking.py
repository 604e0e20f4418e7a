"""One ranking, scored without any frame."""

from collections.abc import Sequence

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.names import EMPTY, UNJUDGED


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
    row = np.full(length, EMPTY, dtype=np.int8)
    row[: len(grades)] = [UNJUDGED if grade is None else grade for grade in grades][:length]
    block = Block(
        grade=row,
        retrieved=np.array(min(len(grades), length)),
        levels=levels,
        count=count,
        top=top or max([1, *base.tolist()]),
    )
    return metric.score(Evidence(block))
