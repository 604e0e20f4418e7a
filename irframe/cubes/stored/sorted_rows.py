"""Rows of scanned runs sorted by topic, in pieces that fit into memory."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.cubes.stored.folder import Folder, checksum_of
from irframe.errors import IdError, ParameterError, warn
from irframe.experiments.contributing import CONTRIBUTING
from irframe.files.columns import TEXT
from irframe.files.folders import home
from irframe.files.read_runs import PARTS, check_columns
from irframe.files.scanned_runs import ScannedRuns
from irframe.names import DOC, RANK, SCORE, SYSTEM, TOPIC

RAW = "raw"
"""Where sorted pieces are: rows that are not yet ranked and joined."""
PIECE = 1 << 19
"""Rows of a piece, which are sorted in memory."""
STRETCH = 1 << 13
"""Rows of a piece that are packed together, and so read together."""

COLUMNS = {RANK: pa.int64(), SCORE: pa.float64()}
"""Columns of runs besides identifiers, and their types."""


class Stretch(NamedTuple):
    """Where some rows are that follow each other in a sorted piece."""

    piece: int
    first: int
    """The topics that its rows are of."""
    last: int
    start: int
    """Its bytes in the file of the piece."""
    end: int
    checksum: str


@dataclass
class Seen:
    """What was seen of runs while they were sorted."""

    systems: dict[str, int] = field(default_factory=dict)
    """System -> its number, in the order in which they came."""
    topics: dict[str, int] = field(default_factory=dict)
    """Topic -> its place in the qrels, -1 where it is not judged."""
    homes: dict[str, str] = field(default_factory=dict)
    """System -> the data set that it is in."""
    contributing: dict[str, bool] = field(default_factory=dict)
    """System -> whether it contributes, if the runs say so."""
    columns: list[str] = field(default_factory=list)
    """Which of rank and score the runs have."""
    docs: list[str] = field(default_factory=list)
    """The first few documents, for messages."""
    rows: int = 0
    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """How many rows each judged topic has."""
    longest: int = 1
    """The longest list, or that part of it which is in one piece."""

    @classmethod
    def before(cls, facts: dict[str, Any], judged: pd.Index) -> "Seen":
        """Return what was seen of the runs of a store, which others are to follow."""
        systems, flags = facts["systems"], facts[CONTRIBUTING]
        places = judged.get_indexer(pd.Index(facts["topics"])).tolist()
        return cls(
            systems={system: number for number, system in enumerate(systems)},
            topics=dict(zip(facts["topics"], places, strict=True)),
            contributing=dict(zip(systems, flags, strict=True)) if flags else {},
            columns=facts["columns"],
            docs=facts["docs"],
            rows=facts["rows"],
            longest=facts["longest"],
        )

    @property
    def facts(self) -> dict[str, Any]:
        """What is to be remembered."""
        flags = [self.contributing[system] for system in self.systems if self.contributing]
        return {
            "systems": list(self.systems),
            "topics": list(self.topics),
            "contributing": flags or None,
            "columns": self.columns,
            "docs": self.docs,
            "rows": self.rows,
            "longest": self.longest,
        }


def sort_runs(
    runs: ScannedRuns, folder: Folder, judged: pd.Index, seen: Seen
) -> tuple[list[Stretch], dict[str, str]]:
    """Write the rows of judged topics in pieces, each of them sorted by topic.

    Parameters
    ----------
    runs
        The runs.
    folder
        Where to.
    judged
        The judged topics, in their order.
    seen
        What was seen of the runs before these; what is seen of these is added.

    Returns
    -------
    list of Stretch
        Where the rows are; those of a topic stand in the order in which they came.
    dict
        The files of the pieces, and their checksums.
    """
    seen.counts = np.zeros(len(judged), np.int64)
    stretches: list[Stretch] = []
    files = {}
    for number, table in enumerate(_pieces(_coded(runs, seen, judged))):
        seen.counts += np.bincount(table[TOPIC].to_numpy(), minlength=len(judged))
        lists = table[SYSTEM].to_numpy().astype(np.int64) * len(judged) + table[TOPIC].to_numpy()
        seen.longest = max(seen.longest, int(np.unique(lists, return_counts=True)[1].max()))
        content, inside = _sorted_piece(number, table)
        files[piece_name(number)] = folder.put(piece_name(number), content)
        stretches += inside
        del table, lists, content
        pa.default_memory_pool().release_unused()
    silent = [system for system in seen.systems if system not in seen.contributing]
    if seen.contributing and silent:
        wanted = f"a value of {CONTRIBUTING!r} for every system or for none"
        raise ParameterError(wanted, "systems without one", "", silent)
    return stretches, files


def _pieces(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Put tables together until they are a piece."""
    held, rows = [], 0
    for table in tables:
        for start in range(0, len(table), PIECE):
            held.append(table.slice(start, PIECE))
            rows += len(held[-1])
            if rows >= PIECE:
                yield _in_one(held)
                rows = 0
    if rows:
        yield _in_one(held)


