"""Columns as lines of text in a file."""

from os import PathLike

import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import IdError, InputError
from irframe.files import foreign
from irframe.files.as_qrels import Qrels, as_qrels
from irframe.files.as_runs import Runs, as_runs
from irframe.files.columns import ERRORS, TEXT, to_arrow, to_role
from irframe.files.compression import create
from irframe.files.formats import RUN, Format
from irframe.names import RANK, SCORE, STRATUM, TOPIC

__all__ = ["columns_of", "write"]

ROWS = 1 << 18
"""Rows that are made into text at a time."""


def columns_of(x: Runs | Qrels, kind: Format) -> dict[str, pa.ChunkedArray]:
    """Take the columns of a frame that a file holds, by role, in their types."""
    table = foreign.columns_of(x)
    make = as_runs if kind is RUN else as_qrels
    frame = make(x) if table is None else table
    found = kind.require(frame.columns, "a frame", optional=(SCORE, RANK))
    if frame.empty:
        raise InputError(f"{kind.noun} to write", "a frame without rows")
    return {
        role: to_role(to_arrow(frame[name], ERRORS.get(role, IdError)), role, f"column {name!r}")
        for role, name in found.items()
    }


def write(path: str | PathLike[str], columns: dict[str, pa.ChunkedArray], kind: Format) -> None:
    """Write columns by role as the text format has them, one row a line."""
    for role, column in columns.items():
        _check_ids(column, role)
    fields = [columns.get(name, pa.scalar(name, TEXT)) for name in kind.layouts[STRATUM in columns]]
    with create(path) as stream:
        for start in range(0, len(columns[TOPIC]), ROWS):
            stream.write(_lines([_part(field, start) for field in fields]))


def _check_ids(ids: pa.ChunkedArray, role: str) -> None:
    """Refuse ids that a line of text cannot hold: they would not be read back."""
    if ids.type != TEXT:
        return
    comment = "|^#" * (role == TOPIC)
    unfit = ids.filter(pc.match_substring_regex(ids, r"^$|[\s\v]" + comment))
    if len(unfit):
        found = f"{role} ids that are empty, hold white space or begin as a comment does"
        offenders = [repr(text) for text in pc.unique(unfit).to_pylist()]
        raise IdError(f"{role} ids that a line can hold", found, "rename them", offenders)


def _part(field: pa.ChunkedArray | pa.Scalar, start: int) -> pa.Array | pa.Scalar:
    if isinstance(field, pa.Scalar):
        return field
    return field.slice(start, ROWS).cast(TEXT).combine_chunks()


def _lines(fields: list[pa.Array | pa.Scalar]) -> bytes:
    lines = pc.binary_join_element_wise(*fields, pa.scalar(" ", TEXT))
    text = pa.LargeListArray.from_arrays([0, len(lines)], lines)
    content: bytes = pc.binary_join(text, pa.scalar("\n", TEXT))[0].as_buffer().to_pybytes() + b"\n"
    return content
