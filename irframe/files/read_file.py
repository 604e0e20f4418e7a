"""Reader of one file of text, Parquet, JSON or CBOR."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from io import BytesIO
from math import inf, isinf
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import BETWEEN, FileFormatError, IrframeError, needing, shortened, unsaid, warn
from irframe.files import sources
from irframe.files.as_runs import as_qrels, by_role
from irframe.files.sources import Source, is_cbor, is_parquet, may_be_json, name_of, stem, undamaged
from irframe.files.text import parse
from irframe.frames.ids import shown
from irframe.frames.kinds import RUN, Kind, in_types
from irframe.frames.values import constant, framed, refuse_beyond_floats
from irframe.names import CAUTION, DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC, roles


def parse_parquet(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a Parquet file as runs or judgments.

    Parameters
    ----------
    data
        The file.
    source
        The name of the file, for messages.
    kind
        The kind of table, such as a run.

    Returns
    -------
    pyarrow.Table
        The rows in file order. Ids that are whole numbers become text. If several columns without
        a role have the same name, only the first column is read.
    """
    return in_types(sources.read_parquet(data, source), source, kind)


LEVELS = 100
"""The largest accepted depth of nested lists and dictionaries in JSON."""
_TEXT = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)


def shallow(source: str, data: bytes) -> bytes:
    r"""Return JSON unchanged; raise if it is nested too deeply.

    Deep nesting is refused, because some JSON parsers crash on it.

    Examples
    --------
    >>> shallow("a.json", b'{"q1": {"d1": "[[[["}}')
    b'{"q1": {"d1": "[[[["}}'
    >>> shallow("a.json", b"[" * 101)
    Traceback (most recent call last):
    ...
    irframe.errors.FileFormatError: expected JSON with at most 100 nested lists and dictionaries,
    but found deeper nesting in a.json. Check that this is the file you meant.
    """
    # Removing strings is slow, so strings are removed only if the depth is too large when brackets
    # in strings are counted, too.
    if _levels(data) > LEVELS and _levels(_TEXT.sub(b"", data)) > LEVELS:
        expected = f"JSON with at most {LEVELS} nested lists and dictionaries"
        raise FileFormatError(expected, f"deeper nesting in {source}", sources.MEANT)
    return data


def _levels(data: bytes) -> int:
    """Return the depth of nested brackets, including those in strings."""
    # setting this bit turns [ into { and ] into }, so that both kinds of brackets count
    characters = np.frombuffer(data, np.uint8) | 0x20
    brackets = characters[(characters == ord("{")) | (characters == ord("}"))]
    return int(np.cumsum(np.where(brackets == ord("{"), 1, -1)).max(initial=0))


_OBJECTS = re.compile(rb"\s*\{[^\n]*\}[ \t\r]*\n\s*\{")
_LONG = re.compile(rb":\s*-?[0-9]{16}")
"""Pattern of integers with at least 16 digits, which a float may not represent exactly."""
_LEAST = 1e15
"""The smallest integer with 16 digits, the minimum number of digits that `_LONG` matches."""
_OBJECT = re.compile(rb"\s*\{[^\n{}\[\]]*\}\s*")
_KEY = re.compile(r'"([\w-]+)"\s*:')


def is_objects(data: bytes, kind: Kind = RUN) -> bool:
    r"""Return whether a file contains one JSON object per line.

    Examples
    --------
    >>> is_objects(b'{"topic": "1", "doc": "a"}\n{"topic": "1", "doc": "b"}\n')
    True
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    if _OBJECTS.match(data):
        return True
    # a single line may also be {topic: {doc: number}}, so its keys decide
    names = _KEY.findall(data.decode("latin-1")) if _OBJECT.fullmatch(data) else []
    return {TOPIC, DOC} <= kind.find(names).keys()


def parse_objects(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a file with one JSON object per row."""
    from pyarrow.json import ParseOptions, ReadOptions, read_json  # noqa: PLC0415 - costs time at import

    data = data.removeprefix(codecs.BOM_UTF8).lstrip()
    # without a line feed, `find` returns -1, and the remainder is the length of the data
    line = shallow(source, data)[: data.find(b"\n") % (len(data) + 1)]
    first = json.loads(line)
    sources.refuse_wide(source, len(first))
    text = [(name, pa.string()) for name, value in first.items() if isinstance(value, str)]
    # without types, Arrow would convert some ids to dates
    schema = ParseOptions(explicit_schema=pa.schema(text))
    size = ReadOptions(block_size=sources.LINE, use_threads=len(data) > sources.LINE)
    try:
        table = read_json(pa.BufferReader(data), size, schema)
    except pa.ArrowInvalid:  # Arrow refuses files in which a column has several types
        table = None
    # Arrow rounds integers beyond 2**53 in a column of floats, and makes 1e400 infinite
    if table is None or _is_inexact(table, data):
        lines = (line for line in data.splitlines() if line.strip())
        table = framed([_row(line) for line in lines])
    return in_types(table, source, kind)


