"""Writers of runs and judgments, and atomic writing of files.

Verbs: write_run, write_qrels.
"""

import bz2
import gzip
import lzma
import os
import shutil
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from glob import glob
from importlib import import_module
from os import PathLike, fsencode, fspath
from os.path import exists
from pathlib import Path
from time import time
from typing import IO, Any
from uuid import uuid4

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe import names as words
from irframe.errors import IdError, InputError, ParameterError, warn
from irframe.files.as_runs import Qrels, Runs, by_role
from irframe.files.sources import PACKED, checked_path, is_address
from irframe.frames.ids import TEXT
from irframe.frames.kinds import QRELS, RUN, Kind, refuse_two_units
from irframe.frames.likeness import refuse_strangers, without_titles
from irframe.frames.tables import columns_of
from irframe.frames.values import constant, to_arrow, to_frame, to_role
from irframe.names import GRADE, ITERATION, RANK, SCORE, STRATUM, SUBTOPIC, SYSTEM, TOPIC


@contextmanager
def atomic(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name when complete.

    An existing file is only replaced when the new file is complete. It therefore survives errors,
    killed processes and full disks. Devices and pipes are written directly.

    Parameters
    ----------
    path
        The file. If `path` is a symbolic link, the target of the link is replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic(f"{folder}/a.txt") as stream:
    ...         _ = stream.write(b"text")
    ...         os.path.exists(f"{folder}/a.txt")
    ...     Path(folder, "a.txt").read_text()
    False
    'text'
    """
    if _is_device(Path(path)):
        with _naming_file(path), Path(path).open("wb") as device:
            yield device
        return
    target = Path(os.path.realpath(path))
    with _naming_file(path):
        stream = _open_temporary(target)
    written = Path(stream.name)
    try:
        with _naming_file(path), stream:
            yield stream
        # errors are ignored, because a new target has no mode, and some file systems have no modes
        with suppress(OSError):
            written.chmod(target.stat().st_mode)
        written.replace(target)
    except BaseException:
        with suppress(OSError):
            written.unlink()
        raise


@contextmanager
def _naming_file(path: str | PathLike[str]) -> Iterator[None]:
    """Add the name of a file to errors of writing."""
    try:
        yield
    except OSError as error:
        error.filename = fspath(path)
        raise


def _is_device(target: Path) -> bool:
    """Return whether a path is a device or a pipe."""
    return target.exists() and not target.is_file()


def _open_temporary(target: Path) -> IO[bytes]:
    """Open a new file in the folder of the target."""
    if target.exists() and not os.access(target, os.W_OK):
        # Replacing a file needs no permission to write to it. Opening a protected file first raises
        # the PermissionError that users expect.
        target.open("ab").close()
    stream = temporary_path(target).open("xb")
    try_lock(stream.fileno())
    return stream


STALE = 60
"""An unlocked temporary file of more than this age in seconds was left by a killed process."""


def temporary_path(target: Path) -> Path:
    """Return a temporary path in the folder of a file.

    Temporary files that killed processes left in the folder are removed.
    """
    # a checksum keeps the name short, because file systems limit the length of names
    prefix = f".{zlib.crc32(fsencode(target.name)):08x}."
    for leftover in target.parent.glob(f"{prefix}*.part*"):
        # errors are ignored, because another process may remove the file first
        with suppress(OSError), locked(leftover) as is_free:
            # The operating system releases the locks of a killed process. The age is checked,
            # because a new file is locked only after it was created.
            if is_free and time() - leftover.stat().st_mtime > STALE:
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
    return target.with_name(f"{prefix}{uuid4().hex}.part")


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Lock a file or folder; yield whether this succeeded."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # Windows cannot open folders, so folders are not locked there
        yield False
        return
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Try to lock an open file; return whether it succeeded.

    On systems without locks, such as Windows, the result is False.
    """
    try:
        fcntl = import_module("fcntl")
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_file(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file atomically, with text in UTF-8."""
    with atomic(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


_PACK: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda stream: gzip.GzipFile("", "wb", 6, stream),
    ".bz2": partial(bz2.open, mode="wb"),
    ".xz": partial(lzma.open, mode="wb"),
    ".zst": partial(pa.output_stream, compression="zstd"),
}
"""Mapping from a suffix to the function that compresses a stream."""


@contextmanager
def create(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing; its suffix selects the compression."""
    pack = _PACK.get(checked_path(path).suffix.lower(), nullcontext)
    with atomic(path) as stream, pack(stream) as packed:
        yield packed


def look(path: str | PathLike[str]) -> None:
    """Raise if a file cannot be opened for writing."""
    # pipes are not tested, because opening a pipe blocks until another process reads it
    if not _is_device(checked_path(path)):
        with suppress(InterruptedError), atomic(path):
            raise InterruptedError


def refuse_input(path: str | PathLike[str], inputs: Iterable[str]) -> None:
    """Raise if an output file is also an input."""
    output = checked_path(path)
    if is_address(str(output)) or not output.is_file():
        return
    names = (name for pattern in inputs for name in (pattern, *glob(pattern, recursive=True)))  # noqa: PTH207
    present = (Path(name).resolve() for name in names if exists(name))  # noqa: PTH110
    if any(output.resolve().is_relative_to(name) for name in present):
        expected = "an output file that is not an input"
        got = f"{fspath(path)}, which is read"
        raise ParameterError(expected, got, "write to another file")


ROWS = 1 << 18
"""The number of rows that are written at a time."""


def _frame(x: Runs | Qrels, kind: Kind) -> pd.DataFrame:
    table = columns_of(x, kind.value)
    return by_role(x, kind).frame if table is None else table


def _columns_by_role(frame: pd.DataFrame, kind: Kind) -> dict[str, pa.ChunkedArray]:
    """Convert the columns to write; return them by role."""
    names = kind.require(frame.columns, "a frame", optional=(SCORE, RANK))
    names = without_titles(names, frame.__getitem__) if kind.value == SCORE else names
    if frame.empty:
        raise InputError(f"{kind.noun} to write", "a frame without rows")
    return {
        role: to_role(frame[name], role, name, ranked=SCORE in names)
        for role, name in names.items()
    }


def write(path: str | PathLike[str], columns: dict[str, pa.ChunkedArray], kind: Kind) -> None:
    """Write columns as lines of text."""
    for role, column in columns.items():
        _check_ids(column, role)
    # the second layout of judgments has strata, and the column Q0 of runs contains its own name
    layout = kind.layouts[STRATUM in columns]
    fields = [columns.get(name, pa.scalar(name, TEXT)) for name in layout]
    with create(path) as stream:
        for start in range(0, len(columns[TOPIC]), ROWS):
            block = [f.slice(start, ROWS) if isinstance(f, pa.ChunkedArray) else f for f in fields]
            texts = [f.cast(TEXT) for f in block]
            # lines are joined in Arrow, which creates no Python object per line
            lines = pc.binary_join_element_wise(*texts, pa.scalar(" ", TEXT)).combine_chunks()
            text = pa.LargeListArray.from_arrays([0, len(lines)], lines)
            stream.write(pc.binary_join(text, pa.scalar("\n", TEXT))[0].as_buffer().to_pybytes())
            stream.write(b"\n")


def _write_parquet(stream: IO[bytes], table: pa.Table) -> None:
    from pyarrow.parquet import write_table  # noqa: PLC0415 - costs time at import

    write_table(table, stream)


WRITERS = {".parquet": _write_parquet, ".parq": _write_parquet}
"""Mapping from a suffix to the function that writes a table with all columns.

Files with any other suffix are written as text."""
FOREIGN = (
    *(".json", ".jsonl", ".csv", ".xlsx", ".xls", ".feather", ".arrow", ".ipc", ".pkl", ".pickle"),
    *(".npz", ".npy", ".h5", ".html", ".xml", ".yaml", ".yml", ".cbor", ".lz4", ".zip", ".db"),
)
"""Suffixes of formats that cannot be written."""
ADVICE = {
    ".json": "call json.dump with the result of to_pytrec_eval",
    ".jsonl": "call frame.to_json(path, orient='records', lines=True)",
}
"""Mapping from the suffix of a format that cannot be written to advice on how to write it
otherwise."""


def _writer(path: str | PathLike[str]) -> Callable[[IO[bytes], pa.Table], None] | None:
    """Return the writer for a suffix; None for text.

    Raises
    ------
    ParameterError
        If the format is not supported.
    """
    suffixes = [suffix.lower() for suffix in Path(fspath(path)).suffixes]
    suffix = next((suffix for suffix in suffixes[::-1] if suffix not in PACKED), "")
    if suffix in FOREIGN:
        expected = f"the name of a TREC file, or one that ends in {' or '.join(WRITERS)}"
        advice = ADVICE.get(suffix, "choose another suffix")
        raise ParameterError(expected, str(path), advice)
    return WRITERS.get(suffix)


def _wrote_table(
    frame: Runs | Qrels, path: str | PathLike[str], kind: Kind, system: str | None = None
) -> bool:
    """Write Parquet if the file name selects it.

    Return whether the file was written.
    """
    look(path)
    refuse_input(path, (file for file, *_ in getattr(frame, "attrs", {}).get(words.FILES, ())))
    writer = _writer(path)
    if writer is None:
        return False
    rows = _frame(frame, kind)
    columns = _columns_by_role(rows, kind)
    if system is not None:
        label = {SYSTEM: constant(system, len(rows))}
        # the first operand decides the position of the column, and the last decides its values
        columns = label | columns | label
    with_role = {*kind.find(rows.columns).values()}
    further = [name for name in rows.columns if name not in with_role and name not in columns]
    table = columns | {str(name): to_arrow(rows[name]) for name in further}
    with create(path) as stream:
        writer(stream, pa.table(table))
    return True


def _check_ids(ids: pa.ChunkedArray, role: str) -> None:
    """Raise for ids that lines of text cannot represent."""
    if ids.type != TEXT:
        return
    comment = "|^[#\ufeff]" * (role == TOPIC)
    unfit = ids.filter(pc.match_substring_regex(ids, r"^$|[\s\v]" + comment))
    if len(unfit):
        expected = f"{role} ids that are not empty and contain no white space"
        expected += " or # at the beginning" * (role == TOPIC)
        offenders = [repr(text) for text in pc.unique(unfit).to_pylist()]
        advice = "rename them, or write a file that ends in .parquet"
        raise IdError(expected, "", advice, offenders)


def write_run(frame: Runs, path: str | PathLike[str], *, system: str | None = None) -> None:
    """Write a run in the TREC format, or as Parquet.

    Parameters
    ----------
    frame
        A run frame with columns for topic and doc, and optionally rank, score and system, under any
        accepted names. Any object that `as_runs` converts is also accepted.
    path
        The file to write. The suffixes ``.gz``, ``.bz2``, ``.xz`` and ``.zst`` select compression.
        The suffix ``.parquet``, as in ``run.parquet.gz``, selects Parquet with all columns.
    system
        The tag in all rows. The default is the system in the frame, or ``run`` if the frame has no
        systems.

    Raises
    ------
    ParameterError
        For an unsupported format, such as ``.json`` or ``.csv``.

    Notes
    -----
    Rows are written in the order of the frame, and scores with all digits, so that `read_run`
    returns the same run. If the frame has no ranks, the rows of each system and topic are numbered
    1, 2, ... If the frame has no scores, the negative ranks are written as scores, because the TREC
    format requires scores.

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
        A qrels frame with columns for topic, doc and grade, and optionally iteration and stratum,
        under any accepted names. Grades are whole numbers. Any object that `as_qrels` converts is
        also accepted.
    path
        As for `write_run`.

    Raises
    ------
    ParameterError
        For an unsupported format, such as ``.json`` or ``.csv``.

    Warns
    -----
    IrframeWarning
        If a column is not written, because the TREC format has no place for it. A column
        `probability` is not written if it differs from the judged share of the stratum. A column
        `iteration` is not written if the frame has a column `subtopic`.

    Notes
    -----
    Rows are written in the order of the frame, so that `read_qrels` returns the same judgments.
    If the frame has no iterations, the second column is ``0``, as is usual at TREC. Subtopics are
    written in place of iterations, as in diversity tracks. To read subtopics from the file, pass
    ``subtopics=True`` to `read_qrels`. A frame with a column `stratum` is written as ``topic
    iteration doc stratum grade``, the format of NIST's sample_eval.pl. In this format, grade -1
    marks a pooled document that was not judged.

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
        warn(f"{notice}; write a .parquet file to keep the column")
    if SUBTOPIC in columns or ITERATION not in columns:
        columns[ITERATION] = columns.get(SUBTOPIC, constant("0", len(columns[TOPIC])))
    if words.PROBABILITY in columns and not _follows(columns):
        notice = "the column probability, which the TREC format lacks, is not written"
        warn(f"{notice}; write a .parquet file to keep the column")
    write(path, columns, QRELS)


def _follows(columns: dict[str, pa.ChunkedArray]) -> bool:
    """Return whether probabilities equal the judged shares of strata."""
    if STRATUM not in columns:
        return False
    names = (TOPIC, STRATUM, GRADE, words.PROBABILITY)
    frame = pa.table({name: columns[name] for name in names}).to_pandas()
    judged = (frame[GRADE] >= 0).groupby([frame[TOPIC], frame[STRATUM]]).transform("mean")
    return bool(np.allclose(judged, frame[words.PROBABILITY]))
