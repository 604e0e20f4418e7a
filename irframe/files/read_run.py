"""One run, or judgments, from a file; and runs in files that are too large to be read at once.

Verbs: read_run, read_qrels, scan_runs.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal

import pandas as pd

from irframe.checks import choice
from irframe.errors import InputError, ParameterError, warn
from irframe.escaping import html
from irframe.files.comments import notes_of
from irframe.files.compression import Source, is_address, name_of, opened_by
from irframe.files.ids import shown
from irframe.files.kinds import QRELS, RUN
from irframe.files.read_file import Problem, Together, attempt, find_files, read_file, run_table
from irframe.files.values import to_frame
from irframe.names import ALIASES, DOC, FILES, ITERATION, REPEAT, SUBTOPIC, SYSTEM

Columns = Sequence[str] | Mapping[str, str] | None
"""What columns of a file are, in order; or name -> role."""


@dataclass(frozen=True)
class ScannedRuns:
    """Runs in files, none of which has been read; see `scan_runs`.

    Parameters
    ----------
    files
        The files.
    by_file
        Whether systems are called after their files.
    skip
        Whether files that cannot be read are left out.
    repeat
        What says of the names of files which system and which repeat they are of.
    unit
        What says which document a chunk is of, where lists are to be collapsed.
    labels
        File's name without its suffixes -> what its repeat of a system is called.

    Examples
    --------
    >>> ScannedRuns(("bm25.gz",)).files
    ('bm25.gz',)
    """

    files: tuple[str, ...]
    by_file: bool = False
    skip: bool = False
    repeat: str | None = None
    unit: Any = None
    labels: Mapping[str, str] | None = None

    def _repr_html_(self) -> str:
        names = "".join(f"<li>{html(name)}</li>" for name in self.files)
        summary = f"Runs in files, none of which has been read: {len(self.files)}"
        return f"<details><summary>{summary}</summary><ul>{names}</ul></details>"

    access: ClassVar[Callable[[Any], Any]]
    """What gives the verbs; the accessor puts itself there."""

    @property
    def ireval(self) -> Any:
        """Verbs of these runs."""
        return type(self).access(self)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Return the rows of some files after the other, those of each run at once.

        No frame is kept here, so that it is gone when the next one is read.
        """
        from irframe.files.read_runs import read_in_turn  # noqa: PLC0415 - imports what reads files

        return map(self._told, read_in_turn(self.files, by_file=self.by_file))

    def frame(self) -> pd.DataFrame:
        """Return all runs, as `read_runs` reads them."""
        from irframe.files.read_runs import read_runs  # noqa: PLC0415 - imports what reads files

        return self._told(read_runs(self.files, system="file" if self.by_file else "tag"))

    def _told(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return runs of documents, called by the repeats that they are."""
        if self.unit is not None:
            frame = of_documents(frame, self.unit)
        if self.repeat is None:
            return frame
        if self.labels is None:
            wanted, advice = "runs without repeats", "evaluate and cube take them; or leave it out"
            raise InputError(wanted, f"repeat={self.repeat!r}", advice)
        return frame.assign(**{SYSTEM: frame[SYSTEM].map(dict(self.labels)).array})

    def sound(self) -> tuple["ScannedRuns", list[Problem]]:
        """Return the runs without files that cannot be read, if these are to be left out.

        Files are read once for that, one at a time.

        Warns
        -----
        IrframeWarning
            If there are some.
        """
        if not self.skip:
            return self, []
        files, problems = sound_files(self.files, by_file=self.by_file)
        return replace(self, files=tuple(files), skip=False), problems

    def readable(self) -> "ScannedRuns":
        """Return the same, likewise, and raise if none is left."""
        runs, problems = self.sound()
        if not runs.files:
            found = f"none of {len(self.files)} files"
            raise InputError("a run that can be read", found, "", [file for file, *_ in problems])
        return runs

    def states(self) -> list[list[Any]]:
        """Return name, size and time of change of every file."""
        return states_of(self.files)


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


def of_documents(frame: pd.DataFrame, unit: Any) -> pd.DataFrame:
    """Return runs that were read with each document at its first chunk.

    Parameters
    ----------
    frame
        What `read_runs` gives.
    unit
        As for `read_runs`.
    """
    of = DOC if isinstance(unit, str) and unit in ALIASES[DOC] else unit
    collapsed: pd.DataFrame = ScannedRuns.access(frame).collapse(of=of)
    return collapsed


def scan_runs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> ScannedRuns:
    r"""Find runs that are too many or too large for memory; nothing is read yet.

    Parameters
    ----------
    paths, system, repeat, unit
        As for `read_runs`; lists are collapsed some files at a time, as these are read.
    on_error
        What verbs do about files that cannot be read, or that do not go together: raise, or
        skip them with a warning. To see that, all files are read once more.

    Returns
    -------
    ScannedRuns
        The files. ``runs.ireval.evaluate(qrels, "AP")`` scores them, some files at a time;
        ``runs.ireval.cube(qrels)`` makes a cube of what they hold of the judgments.

    Raises
    ------
    InputError
        If there is no file.
    ParameterError
        For a pattern without its groups, and where verbs read names of files that do not fit it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "bm25.txt").write_text("301 Q0 d7 1 2.5 bm25\n")
    ...     len(scan_runs(f"{folder}/*.txt").files)
    1
    """
    by_file = choice("system", system, ("tag", "file")) == "file" or repeat is not None
    named_groups(repeat)
    files = find_files(paths)
    strange = [repr(file) for file in files if not isinstance(file, str | PathLike)]
    if strange:
        raise InputError("paths of runs", "", "read open files with read_runs", strange)
    skip = choice("on_error", on_error, ("raise", "skip")) == "skip"
    return ScannedRuns(tuple(map(str, files)), by_file, skip, repeat, unit)


def sound_files(files: Iterable[str], *, by_file: bool) -> tuple[list[str], list[Problem]]:
    """Return the files that can be read and go together, and what is wrong with the others.

    Warns
    -----
    IrframeWarning
        If there are others.
    """
    together, sound, problems = Together(), list[str](), list[Problem]()
    for file in files:
        table = attempt(file, by_file=by_file)
        if found := together.problems(file, table):
            problems += found
        else:
            notes_of([table])
            sound.append(file)
    if problems:
        left = dict.fromkeys(file for file, *_ in problems)
        warn(f"{len(left)} files of runs are left out: {shown(left)}")
    return sound, problems


def changed_files(states: Iterable[list[Any]]) -> list[str]:
    """Return the files that are no longer as they were, or are gone."""
    changed = []
    for name, *state in states:
        try:
            same = [*state_of(name)] == state
        except OSError:
            same = False
        changed += [] if same else [name]
    return changed


def states_of(files: Iterable[str]) -> list[list[Any]]:
    """Return name, size and time of change of all files that have a name to be found by."""
    there = (file for file in files if is_address(file) or Path(file).is_file())
    return [[file, *state_of(file)] for file in there]


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
    path: Source,
    system: str | None = None,
    *,
    columns: Columns = None,
    sep: str | None = None,
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
    beyond all floats, such as ``1e400``, keys that a dictionary has twice, lines of more than
    16 MiB, and devices, which may never end; a pipe is a file. A system that
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
    tables = [run_table(path, system, RUN.told(columns, sep))]
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
    Refused are keys that a dictionary has twice, lines of more than 16 MiB, and devices.

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
    tables = [read_file(path, QRELS.told(columns, sep))]
    notes = notes_of(tables)
    frame = to_frame(tables.pop())
    if subtopics and SUBTOPIC not in frame:
        frame = frame.rename(columns={ITERATION: SUBTOPIC})
    frame.attrs |= notes | {FILES: states_of([name_of(path)])}
    return frame