def _row(line: bytes) -> dict[str, object]:
    """Parse a line of JSON with exact decimal numbers."""

    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) < len(pairs):
            got = "a name twice in one row"
            raise ValueError(got)
        return result

    row: dict[str, object] = json.loads(line, parse_float=Decimal, object_pairs_hook=distinct)
    return row


def _is_inexact(table: pa.Table, data: bytes) -> bool:
    """Return whether Arrow may have rounded numbers of a file."""
    floats = [column for column in table.columns if pa.types.is_floating(column.type)]
    most = max((pc.max(pc.abs(column)).as_py() or 0 for column in floats), default=0)
    return most == inf or (most >= _LEAST and _LONG.search(data) is not None)


_END = 256
"""Number of bytes at the end of a JSON file that must contain its last bracket."""


def is_nested(data: bytes, _: Kind = RUN) -> bool:
    """Return whether a file contains one dictionary or list."""
    return is_cbor(data) or (may_be_json(data) and data[-_END:].rstrip()[-1:] in {b"}", b"]"})


def parse_nested(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read a file with one dictionary or list.

    Parameters
    ----------
    data
        The file.
    source
        The name of the file, for messages.
    kind
        The kind of table, such as a run.

    Returns
    -------
    pyarrow.Table
        The rows in file order. Ids are text as in the file.
    """
    nested = _loaded(data, source)
    if not isinstance(nested, Mapping | list):
        raise FileFormatError(kind.noun, f"{source} without a dictionary or a list")
    with unsaid() as call:  # a thread may read this file, so `notes_of` issues the warnings later
        frame = as_qrels(nested) if kind.value == GRADE else by_role(nested, kind).frame
    cautions = BETWEEN.join(f"{text}, of {source}" for text in call.texts)
    return in_types(frame, source, kind).replace_schema_metadata({CAUTION: cautions})


def _loaded(data: bytes, source: str) -> object:
    if is_cbor(data):
        with needing("cbor2", f"the file {source}", "cbor2"):
            import cbor2  # noqa: PLC0415 - only files of ranx need it
        return cbor2.loads(data)
    repeated_keys = list[str]()
    large = list[str]()
    endless = list[bool]()

    def distinct(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) < len(pairs):
            numbers = Counter(key for key, _ in pairs)
            repeated_keys.extend(key for key, number in numbers.items() if number > 1)
        if _holds_infinity([*result.values()]):
            endless.append(True)
        return result

    def finite(text: str) -> float:
        value = float(text)
        if isinf(value):
            large.append(text)
        return value

    nested = json.loads(shallow(source, data), object_pairs_hook=distinct)
    # A value may be infinite because the file contains Infinity, or a number such as 1e400. The
    # second pass lists only such numbers.
    if endless or _holds_infinity([nested]):
        json.loads(data, parse_float=finite)
    refuse_beyond_floats(large, source)
    if repeated_keys:
        got = f"repeated keys in {source}"
        advice = "keep one entry of each key, or merge the entries"
        offenders = map(shortened, repeated_keys)
        raise FileFormatError("every key once in a dictionary", got, advice, offenders)
    return nested


def _holds_infinity(values: list[object]) -> bool:
    """Return whether a list or a nested list contains infinity."""
    if inf in values or -inf in values:
        return True
    lists = [value for value in values if type(value) is list] if list in map(type, values) else []
    return any(map(_holds_infinity, lists))


LINES = 3
"""The number of faulty lines that are described per file. Further faulty lines are only counted."""

Failure = IrframeError | OSError
Problem = tuple[str, str, str]
"""A tuple of the name of a file, what was expected in it, and what was found."""


def problems_of(file: str, error: Exception) -> list[Problem]:
    """Describe the first faults of an unreadable file."""
    expected = getattr(error, "expected", "a file that can be read")
    faults = [*getattr(error, "offenders", ())] or [getattr(error, "found", error)]
    n_further = len(faults) - LINES
    counted = [f"{n_further:,} more"] if n_further > 0 else []
    return [(file, expected, shortened(fault, str)) for fault in [*faults[:LINES], *counted]]


ONCE = "each system in one file"
"""The expected value in messages about two files that contain the same system."""


LEFT_OUT = "files of runs are left out"
"""The first words of the warning about skipped files.

The command line uses these words to suppress the warning."""


class FileSet:
    """Files of runs that can be combined into one frame."""

    def __init__(self) -> None:
        self.first: tuple[str, list[str]] | None = None
        """The name and the columns of the first file."""
        self.homes: dict[str, str] = {}
        """Mapping from a system to the file or the data set that contains it."""
        self.skipped: list[Problem] = []
        """The problems of the skipped files."""

    def accepted(
        self, results: Iterable[tuple[str, pa.Table | Failure]]
    ) -> Iterator[tuple[str, pa.Table]]:
        """Yield files that can be combined; warn about skipped files."""
        for name, table in results:
            if problems := self.problems(name, table):
                self.skipped += problems
            else:
                yield name, table
        if files := dict.fromkeys(file for file, *_ in self.skipped):
            warn(f"{LEFT_OUT} ({len(files)}): {shown(files)}")

    def as_attribute(self) -> list[dict[str, str]]:
        """Return the problems of skipped files as dictionaries."""
        names = "file", "expected", "found"
        texts = (
            [text.encode(errors="backslashreplace").decode() for text in p] for p in self.skipped
        )
        return [dict(zip(names, values, strict=True)) for values in texts]

    def problems(self, name: str, table: pa.Table | Failure) -> list[Problem]:
        """Return why a file cannot be combined with earlier ones.

        If the file can be combined, its systems are recorded, so that later files can be compared
        with them.
        """
        if isinstance(table, Exception):
            return problems_of(name, table)
        columns = table.column_names
        first, first_columns = self.first = self.first or (name, columns)
        problems = [
            (
                name,
                f"a {role} in every file or in none",
                f"{'one' if role in columns else 'none'}, unlike {first}",
            )
            for role in (RANK, SCORE)
            if (role in columns) != (role in first_columns)
        ]
        systems = pc.unique(table[SYSTEM]).to_pylist()
        home = sources.home(name)
        # all parts of a data set have the same home, and may contain rows of one system
        problems += [
            (name, ONCE, f"{system!r}, which is in {self.homes[system]}")
            for system in systems
            if system in self.homes and (home == name or self.homes[system] != home)
        ]
        if not problems:
            self.homes |= dict.fromkeys(systems, home)
        return problems


def parse_text(data: bytes, source: str, kind: Kind) -> pa.Table:
    """Read lines of text; name all formats in errors."""
    try:
        return parse(data, source, kind)
    except FileFormatError as error:
        *names, last = (format_.name for format_ in FORMATS)
        formats = ", ".join([error.expected, *names, f"or {last}"])
        expected = formats if error.expected == kind.expected else ""
        raise error.within("", expected=expected) from error


class Format(NamedTuple):
    """A file format."""

    name: str
    matches: Callable[[bytes, Kind], bool]
    """A function that takes the content of a file, and returns whether the file has the format."""
    parse: Callable[[bytes, str, Kind], pa.Table]


FORMATS = (
    # `is_nested` accepts JSON lines, too, so `is_objects` must be tried first
    Format("JSON lines", is_objects, parse_objects),
    Format("JSON or CBOR", is_nested, parse_nested),
    Format("Parquet", lambda data, _: is_parquet(data), parse_parquet),
)
"""The formats in the order in which they are tried. Files in no other format are read as text."""
TEXT_FORMAT = Format("text", lambda *_: True, parse_text)


def read_file(source: Source, kind: Kind) -> pa.Table:
    """Read a file in the format that its content shows."""
    data = sources.load(source)
    name = name_of(source)
    file_format = next(f for f in (*FORMATS, TEXT_FORMAT) if f.matches(data, kind))
    with undamaged(f"a file of {file_format.name}", name, advise=kind.advised):
        return file_format.parse(data, name, kind)


def plain_table(source: Source, *, na_filter: bool = False) -> pd.DataFrame:
    """Read a table from Parquet, JSON, CSV or TSV.

    Columns of text are never converted to other types.

    Parameters
    ----------
    source
        The file. Text is read as TSV if the name has the suffix ``.tsv``, and as CSV otherwise.
    na_filter
        Whether empty fields of text become missing values.
    """
    data = sources.load(source)
    name = name_of(source)
    with undamaged("a table", name):
        if is_parquet(data):
            frame: pd.DataFrame = sources.read_parquet(data, name).to_pandas()
            return frame
        if may_be_json(data):
            text = shallow(name, data).decode("utf-8-sig").strip()
            rows = [text] if text[0] == "[" else filter(str.strip, text.split("\n"))
            parsed = [json.loads(row) for row in rows]
            return framed(parsed[0] if text[0] == "[" else parsed)
        between = "\t" if ".tsv" in Path(name.lower()).suffixes else ","
        return pd.read_csv(BytesIO(data), dtype=str, sep=between, na_filter=na_filter)


def run_table(source: Source, system: str | None, kind: Kind = RUN) -> pa.Table:
    """Read a run, and add the columns that folders name.

    A folder such as ``track=web`` names a column and its value.
    """
    table = read_file(source, kind)
    labels = sources.partitions(name_of(source))
    label = sources.system_of(name_of(source))
    labels.pop(str(roles(labels).get(SYSTEM)), None)
    for name, value in labels.items():
        if name not in table.column_names:
            table = table.append_column(name, constant(value, table.num_rows))
    if system is None and label is None and SYSTEM in table.column_names:
        return table
    chosen = system or label or stem(source)
    untagged = table.drop_columns([SYSTEM]) if SYSTEM in table.column_names else table
    return untagged.add_column(0, SYSTEM, constant(chosen, table.num_rows))


def attempt(source: Source, *, by_file: bool, kind: Kind) -> pa.Table | Failure:
    """Read a run, or return the error."""
    try:
        return run_table(source, stem(source) if by_file else None, kind)
    except (IrframeError, OSError) as error:
        return error
