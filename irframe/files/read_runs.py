"""The runs of many files in one frame."""

import os
import re
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import chain, count, islice, pairwise
from os import PathLike
from typing import Any, Literal, TypeVar, cast, overload

import pandas as pd
import pyarrow as pa

from irframe.checks import choice
from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.files import read_file
from irframe.files.comments import notes_of
from irframe.files.compression import PACKED, Source, name_of
from irframe.files.in_pieces import runs_in_turn
from irframe.files.kinds import RUN, Kind
from irframe.files.read_run import Columns, states_of
from irframe.files.values import to_frame
from irframe.names import FILES, REPEAT, SYSTEM

BY_NAME = "rename files, or read them apart with read_run(path, system=...)"
TOLD_APART = (
    'name systems after their files with system="file", or where these are repeats of systems '
    r'by repeat=r"(?P<system>.+)-seed(?P<repeat>\d+)"'
)
PARTS = (
    "or, where these are parts of one run, call them part-0, part-1, ... in a folder of their own"
)
"""What to do about files of one system."""
BATCH = 1 << 24
"""Bytes of files that are read at a time where not all are to be in memory, unless one has more."""
DENSE = 6
"""How many times as large what is read of a packed file is."""
MANY = 20
"""Files above which a terminal is told how far reading is."""

Read = TypeVar("Read")


