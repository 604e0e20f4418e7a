"""Judgments out of whatever other tools hand over."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from irframe.files.dictionaries import flatten
from irframe.files.foreign import columns_of, is_array, is_ranx, rows_of
from irframe.files.formats import QRELS
from irframe.files.role_columns import ByRole, require_columns
from irframe.names import GRADE

__all__ = ["Qrels", "as_qrels", "qrels_by_role"]

Qrels = pd.DataFrame | object
"""A qrels frame, or what `as_qrels` makes one of."""


def as_qrels(x: Qrels) -> pd.DataFrame:
    """Make a qrels frame of what other tools hand over; every verb does so by itself.

    Parameters
    ----------
    x
        - a pandas frame, whose ids may be levels of its index; its grades may be called
          ``score``, as by BEIR, where it has no other grades, no ranks and no systems;
        - any table with ``__arrow_c_stream__``: polars, DuckDB, PyArrow;
        - ``{topic: {doc: grade}}``, as pytrec_eval, ranx and BEIR have it;
        - a `ranx.Qrels`;
        - named tuples such as `ir_measures.Qrel`, or dictionaries, one for each row, in a list
          or an iterator.

    Returns
    -------
    pandas.DataFrame
        Columns for topic, doc and grade, called as in `x`. A frame that has them is returned as
        it is.

    Raises
    ------
    InputError
        For anything else, with the line that makes a qrels frame of it.

    Examples
    --------
    >>> as_qrels({"q1": {"d1": 0, "d2": 2}})
      topic doc  grade
    0    q1  d1      0
    1    q1  d2      2
    """
    return qrels_by_role(x).frame


def qrels_by_role(x: Qrels | ByRole) -> ByRole:
    """Return what `as_qrels` does with its columns, or as it is where these are known."""
    if isinstance(x, ByRole):
        return x
    frame = _frame(x)
    return ByRole(frame, require_columns(frame, QRELS))


def _frame(x: Any) -> pd.DataFrame:
    if is_ranx(x, "qrels"):
        return flatten(x.qrels, GRADE)
    if isinstance(x, Mapping) and not is_array(x):
        return flatten(x, GRADE)
    table = columns_of(x)
    return rows_of(x, QRELS, ["topic", "doc", "grade"]) if table is None else table
