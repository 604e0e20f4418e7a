"""Frames into files of runs and judgments."""

from os import PathLike

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import IdError, InputError
from irframe.frames.columns import TEXT, to_arrow, to_frame, to_role
from irframe.frames.compression import create
from irframe.frames.formats import QRELS, RUN, Format
from irframe.names import ITERATION, RANK, SCORE, SYSTEM, TOPIC

__all__ = ["write_qrels", "write_run"]

ROWS = 1 << 18
"""Rows that are made into text at a time."""


def write_run(frame: pd.DataFrame, path: str | PathLike[str], *, system: str | None = None) -> None:
    """Write a run in the TREC format, ``topic Q0 doc rank score tag``.

    Parameters
    ----------
    frame
        Columns for topic and doc, and where there are any for rank, score and system, by any
        of their accepted names. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.
    system
        The tag, for every row. Default: the frame's system; ``run`` where it has none.

    Notes
    -----
    Rows keep their order, and scores every digit, so that `read_run` gives back what was
    written. A frame without ranks gets 1, 2, ... in row order for each system and topic. A
    frame without scores gets minus the rank, which keeps the order: the format has no way to
    leave a score out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> run = pd.DataFrame({"qid": [301, 301], "docno": ["d7", "d3"], "score": [2.5, 0.1]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     write_run(run, file, system="bm25")
    ...     print(file.read_text())
    301 Q0 d7 1 2.5 bm25
    301 Q0 d3 2 0.1 bm25
    """
    columns = _columns(frame, RUN)
    if system is not None or SYSTEM not in columns:
        columns[SYSTEM] = _constant("run" if system is None else system, len(frame))
    if RANK not in columns:
        columns[RANK] = _row_ranks(columns)
    if SCORE not in columns:
        columns[SCORE] = pc.negate(columns[RANK])
    _write(path, columns, RUN)


def write_qrels(frame: pd.DataFrame, path: str | PathLike[str]) -> None:
    """Write judgments in the TREC format, ``topic iteration doc grade``.

    Parameters
    ----------
    frame
        Columns for topic, doc and grade (whole numbers), and where there is one for iteration,
        by any of their accepted names. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``.

    Notes
    -----
    Rows keep their order, so that `read_qrels` gives back what was written. A frame without
    iterations gets ``0``, as TREC has it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> qrels = pd.DataFrame({"qid": [301, 301], "docno": ["d3", "d7"], "label": [0, 2]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     write_qrels(qrels, file)
    ...     print(file.read_text())
    301 0 d3 0
    301 0 d7 2
    """
    columns = _columns(frame, QRELS)
    if ITERATION not in columns:
        columns[ITERATION] = _constant("0", len(frame))
    _write(path, columns, QRELS)


def _columns(frame: pd.DataFrame, kind: Format) -> dict[str, pa.ChunkedArray]:
    found = kind.require(frame.columns, "a frame", optional=(SCORE, RANK))
    if frame.empty:
        raise InputError(f"{kind.noun} to write", "a frame without rows")
    return {
        role: to_role(to_arrow(frame[name]), role, f"column {name!r}")
        for role, name in found.items()
    }


def _constant(text: str, rows: int) -> pa.ChunkedArray:
    return pa.chunked_array([pa.repeat(pa.scalar(text, TEXT), rows)])


def _row_ranks(columns: dict[str, pa.ChunkedArray]) -> pa.ChunkedArray:
    lists = to_frame(pa.table({role: columns[role] for role in (SYSTEM, TOPIC)}))
    ranks = lists.groupby([SYSTEM, TOPIC], sort=False).cumcount() + 1
    return to_arrow(ranks)


def _write(path: str | PathLike[str], columns: dict[str, pa.ChunkedArray], kind: Format) -> None:
    for role, column in columns.items():
        _check_ids(column, role)
    fields = [columns.get(name, pa.scalar(name, TEXT)) for name in kind.layouts[0]]
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
