"""Files whole, packed or not: reading says by the content how, writing by the suffix.

What is written appears once it is whole; damage of files is told alike.
"""

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from errno import EISDIR
from functools import partial
from importlib import import_module
from os import PathLike, fsencode, fspath
from pathlib import Path
from stat import S_ISFIFO, S_ISREG
from typing import IO, Any, TypeVar
from uuid import uuid4

import pyarrow as pa

from irframe.errors import FileFormatError, InputError, spelled


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


Source = str | PathLike[str] | IO[bytes] | IO[str]
"""A path, or an open file."""
Way = TypeVar("Way")


def is_address(name: str) -> bool:
    """Return whether a name is the address of an object store rather than a path."""
    return "://" in name


def opened_by(address: str) -> tuple[Any, str]:
    """Return the file system of an address, by fsspec, and the path there."""
    try:
        fsspec: Any = import_module("fsspec.core")
    except ImportError as error:
        found, advice = f"the address {address}", "pip install fsspec"
        raise InputError("a path, or fsspec to open addresses with", found, advice) from error
    store, path = fsspec.url_to_fs(address)
    return store, str(path)


def _open_zip(stream: IO[bytes]) -> Any:
    try:
        isal: Any = import_module("isal.igzip")  # faster, where it is installed
    except ImportError:
        return gzip.open(stream)
    return isal.open(stream)


def _reader(codec: str, stream: IO[bytes]) -> Any:
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec))


_OPEN: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b\x08": _open_zip,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": partial(_reader, "zstd"),
    b"\x04\x22\x4d\x18": partial(_reader, "lz4"),
    **{b"BZh%d1AY&SY" % level: bz2.open for level in range(1, 10)},
}
"""How a packed file begins -> what reads on unpacked."""

_HEAD = 10
"""Bytes that tell how a file is packed."""

MEANT = "check that this is the file you meant"
LAYERS = 3
"""How often a file may be packed; ranx packs twice."""
FREE, RATIO = 1 << 26, 100
"""Bytes that any file may unpack to, and times its size that a larger one may: runs and judgments
pack to a tenth or so."""
_PART = 1 << 20
"""Bytes that are read or unpacked at a time."""
LINE = 1 << 24
"""Bytes that a line may have."""
_BEGINNING, _TAIL = 256, 1 << 12
"""Bytes that tell what a file holds, and those of its last lines, which are read together."""

_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)


def _damage() -> tuple[type[Exception], ...]:
    """Return what readers of packed files raise for those that are not whole."""
    isal: Any = sys.modules.get("isal.igzip_lib")
    return _DAMAGE if isal is None else (*_DAMAGE, isal.IsalError)


_PACK: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda stream: gzip.GzipFile("", "wb", 6, stream),
    ".bz2": partial(bz2.open, mode="wb"),
    ".xz": partial(lzma.open, mode="wb"),
    ".zst": partial(pa.output_stream, compression="zstd"),
}
PACKED = tuple(_PACK)
"""Suffixes of packed files."""


def _by_start(ways: Mapping[bytes, Way], head: bytes) -> Way | None:
    return next((way for start, way in ways.items() if head.startswith(start)), None)


def name_of(source: Source) -> str:
    """Name a path or an open file as its user knows it."""
    if isinstance(source, str | PathLike):
        return fspath(source)
    return str(getattr(source, "name", "<stream>"))


def refuse_strange(path: Any) -> None:
    """Raise for what names no file on any system."""
    try:
        strange = not isinstance(path, str | PathLike) or b"\0" in fsencode(path)
    except UnicodeError:
        strange = True
    if strange:
        raise InputError("a path", spelled(path))


def _file(path: Any) -> Path:
    """Return a path that is no folder."""
    refuse_strange(path)
    if Path(path).is_dir():
        raise InputError("a file", f"the folder {fspath(path)}", "name a file in it")
    return Path(path)


def _open(path: Any) -> IO[bytes]:
    """Open a file or a pipe, and none of the devices that never end."""
    file = _file(path)
    if not (S_ISREG(mode := file.stat().st_mode) or S_ISFIFO(mode)):
        raise InputError("a file or a pipe", f"the device {file}", MEANT)
    return file.open("rb")


def load(source: Source, in_lines: Callable[[bytes], bool]) -> bytes:
    """Read all of a file, unpacked.

    Parameters
    ----------
    source
        A path, an address or an open file.
    in_lines
        Tells by its first bytes whether a file holds lines, which are not too long then.
    """
    if isinstance(source, str) and is_address(source):
        store, path = opened_by(source)
        data = bytes(store.cat_file(path))
    elif isinstance(source, str | PathLike):
        with _open(source) as stream:
            data = _all_of(partial(_read, stream, source), source, in_lines)
    elif hasattr(source, "read"):
        data = _all_of(partial(_read, source, source), source, in_lines)
    else:
        raise InputError("a path or an open file", spelled(source))
    if _by_start(_OPEN, data) is None:
        return data
    with _unpacked(io.BytesIO(data), source) as stream:
        return _all_of(lambda size: read_some(stream, size, source), source, in_lines)


