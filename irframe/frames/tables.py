"""Frames from Arrow tables, rows, dictionaries and matrices.

A dictionary contains columns or rows, or maps topics to dictionaries of documents and numbers.
Predictions of MTEB are nested dictionaries with further levels.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
import pyarrow as pa
import xarray as xr

from irframe.errors import LONGEST, IdError, InputError, shortened
from irframe.frames.ids import TEXT, is_utf8, refuse_unfit
from irframe.frames.kinds import Kind
from irframe.frames.likeness import is_numeric
from irframe.frames.values import framed, to_frame
from irframe.names import DOC, GRADE, RANK, SCORE, SYSTEM, TOPIC, roles

Labels = Iterable[Hashable] | None


def collected(x: Any) -> Any:
    """Collect a lazy table or a stream of batches."""
    kind = type(x)  # the type is inspected, because an attribute of a frame may be a column
    if hasattr(kind, "read_all"):
        return x.read_all()
    return x.collect() if hasattr(kind, "collect") and hasattr(kind, "collect_schema") else x


def is_dictionary(x: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether an object is a dictionary.

    xarray datasets are mappings too, but are treated as tables.
    """
    return isinstance(x, Mapping) and not hasattr(x, "dims")


def columns_of(x: object, value: str = "") -> pd.DataFrame | None:
    """Convert a table to a frame with ids in columns.

    The result is None for objects that are not tables.

    Parameters
    ----------
    x
        Any object.
    value
        The name of the new column for the numbers in a matrix. If `value` is empty, matrices are
        not converted to rows.

    Examples
    --------
    >>> run = pd.DataFrame({"docno": ["d1"], "score": [2.0]}, index=pd.Index(["q1"], name="qid"))
    >>> columns_of(run)
      qid docno  score
    0  q1    d1    2.0
    """
    if value and (matrix := _of_matrix(x, value)) is not None:
        return matrix
    if isinstance(x, pd.Series) and x.name is not None:
        return _with_levels(x.to_frame())
    if isinstance(x, pd.DataFrame):
        return _with_levels(x)
    x = collected(x)
    if isinstance(x, pd.Series | xr.DataArray | xr.Dataset) or not hasattr(x, "__arrow_c_stream__"):
        return None
    try:
        table = x.to_arrow() if hasattr(x, "to_arrow") else pa.table(x)
        fields = [f.with_type(TEXT) if str(f.type) == "string_view" else f for f in table.schema]
        return to_frame(table.cast(pa.schema(fields)))
    except pa.ArrowException as error:
        expected = "a table that PyArrow can read"
        advice = "cast its columns, or pass a pandas DataFrame"
        got = f"an object of type {type(x).__name__} ({error})"
        raise InputError(expected, got, advice) from error


def is_matrix(x: object) -> TypeGuard[pd.DataFrame | xr.DataArray]:
    """Return whether an object is a matrix with named axes.

    Examples
    --------
    >>> is_matrix(xr.DataArray([[0.5]], {"qid": ["1"], "docno": ["a"]}, ["qid", "docno"]))
    True
    """
    if not isinstance(x, pd.DataFrame | xr.DataArray):
        return False
    if isinstance(x, pd.DataFrame) and x.columns.names == [None]:
        return False
    axes = x.dims if isinstance(x, xr.DataArray) else (*x.index.names, *x.columns.names)
    named = roles(axes)
    return {TOPIC, DOC} <= named.keys() <= {SYSTEM, TOPIC, DOC} and len(named) == len(axes)


def _of_matrix(x: object, value: str) -> pd.DataFrame | None:
    """Convert a matrix to one row per non-missing value.

    The result is None for objects that are not matrices with named axes.
    """
    if not is_matrix(x):
        return None
    if isinstance(x, xr.DataArray):
        if lacking := [repr(dim) for dim in x.dims if dim not in x.coords]:
            raise InputError("labels on every axis of a matrix", "none on", "", lacking)
        frame = x.reset_coords(drop=True).rename(value).to_series().reset_index()
    else:  # `DataFrame.stack` would refuse repeated documents
        rows, columns = (side.to_frame(index=False) for side in (x.index, x.columns))
        row, column = np.indices(x.shape).reshape(2, -1)
        labels = rows.take(row).reset_index(drop=True), columns.take(column).reset_index(drop=True)
        frame = pd.concat(labels, axis=1).assign(**{value: x.to_numpy().ravel()})
    return pd.DataFrame(frame[frame[value].notna()].reset_index(drop=True))


