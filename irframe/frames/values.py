"""Types of columns by role, and conversion of numbers."""

from collections.abc import Hashable, Iterable, Mapping
from decimal import Decimal
from math import isinf
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe import names as words
from irframe.errors import (
    SHOWN,
    FileFormatError,
    GradeError,
    IdError,
    InputError,
    ParameterError,
    RankingError,
    shortened,
)
from irframe.frames.ids import (
    DROP,
    EXACT,
    TEXT,
    give_back,
    identifiers,
    is_utf8,
    names_in,
    refuse_missing,
    refuse_unfit,
)

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
"""Mapping from a role to the Arrow type of its column.

Frames of runs and judgments have their columns in this order."""


ERRORS = {
    words.GRADE: GradeError,
    words.RANK: InputError,
    words.SCORE: InputError,
    words.PROBABILITY: InputError,
}
"""Mapping from a role to the class of the error for invalid numbers in its column.

All other columns contain ids, for which `IdError` is raised."""
_MISSING = ERRORS | {words.RANK: RankingError, words.SCORE: RankingError}
"""Mapping from a role to the class of the error for missing values in its column."""


def to_frame(table: pa.Table) -> pd.DataFrame:
    """Convert an Arrow table to a frame.

    Text gets the Arrow-backed string dtype. Columns are converted one by one. If the caller keeps
    no reference to the table, only one column at a time is in memory twice.
    """
    try:
        text: object = pd.StringDtype("pyarrow", na_value=np.nan)
    except TypeError:  # pandas 2.2 names the Arrow-backed string type differently
        text = pd.api.types.pandas_dtype("string[pyarrow_numpy]")
    types = {pa.string(): text, TEXT: text}
    columns = list[pa.Array | pa.ChunkedArray]()
    size = table.nbytes
    names = table.column_names
    columns_left = table.columns[::-1]
    del table
    while columns_left:
        give_back(size)
        column = columns_left.pop()
        # pandas refuses categories that are repeated or missing
        if pa.types.is_dictionary(column.type) and not all(map(_is_distinct, column.chunks)):
            column = column.cast(column.type.value_type)
        if column.type in types:
            column = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
        columns.append(column)
        del column
    # columns are numbered, because `to_pandas` needs distinct names
    numbered = pa.table(columns, [str(n) for n in range(len(names))])
    frame: pd.DataFrame = numbered.to_pandas(types_mapper=types.get)
    frame.columns = pd.Index(names)
    del numbered
    columns.clear()
    give_back(size)
    return frame


def _is_distinct(chunk: pa.DictionaryArray) -> bool:
    """Return whether the values of a dictionary array are distinct."""
    values = chunk.dictionary
    return values.null_count == 0 and len(values.unique()) == len(values)


def framed(data: Any, columns: list[str] | None = None) -> pd.DataFrame:
    """Make a frame from rows or columns.

    If pandas cannot convert some values, all columns have dtype object.

    Raises
    ------
    InputError
        If rows or columns differ in length, or if names of columns are not hashable.
    """
    if isinstance(data, Mapping):
        long = {n: len(c) for n, c in data.items() if isinstance(c, list | tuple | np.ndarray)}
        if len({*long.values()}) > 1:
            got = ", ".join(f"{name!r} with {length} rows" for name, length in long.items())
            raise InputError("columns of equal length", got)
    rows = data if isinstance(data, list) else ()
    lengths = {len(row) if isinstance(row, list | tuple) else -1 for row in rows}
    if len(lengths) > 1:  # pandas would fill shorter rows with NaN
        raise InputError("rows of one length", "rows of several lengths or types")
    try:
        try:
            frame = pd.DataFrame(data, columns=columns)
        except (UnicodeError, OverflowError):
            frame = pd.DataFrame(data, columns=columns, dtype=object)
        hash(tuple(frame.columns))
    except (ValueError, TypeError, AssertionError, AttributeError) as error:
        expected = "a table with columns of equal length and hashable names"
        got = shortened(error, str)
        raise InputError(expected, got) from error
    return frame


