"""Ids of systems, topics and documents as text or integers."""

import ctypes
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.errors import IdError, IrframeError, shortened, warn

DROP = "mend or drop these rows"
"""Advice about rows with missing or invalid values."""

TEXT = pa.large_string()

LONGEST = 1024
"""The largest number of bits of an integer that is accepted as an id."""
EXACT = 2.0**53
"""The largest integer up to which floats represent every integer exactly."""

LARGE = 1 << 24
"""Minimum size in bytes of an object whose memory `give_back` returns."""

TRIM: Callable[[int], object] = getattr(ctypes.pythonapi, "malloc_trim", lambda _pad: None)
"""The function of glibc that returns free memory. Without glibc, `TRIM` does nothing."""


def give_back(size: int) -> None:
    """Return unused memory to the operating system.

    The memory of an object of fewer than `LARGE` bytes is kept, because allocating memory again
    takes time.
    """
    if size >= LARGE:
        pa.default_memory_pool().release_unused()
        TRIM(0)


def refuse_unfit(column: pd.Series, error: type[IrframeError], noun: str = "values") -> None:
    """Raise for values that Arrow cannot represent.

    Arrow cannot represent collections, text with lone surrogates, and integers beyond 64 bits.
    Values are checked before they are converted, because Arrow crashes if a collection contains
    itself.
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
        kind = "text or whole numbers" if names else "numbers"
        got = f"other values in column {column.name!r}"
        advice = "convert them to UTF-8 text, or to numbers of at most 64 bits"
        raise error(f"{noun} that are {kind}", got, advice, unfit)


def is_utf8(column: Iterable[Any]) -> bool:
    """Return whether all values are text that UTF-8 can encode.

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


Codes = NDArray[np.integer[Any]]
Value = TypeVar("Value", bound=np.generic)

FIRST = 1000
"""The number of first rows that decide whether a column is run-length encoded."""

LONG = 1 << 14
"""Minimum number of rows of a run-length encoded column. Encoding a shorter column saves no
time."""


def code_labels(column: pd.Series, role: str) -> tuple[Codes, pd.Index]:
    """Factorize ids in the order of their first appearance.

    Parameters
    ----------
    column
        Ids as text, integers or categories.
    role
        The role of the column, such as "topic", for messages.

    Returns
    -------
    codes, labels
        The code of each row, and the distinct ids. ``labels[codes]`` equals the column.

    Raises
    ------
    IdError
        If ids are missing, are fractions, or have several types.
    """
    values, length = _stretches(column)
    try:
        codes, labels = pd.factorize(values)
    except TypeError:  # pandas cannot factorize unhashable values, such as lists
        _of_objects(column, role)
        raise
    except OverflowError:  # pandas before 3 cannot factorize integers beyond 64 bits
        codes, labels = pd.factorize(pd.Series(_of_objects(column, role), dtype=object))
    index = pd.Index(labels)
    if isinstance(index.dtype, pd.CategoricalDtype):
        index = pd.Index(index.astype(index.categories.dtype))
    index = index.rename(None)
    codes = codes.astype(np.int32)
    codes = codes if length is None else np.repeat(codes, length)
    refuse_missing(codes < 0, role)
    index = labels_in(index, role, column.name)
    give_back(16 * len(codes))  # a column of text takes about 16 bytes per row
    return codes, index


def _stretches(column: pd.Series) -> tuple[pd.Series, Codes | None]:
    """Run-length encode a column with an Arrow string dtype.

    A stretch consists of equal values in consecutive rows. The result is the value and the length
    of each stretch. The result is the column itself and None if the column is short, has another
    dtype, or contains few stretches of several rows.
    """
    if "pyarrow" not in getattr(column.dtype, "storage", "") or len(column) < LONG:
        return column, None
    first = column.iloc[:FIRST]
    if np.count_nonzero(np.diff(pd.factorize(first)[0])) > FIRST // 2:
        return column, None
    encoded = pc.run_end_encode(pa.array(column), run_end_type=pa.int64())
    chunks = encoded.chunks if isinstance(encoded, pa.ChunkedArray) else [encoded]
    values = pa.chunked_array([chunk.values for chunk in chunks], encoded.type.value_type)
    length = np.concatenate([np.diff(chunk.run_ends.to_numpy(), prepend=0) for chunk in chunks])
    return values.to_pandas(types_mapper={values.type: column.dtype}.get), length