def labelled(x: Any, topics: Labels, docs: Labels, value: str) -> object:
    """Convert a matrix to rows; label its axes.

    Examples
    --------
    >>> labelled([[0.5, 0.1]], ["q1"], ["a", "b"], "score")
      topic doc  score
    0    q1   a    0.5
    1    q1   b    0.1
    """
    if topics is None or docs is None:
        got = "topics=" if docs is None else "docs="
        raise InputError("a matrix with both topics= and docs=", f"only {got}")
    axes = pd.Index([*topics], name=TOPIC), pd.Index([*docs], name=DOC)
    shape = tuple(map(len, axes))
    expected = x.shape if hasattr(x, "shape") else pd.DataFrame(x).shape
    if shape != expected:
        got = f"labels for shape {shape}"
        raise InputError(f"topics= and docs= for a matrix of shape {expected}", got)
    if not hasattr(x, "tocoo"):
        return _of_matrix(pd.DataFrame(x, *axes), value)
    sparse = x.tocoo()
    return framed({TOPIC: axes[0][sparse.row], DOC: axes[1][sparse.col], value: sparse.data})


def _with_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Move the index levels that have a role to columns."""
    if frame.index.names == [None]:
        return frame
    frame = with_own_levels(frame)
    _refuse_again("distinct names of index levels", frame.index.names)
    levels = [name for name in frame.index.names if name is not None]
    expected = [name for name in roles([*frame.columns, *levels]).values() if name in levels]
    expected = [name for name in expected if name not in frame.columns]
    if not expected:
        return frame
    frame = frame.reset_index(level=expected)
    if frame.index.nlevels > 1:
        return frame
    return frame.reset_index(drop=frame.index.name is None or frame.index.name in frame.columns)


def with_own_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Drop index levels that repeat another level.

    ``groupby(...).apply`` of pandas makes such levels, because ``apply`` prepends the grouping key
    to an index that already has this level.
    """
    names = list(frame.index.names)
    if len({*names}) == len(names):
        return frame
    values = frame.index.get_level_values
    duplicates: Any = [
        level
        for level, name in enumerate(names)
        if name is not None
        and name in names[:level]
        and values(level).equals(values(names.index(name)))
    ]
    return frame.set_axis(frame.index.droplevel(duplicates)) if duplicates else frame


def refuse_repeated(frame: pd.DataFrame, where: str = "") -> None:
    """Raise if two columns or index levels share a name."""
    _refuse_again(f"distinct names of columns{where}", [*frame.columns])
    _refuse_again(f"distinct names of index levels{where}", frame.index.names)


def _refuse_again(expected: str, names: Collection[Hashable]) -> None:
    duplicates = named_again(names) if len({*names}) < len(names) else []
    if duplicates:
        raise IdError(expected, "repeated names", "drop or rename the others", duplicates)


def named_again(names: Iterable[Hashable]) -> list[Hashable]:
    """Return the names that occur more than once."""
    numbers = Counter(name for name in names if name is not None)
    return [name for name, number in numbers.items() if number > 1]