@overload
def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    columns: Columns = None,
    sep: str | None = None,
    progress: bool | None = None,
    on_error: Literal["raise"] = "raise",
) -> pd.DataFrame: ...
@overload
def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    columns: Columns = None,
    sep: str | None = None,
    progress: bool | None = None,
    on_error: Literal["skip"],
) -> tuple[pd.DataFrame, pd.DataFrame]: ...
def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    columns: Columns = None,
    sep: str | None = None,
    progress: bool | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame | tuple[pd.DataFrame, pd.DataFrame]:
    r"""Read the runs of many systems into one frame.

    Parameters
    ----------
    paths
        A pattern such as ``"runs/*.gz"`` (``**`` crosses folders), a folder, a file, an address
        such as ``"s3://bucket/runs/*.gz"`` (with fsspec), or an iterable of files. Matches of a
        pattern and files of a folder are read in the order of their names; those that begin with
        ``.`` or ``_`` are left out. A partitioned data set (``runs/system=bm25/part-0.parquet``)
        is read whole, and what its folders say are columns.
    system
        What names a system: ``"tag"``, the tag of each row as in `read_run`, or ``"file"``,
        the file's name without the suffixes that `read_run` lists; of the parts that Spark
        writes (``bm25/part-00000.parquet``) that of their folder.
    repeat
        A pattern of the names of files without their suffixes, a regular expression with the groups
        ``system`` and ``repeat``, such as ``r"(?P<system>.+)-seed(?P<repeat>\d+)"``: systems are
        named by it, and a column ``repeat`` says which of its runs a file is.
    unit
        Which document a chunk is of, where lists are of chunks and documents are judged: a column
        of the files, such as ``"doc_id"``; a pattern with one group, such as ``r"(.+)#\d+"``; or
        chunk -> document, as for `irframe.verbs.collapse`, which puts a document where its first
        chunk is.
    columns, sep
        As for `read_run`, of all files.
    progress
        Whether to show progress on stderr. Default: where stderr is a terminal and there are
        more than 20 files.
    on_error
        ``"raise"`` an error that names the files at fault; or ``"skip"`` these files, and return
        beside the runs what is wrong with them.

    Returns
    -------
    pandas.DataFrame
        The rows of all files, one file after the other, in the columns of `read_run`. Attribute
        ``files`` says of which files, and in which state, so that a saved cube can tell of changes.
        With ``on_error="skip"`` two frames: the rows of the files that could be read; and the
        problems of the others, with the columns ``file``, ``wanted`` and ``found``: of each file
        a row for its first three lines at fault, and one that counts the rest. Of files that do
        not go together, as they hold the same system, or scores beside none, the first is read.

    Notes
    -----
    No two files may hold the same system, unless they are parts of one data set. All files
    either have scores or have none.

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
    by_file = choice("system", system, ("tag", "file")) == "file" or repeat is not None
    pattern = named_groups(repeat)
    choice("on_error", on_error, ("raise", "skip"))
    files, kind = read_file.find_files(paths), RUN.told(columns, sep)
    frame, problems = read_all(
        files, kind, by_file=by_file, skip=on_error == "skip", progress=progress
    )
    if unit is not None and not frame.empty:
        frame = of_documents(frame, unit)
    runs = with_names(frame, pattern)
    return runs if problems is None else (runs, problems)


def read_all(
    files: Sequence[Source], kind: Kind, *, by_file: bool, skip: bool, progress: bool | None = None
) -> tuple[pd.DataFrame, pd.DataFrame | None]:
    """Return the runs of files; and, where those at fault are skipped, what is wrong with these."""
    with _threads() as pool:
        read = pool.map(partial(read_file.attempt, by_file=by_file, kind=kind), files)
        results = list(_counted_aloud(read, len(files), progress=progress))
    names = [name_of(file) for file in files]
    if skip:
        return _what_is_sound(names, results)
    tables = _all_read(names, results)
    del results
    _refuse_clashes(read_file.Together(), names, tables, by_file=by_file)
    return _put_together(names, tables), None


def named_groups(pattern: str | None) -> re.Pattern[str] | None:
    """Return a pattern that says of a name which system and which repeat it is of."""
    if pattern is None:
        return None
    wanted = "a regular expression with the groups system and repeat"
    advice = r"as in repeat=r'(?P<system>.+)-seed(?P<repeat>\d+)'"
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ParameterError(wanted, f"{pattern!r} ({error})", advice) from None
    if not {SYSTEM, REPEAT} <= compiled.groupindex.keys():
        raise ParameterError(wanted, repr(pattern), advice)
    return compiled


def with_names(frame: pd.DataFrame, pattern: re.Pattern[str] | None) -> pd.DataFrame:
    """Return runs with systems and repeats apart, as a pattern has their systems' names.

    Raises
    ------
    ParameterError
        For names that do not fit, listing them, and where two are of one repeat.

    Examples
    --------
    >>> runs = pd.DataFrame({"system": ["dpr-1", "dpr-2"], "topic": "q", "doc": "d", "rank": 1})
    >>> with_names(runs, named_groups(r"(?P<system>.+)-(?P<repeat>.+)"))
      system repeat topic doc  rank
    0    dpr      1     q   d     1
    1    dpr      2     q   d     1
    """
    if pattern is None:
        return frame
    codes, names = pd.factorize(frame[SYSTEM])
    fits = [pattern.fullmatch(name) for name in names]
    strange = [name for name, fit in zip(names, fits, strict=True) if fit is None]
    if strange:
        advice = "a file without a repeat is allowed for by an optional group: (-(?P<repeat>.+))?"
        wanted = f"names of files like {pattern.pattern!r}"
        raise ParameterError(wanted, f"{len(strange)} that do not fit", advice, strange)
    parts = {role: [fit[role] for fit in fits if fit] for role in (SYSTEM, REPEAT)}
    labels = pd.DataFrame(parts)
    again = names[labels.duplicated(keep=False)]
    if len(again):
        raise ParameterError("one file for every repeat of a system", "several", "", again)
    result = frame.drop(columns=SYSTEM)
    for place, role in enumerate((SYSTEM, REPEAT)):
        result.insert(place, role, labels[role].astype(frame[SYSTEM].dtype).array.take(codes))
    result.attrs = dict(frame.attrs)
    return result


def of_documents(frame: pd.DataFrame, unit: Any) -> pd.DataFrame:
    """Return runs that were read with each document at its first chunk.

    Parameters
    ----------
    frame
        What `read_runs` gives.
    unit
        As for `read_runs`.
    """
    collapsed: pd.DataFrame = cast("Any", frame).ireval.collapse(of=unit)
    return collapsed


def read_in_turn(files: Sequence[str], kind: Kind, *, by_file: bool) -> Iterator[pd.DataFrame]:
    """Yield the runs of some files after the other, without what the files say of themselves.

    Meanwhile the next ones are read.

    Parameters
    ----------
    files
        Paths or addresses. Parts of one run come together, so that lists are whole.
    kind
        What is told of them.
    by_file
        Whether systems are called after their files.

    Raises
    ------
    IrframeError
        As `read_runs` does of all of them, when it comes to the files at fault.
    """
    batches, together = _batches(files, by_file=by_file), read_file.Together()
    alone = {names[0] for names, size in batches if len(names) == 1 and size > BATCH}

    def attempt(name: str) -> pa.Table | read_file.Failure | Iterator[pa.Table]:
        several = name in alone and not by_file and not read_file.partitions(name)
        runs = runs_in_turn(name, kind) if several else None
        return runs or read_file.attempt(name, by_file=by_file, kind=kind)

    with _threads() as pool:
        read = partial(pool.map, attempt)
        results = _counted_aloud(_ahead(read, batches), len(files), progress=None)
        for names, _ in batches:
            held: list[Any] = list(islice(results, len(names)))
            runs = held.pop() if isinstance(held[0], Iterator) else iter(())
            for part in chain([held] if held else [], _one_by_one(runs)):
                tables = _all_read(names, part)
                part.clear()  # so that nobody here holds them
                _refuse_clashes(together, names, tables, by_file=by_file)
                notes_of(tables)
                yield to_frame(_one_table(tables))


def _one_by_one(runs: Iterator[pa.Table]) -> Iterator[list[pa.Table]]:
    """Yield tables in lists of their own, which are to be emptied."""
    while part := list(islice(runs, 1)):
        yield part


def _ahead(
    read: Callable[[list[str]], Iterator[Read]], batches: Sequence[tuple[list[str], int]]
) -> Iterator[Read]:
    """Yield what is read of the files of one batch, while those of the next are read, if small."""
    ahead: Iterator[Read] | None = None
    for (names, _), (following, size) in pairwise([*batches, ([], 0)]):
        results = ahead or read(names)
        ahead = read(following) if size <= BATCH else None
        yield from results


def _batches(files: Sequence[str], *, by_file: bool) -> list[tuple[list[str], int]]:
    """Put files into batches, with their sizes, those that may hold parts of a run into one."""
    dense = (*PACKED, ".parquet")
    sizes = {
        name: size * (DENSE if name.lower().endswith(dense) else 1)
        for name, size, _ in states_of(files)
    }
    together: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for name in files:
        together[read_file.home(name), None if by_file else read_file.system_of(name)].append(name)
    # Parts of one run, and files of one system, stay together: a system's lists come from one
    # batch.
    batches: list[tuple[list[str], int]] = []
    for names in together.values():
        size = sum(sizes.get(name, 0) for name in names)
        is_full = not batches or batches[-1][1] + size > BATCH
        before = ([], 0) if is_full else batches.pop()
        batches.append((before[0] + names, before[1] + size))
    return batches


@contextmanager
def _threads() -> Iterator[ThreadPoolExecutor]:
    """Give threads to read with, which are not waited for where something goes wrong."""
    pool = ThreadPoolExecutor(min(8, max(2, os.cpu_count() or 2)))
    try:
        yield pool
    finally:
        # After an error, or when stopped, nobody waits for files that are being read.
        pool.shutdown(wait=sys.exc_info()[0] is None, cancel_futures=True)


def _put_together(names: Sequence[str], tables: list[pa.Table]) -> pd.DataFrame:
    notes = notes_of(tables)
    frame = to_frame(_one_table(tables) if tables else read_file.empty_run())
    frame.attrs |= notes | {FILES: states_of(names)}
    return frame


def _what_is_sound(
    names: Sequence[str], results: Sequence[pa.Table | read_file.Failure]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the runs of the files that could be read, and what is wrong with the others."""
    together, kept, problems = read_file.Together(), dict[str, pa.Table](), []
    for name, result in zip(names, results, strict=True):
        if found := together.problems(name, result):
            problems += found
        else:
            kept[name] = result
    rows = [[field.encode(errors="backslashreplace").decode() for field in row] for row in problems]
    frame = pd.DataFrame(rows, columns=["file", "wanted", "found"], dtype="str")
    return _put_together([*kept], [*kept.values()]), frame