def _in_one(tables: list[pa.Table]) -> pa.Table:
    """Return tables as one, and empty the list."""
    whole = pa.concat_tables(tables).combine_chunks()
    tables.clear()
    return whole


def _sorted_piece(number: int, table: pa.Table) -> tuple[bytes, list[Stretch]]:
    """Return the rows of a piece by topic, and where they are."""
    topic = table[TOPIC].to_numpy()
    order = np.argsort(topic, kind="stable") if (topic[1:] < topic[:-1]).any() else None
    content, stretches = bytearray(), []
    for first in range(0, len(topic), STRETCH):
        rows = slice(first, first + STRETCH)
        part = table.slice(first, STRETCH) if order is None else table.take(pa.array(order[rows]))
        topics, packed = part[TOPIC].to_numpy(), _packed(part)
        ends = int(topics[0]), int(topics[-1]), len(content), len(content) + len(packed)
        stretches.append(Stretch(number, *ends, checksum_of(packed)))
        content += packed
    return bytes(content), stretches


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def piece_name(number: int) -> str:
    """Return what the file of a piece is called."""
    return f"{RAW}/{number:06d}.arrow"


def read_rows(folder: Folder, stretches: Sequence[Stretch], topics: range) -> list[pa.Table]:
    """Return the rows of some topics, in the order in which they came for each of them."""
    tables = []
    for one in stretches:
        content = folder.get(piece_name(one.piece), one.checksum, (one.start, one.end))
        table = pa.ipc.open_stream(content).read_all()
        inside = np.searchsorted(table[TOPIC].to_numpy(), [topics.start, topics.stop])
        tables.append(table.take(pa.array(np.arange(*inside))))  # a copy: the rest is let go
    return tables


def _coded(runs: ScannedRuns, seen: Seen, judged: pd.Index) -> Iterator[pa.Table]:
    """Yield the rows of judged topics, systems and topics as numbers."""
    first: tuple[str, pa.Table] | None = None
    lost: dict[str, set[str]] = defaultdict(set)
    for file, table in runs.tables():
        first = first or (file, table.slice(0, 0))
        check_columns([first[0], file], [first[1], table])
        kept = {SYSTEM, TOPIC, DOC, RANK, SCORE, CONTRIBUTING}
        for name in {*table.column_names} - kept:
            lost[name].add(file)
        seen.columns = [name for name in COLUMNS if name in table.column_names]
        yield _table(table, file, seen, judged)
    if lost:
        advice = "put what belongs to topics into the qrels"
        warn(f"columns of the runs are left out: {', '.join(sorted(lost))}; {advice}")


def _table(table: pa.Table, file: str, seen: Seen, judged: pd.Index) -> pa.Table:
    system = _systems(table, file, seen)
    topic = _codes(table[TOPIC], seen.topics, lambda new: judged.get_indexer(pd.Index(new)))
    seen.rows += len(topic)
    seen.docs = seen.docs or table[DOC][:3].to_pylist()
    columns = {
        SYSTEM: pa.array(system),
        TOPIC: pa.array(topic),
        DOC: table[DOC].cast(TEXT),
    }
    columns |= {name: table[name].cast(COLUMNS[name]) for name in seen.columns}
    return pa.table(columns).filter(pa.array(topic >= 0))


def _systems(table: pa.Table, file: str, seen: Seen) -> Any:
    here = home(file)

    def number(new: list[str]) -> list[int]:
        return list(range(len(seen.systems), len(seen.systems) + len(new)))

    codes = _codes(table[SYSTEM], seen.systems, number)
    names = pc.unique(table[SYSTEM]).to_pylist()
    shared = [name for name in names if seen.homes.setdefault(name, here) != here]
    if shared:
        offenders = [f"{name!r} in {seen.homes[name]} and {here}" for name in shared]
        advice = f'name systems after their files with system="file"; of parts of one run, {PARTS}'
        raise IdError("each system in one file", "systems in several", advice, offenders)
    if CONTRIBUTING in table.column_names:
        flags = table.group_by(SYSTEM).aggregate([(CONTRIBUTING, "min"), (CONTRIBUTING, "max")])
        for name, least, most in zip(*flags.to_pydict().values(), strict=True):
            if least != most or seen.contributing.setdefault(name, least) != least:
                wanted = f"one value of {CONTRIBUTING!r} per system"
                raise ParameterError(wanted, "several", "", [name])
    return codes


def _codes(column: pa.ChunkedArray, known: dict[str, int], number: Any) -> Any:
    """Return the number of every value, giving new values theirs."""
    encoded = column.combine_chunks().dictionary_encode()
    values = encoded.dictionary.to_pylist()
    new = [value for value in values if value not in known]
    known.update(zip(new, map(int, number(new)), strict=True))
    codes = np.array([known[value] for value in values], np.int32)
    return codes[encoded.indices.to_numpy(zero_copy_only=False)]
