"""Sources of data: find, open and decompress files.

Compression is detected by the content. Limits on size and columns refuse files that would exhaust
memory.
"""

import io
import lzma
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from glob import escape, glob
from importlib import import_module
from os import PathLike, fsencode, fspath
from pathlib import Path, PurePosixPath
from stat import S_ISFIFO, S_ISREG
from typing import IO, Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import FileFormatError, InputError, IrframeError, needing, shortened
from irframe.names import SYSTEM, roles

Source = str | PathLike[str] | IO[bytes] | IO[str]
"""A path, or an open file."""

MEANT = "check that this is the file you meant"
FREE = 1 << 26
"""Files of at most this decompressed size in bytes may have any compression ratio."""
RATIO = 100
"""The largest accepted ratio of decompressed to compressed size. Runs have a ratio of about 10."""
COLUMNS = 1 << 13
"""The largest accepted number of columns of a table."""


def most_of(size: int) -> int:
    """Return the largest accepted decompressed size of a file."""
    return max(FREE, RATIO * size)


def refuse_large(source: str, size: int, content: int) -> None:
    """Raise for a file whose decompressed size is implausible.

    Parameters
    ----------
    source
        The name of the file.
    size
        The compressed size of the file in bytes.
    content
        The number of decompressed bytes so far.
    """
    if content > most_of(size):
        got = f"{source} with more than {most_of(size):,} decompressed bytes"
        limit = f"at most {FREE >> 20} MiB or {RATIO} times its size"
        advice = f"{MEANT}, and decompress it first"
        raise FileFormatError(f"a file that decompresses to {limit}", got, advice)


def refuse_wide(source: str, columns: int) -> None:
    """Raise for a table with implausibly many columns."""
    if columns > COLUMNS:
        got = f"{columns:,} columns in {source}"
        raise FileFormatError(f"a table of at most {COLUMNS:,} columns", got, MEANT)


@contextmanager
def undamaged(
    kind: str, source: str, *damage: type[Exception], advise: Callable[[str], str] = str
) -> Iterator[None]:
    """Convert errors of a ``with`` block to file errors.

    Parameters
    ----------
    kind
        A description of the file for messages, such as "a Parquet file".
    source
        The name of the file.
    damage
        Types of errors that a damaged file causes. The default is all types of errors.
    advise
        A function that rewrites advice about a frame as advice about the file.
    """
    caught = damage or (Exception,)
    try:
        yield
    except IrframeError as error:
        if source in f"{error.expected} {error.found}":
            raise
        raise error.within(f"in {source}", advise(error.advice)) from error
    except Warning:
        raise
    except caught as error:
        got = f"{source} damaged ({shortened(error, str)})"
        advice = "fetch or write the file again"
        raise FileFormatError(f"{kind} without damage", got, advice) from error


def is_address(name: str) -> bool:
    """Return whether a name is an address such as ``s3://...``."""
    return "://" in name


def opened_by(address: str) -> tuple[Any, str]:
    """Return the file system and path of an address."""
    with needing("fsspec", f"the address {address}", "fsspec"):
        fsspec = import_module("fsspec.core")
    try:
        store, path = fsspec.url_to_fs(address)
    except (ImportError, ValueError) as error:
        advice = "install the package of fsspec for such addresses, or correct the address"
        raise InputError("an address that fsspec opens", f"{address} ({error})", advice) from error
    return store, str(path)


def _reader(codec: str, stream: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec))


def _reader_of_xz(packed: IO[bytes]) -> IO[bytes]:
    """Decompress a file of one or more xz streams."""
    # `lzma.open` would ignore damage after the first stream
    data = packed.read()
    content = io.BytesIO()
    most = most_of(len(data)) + 1
    while data and content.tell() < most:
        unpacker = lzma.LZMADecompressor()
        content.write(unpacker.decompress(data, most))
        if not unpacker.eof and content.tell() < most:
            raise EOFError("the last stream is cut off")
        # the xz format allows padding with zeros after a stream
        data = unpacker.unused_data.lstrip(b"\0")
    content.seek(0)
    return content


