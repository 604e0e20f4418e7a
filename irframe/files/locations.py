"""Files matched by patterns, and systems named by their paths."""

import re
from collections.abc import Iterable, Sequence
from glob import escape, glob
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from irframe.errors import InputError
from irframe.files import compression
from irframe.names import SYSTEM, roles

RUN_SUFFIXES = (
    *(".run", ".txt", ".trec", ".tsv", ".csv", ".json", ".jsonl", ".lz4", ".parquet", ".parq"),
)
_PARTITION = re.compile(r"([^=/]+)=([^=/]*)")
_PART = re.compile(r"part[-.]\d+.*|data[-_]?\d+\..*", re.IGNORECASE)
"""What Spark and others call the files of one data set."""


def find_files(
    paths: str | PathLike[str] | Iterable[compression.Source],
) -> Sequence[compression.Source]:
    """Return the files that a pattern, folder or path matches.

    Parameters
    ----------
    paths
        A pattern (``**`` crosses folders), a folder, a file, the address of one of these in an
        object store, or an iterable of files. Files that begin with ``.`` or ``_`` are left out
        of patterns and folders; of a folder that holds partitions (``track=web``), or parts,
        all files below are meant.

    Raises
    ------
    InputError
        If there is none.
    """
    if isinstance(paths, Iterable) and not isinstance(paths, str | bytes | PathLike):
        files: list[compression.Source] = list(paths)
    elif not isinstance(paths, str | PathLike):
        raise InputError("a pattern, a path or several", repr(paths))
    else:
        name = fspath(paths)
        files = []
        if compression.is_address(name):
            store, path = compression.opened_by(name)
            for match in sorted(store.glob(path) if escape(path) != path else [path]):
                found = sorted(store.find(match)) if store.isdir(match) else None
                inside = [match] if found is None else _data_files(found, match)
                files += map(store.unstrip_protocol, inside)
        else:
            files += _paths(name)
    if not files:
        expected, advice = f"files that match {paths!r}", f"the current folder is {Path.cwd()}"
        raise InputError(expected, "none", advice)
    return files


def _paths(name: str) -> list[str]:
    if Path(name).is_dir():
        inside = sorted(path for path in Path(name).rglob("*") if path.is_file())
        return _data_files([str(path) for path in inside], name)
    if escape(name) != name and not Path(name).exists():
        matches = sorted(glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
        within = [_paths(match) if Path(match).is_dir() else [match] for match in matches]
        keep = [files for match, files in zip(matches, within, strict=True) if _is_shown(match)]
        return [file for files in keep for file in files]
    return [name]


def _data_files(files: list[str], folder: str) -> list[str]:
    """Return the files of a folder, its partitions and parts."""
    kept = []
    for file in files:
        inner = PurePosixPath(Path(file).as_posix()[len(Path(folder).as_posix()) :].lstrip("/"))
        below = inner.parts[:-1]
        data_set = all(_PARTITION.fullmatch(part) for part in below) or _PART.fullmatch(inner.name)
        if data_set and all(_is_shown(part) for part in inner.parts):
            kept.append(file)
    return kept


def _is_shown(path: str) -> bool:
    return not PurePosixPath(path).name.startswith((".", "_"))


def partitions(name: str) -> dict[str, str]:
    """Return the labels in the folder names of a file.

    Examples
    --------
    >>> partitions("runs/track=web/system=bm25%2Brm3/part-0.parquet")
    {'track': 'web', 'system': 'bm25+rm3'}
    """
    folders = PurePosixPath(name.replace("\\", "/")).parts[:-1]
    matches = (_PARTITION.fullmatch(folder) for folder in folders)
    return {match[1]: unquote(match[2]) for match in matches if match}


def home(name: str) -> str:
    """Return the data set of a file, else the file.

    Examples
    --------
    >>> home("runs/bm25.parquet/part-00000-1f3a.snappy.parquet"), home("runs/system=a/x.parquet")
    ('runs/bm25.parquet', 'runs')
    >>> home("runs/bm25.gz")
    'runs/bm25.gz'
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if _PART.fullmatch(path.name) or _PARTITION.fullmatch(path.parent.name):
        path = path.parent
        while _PARTITION.fullmatch(path.name):
            path = path.parent
        return str(path)
    return name


def system_of(name: str) -> str | None:
    """Return the system named by the folders of a file."""
    parts = partitions(name)
    return parts.get(str(roles(parts).get(SYSTEM)))


def stem(source: compression.Source) -> str:
    """Name a system after its file."""
    path = Path(home(compression.name_of(source)))
    for suffixes in (compression.PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
