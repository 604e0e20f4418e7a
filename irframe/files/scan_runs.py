"""Runs that are too large to be read at once."""

from collections.abc import Iterable
from os import PathLike
from typing import Literal

from irframe.checks import choice
from irframe.errors import InputError
from irframe.files.folders import find_files
from irframe.files.scanned_runs import ScannedRuns

__all__ = ["scan_runs"]


def scan_runs(
    paths: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    system: Literal["tag", "file"] = "tag",
    on_error: Literal["raise", "skip"] = "raise",
) -> ScannedRuns:
    r"""Find runs that are too many or too large for memory; nothing is read yet.

    Parameters
    ----------
    paths, system
        As for `read_runs`.
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
        raise InputError("paths of runs", "", "read open files with read_runs", strange)
    skip = choice("on_error", on_error, ("raise", "skip")) == "skip"
    return ScannedRuns(tuple(map(str, files)), by_file, skip)
