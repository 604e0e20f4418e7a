"""Groups of systems and topics: coordinates that ride along, and the part of a cube in a group.

Grouping selects and never judges again: a group has its own systems and topics, but the pool of
all contributing runs and the top grade of its collection.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.layout import LIST, NAMED, PARTS, SOMETIMES, variable
from irframe.cubes.recall_base import gather
from irframe.cubes.topics import Selection
from irframe.errors import ParameterError, warn
from irframe.frames.ids import Codes
from irframe.frames.tables import RunTable, row_slices
from irframe.names import DEPTH, ITERATION, SUBTOPIC, SYSTEM, TOPIC, roles
from irframe.warned import listing

RESERVED = frozenset(
    {
        "depth",
        "metric",
        "judged",
        "level",
        "filed_rank",
        "Q0",
        "iter",
        *PARTS,
        *SOMETIMES,
        *NAMED,
        SUBTOPIC,
    }
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
        A group's name and its part, at all depths of the cube: of the topics of the group the
        systems that take part in a collection there, of the systems of the group the topics of
        the collections in which they take part.

    Raises
    ------
    ParameterError
        If there is no such coordinate, or a system or topic has no group.
    """
    dim, keys = read_groups(cube, by)
    across = SYSTEM if dim == TOPIC else TOPIC
    codes, labels = pd.factorize(keys)
    took_part = cube["took_part"].transpose(dim, across).to_numpy()
    taking_part = partakers(grouped(took_part, codes, len(labels)))
    for code, key in enumerate(labels):
        inside, others = np.flatnonzero(codes == code), np.flatnonzero(taking_part[code])
        yield key, gather(cube.isel({dim: inside, across: others}))


def own_rows(cube: xr.Dataset, by: str) -> Iterator[tuple[Any, xr.Dataset]]:
    """Yield the groups of a cube of frames as pandas groups rows: none of whom has none there.

    Parameters
    ----------
    cube, by
        As for `each_group`. A cube with collections says by these who takes part in a group.

    Yields
    ------
    key, cube
        A group's name and its part, as deep as its own lists if the depth was not given.

    Warns
    -----
    IrframeWarning
        If systems have no rows in some group, though nothing says that they took no part.
    """
    parts = dict(each_group(cube, by))
    absent = {}
    if read_groups(cube, by)[0] == TOPIC and "collection" not in cube.attrs:
        for key, part in parts.items():
            listed = (part["retrieved"].to_numpy() > 0).any(axis=1)
            parts[key] = part.isel({SYSTEM: np.flatnonzero(listed)})
            absent[key] = part.indexes[SYSTEM][~listed]
    tell_without_rows(by, absent)
    for key, part in parts.items():
        yield key, _cut(part)


def tell_without_rows(by: str, absent: Mapping[Any, Iterable[Any]]) -> None:
    """Warn of the systems that have no rows in some groups."""
    told = [f"{key} ({listing(names)})" for key, names in absent.items() if [*names]]
    if told:
        warn(
            f"systems without rows in a group of {by} are not in it: {'; '.join(told)}; say "
            f"collection={by!r} if they took no part there"
        )


def grouped(there: NDArray[np.bool_], codes: Codes, groups: int) -> NDArray[np.bool_]:
    """Return what holds for any label of each group, from (label, ...) and the labels' groups.

    Examples
    --------
    >>> grouped(np.array([[True, False], [False, False]]), np.array([1, 0]), 2).tolist()
    [[False, False], [True, False]]
    """
    found = np.zeros((groups, *there.shape[1:]), bool)
    np.logical_or.at(found, codes, there)
    return found


def partakers(there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return who takes part in each group, shape (group, label).

    Parameters
    ----------
    there
        Who is known to be in each group, by a score or by a list. Who is not, but is in another
        group, takes no part in this one, if anybody does.

    Examples
    --------
    >>> partakers(np.array([[True, False, False], [True, True, False]])).tolist()
    [[True, False, True], [True, True, True]]
    """
    found: NDArray[np.bool_] = there | ~there.any(axis=0) | ~there.any(axis=1, keepdims=True)
    return found


def tell_absent(by: Any, absent: NDArray[np.bool_], labels: Any, systems: pd.Index) -> None:
    """Warn of systems that took part in a group, shape (group, system), but have no score there."""
    told = [
        f"{key} ({listing(systems[row])})"
        for key, row in zip(labels, absent, strict=True)
        if row.any()
    ]
    if told:
        warn(f"systems without any score in a group are left out there ({by}): {'; '.join(told)}")


def refuse_uneven(by: Any, codes: Codes, systems: Codes, topics: Codes, names: Any) -> None:
    """Raise if rows of one topic are of several groups, and rows of one system too.

    Parameters
    ----------
    by
        What the groups are called.
    codes, systems, topics
        Group, system and topic of every row.
    names
        Name of the topic of every row.
    """
    uneven = [_several(labels, codes) for labels in (systems, topics)]
    if all(len(each) for each in uneven):
        refuse_several(by, pd.unique(names[np.isin(topics, uneven[1])]))


def _several(labels: Codes, groups: Codes) -> Codes:
    """Return the labels that are in several groups."""
    pairs = np.unique(np.stack([labels, groups], axis=1), axis=0)
    return np.flatnonzero(np.bincount(pairs[:, 0]) > 1)


def refuse_several(by: Any, topics: Iterable[Any]) -> None:
    """Raise for topics that are in several groups."""
    found = [*topics]
    wanted = f"by, {by!r}, to have one value for every topic, or for every system"
    advice = "name topics that are different ones differently"
    raise ParameterError(wanted, f"several values for {len(found)} topics", advice, found)


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
    if isinstance(by, str) and by in labelled.coords and {*labelled[by].dims} == {*LIST}:
        _refuse_cells(labelled[by])
    if by not in groups:
        found = f"{by!r}; there are" if groups else f"{by!r}, and there is none"
        raise ParameterError("by to be a coordinate of systems or topics", found, "", groups)
    keys = labelled[by].to_numpy()
    missing = labelled[known[by]].to_numpy()[pd.isna(keys)]
    if len(missing):
        wanted = f"a group ({by}) for every {known[by]}"
        raise ParameterError(wanted, f"none for {len(missing)}", "name it, or drop them", missing)
    return known[by], keys


def _refuse_cells(keys: xr.DataArray) -> None:
    """Raise if a coordinate of systems and topics is to name groups."""
    codes = pd.factorize(keys.transpose(*LIST).to_numpy().ravel())[0].reshape(
        keys.sizes[SYSTEM], -1
    )
    refuse_several(keys.name, keys[TOPIC].to_numpy()[(codes != codes[:1]).any(axis=0)])


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
