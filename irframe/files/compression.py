"""Reading and writing of plain and compressed files.

Reading detects compression by the content, writing by the suffix.

Damage of files is told alike. A file holds so much, whatever its format: bytes, columns, and levels
of what is nested.
"""

import bz2
import gzip
import io
import lzma
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from functools import partial
from glob import glob
from importlib import import_module
from os import PathLike, fsencode, fspath
from os.path import exists
from pathlib import Path
from stat import S_ISFIFO, S_ISREG
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import FileFormatError, InputError, IrframeError, ParameterError, shortened
from irframe.files.atomic import atomic, is_device

MEANT = "check that this is the file you meant"
FREE, RATIO = 1 << 26, 100
"""Bytes that any file may unpack to, and times its size that a larger one may: runs and judgments
pack to a tenth or so."""
COLUMNS, LEVELS = 1 << 13, 100
"""Columns that a table may have, and lists and dictionaries that may stand one in another."""
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def most_of(size: int) -> int:
    """Return how many bytes a file may unpack to."""
    return max(FREE, RATIO * size)


def refuse_large(source: str, size: int, content: int) -> None:
    """Raise for a file that unpacks to an implausible size.

    Parameters
    ----------
    source
        What it is called.
    size
        Its bytes, as it is.
    content
        How many bytes it is known to hold.
    """
    if content > most_of(size):
        found = f"{source} with more than {most_of(size):,} bytes in it"
        least = f"at most {FREE >> 20} MiB or {RATIO} times its size"
        advice = f"{MEANT}, and unpack it first"
        raise FileFormatError(f"a file that unpacks to {least}", found, advice)


def refuse_wide(source: str, columns: int) -> None:
    """Raise for a table with implausibly many columns."""
    if columns > COLUMNS:
        found = f"{source} with {columns:,}"
        raise FileFormatError(f"a file of at most {COLUMNS:,} columns", found, MEANT)


def shallow(source: str, data: bytes) -> bytes:
    r"""Return JSON; raise if it is nested too deeply.

    Very deep JSON ends the process of some readers.

    Examples
    --------
    >>> shallow("a.json", b'{"q1": {"d1": "[[[["}}')
    b'{"q1": {"d1": "[[[["}}'
    >>> shallow("a.json", b"[" * 101)
    Traceback (most recent call last):
    ...
    irframe.errors.FileFormatError: expected lists and dictionaries at most 100 deep, but found
    some more than 100 deep in a.json. Check that this is the file you meant.
    """
    if _levels(data) > LEVELS and _levels(_TEXT.sub(b"", data)) > LEVELS:
        expected = f"lists and dictionaries at most {LEVELS} deep"
        raise FileFormatError(expected, f"some more than {LEVELS} deep in {source}", MEANT)
    return data


def _levels(data: bytes) -> int:
    """Return the nesting depth of brackets, also in strings."""
    at = np.frombuffer(data, np.uint8) | 0x20  # so that { is [, and } is ]
    brackets = at[(at == ord("{")) | (at == ord("}"))]
    return int(np.cumsum(np.where(brackets == ord("{"), 1, -1)).max(initial=0))


@contextmanager
def undamaged(
    kind: str,
    source: str,
    *signs: type[Exception],
    advise: Callable[[str], str] = str,
) -> Iterator[None]:
    """Convert errors of a reader to errors naming the file.

    Parameters
    ----------
    kind
        What the file is.
    source
        What it is called.
    signs
        The errors of a damaged file, by default all.
    advise
        Returns the advice of an error about a frame as advice about the file.
    """
    caught = signs or (Exception,)
    try:
        yield
    except IrframeError as error:
        if source in f"{error.expected} {error.found}":
            raise
        raise error.within(f"in {source}", advise(error.advice)) from error
    except Warning:
        raise
    except caught as error:
        expected, found = f"{kind} that is whole", f"{source} damaged ({shortened(error, str)})"
        raise FileFormatError(expected, found, "fetch or write the file again") from error


Source = str | PathLike[str] | IO[bytes] | IO[str]
"""A path, or an open file."""


def look(path: str | PathLike[str]) -> None:
    """Raise early what `atomic` would raise on opening the file."""
    if not is_device(_file(path)):  # of a pipe nobody knows who reads it
        with suppress(InterruptedError), atomic(path):
            raise InterruptedError


def refuse_input(path: str | PathLike[str], inputs: Iterable[str]) -> None:
    """Raise if an output file is also an input."""
    output = Path(_file(path))
    if is_address(str(output)) or not output.is_file():
        return
    places = (p for word in inputs for p in (word, *glob(word, recursive=True)))  # noqa: PTH207
    present = (Path(place).resolve() for place in places if exists(place))  # noqa: PTH110
    if any(output.resolve().is_relative_to(place) for place in present):
        expected, advice = "an output that is not an input", "write to another file"
        raise ParameterError(expected, f"{fspath(path)}, which is read", advice)


