"""Tables of other libraries, and rows one by one, as frames."""

from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any

import pandas as pd
import pyarrow as pa

from irframe.errors import InputError
from irframe.files.columns import TEXT, framed, to_frame
from irframe.files.formats import Format
from irframe.names import roles

__all__ = ["columns_of", "is_array", "is_ranx", "rows_of"]


def is_ranx(x: Any, holding: str) -> bool:
    """Tell whether something is an object of ranx that has some attribute, without ranx at hand.

    Examples
    --------
    >>> is_ranx({"q1": {"d1": 1}}, "run")
    False
    """
    return type(x).__module__.partition(".")[0] == "ranx" and hasattr(x, holding)


def columns_of(x: Any) -> pd.DataFrame | None:
    """Return a table of any library as a frame with its ids in columns; None for no table.

    Examples
    --------
    >>> run = pd.DataFrame({"docno": ["d1"], "score": [2.0]}, index=pd.Index(["q1"], name="qid"))
    >>> columns_of(run)
      qid docno  score
    0  q1    d1    2.0
    """
    if isinstance(x, pd.Series) and x.name is not None:
        return _with_levels(x.to_frame())
    if isinstance(x, pd.DataFrame):
        return _with_levels(x)
    if isinstance(x, pd.Series) or is_array(x) or not hasattr(x, "__arrow_c_stream__"):
        return None
    try:
        table = pa.table(x)
    except pa.ArrowException as error:
        wanted, advice = "a table that PyArrow can read", "cast its columns, or hand over a frame"
        raise InputError(wanted, f"{type(x).__name__} ({error})", advice) from error
    views = [field.name for field in table.schema if str(field.type) == "string_view"]
    for name in views:
        place = table.column_names.index(name)
        table = table.set_column(place, name, _as_text(table[name]))
    return to_frame(table)


def _as_text(views: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return text of a kind that PyArrow reads from version 16 on."""
    try:
        return views.cast(TEXT)
    except pa.ArrowNotImplementedError as error:
        found, advice = f"string_view, with PyArrow {pa.__version__}", "use PyArrow 16 or later"
        raise InputError("text that PyArrow can read", found, advice) from error


def is_array(x: Any) -> bool:
    """Tell whether this is xarray's, which speaks Arrow and is a mapping, but is no table."""
    return hasattr(x, "dims")


def _with_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with those levels of its index as columns that play a role no column does."""
    if frame.index.names == [None]:
        return frame
    played = roles(frame.columns)
    levels = roles(name for name in frame.index.names if name is not None)
    wanted = [name for role, name in levels.items() if role not in played]
    if not wanted:
        return frame
    frame = frame.reset_index(level=wanted)
    return frame if frame.index.nlevels > 1 else frame.reset_index(drop=True)


def rows_of(x: Any, kind: Format, columns: list[str]) -> pd.DataFrame:
    """Return rows, each a named tuple or a dictionary, as a frame.

    Parameters
    ----------
    x
        An iterable of rows, read once.
    kind, columns
        What the rows are, and what they might be called, for messages.
    """
    if not isinstance(x, Iterable) or is_array(x) or isinstance(x, str | bytes | PathLike):
        wanted = f"{kind.noun}: a pandas DataFrame, a table, a dictionary or rows"
        raise InputError(wanted, type(x).__name__, _advice(x, columns))
    rows = list(x)
    if not rows:
        raise InputError(f"{kind.noun} with rows", "an empty one")
    _refuse_mixed(rows, kind, columns)
    return framed(rows)


def _advice(x: Any, columns: list[str]) -> str:
    if isinstance(x, str | PathLike):
        return "read files with ir.read_runs and ir.read_qrels"
    if hasattr(x, "collect"):
        return "collect it first: x.collect()"
    return f"make a frame of it: pd.DataFrame(rows, columns={columns})"


def _refuse_mixed(rows: list[Any], kind: Format, columns: list[str]) -> None:
    """Raise for rows that do not name their columns, or differ in what they are."""
    names = sorted({type(row).__name__ for row in rows})
    if len(names) > 1:
        found = f"rows of {len(names)} kinds"
        raise InputError(f"{kind.noun} in rows of one kind", found, "hand them over apart", names)
    if not isinstance(rows[0], Mapping) and not hasattr(rows[0], "_fields"):
        wanted = f"{kind.noun} in rows that name their columns"
        advice = f"name them: pd.DataFrame(rows, columns={columns})"
        raise InputError(wanted, f"rows of type {names[0]}", advice)
