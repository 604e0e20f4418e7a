"""Runs and judgments from files into frames."""

import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from glob import escape, glob
from os import PathLike, fspath
from pathlib import Path
from typing import Literal, TypeVar

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.frames.columns import TEXT, to_frame
from irframe.frames.compression import PACKED, Source, load, name_of
from irframe.frames.formats import QRELS, RUN, Format, parse
from irframe.frames.parquet import is_parquet, parse_parquet
from irframe.names import RANK, SCORE, SYSTEM

__all__ = ["read_qrels", "read_run", "read_runs"]

RUN_SUFFIXES = (".run", ".txt", ".trec", ".tsv", ".parquet")
MANY = 20
"""Files above which a terminal is told how far reading is."""

Read = TypeVar("Read")


def read_run(path: Source, system: str | None = None) -> pd.DataFrame:
    r"""Read one run, what a system retrieved, as it was filed.

    Parameters
    ----------
    path
        A path, or an open file. The content tells the format:

        - TREC: ``topic Q0 doc rank score tag``, separated by blanks, tabs or both;
        - MS MARCO: ``topic doc rank``;
        - Parquet, with columns by any of their accepted names.

        gzip, bzip2, xz and zstd are unpacked. Empty lines and lines that begin with ``#`` do
        not count.
    system
        Name of the system, for every row. Default: the tag of each row; where there is none,
        the file's name without ``.gz``, ``.bz2``, ``.xz``, ``.zst`` and then without ``.run``,
        ``.txt``, ``.trec``, ``.tsv``, ``.parquet``.

    Returns
    -------
    pandas.DataFrame
        Columns `system`, `topic`, `doc`, `rank` (as filed) and `score`, rows in file order. An
        MS MARCO file has no `score`; further columns of a Parquet file follow.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Ranks and scores are taken as filed; `rank` decides what order they make.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "bm25.run")
    ...     _ = file.write_text("301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n")
    ...     read_run(file)
      system topic doc  rank  score
    0   bm25   301  d7     1   2.50
    1   bm25   301  d3     2   1.25
    """
    return to_frame(_run(path, system))


def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    progress: bool | None = None,
) -> pd.DataFrame:
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

    Returns
    -------
    pandas.DataFrame
        The rows of all files, one file after the other, in the columns of `read_run`.

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
    if system not in {"tag", "file"}:
        raise ParameterError('system="tag" or system="file"', repr(system))
    files = _files(paths)
    read = partial(_attempt, by_file=system == "file")
    with ThreadPoolExecutor(min(8, max(2, os.cpu_count() or 2))) as pool:
        results = list(_shown(pool.map(read, files), len(files), progress=progress))
    names = [name_of(file) for file in files]
    tables = _all_read(names, results)
    _check_columns(names, tables)
    _check_systems(names, tables, by_file=system == "file")
    return to_frame(_stacked(tables))


def read_qrels(path: Source) -> pd.DataFrame:
    r"""Read judgments: the grade that assessors gave to each document they saw.

    Parameters
    ----------
    path
        A path, or an open file. The content tells the format:

        - TREC: ``topic iteration doc grade``, separated by blanks, tabs or both;
        - the same with a header that names the columns in any order, as in BEIR
          (``query-id corpus-id score``);
        - Parquet, with columns by any of their accepted names.

        gzip, bzip2, xz and zstd are unpacked. Empty lines and lines that begin with ``#`` do
        not count.

    Returns
    -------
    pandas.DataFrame
        Columns `topic`, `doc`, `grade` (whole numbers) and, where the file has it, `iteration`
        (text), rows in file order; further columns of a file with names follow.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "qrels.txt")
    ...     _ = file.write_text("301 0 d3 0\n301 0 d7 2\n")
    ...     read_qrels(file)
      topic doc  grade iteration
    0   301  d3      0         0
    1   301  d7      2         0
    """
    return to_frame(_table(path, QRELS))


def _table(source: Source, kind: Format) -> pa.Table:
    data, name = load(source), name_of(source)
    return (parse_parquet if is_parquet(data) else parse)(data, name, kind)


def _run(source: Source, system: str | None) -> pa.Table:
    table = _table(source, RUN)
    if system is None and SYSTEM in table.column_names:
        return table
    label = pa.scalar(_stem(source) if system is None else system, TEXT)
    others = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return others.add_column(0, SYSTEM, pa.repeat(label, table.num_rows))


def _stem(source: Source) -> str:
    """Name a system after its file."""
    path = Path(name_of(source))
    for suffixes in (PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name


def _files(paths: str | PathLike[str] | Iterable[Source]) -> Sequence[Source]:
    if not isinstance(paths, str | PathLike):
        files: list[Source] = list(paths)
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


def _attempt(source: Source, *, by_file: bool) -> pa.Table | FileFormatError:
    try:
        return _run(source, _stem(source) if by_file else None)
    except FileFormatError as error:
        return error


def _shown(results: Iterable[Read], total: int, *, progress: bool | None) -> Iterator[Read]:
    """Pass results on and say on stderr how many came."""
    show = sys.stderr.isatty() and total > MANY if progress is None else progress
    for number, result in enumerate(results, 1):
        yield result
        if show:
            sys.stderr.write(f"\rread {number} of {total} files" + "\n" * (number == total))
            sys.stderr.flush()


def _all_read(
    names: Sequence[str], results: Sequence[pa.Table | FileFormatError]
) -> list[pa.Table]:
    pairs = zip(names, results, strict=True)
    errors = [(name, result) for name, result in pairs if isinstance(result, FileFormatError)]
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