def to_arrow(column: pd.Series) -> pa.ChunkedArray:
    """Convert a column of a frame to Arrow."""
    refuse_unfit(column, IdError)
    try:
        array = pa.Array.from_pandas(column)
    except (pa.ArrowException, OverflowError) as failure:
        kinds = sorted({type(value).__name__ for value in column})
        expected = f"one type of values in column {column.name!r}"
        advice = "convert the column with astype(str)"
        raise IdError(expected, "several types", advice, kinds) from failure
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def to_role(
    column: pd.Series | pa.ChunkedArray, role: str, name: Hashable, *, ranked: bool = False
) -> pa.ChunkedArray:
    """Convert a column to the type of its role.

    Parameters
    ----------
    column
        A column of pandas or Arrow.
    role
        One of the roles in `TYPES`.
    name
        The caller's name of the column, for messages.
    ranked
        Whether the table has scores, which rank the rows. If the table has scores, ranks may be
        missing.

    Returns
    -------
    pyarrow.ChunkedArray
        The values in the type of the role. Ranks with missing values are floats.
    """
    target = TYPES[role]
    if isinstance(column, pd.Series):
        return _of_frame(column, role, ranked=ranked)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if target == TEXT:
        return names_in(column, role, name).cast(TEXT)
    if column.type == target or (pa.types.is_integer(column.type) and target == pa.int64()):
        plain = not column.null_count and str(column.type) != "uint64"
        if plain and not (target == pa.float64() and pc.any(pc.is_nan(column)).as_py()):
            return column.cast(target)
    return _of_frame(column.to_pandas().rename(name), role, ranked=ranked)


def _of_frame(column: pd.Series, role: str, *, ranked: bool) -> pa.ChunkedArray:
    if TYPES[role] == TEXT:
        return identifiers(column, role).cast(TEXT)
    values = numbers(column, role)
    if role == words.RANK and ranked and np.isnan(values).any():
        return pa.chunked_array([pa.array(values)])
    if TYPES[role] == pa.int64():
        refuse_fractions(values, column, role)
        values = values.astype(np.int64)
    else:
        refuse_missing(np.isnan(values), role, _MISSING[role])
    return pa.chunked_array([pa.array(values)])


def refuse_fractions(
    values: NDArray[np.float64],
    column: pd.Series,
    role: str,
    low: float = -(2.0**63),
    # the largest float below 2**63, the first integer that int64 cannot hold
    high: float = 2.0**63 - 1024,
) -> None:
    """Raise if grades or ranks are not whole numbers."""
    with np.errstate(invalid="ignore"):
        fits = (values >= low) & (values <= high) & (values == np.round(values))
    fits &= np.isfinite(values)
    if fits.all():
        return
    where = "" if column.name == role else f" in column {column.name!r}"
    if role != words.GRADE:
        refuse_missing(np.isnan(values), role, _MISSING[role])
        expected = f"{role}s that are whole numbers{where}"
        advice = DROP
    else:
        limits = f"from {words.LOWEST_GRADE} to {words.HIGHEST_GRADE}"
        expected = f"grades that are whole numbers {limits}{where}"
        advice = "renumber the grades, and pass their gains as gain={grade: gain}"
        advice = scaling(column.iloc[~fits], column.name) or advice
        if np.isnan(values).any():
            advice = "drop these rows: documents without a grade are unjudged"
        if column.name in words.ALIASES[words.SCORE]:
            advice = "if these are scores of runs, pass the runs first, then the judgments"
    raise ERRORS[role](expected, "", advice, in_rows(column, np.flatnonzero(~fits)))


_INTEGER = r"[+-]?[0-9]+(\.0*)?"
"""Pattern that grades and ranks must match if they are text."""
_DECIMAL = (
    r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?[iI][nN][fF]([iI][nN][iI][tT][yY])?"
)
"""Pattern that scores and probabilities must match if they are text."""


def numbers(column: pd.Series, role: str = words.SCORE) -> NDArray[np.float64]:
    """Convert a column to floats.

    Missing values become NaN. All readers of frames, dictionaries and files call this function, so
    that they accept the same numbers.

    Parameters
    ----------
    column
        Numbers of any type, or text with decimal numbers.
    role
        The role of the column. Grades and ranks in text must be whole numbers. Grades may also be
        booleans.

    Raises
    ------
    IrframeError
        If values are not numbers, if a number is too large for a float, or if distinct numbers are
        equal as floats. `ERRORS` contains the class of the error by role.

    Examples
    --------
    >>> numbers(pd.Series(["2.5", None, 3]))
    array([2.5, nan, 3. ])
    >>> numbers(pd.Series([True, False]), "grade")
    array([1., 0.])
    >>> numbers(pd.Series([True], name="score"))
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: expected numbers in column 'score', but found True in row 0. Mend or
    drop these rows.
    """
    values, strange = read_numbers(column, role)
    if len(strange):
        expected = expected_values(role, column.name)
        advice = (role == words.GRADE and scaling(column.iloc[strange], column.name)) or DROP
        raise ERRORS.get(role, InputError)(expected, "", advice, in_rows(column, strange))
    return values


