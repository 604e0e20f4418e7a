"""Groups of systems and topics: coordinates that ride along, and the part of a cube in a group.

Grouping selects and never judges again: a group has its own systems and topics, but the pool of
all contributing runs and the top grade of its collection.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.layout import LIST, PARTS, SOMETIMES, variable
from irframe.cubes.recall_base import gather
from irframe.cubes.topics import Selection
from irframe.errors import ParameterError
from irframe.frames.ids import Codes
from irframe.frames.tables import RunTable, row_slices
from irframe.names import DEPTH, ITERATION, SUBTOPIC, SYSTEM, TOPIC, roles

RESERVED = frozenset(
    {"depth", "metric", "judged", "level", "filed_rank", "Q0", "iter", *PARTS, *SOMETIMES, SUBTOPIC}
)
"""Names that are never taken as group columns."""


def group_coordinates(
    runs: pd.DataFrame, qrels: pd.DataFrame, table: RunTable, selection: Selection
) -> dict[str, Any]:
    """Return the extra columns that are constant per topic or per system, as coordinates.

    Parameters
    ----------
    runs, qrels
        The frames as the caller gave them.
    table, selection
        The run frame coded, and the topics of the cube.

    Returns
    -------
    dict
        Name -> (dimension, values). A column that has one value per topic, and several in all,
        belongs to the topics; one that has one value per system to the systems.
    """
    found: dict[str, Any] = {}
    for name in _extra(runs):
        place, values = _dimension(runs[name], table, selection)
        if place:
            found[name] = (place, values)
    for name in _extra(qrels):
        values = _constant(qrels[name], selection.judged_topic, len(selection.position))
        if values is not None:
            found[name] = (TOPIC, values.take(selection.codes))
    return {name: variable(place, _plain(values)) for name, (place, values) in found.items()}


def _dimension(column: pd.Series, table: RunTable, selection: Selection) -> tuple[str, Any]:
    by_topic = _constant(column, table.topic, len(table.topics))
    by_system = _constant(column, table.system, len(table.systems))
    if by_topic is not None and (
        by_system is None or by_topic.duplicated(keep="first").sum() < len(by_topic) - 1
    ):
        judged = pd.Series(by_topic.to_numpy(), index=selection.placed)
        return TOPIC, judged[judged.index >= 0].reindex(selection.codes)
    return (SYSTEM, by_system) if by_system is not None else ("", None)


def each_group(cube: xr.Dataset, by: str) -> Iterator[tuple[Any, xr.Dataset]]:
    """Yield the groups of a cube.

    Parameters
    ----------
    cube
        A cube, read through the gate.
    by
        A coordinate of its systems or topics.

    Yields
    ------
    key, cube
        A group's name and its part: of the topics of the group the systems that have a list
        there, of the systems of the group the topics of the collections in which they took part.

    Raises
    ------
    ParameterError
        If there is no such coordinate, or a system or topic has no group.
    """
    dim, keys = read_groups(cube, by)
    took_part = cube["took_part"].to_numpy()
    listed = took_part & (cube["retrieved"].to_numpy() > 0)
    for key in pd.unique(keys):
        inside = np.flatnonzero(keys == key)
        other = listed[:, inside].any(axis=1) if dim == TOPIC else took_part[inside].any(axis=0)
        across = SYSTEM if dim == TOPIC else TOPIC
        yield key, _cut(gather(cube.isel({dim: inside, across: np.flatnonzero(other)})))


def read_groups(labelled: xr.Dataset | xr.DataArray, by: Any) -> tuple[str, Any]:
    """Return the dimension of a group coordinate and the group of every label there.

    Raises
    ------
    ParameterError
        If there is none of this name, listing those there are, or groups are missing.
    """
    known = {
        str(name): str(coordinate.dims[0])
        for name, coordinate in labelled.coords.items()
        if len(coordinate.dims) == 1 and coordinate.dims[0] in LIST and str(name) not in LIST
    }
    groups = [name for name in known if name not in PARTS]
    if by not in groups:
        found = f"{by!r}; there are" if groups else f"{by!r}, and there is none"
        raise ParameterError("by to be a coordinate of systems or topics", found, "", groups)
    keys = labelled[by].to_numpy()
    missing = labelled[known[by]].to_numpy()[pd.isna(keys)]
    if len(missing):
        wanted = f"a group ({by}) for every {known[by]}"
        raise ParameterError(wanted, f"none for {len(missing)}", "name it, or drop them", missing)
    return known[by], keys


def _cut(cube: xr.Dataset) -> xr.Dataset:
    """Return a group as deep as its own lists, where the cube is as deep as its lists."""
    longest = max(1, int(cube["retrieved"].max())) if cube["retrieved"].size else 1
    return cube if "depth" in cube.attrs else cube.isel({DEPTH: slice(longest)})


def _extra(frame: pd.DataFrame) -> list[str]:
    found = roles(frame.columns)
    found.pop(SUBTOPIC, None)  # of the qrels this column is gone; of runs it is none
    known = {*found.values(), *RESERVED, ITERATION}
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


def _plain(values: pd.Series) -> Any:
    dtype = values.dtype if isinstance(values.dtype, np.dtype) else object
    return np.asarray(values.to_numpy(dtype=dtype))