def is_address(name: str) -> bool:
    """Tell whether a name is an address, with ``://``."""
    return "://" in name


def opened_by(address: str) -> tuple[Any, str]:
    """Return an address's fsspec file system and its path there."""
    try:
        fsspec: Any = import_module("fsspec.core")
    except ImportError as error:
        found, advice = f"the address {address}", "pip install fsspec"
        raise InputError("a path, or fsspec to open addresses with", found, advice) from error
    try:
        store, path = fsspec.url_to_fs(address)
    except (ImportError, ValueError) as error:
        advice = "install the package that opens such addresses, or mend it"
        raise InputError("an address to open", f"{address} ({error})", advice) from error
    return store, str(path)


def _reader(codec: str, stream: IO[bytes]) -> Any:
    return io.BufferedReader(pa.CompressedInputStream(pa.PythonFile(stream, "r"), codec))


def _reader_of_xz(packed: IO[bytes]) -> Any:
    """Decompress consecutive xz streams; each must be complete.

    The reader of Python ends without a word where one after the first is damaged.
    """
    data, content = packed.read(), io.BytesIO()
    most = most_of(len(data)) + 1
    while data and content.tell() < most:
        unpacker = lzma.LZMADecompressor()
        content.write(unpacker.decompress(data, most))
        if not unpacker.eof and content.tell() < most:
            raise EOFError("it ends before its last stream does")
        # Between streams there may be zeros, with which blocks of a medium were filled up.
        data = unpacker.unused_data.lstrip(b"\0")
    content.seek(0)
    return content


_OPEN: dict[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b\x08": partial(_reader, "gzip"),
    b"\xfd7zXZ\x00": _reader_of_xz,
    b"\x28\xb5\x2f\xfd": partial(_reader, "zstd"),
    b"\x04\x22\x4d\x18": partial(_reader, "lz4"),
    **{
        b"BZh%d%b" % (level, block): partial(_reader, "bz2")
        for level in range(1, 10)
        for block in (b"1AY&SY", b"\x17rE8P\x90")  # the latter ends what holds nothing
    },
}
"""How a packed file begins -> what reads on unpacked."""

_HEAD = 10
"""Bytes that tell how a file is packed."""

LAYERS = 3
"""How often a file may be packed; ranx packs twice."""
_PART = 1 << 20
"""Bytes that are read or unpacked at a time."""
LINE = 1 << 24
"""Bytes that are parsed together: a line of text has fewer."""
_BEGINNING, _TAIL = 256, 1 << 12
"""Bytes that tell what a file holds, and those of its last lines, which are read together."""
PARQUET = b"PAR1"
"""How a Parquet file begins and ends."""

_DAMAGE = (OSError, EOFError, ValueError, lzma.LZMAError)
"""What readers of packed files raise for those that are not whole."""

_PACK: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda stream: gzip.GzipFile("", "wb", 6, stream),
    ".bz2": partial(bz2.open, mode="wb"),
    ".xz": partial(lzma.open, mode="wb"),
    ".zst": partial(pa.output_stream, compression="zstd"),
}
PACKED = tuple(_PACK)
"""Suffixes of packed files."""


def name_of(source: Source) -> str:
    """Return the name of a path or an open file."""
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
        raise InputError("a path", shortened(path))


def _file(path: Any) -> Path:
    """Return a path that is no folder."""
    refuse_strange(path)
    if Path(path).is_dir():
        raise InputError("a file", f"the folder {fspath(path)}", "name a file in it")
    return Path(path)


@contextmanager
def _opened(source: Any) -> Iterator[IO[bytes]]:
    """Yield a path, address, pipe or open file as stream.

    Devices are refused, since they may never end.
    """
    if isinstance(source, str) and is_address(source):
        store, path = opened_by(source)
        with store.open(path, "rb") as stream:
            yield stream
    elif isinstance(source, str | PathLike):
        mode = (file := _file(source)).stat().st_mode
        if not (S_ISREG(mode) or S_ISFIFO(mode)):
            raise InputError("a file or a pipe", f"the device {file}", MEANT)
        with file.open("rb") as stream:
            # A pipe gives its bytes once, and formats are told by the first of them.
            yield stream if S_ISREG(mode) else io.BytesIO(stream.read())
    elif hasattr(source, "read"):
        with undamaged("a file", name_of(source), ValueError):  # closed, or in another encoding
            parts = []
            while content := source.read():  # some give less than all at a time
                if not isinstance(content, str | bytes | bytearray):
                    raise InputError("a file of text or bytes", f"one of {type(content).__name__}")
                parts.append(content.encode() if isinstance(content, str) else content)
            data = b"".join(parts)
        yield io.BytesIO(data)
    else:
        raise InputError("a path or an open file", shortened(source))


def is_in_lines(head: bytes) -> bool:
    """Tell by its first bytes whether a file is text."""
    return not (head.startswith(PARQUET) or is_cbor(head) or may_be_json(head))


