"""Labels on the arrays of a cube, and what it knows of judgments and pools."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr

from irframe.cubes.checksums import sealed
from irframe.cubes.contribution import Contribution
from irframe.cubes.layout import (
    FACTS,
    LEVEL,
    PARTS,
    SOMETIMES,
    SUBTOPIC_GRADE,
    SUBTOPICS,
    labels,
    variable,
)
from irframe.cubes.recall_base import starts
from irframe.cubes.topics import Selection
from irframe.experiments.policy import Policy
from irframe.frames.ids import Codes
from irframe.frames.tables import QrelsTable
from irframe.names import (
    DEPTH,
    GRADE,
    PROBABILITY,
    STRATUM,
    SUBTOPIC,
    SYSTEM,
    TOPIC,
    VERSION,
)


def label(
    systems: pd.Index,
    judgments: QrelsTable,
    selection: Selection,
    contribution: Contribution,
    filed: Callable[[int], Any],
    cells: Mapping[str, Any],
    policy: Policy,
) -> xr.Dataset:
    """Put labels on the arrays of a cube, and add what it knows of judgments and pools.

    Parameters
    ----------
    systems
        The systems.
    judgments, selection, contribution
        The judgments, the topics of the cube, and what contributing runs put into the pool.
    filed
        Gives the coordinate of this name for a pool of some depth.
    cells
        The other variables over systems and topics; those over ranks may be lazy.
    policy
        How the cube is made.
    """
    longest = int(cells["retrieved"].max(initial=0))
    pool_depth = contribution.depth(selection, longest, policy.pool_depth)
    rows, count = selection.judged, selection.judged_count
    pool_rank = contribution.rank(len(judgments.grade))[rows]
    values = dict(cells) | {
        "judged_start": starts(count),
        "judged_count": count,
        "judged_doc": judgments.doc.take(pa.array(rows)).to_numpy(),
        "judged_grade": judgments.grade[rows],
        "pool_rank": pool_rank,
        "filed": filed(min(int(pool_depth.max(initial=0)), longest)),
        "top": selection.top,
        "pool_depth": pool_depth,
        "contributing": contribution.systems,
    }
    named = {
        SYSTEM: systems,
        TOPIC: selection.labels,
        DEPTH: np.arange(1, cells[GRADE].shape[-1] + 1),
        LEVEL: selection.levels,
    }
    known = ((pool_rank > 0) & (pool_rank <= np.repeat(pool_depth, count))).all()
    stated = policy.pool_depth is not None or contribution.stated
    pool = "stated" if stated else "complete" if known else "unknown"
    laid = {name: part.dims for name, part in PARTS.items() if name in values}
    parts = {name: variable(dims, values[name]) for name, dims in laid.items()}
    indexes = {dim: labels(dim, label) for dim, label in named.items()}
    facts = {name: parts.pop(name) for name in FACTS if name in parts}
    made = policy.attributes | {"pool": pool, "irframe": VERSION}
    return sealed(_with_more(xr.Dataset(parts, indexes | facts, made), judgments, rows))


def _with_more(cube: xr.Dataset, judgments: QrelsTable, rows: Codes) -> xr.Dataset:
    """Return a cube with what only some judgments have: subtopics, and how they were sampled."""
    found: dict[str, Any] = {}
    if judgments.subtopic_grade is not None:
        cube = cube.assign_attrs({SUBTOPICS: str(judgments.columns[SUBTOPIC])})
        found[SUBTOPIC_GRADE] = judgments.subtopic_grade[rows]
    if judgments.stratum is not None:
        labels = judgments.stratum.take(pa.array(rows)).to_numpy()
        found[STRATUM] = labels.astype(str).astype(object)
    if judgments.probability is not None:
        found[PROBABILITY] = judgments.probability[rows]
    coordinates = {name: variable(SOMETIMES[name].dims, value) for name, value in found.items()}
    return cube.assign_coords(coordinates) if coordinates else cube
