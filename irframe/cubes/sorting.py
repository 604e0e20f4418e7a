"""Rows of scanned runs sorted into blocks of topics."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.cubes.folder import Folder
from irframe.errors import IdError, ParameterError, StoreError, warn
from irframe.frames.columns import TEXT
from irframe.frames.contributing import CONTRIBUTING
from irframe.frames.folders import home
from irframe.frames.read_runs import PARTS, check_columns
from irframe.frames.scanned_runs import ScannedRuns
from irframe.names import DOC, RANK, SCORE, SYSTEM, TOPIC

BLOCK, ROW = "block", "row"
"""Columns of sorted rows: the block of topics, and where the row stood."""
RAW = "raw"
"""What rows are called that are in blocks but not yet ranked and joined."""
BUFFERED = 1 << 22
"""Rows that are held before they are written."""
OPEN = 500
"""Files that are open at a time."""

COLUMNS = {RANK: pa.int64(), SCORE: pa.float64()}
"""Columns of runs besides identifiers, and their types."""


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

    @property
    def facts(self) -> dict[str, Any]:
        """What is to be remembered."""
        flags = (
            [self.contributing[system] for system in self.systems] if self.contributing else None
        )
        return {
            "systems": list(self.systems),
            "topics": list(self.topics),
            "contributing": flags or None,
            "columns": self.columns,
            "docs": self.docs,
            "rows": self.rows,
        }


def sort_runs(runs: ScannedRuns, folder: Folder, judged: pd.Index, topics: int) -> Seen:
    """Write the rows of judged topics into blocks of so many topics.

    Parameters
    ----------
    runs
        The runs.
    folder
        Where to.
    judged
        The judged topics, in their order.
    topics
        How many topics a block has.

    Returns
    -------
    Seen
        What was seen on the way.
    """
    from pyarrow import dataset  # noqa: PLC0415 - costs time at import

    seen, blocks = Seen(), -(-len(judged) // topics)
    tables = _coded(runs, seen, judged, topics)
    first = next(tables)
    schema = first.schema
    batches = (
        batch
        for table in _chain(first, tables)
        for batch in table.cast(schema).to_batches(max_chunksize=1 << 18)
    )
    width = max(1, BUFFERED // blocks)
    try:
        dataset.write_dataset(
            pa.RecordBatchReader.from_batches(schema, batches),
            folder.place(RAW),
            filesystem=folder.files,
            format="ipc",
            file_options=dataset.IpcFileFormat().make_write_options(compression="lz4"),
            partitioning=dataset.partitioning(pa.schema([(BLOCK, pa.int32())]), flavor="hive"),
            max_partitions=blocks + 1,
            max_open_files=OPEN,
            min_rows_per_group=width,
            max_rows_per_group=max(width, 1 << 18),
            existing_data_behavior="overwrite_or_ignore",
        )
    except OSError as error:
        advice = "make room, and run it again"
        raise StoreError("room for the rows of runs", f"an error ({error})", advice) from error
    return seen


def _chain(first: pa.Table, others: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from others


def _coded(runs: ScannedRuns, seen: Seen, judged: pd.Index, topics: int) -> Iterator[pa.Table]:
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
        yield _table(table, file, seen, judged, topics)
    if lost:
        advice = "put what belongs to topics into the qrels"
        warn(f"columns of the runs are left out: {', '.join(sorted(lost))}; {advice}")


def _table(table: pa.Table, file: str, seen: Seen, judged: pd.Index, topics: int) -> pa.Table:
    system = _systems(table, file, seen)
    topic = _codes(table[TOPIC], seen.topics, lambda new: judged.get_indexer(pd.Index(new)))
    rows = np.arange(seen.rows, seen.rows + len(topic))
    seen.rows += len(topic)
    seen.docs = seen.docs or table[DOC][:3].to_pylist()
    columns = {
        BLOCK: pa.array((topic // topics).astype(np.int32)),
        SYSTEM: pa.array(system),
        TOPIC: pa.array(topic),
        DOC: table[DOC].cast(TEXT),
        ROW: pa.array(rows),
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