def once_named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns have unique names.

    Index levels with the name of a column or of another level are dropped.

    Raises
    ------
    IdError
        If two columns share a name, or two different index levels share a name.

    Examples
    --------
    >>> frame = pd.DataFrame({"system": ["s"], "AP": [0.5]}).set_index("system", drop=False)
    >>> once_named(frame).index.names
    FrozenList([None])
    """
    frame = with_own_levels(frame)
    refuse_repeated(frame)
    both = [name for name in frame.index.names if name is not None and name in frame.columns]
    return frame.reset_index(level=both, drop=True) if both else frame


def table_in(x: Mapping[Hashable, Any], kind: Kind) -> pd.DataFrame | None:
    """Convert a dictionary of columns or rows to a frame.

    The result is None for other dictionaries.

    Examples
    --------
    >>> from irframe.frames.kinds import QRELS
    >>> table_in({"qid": ["1"], "docno": ["a"], "label": [1]}, QRELS)
      qid docno  label
    0   1     a      1
    """
    if not x:
        return None
    if isinstance(x.get("data"), list) and x.keys() & {"columns", "schema"}:
        # `DataFrame.to_json` writes such dictionaries if orient is "split" or "table"
        return framed(x["data"], x.get("columns"))
    if all(isinstance(key, str) for key in x) and not kind.lacking(kind.find(x)):
        return framed(x)
    rows = [*x.values()]
    first = rows[0]
    if not isinstance(first, Mapping) or kind.lacking(kind.find(first)):
        return None
    alike = all(isinstance(row, Mapping) and row.keys() == first.keys() for row in rows)
    return framed(rows) if alike else None


def rows_of(x: object, kind: Kind) -> pd.DataFrame:
    """Convert named tuples or dictionaries to a frame."""
    columns = [choice[0] for choice in kind.needed]
    if not isinstance(x, Iterable) or hasattr(x, "dims") or isinstance(x, str | bytes | PathLike):
        expected = f"{kind.noun} as a pandas DataFrame, another table, a dictionary or rows"
        advice = f"make a frame: pd.DataFrame(rows, columns={columns})"
        if isinstance(x, str | PathLike):
            advice = "read files with ir.read_runs and ir.read_qrels"
        raise InputError(expected, f"an object of type {type(x).__name__}", advice)
    rows = list(x)
    if not rows:
        raise InputError(f"{kind.noun} with rows", f"an empty {type(x).__name__}")
    names = sorted({type(row).__name__ for row in rows})
    if len(names) > 1:
        expected = f"{kind.noun} in rows of one type"
        advice = "pass the rows of each type separately"
        raise InputError(expected, f"rows of {len(names)} types", advice, names)
    if not isinstance(rows[0], Mapping) and not hasattr(rows[0], "_fields"):
        expected = f"{kind.noun} in rows with named columns"
        raise InputError(expected, f"rows of type {names[0]}", _naming(x, rows, kind, columns))
    return framed(rows)


def _naming(x: object, rows: list[Any], kind: Kind, columns: list[str]) -> str:
    """Return advice for rows without names of columns."""
    text = all(isinstance(row, str) for row in rows)
    if text and all(len(row) < LONGEST and Path(row).is_file() for row in rows):
        return "read files with ir.read_runs and ir.read_qrels"
    if text and all(len(row.split()) == len(kind.layouts[0]) for row in rows):
        return f"read lines of a file: {kind.reader}(io.StringIO('\\n'.join(rows)))"
    plain = isinstance(x, Sequence | np.ndarray) and isinstance(rows[0], list | tuple | np.ndarray)
    names = _names_of_rows(rows, kind.layouts[0], columns[-1]) if plain else None
    if names is None and getattr(x, "ndim", 1) == 2:
        reader = "as_runs" if kind.value == SCORE else "as_qrels"
        return f"name the axes of a matrix: ir.{reader}(matrix, topics=..., docs=...)"
    if names is None:
        return f"pass a frame or a list of dictionaries with the columns {', '.join(columns)}"
    return f"name the columns: pd.DataFrame(rows, columns={names})"


def _names_of_rows(rows: Sequence[Any], layout: Sequence[str], last: str) -> list[str] | None:
    """Guess the columns of unnamed rows; None if ambiguous.

    Parameters
    ----------
    rows
        Tuples or lists.
    layout
        The columns of TREC files. Rows with as many fields get these columns if their ranks, scores
        and grades are numbers.
    last
        "score" or "grade", the role of the number in rows of three fields.

    Examples
    --------
    >>> _names_of_rows([(0.5, "q1", "d1"), (0.25, "q1", "d2")], (), "score")
    ['score', 'topic', 'doc']
    """
    if {*map(len, rows)} not in ({3}, {len(layout)}):
        return None
    frame: Any = pd.DataFrame([*map(tuple, rows)]).apply(_as_numbers)
    numbers = [pos for pos in frame if is_numeric(frame[pos])]
    if len(frame.columns) == len(layout):
        expected = {pos for pos, name in enumerate(layout) if name in {RANK, SCORE, GRADE}}
        return [*layout] if expected <= {*numbers} and len({*frame[1]}) == 1 else None
    floats = [pos for pos in numbers if pd.api.types.is_float_dtype(frame[pos])]
    if len(floats) > 1 or not numbers:
        return None
    number = (floats or numbers)[-1]
    topic, doc = (pos for pos in frame if pos != number)
    moves = [int((frame[pos] != frame[pos].shift()).sum()) for pos in (topic, doc)]
    # The topic is the same in all rows of a list, so its column changes less often than the column
    # of documents.
    if 2 * moves[1] < moves[0]:
        topic, doc = doc, topic
    rising = last == SCORE and bool((frame.groupby(topic)[number].diff().dropna() > 0).all())
    if rising and floats:  # the numbers may be distances or unsorted scores
        return None
    called = {topic: TOPIC, doc: DOC, number: RANK if rising else last}
    return [called[pos] for pos in frame]


def _as_numbers(column: pd.Series) -> pd.Series:
    try:
        return pd.to_numeric(column)
    except (TypeError, ValueError):
        return column


Nested = Mapping[Any, Any]

DEEPEST = 6
"""The largest accepted depth of nested dictionaries. Predictions of MTEB by system have depth 5."""
_META = "mteb_model_meta"
"""The key in predictions of MTEB for the description of the model."""


def height(value: object, most: int = DEEPEST) -> int | None:
    """Return the depth of nested dictionaries.

    The result is None if all inner dictionaries are empty.

    Raises
    ------
    InputError
        If there are more than `most` levels.

    Examples
    --------
    >>> height(0.5), height({"d1": 0.5}), height({"q1": {"d1": 0.5}}), height({})
    (0, 1, 2, None)
    """
    if not isinstance(value, Mapping):
        return 0
    if not most:
        raise InputError(f"dictionaries nested at most {DEEPEST} deep", "deeper nesting")
    below = (height(inner, most - 1) for inner in value.values())
    # Only the first non-empty dictionary is checked, because checking all would take as long as
    # reading.
    first = next((levels for levels in below if levels is not None), None)
    return None if first is None else first + 1


def flatten(nested: Nested, value: str) -> pd.DataFrame:
    """Convert ``{topic: {doc: number}}`` to rows.

    Parameters
    ----------
    nested
        A mapping from topics to mappings from documents to numbers.
    value
        The name of the column of numbers.

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
        got = f"topics with values of type {', '.join(kinds)}"
        raise InputError(f"{{topic: {{doc: {value}}}}}", got, "", strange)
    topics = pd.Series([*nested], dtype=object, name=TOPIC)
    if not is_utf8([topic for topic in topics if isinstance(topic, str)]):
        refuse_unfit(topics, IdError, "topics")
    lengths = [len(docs) for docs in nested.values()]
    rows = pd.Series(np.repeat(topics.to_numpy(), lengths), dtype=object)
    with suppress(OverflowError):  # pandas before 3 raises for integers beyond 64 bits
        rows = rows.infer_objects()
    docs = [*chain.from_iterable(nested.values())]
    entries = [entry for docs in nested.values() for entry in docs.values()]
    frame = framed({TOPIC: rows, DOC: docs, value: entries})
    if frame[value].dtype == object:
        pairs = zip(docs, entries, strict=True)
        if inside := [repr(doc) for doc, entry in pairs if isinstance(entry, Mapping | list)]:
            got = f"lists or dictionaries in place of {value}s"
            raise InputError(f"{{topic: {{doc: {value}}}}}", got, "", dict.fromkeys(inside))
    return frame


