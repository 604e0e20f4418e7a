"""Cubes as labelled views of an experiment."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise, repeat
from types import ModuleType
from typing import Any, cast

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Grade, in_threads, tiles
from irframe.errors import DepthError, IdError, InputError, during, needing
from irframe.experiments.experiment import Experiment
from irframe.frames.ids import Codes
from irframe.names import DEPTH, DRAWN, EMPTY, GRADE, REPEAT, REPEATS, SYSTEM, TOPIC
from irframe.stops import AXES


def need_dask() -> ModuleType:
    """Return dask; raise if it is not installed.

    Only cubes larger than memory need dask.
    """
    with needing("dask", "a lazy cube", '"irframe[dask]"'):
        import dask  # noqa: PLC0415 - only where work is chunked
        import dask.array  # noqa: PLC0415
    return dask


def in_chunks(
    function: Callable[..., object],
    grade: Any,
    experiment: Experiment,
    codes: Iterable[Codes],
    dtype: type,
    ends: tuple[int, ...] = (),
) -> Any:
    """Apply a function lazily to blocks of lazy grades.

    The arguments of the function are grades, codes of their systems and topics, and the experiment.
    Its result has the shape of the grades. If `ends` is passed, the result has an additional first
    dimension of size ``ends[0]``, and a last dimension of size ``ends[1]``.
    """
    dask = need_dask()
    # blocks contain all depths, because a task needs complete lists
    rechunked = grade.rechunk({2: -1})
    sides = zip(codes, rechunked.chunks, strict=False)
    # `map_blocks` aligns trailing dimensions, so codes get dimensions of length one
    systems, topics = (dask.array.from_array(code, chunks=(size,)) for code, size in sides)
    shape = {"new_axis": 0, "chunks": (ends[0], *rechunked.chunks[:2], ends[1])} if ends else {}
    return dask.array.map_blocks(
        function,
        *(rechunked, systems[:, None, None], topics[:, None]),
        experiment=_handed(experiment),
        dtype=dtype,
        # without `meta`, dask would call the function with empty arrays to find the type of results
        meta=np.empty((0,) * (4 if ends else 3), dtype),
        **shape,
    )


def _handed(experiment: Experiment) -> Any:
    """Drop document names from an experiment for dask tasks.

    Tasks do not read the names, so workers need not receive them.
    """
    # dask would otherwise search all fields of the experiment for lazy values
    return need_dask().delayed(replace(experiment, listing=None), traverse=False)


LARGE = 1 << 26
"""Number of cells from which a cube is large, so that its grades are computed lazily."""
BLOCK = 1 << 21
"""Approximate number of cells in a block of lazily computed grades."""


def blocks_of(systems: int, topics: int, depth: int, least: int = LARGE) -> tuple[int, ...] | None:
    """Return the number of topics in each block.

    The result is None if the cube is small enough for one block.

    Examples
    --------
    >>> blocks_of(2, 5, 10), blocks_of(2, 5, BLOCK, least=1)
    (None, (1, 1, 1, 1, 1))
    """
    if systems * topics * depth < least or not topics:
        return None
    step = min(topics, max(1, BLOCK // max(1, systems * depth)))
    return tuple(min(step, topics - first) for first in range(0, topics, step))


def slices_of(chunks: Sequence[int]) -> list[slice]:
    """Return the slices of consecutive chunks of given lengths.

    Examples
    --------
    >>> slices_of((2, 3))
    [slice(0, 2, None), slice(2, 5, None)]
    """
    return [slice(*ends) for ends in pairwise([0, *accumulate(chunks)])]


variable = partial(xr.Variable, fastpath=True)
"""Create a variable from an array. The plain constructor of xarray would also import dask."""
labels = partial(xr.IndexVariable, fastpath=True)
"""Make a coordinate of labels along their dimension, without importing dask."""
CELL = (SYSTEM, TOPIC, DEPTH)
LIST = (SYSTEM, TOPIC)
Labelled = xr.Dataset | xr.DataArray
EXPERIMENT = "experiment"
"""Name of the attribute of a cube that contains its experiment."""
CODES = {SYSTEM: "system_code", TOPIC: "topic_code"}
"""Mapping from a dimension to the coordinate with positions in the experiment."""
SHOWN = ("retrieved", "unjudged")
"""Names of the coordinates that count all documents and the unjudged documents of each list."""
OURS = frozenset((*LIST, DEPTH, *CODES.values(), *SHOWN, "took_part"))
"""Names of the coordinates that irframe adds to cubes and scores."""
Cube = xr.Dataset
"""Return annotation of verbs that return a cube, or one cube per group."""
PROVENANCE = (
    *("ties", "score_dtype", "seed", "topics", "collection", "rel", "depth", "pool", "repeats"),
    *("repeated", "unit", "copies", "search", "each"),
    *filter(None, (axis.attribute for axis in AXES.values())),
    *("lower", "irframe"),
)
"""Names of attributes that record how a cube was made. They are copied to scores and results."""
SHIFT = 32
"""Number of low bits of a code that contain the position of a system or topic. The higher bits
identify the experiment."""
TRUSTED = ContextVar("TRUSTED", default=False)
"""Context variable: whether cubes come directly from a verb and need not be verified."""
ONE_LEVEL = "use a single level: reset_index({0!r}).assign_coords({0}=[...])"
TOGETHER = "concatenate cubes with irframe.concat"
WANTED = "a cube with unchanged grades"
ADVICE = (
    "select with isel or sel, mask whole systems or topics with where(condition) and no other "
    "value, choose depths with at=, and change runs or judgments before the cube is built"
)


def view(
    experiment: Experiment,
    depth: int,
    user_coords: Mapping[Any, object] | None = None,
    *,
    chunks: tuple[int, ...] | None = None,
) -> xr.Dataset:
    """Return an experiment as a dataset.

    Parameters
    ----------
    experiment
        The experiment.
    depth
        Number of ranks.
    user_coords
        Coordinates that come from the user's columns.
    chunks
        Number of topics per task, if grades are computed lazily.
    """
    every = {dim: np.arange(size) for dim, size in zip(LIST, experiment.shape, strict=True)}
    # Missing and unjudged documents are marked by integers. NaN would need floats, which take up to
    # eight times the memory.
    if not chunks:
        grade = experiment.loaded.dense(depth, GRADE)
    else:  # grades are computed on demand, in blocks of topics
        dask = need_dask()
        systems = every[SYSTEM]
        handed = _handed(experiment)
        task = dask.delayed(_grades)
        topics = [every[TOPIC][block] for block in slices_of(chunks)]
        tasks = [task(handed, systems, codes, depth) for codes in topics]
        shapes = [(len(systems), count, depth) for count in chunks]
        blocks = map(dask.array.from_delayed, tasks, shapes, repeat(Grade))
        grade = dask.array.concatenate([*blocks], axis=1)
    named = {SYSTEM: experiment.systems, TOPIC: experiment.judgments.topics}
    return _view_of(experiment, every, variable(CELL, grade), named, user_coords or {})


def _view_of(
    experiment: Experiment,
    codes: Mapping[str, Codes],
    grade: xr.Variable,
    named: Mapping[str, pd.Index],
    user_coords: Mapping[Any, object],
) -> xr.Dataset:
    """Return a dataset of selected systems and topics."""
    chosen = np.ix_(*codes.values())
    coords: dict[Hashable, object] = {dim: labels(dim, label) for dim, label in named.items()}
    coords[DEPTH] = labels(DEPTH, np.arange(1, grade.sizes[DEPTH] + 1))
    length = experiment.hits.length.astype(np.int32)
    for name, values in (("retrieved", length), ("unjudged", experiment.unjudged)):
        coords[name] = variable(LIST, values[chosen])
    mark = np.int64(experiment.mark) << np.int64(SHIFT)
    coords |= {name: variable((dim,), mark + codes[dim]) for dim, name in CODES.items()}
    attributes = {EXPERIMENT: experiment, **experiment.options}
    return xr.Dataset({GRADE: grade}, coords | dict(user_coords), attributes)


def _grades(experiment: Experiment, systems: Codes, topics: Codes, depth: int) -> Array:
    return experiment.select(systems, topics).loaded.dense(depth, GRADE)


def of_spans(cube: xr.Dataset) -> bool:
    """Return whether the judgments of a cube are text spans."""
    return cast("Experiment", cube.attrs[EXPERIMENT]).judgments.table.spans is not None


def refuse_spans(cube: xr.Dataset, what_for: str = "") -> None:
    """Raise for judgments of text spans if documents are needed."""
    if of_spans(cube):
        advice = "call score(...), which reads spans, or judge chunks or documents"
        raise InputError(f"judgments of documents{what_for}", "spans of text", advice)


def experiment_of(cube: xr.Dataset) -> Experiment:
    """Return the experiment restricted to a cube's systems and topics.

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> experiment_of(cube.isel(topic=[3, 1])).shape
    (8, 2)
    """
    experiment = cast("Experiment", cube.attrs[EXPERIMENT])
    low = np.int64((1 << SHIFT) - 1)
    names = [cube.indexes[dim] for dim in LIST]
    selection = experiment.select_cached(*[cube[code].to_numpy() & low for code in CODES.values()])
    return (selection if cube[GRADE].chunks else selection.loaded).named(*names)


def read_cube(cube: object) -> xr.Dataset:
    """Return a validated cube with its dimensions in order.

    Masked lists become missing lists of the experiment.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`, perhaps selected, masked, transposed, cast or chunked.

    Raises
    ------
    InputError
        If the object is not a cube, lists are partly masked, or grades were overwritten. Lazy
        grades are checked when they are computed.
    DepthError
        If depths are not 1, 2, ..., n.
    IdError
        If a system or topic occurs twice, or has no label or several labels.

    Examples
    --------
    >>> read_cube([1])
    Traceback (most recent call last):
    ...
    irframe.errors.InputError: expected a cube made by irframe.cube, but found list.
    """
    experiment = getattr(cube, "attrs", {}).get(EXPERIMENT)
    if not isinstance(cube, xr.Dataset) or GRADE not in cube:
        raise InputError("a cube made by irframe.cube", type(cube).__name__)
    if not isinstance(experiment, Experiment):
        advice = "save it with cube.ireval.save(path), and open it with irframe.open_cube(path)"
        raise InputError("a cube with the attribute experiment", "a cube without it", advice)
    shown = cube[GRADE].variable
    # A verb can pass on a cube with a single system or topic, whose dimension must be restored, or
    # a cube with masked lists, whose grades are floats.
    if TRUSTED.get() and shown.dims == CELL and shown.dtype == Grade:
        return cube
    scalars = selected(cube)
    cube = cube.expand_dims(scalars)
    codes = {}
    named = {}
    for dim in LIST:
        codes[dim], named[dim] = _codes(cube, dim, experiment)
    experiment, grade = _verified(experiment, codes, _by_depth(cube), named)
    # scalar coordinates of a selected system or topic belong to the restored dimension
    user_coords = {
        name: coord.variable if coord.ndim or not scalars else (scalars[-1:], [coord.values[()]])
        for name, coord in cube.coords.items()
        if name not in OURS and {*coord.dims} <= {*LIST}
    }
    result = _view_of(experiment, codes, grade, named, user_coords)
    attributes = {name: value for name, value in cube.attrs.items() if name not in result.attrs}
    return result.assign_attrs(attributes)


def verify_grades(cube: xr.Dataset) -> None:
    """Verify the grades of a lazy cube now.

    Results that are computed from the experiment alone do not verify grades.
    """
    if cube[GRADE].chunks:
        cube[GRADE].max().compute()


def shown_as(cube: xr.Dataset, experiment: Experiment) -> xr.Dataset:
    """Return another experiment as a cube of the same form.

    The new cube has the same depth and chunks.
    """
    grade = cube[GRADE].variable
    chunks = grade.chunksizes[TOPIC] if grade.chunks else None
    user_coords = {name: coord.variable for name, coord in cube.coords.items() if name not in OURS}
    drawn = {name: cube.attrs[name] for name in (DRAWN, REPEATS) if name in cube.attrs}
    return view(experiment, grade.sizes[DEPTH], user_coords, chunks=chunks).assign_attrs(drawn)


trusting = partial(during, TRUSTED, value=True)
"""Context in which cubes are read without being verified again."""


def selected(subject: Labelled, dims: Sequence[str] = LIST) -> list[str]:
    """Return the dimensions that are scalar coordinates."""
    return [dim for dim in dims if dim in subject.coords and not subject.coords[dim].ndim]


def labels_of(subject: Labelled, dim: str, owner: str, advice: str) -> pd.Index:
    """Return the labels of a dimension; raise for duplicates."""
    index = subject.indexes[dim] if dim in subject.indexes else pd.Index(subject[dim].to_numpy())
    if index.nlevels > 1:
        message = f"{index.nlevels} index levels"
        names = map(str, index.names)
        raise IdError(f"one label for every {dim}", message, ONE_LEVEL.format(dim), names)
    if not index.is_unique:
        doubled = index[index.duplicated()].unique()
        raise IdError(f"every {dim} once in {owner}", "duplicates", advice, doubled)
    return index


def _codes(cube: xr.Dataset, dim: str, experiment: Experiment) -> tuple[Codes, pd.Index]:
    """Return the codes and labels of systems or topics."""
    name = CODES[dim]
    for needed in (dim, name):
        if needed not in cube.variables:
            raise InputError(f"a cube with {needed}", "none", f"do not drop {needed}")
    codes = np.atleast_1d(cube[name].to_numpy())
    strange = [str(extra) for extra in cube[name].dims if extra not in LIST]
    if strange:
        advice = "unstack the cube, or rename its dimensions"
        raise InputError("a cube with dimensions system and topic", f"{name} over", advice, strange)
    if not {*cube[name].dims} <= {dim}:
        raise InputError("a cube of one experiment", "lists of several experiments", TOGETHER)
    if codes.dtype.kind not in "iu":  # reindexing fills codes of unknown labels with NaN
        unknown = cube[dim].to_numpy()[pd.isna(codes)]
        if len(unknown):
            advice = "select other labels, or build the cube with these"
            raise InputError(f"{dim}s of the cube", "unknown labels", advice, unknown)
        codes = codes.astype(np.int64)
    positions = codes & ((1 << SHIFT) - 1)
    size = experiment.shape[LIST.index(dim)]
    # `xarray.concat` keeps the experiment of the first cube only. The marks in the codes show which
    # lists belong to other experiments.
    if ((codes >> SHIFT != experiment.mark) | (positions >= size)).any():
        raise InputError("a cube of one experiment", "lists of several experiments", TOGETHER)
    index = labels_of(cube, dim, "a cube", f"{TOGETHER}, and select each label once")
    if index.hasnans:
        message = f"{np.count_nonzero(index.isna())} {dim}s without a label"
        raise IdError(f"a label for every {dim}", message, f"select the {dim}s with a label")
    if not pd.Index(positions).is_unique:
        doubled = index[pd.Index(positions).duplicated()]
        raise IdError(f"every {dim} once in a cube", "duplicates", TOGETHER, doubled)
    return np.asarray(positions), index


def _by_depth(cube: xr.Dataset) -> xr.Variable:
    """Return grades with dimensions and depths in order.

    Raise for depths other than 1, 2, ..., n.
    """
    grade = cube[GRADE].variable
    depth_labels = cube.variables.get(DEPTH)
    strange = [str(dim) for dim in grade.dims if dim not in CELL]
    if strange or grade.dtype.kind not in "biufO":
        message = "other dimensions" if strange else f"grades as {grade.dtype}"
        raise InputError("a cube of grades over systems, topics and depths", message, "", strange)
    if depth_labels is None or not depth_labels.size:
        raise DepthError("a cube with labels of depths", "none", "do not drop the depths")
    depths = np.atleast_1d(depth_labels.to_numpy())
    expected = np.arange(1, len(depths) + 1)
    order = np.argsort(depths)
    if DEPTH not in grade.dims or not np.array_equal(depths[order], expected):
        shown = depths[:5].tolist()
        message = f"depths {shown}{' and more' if len(depths) > 5 else ''}"
        advice = f"pass all depths, and select some with at={shown}"
        raise DepthError("a cube with the depths 1, 2, ..., n", message, advice)
    grade = grade if np.array_equal(depths, expected) else grade.isel({DEPTH: order})
    return grade.transpose(*CELL)


def _verified(
    experiment: Experiment,
    codes: Mapping[str, Codes],
    grade: xr.Variable,
    named: Mapping[str, pd.Index],
) -> tuple[Experiment, xr.Variable]:
    """Verify grades, and drop completely masked lists.

    The grades of other lists must equal those of the experiment.
    """
    if grade.chunks:
        # the first rank shows whether a list is masked; the task verifies the other ranks
        present: Any = np.True_
        if grade.dtype.kind in "fO":
            present = np.asarray(grade.isel({DEPTH: 0}).notnull())
    else:
        selection = experiment.select_cached(*codes.values()).loaded
        shown = grade.to_numpy()
        present, wrong = (np.empty(shown.shape[:2], bool) for _ in range(2))

        def verify_tile(tile: tuple[slice, slice]) -> None:
            present[tile], wrong[tile] = _masked_or_changed(selection, shown[tile], tile)

        in_threads(verify_tile, tiles(*shown.shape))
        if wrong.any():
            offenders = [f"{named[SYSTEM][s]} on {named[TOPIC][t]}" for s, t in np.argwhere(wrong)]
            raise InputError(WANTED, f"{len(offenders)} lists with other grades", ADVICE, offenders)
    if not present.all():
        missing = np.zeros(experiment.shape, bool)
        missing[np.ix_(*codes.values())] = ~present
        experiment = experiment.without(missing)
    if grade.chunks:
        verified = in_chunks(_verified_block, grade.data, experiment, codes.values(), Grade)
        grade = variable(CELL, verified)
    elif grade.dtype != Grade:
        grade = variable(CELL, np.where(pd.isna(shown), EMPTY, shown).astype(Grade))
    return experiment, grade


def _masked_or_changed(
    experiment: Experiment, shown: Array, tile: tuple[slice, slice]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which lists are present, and which have changed grades.

    A list is absent if all its ranks are masked.
    """
    grades = experiment.cells(tile, shown.shape[-1], ties=False)[GRADE]
    if shown.dtype == Grade:
        # Integer grades cannot be masked. In most cases all grades are equal, which a single
        # comparison shows.
        here = np.ones(shown.shape[:2], bool)
        alike = np.array_equal(shown, grades)
        return here, np.zeros_like(here) if alike else np.any(shown != grades, axis=-1)
    present = np.asarray(~pd.isna(shown).all(axis=-1))
    return present, present & np.any(shown != grades, axis=-1)


def _verified_block(shown: Array, systems: Codes, topics: Codes, experiment: Experiment) -> Array:
    """Return the grades of a block; raise for changed ones."""
    selection = experiment.select(systems.ravel(), topics.ravel()).loaded
    tile = slice(0, systems.size), slice(0, topics.size)
    present, wrong = _masked_or_changed(selection, shown, tile)
    if (wrong | (selection.participated & ~present)).any():
        raise InputError(WANTED, "lists with other grades or partly masked lists", ADVICE)
    return np.where(pd.isna(shown), EMPTY, shown).astype(Grade)


def user_coordinates(subject: object) -> list[Hashable]:
    """Return the coordinates that users added to systems or topics."""
    if not isinstance(subject, Labelled):
        return []
    names = subject.coords.variables.keys() - OURS - subject.xindexes.keys()
    coords = subject.coords.variables.items()
    dims = {name: {*coord.dims} for name, coord in coords if name in names}
    return [name for name, of_coord in dims.items() if of_coord and of_coord <= {*LIST}]


def with_coordinates(result: Any, source: Labelled, names: list[Hashable]) -> Any:
    """Return a result with user coordinates added.

    Coordinates that the result already has are not replaced.
    """
    if not isinstance(result, Labelled):
        return result
    existing = {*result.coords, *(result if isinstance(result, xr.Dataset) else ())}
    # the cube has one system per repeat, so its coordinates of systems do not fit the result
    if REPEAT in result.dims:
        names = [name for name in names if SYSTEM not in source[name].dims]
    labelled = {*result.dims} & {*result.coords}
    chosen = {}
    for dim in [dim for dim in LIST if dim in result.indexes and dim in source.indexes]:
        source_labels = source.indexes[dim]
        labels = result.indexes[dim]
        if not labels.equals(source_labels):
            chosen[dim] = source_labels.get_indexer(labels)
    coords = {}
    for name in names:
        coord = source.coords.variables[name]
        if name not in existing and {*coord.dims} <= labelled:
            coords[name] = coord.isel({dim: chosen[dim] for dim in coord.dims if dim in chosen})
    return result.assign_coords(coords) if coords else result