_OPEN: dict[bytes, Callable[[IO[bytes]], IO[bytes]]] = {
    b"\x1f\x8b\x08": partial(_reader, "gzip"),
    b"\xfd7zXZ\x00": _reader_of_xz,
    b"\x28\xb5\x2f\xfd": partial(_reader, "zstd"),
    b"\x04\x22\x4d\x18": partial(_reader, "lz4"),
    **{
        b"BZh%d%b" % (level, block): partial(_reader, "bz2")
        for level in range(1, 10)
        for block in (b"1AY&SY", b"\x17rE8P\x90")  # files with data, and empty files
    },
}
"""Mapping from the first bytes of a compressed file to the function that decompresses it."""
PACKED = (".gz", ".bz2", ".xz", ".zst")
"""Suffixes of compressed files. irframe compresses an output file if its name has one of them."""

_HEAD = 10
"""Number of bytes at the start of a file that are read to detect the compression."""
LAYERS = 3
"""Maximum number of times that a file may be compressed. Files of ranx are compressed twice."""
_PART = 1 << 20
"""The number of bytes that are read or decompressed at a time."""
LINE = 1 << 24
"""Number of bytes in a block of text that is parsed at once. Lines cannot be longer than a
block."""
_BEGINNING = 256
"""Number of bytes at the start of a file in which the first bracket of JSON must occur."""
_TAIL = 1 << 12
"""Minimum number of bytes in the last piece of a file, which must contain several lines."""
PARQUET = b"PAR1"
"""The first and the last bytes of a Parquet file."""

_DAMAGE = (OSError, EOFError, ValueError, lzma.LZMAError)
"""Errors that decompressors raise for damaged files."""


def name_of(source: Source) -> str:
    """Return the name of a path or an open file."""
    if isinstance(source, str | PathLike):
        return fspath(source)
    return str(getattr(source, "name", "<stream>"))


def refuse_strange(path: object) -> None:
    """Raise for an object that cannot be a path."""
    try:
        strange = not isinstance(path, str | PathLike) or b"\0" in fsencode(path)
    except UnicodeError:
        strange = True
    if strange:
        raise InputError("a path", shortened(path))


def checked_path(path: str | PathLike[str]) -> Path:
    """Return a path; raise if it is a folder."""
    refuse_strange(path)
    if Path(path).is_dir():
        raise InputError("a file", f"the folder {fspath(path)}", "name a file in it")
    return Path(path)


@contextmanager
def _opened(source: object) -> Iterator[IO[bytes]]:
    """Open a path, address or file as a stream."""
    if isinstance(source, str) and is_address(source):
        store, address = opened_by(source)
        with store.open(address, "rb") as stream:
            yield stream
    elif isinstance(source, str | PathLike):
        path = checked_path(source)
        mode = path.stat().st_mode
        if not (S_ISREG(mode) or S_ISFIFO(mode)):  # reading a device may never end
            raise InputError("a file or a pipe", f"the device {path}", MEANT)
        with path.open("rb") as stream:
            # detecting the format needs to seek, and a pipe cannot seek
            yield stream if S_ISREG(mode) else io.BytesIO(stream.read())
    elif hasattr(source, "read"):
        # a closed file, or text in another encoding, raises ValueError
        with undamaged("an open file", str(getattr(source, "name", "<stream>")), ValueError):
            blocks = []
            # a call of `read` may return only a part of the remaining bytes
            while content := source.read():
                if not isinstance(content, str | bytes | bytearray):
                    raise InputError(
                        "an open file of text or bytes", f"a file of {type(content).__name__}"
                    )
                blocks.append(content.encode() if isinstance(content, str) else content)
            data = b"".join(blocks)
        yield io.BytesIO(data)
    else:
        raise InputError("a path or an open file", shortened(source))


def is_in_lines(head: bytes) -> bool:
    """Return whether a file begins like text."""
    return not (head.startswith(PARQUET) or is_cbor(head) or may_be_json(head))


def is_cbor(data: bytes) -> bool:
    """Return whether a file begins like CBOR.

    The tested bytes begin a dictionary in CBOR. No text in UTF-8 begins with these bytes.
    """
    return b"\xa0" <= data[:1] <= b"\xbf"


def may_be_json(head: bytes) -> bool:
    """Return whether a file may be JSON."""
    return head[:_BEGINNING].removeprefix(BOM_UTF8).lstrip()[:1] in {b"{", b"["}


