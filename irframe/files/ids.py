"""How tables name things: identifiers, columns by their role, dictionaries in dictionaries."""

from collections.abc import Hashable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe import names as words
from irframe.errors import IdError, InputError, shortened
from irframe.files.columns import TEXT, TYPES, framed, give_back, refuse_unfit
from irframe.files.formats import QRELS, RUN, Format, refuse_rivals

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
        try:
            values = values.cast(pa.int64())
        except pa.ArrowInvalid:
            largest, advice = pc.max(values).as_py(), "convert them to text"
            raise IdError(
                f"{role}s below 2 to the power of 63", f"up to {largest}", advice
            ) from None
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


RANGES = 1 << 10
"""Ranges whose rows are told at a time."""


def rows_of_ranges(start: Codes, length: Codes) -> Codes:
    """Return the rows of ranges, one range after the other.

    Examples
    --------
    >>> rows_of_ranges(np.array([5, 0]), np.array([2, 3]))
    array([5, 6, 0, 1, 2])
    """
    before = np.cumsum(length) - length
    return np.repeat(start - before, length) + np.arange(length.sum())


def of_ranges(values: NDArray[Any], start: Codes, length: Codes) -> NDArray[Any]:
    """Return the values of ranges, one range after the other, without all of their rows at once."""
    ends, result = np.cumsum(length), np.empty(int(length.sum()), values.dtype)
    for first in range(0, len(length), RANGES):
        part = slice(first, first + RANGES)
        last = int(ends[part][-1])
        result[last - int(length[part].sum()) : last] = values[
            rows_of_ranges(start[part], length[part])
        ]
    return result


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


class ByRole(NamedTuple):
    """A frame with the columns that play its roles."""

    frame: pd.DataFrame
    columns: Mapping[str, str]


def is_judgments(frame: Any) -> bool:
    """Tell whether a frame has documents of topics with their grades, and no systems.

    Examples
    --------
    >>> is_judgments(pd.DataFrame(columns=["qid", "docno", "label"])), is_judgments([])
    (True, False)
    """
    present = words.roles(frame.columns).keys() if isinstance(frame, pd.DataFrame) else set()
    return {words.TOPIC, words.DOC, words.GRADE} <= present and words.SYSTEM not in present


def require_columns(frame: Any, kind: Format) -> dict[str, str]:
    """Return the columns of a frame by role.

    Raises
    ------
    InputError
        If it is no frame, has no rows, lacks a role, or has two columns for one that differ.

    Examples
    --------
    >>> from irframe.files.formats import QRELS
    >>> require_columns(pd.DataFrame({"qid": ["1"], "docno": ["d"], "label": [1]}), QRELS)
    {'topic': 'qid', 'doc': 'docno', 'grade': 'label'}
    """
    if not isinstance(frame, pd.DataFrame):
        raise InputError(f"{kind.noun}, a pandas DataFrame", type(frame).__name__)
    columns = kind.require(frame.columns, "a frame", example=partial(_example, frame, kind))
    if not len(frame):
        raise InputError(f"{kind.noun} with rows", "an empty one")
    for role in kind.roles:
        if role in columns:
            refuse_rivals(frame, role, columns[role])
            column = frame[columns[role]]
            if TYPES.get(role) == TEXT and column.dtype == object:
                refuse_unfit(column, IdError, f"{role}s")
    return columns


def _example(frame: pd.DataFrame, kind: Format, columns: Mapping[str, str]) -> str:
    """Return a line that may give a frame the columns that it lacks."""
    others = words.roles(frame.columns)
    if kind is RUN and words.GRADE in others:
        raise InputError("a run", "judgments", "hand over the runs first, then the judgments")
    if kind is QRELS and others.keys() & {words.SCORE, words.RANK}:
        advice = "the runs come first, then the judgments: the two may be swapped"
        raise InputError("judgments", "a run", advice)
    strangers = [name for name in frame.columns if name not in others.values()]
    if kind is RUN and {words.TOPIC, words.DOC} <= columns.keys() and len(strangers) > 1:
        ids = [columns[role] for role in (words.TOPIC, words.DOC)]
        return f"frame.melt({ids}, var_name='system', value_name='score') if a column is a system"
    pairs = zip(strangers, (choice[0] for choice in kind.lacking(columns)), strict=False)
    return f"frame.rename(columns={dict(pairs)})" if strangers else ""


