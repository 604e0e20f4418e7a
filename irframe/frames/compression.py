"""Files whole, packed or not: reading says by the content how, writing by the suffix."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from irframe.errors import FileFormatError, InputError

__all__ = ["PACKED", "Source", "create", "load", "name_of"]

Source = str | PathLike[str] | IO[bytes] | IO[str]
"""A path, or an open file."""


def _unpack(codec: str, data: bytes) -> bytes:
    content: bytes = pa.CompressedInputStream(pa.BufferReader(data), codec).read()
    return content


_UNPACK: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b\x08": gzip.decompress,
    b"\xfd7zXZ\x00": lzma.decompress,
    b"\x28\xb5\x2f\xfd": partial(_unpack, "zstd"),
    b"\x04\x22\x4d\x18": partial(_unpack, "lz4"),
    **{b"BZh%d1AY&SY" % level: bz2.decompress for level in range(1, 10)},
}
"""How a packed file begins -> what unpacks it."""

_DAMAGE = (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError)

_PACK: dict[str, Callable[[str], Any]] = {
    ".gz": partial(gzip.open, mode="wb", compresslevel=6),
    ".bz2": partial(bz2.open, mode="wb"),
    ".xz": partial(lzma.open, mode="wb"),
    ".zst": partial(pa.output_stream, compression="zstd"),
}
PACKED = tuple(_PACK)
"""Suffixes of packed files."""


def name_of(source: Source) -> str:
    """Name a path or an open file as its user knows it."""
    if isinstance(source, str | PathLike):
        return fspath(source)
    return str(getattr(source, "name", "<stream>"))


def _file(path: Any) -> Path:
    """Return a path that is no folder."""
    if not isinstance(path, str | PathLike):
        raise InputError("a path", repr(path))
    if Path(path).is_dir():
        raise InputError("a file", f"the folder {fspath(path)}", "name a file in it")
    return Path(path)


def load(source: Source) -> bytes:
    """Read all of a file, unpacked."""
    if isinstance(source, str | PathLike):
        content: str | bytes = _file(source).read_bytes()
    elif hasattr(source, "read"):
        content = source.read()
    else:
        raise InputError("a path or an open file", repr(source))
    data = content.encode() if isinstance(content, str) else content
    while unpack := next((_UNPACK[start] for start in _UNPACK if data.startswith(start)), None):
        try:
            data = unpack(data)  # ranx packs what is packed
        except _DAMAGE as error:
            wanted, found = "a packed file that is whole", f"{name_of(source)} damaged ({error})"
            raise FileFormatError(wanted, found, "fetch or write the file again") from error
    return data


def create(path: str | PathLike[str]) -> IO[bytes]:
    """Open a file to write bytes to, packed as its suffix says."""
    target = fspath(_file(path))
    opened = _PACK.get(Path(target).suffix.lower(), partial(open, mode="wb"))
    stream: IO[bytes] = opened(target)
    return stream
