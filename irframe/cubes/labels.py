"""Labels on the arrays of a cube, and what it knows of judgments and pools."""

from collections.abc import Callable, Mapping
from typing import Any, cast

import numpy as np
import pyarrow as pa
import xarray as xr

from irframe.cubes.checksums import checksums
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
from irframe.experiments.coded_tables import RunTable
from irframe.experiments.experiment import Experiment
from irframe.experiments.group_columns import riding_columns
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Lists
from irframe.experiments.policy import Policy
from irframe.experiments.pool_sources import Pool
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
    runs: RunTable,
    lists: Lists,
    experiment: Experiment,
    cells: Mapping[str, Any],
    filed: Callable[[int], Any],
    policy: Policy,
) -> xr.Dataset:
    """Put labels on the arrays of a cube, and add what it knows of judgments and pools.

    Parameters
    ----------
    runs, lists
        The runs, of which columns ride along, and their lists.
    experiment
        The systems, their judgments, and the pool.
    cells
        The other variables over systems and topics; those over ranks may be lazy.
    filed
        Gives the coordinate of this name for a pool of some depth.
    policy
        How the cube is made.
    """
    judgments, pool = experiment.judgments, cast("Pool", experiment.pool)
    named = {
        SYSTEM: experiment.systems,
        TOPIC: judgments.topics,
        DEPTH: np.arange(1, cells[GRADE].shape[-1] + 1),
        LEVEL: judgments.levels,
    }
    values = {**cells, **_known(experiment, pool)}
    values["filed"] = filed(
        min(int(pool.depth.max(initial=0)), int(values["retrieved"].max(initial=0)))
    )
    laid = {name: part.dims for name, part in (PARTS | SOMETIMES).items() if name in values}
    parts = {name: variable(dims, values[name]) for name, dims in laid.items()}
    facts = {name: parts.pop(name) for name in (*FACTS, *SOMETIMES) if name in parts}
    made = policy.attributes | {"pool": pool.word(judgments), "irframe": VERSION}
    if SUBTOPIC_GRADE in facts:
        made[SUBTOPICS] = str(judgments.table.columns[SUBTOPIC])
    facts = {dim: labels(dim, label) for dim, label in named.items()} | facts
    facts |= checksums(parts | facts, made)
    riding = riding_columns(runs, judgments.table, lists.placed, judgments.code)
    riders = {name: variable(*column) for name, column in riding.items()}
    return xr.Dataset(parts, facts | riders, made)


def _known(experiment: Experiment, pool: Pool) -> dict[str, Any]:
    """Return what is known of systems, topics and judged documents, by the name of its variable."""
    judgments = experiment.judgments
    took_part, topics = experiment.took_part, len(judgments.code)
    all_did = took_part is None
    return {
        "took_part": np.ones((len(experiment.systems), topics), bool) if all_did else took_part,
        "judged_start": starts(judgments.count),
        "judged_count": judgments.count.astype(np.int32),
        "judged_doc": judgments.table.doc.take(pa.array(judgments.row)).to_numpy(),
        "judged_grade": judgments.grade,
        "pool_rank": pool.rank,
        "top": np.full(topics, experiment.top, np.int16),
        "pool_depth": pool.depth,
        "contributing": pool.contributing,
    } | _sampled(judgments)


def _sampled(judgments: Judgments) -> dict[str, Any]:
    """Return what only some judgments have: subtopics, and how they were sampled."""
    found: dict[str, Any] = {}
    table, rows = judgments.table, judgments.row
    if table.subtopic_grade is not None:
        found[SUBTOPIC_GRADE] = table.subtopic_grade[rows]
    if table.stratum is not None:
        labels = table.stratum.take(pa.array(rows)).to_numpy()
        found[STRATUM] = labels.astype(str).astype(object)
    if table.probability is not None:
        found[PROBABILITY] = table.probability[rows]
    return found
