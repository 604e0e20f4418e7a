"""Parquet in batches of rows, and large files of runs in pieces: some systems after the other."""

import codecs
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import IrframeError, RankingError
from irframe.files import compression
from irframe.files.compression import FREE, PARQUET, refuse_large, undamaged
from irframe.files.ids import TEXT, names_in
from irframe.files.kinds import RUN, Kind, in_types
from irframe.files.text import Cut, cuts_of, parse
from irframe.names import SCORE, SYSTEM, TOPIC

FIRST, MOST = 1 << 8, 1 << 16
"""Rows of a row group that are read to see how large they are, and of a batch at most."""
_WIDTH = 8
"""Bytes that a value takes in memory."""


def is_parquet(data: bytes) -> bool:
    """Tell by its content whether a file is Parquet."""
    return data.startswith(PARQUET) and data.endswith(PARQUET)


def read_parquet(data: bytes, source: str) -> pa.Table:
    """Read a Parquet file, unless it holds more than files of its size do; see `refuse_large`."""
    first, *others = parquet_batches(data, source)
    return pa.concat_tables([first, *others]) if others else first


def parquet_batches(
    file: bytes | str, source: str, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """Yield the rows of a Parquet file, some at a time; of one without rows its columns.

    Parameters
    ----------
    file
        What is in it, or its path.
    source
        Its name, for messages.
    columns
        Which columns are read, by default all of them.
    """
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - costs time at import

    with undamaged("a Parquet file", source, pa.ArrowException, OSError, MemoryError, ValueError):
        opened: Any = pa.BufferReader(file) if isinstance(file, bytes) else pa.OSFile(file)
        with opened, ParquetFile(opened, pre_buffer=False, buffer_size=FREE >> 6) as parquet:
            facts, size, seen = parquet.metadata, opened.size(), 0
            refuse_large(source, size, facts.num_rows * facts.num_columns * _WIDTH)
            for group in range(facts.num_row_groups):
                few = next(parquet.iter_batches(FIRST, [group]), None)
                rows = FREE // (1 + max(map(_content, few.columns)) // FIRST) if few else FIRST
                for batch in parquet.iter_batches(min(max(rows, FIRST), MOST), [group], columns):
                    seen += sum(map(_content, batch.columns))
                    refuse_large(source, size, seen)
                    yield pa.table(batch)
            if not seen:
                yield parquet.schema_arrow.empty_table()


def _content(column: pa.Array) -> int:
    """Return how many bytes a column takes, written out."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary.cast(pa.large_binary()))
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0)


LARGE, PIECE = 1 << 24, 1 << 23
"""Bytes from which on a file is read in pieces, and about how many a piece has."""
ROWS = 1 << 20
"""Rows of whole runs that are held at a time, unless one run has more."""
FEW = 100
"""Rows that a system has on average in files of which each has its turn."""


def _is_parquet(file: str) -> bool:
    with Path(file).open("rb") as stream:
        return stream.read(len(PARQUET)) == PARQUET


def _large(source: compression.Source) -> str | None:
    """Return the path of a large file that can be read again; None for any other."""
    file = fspath(source) if isinstance(source, str | PathLike) else ""
    there = not compression.is_address(file) and Path(file).is_file()
    return file if there and Path(file).stat().st_size >= LARGE else None


def runs_in_turn(source: compression.Source, kind: Kind = RUN) -> Iterator[pa.Table] | None:
    """Yield the runs of a large file, of some systems after the other, each of them whole.

    Returns
    -------
    iterator of pyarrow.Table or None
        None where a file is small, odd, or of one system, so that it is read at once. Files are
        read twice: first for where the rows of each system stand; and again and again where
        systems take turns in them, a part of the systems at a time.
    """
    file = _large(source)
    if file is None:
        return None
    is_parquet = _is_parquet(file)
    places, rows = dict[str, list[int]](), Counter[str]()
    try:
        for place, systems in enumerate(
            (_labels_of_batches if is_parquet else _labels_of_pieces)(file, kind)
        ):
            for entry in pc.value_counts(systems).to_pylist():
                places.setdefault(entry["values"], []).append(place)
                rows[entry["values"]] += entry["counts"]
    except (IrframeError, LookupError):
        return None
    if len(rows) < 2 or rows.total() < FEW * len(rows) or min(rows.values()) < 2:
        return None
    read = _batches if is_parquet else _pieces
    return _whole_runs(lambda: read(file, kind), places, _turns(rows))


def _turns(rows: Counter[str]) -> Iterator[list[str]]:
    """Yield systems that have about `ROWS` rows together, in order of their first row."""
    share, held = list[str](), 0
    for system, number in rows.items():
        if share and held + number > ROWS:
            yield share
            share, held = [], 0
        share.append(system)
        held += number
    yield share


def _whole_runs(
    read: Callable[[], Iterator[pa.Table]],
    places: dict[str, list[int]],
    shares: Iterator[list[str]],
) -> Iterator[pa.Table]:
    """Yield all rows of some systems after the other, given in which pieces these are."""
    pieces, at, piece = enumerate(read()), -1, pa.table({})
    for systems in shares:
        wanted, parts = {place for system in systems for place in places[system]}, []
        if min(wanted) < at:
            pieces, at = enumerate(read()), -1
        while True:
            if at in wanted:
                parts.append(piece.filter(pc.is_in(piece[SYSTEM], pa.array(systems, TEXT))))
            if at >= max(wanted):
                break
            at, piece = next(pieces)
        held = (parts.pop(0) for _ in range(len(parts)))  # so that nobody here holds them
        yield pa.concat_tables(held, promote_options="permissive")


def _batches(file: str, kind: Kind) -> Iterator[pa.Table]:
    """Yield the rows of Parquet, by their roles."""
    return (in_types(batch, file, kind) for batch in parquet_batches(file, file))


def _labels_of_batches(file: str, kind: Kind) -> Iterator[pa.ChunkedArray]:
    """Yield the systems of the same batches, of files whose scores a part does not decide."""
    schema = next(parquet_batches(file, file)).schema
    columns = kind.require(schema.names, file)
    name = columns[SYSTEM]
    exact = SCORE in columns and not pa.types.is_floating(schema.field(columns[SCORE]).type)
    if not exact:
        for batch in parquet_batches(file, file, [name]):
            yield names_in(batch[name], SYSTEM, name).cast(TEXT)


def _labels_of_pieces(file: str, kind: Kind) -> Iterator[pa.ChunkedArray]:
    """Yield the systems of pieces of text."""
    return (piece[SYSTEM] for piece in _pieces(file, kind))


def _pieces(file: str, kind: Kind) -> Iterator[pa.Table]:
    """Yield the rows of a run in lines, of which all are cut as the first ones are.

    Raises
    ------
    LookupError
        For any other file, and where a line is a comment, or of another length.
    """
    cut = cast("Cut | None", None)
    for data in compression.pieces(file, PIECE):
        held = data
        if cut is None:
            cut = _cut_of(held, kind) if compression.is_in_lines(held) else None
            if cut is None or cut.header or b"ir_metadata" in held[: cut.start]:
                raise LookupError
            held = held.removeprefix(codecs.BOM_UTF8)[cut.start :]
            cut = cut._replace(start=0)
        table = parse(held, file, kind, cut)
        # Notes count lines of the whole file, which is read again for them.
        if table.schema.metadata or pc.any(pc.starts_with(table[TOPIC], "#")).as_py():
            raise LookupError
        yield table


def _cut_of(data: bytes, kind: Kind) -> Cut | None:
    """Return how the first lines of a run are cut, if they tell."""
    for cut in cuts_of(data, kind):
        start = data.removeprefix(codecs.BOM_UTF8)[cut.start :]
        try:
            parse(start, "", kind, cut)
        except RankingError:  # of ranks that may be scores
            return None
        except IrframeError:
            continue
        return cut
    return None
