"""Files of runs and judgments as tables: text, Parquet, JSON or CBOR, in folders or alone."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from glob import escape, glob
from io import BytesIO
from math import inf, isinf
from os import PathLike, fspath
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import FileFormatError, InputError, IrframeError, shortened, warn
from irframe.files import compression
from irframe.files.as_runs import as_qrels, by_role
from irframe.files.compression import (
    is_cbor,
    is_parquet,
    may_be_json,
    read_parquet,
    shallow,
    undamaged,
)
from irframe.files.ids import shown
from irframe.files.kinds import RUN, Kind, in_types
from irframe.files.text import parse
from irframe.files.values import TYPES, constant, framed, refuse_beyond_floats
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC, roles

_PARTITION = re.compile(r"([^=/]+)=([^=/]*)")
_PART = re.compile(r"part[-.]\d+.*|data[-_]?\d+\..*", re.IGNORECASE)
"""What Spark and others call the files of one data set."""


def find_files(
    paths: str | PathLike[str] | Iterable[compression.Source],
) -> Sequence[compression.Source]:
    """Return the files that a pattern, a folder, a path or several of them mean.

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
        wanted, advice = f"files that match {paths!r}", f"the current folder is {Path.cwd()}"
        raise InputError(wanted, "none", advice)
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
    """Return the files of a folder: its own, and those of its partitions and parts."""
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
    """Return what the folders of a partitioned data set say of a file.

    Examples
    --------
    >>> partitions("runs/track=web/system=bm25%2Brm3/part-0.parquet")
    {'track': 'web', 'system': 'bm25+rm3'}
    """
    folders = PurePosixPath(name.replace("\\", "/")).parts[:-1]
    matches = (_PARTITION.fullmatch(folder) for folder in folders)
    return {match[1]: unquote(match[2]) for match in matches if match}


def home(name: str) -> str:
    """Return the data set that a file is a part of, else the file.

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


def parse_parquet(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a Parquet file into a table with a column per role, then its further columns.

    Parameters
    ----------
    data
        The file.
    source
        Its name, for messages.
    kind
        What it should be.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text; ids that were whole numbers are written out. Of further
        columns with one name only the first is read.
    """
    return in_types(read_parquet(data, source), source, kind)


_OBJECTS = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")
_LONG = re.compile(rb":\s*-?[0-9]{16}")
"""Digits of a number that floats may not tell from others."""
_LEAST = 1e15
"""The least number of so many digits."""
_OBJECT, _KEY = re.compile(rb"\s*\{[^\n{}\[\]]*\}\s*"), re.compile(r'"([\w-]+)"\s*:')


def is_objects(data: bytes) -> bool:
    r"""Tell by its first lines whether a file has a JSON object for each row.

    Examples
    --------
    >>> is_objects(b'{"topic": "1", "doc": "a"}\n{"topic": "1", "doc": "b"}\n')
    True
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if _OBJECTS.match(data):
        return True
    names = _KEY.findall(data.decode("latin-1")) if _OBJECT.fullmatch(data) else []
    return {TOPIC, DOC} <= roles(names).keys()


def parse_objects(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a file of JSON objects, one for each row, as `parse_parquet` reads columns."""
    from pyarrow.json import ParseOptions, ReadOptions, read_json  # noqa: PLC0415 - costs time at import

    data = data.removeprefix(codecs.BOM_UTF8).lstrip()
    with undamaged(
        "a file of JSON lines", source, pa.ArrowException, OSError, ValueError, RecursionError
    ):
        line = shallow(source, data)[: data.find(b"\n") % (len(data) + 1)]
        first = json.loads(line)
        compression.refuse_wide(source, len(first))
        text = [(name, pa.string()) for name, value in first.items() if isinstance(value, str)]
        schema = ParseOptions(explicit_schema=pa.schema(text))  # else some ids would become dates
        size = ReadOptions(block_size=compression.LINE, use_threads=len(data) > compression.LINE)
        try:
            table = read_json(pa.BufferReader(data), size, schema)
        except pa.ArrowInvalid:  # of several types in a column, among other things
            table = None
        # Arrow reads whole numbers beyond 2**53 among floats, and what is beyond floats, as other
        # numbers.
        if table is None or _is_inexact(table, data):
            lines = (line for line in data.splitlines() if line.strip())
            table = framed([_row(line) for line in lines])
    return in_types(table, source, kind)


def _row(line: bytes) -> dict[str, Any]:
    """Return a line of JSON, its numbers with all their digits."""

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            found = "a name twice in one row"
            raise ValueError(found)
        return result

    row: dict[str, Any] = json.loads(line, parse_float=Decimal, object_pairs_hook=distinct)
    return row


