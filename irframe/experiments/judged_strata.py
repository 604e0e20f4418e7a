"""What metrics of strata read of judgments."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import GradeError
from irframe.experiments.judged_subtopics import count_grades
from irframe.files.ids import Codes
from irframe.metrics import Metric
from irframe.metrics.evidence import parameters
from irframe.names import EMPTY


def reads_strata(metrics: Iterable[Metric]) -> bool:
    """Return whether a metric reads strata."""
    return any("strata" in parameters(type(metric).kernel) for metric in metrics)


def strata_of(
    label: NDArray[Any],
    grade: NDArray[np.int8],
    topic: Codes,
    topics: pd.Index,
    levels: NDArray[Any],
) -> dict[str, Any]:
    """Return the fields of an `irframe.metrics.Block` that say which strata a pool has.

    Parameters
    ----------
    label, grade, topic
        Of every judged document its stratum, its grade and its topic, -1 for one left out.
    topics
        The topics.
    levels
        The grades that occur, ascending.

    Returns
    -------
    dict
        ``stratum`` (judged,), numbered in every topic, and ``stratum_count`` (topic, stratum,
        level).

    Raises
    ------
    GradeError
        If no document of a stratum was judged, so that nothing can be said of it.
    """
    code, labels = pd.factorize(label, sort=True)
    here = np.where(grade == EMPTY, -1, topic)
    pair = here.astype(np.int64) * len(labels) + code
    known = np.unique(pair[here >= 0])
    first = np.searchsorted(known // max(1, len(labels)), np.arange(len(topics)))
    place = np.where(here >= 0, np.searchsorted(known, pair) - first[here], -1)
    width = int(place.max(initial=0)) + 1
    spread = np.full((len(grade), width), EMPTY, np.int8)
    inside = np.flatnonzero(place >= 0)
    spread[inside, place[inside]] = grade[inside]
    count = count_grades(spread, here, len(topics), levels)
    _refuse_unjudged(count, levels, topics, labels[known % max(1, len(labels))], first)
    return {"stratum": place.astype(np.int32), "stratum_count": count}


def _refuse_unjudged(
    count: NDArray[np.int64],
    levels: NDArray[Any],
    topics: pd.Index,
    named: NDArray[Any],
    first: Codes,
) -> None:
    """Raise for strata of which no document was judged."""
    empty = (count.sum(axis=-1) > 0) & (count[..., levels >= 0].sum(axis=-1) == 0)
    topic, place = np.nonzero(empty)
    if len(topic):
        names = named[first[topic] + place]
        offenders = [
            f"{name} of topic {each}" for name, each in zip(names, topics[topic], strict=True)
        ]
        advice = "judge some of it, give it the stratum of others, or leave its documents out"
        raise GradeError(
            "a judged document in every stratum", f"{len(topic)} strata without", advice, offenders
        )
