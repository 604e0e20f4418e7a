"""Work on arrays that are backed by dask: planned here, done when someone computes it.

dask is imported where there is such an array, so that whoever has none never waits for it.
"""

from collections.abc import Callable
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from irframe.cubes.dask_tasks import need_dask

Array = Any
"""An array of numpy, or a lazy one of dask, which takes numpy's functions too."""


def is_lazy(values: Any) -> bool:
    """Tell whether an array, labelled or not, is still to be computed."""
    return getattr(values, "chunks", None) is not None


def at_once(function: Callable[..., Array], *arrays: Array, shape: tuple[int, ...]) -> Array:
    """Call a function on whole arrays: now, or in a single task if one of them is lazy.

    Parameters
    ----------
    function
        Takes the arrays, gives one of float64.
    arrays
        Arrays small enough to be held whole.
    shape
        Shape of the result.

    Returns
    -------
    numpy.ndarray or dask.array.Array
        The result, lazy if one of the arrays is.
    """
    return task(function, *arrays, shape=shape) if any(map(is_lazy, arrays)) else function(*arrays)


def task(function: Callable[..., Array], *arrays: Array, shape: tuple[int, ...]) -> Array:
    """Plan one call on whole arrays; see `at_once`.

    What several calls read is computed once, as it would not be if each call was a delayed one.
    """
    toolkit = need_dask().array
    axes = count()
    whole = [toolkit.asarray(array).rechunk(-1) for array in arrays]
    inside = [[next(axes) for _ in range(array.ndim)] for array in whole]
    outside = {next(axes): size for size in shape}
    return toolkit.blockwise(
        function,
        tuple(outside),
        *(part for pair in zip(whole, inside, strict=True) for part in pair),
        new_axes=outside,
        concatenate=True,
        dtype=np.float64,
        meta=np.empty((0,) * len(shape)),
    )


def cut(chunks: tuple[int, ...], least: int, most: int) -> tuple[int, ...]:
    """Join short chunks, up to the least length, and cut those that are longer than the most.

    Only whole chunks are joined, so that chunks do not wait for each other's neighbours.

    Examples
    --------
    >>> cut((1, 2, 5, 10, 1), 4, 6)
    (3, 5, 5, 5, 1)
    """
    found: list[int] = []
    for length in chunks:
        parts = -(-length // most)
        if found and found[-1] + length <= least:
            found[-1] += length
        else:
            found += [len(range(length)[part::parts]) for part in range(parts)]
    return tuple(found) or (0,)


def fold_blocks(
    values: Array,
    axis: int,
    measure: Callable[[Any, int], Any],
    merge: Callable[[Any, int], Any],
    *,
    fields: int,
    rows: int | None = None,
) -> Array:
    """Measure every block of topics, and merge what they say in a tree.

    Parameters
    ----------
    values
        A lazy array.
    axis
        That of the topics.
    measure
        Takes a block and the place of its first topic, gives an array of fields, each of the
        shape of the block without topics.
    merge
        Merges such arrays, which lie next to each other along an axis, and drops it.
    fields
        The number of fields.
    rows
        How long the first axis after the fields is, if not as that of the values.

    Returns
    -------
    dask.array.Array
        Shape (field, ...), the values' without topics.
    """
    chunks = [*values.chunks]
    chunks[axis] = (1,) * len(chunks[axis])
    if rows is not None:
        chunks[0] = (rows,)
    states = values.map_blocks(
        partial(_state, measure=measure, axis=axis + 1),
        new_axis=0,
        chunks=((fields,), *chunks),
        dtype=np.float64,
        meta=np.empty((0,) * (values.ndim + 1)),
    )
    return need_dask().array.reduction(
        states,
        chunk=_as_it_is,
        combine=partial(_merged, merge=merge),
        aggregate=partial(_merged, merge=merge),
        axis=axis + 1,
        dtype=np.float64,
        concatenate=True,
        meta=np.empty((0,) * values.ndim),
    )


def _state(
    block: Any, *, measure: Callable[[Any, int], Any], axis: int, block_info: Any = None
) -> Any:
    start = block_info[0]["array-location"][axis - 1][0]
    return np.expand_dims(measure(block, start), axis)


def _as_it_is(states: Any, axis: Any, keepdims: Any) -> Any:
    return states


def _merged(states: Any, axis: Any, keepdims: Any, *, merge: Callable[[Any, int], Any]) -> Any:
    (only,) = np.atleast_1d(axis)
    found = merge(states, int(only))
    return np.expand_dims(found, only) if keepdims else found