def _is_inexact(table: pa.Table, data: bytes) -> bool:
    """Tell whether numbers may have become others as floats."""
    floats = [column for column in table.columns if pa.types.is_floating(column.type)]
    most = max((pc.max(pc.abs(column)).as_py() or 0 for column in floats), default=0)
    return most == inf or (most >= _LEAST and _LONG.search(data) is not None)


_END = 256
"""Bytes at the end of a file where more than blanks is to be found."""


def is_nested(data: bytes) -> bool:
    """Tell by its content whether a file holds a dictionary or a list, and no text of columns."""
    return is_cbor(data) or (may_be_json(data) and data[-_END:].rstrip()[-1:] in {b"}", b"]"})


def parse_nested(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a file that holds a dictionary into a table with a column per role.

    Parameters
    ----------
    data
        The file.
    source
        Its name, for messages.
    kind
        What it should be.

    Returns
    -------
    pyarrow.Table
        Rows in file order. Ids are text as written.
    """
    nested = _loaded(data, source)
    if not isinstance(nested, Mapping | list):
        raise FileFormatError(kind.noun, f"{source} without a dictionary or rows")
    try:
        frame = as_qrels(nested) if kind.value == GRADE else by_role(nested, kind).frame
    except IrframeError as error:
        raise error.within(f"in {source}", kind.advised(error.advice)) from error
    return in_types(frame, source, kind)


def _loaded(data: bytes, source: str) -> Any:
    if is_cbor(data):
        try:
            import cbor2  # noqa: PLC0415 - only files of ranx need it
        except ImportError as error:
            wanted = "the package cbor2, which reads the files of ranx"
            advice = "install it: pip install cbor2"
            raise FileFormatError(wanted, f"none, for {source}", advice) from error
        with undamaged("a file", source, cbor2.CBORError, RecursionError):
            return cbor2.loads(data)
    again, large, endless = list[str](), list[str](), list[bool]()

    def distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            numbers = Counter(key for key, _ in pairs)
            again.extend(key for key, number in numbers.items() if number > 1)
        if _holds_infinity([*result.values()]):
            endless.append(True)
        return result

    def finite(text: str) -> float:
        value = float(text)
        if isinf(value):
            large.append(text)
        return value

    with undamaged("a file", source, ValueError):
        nested = json.loads(shallow(source, data), object_pairs_hook=distinct)
        if endless or _holds_infinity([nested]):  # as it says, or as a number beyond all floats
            json.loads(data, parse_float=finite)
    refuse_beyond_floats(large, source)
    if again:
        wanted, found = "each key once in its dictionary", f"{source} with keys again"
        advice = "keep one of them, or unite what they hold"
        raise FileFormatError(wanted, found, advice, map(shortened, again))
    return nested


def _holds_infinity(values: list[Any]) -> bool:
    """Tell whether a list, or lists in it, hold an infinite number."""
    if inf in values or -inf in values:
        return True
    lists = [value for value in values if type(value) is list] if list in map(type, values) else []
    return any(map(_holds_infinity, lists))


LINES = 3
"""How many lines at fault of a file are listed; the others are counted."""

Failure = IrframeError | OSError
Problem = tuple[str, str, str]
"""A file, what was wanted of it, and what was found there instead."""


def problems_of(file: str, error: Exception) -> list[Problem]:
    """Return what is wrong with a file that could not be read: its first lines, and a count."""
    wanted = getattr(error, "wanted", "a file that can be read")
    faults = [*getattr(error, "offenders", ())] or [getattr(error, "found", error)]
    more = len(faults) - LINES
    counted = [f"{more:,} more"] if more > 0 else []
    return [(file, wanted, shortened(fault, str)) for fault in [*faults[:LINES], *counted]]


ONCE = "each system in one file"
"""What is wanted of files that are no parts of one data set."""


LEFT_OUT = "files of runs are left out"
"""How is said that some are."""


class Together:
    """The files of runs that go together, as they are read one after the other."""

    def __init__(self) -> None:
        self.first: tuple[str, list[str]] | None = None
        self.homes: dict[str, str] = {}
        self.left: list[Problem] = []
        """What is wrong with files that were left out."""

    def sound(
        self, read: Iterable[tuple[str, pa.Table | Failure]]
    ) -> Iterator[tuple[str, pa.Table]]:
        """Yield the files that could be read and go together, and warn if there are others."""
        for name, table in read:
            if found := self.problems(name, table):
                self.left += found
            else:
                yield name, table
        if left := dict.fromkeys(file for file, *_ in self.left):
            warn(f"{LEFT_OUT} ({len(left)}): {shown(left)}")

    def told(self) -> list[dict[str, str]]:
        """Return what is wrong with files that were left out, as an attribute says it."""
        names = "file", "wanted", "found"
        texts = ([text.encode(errors="backslashreplace").decode() for text in p] for p in self.left)
        return [dict(zip(names, each, strict=True)) for each in texts]

    def problems(self, name: str, table: pa.Table | Failure) -> list[Problem]:
        """Return why a file does not go with those before it; where it does, it is one of them."""
        if isinstance(table, Exception):
            return problems_of(name, table)
        columns = table.column_names
        first, others = self.first = self.first or (name, columns)
        problems = [
            (
                name,
                f"a {role} in every file or in none",
                f"{'one' if role in columns else 'none'}, unlike {first}",
            )
            for role in (RANK, SCORE)
            if (role in columns) != (role in others)
        ]
        systems, here = pc.unique(table[SYSTEM]).to_pylist(), home(name)
        problems += [
            (name, ONCE, f"{system!r}, which is in {self.homes[system]}")
            for system in systems
            if system in self.homes and (here == name or self.homes[system] != here)
        ]
        if not problems:
            self.homes |= dict.fromkeys(systems, here)
        return problems


def empty_run() -> pa.Table:
    """Return the run of no file."""
    columns = (SYSTEM, TOPIC, DOC, RANK, SCORE)
    return pa.table({name: pa.array([], TYPES[name]) for name in columns})


RUN_SUFFIXES = (
    *(".run", ".txt", ".trec", ".tsv", ".csv", ".json", ".jsonl", ".lz4", ".parquet", ".parq"),
)


READERS = ((is_objects, parse_objects), (is_nested, parse_nested), (is_parquet, parse_parquet))
"""What tells by its content whether a file is of a format, and reads it; all others are text."""


def read_file(source: compression.Source, kind: Kind) -> pa.Table:
    """Read a file of either kind, whatever its content is written in."""
    data, name = compression.load(source), compression.name_of(source)
    reader = next((read for tells, read in READERS if tells(data)), parse)
    return reader(data, name, kind)


def plain_table(source: compression.Source, *, na_filter: bool = False) -> pd.DataFrame:
    """Read a table of any kind: Parquet, JSON, or CSV and TSV, what is text as it stands.

    Parameters
    ----------
    source
        The file; text of which neither content nor name says what it is is CSV.
    na_filter
        Whether empty fields of text are missing.
    """
    data, name = compression.load(source), compression.name_of(source)
    with undamaged("a table", name, ValueError, OSError):
        if is_parquet(data):
            frame: pd.DataFrame = read_parquet(data, name).to_pandas()
            return frame
        if may_be_json(data):
            text = shallow(name, data).decode("utf-8-sig").strip()
            rows = [text] if text[0] == "[" else filter(str.strip, text.split("\n"))
            held = [json.loads(row) for row in rows]
            return framed(held[0] if text[0] == "[" else held)
        between = "\t" if ".tsv" in Path(name.lower()).suffixes else ","
        return pd.read_csv(BytesIO(data), dtype=str, sep=between, na_filter=na_filter)


def run_table(source: compression.Source, system: str | None, kind: Kind = RUN) -> pa.Table:
    """Read a run whose first column names the system, with what its folders say of it."""
    table = read_file(source, kind)
    parts, label = partitions(compression.name_of(source)), system_of(compression.name_of(source))
    parts.pop(str(roles(parts).get(SYSTEM)), None)
    for name, value in parts.items():
        if name not in table.column_names:
            table = table.append_column(name, constant(value, table.num_rows))
    if system is None and label is None and SYSTEM in table.column_names:
        return table
    chosen = system or label or stem(source)
    others = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return others.add_column(0, SYSTEM, constant(chosen, table.num_rows))


def attempt(source: compression.Source, *, by_file: bool, kind: Kind) -> pa.Table | Failure:
    """Read a run, or return what is wrong with its file."""
    try:
        return run_table(source, stem(source) if by_file else None, kind)
    except (IrframeError, OSError) as error:
        return error


def system_of(name: str) -> str | None:
    """Return which system the folders of a partitioned data set say that a file is of."""
    parts = partitions(name)
    return parts.get(str(roles(parts).get(SYSTEM)))


def stem(source: compression.Source) -> str:
    """Name a system after its file."""
    path = Path(home(compression.name_of(source)))
    for suffixes in (compression.PACKED, RUN_SUFFIXES):
        path = path.with_suffix("") if path.suffix.lower() in suffixes else path
    return path.name
