"""A block of topics of a store: ranked and joined once, and then read as part of a cube."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.cubes.collections import Collections
from irframe.cubes.contribution import Contribution
from irframe.cubes.filling import Cells, fill_chunks
from irframe.cubes.folder import Folder, naming_block
from irframe.cubes.layout import RANKINGS
from irframe.cubes.sorting import RAW, ROW
from irframe.cubes.topics import Selection
from irframe.experiments.policy import Policy
from irframe.frames.contributing import pooling_rank
from irframe.frames.ids import Codes, beginnings
from irframe.frames.joining import locate
from irframe.frames.tables import QrelsTable, RunTable
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC

ROWS, LISTS, HITS, QRELS = "rows", "lists", "hits", "qrels"
"""What a store keeps of every block: its ranked rows, its lists, its judged rows, its judgments."""
CELLS = (*RANKINGS, "tail", "tail_size")
"""The variables of a cube that are read when they are wanted."""

JUDGED, FILED, GAP, LENGTH, UNJUDGED = "judged", "filed", "gap", "length", "unjudged"


@dataclass(frozen=True, eq=False)
class Blocks:
    """Where the blocks of a store are, and what they have in common."""

    folder: Folder
    systems: pd.Index
    topics: pd.Index
    """The judged topics."""
    size: int
    """How many topics a block has."""

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return -(-len(self.topics) // self.size)

    def labels(self, number: int) -> pd.Index:
        """Return the topics of a block."""
        return self.topics[number * self.size : (number + 1) * self.size]

    def judgments(self, number: int) -> QrelsTable:
        """Return the judgments of a block."""
        table = self.folder.read(QRELS, number)
        topic, grade = (table[name].to_numpy() for name in (TOPIC, GRADE))
        return QrelsTable(pd.DataFrame(), {}, topic, self.labels(number), table[DOC], grade)

    def runs(self, table: pa.Table, number: int) -> RunTable:
        """Return the rows of a block as a run frame, coded."""
        names = [name for name in (SCORE, RANK) if name in table.column_names]
        return RunTable(
            frame=table.select(names).to_pandas(),
            columns={name: name for name in names},
            system=table[SYSTEM].to_numpy(),
            systems=self.systems,
            topic=table[TOPIC].to_numpy(),
            topics=self.labels(number),
            doc=table[DOC],
        )


def sort_block(blocks: Blocks, number: int) -> None:
    """Rank the rows of a block as pooling reads them, join them with judgments, and write them.

    The raw rows stay until all blocks are written: a task that an error or an interruption left
    running may be at the same block as the one that repeats it.
    """
    with naming_block(number):
        if not blocks.folder.has(ROWS, number):
            _sort_block(blocks, number)


def _sort_block(blocks: Blocks, number: int) -> None:
    table, judgments = _raw(blocks, number), blocks.judgments(number)
    topics = len(judgments.topics)
    runs = blocks.runs(table, number)
    judged = locate(runs, judgments, np.arange(topics)) if len(table) else np.zeros(0, np.int32)
    filed = pooling_rank(runs) if len(table) else np.zeros(0, np.int64)
    blocks.folder.write(_lists(runs, judged, filed), LISTS, number)
    hit = pa.array(judged >= 0)
    columns = {JUDGED: pa.array(judged), FILED: pa.array(filed.astype(np.int32))}
    known = pa.table({SYSTEM: table[SYSTEM], TOPIC: table[TOPIC], **columns}).filter(hit)
    blocks.folder.write(known, HITS, number)
    kept = [name for name in (SYSTEM, TOPIC, DOC, SCORE, RANK) if name in table.column_names]
    joined = table.select(kept).append_column(JUDGED, columns[JUDGED])
    blocks.folder.write(joined, ROWS, number)


def _raw(blocks: Blocks, number: int) -> pa.Table:
    """Return the rows of a block list by list, in the order in which they stood."""
    from pyarrow import dataset  # noqa: PLC0415 - costs time at import

    place, files = blocks.folder.place(RAW, f"block={number}"), blocks.folder.files
    if not files.exists(place):
        empty = {SYSTEM: pa.int32(), TOPIC: pa.int32(), DOC: pa.large_string(), SCORE: pa.float64()}
        return pa.schema(list(empty.items())).empty_table()
    table = dataset.dataset(place, format="ipc", filesystem=files).to_table()
    row, topic = table[ROW].to_numpy(), table[TOPIC].to_numpy() - np.int32(number * blocks.size)
    order = np.arange(len(row)) if (row[1:] > row[:-1]).all() else np.argsort(row)
    lists = table[SYSTEM].to_numpy().astype(np.int64) * blocks.size + topic
    order = order[np.argsort(lists[order], kind="stable")]
    place_ = table.column_names.index(TOPIC)
    table = table.set_column(place_, TOPIC, pa.array(topic)).drop_columns([ROW]).combine_chunks()
    return table.take(pa.array(order))


def _lists(runs: RunTable, judged: Codes, filed: Codes) -> pa.Table:
    """Return a row for every list: its length, and where pooling finds it unjudged first."""
    first = beginnings(runs.group)
    length = np.diff(first, append=len(filed))
    never = np.iinfo(np.int32).max
    gap = np.where(judged < 0, filed, never)
    lacking = judged < 0
    return pa.table(
        {
            SYSTEM: runs.system[first],
            TOPIC: runs.topic[first],
            LENGTH: length.astype(np.int32),
            GAP: np.minimum.reduceat(gap, first).astype(np.int32) if len(first) else first,
            UNJUDGED: np.add.reduceat(lacking, first, dtype=np.int32) if len(first) else first,
        }
    )


class Look(NamedTuple):
    """What is told of a block before its cells are filled."""

    length: NDArray[np.int32]
    """Of every list, shape (system, topic)."""
    unjudged: NDArray[np.int32]
    """How many of its documents are unjudged, shape (system, topic)."""
    gap: NDArray[np.int64]
    """Where pooling first finds a contributing run unjudged, shape (topic,)."""
    rank: NDArray[np.int32]
    """The best rank of every judged document in a contributing run, 0 where there is none."""
    grade: NDArray[np.int8]
    """Grade of every judged document."""
    judged: bool
    """Whether any document is judged and retrieved."""


def look(blocks: Blocks, number: int, contributing: NDArray[np.bool_]) -> Look:
    """Read what lists and judged rows tell of a block."""
    with naming_block(number):
        lists, hits = (blocks.folder.read(kind, number) for kind in (LISTS, HITS))
        topics, judgments = len(blocks.labels(number)), blocks.folder.read(QRELS, number, [GRADE])
    system, topic = (lists[name].to_numpy() for name in (SYSTEM, TOPIC))
    shape = len(blocks.systems), topics
    length, unjudged = np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    length[system, topic] = lists[LENGTH].to_numpy()
    unjudged[system, topic] = lists[UNJUDGED].to_numpy()
    gap = np.full(topics, np.iinfo(np.int64).max)
    pools = contributing[system]
    np.minimum.at(gap, topic[pools], lists[GAP].to_numpy()[pools])
    gap[gap == np.iinfo(np.int32).max] = np.iinfo(np.int64).max
    rank = _contribution(hits, contributing, topics).rank(len(judgments))
    return Look(length, unjudged, gap, rank, judgments[GRADE].to_numpy(), bool(len(hits)))


def _contribution(hits: pa.Table, contributing: NDArray[np.bool_], topics: int) -> Contribution:
    system, topic, judged, filed = (
        hits[name].to_numpy() for name in (SYSTEM, TOPIC, JUDGED, FILED)
    )
    pools = contributing[system]
    lists = (system.astype(np.int64) * topics + topic)[pools]
    return Contribution(contributing, stated=True).with_rows(judged[pools], filed[pools], lists)


@dataclass(frozen=True, eq=False)
class Plan:
    """How the blocks of a store become a cube."""

    blocks: Blocks
    policy: Policy
    chosen: NDArray[np.bool_]
    """Which judged topics the cube has."""
    levels: NDArray[np.int8]
    contributing: NDArray[np.bool_]
    depth: int

    def inside(self, number: int) -> NDArray[np.bool_]:
        """Return which topics of a block the cube has."""
        return self.chosen[number * self.blocks.size : (number + 1) * self.blocks.size]


def fill_block(plan: Plan, number: int) -> dict[str, NDArray[Any]]:
    """Return the rankings of a cube on a block of topics."""
    with naming_block(number):
        table, judgments = plan.blocks.folder.read(ROWS, number), plan.blocks.judgments(number)
        runs, selection = plan.blocks.runs(table, number), _selection(plan, number, judgments)
        shape = len(plan.blocks.systems), len(selection.labels), plan.depth, len(plan.levels)
        cells, judged = Cells.empty(*shape), table[JUDGED].to_numpy()
        for _ in fill_chunks(cells, runs, judged, judgments, selection, plan.policy):
            pass
        return {name: getattr(cells, name) for name in CELLS}


def file_block(plan: Plan, number: int, depth: int) -> dict[str, NDArray[Any]]:
    """Return where what contributing runs put into the pool is, on a block of topics."""
    with naming_block(number):
        hits, judgments = plan.blocks.folder.read(HITS, number), plan.blocks.judgments(number)
        selection = _selection(plan, number, judgments)
        pooled = _contribution(hits, plan.contributing, len(judgments.topics))
        return {"filed": pooled.filed(len(judgments.topics), selection, depth)}


def _selection(plan: Plan, number: int, judgments: QrelsTable) -> Selection:
    """Return the topics of the cube among those of a block."""
    inside, levels = plan.inside(number), plan.levels
    position = np.where(inside, np.cumsum(inside) - 1, -1)
    one = Collections.one(len(inside))
    placed = np.arange(len(inside))
    labels = judgments.topics[inside]
    return Selection(placed, position, labels, judgments.topic, judgments.grade, levels, one)