def is_cbor(data: bytes) -> bool:
    """Tell whether a file begins like a dictionary in CBOR.

    No text in UTF-8 begins so.
    """
    return b"\xa0" <= data[:1] <= b"\xbf"


def may_be_json(head: bytes) -> bool:
    """Tell from the beginning whether a file may be JSON."""
    return head[:_BEGINNING].removeprefix(BOM_UTF8).lstrip()[:1] in {b"{", b"["}


def _blocks(source: Source, part: int) -> Iterator[bytes]:
    """Yield a file in blocks, decompressed up to `LAYERS` times."""
    with ExitStack() as stack:
        stream = stack.enter_context(_opened(source))
        # A few packed bytes can hold more than any memory.
        size, seen, packed = stream.seek(0, io.SEEK_END), 0, False
        stream.seek(0)
        with undamaged("a packed file", name_of(source), *_DAMAGE):
            for _ in range(LAYERS):
                if (unpack := _unpacking(stream)) is not None:
                    stream, packed = stack.enter_context(unpack(stream)), True
            while block := stream.read(part):
                seen += len(block)
                if packed:
                    refuse_large(name_of(source), size, seen)
                yield block


def _unpacking(stream: IO[bytes]) -> Callable[[IO[bytes]], Any] | None:
    """Return the decompressor of a file, None for plain ones."""
    if hasattr(stream, "peek"):
        head = stream.peek(_HEAD)
    else:
        head = stream.read(_HEAD)
        stream.seek(0)
    return next((unpack for start, unpack in _OPEN.items() if head.startswith(start)), None)


def load(source: Source) -> bytes:
    """Read a path, address or open file completely and decompressed."""
    buffer = io.BytesIO()
    for block in _blocks(source, _PART):
        buffer.write(block)
    return buffer.getvalue()


def pieces(source: str, size: int) -> Iterator[bytes]:
    """Yield pieces of a file that end at line ends.

    Its last lines come together, so that the last one is seen beside others.

    Parameters
    ----------
    source
        A path or an address.
    size
        About how many bytes a piece has.
    """
    rest, tail = b"", min(_TAIL, size // 2)
    for block in _blocks(source, size):
        end = block.rfind(b"\n", 0, max(0, len(block) - tail)) + 1
        if end:
            yield rest + memoryview(block)[:end]
            rest = b""
        rest += memoryview(block)[end:]
    if rest:
        yield rest


@contextmanager
def create(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing, compressed according to its suffix.

    It appears once it is complete.
    """
    pack = _PACK.get(_file(path).suffix.lower(), nullcontext)
    with atomic(path) as stream, pack(stream) as packed:
        yield packed


FIRST, MOST = 1 << 8, 1 << 16
"""Rows of a row group that are read to see how large they are, and of a batch at most."""
_WIDTH = 8
"""Bytes that a value takes in memory."""


def is_parquet(data: bytes) -> bool:
    """Tell by its content whether a file is Parquet."""
    return data.startswith(PARQUET) and data.endswith(PARQUET)


def read_parquet(data: bytes, source: str) -> pa.Table:
    """Read a Parquet file, unless it is too large unpacked.

    The limit is that of `refuse_large`.
    """
    first, *others = parquet_batches(data, source)
    return pa.concat_tables([first, *others]) if others else first


def parquet_batches(
    file: bytes | str, source: str, columns: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """Yield the batches of a Parquet file.

    A file without rows yields its columns.

    Parameters
    ----------
    file
        What is in it, or its path.
    source
        Its name, for messages.
    columns
        Which columns are read, by default all of them.
    """
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415 - costs time at import

    with undamaged("a Parquet file", source, pa.ArrowException, OSError, MemoryError, ValueError):
        opened: Any = pa.BufferReader(file) if isinstance(file, bytes) else pa.OSFile(file)
        with opened, ParquetFile(opened, pre_buffer=False, buffer_size=FREE >> 6) as parquet:
            facts, size, seen = parquet.metadata, opened.size(), 0
            refuse_wide(source, facts.num_columns)
            refuse_large(source, size, facts.num_rows * facts.num_columns * _WIDTH)
            for group in range(facts.num_row_groups):
                few = next(parquet.iter_batches(FIRST, [group]), None)
                rows = FREE // (1 + max(map(_content, few.columns)) // FIRST) if few else FIRST
                for batch in parquet.iter_batches(min(max(rows, FIRST), MOST), [group], columns):
                    seen += sum(map(_content, batch.columns))
                    refuse_large(source, size, seen)
                    yield pa.table(batch)
            if not seen:
                yield parquet.schema_arrow.empty_table()


def _content(column: pa.Array) -> int:
    """Return how many bytes a column takes, written out."""
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    lengths = pc.binary_length(column.dictionary.cast(pa.large_binary()))
    return int(pc.sum(lengths.take(column.indices)).as_py() or 0)
