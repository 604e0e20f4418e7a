"""Runs in files that are too large to be read at once.

Verbs: scan_runs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, ClassVar, Literal

import pandas as pd

from irframe.checks import choice
from irframe.errors import InputError, warn
from irframe.escaping import html
from irframe.files.comments import notes_of
from irframe.files.ids import shown
from irframe.files.kinds import RUN, Kind
from irframe.files.read_file import Problem, Together, attempt, find_files
from irframe.files.read_run import Columns, states_of
from irframe.files.read_runs import named_groups, of_documents, read_all, read_in_turn
from irframe.names import SYSTEM


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
    kind
        What is told of the files.
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
    kind: Kind = RUN
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
        return map(self._told, read_in_turn(self.files, self.kind, by_file=self.by_file))

    def frame(self) -> pd.DataFrame:
        """Return all runs, as `read_runs` reads them."""
        return self._told(read_all(self.files, self.kind, by_file=self.by_file, skip=False)[0])

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
        files, problems = sound_files(self.files, self.kind, by_file=self.by_file)
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


def scan_runs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    system: Literal["tag", "file"] = "tag",
    repeat: str | None = None,
    unit: Any = None,
    columns: Columns = None,
    sep: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> ScannedRuns:
    r"""Find runs that are too many or too large for memory; nothing is read yet.

    Parameters
    ----------
    paths, system, repeat, unit, columns, sep
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
    return ScannedRuns(tuple(map(str, files)), by_file, skip, repeat, unit, RUN.told(columns, sep))


def sound_files(
    files: Iterable[str], kind: Kind, *, by_file: bool
) -> tuple[list[str], list[Problem]]:
    """Return the files that can be read and go together, and what is wrong with the others.

    Warns
    -----
    IrframeWarning
        If there are others.
    """
    together, sound, problems = Together(), list[str](), list[Problem]()
    for file in files:
        table = attempt(file, by_file=by_file, kind=kind, outline=True)
        if found := together.problems(file, table):
            problems += found
        else:
            notes_of([table])
            sound.append(file)
    if problems:
        left = dict.fromkeys(file for file, *_ in problems)
        warn(f"{len(left)} files of runs are left out: {shown(left)}")
    return sound, problems
