"""Runs that are too large to be read at once."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal

import pyarrow as pa

from irframe.checks import choice
from irframe.errors import FileFormatError, InputError
from irframe.frames.compression import is_address, open_unpacked, opened_by, pieces
from irframe.frames.files import stem, with_system
from irframe.frames.folders import find_files
from irframe.frames.formats import RUN, parse
from irframe.frames.parquet import parquet_pieces

__all__ = ["ScannedRuns", "scan_runs"]

PIECE = 1 << 26
"""Bytes of text that are parsed at a time."""
ROWS = 1 << 20
"""Rows of a Parquet file that are read at a time."""


@dataclass(frozen=True)
class ScannedRuns:
    """Runs in files, none of which has been read; see `scan_runs`.

    Parameters
    ----------
    files
        The files.
    by_file
        Whether systems are called after their files.

    Examples
    --------
    >>> ScannedRuns(("bm25.gz",)).files
    ('bm25.gz',)
    """

    files: tuple[str, ...]
    by_file: bool = False

    access: ClassVar[Callable[[Any], Any]]
    """What gives the verbs; the accessor puts itself there."""

    @property
    def ireval(self) -> Any:
        """Verbs of these runs."""
        return type(self).access(self)

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield the name of a file and some of its rows, with a column that names the system."""
        for file in self.files:
            some = False
            for table in _tables(file):
                some = True
                yield file, with_system(table, file, stem(file) if self.by_file else None)
            if not some:
                raise FileFormatError(RUN.wanted, f"{file} without a single row")

    def states(self) -> list[list[Any]]:
        """Return name, size and time of change of every file, to tell whether they are as before."""
        return [[file, *_state(file)] for file in self.files]


def scan_runs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    system: Literal["tag", "file"] = "tag",
) -> ScannedRuns:
    r"""Find runs that are too many or too large for memory; nothing is read yet.

    Parameters
    ----------
    paths, system
        As for `read_runs`.

    Returns
    -------
    ScannedRuns
        The files. ``runs.ireval.store(path, qrels)`` sorts them into blocks of topics.

    Raises
    ------
    InputError
        If there is no file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "bm25.txt").write_text("301 Q0 d7 1 2.5 bm25\n")
    ...     len(scan_runs(f"{folder}/*.txt").files)
    1
    """
    by_file = choice("system", system, ("tag", "file")) == "file"
    files = find_files(paths)
    strange = [repr(file) for file in files if not isinstance(file, str | PathLike)]
    if strange:
        raise InputError("paths of runs", "others", "read open files with read_runs", strange)
    return ScannedRuns(tuple(map(str, files)), by_file)


def _tables(file: str) -> Iterator[pa.Table]:
    with open_unpacked(file) as stream:
        is_parquet = stream.read(4) == b"PAR1"
        if is_parquet:
            stream.seek(0)
            yield from parquet_pieces(stream, file, RUN, ROWS)
    if is_parquet:
        return
    before = 0
    for data in pieces(file, PIECE):
        if data.strip():
            yield parse(data, file, RUN, before=before)
        before += data.count(b"\n")


def _state(file: str) -> tuple[int, str]:
    if is_address(file):
        store, path = opened_by(file)
        found = store.info(path)
        changed = found.get("mtime", found.get("LastModified", found.get("ETag", "")))
        return int(found["size"]), str(changed)
    found = Path(file).stat()
    return found.st_size, str(found.st_mtime_ns)