def is_text(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is a text type."""
    return str(kind) in {"string", "large_string", "string_view"}


def identifiers(column: pd.Series, role: str) -> pa.ChunkedArray:
    """Convert a column of ids to Arrow text or integers.

    All readers of frames, dictionaries and files call this function, so that ids from different
    sources match.

    Parameters
    ----------
    column
        Ids as text, whole numbers or categories.
    role
        The role of the column, such as "topic", for messages.

    Returns
    -------
    pyarrow.ChunkedArray
        Text or integers. An Arrow-backed column is not copied. Integers beyond 64 bits become text.

    Raises
    ------
    IdError
        If ids are missing or empty, have another type, or are partly text and partly numbers.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, labels = code_labels(column, role)
        column = pd.Series(labels.take(codes), name=column.name)
    if isinstance(column.dtype, np.dtype) and column.dtype.kind == "O" and not is_utf8(column):
        return pa.chunked_array([pa.array(_of_objects(column, role))])
    try:
        values = pa.array(column)
    except pa.ArrowException:
        _refuse_kind(role, column.name, str(column.dtype))
    if not len(values):  # empty columns of pandas before 3 have no type
        values = values.cast(TEXT) if pa.types.is_null(values.type) else values
    return names_in(values, role, column.name)


def names_in(values: pa.Array | pa.ChunkedArray, role: str, name: Hashable) -> pa.ChunkedArray:
    """Convert ids in an Arrow array to text or integers."""
    if not isinstance(values, pa.ChunkedArray):
        values = pa.chunked_array([values])
    if pa.types.is_dictionary(values.type) or str(values.type) == "string_view":
        values = values.cast(getattr(values.type, "value_type", TEXT))
    if values.null_count:
        refuse_missing(values.is_null().to_numpy(), role)
    if pa.types.is_floating(values.type):
        return pa.chunked_array([pa.array(_as_integers(values.to_pandas().rename(name), role))])
    if pa.types.is_unsigned_integer(values.type):
        try:
            return values.cast(pa.int64())
        except pa.ArrowInvalid:
            return values.cast(TEXT)
    if is_text(values.type):
        refuse_missing(pc.equal(pc.binary_length(values), 0).to_numpy(), role)
    elif not pa.types.is_integer(values.type):
        _refuse_kind(role, name, str(values.type))
    return values


def labels_in(labels: pd.Index, role: str, name: Hashable) -> pd.Index:
    """Validate distinct ids, and convert floats to integers."""
    dtype = labels.dtype
    is_object = dtype.kind == "O" and not hasattr(dtype, "storage")
    if pd.api.types.is_integer_dtype(dtype):
        return labels
    if pd.api.types.is_float_dtype(dtype):
        return pd.Index(_as_integers(pd.Series(labels, name=name), role))
    if is_object and not is_utf8(labels):
        converted = _of_objects(pd.Series(labels, name=name, dtype=object), role)
        return labels if isinstance(converted, list) else pd.Index(converted)
    if not (is_object or pd.api.types.is_string_dtype(dtype)):
        _refuse_kind(role, name, str(dtype))
    refuse_missing(np.asarray(labels == "", bool), role)
    return labels


def refuse_missing(
    missing: NDArray[np.bool_], role: str, error: type[IrframeError] = IdError
) -> None:
    """Raise if rows have no value for a role."""
    if missing.any():
        rows = [f"row {row}" for row in np.flatnonzero(missing)]
        raise error(f"a {role} in every row", f"{len(rows)} rows without a {role}", DROP, rows)


def _refuse_kind(role: str, name: Hashable, dtype: str) -> NoReturn:
    advice = "convert the column with astype(str)"
    raise IdError(f"{role}s that are text or whole numbers", f"{dtype} in column {name!r}", advice)


def _as_integers(column: pd.Series, role: str) -> NDArray[np.int64]:
    """Convert ids that are floats to integers, and warn."""
    values = column.to_numpy(np.float64, na_value=np.nan)
    refuse_missing(np.isnan(values), role)
    if (values != np.round(values)).any() or (np.abs(values) >= EXACT).any():
        got = f"fractions or floats of at least {EXACT:.0f} in column {column.name!r}"
        raise IdError(f"{role}s that are text or whole numbers", got, "read the column as text")
    warn(f"{role}s that are floats, such as {values[0]}, are read as whole numbers")
    return values.astype(np.int64)


def _of_objects(column: pd.Series, role: str) -> NDArray[np.int64] | list[object]:
    """Convert ids that are Python numbers to integers.

    Integers beyond 64 bits become text. Other ids raise an error.
    """
    values = column.to_numpy(object)
    missing = pd.isna(values) if values.ndim == 1 else np.zeros(0, bool)
    refuse_missing(missing, role)
    are_integers = [isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values]
    # Python refuses to print integers with thousands of digits
    if all(are_integers) and not any(int(value).bit_length() > LONGEST for value in values):
        fits = all(-(2**63) <= value < 2**63 for value in values)
        return [*map(int if fits else str, values)]
    if all(isinstance(value, float | np.floating) for value in values):
        return _as_integers(column, role)
    kinds = sorted({type(value).__name__ for value in values})
    if len(kinds) > 1:
        advice = "convert them to text with astype(str)"
        got = f"{' and '.join(kinds)} in column {column.name!r}"
        raise IdError(f"{role}s of one type", got, advice)
    refuse_unfit(column, IdError, f"{role}s")
    _refuse_kind(role, column.name, kinds[0])


def all_of_one_kind(columns: Sequence[pa.ChunkedArray]) -> list[pa.ChunkedArray]:
    """Convert several columns of ids to one type.

    If one column is text, all columns become text, so that the integer 11 equals the text "11".

    Examples
    --------
    >>> integers, text = pa.chunked_array([[11]]), pa.chunked_array([["11"]])
    >>> all_of_one_kind([integers, text])[0].to_pylist()
    ['11']
    """
    if len({is_text(column.type) for column in columns}) == 1:
        return list(columns)
    return [column.cast(TEXT) for column in columns]


def labels_of_one_kind(left: pd.Index, right: pd.Index) -> tuple[pd.Index, pd.Index]:
    """Convert two sets of ids to one type.

    Examples
    --------
    >>> labels_of_one_kind(pd.Index([11]), pd.Index(["11"]))[0].tolist()
    ['11']
    """
    are_integers = [
        len(side) > 0 and isinstance(side[0], int | np.integer) for side in (left, right)
    ]
    if are_integers[0] == are_integers[1] or not (len(left) and len(right)):
        return left, right
    return left.astype(str).astype(object), right.astype(str).astype(object)


def every_row(sides: Sequence[pd.Index], names: Any) -> pd.MultiIndex:
    """Return the index of all combinations of labels.

    The function is faster than `pandas.MultiIndex.from_product`, which converts the labels to
    categories and takes a millisecond even for few labels.

    Examples
    --------
    >>> every_row([pd.Index(["b", "a"]), pd.Index([1, 2])], ["system", "topic"]).tolist()
    [('b', 1), ('b', 2), ('a', 1), ('a', 2)]
    """
    levels: Any = []
    codes: Any = []
    for side in sides:
        labels: list[Any] = side.tolist()
        if {*map(type, labels)} not in ({str}, {int}) or len({*labels}) < len(labels):
            index: pd.MultiIndex = pd.MultiIndex.from_product(sides, names=names)
            return index
        order = sorted(range(len(labels)), key=labels.__getitem__)
        levels.append(side if order == [*range(len(order))] else side.take(order))
        # the sorting order of a permutation is its inverse: the position of each label in the level
        codes.append(np.argsort(order))
    spread: Any = [np.ravel(grid) for grid in np.meshgrid(*codes, indexing="ij")]
    return pd.MultiIndex(levels, spread, names=names, verify_integrity=False)


def grouped(codes: Codes) -> Codes:
    """Return row numbers, stably sorted by code.

    Examples
    --------
    >>> grouped(np.array([1, 0, 1, 0]))
    array([1, 3, 0, 2])
    """
    if not (codes[1:] < codes[:-1]).any():
        return np.arange(len(codes))
    # NumPy sorts 16-bit integers by radix sort, which is faster
    small = codes.astype(np.uint16) if codes.max() < 1 << 16 else codes
    return np.argsort(small, kind="stable")


def beginnings(codes: Codes) -> Codes:
    """Return the first row of each stretch of equal codes.

    Examples
    --------
    >>> beginnings(np.array([4, 4, 1, 4]))
    array([0, 2, 3])
    """
    return np.flatnonzero(np.append(True, codes[1:] != codes[:-1])[: len(codes)])


RANGES = 1 << 10
"""Number of ranges that `of_ranges` copies at a time, to limit the memory that it needs."""


def rows_of_ranges(start: Codes, length: Codes) -> Codes:
    """Return the concatenated row numbers of several ranges of rows.

    Examples
    --------
    >>> rows_of_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(length) - length
    return np.repeat(start - before, length) + np.arange(length.sum())


def of_ranges(values: NDArray[Value], start: Codes, length: Codes) -> NDArray[Value]:
    """Concatenate the values in several ranges of rows."""
    ends = np.cumsum(length)
    result = np.empty(int(length.sum()), values.dtype)
    for first in range(0, len(length), RANGES):
        block = slice(first, first + RANGES)
        last = int(ends[block][-1])
        result[last - int(length[block].sum()) : last] = values[
            rows_of_ranges(start[block], length[block])
        ]
    return result


def within(codes: Codes) -> Codes:
    """For each row, count the earlier rows with its code.

    Examples
    --------
    >>> within(np.array([1, 0, 1, 1]))
    array([0, 0, 1, 2])
    """
    order = grouped(codes)
    rows = np.arange(len(codes))
    first = np.diff(codes[order], prepend=-1) != 0
    position = np.empty(len(codes), np.int64)
    position[order] = rows - np.maximum.accumulate(np.where(first, rows, 0))
    return position


def repeated(codes: Codes) -> Codes:
    """Return the rows whose code occurs in an earlier row.

    Examples
    --------
    >>> repeated(np.array([3, 1, 3]))
    array([2])
    """
    # sorting is several times as fast as a hash table, and usually nothing is repeated
    ordered = np.sort(codes)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.arange(0)
    return np.flatnonzero(pd.Series(codes).duplicated().to_numpy())


def shown(values: Iterable[object]) -> str:
    """Join the first three values for a message."""
    listed = [repr(value) for value, _ in zip(values, range(3), strict=False)]
    return ", ".join(listed)
