"""Runs and judgments from Parquet, where columns are found by name."""

import re
from collections.abc import Iterator
from typing import IO

import pyarrow as pa

from irframe.errors import FileFormatError
from irframe.files.columns import to_role
from irframe.files.damage import whole
from irframe.files.formats import Format

__all__ = ["PARQUET", "is_parquet", "parquet_pieces", "parse_parquet"]

PARQUET = b"PAR1"
"""How a Parquet file begins and ends."""

BUFFER = 1 << 20
"""Bytes of a column that are read at a time, whatever the size of row groups."""

_DAMAGE = pa.ArrowException, OSError
_INDEX = re.compile(r"__index_level_\d+__")


def is_parquet(data: bytes) -> bool:
    """Tell by its content whether a file is Parquet."""
    return data.startswith(PARQUET) and data.endswith(PARQUET)


def parse_parquet(data: bytes, source: str, kind: Format) -> pa.Table:
    """Read a Parquet file into a table with a column per role, then its further columns.

    Parameters
    ----------
    data
        The file.
    source
        Its name, for messages.
    kind
        What it should be.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text; ids that were whole numbers are written out. Of further
        columns with one name only the first is read.
    """
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - costs time at import

    with whole("a Parquet file", source, *_DAMAGE):
        table = ParquetFile(pa.BufferReader(data)).read()
    return _by_role(table, source, kind)


def parquet_pieces(stream: IO[bytes], source: str, kind: Format, rows: int) -> Iterator[pa.Table]:
    """Read a Parquet file as `parse_parquet` does, so many rows at a time."""
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - costs time at import

    with whole("a Parquet file", source, *_DAMAGE):
        file = ParquetFile(stream, buffer_size=BUFFER, pre_buffer=False)
        for batch in file.iter_batches(rows):
            yield _by_role(pa.Table.from_batches([batch]), source, kind)


def _by_role(table: pa.Table, source: str, kind: Format) -> pa.Table:
    found = kind.require(table.column_names, source)
    if not table.num_rows:
        raise FileFormatError(kind.noun, f"{source} without a single row")
    columns = {
        role: to_role(table[name], role, f"column {name!r} of {source}")
        for role, name in found.items()
    }
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name not in found.values() and not _INDEX.fullmatch(name):
            columns.setdefault(name, column)
    return pa.table(columns)