FACTORS = (2, 3, 4, 5, 10, 20, 100, 1000)
"""Factors that are tried to scale decimal grades to whole numbers."""
SCALED = ": ir.as_qrels("
"""The beginning of the line of code in advice about decimal grades."""


def scaling(grades: Iterable[object], name: Hashable) -> str:
    """Return advice that scales decimal grades to whole numbers.

    The advice is empty if no factor in `FACTORS` makes all grades whole.

    Examples
    --------
    >>> scaling([0.5, 1.25], "label").partition(":")[0]
    'multiply the grades by 4, so that all are whole'
    """
    values, _ = read_numbers(pd.Series([*grades], dtype=object), words.SCORE)
    for factor in FACTORS:
        with np.errstate(invalid="ignore", over="ignore"):
            deviation = np.abs(values * factor - np.round(values * factor))
            decimal = (values % 1 > 0).any()
        if decimal and (deviation < 1e-9).all():
            line = f"qrels).assign({name}=lambda rows: (rows[{name!r}].astype(float) * {factor})"
            text = f"multiply the grades by {factor}, so that all are whole"
            return f"{text}{SCALED}{line}.round().astype(int))"
    return ""


def in_rows(column: pd.Series, rows: NDArray[np.intp]) -> list[str]:
    """Describe the values of some rows for a message."""
    first = rows[:SHOWN].tolist()
    values = zip(column.iloc[first].tolist(), first, strict=True)
    # a message describes the first rows, and only counts the others
    return [f"{shortened(value)} in row {row}" for value, row in values] + [""] * (
        len(rows) - SHOWN
    )


def expected_values(role: str, name: Hashable) -> str:
    """Describe the numbers that a role expects, for messages."""
    noun = "whole numbers" if role in {words.RANK, words.GRADE} else "numbers"
    return f"{noun} in column {name!r}"


def read_numbers(column: pd.Series, role: str) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return a column as floats, and its invalid rows."""
    dtype = column.dtype
    truths = pd.api.types.is_bool_dtype(dtype) and role == words.GRADE
    if truths or pd.api.types.is_any_real_numeric_dtype(dtype):
        values: NDArray[np.float64] = column.to_numpy(np.float64, na_value=np.nan)
        # floats and booleans stay distinct as 64-bit floats, but large integers may become equal
        if dtype.kind in "fb":
            return values, _NONE
        return values, _merged(values, column, least=EXACT * (dtype.kind in "iu"))
    objects = column.to_numpy(object)
    kinds = [*map(type, objects.tolist())]
    values = np.full(len(objects), np.nan)
    valid = np.zeros(len(objects), bool)
    texts = np.fromiter((issubclass(kind, str) for kind in kinds), bool, len(kinds))
    if texts.any():
        values[texts], valid[texts] = _of_text(objects[texts], role)
    for row in np.flatnonzero(~texts).tolist():
        values[row], valid[row] = _of_value(objects[row], role)
    strange = np.flatnonzero(~valid)
    # distinct decimals of any size may be equal as floats, but integers only from 2**53 on
    least = 0 if Decimal in kinds else EXACT
    return values, strange if len(strange) else _merged(values, column, least)


SLICE = 1 << 13
"""The number of rows that Arrow converts at a time. Python converts blocks that Arrow refuses."""


def numbers_of_text(
    column: pa.ChunkedArray, role: str
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Return Arrow text as floats, and its invalid rows."""
    values = np.full(len(column), np.nan)
    slow = list[NDArray[np.intp]]()
    for first in range(0, len(column), SLICE):
        rows = slice(first, first + SLICE)
        try:
            quick = column[rows].cast(TYPES[role]).cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:
            quick = np.array([np.nan])
        if (np.abs(quick) < EXACT).all():  # the comparison also excludes NaN and infinity
            values[rows] = quick
        else:
            slow.append(np.arange(len(column))[rows])
    if not slow:
        return values, np.zeros(0, np.intp)
    rows_of = np.concatenate(slow)
    texts = pd.Series(column.take(pa.array(rows_of)).to_numpy(), dtype=object)
    values[rows_of], strange = read_numbers(texts, role)
    return values, rows_of[strange]