def _counted_aloud(results: Iterator[Read], total: int, *, progress: bool | None) -> Iterator[Read]:
    """Pass results on, keeping none, and say on stderr how many came."""
    terminal = sys.stderr is not None and sys.stderr.isatty()
    show = terminal and total > MANY if progress is None else progress
    numbers = count(1)

    def told(result: Read) -> Read:
        number = next(numbers)
        sys.stderr.write(f"\rread {number} of {total} files" + "\n" * (number == total))
        sys.stderr.flush()
        return result

    return map(told, results) if show else results


def _all_read(
    names: Sequence[str], results: Sequence[pa.Table | read_file.Failure]
) -> list[pa.Table]:
    pairs = list(zip(names, results, strict=True))
    errors = [(name, result) for name, result in pairs if isinstance(result, FileFormatError)]
    failed = [result for _, result in [*errors, *pairs] if isinstance(result, Exception)]
    if not failed:
        return list(results)
    if len(errors) < 2:
        raise failed[0]
    first = errors[0][1]
    offenders = [
        f"{n} {error.offenders[0]}" if error.offenders else error.found for n, error in errors
    ]
    found, advice = f"{len(errors)} files that do not fit", "mend these files or leave them out"
    raise FileFormatError(first.wanted, found, advice, offenders)


def _refuse_clashes(
    together: read_file.Together, names: Sequence[str], tables: Sequence[pa.Table], *, by_file: bool
) -> None:
    """Raise if files do not go with each other and those before: their columns, then systems."""
    pairs = zip(names, tables, strict=True)
    problems = [problem for pair in pairs for problem in together.problems(*pair)]
    for error, again in ((FileFormatError, False), (IdError, True)):
        clashes = [problem for problem in problems if (problem[1] == read_file.ONCE) == again]
        if clashes:
            found = f"{len({name for name, *_ in clashes})} that are at odds with those before"
            advice = "read these apart and give them what they lack"
            if again:
                advice = f"{BY_NAME if by_file else TOLD_APART}; {PARTS}"
            offenders = [f"{name}: {said}" for name, _, said in clashes]
            raise error(clashes[0][1], found, advice, offenders)


def _one_table(tables: list[pa.Table]) -> pa.Table:
    """Put tables together, and empty the list, so that their columns can be let go one by one."""
    try:
        stacked = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        wanted, found = "further columns of one type in all files", f"several ({error})"
        raise InputError(wanted, found, "read these files apart") from error
    tables.clear()
    return stacked
