"""Files of runs and judgments, text, Parquet, JSON or CBOR, as tables."""

from collections.abc import Iterator
from os import PathLike, fspath
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import FileFormatError
from irframe.files.columns import constant
from irframe.files.comments import cut_off
from irframe.files.compression import (
    PACKED,
    Source,
    begin,
    is_address,
    load,
    name_of,
    open_unpacked,
    pieces,
)
from irframe.files.dictionary_files import is_nested, may_be_nested, parse_nested
from irframe.files.folders import home, partitions
from irframe.files.formats import RUN, Format, first_columns, parse
from irframe.files.parquet import PARQUET, is_parquet, parse_parquet
from irframe.names import SYSTEM, TOPIC, roles

__all__ = ["read_file", "run_table", "stem", "system_of"]

LARGE, PIECE = 1 << 24, 1 << 25
"""Bytes from which on a file is read in pieces, and about how many a piece has."""

RUN_SUFFIXES = (".run", ".txt", ".trec", ".tsv", ".json", ".lz4", ".parquet", ".parq")


def read_file(source: Source, kind: Format) -> pa.Table:
    """Read a file of either kind, whatever its content is written in."""
    if kind is RUN and (table := _in_pieces(source)) is not None:
        return table
    data, name = load(source, is_in_lines), name_of(source)
    if is_nested(data):
        return parse_nested(data, name, kind)
    return (parse_parquet if is_parquet(data) else parse)(data, name, kind)


def _in_pieces(source: Source) -> pa.Table | None:
    """Read a large run of plain lines, some at a time; None for others, and where one is odd.

    What is wrong, or to be warned of, is said of a file that is seen as a whole.
    """
    if not isinstance(source, str | PathLike) or is_address(fspath(source)):
        return None
    if not Path(source).is_file() or Path(source).stat().st_size < LARGE:
        return None
    file = fspath(source)
    try:
        with open_unpacked(file) as stream:
            if not is_in_lines(begin(stream, file)):
                return None
        tables = list(parsed(file, PIECE))
    except FileFormatError:
        return None
    if not tables or any(table.schema.metadata for table in tables):
        return None
    table = pa.concat_tables(tables)
    odd = pc.any(pc.starts_with(table[TOPIC], "#")).as_py() or cut_off(table) is not None
    return None if odd else table


def is_in_lines(head: bytes) -> bool:
    """Tell by its first bytes whether a file holds lines, rather than Parquet or a dictionary."""
    return not (head.startswith(PARQUET) or may_be_nested(head))


def parsed(file: str, size: int) -> Iterator[pa.Table]:
    """Yield the rows of a run in lines, the first of which says what the columns of all are.

    Parameters
    ----------
    file
        A path or an address.
    size
        About how many bytes are parsed at a time.
    """
    columns, held, before = None, b"", 0
    for data in pieces(file, size):
        held += data
        columns = columns or first_columns(held, RUN)
        if columns:
            yield parse(held, file, RUN, before=before, columns=columns)
            before, held = before + held.count(b"\n"), b""
    if held.strip():
        yield parse(held, file, RUN, before=before)


def run_table(source: Source, system: str | None) -> pa.Table:
    """Read a run whose first column names the system; arguments as for `read_run`."""
    return with_system(read_file(source, RUN), source, system)


def with_system(table: pa.Table, source: Source, system: str | None) -> pa.Table:
    """Return a run whose first column names the system, with what its folders say of it."""
    told, label = partitions(name_of(source)), system_of(name_of(source))
    told.pop(str(roles(told).get(SYSTEM)), None)
    for name, value in told.items():
        if name not in table.column_names:
            table = table.append_column(name, constant(value, table.num_rows))
    if system is None and label is None and SYSTEM in table.column_names:
        return table
    chosen = system or label or stem(source)
    others = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return others.add_column(0, SYSTEM, constant(chosen, table.num_rows))


def system_of(name: str) -> str | None:
    """Return which system the folders of a partitioned data set say that a file is of."""
    told = partitions(name)
    return told.get(str(roles(told).get(SYSTEM)))


def stem(source: Source) -> str:
    """Name a system after its file."""
    path = Path(home(name_of(source)))
    for suffixes in (PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
