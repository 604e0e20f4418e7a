"""A block of topics of a store: ranked and joined once, and then read as part of a cube."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.fill import fill
from irframe.cubes.layout import RANKINGS
from irframe.cubes.stored.folder import Folder, checksum_of, naming_block
from irframe.cubes.stored.sorted_rows import Stretch, read_rows
from irframe.errors import IdError, StoreError
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.experiments.collections import Collections
from irframe.experiments.contributing import pooling_rank
from irframe.experiments.framed import Framed
from irframe.experiments.hits import NEVER, Hits
from irframe.experiments.joining import locate
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Lists
from irframe.experiments.policy import Policy
from irframe.files.ids import Codes, beginnings, grouped
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC

MANIFEST = "store.json"
"""The facts of a store, among them which files there must be, and their checksums."""
ROWS, LISTS, HITS, QRELS = "rows", "lists", "hits", "qrels"
"""What a store keeps of every block: its ranked rows, its lists, its judged rows, its judgments."""
CELLS = (*RANKINGS, "tail", "tail_size")
"""The variables of a cube that are read when they are wanted."""

EMPTY_ROWS = pa.schema(
    [(SYSTEM, pa.int32()), (TOPIC, pa.int32()), (DOC, pa.large_string()), (SCORE, pa.float64())]
).empty_table()

JUDGED, FILED, GAP, LENGTH, UNJUDGED = "judged", "filed", "gap", "length", "unjudged"


@dataclass(frozen=True, eq=False)
class Blocks:
    """Where the blocks of a store are, and what they have in common."""

    folder: Folder
    systems: pd.Index
    topics: pd.Index
    """The judged topics."""
    ends: Sequence[int]
    """Where, among them, each block ends."""
    checksums: dict[str, list[str]]
    """Those of the tables of all blocks, by what is in them."""

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return len(self.ends)

    @property
    def widest(self) -> int:
        """How many topics the largest block has."""
        return max((len(self.span(number)) for number in range(self.number)), default=0)

    def span(self, number: int) -> range:
        """Return the places of the topics of a block."""
        return range(self.ends[number - 1] if number else 0, self.ends[number])

    def labels(self, number: int) -> pd.Index:
        """Return the topics of a block."""
        span = self.span(number)
        return self.topics[span.start : span.stop]

    def write(self, table: pa.Table, kind: str, number: int) -> str:
        """Write a table of a block, called after its checksum, and return that."""
        from pyarrow import parquet  # noqa: PLC0415 - costs time at import

        sink = pa.BufferOutputStream()
        parquet.write_table(table, sink, compression="zstd", compression_level=1)
        content = bytes(sink.getvalue())
        return self.folder.put(table_name(kind, number, checksum_of(content)), content)

    def read(self, kind: str, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a table of a block."""
        from pyarrow import parquet  # noqa: PLC0415 - costs time at import

        checksum = self.checksums[kind][number]
        try:
            content = self.folder.get(table_name(kind, number, checksum), checksum)
        except StoreError:
            self._refuse_outdated(kind, number)
            raise
        return parquet.ParquetFile(pa.BufferReader(content)).read(columns)

    def _refuse_outdated(self, kind: str, number: int) -> None:
        """Raise if a block has been written anew since."""
        facts: dict[str, Any] | None = None
        with suppress(StoreError):
            facts = self.folder.told(MANIFEST)
        now = facts["blocks"][kind][number] if facts and facts["whole"] else None
        if now not in (None, self.checksums[kind][number]):
            found = f"one from before runs were added to {self.folder.path}"
            raise StoreError("a cube of the store as it is", found, "take it again: store.cube()")

    def judgments(self, number: int) -> QrelsTable:
        """Return the judgments of a block."""
        table = self.read(QRELS, number)
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


def table_name(kind: str, number: int, checksum: str) -> str:
    """Return what the table of a block is called: one with other content is another file."""
    return f"{kind}/{number:06d}-{checksum}.parquet"


def sort_block(
    blocks: Blocks, number: int, stretches: Sequence[Stretch], replaced: Sequence[int] = ()
) -> dict[str, str]:
    """Rank the rows of a block as pooling reads them, join them with judgments, and write them.

    Parameters
    ----------
    blocks, number
        The block; rows that it has are kept.
    stretches
        Where the rows are that are to be put into it.
    replaced
        Systems whose lists in the block are let go.

    Returns
    -------
    dict
        The checksums of what was written; the rows were written last.
    """
    with naming_block(number):
        table, judgments = _rows(blocks, number, stretches, replaced), blocks.judgments(number)
        topics = len(judgments.topics)
        runs = blocks.runs(table, number)
        judged = locate(runs, judgments, np.arange(topics)) if len(table) else np.zeros(0, np.int32)
        filed = pooling_rank(runs) if len(table) else np.zeros(0, np.int64)
        columns = {JUDGED: pa.array(judged), FILED: pa.array(filed.astype(np.int32))}
        known = pa.table({SYSTEM: table[SYSTEM], TOPIC: table[TOPIC], **columns})
        made = {LISTS: _lists(runs, judged, filed), HITS: known.filter(pa.array(judged >= 0))}
        made[ROWS] = table.append_column(JUDGED, columns[JUDGED])
        written = {kind: blocks.write(each, kind, number) for kind, each in made.items()}
    del table, runs, known, made
    pa.default_memory_pool().release_unused()
    return written


