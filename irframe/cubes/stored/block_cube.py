"""A cube whose rankings are read block by block when they are wanted."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.dask_tasks import assemble, need_dask, work
from irframe.cubes.labels import label
from irframe.cubes.layout import LEVEL, PARTS
from irframe.cubes.recall_base import gather
from irframe.cubes.stored.block import CELLS, Blocks, Plan, file_block, fill_block, look
from irframe.experiments.absence import tell_missing
from irframe.experiments.coded_tables import RunTable, read_qrels_table
from irframe.experiments.contributing import CONTRIBUTING
from irframe.experiments.experiment import Experiment
from irframe.experiments.framed import Framed
from irframe.experiments.hits import Hits, refuse_large
from irframe.experiments.joining import tell_unjudged
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import Policy
from irframe.experiments.pool_sources import Pool
from irframe.experiments.topics import choose_topics
from irframe.files.ids import Codes
from irframe.names import DEPTH, DOC, SYSTEM, TOPIC


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
    framed = Framed.of(_runs(blocks, facts), read_qrels_table(qrels), policy.collection)
    table, placed = framed.judgments, framed.lists.placed
    systems, stated = framed.contributing(policy.contributing)
    seen = _seen(blocks, systems)
    lists = replace(framed.lists, lengths=_lengths(seen["retrieved"], placed))
    codes = choose_topics(lists, table.topics, policy.topics)
    tell_missing(lists, table.topics[codes], codes)
    retrieved, unjudged = seen["retrieved"], seen["unjudged"]
    tell_unjudged(framed.table, table, found=bool((retrieved > unjudged).any()))
    judgments = Judgments.chosen(table, np.sort(codes))
    parts = {name: seen[name][:, judgments.code] for name in ("retrieved", "unjudged")}
    depth = policy.depth or max(1, int(parts["retrieved"].max(initial=0)))
    refuse_large(len(systems), min(blocks.widest, len(codes)), depth)
    none, rank = np.zeros(0, np.int32), np.empty(len(table.topic), np.int32)
    rank[np.argsort(table.topic, kind="stable")] = seen["rank"]
    pool = Pool(rank, seen["gap"], systems, stated, none)
    hits = Hits(parts["retrieved"], none, none, none)
    found = Experiment.of(judgments, hits, lists, (SYSTEM, TOPIC))
    found = found.with_pool(pool, policy.pool_depth, lists.collections)
    chosen = np.isin(np.arange(len(table.topics)), codes)
    plan = Plan(blocks, policy, chosen, judgments.levels, systems, depth)
    parts |= _lazy(plan, fill_block, _shapes(plan), ())
    built = label(framed.table, lists, found, parts, partial(_filed, plan), policy)
    if (codes[1:] > codes[:-1]).all():
        return built
    return gather(built.sel({TOPIC: table.topics[codes]}))


def _runs(blocks: Blocks, facts: dict[str, Any]) -> RunTable:
    """Return a run frame with a row for every system, which stands for all of their rows."""
    runs = pd.DataFrame({SYSTEM: blocks.systems})
    if facts[CONTRIBUTING] is not None:
        runs[CONTRIBUTING] = facts[CONTRIBUTING]
    rows = np.arange(len(runs), dtype=np.int32)
    topics, doc = pd.Index(facts["topics"]), pa.chunked_array([pa.array(facts["docs"])])
    columns = {name: name for name in (SYSTEM, TOPIC, DOC)}
    return RunTable(runs, columns, rows, blocks.systems, rows * 0, topics, doc)


def _seen(blocks: Blocks, contributing: NDArray[np.bool_]) -> dict[str, Array]:
    """Return what `look` tells of all blocks."""
    task = need_dask().delayed(look)
    parts = work([task(blocks, number, contributing) for number in range(blocks.number)])
    return {name: np.concatenate([part[name] for part in parts], axis=-1) for name in parts[0]}


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
