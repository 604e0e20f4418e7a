"""Readers of one run, of many runs, and of judgments.

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

from irframe.checks import choice
from irframe.errors import FileFormatError, IdError, InputError, ParameterError
from irframe.files import read_file
from irframe.files.lines import notes_of
from irframe.files.sources import Source, find_files, is_address, name_of, opened_by
from irframe.frames.kinds import QRELS, RUN, Columns, Kind
from irframe.frames.values import TYPES, to_frame
from irframe.names import FILES, ITERATION, PROBLEMS, REPEAT, SUBTOPIC, SYSTEM
from irframe.progress import tracked

Unit = str | Mapping[Any, Any] | None
"""How to find the document of a chunk: a column, a pattern, or a mapping from chunks to
documents."""
State = list[Any]
"""The name, size and modification time of a file."""


def changed_files(states: Iterable[State]) -> list[str]:
    """Return the files that changed since their state was recorded."""
    changed = []
    for name, *state in states:
        try:
            same = [*state_of(name)] == state
        except OSError:
            same = False
        changed += [] if same else [name]
    return changed


def states_of(files: Iterable[str]) -> list[State]:
    """Return the states of the files that exist."""
    existing = (file for file in files if is_address(file) or Path(file).is_file())
    return [[file, *state_of(file)] for file in existing]


def state_of(file: str) -> tuple[int, str]:
    """Return the size and modification time of a file."""
    if is_address(file):
        store, path = opened_by(file)
        # File systems of fsspec store the modification time under different keys, and some have
        # only an ETag.
        info = store.info(path)
        changed = info.get("mtime", info.get("LastModified", info.get("ETag", "")))
        return int(info["size"]), str(changed)
    stat = Path(file).stat()
    return stat.st_size, str(stat.st_mtime_ns)


def read_run(
    path: Source, system: str | None = None, *, columns: Columns = None, sep: str | None = None
) -> pd.DataFrame:
    r"""Read one run file into a frame.

    Parameters
    ----------
    path
        A path, or an open file. The format is detected from the content:

        - TREC: ``topic Q0 doc rank score tag``, separated by white space. As in trec_eval, columns
          after the sixth are ignored. Lines with different numbers of columns cause a warning;
        - MS MARCO: ``topic doc rank``;
        - Parquet, with any accepted column names;
        - JSON: ``{topic: {doc: score}}`` as in BEIR, or MTEB's ``*_predictions.json``;
        - CBOR in ``.lz4``, as ranx saves runs. This format requires the package cbor2.

        Files in gzip, bzip2, xz, zstd and lz4 are decompressed. Empty lines and comments are
        skipped. A comment begins with ``#`` and does not fit the columns. If the file has an
        ir_metadata header, ``attrs["ir_metadata"]`` of the frame is ``{system: header}``, with the
        header in YAML.
    system
        Name of the system for all rows. By default, the system is the tag in each row. In a file
        without tags, the system is the file name without suffixes: first ``.gz``, ``.bz2``, ``.xz``
        or ``.zst`` is removed, then ``.run``, ``.txt``, ``.trec``, ``.tsv``, ``.csv``, ``.json``,
        ``.jsonl``, ``.lz4``, ``.parquet`` or ``.parq``.
    columns
        The columns in order, such as ``["topic", "doc", "score"]``, for text without a header.
        Alternatively, a dictionary that maps names to roles, such as ``{"model_name": "system"}``.
    sep
        Separator of columns in text. By default, irframe detects tabs, spaces, commas and
        semicolons.

    Returns
    -------
    pandas.DataFrame
        Columns `system`, `topic`, `doc`, `rank` and `score`, with rows in file order. MS MARCO runs
        have no column `score`. Further columns of a Parquet file follow these columns.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is not a missing value.
    Ranks and scores are read unchanged, and rows are not sorted. To sort rows, use
    `irframe.verbs.rank`. Errors are raised for scores that no float can represent, such as
    ``1e400``, for repeated keys in a dictionary, and for device files such as ``/dev/zero``. Pipes
    are accepted in place of files. If the last line is the only line of its system, a warning says
    that the file may be cut off.

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
    states = states_of([name_of(path)])
    notes = notes_of(tables)
    # `to_frame` can free the columns of a table only if no variable refers to the table
    frame = to_frame(tables.pop())
    frame.attrs |= notes | ({FILES: states} if states else {})
    return frame


