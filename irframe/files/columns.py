"""What lines hold: columns of the three types that files know, and comments."""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe import names as words
from irframe.errors import (
    FileFormatError,
    GradeError,
    IdError,
    InputError,
    IrframeError,
    ParameterError,
    shortened,
    warn,
)

DROP = "mend or drop these rows"
"""What to do about rows that hold no value, or none that fits."""

TEXT = pa.large_string()

TYPES: dict[str, pa.DataType] = {
    words.SYSTEM: TEXT,
    words.TOPIC: TEXT,
    words.DOC: TEXT,
    words.RANK: pa.int64(),
    words.SCORE: pa.float64(),
    words.GRADE: pa.int64(),
    words.ITERATION: TEXT,
    words.SUBTOPIC: TEXT,
    words.STRATUM: TEXT,
    words.PROBABILITY: pa.float64(),
}
"""Role -> the type of its column, in the order in which frames list them."""


ERRORS = {
    words.GRADE: GradeError,
    words.RANK: InputError,
    words.SCORE: InputError,
    words.PROBABILITY: InputError,
}
"""Role -> what is raised for values that do not fit it; of others `IdError`."""

LARGE = 1 << 26
"""Bytes of which it counts that memory is given back."""

_DECIMAL = {"integer", "floating", "mixed-integer-float", "decimal", "string", "empty"}
"""Kinds of objects that are numbers or may say one, as pandas calls them."""


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Make a frame of a table; text is the text type of pandas, kept by Arrow.

    Where nobody else holds the table's columns, memory holds one of them twice at a time.
    """
    try:
        text: Any = pd.StringDtype("pyarrow", na_value=np.nan)
    except TypeError:  # pandas 2.2 knows the same type by another name
        text = pd.api.types.pandas_dtype("string[pyarrow_numpy]")
    types = {pa.string(): text, TEXT: text}
    columns: dict[str, Any] = {}
    size = table.nbytes
    for name in table.column_names:
        give_back(size)
        column = table[name]
        table = table.drop_columns([name])
        if column.type in types:
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        columns[name] = column
        del column
    frame: pd.DataFrame = pa.table(columns).to_pandas(types_mapper=types.get)
    columns.clear()
    give_back(size)
    return frame


def give_back(size: int) -> None:
    """Let the system have memory that Arrow keeps for later, where so many bytes were let go.

    Small ones are wanted again soon, and getting them anew takes longer.
    """
    if size >= LARGE:
        pa.default_memory_pool().release_unused()


def framed(data: Any, columns: list[str] | None = None) -> pd.DataFrame:
    """Return rows or columns as a frame, of objects where pandas knows no type for some value."""
    try:
        return pd.DataFrame(data, columns=columns)
    except (UnicodeError, OverflowError):
        return pd.DataFrame(data, columns=columns, dtype=object)


def to_arrow(column: pd.Series, error: type[IrframeError] = IdError) -> pa.ChunkedArray:
    """Take a column of a frame into Arrow; NaN counts as missing."""
    refuse_unfit(column, error)
    try:
        array = pa.Array.from_pandas(column)
    except (pa.ArrowException, OverflowError) as failure:
        kinds = sorted({type(value).__name__ for value in column})
        wanted, advice = f"one type of values in column {column.name!r}", "convert it: astype(str)"
        raise error(wanted, "several", advice, kinds) from failure
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def refuse_unfit(column: pd.Series, error: type[IrframeError], what: str = "values") -> None:
    """Raise for values that no file can hold: collections, lone surrogates, over 64 bits.

    Looked at before Arrow sees them, which ends the process for what contains itself.
    """
    if column.dtype != object or is_utf8(column):
        return
    names = error is IdError
    unfit = [
        f"{shortened(value)} in row {row}"
        for row, value in enumerate(column)
        if _unfit(value, names=names)
    ]
    if unfit:
        kind = "text or integers" if names else "numbers"
        found, advice = f"in column {column.name!r}", "mend them: UTF-8, at most 64 bits"
        raise error(f"{what} that are {kind}", found, advice, unfit)


def is_utf8(column: Iterable[Any]) -> bool:
    """Tell whether values are text, without lone surrogates.

    Examples
    --------
    >>> is_utf8(["a", "é"]), is_utf8([chr(0xD800)]), is_utf8([1])
    (True, False, False)
    """
    try:
        "".join(column).encode()
    except (TypeError, UnicodeError):
        return False
    return True


def _unfit(value: Any, *, names: bool) -> bool:
    if isinstance(value, str):
        return not is_utf8([value])
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return not -(2**63) <= value < 2**64
    if names or isinstance(value, Collection):
        return isinstance(value, Collection) or not pd.isna(value)
    try:
        pa.scalar(value)
    except (pa.ArrowException, OverflowError, ValueError):
        return not pd.isna(value)
    return False


def to_role(column: pa.ChunkedArray, role: str, where: str) -> pa.ChunkedArray:
    """Give a column the type of its role.

    Parameters
    ----------
    column
        Values of any type.
    role
        A role of `TYPES`.
    where
        The column in the words of its user, for messages.

    Returns
    -------
    pyarrow.ChunkedArray
        The values without missing ones, in the type of the role.
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    error = ERRORS.get(role, IdError)
    missing = pc.is_null(column, nan_is_null=True)
    drop = "drop these rows: what has no grade is unjudged" if role == words.GRADE else DROP
    _refuse_rows(missing, partial(error, f"no missing values in {where}"), advice=drop)
    if TYPES[role] == TEXT:
        kinds = {"string", "large_string", "string_view"}
        if not (str(column.type) in kinds or pa.types.is_integer(column.type)):
            wanted, found = f"text or whole numbers in {where}", f"values of type {column.type}"
            raise IdError(wanted, found, "convert the column with astype(str)")
        return column.cast(TEXT)
    return _number(column, TYPES[role], where, error)