def is_mteb(nested: Nested) -> bool:
    """Return whether a dictionary contains predictions of MTEB."""
    return _META in nested


def predictions(nested: Nested, value: str) -> pd.DataFrame:
    """Convert predictions of MTEB to rows.

    Parameters
    ----------
    nested
        A dictionary with the key ``mteb_model_meta``, and with dictionaries of scores that are
        nested by subset, split, topic and document.
    value
        The name of the column of scores.
    """
    meta = nested[_META]
    model = meta.get("model_name") if isinstance(meta, Mapping) else meta
    if not isinstance(model, str | None):
        raise InputError(f"the name of a model in {_META}", shortened(model))
    frames = []
    for subset, splits in nested.items():
        if subset == _META:
            continue
        for split, topics in splits.items() if isinstance(splits, Mapping) else [("", splits)]:
            if not isinstance(topics, Mapping):
                expected = "predictions of MTEB, {subset: {split: {topic: {doc: score}}}}"
                raise InputError(expected, f"a {type(topics).__name__} under {subset!r}")
            frames.append(flatten(topics, value).assign(subset=subset, split=split))
    if not frames:
        raise InputError("predictions of MTEB", "only the name of the model")
    frame = pd.concat(frames, ignore_index=True)
    alone = [name for name in ("subset", "split") if len(frame[name].unique()) == 1]
    frame = frame.drop(columns=alone)
    if model is not None:
        frame.insert(0, SYSTEM, model)
    return frame