def read_qrels(
    path: Source, *, subtopics: bool = False, columns: Columns = None, sep: str | None = None
) -> pd.DataFrame:
    r"""Read a file of relevance judgments into a frame.

    Parameters
    ----------
    path
        A path, or an open file. The format is detected from the content:

        - TREC: ``topic iteration doc grade``, separated by white space;
        - TREC with strata of a sample: ``topic iteration doc stratum grade``. Grade -1 marks a
          pooled document that was not sampled for judging;
        - text with a header that names columns in any order, such as ``query-id corpus-id score``
          in BEIR;
        - Parquet, with any accepted column names;
        - JSON: ``{topic: {doc: grade}}``.

        Files in gzip, bzip2, xz, zstd and lz4 are decompressed. Empty lines and comments are
        skipped. A comment begins with ``#`` and does not fit the columns.
    subtopics
        Whether the second column of a TREC file contains subtopics, as in diversity tracks. If so,
        this column is called `subtopic` instead of `iteration`.
    columns, sep
        As for `read_run`.

    Returns
    -------
    pandas.DataFrame
        Columns `topic`, `doc`, `grade` and, if the file has them, `iteration` and `stratum`. Grades
        are integers, and other columns are text. Rows are in file order. Further columns with names
        in a header follow, such as `probability`, the probability that a document was sampled for
        judging.

    Notes
    -----
    Ids are text and never interpreted: ``001`` stays ``001``, and ``NA`` is not a missing value.
    Errors are raised for repeated keys in a dictionary, and for device files such as ``/dev/zero``.

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


BY_NAME = "rename files, or read them separately with read_run(path, system=...)"
BY_TAG = (
    'name systems after their files with system="file", or repeats of systems with '
    r'repeat=r"(?P<system>.+)-seed(?P<repeat>\d+)"'
)
PARTS = "or, if these are parts of one run, name them part-0, part-1, ... in one folder per run"
"""The advice in errors about several files with the same system."""


def read_runs(
    paths: str | PathLike[str] | Iterable[Source],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Unit = None,
    columns: Columns = None,
    sep: str | None = None,
    progress: bool = False,
    on_error: Literal["raise", "skip"] = "raise",
) -> pd.DataFrame:
    r"""Read the runs of many systems into one frame.

    Parameters
    ----------
    paths
        A file, a folder, a pattern such as ``"runs/*.gz"``, or an iterable of files. The pattern
        ``**`` matches nested folders. Addresses such as ``"s3://bucket/runs/*.gz"`` need the
        package fsspec. Files of a pattern or folder are read in the order of their names. Names
        that begin with ``.`` or ``_`` are skipped. In a partitioned data set, such as
        ``runs/system=bm25/part-0.parquet``, all files are read, and folder names become columns.
    system
        The name of a system. ``"tag"`` is the tag in each row, as in `read_run`. ``"file"`` is the
        file name without the suffixes that `read_run` lists. In files that Spark wrote in parts,
        such as ``bm25/part-00000.parquet``, the system is the name of the folder.
    repeat
        A regular expression with the groups ``system`` and ``repeat``, such as
        ``r"(?P<system>.+)-seed(?P<repeat>\d+)"``. The expression must match the file names without
        suffixes. The groups become the columns `system` and `repeat`.
    unit
        How to find the document of each chunk, if runs rank chunks and documents are judged. The
        value is a column such as ``"doc_id"``, a pattern with one group such as ``r"(.+)#\d+"``, or
        a mapping from chunks to documents. A document gets the rank of its first chunk, as in
        `irframe.verbs.collapse`.
    columns, sep
        As for `read_run`. The value is used for all files.
    progress
        Whether to show a progress bar on stderr. The bar needs the package tqdm.
    on_error
        What to do with unreadable files, and with files that cannot be combined with earlier ones.
        ``"raise"`` raises an error that lists these files. ``"skip"`` leaves these files out with a
        warning.

    Returns
    -------
    pandas.DataFrame
        The rows of all files, file by file, in the columns of `read_run`. The attribute ``files``
        contains the name, size and modification time of each file, so that a saved cube can detect
        changes. With ``on_error="skip"``, the attribute ``problems`` is a list of dictionaries with
        the keys ``file``, ``expected`` and ``found``. For each skipped file, the list describes at
        most three faulty lines and contains the number of further faulty lines.
        `irframe.verbs.check` also reports these problems.

    Notes
    -----
    Files can be combined if either all or none of them have scores, and if no two files contain
    the same system. Files that are parts of one partitioned data set may contain the same system.

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
    files = find_files(paths)
    kind = RUN.described(columns, sep)
    frame = read_all(files, kind, by_file=by_file, skip=on_error == "skip", progress=progress)
    if unit is not None and not frame.empty:
        frame = of_documents(frame, unit)
    return with_names(frame, pattern)


def read_all(
    files: Sequence[Source], kind: Kind, *, by_file: bool, skip: bool, progress: bool = False
) -> pd.DataFrame:
    """Read several files of runs into one frame."""
    with threads() as pool:
        tables_of_files = pool.map(partial(read_file.attempt, by_file=by_file, kind=kind), files)
        results = list(tracked(tables_of_files, len(files), "file", progress=progress))
    names = [name_of(file) for file in files]
    accepted = read_file.FileSet()
    if skip:
        tables_by_name = dict(accepted.accepted(zip(names, results, strict=True)))
        frame = _concat([*tables_by_name], [*tables_by_name.values()])
        frame.attrs |= {PROBLEMS: accepted.as_attribute()} if accepted.skipped else {}
        return frame
    tables = all_read(names, results)
    del results  # `one_table` can free a table only if no other variable refers to it
    refuse_clashes(accepted, names, tables, by_file=by_file)
    return _concat(names, tables)