Nested = Mapping[Any, Any]

DEEPEST = 6
"""How many dictionaries may stand one in another: predictions of MTEB by system have five."""
_META = "mteb_model_meta"
"""Key under which MTEB says which model made its predictions."""


def height(value: Any, most: int = DEEPEST) -> int | None:
    """Return how many dictionaries stand one in another; None where an empty one hides it.

    Raises
    ------
    InputError
        For more than `most`.

    Examples
    --------
    >>> height(0.5), height({"d1": 0.5}), height({"q1": {"d1": 0.5}}), height({})
    (0, 1, 2, None)
    """
    if not isinstance(value, Mapping):
        return 0
    if not most:
        raise InputError(f"dictionaries at most {DEEPEST} deep", "deeper ones")
    below = (height(part, most - 1) for part in value.values())
    first = next((levels for levels in below if levels is not None), None)
    return None if first is None else first + 1


def flatten(nested: Nested, value: str) -> pd.DataFrame:
    """Return a row for every topic and document.

    Parameters
    ----------
    nested
        Topic -> document -> number.
    value
        What the column of the numbers is called.

    Examples
    --------
    >>> flatten({"q1": {"d1": 2, "d2": 1}}, "grade")
      topic doc  grade
    0    q1  d1      2
    1    q1  d2      1
    """
    strange = [repr(topic) for topic, docs in nested.items() if not isinstance(docs, Mapping)]
    if strange:
        kinds = sorted({type(docs).__name__ for docs in nested.values()} - {"dict"})
        found = f"topics with values of type {', '.join(kinds)}"
        raise InputError(f"{{topic: {{doc: {value}}}}}", found, "", strange)
    topics = pd.Series([*nested], dtype=object, name=words.TOPIC)
    refuse_unfit(topics, IdError, "topics")
    lengths = [len(docs) for docs in nested.values()]
    return framed(
        {
            words.TOPIC: topics.infer_objects().repeat(lengths).reset_index(drop=True),
            words.DOC: [*chain.from_iterable(nested.values())],
            value: [entry for docs in nested.values() for entry in docs.values()],
        }
    )


def is_mteb(nested: Nested) -> bool:
    """Tell whether a dictionary is what MTEB writes to ``*_predictions.json``."""
    return _META in nested


def predictions(nested: Nested, value: str) -> pd.DataFrame:
    """Return MTEB's predictions, with the subset and the split of the task where it has several.

    Parameters
    ----------
    nested
        ``mteb_model_meta``, and subset -> split -> topic -> document -> score.
    value
        What the column of the scores is called.
    """
    meta = nested[_META]
    model = meta.get("model_name") if isinstance(meta, Mapping) else meta
    if not isinstance(model, str | None):
        raise InputError(f"the name of a model in {_META}", shortened(model))
    parts = []
    for subset, splits in nested.items():
        if subset == _META:
            continue
        for split, topics in splits.items() if isinstance(splits, Mapping) else [("", splits)]:
            if not isinstance(topics, Mapping):
                wanted = "predictions of MTEB, {subset: {split: {topic: {doc: score}}}}"
                raise InputError(wanted, f"a {type(topics).__name__} under {subset!r}")
            parts.append(flatten(topics, value).assign(subset=subset, split=split))
    if not parts:
        raise InputError("predictions of MTEB", "none below the model's name")
    frame = pd.concat(parts, ignore_index=True)
    alone = [name for name in ("subset", "split") if len(frame[name].unique()) == 1]
    frame = frame.drop(columns=alone)
    if model is not None:
        frame.insert(0, words.SYSTEM, model)
    return frame


def refuse_two_units(frame: pd.DataFrame, columns: Mapping[str, Hashable]) -> None:
    """Raise if a run frame names chunks and documents, so that either may be what is judged."""
    own = columns.get(words.DOC)
    others = [name for name in words.CHUNKS if name in frame.columns and name != own]
    differing = [
        name for name in others if not (frame[name].astype(str) == frame[own].astype(str)).all()
    ]
    if differing:
        chunk = differing[0]
        advice = (
            f"collapse to documents with of={own!r}; or, if chunks are judged, "
            f"drop(columns={own!r}); or drop(columns={chunk!r})"
        )
        found = f"chunks in {chunk!r} and documents in {own!r}"
        raise InputError("runs of what is judged, chunks or documents", found, advice)
