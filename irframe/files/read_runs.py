"""One run, the runs of many files in one frame, or judgments.

Verbs: read_run, read_qrels, read_runs.
"""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd
import pyarrow as pa

from irframe.checks import choice, tracked
from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.files import read_file
from irframe.files.comments import notes_of
from irframe.files.compression import Source, is_address, name_of, opened_by
from irframe.files.kinds import QRELS, RUN, Kind
from irframe.files.locations import find_files
from irframe.files.values import to_frame
from irframe.names import FILES, ITERATION, PROBLEMS, REPEAT, SUBTOPIC, SYSTEM

Columns = Sequence[str] | Mapping[str, str] | None
"""What columns of a file are, in order; or name -> role."""


def changed_files(states: Iterable[list[Any]]) -> list[str]:
    """Return the files that changed or no longer exist."""
    changed = []
    for name, *state in states:
        try:
            same = [*state_of(name)] == state
        except OSError:
            same = False
        changed += [] if same else [name]
    return changed


def states_of(files: Iterable[str]) -> list[list[Any]]:
    """Return name, size and modification time of existing files."""
    existing = (file for file in files if is_address(file) or Path(file).is_file())
    return [[file, *state_of(file)] for file in existing]


def state_of(file: str) -> tuple[int, str]:
    """Return the size of a file and when it was changed."""
    if is_address(file):
        store, path = opened_by(file)
        # Stores say in various words when a file changed, some by a tag alone.
        info = store.info(path)
        changed = info.get("mtime", info.get("LastModified", info.get("ETag", "")))
        return int(info["size"]), str(changed)
    stat = Path(file).stat()
    return stat.st_size, str(stat.st_mtime_ns)


def read_run(
    path: Source, system: str | None = None, *, columns: Columns = None, sep: str | None = None
) -> pd.DataFrame:
    r"""Read one run, what a system retrieved, as it was filed.

    Parameters
    ----------
    path
        A path, or an open file. The content tells the format:

        - TREC: ``topic Q0 doc rank score tag``, separated by white space; further columns are
          passed over, as by trec_eval, with a warning where not all lines have as many;
        - MS MARCO: ``topic doc rank``;
        - Parquet, with columns by any of their accepted names;
        - JSON, ``{topic: {doc: score}}`` as of BEIR, or MTEB's ``*_predictions.json``; the same
          in CBOR, as ranx writes it to ``.lz4``, for which the package cbor2 is needed.

        gzip, bzip2, xz, zstd and lz4 are unpacked. Empty lines do not count, nor do lines that
        begin with ``#`` and do not fit the columns; a header of ir_metadata is kept, as YAML, in
        ``attrs["ir_metadata"]`` under the system.
    system
        Name of the system, for every row. Default: the tag of each row; where there is none,
        the file's name without ``.gz``, ``.bz2``, ``.xz``, ``.zst`` and then without ``.run``,
        ``.txt``, ``.trec``, ``.tsv``, ``.csv``, ``.json``, ``.lz4``, ``.parquet``, ``.parq``.
    columns
        Where a file does not tell: what its columns are, in order, of lines without a header, such
        as ``["topic", "doc", "score"]``; or name -> role, such as ``{"model_name": "system"}``.
    sep
        What stands between columns of text; by default tabs, blanks, commas or semicolons, as they
        fit.

    Returns
    -------
    pandas.DataFrame
        Columns `system`, `topic`, `doc`, `rank` (as filed) and `score`, rows in file order. An
        MS MARCO file has no `score`; further columns of a Parquet file follow.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Ranks and scores are taken as filed; `rank` decides what order they make. Refused are scores
    beyond all floats, such as ``1e400``, keys that a dictionary has twice, and devices, which
    may never end; a pipe is a file. A system that
    the last line alone names is warned of, as where a file was cut off.

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
    tables = [read_file.run_table(path, system, RUN.described(columns, sep))]
    known, notes = states_of([name_of(path)]), notes_of(tables)
    frame = to_frame(tables.pop())
    frame.attrs |= notes | ({FILES: known} if known else {})
    return frame


def read_qrels(
    path: Source, *, subtopics: bool = False, columns: Columns = None, sep: str | None = None
) -> pd.DataFrame:
    r"""Read judgments: the grade that assessors gave to each document they saw.

    Parameters
    ----------
    path
        A path, or an open file. The content tells the format:

        - TREC: ``topic iteration doc grade``, separated by white space;
        - TREC, of a sample: ``topic iteration doc stratum grade``, grade -1 for documents that were
          pooled and not judged;
        - the same with a header that names the columns in any order, as in BEIR
          (``query-id corpus-id score``);
        - Parquet, with columns by any of their accepted names;
        - JSON, ``{topic: {doc: grade}}``.

        gzip, bzip2, xz, zstd and lz4 are unpacked. Empty lines do not count, nor do lines that
        begin with ``#`` and do not fit the columns.
    subtopics
        Whether the second column of a TREC file names subtopics, as it does in tracks of diversity;
        it is `subtopic` then and not `iteration`.
    columns, sep
        As for `read_run`.

    Returns
    -------
    pandas.DataFrame
        Columns `topic`, `doc`, `grade` (whole numbers) and, where the file has them, `iteration`
        and `stratum` (text), rows in file order; further columns of a file with names follow, among
        them the `probability` with which a document was drawn to be judged.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is no missing value.
    Refused are keys that a dictionary has twice, and devices.

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
    tables = [read_file.read_file(path, QRELS.described(columns, sep))]
    notes = notes_of(tables)
    frame = to_frame(tables.pop())
    if subtopics and SUBTOPIC not in frame:
        frame = frame.rename(columns={ITERATION: SUBTOPIC})
    frame.attrs |= notes | {FILES: states_of([name_of(path)])}
    return frame