def _blocks(source: Source, size: int) -> Iterator[bytes]:
    """Decompress a file, and yield its content in blocks."""
    with ExitStack() as stack:
        stream = stack.enter_context(_opened(source))
        packed_size = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        packed = False
        unpacked = 0
        with undamaged("a compressed file", name_of(source), *_DAMAGE):
            for _ in range(LAYERS):
                if (unpack := _unpacking(stream)) is not None:
                    stream = stack.enter_context(unpack(stream))
                    packed = True
            while block := stream.read(size):
                unpacked += len(block)
                if packed:  # a few compressed bytes can expand to more than the memory
                    refuse_large(name_of(source), packed_size, unpacked)
                yield block


def _unpacking(stream: IO[bytes]) -> Callable[[IO[bytes]], IO[bytes]] | None:
    """Return the decompressor of a file; None if uncompressed."""
    if hasattr(stream, "peek"):
        head = stream.peek(_HEAD)
    else:
        head = stream.read(_HEAD)
        stream.seek(0)
    return next((unpack for start, unpack in _OPEN.items() if head.startswith(start)), None)


def load(source: Source) -> bytes:
    """Read and decompress a path, address or open file."""
    buffer = io.BytesIO()
    for block in _blocks(source, _PART):
        buffer.write(block)
    return buffer.getvalue()


