"""Files of JSON, a line for each row or one value in all, and of CBOR."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from math import inf, isinf
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import FileFormatError, IrframeError, shortened
from irframe.files import compression
from irframe.files.as_runs import by_role
from irframe.files.compression import is_cbor, may_be_json, undamaged
from irframe.files.kinds import Kind, in_types
from irframe.files.limits import refuse_wide, shallow
from irframe.files.values import framed, refuse_beyond_floats
from irframe.names import DOC, TOPIC, roles

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
    with compression.undamaged(
        "a file of JSON lines", source, pa.ArrowException, OSError, ValueError, RecursionError
    ):
        line = shallow(source, data)[: data.find(b"\n") % (len(data) + 1)]
        first = json.loads(line)
        refuse_wide(source, len(first))
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
        frame = by_role(nested, kind).frame
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
