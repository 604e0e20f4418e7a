"""Files that appear whole, written beside and renamed; damage of files, told alike."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from os import PathLike
from pathlib import Path
from typing import IO
from uuid import uuid4

from irframe.errors import FileFormatError


@contextmanager
def whole(kind: str, source: str, *signs: type[Exception]) -> Iterator[None]:
    """Say which file of a kind is damaged, where its reader gives a sign that it is."""
    try:
        yield
    except FileFormatError:
        raise
    except signs as error:
        wanted, found = f"{kind} that is whole", f"{source} damaged ({error})"
        raise FileFormatError(wanted, found, "fetch or write the file again") from error


@contextmanager
def atomic(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write bytes to, which has its name once it is whole.

    What had the name before stays as it is until then, whatever goes wrong: a full disk, an
    error, a kill. A device or a pipe is written to directly.

    Parameters
    ----------
    path
        The file; a link stays one, and its file is the one replaced.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic(f"{folder}/a.txt") as stream:
    ...         _ = stream.write(b"all of it")
    ...         os.path.exists(f"{folder}/a.txt")
    ...     Path(folder, "a.txt").read_text()
    False
    'all of it'
    """
    target = Path(os.path.realpath(path))
    if _is_device(target):
        with target.open("wb") as stream:
            yield stream
        return
    beside = _beside(target)
    try:
        with _opened(beside, target, os.fspath(path)) as stream:
            yield stream
        _rename(beside, target)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise


def look(path: str | PathLike[str]) -> None:
    """Raise what `atomic` would, before the work is done for which a file is to be written."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR), os.fspath(path))
    places = (target.parent, target) if target.exists() else (target.parent,)
    if not _is_device(target) and not all(os.access(place, os.W_OK) for place in places):
        beside = _beside(target)
        _opened(beside, target, os.fspath(path)).close()
        beside.unlink()


def _is_device(target: Path) -> bool:
    return target.exists() and not target.is_file()


def _beside(target: Path) -> Path:
    return target.with_name(f".{uuid4().hex}.part")


def write_whole(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file, as `atomic` does; text in UTF-8."""
    with atomic(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)


def _opened(beside: Path, target: Path, name: str) -> IO[bytes]:
    """Open the file beside; what goes wrong is told of the file that was asked for."""
    if target.exists() and not os.access(target, os.W_OK):
        target.open("ab").close()
    try:
        return beside.open("xb")
    except OSError as error:
        error.filename = name
        raise


def _rename(beside: Path, target: Path) -> None:
    with suppress(OSError):  # there is none yet, or its file system knows no modes
        beside.chmod(target.stat().st_mode)
    beside.replace(target)
