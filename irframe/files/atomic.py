"""Atomic writing of files: complete or not at all."""

import os
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from os import PathLike, fsencode, fspath
from pathlib import Path
from time import time
from typing import IO, Any
from uuid import uuid4


@contextmanager
def atomic(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name when complete.

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
    target = _target(path)
    if is_device(target):
        with _naming_file(path), target.open("wb") as device:
            yield device
        return
    stream = _open_beside(target, path)
    written = Path(stream.name)
    try:
        with _naming_file(path), stream:
            yield stream
        with suppress(OSError):  # there is none yet, or its file system knows no modes
            written.chmod(target.stat().st_mode)
        written.replace(target)
    except BaseException:
        with suppress(OSError):
            written.unlink()
        raise


@contextmanager
def _naming_file(path: str | PathLike[str]) -> Iterator[None]:
    """Add the name of the file to errors of writing."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or fspath(path)
        raise


def _target(path: str | PathLike[str]) -> Path:
    """Resolve a link; return a device unchanged."""
    return Path(path) if is_device(Path(path)) else Path(os.path.realpath(path))


def is_device(target: Path) -> bool:
    """Tell whether a path is a device or a pipe."""
    return target.exists() and not target.is_file()


def _open_beside(target: Path, path: str | PathLike[str]) -> IO[bytes]:
    """Open a new file in the folder of the target."""
    try:
        if target.exists() and not os.access(target, os.W_OK):
            # This raises: to replace a file takes no right to write to it, yet who took that right
            # away meant it.
            target.open("ab").close()
        stream = beside(target).open("xb")
    except OSError as error:
        error.filename = fspath(path)
        raise
    try_lock(stream.fileno())
    return stream


STALE = 60
"""Seconds after which what is written beside, and held by nobody, is left of a killed writer."""


def beside(target: Path) -> Path:
    """Return a temporary path for the replacement of a file.

    Remove what killed writers left.
    """
    prefix = f".{zlib.crc32(fsencode(target.name)):08x}."
    for leftover in target.parent.glob(f"{prefix}*.part*"):
        with suppress(OSError), locked(leftover) as is_free:  # it may be gone already
            # A lock ends with its process, even a killed one; the age is for a file that is new and
            # not locked yet.
            if is_free and time() - leftover.stat().st_mtime > STALE:
                shutil.rmtree(leftover) if leftover.is_dir() else leftover.unlink()
    return target.with_name(f"{prefix}{uuid4().hex}.part")


@contextmanager
def locked(path: Path) -> Iterator[bool]:
    """Try to lock a file or folder; yield the success."""
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except PermissionError:  # as of any folder on Windows
        yield False
        return
    try:
        yield try_lock(descriptor)
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file or folder; return whether that succeeded.

    Where nothing can be held, as on Windows, nobody can be told not to.
    """
    try:
        fcntl: Any = import_module("fcntl")
    except ImportError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def write_file(path: str | PathLike[str], content: str | bytes) -> None:
    """Write a file, as `atomic` does; text in UTF-8."""
    with atomic(path) as stream:
        stream.write(content.encode() if isinstance(content, str) else content)
