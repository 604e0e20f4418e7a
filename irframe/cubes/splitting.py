"""Splitting cubes, scores and results into groups, and putting what comes of them together."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.grouping import RESERVED, each_group, read_groups
from irframe.cubes.layout import LIST, PARTS
from irframe.errors import InputError, IrframeError, ParameterError
from irframe.names import GRADE, PAIR, SIDES, SYSTEM, TOPIC
from irframe.warned import in_group


@contextmanager
def naming_group(key: Any, by: str | None) -> Iterator[None]:
    """Name a group in the errors that it raises and in its warnings; without groups nothing."""
    try:
        with in_group("" if by is None else f"{by} {key}"):
            yield
    except IrframeError as error:
        if by is None:
            raise
        raise error.within(f"in the group {key} ({by})") from error


def groups(subject: Any, by: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the groups of a cube, of scores or of a result: the group's name and its part.

    Without a group, everything is one, which has no name.

    Raises
    ------
    ParameterError
        If there is no such group, or a label has none.
    """
    if by is None:
        yield None, subject
    elif isinstance(subject, pd.DataFrame):
        yield from _frame_groups(subject, by)
    elif isinstance(subject, xr.Dataset) and GRADE in subject:
        yield from each_group(subject, by)
    elif isinstance(subject, xr.Dataset | xr.DataArray):
        yield from _labelled_groups(subject, by)
    else:
        raise InputError("something with groups", type(subject).__name__)


def _frame_groups(frame: pd.DataFrame, by: Any) -> Iterator[tuple[Any, pd.DataFrame]]:
    known = [name for name in (*frame.index.names, *frame.columns) if name is not None]
    if isinstance(by, list | dict) or by not in known:
        wanted = "by to be an index level or a column"
        raise ParameterError(wanted, repr(by), "", map(str, known))
    keys = frame[by] if by in frame.columns else frame.index.get_level_values(by)
    missing = np.flatnonzero(pd.isna(keys))
    if len(missing):
        rows = [str(label) for label in frame.index[missing]]
        raise ParameterError(f"a group ({by}) in every row", f"none in {len(rows)}", "", rows)
    for key, part in frame.groupby(by, sort=False, observed=True):
        inside = part.drop(columns=by) if by in part.columns else part.droplevel(by)
        inside.attrs = dict(frame.attrs)
        yield key, inside


def _labelled_groups(
    labelled: xr.Dataset | xr.DataArray, by: Any
) -> Iterator[tuple[Any, xr.Dataset | xr.DataArray]]:
    if by in labelled.dims and by in labelled.indexes and by not in {*LIST, *RESERVED}:
        for key in labelled.indexes[by]:
            yield key, labelled.sel({by: key}, drop=True)
        return
    dim, keys = read_groups(labelled, by)
    across = SYSTEM if dim == TOPIC else TOPIC
    there = _there(labelled)
    for key in pd.unique(keys):
        inside = np.flatnonzero(keys == key)
        part = labelled.isel({dim: inside})
        if there is not None:
            own = there.isel({dim: inside}).any(dim).to_numpy()
            part = part.isel({across: np.flatnonzero(own)})
        yield key, part


def _there(labelled: xr.Dataset | xr.DataArray) -> xr.DataArray | None:
    """Return which systems have a list on which topics, as far as this can be told."""
    if not {*LIST} <= {*labelled.dims}:
        return None
    if "retrieved" in labelled.coords:
        return labelled["retrieved"] > 0
    if isinstance(labelled, xr.DataArray):
        others = [dim for dim in labelled.dims if dim not in LIST]
        return labelled.notnull().any(others)
    return None


