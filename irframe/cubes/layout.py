"""What a cube is made of: its variables, their dimensions and types, what stands where nothing is.

The rankings are data variables. Everything else that a cube knows is a coordinate: pandas-like
operations that mask or compute leave coordinates alone, so that a cube can be recognised, and
its numbers restored, whatever was done to its rankings.
"""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irframe.names import DEPTH, EMPTY, GRADE, PROBABILITY, STRATUM, SUBTOPIC, SYSTEM, TOPIC

variable = partial(xr.Variable, fastpath=True)
"""A variable of an array as it is: xarray would first import dask to see whether it is lazy."""

labels: Any = partial(xr.IndexVariable, fastpath=True)
"""The labels of a dimension, likewise."""

JUDGED = "judged"
"""Dimension along the recall bases: the judged documents of all topics, see `recall_base`."""
FILED = "filed_rank"
"""Dimension along what a run put into the pool."""
LEVEL = "level"
"""Dimension of the distinct judged grades, ascending."""
SPAN = "span"
"""Dimension along the spans of ranks that have a checksum each, see `checksums`."""

CELL = (SYSTEM, TOPIC, DEPTH)
LIST = (SYSTEM, TOPIC)


class Part(NamedTuple):
    """One variable of a cube."""

    dims: tuple[str, ...]
    dtype: Any
    fill: Any
    """What stands where there is nothing."""


RANKINGS = {
    GRADE: Part(CELL, np.int8, EMPTY),
    "doc": Part(CELL, np.int32, -1),
    "tied": Part(CELL, np.bool_, fill=False),
}
"""The data variables: grade, place in the recall base, and same score as one rank above."""

LISTS = ("retrieved", "unjudged", "tail", "tail_size")
"""What is known of each list: how long it is, and what is tied with its last rank."""

CHECKSUMS: dict[str, Part] = {
    "checksum": Part(LIST, np.int32, 0),
    "rank_checksum": Part((*LIST, SPAN), np.int32, 0),
}
"""The coordinates by which it is seen whether the others are as they were."""

FACTS = {
    "retrieved": Part(LIST, np.int32, 0),
    "unjudged": Part(LIST, np.int32, 0),
    "took_part": Part(LIST, np.bool_, fill=False),
    "tail": Part((*LIST, LEVEL), np.int32, 0),
    "tail_size": Part(LIST, np.int32, 0),
    "filed": Part((*LIST, FILED), np.int32, -1),
    "judged_start": Part((TOPIC,), np.int64, 0),
    "judged_count": Part((TOPIC,), np.int32, 0),
    "judged_doc": Part((JUDGED,), object, ""),
    "judged_grade": Part((JUDGED,), np.int8, EMPTY),
    "pool_rank": Part((JUDGED,), np.int32, 0),
    "top": Part((TOPIC,), np.int16, 1),
    "pool_depth": Part((TOPIC,), np.int32, 0),
    "contributing": Part((SYSTEM,), np.bool_, fill=False),
    **CHECKSUMS,
}
"""The coordinates that are no labels; see `irframe.cube`."""

PARTS = RANKINGS | FACTS

SUBTOPIC_GRADE = "subtopic_grade"
"""Grades by subtopic, which only cubes of judgments by subtopic have."""
SUBTOPICS = "subtopics"
"""Attribute of such a cube: the column from which it has its subtopics."""
SOMETIMES = {
    SUBTOPIC_GRADE: Part((JUDGED, SUBTOPIC), np.int8, EMPTY),
    STRATUM: Part((JUDGED,), object, ""),
    PROBABILITY: Part((JUDGED,), np.float64, np.nan),
}
"""Coordinates that not every cube has. The subtopics of a topic are numbered, without labels."""

LAZY = (*RANKINGS, "tail", "tail_size", "filed", "rank_checksum")
"""What stays where it is until it is wanted in a cube larger than memory; the rest is small."""

UNKNOWN = -1
"""Of the unjudged documents of a list: how many there are below the last depth is not known."""

SAVED = "saved"
"""Attribute by which a saved cube says whether all of it was written, and of what, as JSON."""

PROVENANCE = (
    "ties",
    "score_dtype",
    "seed",
    "topics",
    "collection",
    "rel",
    "depth",
    "pool",
    "irframe",
)
"""Attributes of a cube that say how it was made, and that scores and results carry on."""
