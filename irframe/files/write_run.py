"""Writers of runs and judgments.

Verbs: write_run, write_qrels.
"""

from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import IO

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe import errors
from irframe.errors import warn
from irframe.files.as_runs import Qrels, Runs, by_role
from irframe.files.compression import PACKED, create, look, refuse_input
from irframe.files.ids import TEXT
from irframe.files.kinds import QRELS, RUN, Kind, refuse_two_units
from irframe.files.likeness import refuse_strangers, without_titles
from irframe.files.tables import columns_of
from irframe.files.values import constant, to_arrow, to_frame, to_role
from irframe.names import (
    FILES,
    GRADE,
    ITERATION,
    PROBABILITY,
    RANK,
    SCORE,
    STRATUM,
    SUBTOPIC,
    SYSTEM,
    TOPIC,
)

ROWS = 1 << 18
"""Rows per block of text."""


def _frame(x: Runs | Qrels, kind: Kind) -> pd.DataFrame:
    table = columns_of(x, kind.value)
    return by_role(x, kind).frame if table is None else table


def _columns_by_role(frame: pd.DataFrame, kind: Kind) -> dict[str, pa.ChunkedArray]:
    """Return the columns to write by role, typed."""
    names = kind.require(frame.columns, "a frame", optional=(SCORE, RANK))
    names = without_titles(names, frame.__getitem__) if kind.value == SCORE else names
    if frame.empty:
        raise errors.InputError(f"{kind.noun} to write", "a frame without rows")
    return {
        role: to_role(frame[name], role, name, ranked=SCORE in names)
        for role, name in names.items()
    }


def write(path: str | PathLike[str], columns: dict[str, pa.ChunkedArray], kind: Kind) -> None:
    """Write columns by role as lines of text."""
    for role, column in columns.items():
        _check_ids(column, role)
    layout, rows = kind.layouts[STRATUM in columns], len(columns[TOPIC])
    fields = [columns.get(name, pa.scalar(name, TEXT)) for name in layout]
    with create(path) as stream:
        for start in range(0, rows, ROWS):
            block = [f.slice(start, ROWS) if isinstance(f, pa.ChunkedArray) else f for f in fields]
            texts = [f.cast(TEXT) for f in block]
            lines = pc.binary_join_element_wise(*texts, pa.scalar(" ", TEXT)).combine_chunks()
            text = pa.LargeListArray.from_arrays([0, len(lines)], lines)
            stream.write(pc.binary_join(text, pa.scalar("\n", TEXT))[0].as_buffer().to_pybytes())
            stream.write(b"\n")


def _write_parquet(stream: IO[bytes], table: pa.Table) -> None:
    from pyarrow.parquet import write_table  # noqa: PLC0415 - costs time at import

    write_table(table, stream)


WRITERS = {".parquet": _write_parquet, ".parq": _write_parquet}
"""Suffix -> writer of all columns; any other file is written as text."""
FOREIGN = (
    *(".json", ".jsonl", ".csv", ".xlsx", ".xls", ".feather", ".arrow", ".ipc", ".pkl", ".pickle"),
    *(".npz", ".npy", ".h5", ".html", ".xml", ".yaml", ".yml", ".cbor", ".lz4", ".zip", ".db"),
)
"""Suffixes of unsupported formats."""
ADVICE = {
    ".json": "call json.dump with the result of to_pytrec_eval",
    ".jsonl": "call frame.to_json(path, orient='records', lines=True)",
}
"""Suffix -> another way to write it."""


def _writer(path: str | PathLike[str]) -> Callable[[IO[bytes], pa.Table], None] | None:
    """Return the writer for a file name, None for text.

    Raises
    ------
    ParameterError
        For an unsupported format.
    """
    suffixes = [ending.lower() for ending in Path(fspath(path)).suffixes]
    suffix = next((ending for ending in suffixes[::-1] if ending not in PACKED), "")
    if suffix in FOREIGN:
        expected = f"a file of lines in the TREC format, or {', '.join(WRITERS)}"
        raise errors.ParameterError(expected, str(path), ADVICE.get(suffix, ""))
    return WRITERS.get(suffix)


def _wrote_table(
    frame: Runs | Qrels, path: str | PathLike[str], kind: Kind, system: str | None = None
) -> bool:
    """Write all columns, unless the name asks for text."""
    look(path)
    refuse_input(path, (file for file, *_ in getattr(frame, "attrs", {}).get(FILES, ())))
    writer = _writer(path)
    if writer is None:
        return False
    rows = _frame(frame, kind)
    columns = _columns_by_role(rows, kind)
    if system is not None:
        label = {SYSTEM: constant(system, len(rows))}
        columns = label | columns | label
    taken = {*kind.find(rows.columns).values()}
    others = [name for name in rows.columns if name not in taken and name not in columns]
    table = columns | {str(name): to_arrow(rows[name]) for name in others}
    with create(path) as stream:
        writer(stream, pa.table(table))
    return True


