"""What metrics of subtopics read of a cube."""

from collections.abc import Iterable

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.layout import LEVEL, SUBTOPIC_GRADE, SUBTOPICS
from irframe.cubes.recall_base import topic_of
from irframe.experiments.judged_subtopics import count_grades, ideals, refuse, variants
from irframe.metrics import Metric
from irframe.names import SUBTOPIC, TOPIC


def refuse_subtopics(cube: xr.Dataset, metrics: Iterable[Metric]) -> None:
    """Raise if a metric of subtopics meets plain judgments, or the other way round."""
    column = str(cube.attrs.get(SUBTOPICS, SUBTOPIC))
    refuse(metrics, column if SUBTOPIC_GRADE in cube.variables else None)


def subtopic_fields(cube: xr.Dataset, metrics: Iterable[Metric]) -> dict[str, Array]:
    """Return what metrics of subtopics read, as fields of a `Block`."""
    chosen = [metric for metric in metrics if metric.subtopics]
    if not chosen:
        return {}
    grade, levels = cube[SUBTOPIC_GRADE].to_numpy(), cube[LEVEL].to_numpy()
    topic, topics, wanted = topic_of(cube), cube.sizes[TOPIC], variants(chosen)
    ideal = ideals(grade, topic, topics, cube["judged_doc"].to_numpy(), wanted)
    return {
        "doc": cube["doc"].variable.data,
        "start": cube["judged_start"].to_numpy(),
        "subtopic_grade": grade,
        "subtopic_count": count_grades(grade, topic, topics, levels),
        "ideal": ideal,
        "ideal_of": np.reshape(wanted, (-1, 2)).astype(float),
    }