def join(results: Mapping[Any, Any], by: str, whole: Any) -> Any:
    """Put the results of groups together, labelled with the group.

    Parameters
    ----------
    results
        Group -> result.
    by
        What the groups are called.
    whole
        What the groups are parts of.

    Returns
    -------
    object
        Of frames one frame, the group its first column or index level; of arrays one array, the
        group its first dimension; of cubes a DataTree.
    """
    first = next(iter(results.values()))
    if isinstance(first, pd.DataFrame | pd.Series):
        return join_frames(results, by)
    if isinstance(first, xr.Dataset) and GRADE in first:
        return xr.DataTree.from_dict({str(key): part for key, part in results.items()}, name=by)
    if not isinstance(first, xr.Dataset | xr.DataArray):
        return type(first).join(results, by)
    bare: list[Any] = [_bare(part) for part in results.values()]
    keys = pd.Index(list(results), name=by)
    joined = xr.concat(bare, dim=keys, join="outer", fill_value=_nothing(bare[0]))
    if {*SIDES} <= {*joined.xindexes}:
        joined = joined.reset_index(PAIR)
    if not isinstance(whole, xr.Dataset | xr.DataArray):
        return joined
    dims = [dim for dim in LIST if dim in joined.dims and dim in whole.dims]
    order = {dim: whole[dim].to_numpy() for dim in dims}
    joined = joined.sel(
        {dim: labels[np.isin(labels, joined[dim])] for dim, labels in order.items()}
    )
    return with_riders(joined, whole, riders_of(whole))


def _nothing(part: xr.Dataset | xr.DataArray) -> Any:
    """Return what stands where a group lacks a system or topic: no text among texts, else NaN."""
    if not isinstance(part, xr.Dataset):
        return np.nan
    return {name: "" for name, values in part.data_vars.items() if values.dtype.kind in "OUT"}


def _bare(part: xr.Dataset | xr.DataArray) -> xr.Dataset | xr.DataArray:
    """Return a result without coordinates that label nothing, pairs by their systems."""
    if PAIR in part.dims and PAIR not in part.xindexes:
        part = part.set_index({PAIR: SIDES})
    return part.drop_vars([name for name in part.coords if name not in part.xindexes])


def join_frames(results: Mapping[Any, Any], by: str) -> pd.DataFrame:
    """Put frames of groups together, the group the first column, or the first index level."""
    frames = [part.copy(deep=False) for part in results.values()]
    for frame in frames:
        frame.attrs = {}
    first = frames[0]
    if not (isinstance(first.index, pd.RangeIndex) and first.index.name is None):
        return pd.DataFrame(pd.concat(dict(zip(results, frames, strict=True)), names=[by]))
    if by in first.columns:
        raise ParameterError("a group that is called like no column of the result", repr(by))
    for key, frame in zip(results, frames, strict=True):
        frame.insert(0, by, key)
    return pd.DataFrame(pd.concat(frames, ignore_index=True))


def riders_of(subject: Any) -> list[Any]:
    """Return the coordinates of systems and topics that users have put there."""
    if not isinstance(subject, xr.Dataset | xr.DataArray):
        return []
    return [
        name
        for name, coordinate in subject.coords.variables.items()
        if name not in PARTS
        and name not in subject.xindexes
        and coordinate.dims
        and {*coordinate.dims} <= {*LIST}
    ]


def with_riders(result: Any, whole: xr.Dataset | xr.DataArray, names: list[Any]) -> Any:
    """Return a result with coordinates of its systems and topics, its own names before them."""
    if not isinstance(result, xr.Dataset | xr.DataArray):
        return result
    taken = {*result.coords, *(result if isinstance(result, xr.Dataset) else ())}
    fitting = [
        name
        for name in names
        if name not in taken and {*whole[name].dims} <= {*result.dims} & {*result.coords}
    ]
    if not fitting:
        return result
    chosen = {
        dim: whole.indexes[dim].get_indexer(result.indexes[dim])
        for dim in LIST
        if dim in result.indexes
        and dim in whole.indexes
        and not result.indexes[dim].equals(whole.indexes[dim])
    }
    riders = {name: whole.coords.variables[name] for name in fitting}
    return result.assign_coords(
        {
            name: rider.isel({dim: chosen[dim] for dim in rider.dims if dim in chosen})
            for name, rider in riders.items()
        }
    )