def numbers(column: pd.Series, error: type[IrframeError] = InputError) -> NDArray[np.float64]:
    """Return a column of a frame as numbers, NaN where one is missing.

    Parameters
    ----------
    column
        Numbers of any type, or text that says decimal numbers.
    error
        What to raise for anything else.

    Examples
    --------
    >>> numbers(pd.Series(["2.5", None]))
    array([2.5, nan])
    >>> numbers(pd.Series([True], name="score"))
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: wanted numbers in column 'score'; found values of type boolean...
    """
    given = column
    try:
        if not pd.api.types.is_any_real_numeric_dtype(column.dtype):
            column = _decimal(column.astype(object), error)
        values: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
        infinite = np.isinf(values)
        beyond = given[infinite] if infinite.any() else ()
        large = [value for value in beyond if not says_infinite(value)]
    except OverflowError:
        most = sys.float_info.max
        large = [value for value in given if isinstance(value, int) and abs(value) > most]
    if large:
        wanted = f"numbers of at most 64 bits in column {given.name!r}"
        raise error(wanted, "", DROP, map(shortened, large))
    return values


def says_infinite(value: object) -> bool:
    """Tell whether what is infinite as a float is so, and not a number beyond all floats.

    Examples
    --------
    >>> says_infinite("-Inf"), says_infinite("1e400")
    (True, False)
    """
    return "inf" in str(value).lower()


def refuse_beyond_floats(numbers: Iterable[str], source: str) -> None:
    """Raise for numbers of a file that are beyond all floats."""
    if large := [shortened(number, str) for number in numbers]:
        raise FileFormatError("numbers of at most 64 bits", f"in {source}", DROP, large)


def _decimal(column: pd.Series, error: type[IrframeError]) -> pd.Series:
    wanted, kind = f"numbers in column {column.name!r}", pd.api.types.infer_dtype(column)
    if kind not in _DECIMAL:
        raise error(wanted, f"values of type {kind}", "convert the column to numbers")
    values: pd.Series = pd.to_numeric(column, errors="coerce")
    strange = column[values.isna() & column.notna()]
    if len(strange):
        raise error(wanted, "", "", map(shortened, strange))
    return values


