"""The gate: every verb reads a cube through it, and gets it as it was built or not at all.

A cube is an ordinary dataset, which people slice, mask, transpose, save and put together. What
can be restored is restored; of the rest the error says what is missing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.checksums import check_lists, check_ranks, sealed
from irframe.cubes.layout import (
    CELL,
    FACTS,
    LEVEL,
    LIST,
    PARTS,
    RANKINGS,
    SOMETIMES,
    UNKNOWN,
    Part,
)
from irframe.cubes.recall_base import gather
from irframe.cubes.stored.manifest import refuse_damaged
from irframe.errors import DepthError, IdError, InputError
from irframe.names import DEPTH, GRADE, SYSTEM, TOPIC

TRUSTED = ContextVar("TRUSTED", default=False)
"""Whether cubes come from a verb, so that nobody else can have changed them."""

WHOLE = "lists that are masked as a whole or not at all"
ADVICE = "mask systems or topics, and choose depths with at="


def read_cube(cube: Any, *, passed_on: bool = False) -> xr.Dataset:
    """Return a cube in the layout in which it was built.

    Parameters
    ----------
    cube
        What was given for a cube: one made by `irframe.cube`, and then selected, masked,
        transposed, cast, chunked, saved and loaded.
    passed_on
        Whether the cube is written, or read by several verbs, which check it again.

    Returns
    -------
    xarray.Dataset
        The cube: all dimensions in order, all variables in their types, depths 1, 2, ...; lists
        that were masked as a whole did not take part.

    Raises
    ------
    InputError
        If it is no cube, has lost variables, lists are masked in part, or values were overwritten.
        Of a lazy cube values are looked at when they are computed.
    DepthError
        If its depths are not 1, 2, ..., n.
    IdError
        If a system or topic stands twice, or has no label or several.

    Examples
    --------
    >>> read_cube([1])
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: wanted a cube made by irframe.cube; found list.
    """
    _refuse_others(cube)
    refuse_damaged(cube)
    cube = _with_dimensions(_along_depth(_indexed(cube)))
    _refuse_twice(cube)
    variables = cube.variables
    more = {name: part for name, part in SOMETIMES.items() if name in variables}
    facts = FACTS | more
    wrong = [name for name, part in facts.items() if not _is_typed(variables[name], part)]
    if wrong:
        cube = cube.assign_coords({name: _typed(cube[name], facts[name]) for name in wrong})
    cube = gather(cube)
    if TRUSTED.get():
        return _without_stale_tail(_unmasked(cube))
    known = check_lists(cube)
    listed = _unmasked(known)
    ranked = check_ranks(listed)
    whole = _without_stale_tail(ranked)
    as_built = listed is known and whole is ranked
    return sealed(whole) if passed_on and not as_built else whole


@contextmanager
def trusting() -> Iterator[None]:
    """Read cubes without asking whether they were overwritten, as within a verb that has asked."""
    before = TRUSTED.set(True)
    try:
        yield
    finally:
        TRUSTED.reset(before)


def _refuse_others(cube: Any) -> None:
    if not isinstance(cube, xr.Dataset) or GRADE not in cube:
        raise InputError("a cube made by irframe.cube", type(cube).__name__)
    variables = cube.variables
    missing = [name for name in PARTS if name not in variables]
    if missing or "ties" not in cube.attrs:
        found = "one that lost its attributes" if not missing else "no variable"
        raise InputError("a cube as irframe.cube makes it", found, "keep all of it", missing)
    strange = [
        name
        for name, part in PARTS.items()
        if variables[name].dims != part.dims and not set(variables[name].dims) <= {*part.dims}
    ]
    if strange:
        found = "dimensions that these variables do not have"
        raise InputError("a cube", found, "put cubes together with irframe.concat", strange)


def _indexed(cube: xr.Dataset) -> xr.Dataset:
    """Return the cube with an index of single labels for every dimension that has some."""
    for dim in LIST:
        if dim not in cube.coords:
            raise InputError(f"a cube with labels for every {dim}", "none", f"keep the {dim}s")
    dims = [dim for dim in (*LIST, DEPTH, LEVEL) if dim in cube.dims and dim in cube.coords]
    for dim in dims:
        levels = cube.indexes[dim].names if dim in cube.indexes else [dim]
        if len(levels) > 1:
            found, advice = f"{len(levels)} levels", f"name them anew: assign_coords({dim}=[...])"
            raise IdError(f"one label for every {dim}", found, advice, levels)
    lost = {dim: (dim, cube[dim].to_numpy()) for dim in dims if dim not in cube.indexes}
    return cube.assign_coords(lost) if lost else cube


def _along_depth(cube: xr.Dataset) -> xr.Dataset:
    """Return the cube with depths in order, refusing all but 1, 2, ..., n."""
    labels = cube.variables.get(DEPTH)
    if labels is None or not labels.size:
        raise DepthError("a cube with labels for every depth", "none", "keep the depths")
    depths = np.atleast_1d(labels.to_numpy())
    if DEPTH in cube.dims and np.array_equal(depths, np.arange(1, len(depths) + 1)):
        return cube
    if DEPTH in cube.dims and np.array_equal(np.sort(depths), np.arange(1, len(depths) + 1)):
        return cube.isel({DEPTH: np.argsort(depths)})
    whole = depths.dtype.kind in "iuf" and not (np.isnan(depths) | (depths % 1 > 0)).any()
    shown = (depths.astype(int) if whole else depths)[:5].tolist()
    found = f"depths {shown}{' and more' if len(depths) > 5 else ''}"
    wanted = f"these depths with at={shown}" if whole else "depths with at="
    advice = f"leave the cube whole, and ask for {wanted}"
    raise DepthError("a cube with all depths from 1 on", found, advice)


def _with_dimensions(cube: xr.Dataset) -> xr.Dataset:
    """Return the cube with every variable in its dimensions, selected labels as one of each."""
    changed = {}
    variables = cube.variables
    for name, part in (PARTS | SOMETIMES).items():
        variable = variables.get(name)
        if variable is not None and variable.dims != part.dims:
            lacking = [dim for dim in part.dims if dim not in variable.dims]
            lost = [dim for dim in lacking if dim not in LIST or dim in cube.dims]
            if lost:
                raise InputError(f"{name} over {', '.join(part.dims)}", "without", "", lost)
            wide = xr.Variable((*lacking, *variable.dims), variable.data[(None,) * len(lacking)])
            changed[name] = wide.transpose(*part.dims)
    if not changed:
        return cube
    scalars = [dim for dim in LIST if dim not in cube.dims]
    labels = {dim: np.atleast_1d(cube[dim].to_numpy()) for dim in scalars}
    groups = {
        name: (dim, np.atleast_1d(cube[name].to_numpy()))
        for dim in scalars
        for name in cube.coords
        if cube[name].dims == () and name not in {*LIST, *PARTS}
    }
    rankings = {name: value for name, value in changed.items() if name in RANKINGS}
    facts = {name: value for name, value in changed.items() if name not in RANKINGS}
    bare = cube.drop_vars([*changed, *labels, *groups])
    return bare.assign_coords(labels | groups | facts).assign(rankings).assign_attrs(cube.attrs)


def _refuse_twice(cube: xr.Dataset) -> None:
    for dim in LIST:
        index = cube.indexes[dim]
        if index.hasnans:
            found = f"{np.count_nonzero(index.isna())} without"
            raise IdError(f"a label for every {dim}", found, "select those that have one")
        if not index.is_unique:
            again = index[index.duplicated()].unique()
            advice = "put cubes together with irframe.concat, and select each label once"
            raise IdError(f"every {dim} once in a cube", f"{len(again)} again", advice, again)


def _is_typed(variable: xr.Variable, part: Part) -> bool:
    kind = variable.dtype.kind
    return kind != "T" if part.dtype is object else bool(variable.dtype == part.dtype)


def _typed(array: xr.DataArray, part: Part) -> xr.Variable:
    """Return a coordinate in its type; one with gaps stems from labels the cube does not have.

    Of a lazy cube only what it knows per system or per topic is read, which every label has.
    """
    variable = array.variable
    _refuse_kind(array, part)
    if variable.dtype.kind in "fO" and (not variable.chunks or variable.ndim == 1):
        gaps = pd.isna(variable.to_numpy())
        if gaps.any():
            dim, labels = _unknown(array, gaps)
            advice = "select labels that it has, or build it with them"
            raise InputError(f"a cube with every {dim}", "nothing known of", advice, labels)
    cast: xr.Variable = xr.apply_ufunc(
        _cast,
        variable,
        kwargs={"dtype": np.dtype(part.dtype)},
        dask="parallelized",
        output_dtypes=[part.dtype],
    )
    return cast


def _cast(array: Array, dtype: Any) -> Array:
    """Return an array in a type; what does not fit becomes what agrees with no checksum."""
    try:
        with np.errstate(invalid="ignore"):
            return array.astype(dtype)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError("a cube of numbers", f"values that are none ({error})") from error


def _refuse_kind(array: xr.DataArray, part: Part) -> None:
    """Raise for an array of numbers that has become one of something else."""
    if part.dtype is not object and array.dtype.kind not in "biufO":
        advice = "leave the cube's variables numbers, and change the type of scores instead"
        raise InputError(f"numbers in {array.name} of a cube", f"{array.dtype}", advice)


def _unknown(array: xr.DataArray, gaps: NDArray[np.bool_]) -> tuple[str, Array]:
    """Return the dimension that has labels of which nothing is known, and these labels."""
    places = [(axis, str(dim)) for axis, dim in enumerate(array.dims) if dim in LIST]
    of_label = {
        dim: np.moveaxis(gaps, axis, 0).reshape(gaps.shape[axis], -1) for axis, dim in places
    }
    lacking = (
        (dim, reduce(of_label[dim], axis=1)) for reduce in (np.all, np.any) for dim in of_label
    )
    return next((dim, array[dim].to_numpy()[rows]) for dim, rows in lacking if rows.any())


def _without_stale_tail(cube: xr.Dataset) -> xr.Dataset:
    """Forget what is tied with the last documents where lists were cut after they were built."""
    depth, retrieved = cube.sizes[DEPTH], cube.variables["retrieved"]
    if cube.attrs.get("depth") == depth:
        return cube
    if not retrieved.chunks and retrieved.to_numpy().max(initial=0) <= depth:
        return cube
    return cube.assign_coords(unknown_tail(cube))


def unknown_tail(cube: xr.Dataset) -> dict[str, xr.Variable]:
    """Return coordinates that say that what is tied below the last depth is not known."""
    retrieved = cube["retrieved"].variable
    size = (retrieved > cube.sizes[DEPTH]).astype(np.int32) * np.int32(UNKNOWN)
    return {"tail": xr.zeros_like(cube["tail"].variable), "tail_size": size}


def _unmasked(cube: xr.Dataset) -> xr.Dataset:
    """Return the cube with rankings in their types, masked lists not taking part."""
    variables = cube.variables
    if all(_is_typed(variables[name], part) for name, part in RANKINGS.items()):
        return cube
    for name, part in RANKINGS.items():
        _refuse_kind(cube[name], part)
    arrays = [cube[name].variable for name in RANKINGS]
    core = [[DEPTH]] * len(arrays)
    restored = xr.apply_ufunc(
        _restore,
        *arrays,
        input_core_dims=core,
        output_core_dims=[[], *core],
        dask="parallelized",
        output_dtypes=[bool, *(part.dtype for part in RANKINGS.values())],
        dask_gufunc_kwargs={"allow_rechunk": True},
        kwargs={"late": any(array.chunks for array in arrays)},
    )
    there, *rankings = restored
    if not there.chunks:
        _refuse_parts(cube, there.to_numpy())
    took_part = cube["took_part"].variable & (there > 0)
    changed = {name: array.transpose(*CELL) for name, array in zip(RANKINGS, rankings, strict=True)}
    return cube.assign(changed).assign_coords(took_part=took_part)


def _restore(grade: Array, doc: Array, tied: Array, *, late: bool) -> tuple[Array, ...]:
    """Return whether a list is there (1), masked (0) or masked in part (-1), and its parts."""
    masked = np.stack([_null(array) for array in (grade, doc, tied)])
    there = np.where(masked.all(axis=(0, -1)), 0, np.where(masked.any(axis=(0, -1)), -1, 1))
    if late and (there < 0).any():
        raise InputError(WHOLE, "lists masked in part", ADVICE)
    filled = [
        _cast(np.where(gap, part.fill, array), part.dtype)
        for gap, array, part in zip(masked, (grade, doc, tied), RANKINGS.values(), strict=True)
    ]
    return there, *filled


def _null(array: Array) -> NDArray[np.bool_]:
    if array.dtype.kind not in "fO":
        return np.zeros(array.shape, bool)
    return np.asarray(pd.isna(array))


def _refuse_parts(cube: xr.Dataset, there: Array) -> None:
    rows = np.argwhere(there < 0)
    if len(rows):
        systems, topics = cube[SYSTEM].to_numpy(), cube[TOPIC].to_numpy()
        offenders = [f"{systems[row]} on {topics[column]}" for row, column in rows]
        raise InputError(WHOLE, f"{len(rows)} masked in part", ADVICE, offenders)
