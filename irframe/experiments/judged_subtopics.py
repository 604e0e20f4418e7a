"""What metrics of subtopics read of judgments."""

from collections.abc import Iterable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.errors import MetricError
from irframe.files.ids import Codes
from irframe.metrics import Metric
from irframe.metrics.evidence import parameters
from irframe.metrics.subtopics import ideal_gains, stretch
from irframe.names import EMPTY


def refuse(metrics: Iterable[Metric], column: str | None) -> None:
    """Raise if a metric of subtopics meets plain judgments, or the other way round.

    Parameters
    ----------
    metrics
        The metrics.
    column
        The column that names subtopics in the qrels, None where there is none.
    """
    wrong = [str(metric) for metric in metrics if metric.subtopics != (column is not None)]
    if wrong and column is not None:
        advice = (
            f"score IA(metric={wrong[0]!r}), the mean over subtopics; or keep the best grade of "
            "each document, qrels.groupby([topic, doc])[grade].max(); or rename the column "
            f"{column!r} if it holds something else"
        )
        found = f"subtopics, for which the column {column!r} of the qrels was taken,"
        raise MetricError("judgments without subtopics for plain metrics", found, advice, wrong)
    if wrong:
        advice = (
            "call their column subtopic, intent or aspect, or read the second column of a TREC "
            "file with read_qrels(path, subtopics=True)"
        )
        raise MetricError("judgments with subtopics", "none for", advice, wrong)


def variants(metrics: Iterable[Metric]) -> list[tuple[float, int]]:
    """Return for which alpha and lowest relevant grade metrics ask for ideal rankings."""
    held = [m for m in metrics if "ideal_novelty" in parameters(type(m).kernel)]
    return sorted({(vars(metric)["alpha"], vars(metric)["rel"]) for metric in held})


def count_grades(
    grade: NDArray[np.int8], topic: Codes, topics: int, levels: NDArray[Any]
) -> NDArray[np.int64]:
    """Count the documents of every topic by subtopic and grade.

    Parameters
    ----------
    grade
        Grades of judged documents, shape (judged, subtopic).
    topic
        The topic of each, -1 for one that is left out.
    topics
        How many topics there are.
    levels
        The grades that occur, ascending.

    Returns
    -------
    numpy.ndarray
        Shape (topic, subtopic, level).
    """
    shape = topics, grade.shape[1], len(levels)
    row, subtopic = np.nonzero((grade != EMPTY) & (topic >= 0)[:, np.newaxis])
    places = topic[row], subtopic, np.searchsorted(levels, grade[row, subtopic])
    found = np.bincount(np.ravel_multi_index(places, shape), minlength=prod(shape))
    return found.reshape(shape)


def ideals(
    grade: NDArray[np.int8],
    topic: Codes,
    topics: int,
    doc: NDArray[Any],
    wanted: list[tuple[float, int]],
) -> NDArray[np.float64]:
    """Return the gains of ideal rankings, shape (topic, variant, step).

    Documents that are equally good are taken from the last name on, as `ties="trec"` ranks them.

    Parameters
    ----------
    grade, topic, topics
        As for `count_grades`.
    doc
        The name of each judged document.
    wanted
        What `variants` gives.
    """
    found = []
    for alpha, rel in wanted:
        rows = np.flatnonzero((grade >= rel).any(axis=1) & (topic >= 0))
        rows = rows[np.argsort(doc[rows].astype(str), kind="stable")[::-1]]
        found.append(ideal_gains(grade[rows] >= rel, topic[rows], topics, alpha))
    longest = max((gains.shape[1] for gains in found), default=0)
    whole = [stretch(gains, longest) for gains in found]
    return np.stack(whole, axis=1) if whole else np.zeros((topics, 0, 0))
