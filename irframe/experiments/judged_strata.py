"""What metrics of strata read of judgments."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import GradeError, warn
from irframe.experiments.judged_subtopics import count_grades
from irframe.files.ids import Codes
from irframe.metrics import Metric
from irframe.metrics.evidence import parameters
from irframe.metrics.facts import facts
from irframe.names import EMPTY
from irframe.warned import listing


def reads_strata(metrics: Iterable[Metric]) -> bool:
    """Return whether a metric reads strata."""
    return any("strata" in parameters(type(metric).kernel) for metric in metrics)


def tell_sampled(
    metrics: Iterable[Metric], grade: NDArray[Any], probability: NDArray[np.float64] | None
) -> None:
    """Warn of metrics that take what was not drawn to be judged for not relevant.

    Parameters
    ----------
    metrics
        The metrics asked for.
    grade, probability
        Of every document of recall bases that have strata or probabilities, below 0 and less than
        1 where documents were not drawn, or might not have been.
    """
    drawn = np.ones(1) if probability is None else probability
    if not ((grade < 0) & (grade > EMPTY)).any() and not (drawn < 1).any():
        return
    misled = [str(metric) for metric in metrics if not _holds(metric)]
    if misled:
        warn(
            "a sample of the pool was judged, and the rest is not relevant to "
            f"{listing(misled)}; infAP and infNDCG, and estimate for P, DCG and RBP, infer from "
            "samples"
        )


def _holds(metric: Metric) -> bool:
    """Return whether a metric infers, reads the judged alone, or only counts."""
    known = facts(metric)
    inferred = metric.judged_only or reads_strata([metric]) or known.summary == "sum"
    return inferred or known.order in {"preference", "judged"}


def strata_of(
    label: NDArray[Any],
    grade: NDArray[np.int8],
    topic: Codes,
    topics: pd.Index,
    levels: NDArray[Any],
    *,
    complete: bool = False,
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
    complete
        Whether to refuse strata of which no document was judged, instead of a warning.

    Returns
    -------
    dict
        ``stratum`` (judged,), numbered in every topic, and ``stratum_count`` (topic, stratum,
        level).

    Raises
    ------
    GradeError
        If no document of a stratum was judged, where that is refused.
    """
    code, labels = pd.factorize(label, sort=True)  # the order in which sample_eval.pl sums
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
    empty = (count.sum(axis=-1) > 0) & (count[..., levels >= 0].sum(axis=-1) == 0)
    topic_of, number = np.nonzero(empty)
    if len(topic_of):
        named = labels[known % max(1, len(labels))][first[topic_of] + number]
        pairs = zip(named, topics[topic_of], strict=True)
        _tell_unjudged([f"{name} of topic {each}" for name, each in pairs], topic_of, complete)
    return {"stratum": place.astype(np.int32), "stratum_count": count}


def _tell_unjudged(named: list[str], topic: NDArray[Any], complete: bool) -> None:  # noqa: FBT001
    """Warn of strata of which no document was judged, or refuse them."""
    if not complete:
        warn(
            "infAP and infNDCG leave out strata of which nothing was judged, in "
            f"{len(np.unique(topic))} topics: {listing(named)}"
        )
        return
    advice = "judge some of it, give it the stratum of others, or leave its documents out"
    raise GradeError(
        "a judged document in every stratum", f"{len(named)} strata without", advice, named
    )
