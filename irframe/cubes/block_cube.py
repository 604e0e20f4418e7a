"""A cube whose rankings are read block by block when they are wanted."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.block import CELLS, Blocks, Look, Plan, file_block, fill_block, look
from irframe.cubes.contribution import Contribution
from irframe.cubes.labelling import label
from irframe.cubes.layout import LEVEL, PARTS, variable
from irframe.cubes.recall_base import gather
from irframe.cubes.topics import select_topics
from irframe.cubes.working import assemble, need_dask, work
from irframe.experiments.absence import tell_missing
from irframe.experiments.collections import Collections
from irframe.experiments.grouping import riding_columns
from irframe.experiments.hits import refuse_large
from irframe.experiments.lists import Lists
from irframe.experiments.policy import Policy
from irframe.frames.contributing import CONTRIBUTING
from irframe.frames.ids import Codes
from irframe.frames.joining import place_topics, tell_unjudged
from irframe.frames.tables import QrelsTable, RunTable, read_qrels_table
from irframe.names import DEPTH, DOC, SYSTEM, TOPIC

Array = NDArray[Any]


def block_cube(
    blocks: Blocks, facts: dict[str, Any], qrels: pd.DataFrame, policy: Policy
) -> xr.Dataset:
    """Build a lazy cube from a store; what it knows of lists and judgments is in memory.

    Parameters
    ----------
    blocks
        The blocks of topics.
    facts
        What was seen of the runs.
    qrels
        The judgments.
    policy
        How the cube is made.
    """
    runs, table = _runs(blocks, facts)
    judgments = read_qrels_table(qrels)
    qrels = judgments.frame
    placed = place_topics(table, judgments)
    groups = Collections.read(runs, qrels, table, judgments, placed, policy.collection)
    contribution = Contribution.read(runs, table, policy.contributing)
    looks = _looks(blocks, contribution.systems)
    told = _of_lists(looks)
    lengths = _lengths(told["retrieved"], placed)
    lists = Lists(table.systems, table.topics, placed, lengths, groups)
    selection = select_topics(lists, judgments, policy.topics)
    tell_missing(lists, selection.labels, selection.codes)
    tell_unjudged(table, judgments, found=any(seen.judged for seen in looks))
    contribution = _told(contribution, looks, judgments, placed)
    ordered = selection.in_order()
    parts = {name: values[:, ordered.codes] for name, values in told.items()}
    parts["took_part"] = lists.attended[:, ordered.codes]
    depth = policy.depth or max(1, int(parts["retrieved"].max(initial=0)))
    refuse_large(len(blocks.systems), min(blocks.widest, len(ordered.labels)), depth)
    plan = Plan(
        blocks,
        policy,
        ordered.position >= 0,
        ordered.levels,
        contribution.systems,
        depth,
    )
    parts |= _lazy(plan, fill_block, _shapes(plan), ())
    filed = partial(_filed, plan)
    built = label(blocks.systems, judgments, ordered, contribution, filed, parts, policy)
    riding = riding_columns(table, judgments, placed, ordered.codes)
    built = built.assign_coords({name: variable(*column) for name, column in riding.items()})
    if ordered is selection:
        return built
    return gather(built.sel({TOPIC: selection.labels}))


def _runs(blocks: Blocks, facts: dict[str, Any]) -> tuple[pd.DataFrame, RunTable]:
    """Return a run frame with a row for every system, which stands for all of their rows."""
    runs = pd.DataFrame({SYSTEM: blocks.systems})
    if facts[CONTRIBUTING] is not None:
        runs[CONTRIBUTING] = facts[CONTRIBUTING]
    rows = np.arange(len(runs), dtype=np.int32)
    topics, doc = pd.Index(facts["topics"]), pa.chunked_array([pa.array(facts["docs"])])
    columns = {name: name for name in (SYSTEM, TOPIC, DOC)}
    return runs, RunTable(runs, columns, rows, blocks.systems, rows * 0, topics, doc)


def _looks(blocks: Blocks, contributing: NDArray[np.bool_]) -> list[Look]:
    task = need_dask().delayed(look)
    return work([task(blocks, number, contributing) for number in range(blocks.number)])


def _told(
    contribution: Contribution, looks: Sequence[Look], judgments: QrelsTable, placed: Codes
) -> Contribution:
    """Return what contributing runs put into the pool, by rows of the qrels."""
    rank = np.empty(len(judgments.topic), np.int32)
    rank[np.argsort(judgments.topic, kind="stable")] = np.concatenate([one.rank for one in looks])
    judged = np.flatnonzero(rank)
    gap = np.concatenate([one.gap for one in looks])
    return contribution.with_rows(judged, rank[judged], np.zeros_like(judged), gap[placed])


def _of_lists(looks: Sequence[Look]) -> dict[str, Array]:
    """Return what is known of the lists for judged topics, shape (system, topic)."""
    names = {"retrieved": "length", "unjudged": "unjudged"}
    return {
        name: np.concatenate([getattr(one, part) for one in looks], axis=1)
        for name, part in names.items()
    }


def _lengths(retrieved: Array, placed: Codes) -> Codes:
    """Return the lengths of lists by topics of the runs; of those not judged they are not known."""
    lengths = np.zeros((len(retrieved), len(placed)), retrieved.dtype)
    lengths[:, placed >= 0] = retrieved[:, placed[placed >= 0]]
    return lengths


def _shapes(plan: Plan) -> dict[str, tuple[int, ...]]:
    """Return the lengths of lazy variables beyond systems and topics."""
    beyond = {DEPTH: plan.depth, LEVEL: len(plan.levels)}
    return {name: tuple(beyond[str(dim)] for dim in PARTS[name].dims[2:]) for name in CELLS}


def _filed(plan: Plan, depth: int) -> Any:
    shape: dict[str, tuple[int, ...]] = {"filed": (max(depth, 1),)}
    return _lazy(plan, file_block, shape, (depth,))["filed"]


def _lazy(
    plan: Plan,
    task: Callable[..., dict[str, Array]],
    shapes: dict[str, tuple[int, ...]],
    options: tuple[Any, ...],
) -> dict[str, Any]:
    """Return arrays that a task makes of every block when they are wanted."""
    dask, blocks = need_dask(), plan.blocks
    read = blocks.folder.path, list(blocks.systems), blocks.checksums
    token = dask.base.tokenize(read, repr(plan.policy), plan.chosen, plan.contributing)
    shared = dask.delayed(plan, name=f"irframe-plan-{token}", traverse=False)
    counts = {number: int(plan.inside(number).sum()) for number in range(blocks.number)}
    some = [number for number, topics in counts.items() if topics]
    key = f"irframe-{task.__name__}-{token}"
    made = [
        dask.delayed(task)(shared, number, *options, dask_key_name=f"{key}-{number}")
        for number in some
    ]
    parts = {name: (PARTS[name].dtype, beyond) for name, beyond in shapes.items()}
    return assemble(made, [counts[number] for number in some], len(blocks.systems), parts)