def pieces(source: str, size: int) -> Iterator[bytes]:
    """Yield a file in pieces of complete lines.

    The last piece has several lines, because one line does not show whether it was cut off.

    Parameters
    ----------
    source
        A path or an address.
    size
        The approximate number of bytes of a piece.
    """
    incomplete = b""
    tail = min(_TAIL, size // 2)
    for block in _blocks(source, size):
        end = block.rfind(b"\n", 0, max(0, len(block) - tail)) + 1
        if end:
            # a slice of a memoryview does not copy the block
            yield incomplete + memoryview(block)[:end]
            incomplete = b""
        incomplete += memoryview(block)[end:]
    if incomplete:
        yield incomplete


FIRST = 1 << 8
"""Number of rows of a row group that are read to estimate the number of bytes per row."""
MOST = 1 << 16
"""The largest number of rows in a batch of a Parquet file."""
_WIDTH = 8
"""Number of bytes that a number takes in memory."""


def is_parquet(data: bytes) -> bool:
    """Return whether the content of a file is Parquet."""
    return data.startswith(PARQUET) and data.endswith(PARQUET)


def read_parquet(data: bytes, source: str) -> pa.Table:
    """Read a Parquet file."""
    first, *batches = parquet_batches(data, source)
    return pa.concat_tables([first, *batches]) if batches else first


def parquet_batches(
    file: bytes | str, source: str, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """Yield a Parquet file in batches of rows.

    A file without rows yields one table without rows.

    Parameters
    ----------
    file
        The content or the path of the file.
    source
        The name of the file, for messages.
    columns
        The columns to read. The default is all columns.
    """
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - costs time at import

    with undamaged("a Parquet file", source, pa.ArrowException, OSError, MemoryError, ValueError):
        opened = pa.BufferReader(file) if isinstance(file, bytes) else pa.OSFile(file)
        # pre-buffering would hold a whole row group in memory
        with opened, ParquetFile(opened, pre_buffer=False, buffer_size=FREE >> 6) as parquet:
            metadata = parquet.metadata
            size = opened.size()
            size_so_far = 0
            refuse_wide(source, metadata.num_columns)
            refuse_large(source, size, metadata.num_rows * metadata.num_columns * _WIDTH)
            for group in range(metadata.num_row_groups):
                # the first rows show how many rows fit into `FREE` bytes of the widest column
                first = next(parquet.iter_batches(FIRST, [group]), None)
                rows = FREE // (1 + max(map(_content, first.columns)) // FIRST) if first else FIRST
                for batch in parquet.iter_batches(min(max(rows, FIRST), MOST), [group], columns):
                    size_so_far += sum(map(_content, batch.columns))
                    refuse_large(source, size, size_so_far)
                    yield pa.table(batch)
            if not size_so_far:
                yield parquet.schema_arrow.empty_table()


def _content(column: pa.Array) -> int:
    """Return the size of a decoded column in bytes."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary.cast(pa.large_binary()))
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0)


RUN_SUFFIXES = "run txt trec tsv csv json jsonl lz4 parquet parq"
"""Suffixes that are removed from the name of a file if the system is named after the file."""
_PARTITION = re.compile(r"([^=/]+)=([^=/]*)")
_PART_NAME = re.compile(r"part[-.]\d+.*|data[-_]?\d+\..*", re.IGNORECASE)
"""The pattern of file names of parts of one data set, as Spark writes them."""


def find_files(paths: str | PathLike[str] | Iterable[Source]) -> Sequence[Source]:
    """Return the files that a pattern, folder or path matches.

    Parameters
    ----------
    paths
        A file, a folder, a pattern, an address, or an iterable of files. The pattern ``**`` matches
        nested folders. In folders and patterns, names that begin with ``.`` or ``_`` are skipped.
        Partitions such as ``track=web`` and parts of a data set are included at any depth.

    Raises
    ------
    InputError
        If no file matches.
    """
    if isinstance(paths, Iterable) and not isinstance(paths, str | bytes | PathLike):
        files: Sequence[Source] = list(paths)
    elif not isinstance(paths, str | PathLike):
        raise InputError("a pattern, a path or a list of paths", repr(paths))
    else:
        name = fspath(paths)
        files = _files_at(name) if is_address(name) else _files_in(name)
    if not files:
        advice = f"the current folder is {Path.cwd()}"
        raise InputError(f"files that match {paths!r}", "none", advice)
    return files


def _files_at(address: str) -> list[str]:
    """Return the files that an address matches."""
    store, path = opened_by(address)
    files = list[str]()
    for match in sorted(store.glob(path) if escape(path) != path else [path]):
        is_folder = store.isdir(match)
        files += _data_files(sorted(store.find(match)), match) if is_folder else [match]
    return [*map(store.unstrip_protocol, files)]


def _files_in(name: str) -> list[str]:
    """Return the files that a path or pattern matches."""
    if Path(name).is_dir():
        inside = sorted(path for path in Path(name).rglob("*") if path.is_file())
        return _data_files([str(path) for path in inside], name)
    if escape(name) != name and not Path(name).exists():
        matches = sorted(glob(name, recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
        visible = [match for match in matches if _is_shown(match)]
        within = [_files_in(match) if Path(match).is_dir() else [match] for match in visible]
        return [file for files in within for file in files]
    return [name]


def _data_files(files: list[str], folder: str) -> list[str]:
    """Return the files in a folder and its partitions."""
    included = []
    for file in files:
        inner = PurePosixPath(Path(file).as_posix()[len(Path(folder).as_posix()) :].lstrip("/"))
        partitioned = all(_PARTITION.fullmatch(name) for name in inner.parts[:-1])
        data_set = partitioned or _PART_NAME.fullmatch(inner.name)
        if data_set and all(map(_is_shown, inner.parts)):
            included.append(file)
    return included


def _is_shown(path: str) -> bool:
    return not PurePosixPath(path).name.startswith((".", "_"))


def partitions(name: str) -> dict[str, str]:
    """Return the labels in folder names, such as ``track=web``.

    Examples
    --------
    >>> partitions("runs/track=web/system=bm25%2Brm3/part-0.parquet")
    {'track': 'web', 'system': 'bm25+rm3'}
    """
    folders = PurePosixPath(name.replace("\\", "/")).parts[:-1]
    matches = (_PARTITION.fullmatch(folder) for folder in folders)
    return {match[1]: unquote(match[2]) for match in matches if match}


def home(name: str) -> str:
    """Return the folder of the data set, or the file.

    A file is part of a data set if its name or its folder has the form that Spark writes.

    Examples
    --------
    >>> home("runs/bm25.parquet/part-00000-1f3a.snappy.parquet"), home("runs/system=a/x.parquet")
    ('runs/bm25.parquet', 'runs')
    >>> home("runs/bm25.gz")
    'runs/bm25.gz'
    """
    path = PurePosixPath(name.replace("\\", "/"))
    if not (_PART_NAME.fullmatch(path.name) or _PARTITION.fullmatch(path.parent.name)):
        return name
    path = path.parent
    while _PARTITION.fullmatch(path.name):
        path = path.parent
    return str(path)


def system_of(name: str) -> str | None:
    """Return the system in the names of a file's folders."""
    labels = partitions(name)
    return labels.get(str(roles(labels).get(SYSTEM)))


def stem(source: Source) -> str:
    """Name a system after its file."""
    path = Path(home(name_of(source)))
    for suffixes in (PACKED, [f".{name}" for name in RUN_SUFFIXES.split()]):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