def named_groups(pattern: str | None) -> re.Pattern[str] | None:
    """Compile a pattern with groups for system and repeat."""
    if pattern is None:
        return None
    expected = "a regular expression with the groups system and repeat"
    advice = r"pass, for example, repeat=r'(?P<system>.+)-seed(?P<repeat>\d+)'"
    try:
        compiled = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise ParameterError(expected, f"{pattern!r} ({error})", advice) from None
    if not {SYSTEM, REPEAT} <= compiled.groupindex.keys():
        raise ParameterError(expected, repr(pattern), advice)
    return compiled


def with_names(frame: pd.DataFrame, pattern: re.Pattern[str] | None) -> pd.DataFrame:
    """Split names of runs into systems and repeats.

    Raises
    ------
    ParameterError
        If a name does not match, or if two names have the same system and repeat.

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
        advice = "to allow files without a repeat, make its group optional: (-(?P<repeat>.+))?"
        expected = f"names of files like {pattern.pattern!r}"
        raise ParameterError(expected, f"{len(strange)} other names", advice, strange)
    labels = pd.DataFrame({role: [fit[role] for fit in fits if fit] for role in (SYSTEM, REPEAT)})
    duplicates = names[labels.duplicated(keep=False)]
    if len(duplicates):
        expected = "one file for every repeat of a system"
        raise ParameterError(expected, "several files for one repeat", "", duplicates)
    result = frame.drop(columns=SYSTEM)
    for pos, role in enumerate((SYSTEM, REPEAT)):
        result.insert(pos, role, labels[role].astype(frame[SYSTEM].dtype).array.take(codes))
    result.attrs = dict(frame.attrs)
    return result


def of_documents(frame: pd.DataFrame, unit: Unit) -> pd.DataFrame:
    """Collapse runs of chunks to runs of documents.

    Parameters
    ----------
    frame
        Runs of chunks.
    unit
        As for `read_runs`.
    """
    # `collapse` is in irframe.experiments, which imports irframe.files
    collapsed: pd.DataFrame = cast("Any", frame).ireval.collapse(of=unit)
    return collapsed


@contextmanager
def threads() -> Iterator[ThreadPoolExecutor]:
    """Provide threads that read files."""
    pool = ThreadPoolExecutor(min(8, max(2, os.cpu_count() or 2)))
    try:
        yield pool
    finally:
        # after an error or an interrupt, do not wait for files that threads are still reading
        pool.shutdown(wait=sys.exc_info()[0] is None, cancel_futures=True)


def _concat(names: Sequence[str], tables: list[pa.Table]) -> pd.DataFrame:
    notes = notes_of(tables)
    empty = pa.table({role: pa.array([], TYPES[role]) for role in RUN.roles})
    frame = to_frame(one_table(tables) if tables else empty)
    frame.attrs |= notes | {FILES: states_of(names)}
    return frame


def all_read(
    names: Sequence[str], results: Sequence[pa.Table | read_file.Failure]
) -> list[pa.Table]:
    """Return the tables of files; raise if some are unreadable."""
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
    got = f"{len(errors)} files that do not fit"
    advice = "mend these files, or leave them out"
    raise FileFormatError(first.expected, got, advice, offenders)


def refuse_clashes(
    accepted: read_file.FileSet, names: Sequence[str], tables: Sequence[pa.Table], *, by_file: bool
) -> None:
    """Raise if files cannot be combined."""
    pairs = zip(names, tables, strict=True)
    problems = [problem for pair in pairs for problem in accepted.problems(*pair)]
    for error, by_system in ((FileFormatError, False), (IdError, True)):
        clashes = [problem for problem in problems if (problem[1] == read_file.ONCE) == by_system]
        if clashes:
            got = f"{len({name for name, *_ in clashes})} files in conflict with earlier ones"
            advice = "read these files separately, and add the missing columns"
            if by_system:
                advice = f"{BY_NAME if by_file else BY_TAG}; {PARTS}"
            offenders = [f"{name}: {fault}" for name, _, fault in clashes]
            raise error(clashes[0][1], got, advice, offenders)


def one_table(tables: list[pa.Table]) -> pa.Table:
    """Concatenate tables, and empty the list to free memory."""
    try:
        stacked = pa.concat_tables(tables, promote_options="permissive")
    except pa.ArrowException as error:
        expected = "the same type of each column in all files"
        got = f"different types ({error})"
        raise InputError(expected, got, "read these files separately") from error
    tables.clear()
    return stacked