def _check_ids(ids: pa.ChunkedArray, role: str) -> None:
    """Refuse ids that a line of text cannot hold."""
    if ids.type != TEXT:
        return
    comment = "|^[#\ufeff]" * (role == TOPIC)
    unfit = ids.filter(pc.match_substring_regex(ids, r"^$|[\s\v]" + comment))
    if len(unfit):
        found = f"{role} ids that are empty, contain white space or begin with # or a BOM"
        offenders = [repr(text) for text in pc.unique(unfit).to_pylist()]
        raise errors.IdError(f"{role} ids that fit into a line", found, "rename them", offenders)


def write_run(frame: Runs, path: str | PathLike[str], *, system: str | None = None) -> None:
    """Write a run in the TREC format, or as Parquet.

    Parameters
    ----------
    frame
        Columns for topic and doc, and optionally for rank, score and system, with any accepted
        names. It is not changed.
    path
        The file to write, compressed if it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``. A suffix
        ``.parquet`` before that selects Parquet, which holds every column.
    system
        The tag of all rows. By default the frame's system, or ``run`` without one.

    Raises
    ------
    ParameterError
        For an unsupported format, such as ``.json`` or ``.csv``.

    Notes
    -----
    Rows keep their order and scores all digits, so `read_run` returns the same run. A frame without
    ranks gets 1, 2, ... in row order for each system and topic. A frame without scores gets minus
    the rank as score, because the format requires scores.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> run = pd.DataFrame({"qid": [301, 301], "docno": ["d7", "d3"], "score": [2.5, 0.1]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     write_run(run, file, system="bm25")
    ...     print(file.read_text())
    301 Q0 d7 1 2.5 bm25
    301 Q0 d3 2 0.1 bm25
    """
    if _wrote_table(frame, path, RUN, system):
        return
    rows = _frame(frame, RUN)
    names = RUN.find(rows.columns)
    refuse_two_units(rows, names)
    refuse_strangers(names, rows.columns, rows.__getitem__)
    columns = _columns_by_role(rows, RUN)
    if system is not None or SYSTEM not in columns:
        columns[SYSTEM] = constant("run" if system is None else system, len(columns[TOPIC]))
    if RANK not in columns:
        lists = to_frame(pa.table({role: columns[role] for role in (SYSTEM, TOPIC)}))
        columns[RANK] = to_arrow(lists.groupby([SYSTEM, TOPIC], sort=False).cumcount() + 1)
    if SCORE not in columns:
        columns[SCORE] = pc.negate(columns[RANK])
    write(path, columns, RUN)


def write_qrels(frame: Qrels, path: str | PathLike[str]) -> None:
    """Write judgments in the TREC format, or as Parquet.

    Parameters
    ----------
    frame
        Columns for topic, doc and grade (whole numbers), and optionally for iteration and stratum,
        with any accepted names; or anything that `as_qrels` takes. It is not changed.
    path
        The file to write, compressed if it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``. A suffix
        ``.parquet`` before that selects Parquet, which holds every column.

    Raises
    ------
    ParameterError
        For an unsupported format, such as ``.json`` or ``.csv``.

    Warns
    -----
    IrframeWarning
        If a `probability` differs from the judged share of the stratum, because the format has no
        column for it; or if there are both iterations and subtopics.

    Notes
    -----
    Rows keep their order, so `read_qrels` returns the same judgments. A frame without iterations
    gets ``0``, as usual at TREC. Subtopics are written in place of iterations, as in diversity
    tracks, and are read with ``subtopics=True``. A frame with a column `stratum` is written in the
    five columns ``topic iteration doc stratum grade`` that NIST's sample_eval.pl reads. There grade
    -1 marks a document that was pooled and not judged.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> qrels = pd.DataFrame({"qid": [301, 301], "docno": ["d3", "d7"], "label": [0, 2]})
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     write_qrels(qrels, file)
    ...     write_qrels(qrels.assign(stratum=1), Path(folder, "sample.txt"))
    ...     print(file.read_text() + Path(folder, "sample.txt").read_text())
    301 0 d3 0
    301 0 d7 2
    301 0 d3 1 0
    301 0 d7 1 2
    """
    if _wrote_table(frame, path, QRELS):
        return
    columns = _columns_by_role(_frame(frame, QRELS), QRELS)
    if {ITERATION, SUBTOPIC} <= columns.keys():
        notice = "the column iteration is not written, because subtopics take its place"
        warn(f"{notice}; a file that ends in .parquet keeps it")
    if SUBTOPIC in columns or ITERATION not in columns:
        columns[ITERATION] = columns.get(SUBTOPIC, constant("0", len(columns[TOPIC])))
    if PROBABILITY in columns and not _follows(columns):
        notice = "the column probability, which the TREC format lacks, is not written"
        warn(f"{notice}; a file that ends in .parquet keeps it")
    write(path, columns, QRELS)


def _follows(columns: dict[str, pa.ChunkedArray]) -> bool:
    """Tell whether probabilities equal the judged shares of strata."""
    if STRATUM not in columns:
        return False
    names = (TOPIC, STRATUM, GRADE, PROBABILITY)
    frame = pa.table({name: columns[name] for name in names}).to_pandas()
    judged = (frame[GRADE] >= 0).groupby([frame[TOPIC], frame[STRATUM]]).transform("mean")
    return bool(np.allclose(judged, frame[PROBABILITY]))