BY_NAME = "rename files, or read them apart with read_run(path, system=...)"
TOLD_APART = (
    'name systems after their files with system="file", or where these are repeats of systems '
    r'by repeat=r"(?P<system>.+)-seed(?P<repeat>\d+)"'
)
PARTS = (
    "or, where these are parts of one run, call them part-0, part-1, ... in a folder of their own"
)
"""What to do about files of one system."""


def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    columns: Columns = None,
    sep: str | None = None,
    progress: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame:
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
        Whether to show on stderr how many files are read, by tqdm.
    on_error
        ``"raise"`` an error that names the files at fault; or ``"skip"`` these files with a
        warning, and say in the attribute ``problems`` what is wrong with them.

    Returns
    -------
    pandas.DataFrame
        The rows of all files, one file after the other, in the columns of `read_run`. Attribute
        ``files`` says of which files, and in which state, so that a saved cube can tell of changes.
        With ``on_error="skip"`` attribute ``problems`` lists, as dictionaries of ``file``,
        ``wanted`` and ``found``, of each file that is left out the first three lines at fault and
        a count of the rest; `irframe.verbs.check` tells them, too. Of files that do not go
        together, as they hold the same system, or scores beside none, the first is read.

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
    files, kind = find_files(paths), RUN.described(columns, sep)
    frame = read_all(files, kind, by_file=by_file, skip=on_error == "skip", progress=progress)
    if unit is not None and not frame.empty:
        frame = of_documents(frame, unit)
    return with_names(frame, pattern)


def read_all(
    files: Sequence[Source], kind: Kind, *, by_file: bool, skip: bool, progress: bool = False
) -> pd.DataFrame:
    """Return the runs of files, those at fault skipped or refused."""
    with threads() as pool:
        read = pool.map(partial(read_file.attempt, by_file=by_file, kind=kind), files)
        results = list(tracked(read, len(files), "file", progress=progress))
    names, together = [name_of(file) for file in files], read_file.Together()
    if skip:
        kept = dict(together.accepted(zip(names, results, strict=True)))
        frame = _put_together([*kept], [*kept.values()])
        frame.attrs |= {PROBLEMS: together.as_attribute()} if together.left else {}
        return frame
    tables = all_read(names, results)
    del results
    refuse_clashes(together, names, tables, by_file=by_file)
    return _put_together(names, tables)


def named_groups(pattern: str | None) -> re.Pattern[str] | None:
    """Compile a pattern with the groups system and repeat."""
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
    """Split names of runs into systems and repeats by a pattern.

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


@contextmanager
def threads() -> Iterator[ThreadPoolExecutor]:
    """Provide threads for reading; do not wait after an error."""
    pool = ThreadPoolExecutor(min(8, max(2, os.cpu_count() or 2)))
    try:
        yield pool
    finally:
        # After an error, or when stopped, nobody waits for files that are being read.
        pool.shutdown(wait=sys.exc_info()[0] is None, cancel_futures=True)


def _put_together(names: Sequence[str], tables: list[pa.Table]) -> pd.DataFrame:
    notes = notes_of(tables)
    frame = to_frame(one_table(tables) if tables else read_file.empty_run())
    frame.attrs |= notes | {FILES: states_of(names)}
    return frame


def all_read(
    names: Sequence[str], results: Sequence[pa.Table | read_file.Failure]
) -> list[pa.Table]:
    """Return the tables of files; raise for unreadable ones."""
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


def refuse_clashes(
    together: read_file.Together, names: Sequence[str], tables: Sequence[pa.Table], *, by_file: bool
) -> None:
    """Raise if files disagree in columns, or share systems."""
    pairs = zip(names, tables, strict=True)
    problems = [problem for pair in pairs for problem in together.problems(*pair)]
    for error, again in ((FileFormatError, False), (IdError, True)):
        clashes = [problem for problem in problems if (problem[1] == read_file.ONCE) == again]
        if clashes:
            found = f"{len({name for name, *_ in clashes})} that are at odds with those before"
            advice = "read these apart and give them what they lack"
            if again:
                advice = f"{BY_NAME if by_file else TOLD_APART}; {PARTS}"
            offenders = [f"{name}: {found_there}" for name, _, found_there in clashes]
            raise error(clashes[0][1], found, advice, offenders)


def one_table(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables and empty the list to free memory."""
    try:
        stacked = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        wanted, found = "further columns of one type in all files", f"several ({error})"
        raise InputError(wanted, found, "read these files apart") from error
    tables.clear()
    return stacked
