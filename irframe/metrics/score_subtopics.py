"""One ranking of documents that cover subtopics, scored without any frame."""

from collections.abc import Collection, Hashable, Sequence

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.metrics.subtopics import ideal_gains


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
    grade = np.array([[name in document for name in names] for document in documents], np.int8)
    grade = grade.reshape(len(documents), len(names))
    found = np.asarray(grade.any(axis=1))
    alpha = getattr(metric, "alpha", 0.0)
    ideal = ideal_gains(grade > 0, np.zeros(len(grade), int), 1, alpha)
    block = Block(
        grade=found[: len(ranking)].astype(np.int8),
        retrieved=np.array(len(ranking)),
        levels=np.array([0, 1]),
        count=np.array([(~found).sum(), found.sum()]),
        top=1,
        doc=np.arange(len(ranking)),
        start=np.array(0),
        subtopic_grade=grade,
        subtopic_count=np.stack([(grade == level).sum(axis=0) for level in (0, 1)], axis=-1),
        ideal=ideal,
        ideal_of=np.array([[alpha, 1.0]]),
    )
    return metric.score(Evidence(block))