def _of_value(value: object, role: str) -> tuple[float, bool]:
    """Return a float, and whether the value is valid."""
    if isinstance(value, bool | np.bool_):
        return float(value), role == words.GRADE
    if isinstance(value, Number) and not isinstance(value, complex | np.complexfloating):
        try:
            number = float(value)  # type: ignore[arg-type]
        except (OverflowError, ValueError):
            return np.nan, False
        # a number of another type may be infinite because it is too large for a float
        is_float = isinstance(value, float | np.floating)
        return number, not isinf(number) or is_float or spells_infinity(value)
    return np.nan, value is None or value is pd.NA or value is pd.NaT


def _of_text(
    texts: NDArray[np.object_], role: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return texts as floats, and which of them are valid."""
    if not is_utf8(texts):  # Arrow cannot store lone surrogates, and no number contains one
        texts = np.array([text if is_utf8([text]) else "?" for text in texts], object)
    text = pc.ascii_trim_whitespace(pa.array(texts, TEXT))
    if role == words.GRADE:
        low = pc.ascii_lower(text)
        for truth, number in (("true", "1"), ("false", "0")):
            text = pc.if_else(pc.equal(low, truth), number, text)
    pattern = _INTEGER if role in {words.RANK, words.GRADE} else _DECIMAL
    missing = pc.is_in(pc.ascii_lower(text), pa.array(["", "nan"], TEXT)).to_numpy(
        zero_copy_only=False
    )
    is_number = pc.match_substring_regex(text, f"^({pattern})$")
    # Arrow does not accept a plus sign before a number
    plain = pc.replace_substring_regex(pc.if_else(is_number, text, "nan"), r"^\+", "")
    values = plain.cast(pa.float64()).to_numpy(zero_copy_only=False)
    valid = is_number.to_numpy(zero_copy_only=False) | missing
    # Arrow reads 1e400 as infinity, so the text of infinite values is checked
    for row in np.flatnonzero(np.isinf(values)).tolist():
        valid[row] &= spells_infinity(texts[row])
    return values, valid


_NONE = np.zeros(0, np.intp)


def _merged(values: NDArray[np.float64], column: pd.Series, least: float) -> NDArray[np.intp]:
    """Return rows whose numbers differ but are equal as floats."""
    with np.errstate(invalid="ignore"):
        large = np.flatnonzero((np.abs(values) >= least) & np.isfinite(values))
    if len(large) < 2:
        return _NONE
    order = large[np.argsort(values[large], kind="stable")]
    same = np.flatnonzero(values[order[1:]] == values[order[:-1]])
    pairs = np.stack([order[same], order[same + 1]])
    left, right = (map(_all_digits, column.iloc[side].tolist()) for side in pairs)
    differ = [digits != other_digits for digits, other_digits in zip(left, right, strict=True)]
    return np.unique(pairs[:, differ])


def _all_digits(value: object) -> object:
    return Decimal(value.strip()) if isinstance(value, str) else value


def spells_infinity(value: object) -> bool:
    """Return whether a value is written as infinity.

    Examples
    --------
    >>> spells_infinity("-Inf"), spells_infinity("1e400")
    (True, False)
    """
    return "inf" in str(value).lower()


def refuse_beyond_floats(numbers: Iterable[str], source: str) -> None:
    """Raise for numbers that are too large for a float."""
    if large := [shortened(number, str) for number in numbers]:
        expected = "numbers in the range of 64-bit floats"
        raise FileFormatError(expected, f"larger numbers in {source}", DROP, large)


def constant(system: str, rows: int) -> pa.ChunkedArray:
    """Make a column with the same text in every row."""
    if not isinstance(system, str) or not is_utf8([system]):
        raise ParameterError("system= to be a string", shortened(system))
    return pa.chunked_array([pa.repeat(pa.scalar(system, TEXT), rows)])
