"""The runs of many files in one frame."""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from glob import escape, glob
from os import PathLike, fspath
from pathlib import Path
from typing import Literal, TypeVar, overload

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.checks import choice
from irframe.errors import FileFormatError, IdError, InputError, IrframeError
from irframe.frames.comments import framed
from irframe.frames.compression import Source, name_of
from irframe.frames.files import run_table, stem
from irframe.frames.problems import empty_run, list_problems, without_clashes
from irframe.names import RANK, SCORE, SYSTEM

__all__ = ["read_runs"]

MANY = 20
"""Files above which a terminal is told how far reading is."""

Read = TypeVar("Read")
Failure = IrframeError | OSError


@overload
def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    progress: bool | None = None,
    on_error: Literal["raise"] = "raise",
) -> pd.DataFrame: ...
@overload
def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    progress: bool | None = None,
    on_error: Literal["skip"],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    progress: bool | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Read the runs of many systems into one frame.

    Parameters
    ----------
    paths
        A pattern such as ``"runs/*.gz"`` (``**`` crosses folders), a folder, a file, or an
        iterable of files. Matches of a pattern and files of a folder are read in the order of
        their names; hidden files are left out.
    system
        What names a system: ``"tag"``, the tag of each row as in `read_run`, or ``"file"``,
        the file's name without the suffixes that `read_run` lists.
    progress
        Whether to show progress on stderr. Default: where stderr is a terminal and there are
        more than 20 files.
    on_error
        ``"raise"`` an error that names the files at fault; or ``"skip"`` these files, and return
        beside the runs what is wrong with them.

    Returns
    -------
    pandas.DataFrame
        The rows of all files, one file after the other, in the columns of `read_run`. With
        ``on_error="skip"`` two frames: the rows of the files that could be read; and the problems
        of the others, a row for each, none left out, with the columns ``file``, ``wanted`` and
        ``found``. Of files that do not go together, as they hold the same system, or scores
        beside none, the first is read.

    Notes
    -----
    No two files may hold the same system. All files either have scores or have none.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("bm25", "bm25+rm3"):
    ...         _ = Path(folder, f"{name}.txt").write_text("301 Q0 d7 1 2.5 STANDARD\n")
    ...     read_runs(f"{folder}/*.txt", system="file")
         system topic doc  rank  score
    0  bm25+rm3   301  d7     1    2.5
    1      bm25   301  d7     1    2.5
    """
    by_file = choice("system", system, ("tag", "file")) == "file"
    choice("on_error", on_error, ("raise", "skip"))
    files = _files(paths)
    read = partial(_attempt, by_file=by_file)
    with ThreadPoolExecutor(min(8, max(2, os.cpu_count() or 2))) as pool:
        results = list(_shown(pool.map(read, files), len(files), progress=progress))
    names = [name_of(file) for file in files]
    if on_error == "skip":
        return _what_is_sound(names, results)
    tables = _all_read(names, results)
    _check_columns(names, tables)
    _check_systems(names, tables, by_file=by_file)
    return framed(_stacked(tables), tables)


def _what_is_sound(
    names: Sequence[str], results: Sequence[pa.Table | Failure]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs of the files that could be read, and what is wrong with the others."""
    pairs = list(zip(names, results, strict=True))
    problems = [
        (name, getattr(result, "wanted", "a file that can be read"), str(found))
        for name, result in pairs
        if isinstance(result, Exception)
        for found in getattr(result, "offenders", ()) or [getattr(result, "found", result)]
    ]
    readable = {name: result for name, result in pairs if not isinstance(result, Exception)}
    kept, clashes = without_clashes(readable)
    tables = list(kept.values())
    runs = framed(_stacked(tables) if tables else empty_run(), tables)
    return runs, list_problems(problems + clashes)


def _files(paths: str | PathLike[str] | Iterable[Source]) -> Sequence[Source]:
    if isinstance(paths, Iterable) and not isinstance(paths, str | PathLike):
        files: list[Source] = list(paths)
    elif not isinstance(paths, str | PathLike):
        raise InputError("a pattern, a path or several", repr(paths))
    elif Path(name := fspath(paths)).is_dir():
        inside = (file for file in Path(name).iterdir() if not file.name.startswith("."))
        files = [str(file) for file in sorted(inside) if file.is_file()]
    elif escape(name) != name and not Path(name).exists():
        matches = glob(name, recursive=True)  # noqa: PTH207 - Path.glob takes no absolute pattern
        files = [match for match in sorted(matches) if Path(match).is_file()]
    else:
        files = [name]
    if not files:
        wanted, advice = f"files that match {paths!r}", f"the current folder is {Path.cwd()}"
        raise InputError(wanted, "none", advice)
    return files


def _attempt(source: Source, *, by_file: bool) -> pa.Table | Failure:
    try:
        return run_table(source, stem(source) if by_file else None)
    except (IrframeError, OSError) as error:
        return error


def _shown(results: Iterable[Read], total: int, *, progress: bool | None) -> Iterator[Read]:
    """Pass results on and say on stderr how many came."""
    show = sys.stderr.isatty() and total > MANY if progress is None else progress
    for number, result in enumerate(results, 1):
        yield result
        if show:
            sys.stderr.write(f"\rread {number} of {total} files" + "\n" * (number == total))
            sys.stderr.flush()


def _all_read(names: Sequence[str], results: Sequence[pa.Table | Failure]) -> list[pa.Table]:
    pairs = list(zip(names, results, strict=True))
    errors = [(name, result) for name, result in pairs if isinstance(result, FileFormatError)]
    other = (each for _, each in pairs if isinstance(each, Exception))
    if not errors and (failed := next(other, None)):
        raise failed
    if not errors:
        return list(results)
    first = errors[0][1]
    if len(errors) == 1:
        raise first
    offenders = [
        f"{name} {error.offenders[0]}" if error.offenders else error.found for name, error in errors
    ]
    found, advice = f"{len(errors)} files that do not fit", "mend these files or leave them out"
    raise FileFormatError(first.wanted, found, advice, offenders)


def _check_columns(names: Sequence[str], tables: Sequence[pa.Table]) -> None:
    pairs = list(zip(names, tables, strict=True))
    for role in (RANK, SCORE):
        without = [name for name, table in pairs if role not in table.column_names]
        if 0 < len(without) < len(names):
            wanted, found = f"a {role} in every file or in none", f"{len(without)} files without"
            advice = "read these apart and give them what they lack"
            raise FileFormatError(wanted, found, advice, without)


def _check_systems(names: Sequence[str], tables: Sequence[pa.Table], *, by_file: bool) -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for name, table in zip(names, tables, strict=True):
        for system in pc.unique(table[SYSTEM]).to_pylist():
            homes[system].append(name)
    shared = {system: files for system, files in homes.items() if len(files) > 1}
    if shared:
        offenders = [
            f"{system!r} in {' and '.join(files[:2])}"
            + f" and {len(files) - 2} more" * (len(files) > 2)
            for system, files in shared.items()
        ]
        by_name = "rename files, or read them apart with read_run(path, system=...)"
        advice = by_name if by_file else 'name systems after their files with system="file"'
        raise IdError("each system in one file", "systems in several", advice, offenders)


def _stacked(tables: Sequence[pa.Table]) -> pa.Table:
    try:
        return pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        wanted, found = "further columns of one type in all files", f"several ({error})"
        raise InputError(wanted, found, "read these files apart") from error