def _number(
    column: pa.ChunkedArray, target: pa.DataType, where: str, error: type[IrframeError]
) -> pa.ChunkedArray:
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        wanted, found = f"numbers in {where}", f"values of type {column.type}"
        raise error(wanted, found, "convert the column with astype(float)")
    if pa.types.is_integer(target) and pa.types.is_floating(column.type):
        fractions = pc.not_equal(column, pc.floor(column))
        fractions = pc.or_(fractions, pc.invert(pc.is_finite(column)))
        _refuse_rows(fractions, partial(error, f"whole numbers in {where}"), column)
    try:
        return column.cast(target, safe=pa.types.is_integer(target))
    except pa.ArrowInvalid as failure:
        wanted = f"whole numbers from -2**63 to 2**63 - 1 in {where}"
        raise error(wanted, f"up to {pc.max(column)}", DROP) from failure


def constant(system: str, rows: int) -> pa.ChunkedArray:
    """Make a column that names one system in every row."""
    if not isinstance(system, str) or not is_utf8([system]):
        raise ParameterError("system, a text", shortened(system))
    return pa.chunked_array([pa.repeat(pa.scalar(system, TEXT), rows)])


def _refuse_rows(
    at_fault: pa.ChunkedArray,
    error: Callable[..., IrframeError],
    values: pa.ChunkedArray | None = None,
    advice: str = DROP,
) -> None:
    """Raise if any row is at fault; the message lists rows (from 0) and what they hold."""
    rows = pc.indices_nonzero(at_fault)
    if not len(rows):
        return
    offenders, found = [f"row {row}" for row in rows.to_pylist()], f"{len(rows)} missing"
    if values is not None:
        held, found = values.take(rows).to_pylist(), ""
        offenders = [f"{value} in {row}" for value, row in zip(held, offenders, strict=True)]
    raise error(found, advice, offenders)


IR_METADATA = "ir_metadata"
"""Attribute of a run frame: system -> the header, in YAML, of the file that it was read from."""

_NOTICES = "notices"
"""Key of the metadata of a table that holds lines to warn of."""
_ENDS = 256
"""Bytes at the beginning of a file where more than blanks is to be found."""

_HEADER = re.compile(
    rb"^#[ \t]*ir_metadata\.start[^\n]*\n(.*?)^#[ \t]*ir_metadata\.end", re.MULTILINE | re.DOTALL
)
_MARK = re.compile(rb"^# ?", re.MULTILINE)

_WHOLE, _WORD = rb"-?[0-9]+", rb"[^\t\n]+"
_SHAPES = {
    words.RANK: _WHOLE,
    words.GRADE: _WHOLE,
    words.SCORE: rb"[-+]?(?:[0-9.]+(?:[eE][-+]?[0-9]+)?|inf(?:inity)?)",
    words.ITERATION: rb"(?:Q?[0-9]+)",
}
"""What the columns of a row hold, so that it is no sentence."""
_SMALL = 5
"""Rows of a system from which on one row alone of another one, at the end, is odd."""
_FEWEST = 4
"""Columns that a line has to fit in a file without a header; of three, a sentence might."""


@cache
def _row_pattern(columns: tuple[str, ...]) -> bytes:
    """Return the pattern of what follows ``#`` in a row, columns separated by tabs."""
    shapes = [_SHAPES.get(name, _WORD) for name in columns[1:]]
    fits = len(columns) >= _FEWEST or columns[-1] == words.GRADE
    return rb"\t".join([_WORD, *shapes]) + rb"$" if fits else rb"(?!)"


def holds_rows(lines: bytes, columns: tuple[str, ...]) -> bool:
    r"""Tell whether a line that begins with ``#`` fits the columns, as its topic's id does so.

    Examples
    --------
    >>> qrels = ("topic", "iteration", "doc", "grade")
    >>> holds_rows(b"#1\t0\td7\t2", qrels), holds_rows(b"#\t1\t0\td7\t2", qrels)
    (True, False)
    """
    return re.search(rb"^#" + _row_pattern(columns), lines, re.MULTILINE) is not None


