"""Groups of systems and topics: coordinates that ride along, and splitting by one of them."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from irframe.cubes.topics import Selection
from irframe.errors import ParameterError
from irframe.frames.ids import Codes
from irframe.frames.tables import RunTable, row_slices
from irframe.names import ITERATION, SYSTEM, TOPIC, roles

RESERVED = frozenset({"depth", "metric", "judged", "level", "contributing", "Q0", "iter"})
"""Names that are never taken as group columns."""


def group_coordinates(
    runs: pd.DataFrame, qrels: pd.DataFrame, table: RunTable, selection: Selection
) -> dict[str, Any]:
    """Return the extra columns that are constant per system or per topic, as coordinates.

    Parameters
    ----------
    runs, qrels
        The frames as the caller gave them.
    table, selection
        The run frame coded, and the topics of the cube.

    Returns
    -------
    dict
        Name -> (dimension, values).
    """
    coordinates: dict[str, Any] = {}
    for name in _extra(qrels):
        values = _constant(qrels[name], selection.judged_topic, len(selection.position))
        if values is not None:
            coordinates[name] = (TOPIC, values.iloc[np.flatnonzero(selection.position >= 0)])
    for name in _extra(runs):
        values = _constant(runs[name], table.system, len(table.systems))
        if values is not None:
            coordinates[name] = (SYSTEM, values)
            continue
        values = _constant(runs[name], table.topic, len(table.topics))
        if values is not None:
            judged = pd.Series(values.to_numpy(), index=selection.placed)
            codes = np.argsort(selection.position)[-len(selection.labels) :]
            coordinates[name] = (TOPIC, judged[judged.index >= 0].reindex(codes))
    return {
        name: (dimension, np.asarray(values.to_numpy(dtype=_dtype(values))))
        for name, (dimension, values) in coordinates.items()
    }


def split(
    runs: pd.DataFrame, qrels: pd.DataFrame, by: str
) -> Iterator[tuple[Any, pd.DataFrame, pd.DataFrame]]:
    """Split frames by a column of the runs.

    The qrels are split by the same column if they have it, else by the topics of the runs.

    Yields
    ------
    key, runs, qrels
        One group.
    """
    if by not in runs.columns:
        raise ParameterError("by to be a column of the runs", repr(by), "", map(str, runs.columns))
    topic, judged_topic = roles(runs.columns)[TOPIC], roles(qrels.columns)[TOPIC]
    for key, group in runs.groupby(by, sort=False, observed=True):
        if by in qrels.columns:
            judged = qrels[qrels[by] == key]
        else:
            judged = qrels[qrels[judged_topic].isin(group[topic].unique())]
        yield key, group, judged


def _extra(frame: pd.DataFrame) -> list[str]:
    known = {*roles(frame.columns).values(), *RESERVED, ITERATION}
    return [
        name
        for name in frame.columns[~frame.columns.duplicated(keep=False)]
        if isinstance(name, str)
        and name not in known
        and not pd.api.types.is_float_dtype(frame[name].dtype)
    ]


def _constant(column: pd.Series, codes: Codes, groups: int) -> pd.Series | None:
    """Return one value per group, None if some group has several."""
    slices = list(row_slices(len(codes)))
    first = np.full(groups, -1)
    for rows in reversed(slices):
        first[codes[rows][::-1]] = np.arange(rows.start, rows.stop)[::-1]
    if (first < 0).any():
        return None
    values = column.iloc[first].reset_index(drop=True)
    for rows in slices:
        here, expected = column.iloc[rows], values.take(codes[rows]).set_axis(column.index[rows])
        if not ((here == expected) | (here.isna() & expected.isna())).all():
            return None
    return values


def _dtype(values: pd.Series) -> Any:
    return values.dtype if isinstance(values.dtype, np.dtype) else object
