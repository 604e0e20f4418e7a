"""What metrics of subtopics read of a cube."""

from collections.abc import Iterable
from math import prod

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.layout import JUDGED, LEVEL, SUBTOPIC_GRADE, SUBTOPICS, variable
from irframe.cubes.recall_base import topic_of
from irframe.errors import MetricError
from irframe.metrics import Metric
from irframe.metrics.evidence import parameters
from irframe.metrics.subtopics import ideal_gains, stretch
from irframe.names import EMPTY, SUBTOPIC, TOPIC


def refuse_subtopics(cube: xr.Dataset, metrics: Iterable[Metric]) -> None:
    """Raise if a metric of subtopics meets plain judgments, or the other way round."""
    known = SUBTOPIC_GRADE in cube.variables
    wrong = [str(metric) for metric in metrics if metric.subtopics != known]
    if wrong and known:
        column = cube.attrs.get(SUBTOPICS, SUBTOPIC)
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


def subtopic_fields(cube: xr.Dataset, metrics: Iterable[Metric]) -> dict[str, xr.DataArray]:
    """Return what metrics of subtopics read, as fields of a `Block`."""
    chosen = [metric for metric in metrics if metric.subtopics]
    if not chosen:
        return {}
    grade = cube[SUBTOPIC_GRADE].to_numpy()
    held = [m for m in chosen if "ideal_novelty" in parameters(type(m).kernel)]
    variants = sorted({(vars(metric)["alpha"], vars(metric)["rel"]) for metric in held})
    fields = {
        "start": ((TOPIC,), cube["judged_start"].to_numpy()),
        "subtopic_grade": ((JUDGED, SUBTOPIC), grade),
        "subtopic_count": ((TOPIC, SUBTOPIC, LEVEL), _counts(cube, grade)),
        "ideal": ((TOPIC, "variant", "step"), _ideals(cube, grade, variants)),
        "ideal_of": (("variant", "parameter"), np.reshape(variants, (-1, 2)).astype(float)),
    }
    arrays = {name: xr.DataArray(variable(dims, values)) for name, (dims, values) in fields.items()}
    return {"doc": cube["doc"].reset_coords(drop=True)} | arrays


def _counts(cube: xr.Dataset, grade: NDArray[np.int8]) -> NDArray[np.int64]:
    """Count the documents of every topic by subtopic and grade, shape (topic, subtopic, level)."""
    levels, topic = cube[LEVEL].to_numpy(), topic_of(cube)
    shape = cube.sizes[TOPIC], grade.shape[1], len(levels)
    row, subtopic = np.nonzero((grade != EMPTY) & (topic >= 0)[:, np.newaxis])
    places = topic[row], subtopic, np.searchsorted(levels, grade[row, subtopic])
    found = np.bincount(np.ravel_multi_index(places, shape), minlength=prod(shape))
    return found.reshape(shape)


def _ideals(
    cube: xr.Dataset, grade: NDArray[np.int8], variants: list[tuple[float, int]]
) -> NDArray[np.float64]:
    """Return the gains of ideal rankings, shape (topic, variant, step).

    Documents that are equally good are taken from the last name on, as `ties="trec"` ranks them.
    """
    topic, topics = topic_of(cube), cube.sizes[TOPIC]
    found = []
    for alpha, rel in variants:
        rows = np.flatnonzero((grade >= rel).any(axis=1) & (topic >= 0))
        names = cube["judged_doc"].to_numpy()[rows].astype(str)
        rows = rows[np.argsort(names, kind="stable")[::-1]]
        found.append(ideal_gains(grade[rows] >= rel, topic[rows], topics, alpha))
    longest = max((gains.shape[1] for gains in found), default=0)
    whole = [stretch(gains, longest) for gains in found]
    return np.stack(whole, axis=1) if whole else np.zeros((topics, 0, 0))
