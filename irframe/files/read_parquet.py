"""Parquet, in batches of rows: a small file may say that it holds more than any memory does."""

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from irframe.files.compression import PARQUET, undamaged
from irframe.files.limits import FREE, refuse_large, refuse_wide

FIRST, MOST = 1 << 8, 1 << 16
"""Rows of a row group that are read to see how large they are, and of a batch at most."""
_WIDTH = 8
"""Bytes that a value takes in memory."""


def is_parquet(data: bytes) -> bool:
    """Tell by its content whether a file is Parquet."""
    return data.startswith(PARQUET) and data.endswith(PARQUET)


def read_parquet(data: bytes, source: str) -> pa.Table:
    """Read a Parquet file, unless it holds more than files of its size do; see `limits`."""
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
            refuse_wide(source, facts.num_columns)
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