def _read(stream: IO[Any], source: Source, size: int) -> Any:
    """Read some of an open file, which may be closed by now, or text in another encoding."""
    with whole("a file", name_of(source), ValueError):
        return stream.read(size)


def _all_of(
    read: Callable[[int], str | bytes], source: Source, in_lines: Callable[[bytes], bool]
) -> bytes:
    """Read to the end of a file, or of a line that is too long."""
    buffer, rest = io.BytesIO(), 0
    while content := read(_PART):
        data = content.encode() if isinstance(content, str) else content
        ends = [end for end in (data.find(b"\n"), data.find(b"\r")) if end >= 0]
        if rest + min(ends, default=len(data)) > LINE:
            head = bytes(buffer.getbuffer()[:_BEGINNING])
            if in_lines(head) and _by_start(_OPEN, head) is None:
                feeds, returns, both = map(buffer.getvalue().count, (b"\n", b"\r", b"\r\n"))
                raise _too_long(source, 1 + feeds + returns - both)
        buffer.write(data)
        rest = len(data) - 1 - max(data.rfind(b"\n"), data.rfind(b"\r")) + rest * (not ends)
    return buffer.getvalue()


def _too_long(source: Source, number: int) -> FileFormatError:
    """Return what to raise for a line by its number."""
    found = f"line {number} of {name_of(source)} longer"
    return FileFormatError(f"lines of at most {LINE >> 20} MiB", found, MEANT)


def pieces(source: str, size: int) -> Iterator[bytes]:
    """Read a file of lines a piece at a time, unpacked, each piece ending where a line does.

    Its last lines come together, so that the last one is seen beside others.

    Parameters
    ----------
    source
        A path or an address.
    size
        About how many bytes a piece has.
    """
    rest, before = b"", 0
    tail = min(_TAIL, size // 2)
    with open_unpacked(source) as stream:
        while data := read_some(stream, size, source):
            end = data.rfind(b"\n", 0, max(0, len(data) - tail)) + 1
            before += data.count(b"\n", 0, end)
            lines, rest = b"".join((rest, memoryview(data)[:end])), data[end:]
            data = b""  # which is not to be in memory beside its lines
            if end:
                yield lines
            else:
                rest = lines + rest
            if len(rest) > LINE + _TAIL and b"\r" not in rest:
                raise _too_long(source, 1 + before)
    if rest:
        yield rest


@contextmanager
def open_unpacked(source: str) -> Iterator[IO[bytes]]:
    """Open a path or an address for reading, unpacked."""
    if is_address(source):
        store, path = opened_by(source)
        opened: Any = store.open(path, "rb")
    else:
        opened = _open(source)
    with opened as stream, _unpacked(stream, source) as unpacked:
        yield unpacked


@contextmanager
def _unpacked(stream: IO[bytes], source: Source) -> Iterator[IO[bytes]]:
    """Read on from a file that may be packed, or, as ranx packs, packed more than once."""
    with ExitStack() as stack:
        size, layers = stream.seek(0, io.SEEK_END), 0
        stream.seek(0)
        while unpack := _by_start(_OPEN, begin(stream, source)):
            if (layers := layers + 1) > LAYERS:
                found = f"{name_of(source)} packed more often"
                raise FileFormatError(f"a file packed at most {LAYERS} times", found, MEANT)
            stream = stack.enter_context(unpack(stream))
        most = max(FREE, RATIO * size)
        yield io.BufferedReader(_Limited(stream, most, source), _PART) if layers else stream


class _Limited(io.RawIOBase):
    """A file unpacked, of which so many bytes may come."""

    def __init__(self, stream: IO[bytes], most: int, source: Source) -> None:
        super().__init__()
        self._stream, self._most, self._source, self._seen = stream, most, source, 0

    def readable(self) -> bool:
        """Return whether there is something to read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into a buffer."""
        data = self._take(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        """Read all that is left."""
        return b"".join(iter(lambda: self._take(_PART), b""))

    def _take(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._seen += len(data)
        if self._seen > self._most:
            wanted = f"a file that unpacks to at most {FREE >> 20} MiB or {RATIO} times its size"
            found = f"{name_of(self._source)} with more than {self._most:,} bytes in it"
            raise FileFormatError(wanted, found, f"{MEANT}, and unpack it first")
        return data


def begin(stream: IO[bytes], source: Source) -> bytes:
    """Return the first bytes of a file without reading on."""
    with whole("a packed file", name_of(source), *_damage()):
        if hasattr(stream, "peek"):
            head: bytes = stream.peek(_HEAD)
        else:
            head = stream.read(_HEAD)
            stream.seek(0)
    return head


def read_some(stream: IO[bytes], size: int, source: Source) -> bytes:
    """Read some bytes of a file that may turn out to be damaged."""
    with whole("a packed file", name_of(source), *_damage()):
        return stream.read(size)


def look_at(path: str | PathLike[str]) -> None:
    """Raise what `create` would, before the work is done for which a file is to be written."""
    look(_file(path))


@contextmanager
def create(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file to write bytes to, packed as its suffix says; it appears once it is whole."""
    pack = _PACK.get(_file(path).suffix.lower(), nullcontext)
    with atomic(path) as stream, pack(stream) as packed:
        yield packed
