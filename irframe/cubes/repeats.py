"""Repeats in cubes, frames and arrays of scores: where they are found, and who may read them."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.view import Labelled
from irframe.errors import InputError
from irframe.files.repeats import Folded, repeat_column, with_labels
from irframe.names import GRADE, REPEAT, REPEAT_NAMES, REPEATED, SYSTEM, TOPIC, roles

REPEAT_OF = "repeat_of"
"""Coordinate of a cube: the system that each of its systems is a repeat of."""


def with_repeats(cube: xr.Dataset, folded: Folded) -> xr.Dataset:
    """Say of the systems of a cube which repeats of which systems they are."""
    if folded.word is None:
        return cube
    both = [folded.owners[name] for name in cube.indexes[SYSTEM]]
    systems, labels = (pd.Index(column).to_numpy() for column in zip(*both, strict=True))
    return cube.assign_coords({REPEAT_OF: (SYSTEM, systems), REPEAT: (SYSTEM, labels)})


def one_of_each(cube: xr.Dataset) -> xr.Dataset:
    """Return the first repeat of every system of a cube, called like the system."""
    if REPEAT_OF not in cube.coords:
        return cube
    owners, systems = pd.factorize(cube[REPEAT_OF].to_numpy())
    first = np.unique(owners, return_index=True)[1]
    return each_a_system(cube.isel({SYSTEM: first})).assign_coords({SYSTEM: systems})


def each_a_system(cube: xr.Dataset) -> xr.Dataset:
    """Return a cube that takes every repeat for a system."""
    return cube.drop_vars([REPEAT, REPEAT_OF], errors="ignore")


def unfolded(result: Any, layout: Any = None) -> Any:
    """Return what was found of the systems of a cube by system and repeat, where it has repeats.

    Other cubes and frames stay as they are. Of repeats inside topics those that a topic does not
    have, though it has others, are not there.
    """
    if not isinstance(result, Labelled) or REPEAT_OF not in result.coords:
        return result
    whole = isinstance(result, xr.Dataset) and GRADE in result
    if whole or result[REPEAT_OF].dims != (SYSTEM,):
        return result
    owners, systems = pd.factorize(result[REPEAT_OF].to_numpy())
    places, labels = pd.factorize(result[REPEAT].to_numpy())
    lists = np.full((len(systems), len(labels)), -1)
    lists[owners, places] = np.arange(len(owners))
    bare = result.drop_vars([SYSTEM, REPEAT_OF, REPEAT])
    apart = {name: coord for name, coord in bare.coords.items() if SYSTEM in coord.dims}
    first = np.unique(owners, return_index=True)[1]
    bare = bare.drop_vars(list(apart))
    if layout == "topic" and "retrieved" in apart and TOPIC in bare.dims:
        listed = apart["retrieved"].transpose(SYSTEM, TOPIC).to_numpy() > 0
        any_listed = np.stack([listed[owners == owner].any(axis=0) for owner in owners])
        bare = bare.where(xr.DataArray(listed | ~any_listed, dims=(SYSTEM, TOPIC)))
    dims = SYSTEM, REPEAT
    spread = bare.isel({SYSTEM: xr.DataArray(np.maximum(lists, 0), dims=dims)})
    if (lists < 0).any():
        spread = spread.where(xr.DataArray(lists >= 0, dims=dims))
    coords: dict[Any, Any] = {SYSTEM: systems, REPEAT: labels}
    for name, coord in apart.items():  # what all repeats of one share
        values = pd.Series(coord.to_numpy()) if coord.ndim == 1 else None
        if values is not None and values.groupby(owners).nunique(dropna=False).max() == 1:
            coords[name] = coord.isel({SYSTEM: first}).variable
    return _as_before(spread, result, dims).assign_coords(coords).assign_attrs(result.attrs)


def _as_before(spread: Any, result: Any, dims: tuple[str, str]) -> Any:
    """Return a spread result with the dimensions of every part in the order that they had."""
    if isinstance(spread, xr.Dataset):
        return spread.map(lambda part: _as_before(part, result[part.name], dims))
    order = [new for dim in result.dims for new in (dims if dim == SYSTEM else (dim,))]
    return spread.transpose(*order)


def level_of(wide: pd.DataFrame) -> Any:
    """Return the level of the index of scores that says which repeat a row is of, or None."""
    levels = [name for name in REPEAT_NAMES if name in wide.index.names]
    if not levels:
        return None
    by_role = roles(name for name in wide.index.names if name is not None)
    index = wide.index.to_frame(index=False)
    return repeat_column(
        index[[by_role[SYSTEM], by_role[TOPIC], *levels]], [by_role[SYSTEM], by_role[TOPIC]]
    )


def indexed_by_repeat(wide: pd.DataFrame) -> pd.DataFrame:
    """Return scores with their repeats, if a column names these, in the index."""
    columns = [name for name in REPEAT_NAMES if name in wide.columns]
    if not columns or level_of(wide) is not None:
        return wide
    by_role = roles(name for name in wide.index.names if name is not None)
    keys = [by_role[SYSTEM], by_role[TOPIC]]
    rows = wide.index.to_frame(index=False)[keys]
    rows[columns] = wide[columns].to_numpy()
    word = repeat_column(rows, keys)
    if word is None:
        return wide
    systems, repeats = pd.Series(rows[keys[0]].array), pd.Series(wide[word].array)
    indexed = wide.drop(columns=word)
    arrays: list[Any] = [indexed.index.get_level_values(n) for n in range(indexed.index.nlevels)]
    names = list(indexed.index.names)
    place = names.index(keys[0]) + 1
    arrays[place:place], names[place:place] = [with_labels(systems, repeats)], [word]
    indexed.index = pd.MultiIndex.from_arrays(arrays, names=names)
    indexed.attrs = dict(wide.attrs)
    return indexed


def word_of(scores: Any) -> str:
    """Return what the caller calls the repeats of scores."""
    if isinstance(scores, pd.DataFrame):
        return str(level_of(scores) or REPEAT)
    return str(scores.attrs.get(REPEATED, REPEAT))


def refuse_repeated_cube(cube: xr.Dataset, verb: str) -> None:
    """Raise for a cube with several repeats of systems, which it says."""
    if cube.sizes.get(SYSTEM, 1) == len(np.unique(cube[REPEAT_OF].astype(str))):
        return
    word = cube.attrs.get(REPEATED, REPEAT)
    advice = (
        f"select one, as in cube.isel(system=cube.{REPEAT} == 1), or drop_vars([{REPEAT!r}, "
        f"{REPEAT_OF!r}]), which takes each for a system"
    )
    raise InputError(f"a cube of one {word} of every system for {verb}", "several", advice)
