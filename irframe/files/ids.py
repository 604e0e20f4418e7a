"""Identifiers: checked, compared exactly, coded as integers."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.errors import IdError
from irframe.files.columns import give_back

Codes = NDArray[np.integer[Any]]

FIRST = 1000
"""Rows by which it is judged whether a column says the same in many rows after each other."""


def code_labels(column: pd.Series, role: str) -> tuple[Codes, pd.Index]:
    """Code a column of identifiers by order of first appearance.

    Parameters
    ----------
    column
        Identifiers of any dtype: text, integers, categories.
    role
        What they identify, for messages.

    Returns
    -------
    codes, labels
        ``labels[codes]`` is the column again.

    Raises
    ------
    IdError
        If identifiers are missing, floats, or of mixed types.
    """
    said, length = _stretches(column)
    try:
        codes, labels = pd.factorize(said)
    except TypeError:  # lists and the like
        _check(column, role, missing=int(column.isna().sum()), values=column)
        raise
    index = pd.Index(labels)
    if isinstance(index.dtype, pd.CategoricalDtype):
        index = pd.Index(index.astype(index.categories.dtype))
    index = index.rename(None)
    codes = codes.astype(np.int32)
    codes = codes if length is None else np.repeat(codes, length)
    _check(column, role, missing=int((codes < 0).sum()), values=index)
    give_back(16 * len(codes))  # of a column of text, about as much as it takes
    return codes, index


def _stretches(column: pd.Series) -> tuple[pd.Series, Codes | None]:
    """Return what a column of Arrow's text says once for rows after each other, and how often.

    A column that does not begin with such rows is returned as it is, as is one of another type.
    """
    first = column.iloc[:FIRST]
    if "pyarrow" not in getattr(column.dtype, "storage", "") or len(first) < FIRST:
        return column, None
    if np.count_nonzero(np.diff(pd.factorize(first)[0])) > FIRST // 2:
        return column, None
    encoded = pc.run_end_encode(pa.array(column), run_end_type=pa.int64())
    chunks = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
    said = pa.chunked_array([chunk.values for chunk in chunks], encoded.type.value_type)
    length = np.concatenate([np.diff(chunk.run_ends.to_numpy(), prepend=0) for chunk in chunks])
    return said.to_pandas(types_mapper={said.type: column.dtype}.get), length


def identifiers(column: pd.Series, role: str) -> pa.ChunkedArray:
    """Return a column of identifiers as Arrow text or integers.

    Parameters
    ----------
    column
        Identifiers of any dtype: text, integers, categories.
    role
        What they identify, for messages.

    Returns
    -------
    pyarrow.ChunkedArray
        Of text or integers, not copied where the column is Arrow's already.

    Raises
    ------
    IdError
        If identifiers are missing, floats, or of mixed types.
    """
    try:
        values = pa.array(column)
    except (pa.ArrowException, OverflowError):
        _check(column, role, missing=int(column.isna().sum()), values=column)
        raise
    if not isinstance(values, pa.ChunkedArray):
        values = pa.chunked_array([values])
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_unsigned_integer(values.type):
        values = _signed(values, role)
    if values.null_count or not (is_text(values.type) or pa.types.is_integer(values.type)):
        _check(column, role, missing=values.null_count, values=column)
    return values


def grouped(codes: Codes) -> Codes:
    """Return rows ordered by their codes, at least 0 each; rows of one code in row order.

    Examples
    --------
    >>> grouped(np.array([1, 0, 1, 0]))
    array([1, 3, 0, 2])
    """
    if not (codes[1:] < codes[:-1]).any():
        return np.arange(len(codes))
    small = codes.astype(np.uint16) if codes.max() < 1 << 16 else codes
    return np.argsort(small, kind="stable")


def beginnings(codes: Codes) -> Codes:
    """Return where, going through rows, another code begins.

    Examples
    --------
    >>> beginnings(np.array([4, 4, 1, 4]))
    array([0, 2, 3])
    """
    return np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])


def rows_of_ranges(start: Codes, length: Codes) -> Codes:
    """Return the rows of ranges, one range after the other.

    Examples
    --------
    >>> rows_of_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(length) - length
    return np.repeat(start - before, length) + np.arange(length.sum())


def within(codes: Codes) -> Codes:
    """Return each row's place among the rows of its code, from 0, in row order.

    Examples
    --------
    >>> within(np.array([1, 0, 1, 1]))
    array([0, 0, 1, 2])
    """
    order, rows = grouped(codes), np.arange(len(codes))
    first = np.diff(codes[order], prepend=-1) != 0
    place = np.empty(len(codes), np.int64)
    place[order] = rows - np.maximum.accumulate(np.where(first, rows, 0))
    return place


def repeated(codes: Codes) -> Codes:
    """Return the rows whose code an earlier row has.

    Examples
    --------
    >>> repeated(np.array([3, 1, 3]))
    array([2])
    """
    ordered = np.sort(codes)  # several times as fast as a hash table, and mostly all there is
    if not (ordered[1:] == ordered[:-1]).any():
        return np.arange(0)
    return np.flatnonzero(pd.Series(codes).duplicated().to_numpy())


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is one of its texts."""
    return str(kind) in {"string", "large_string", "string_view"}


def same_kind(left: pa.DataType, right: pa.DataType, role: str, sides: tuple[str, str]) -> None:
    """Raise if one side has text and the other integers."""
    if pa.types.is_integer(left) != pa.types.is_integer(right):
        kinds = ["integers" if pa.types.is_integer(kind) else "text" for kind in (left, right)]
        raise IdError(
            f"{role}s of one type on both sides",
            f"{kinds[0]} in {sides[0]} and {kinds[1]} in {sides[1]}",
            f"convert one side, for example with astype({{{role!r}: 'str'}})",
        )


def shown(values: Iterable[object]) -> str:
    """Return up to three values as a message shows them."""
    listed = [repr(value) for value, _ in zip(values, range(3), strict=False)]
    return ", ".join(listed)


def _signed(values: pa.ChunkedArray, role: str) -> pa.ChunkedArray:
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid:
        largest = pc.max(values).as_py()
        wanted, advice = f"{role}s below 2 to the power of 63", "convert them to text"
        raise IdError(wanted, f"up to {largest}", advice) from None


def _check(column: pd.Series, role: str, *, missing: int, values: pd.Index | pd.Series) -> None:
    if missing:
        rows = np.flatnonzero(column.isna().to_numpy())
        raise IdError(
            f"a {role} in every row", f"{missing} missing at row positions", "", rows.tolist()
        )
    kinds = {type(value).__name__ for value in values} if values.dtype == object else set()
    if len(kinds) > 1:
        advice = "convert them to text with astype(str)"
        found = f"{' and '.join(sorted(kinds))} in column {column.name!r}"
        raise IdError(f"{role}s of one type", found, advice)
    text = values.dtype == object or pd.api.types.is_string_dtype(values.dtype)
    if kinds - {"str"} or not (text or pd.api.types.is_integer_dtype(values.dtype)):
        found = f"{values.dtype} in column {column.name!r}"
        raise IdError(f"{role}s that are text or integers", found, "convert them to text")
