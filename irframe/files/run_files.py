"""Run files a piece at a time, and whether they have changed."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from irframe.errors import FileFormatError, IrframeError, warn
from irframe.files.comments import notes_of
from irframe.files.compression import begin, is_address, open_unpacked, opened_by
from irframe.files.formats import RUN
from irframe.files.ids import shown
from irframe.files.parquet import PARQUET, parquet_pieces
from irframe.files.problems import Problem, problems_of, without_clashes
from irframe.files.read_file import is_in_lines, parsed, read_file, stem, with_system
from irframe.names import RANK, SCORE, SYSTEM

__all__ = ["changed_files", "sound_files", "states_of", "tables_of"]

PIECE = 1 << 24
"""Bytes of text that are parsed at a time."""
ROWS = 1 << 18
"""Rows of a Parquet file that are read at a time."""


def tables_of(file: str, *, by_file: bool) -> Iterator[pa.Table]:
    """Yield some rows of a run file after the other, with a column that names the system.

    Parameters
    ----------
    file
        A path or an address.
    by_file
        Whether systems are called after their files.
    """
    some, said = False, set[str]()
    for table in _tables(file):
        some = some or bool(table.num_rows)
        notes_of([table], said)
        yield with_system(table, file, stem(file) if by_file else None)
    if not some:
        raise FileFormatError(RUN.wanted, f"{file} without a single row")


def _tables(file: str) -> Iterator[pa.Table]:
    with open_unpacked(file) as stream:
        head = begin(stream, file)
        if head.startswith(PARQUET) and stream.seekable():
            yield from parquet_pieces(stream, file, RUN, ROWS)
            return
    if is_in_lines(head):
        yield from parsed(file, PIECE)
    else:
        yield read_file(file, RUN)


def sound_files(files: Iterable[str], *, by_file: bool) -> tuple[list[str], list[Problem]]:
    """Return the files that can be read and go together, and what is wrong with the others.

    Warns
    -----
    IrframeWarning
        If there are others.
    """
    read: dict[str, pa.Table] = {}
    problems: list[Problem] = []
    for file in files:
        try:
            read[file] = _outline(file, by_file=by_file)
        except (IrframeError, OSError) as error:
            problems += problems_of(file, error)
    kept, clashes = without_clashes(read)
    problems += clashes
    if problems:
        left = dict.fromkeys(file for file, *_ in problems)
        warn(f"{len(left)} files of runs are left out: {shown(left)}")
    return [*kept], problems


def _outline(file: str, *, by_file: bool) -> pa.Table:
    """Return a row for every system of a run file, all of which is read, a piece at a time."""
    parts = []
    for table in tables_of(file, by_file=by_file):
        known = [name for name in (SYSTEM, RANK, SCORE) if name in table.column_names]
        rows = table[SYSTEM].to_pandas().drop_duplicates().index
        parts.append(table.select(known).take(pa.array(rows)))
    return pa.concat_tables(parts, promote_options="permissive")


def changed_files(states: Iterable[list[Any]]) -> list[str]:
    """Return the files that are no longer as they were, or are gone."""
    return [name for name, *state in states if _state(name) != state]


def _state(name: str) -> list[Any] | None:
    try:
        return [*state_of(name)]
    except OSError:
        return None


def states_of(files: Iterable[str]) -> list[list[Any]]:
    """Return name, size and time of change of all files that have a name to be found by."""
    there = (file for file in files if is_address(file) or Path(file).is_file())
    return [[file, *state_of(file)] for file in there]


def state_of(file: str) -> tuple[int, str]:
    """Return the size of a file and when it was changed."""
    if is_address(file):
        store, path = opened_by(file)
        found = store.info(path)
        changed = found.get("mtime", found.get("LastModified", found.get("ETag", "")))
        return int(found["size"]), str(changed)
    found = Path(file).stat()
    return found.st_size, str(found.st_mtime_ns)
