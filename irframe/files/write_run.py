"""Runs and judgments into files, and dictionaries out of them.

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
"""Rows that are made into text at a time."""


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
            own = [f.slice(start, ROWS) if isinstance(f, pa.ChunkedArray) else f for f in fields]
            parts = [f.cast(TEXT) for f in own]
            lines = pc.binary_join_element_wise(*parts, pa.scalar(" ", TEXT)).combine_chunks()
            text = pa.LargeListArray.from_arrays([0, len(lines)], lines)
            stream.write(pc.binary_join(text, pa.scalar("\n", TEXT))[0].as_buffer().to_pybytes())
            stream.write(b"\n")


def _write_parquet(stream: IO[bytes], table: pa.Table) -> None:
    from pyarrow.parquet import write_table  # noqa: PLC0415 - costs time at import

    write_table(table, stream)


WRITERS = {".parquet": _write_parquet, ".parq": _write_parquet}
"""Suffix -> what writes all columns of a table; files of other names are lines of text."""
FOREIGN = (
    *(".json", ".jsonl", ".csv", ".xlsx", ".xls", ".feather", ".arrow", ".ipc", ".pkl", ".pickle"),
    *(".npz", ".npy", ".h5", ".html", ".xml", ".yaml", ".yml", ".cbor", ".lz4", ".zip", ".db"),
)
"""Suffixes of formats that are not written."""
ADVICE = {
    ".json": "to_pytrec_eval makes the dictionaries that json.dump writes",
    ".jsonl": "frame.to_json(path, orient='records', lines=True) writes it",
}
"""Suffix -> what writes it."""


def _writer(path: str | PathLike[str]) -> Callable[[IO[bytes], pa.Table], None] | None:
    """Return the writer for a file name, None for text.

    Raises
    ------
    ParameterError
        For a format that is not written.
    """
    suffixes = [ending.lower() for ending in Path(fspath(path)).suffixes]
    suffix = next((ending for ending in suffixes[::-1] if ending not in PACKED), "")
    if suffix in FOREIGN:
        wanted = f"a file of lines in the TREC format, or {', '.join(WRITERS)}"
        raise errors.ParameterError(wanted, str(path), ADVICE.get(suffix, ""))
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
    known = _frame(frame, kind)
    columns = _columns_by_role(known, kind)
    if system is not None:
        label = {SYSTEM: constant(system, len(known))}
        columns = label | columns | label
    taken = {*kind.find(known.columns).values()}
    others = [name for name in known.columns if name not in taken and name not in columns]
    table = columns | {str(name): to_arrow(known[name]) for name in others}
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
        found = f"{role} ids that are empty, hold white space or begin as a comment or a file does"
        offenders = [repr(text) for text in pc.unique(unfit).to_pylist()]
        raise errors.IdError(f"{role} ids that a line can hold", found, "rename them", offenders)


def write_run(frame: Runs, path: str | PathLike[str], *, system: str | None = None) -> None:
    """Write a run in the TREC format, or as Parquet.

    Parameters
    ----------
    frame
        Columns for topic and doc, and where there are any for rank, score and system, by any
        of their accepted names. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``. Before
        that, ``.parquet`` asks for Parquet, which holds every column.
    system
        The tag, for every row. Default: the frame's system; ``run`` where it has none.

    Raises
    ------
    ParameterError
        For the name of a format that is not written, such as ``.json`` or ``.csv``.

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
    known = _frame(frame, RUN)
    refuse_two_units(known, found := RUN.find(known.columns))
    refuse_strangers(found, known.columns, known.__getitem__)
    columns = _columns_by_role(known, RUN)
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
        Columns for topic, doc and grade (whole numbers), and where there are some for iteration
        and stratum, by any of their accepted names; or what `as_qrels` takes. It is not changed.
    path
        The file to write; packed where it ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``. Before
        that, ``.parquet`` asks for Parquet, which holds every column.

    Raises
    ------
    ParameterError
        For the name of a format that is not written, such as ``.json`` or ``.csv``.

    Warns
    -----
    IrframeWarning
        If documents were drawn with a `probability` that is not the judged share of their stratum,
        for which the format has no column; or if there are both iterations and subtopics.

    Notes
    -----
    Rows keep their order, so that `read_qrels` gives back what was written. A frame without
    iterations gets ``0``, as TREC has it; subtopics stand in their place, as in tracks of
    diversity, and are read with ``subtopics=True``. One with a column `stratum` is written in the
    five columns ``topic iteration doc stratum grade`` that NIST's sample_eval.pl reads, where grade
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
        notice = "the column iteration is not written, as subtopics stand in its place"
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