def without_comments(lines: bytes, columns: tuple[str, ...]) -> bytes:
    """Return the lines without those that begin with ``#`` and do not fit the columns."""
    if b"#" not in lines:
        return lines
    return re.sub(rb"^#(?!" + _row_pattern(columns) + rb")[^\n]*", b"", lines, flags=re.MULTILINE)


def with_notes(
    table: pa.Table, data: bytes, source: str, uneven: str, surplus: Sequence[int]
) -> pa.Table:
    """Return a table with what is to be known of its file as metadata, see `notes_of`."""
    notices = filter(
        None,
        [_topics_like_comments(table, data, source), uneven, _line_cut_off(table, data, source)],
    )
    notes = {IR_METADATA: _header(data), _NOTICES: "\n".join(notices)}
    notes[words.SURPLUS] = " ".join(map(str, surplus))
    return table.replace_schema_metadata({name: text for name, text in notes.items() if text})


def notes_of(tables: Sequence[pa.Table]) -> dict[str, Any]:
    """Return what the tables of files say of themselves, as attributes of their frame.

    Parameters
    ----------
    tables
        Tables of files.

    Warns
    -----
    IrframeWarning
        If what counts as a row may be a comment, rows have more columns than others, or the last
        one may be cut off.
    """
    attributes: dict[str, dict[str, Any]] = {IR_METADATA: {}, words.SURPLUS: {}}
    for table in tables:
        notes = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
        for notice in notes.get(_NOTICES, "").splitlines():
            warn(notice)
        for kind, by_system in attributes.items():
            if (text := notes.get(kind)) and words.SYSTEM in table.column_names:
                said = text if kind == IR_METADATA else list(map(int, text.split()))
                by_system.update(dict.fromkeys(pc.unique(table[words.SYSTEM]).to_pylist(), said))
    return {name: notes for name, notes in attributes.items() if notes}


def _topics_like_comments(table: pa.Table, data: bytes, source: str) -> str:
    """Say so if some topics begin with ``#`` and others do not: the former may be comments."""
    if b"#" not in data:
        return ""
    topics = pc.unique(table[words.TOPIC])
    marked = topics.filter(pc.starts_with(topics, "#"))
    if not 0 < len(marked) < len(topics):
        return ""
    shown = ", ".join(map(repr, marked[:5].to_pylist()))
    text = f"lines of {source} that begin with '#' fit its columns, and count as rows of the topics"
    return f"{text} {shown}; a comment begins with '# '"


def cut_off(table: pa.Table) -> str | None:
    """Return the system of the last row if no other row has it, as where a file ends in a tag.

    A file in which the system before it has few rows may be small.
    """
    if words.SYSTEM not in table.column_names or table.num_rows <= _SMALL:
        return None
    systems = table[words.SYSTEM]
    *_, other, last = systems[-2:]
    if other == last or pc.sum(pc.equal(systems, last)).as_py() > 1:
        return None
    return str(last) if pc.sum(pc.equal(systems, other)).as_py() >= _SMALL else None


def _line_cut_off(table: pa.Table, data: bytes, source: str) -> str:
    """Say so if the last line of a file may be cut off."""
    system = cut_off(table)
    if system is None:
        return ""
    number = 1 + data.rstrip().count(b"\n")
    text = f"line {number} of {source}, its last, is the only one of the system {system!r}"
    return f"{text}: check that the file is not cut off"


def _header(data: bytes) -> str:
    """Return what a file says of itself in a header of ir_metadata, as YAML."""
    if data[:_ENDS].lstrip()[:1] != b"#":
        return ""
    header = _HEADER.search(data.replace(b"\r\n", b"\n"))
    return "" if header is None else _MARK.sub(b"", header[1]).decode(errors="replace")