def _rows(
    blocks: Blocks, number: int, stretches: Sequence[Stretch], replaced: Sequence[int]
) -> pa.Table:
    """Return the rows of a block list by list, in the order in which they came."""
    span = blocks.span(number)
    tables = read_rows(blocks.folder, stretches, span)
    if tables:
        table = pa.concat_tables(tables).combine_chunks()
        tables.clear()
        topic = pa.array(table[TOPIC].to_numpy() - np.int32(span.start))
        table = table.set_column(table.column_names.index(TOPIC), TOPIC, topic)
    else:
        table = EMPTY_ROWS
    if number < len(blocks.checksums.get(ROWS, [])):
        before = blocks.read(ROWS, number).drop_columns([JUDGED])
        before = before.filter(pa.array(~np.isin(before[SYSTEM].to_numpy(), replaced)))
        _refuse_again(blocks, number, before, table)
        parts = [part for part in (before, table) if len(part)]
        table = pa.concat_tables(parts).combine_chunks() if parts else table
    return table.take(pa.array(grouped(_list_codes(table, len(span)))))


def _refuse_again(blocks: Blocks, number: int, before: pa.Table, added: pa.Table) -> None:
    """Raise if lists are to be added that a block has already."""
    labels = blocks.labels(number)
    again = np.intersect1d(_list_codes(before, len(labels)), _list_codes(added, len(labels)))
    if len(again):
        pairs = zip(*np.divmod(again, len(labels)), strict=True)
        offenders = [f"{blocks.systems[system]} on {labels[topic]}" for system, topic in pairs]
        advice = "leave out what the store has already, or make another store"
        raise IdError("lists that the store does not have", "some that it has", advice, offenders)


def _list_codes(table: pa.Table, topics: int) -> Codes:
    """Return a number for the list of every row, in the order of systems and topics."""
    codes: Codes = table[SYSTEM].to_numpy().astype(np.int64) * topics + table[TOPIC].to_numpy()
    return codes


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


def look(blocks: Blocks, number: int, contributing: NDArray[np.bool_]) -> dict[str, Array]:
    """Read what lists and judged rows tell of a block before its cells are filled.

    Returns
    -------
    dict
        ``retrieved`` and ``unjudged`` of every list, shape (system, topic); ``gap``, where pooling
        first finds a contributing run unjudged, shape (topic,); and ``rank``, the best one of every
        judged document in a contributing run, 0 where there is none.
    """
    with naming_block(number):
        lists, topics = blocks.read(LISTS, number), len(blocks.labels(number))
        hits, judged = _hits(blocks, number), len(blocks.read(QRELS, number, [GRADE]))
    system, topic = (lists[name].to_numpy() for name in (SYSTEM, TOPIC))
    retrieved, unjudged = np.zeros((2, len(blocks.systems), topics), np.int32)
    retrieved[system, topic] = lists[LENGTH].to_numpy()
    unjudged[system, topic] = lists[UNJUDGED].to_numpy()
    gap, pools = np.full(topics, NEVER, np.int64), contributing[system]
    np.minimum.at(gap, topic[pools], lists[GAP].to_numpy()[pools])
    rank = hits.best(judged, contributing)
    return {"retrieved": retrieved, "unjudged": unjudged, "gap": gap, "rank": rank}


def _hits(blocks: Blocks, number: int) -> Hits:
    """Return what the lists of a block hold of its judgments, as pooling reads them."""
    table = blocks.read(HITS, number)
    system, topic, row, rank = (table[name].to_numpy() for name in (SYSTEM, TOPIC, JUDGED, FILED))
    shape = len(blocks.systems), len(blocks.labels(number))
    return Hits(np.zeros(shape, np.int32), system.astype(np.int64) * shape[1] + topic, rank, row)


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
        span = self.blocks.span(number)
        return self.chosen[span.start : span.stop]

    def judgments(self, number: int) -> Judgments:
        """Return the judgments of the topics of a block that the cube has."""
        inside = np.flatnonzero(self.inside(number))
        return Judgments.chosen(self.blocks.judgments(number), inside, self.levels)


def fill_block(plan: Plan, number: int) -> dict[str, Array]:
    """Return the rankings of a cube on a block of topics."""
    with naming_block(number):
        table, judgments = plan.blocks.read(ROWS, number), plan.judgments(number)
        runs, topics = plan.blocks.runs(table, number), len(judgments.table.topics)
        lengths = np.zeros((len(runs.systems), topics), np.int64)
        places, one = np.arange(topics), Collections.one(topics)
        lists = Lists(runs.systems, runs.topics, places, lengths, one)
        framed = Framed(runs, judgments.table, lists, table[JUDGED].to_numpy())
        cells, _ = fill(framed, judgments, plan.policy, plan.depth)
        return {name: cells[name] for name in CELLS}


def file_block(plan: Plan, number: int, depth: int) -> dict[str, Array]:
    """Return where what contributing runs put into the pool is, on a block of topics."""
    with naming_block(number):
        judgments = plan.judgments(number)
        hits = _hits(plan.blocks, number).of_systems(plan.contributing)
        return {"filed": hits.onto(judgments).slots(judgments, depth)}
