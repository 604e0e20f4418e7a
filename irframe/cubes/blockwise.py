"""Kernels applied to all rankings of a cube, some at a time, lazily where the cube is."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.layout import CELL, variable
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC

BLOCK = 1 << 17
"""Cells scored at a time by a thread: a few arrays of that size fit the processor's cache."""

Fields = dict[str, xr.DataArray]
"""The fields of a block of rankings with their labels."""
Kernel = Callable[[Block, Sequence[Metric], Sequence[int]], Iterator[Array]]


def in_blocks(
    fields: Fields,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    *,
    kernel: Kernel | None = None,
    each: int = 1,
) -> xr.DataArray:
    """Apply a function to all rankings, a block at a time, lazily where the cube is.

    Parameters
    ----------
    fields
        The rankings, from `block_fields`.
    metrics, depths
        What `kernel` takes.
    kernel
        A function like `score_block`, which is the default. It sees one top grade at a time.
    each
        How many arrays it yields for a metric.

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic, depth), the arrays of a metric side by side.
    """

    def compute(block: Block) -> Iterator[Array]:
        return by_scale(block, lambda part: (kernel or score_block)(part, metrics, depths))

    shape = len(metrics) * each, len(depths)
    return (_lazy if fields["grade"].chunks else _eager)(fields, compute, *shape)


def score_block(block: Block, metrics: Sequence[Metric], depths: Sequence[int]) -> Iterator[Array]:
    """Score a block of rankings, one metric after the other.

    Parameters
    ----------
    block
        Rankings of one top grade.
    metrics
        The metrics.
    depths
        Depths to return.

    Yields
    ------
    numpy.ndarray
        Scores of a metric, shape (..., topic, depth).
    """
    evidence = Evidence(block)
    columns = np.asarray(depths) - 1
    every = slice(None) if len(columns) == block.grade.shape[-1] else columns
    for metric in metrics:
        yield metric.score(evidence)[..., every]


def whole_block(fields: Fields) -> Block:
    """Return fields as one block in memory."""
    return Block(**{name: field.to_numpy() for name, field in fields.items()})


def _eager(
    fields: Fields, compute: Callable[[Block], Iterator[Array]], rows: int, depths: int
) -> xr.DataArray:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        result = _in_tiles(whole_block(fields), compute, rows, depths, run=pool.map)
    return xr.DataArray(variable((METRIC, *CELL), result))


def _in_tiles(
    whole: Block,
    compute: Callable[[Block], Iterator[Array]],
    rows: int,
    depths: int,
    *,
    run: Callable[..., Iterable[None]],
) -> Array:
    """Score a block of rankings, some of them at a time, shape (row, system, topic, depth)."""
    result = np.empty((rows, *whole.grade.shape[:-1], depths))

    def fill(some: tuple[slice, slice]) -> None:
        for row, values in zip(result, compute(whole.take(*some)), strict=True):
            row[some] = values

    list(run(fill, tiles(*whole.grade.shape)))
    return result


def tiles(systems: int, topics: int, ranks: int) -> list[tuple[slice, slice]]:
    """Return which lists are worked on at a time, about `BLOCK` cells of them.

    Examples
    --------
    >>> tiles(2, 1, BLOCK)
    [(slice(0, 1, None), slice(0, 1, None)), (slice(1, 2, None), slice(0, 1, None))]
    """
    step = max(1, BLOCK // max(ranks * topics, 1))
    inner = max(1, topics if step > 1 else BLOCK // max(ranks, 1))
    return [
        (slice(s, min(s + step, systems)), slice(t, min(t + inner, topics)))
        for s in range(0, systems, step)
        for t in range(0, topics, inner)
    ]


def _lazy(
    fields: Fields, compute: Callable[[Block], Iterator[Array]], rows: int, depths: int
) -> xr.DataArray:
    spread = {name: field for name, field in fields.items() if {SYSTEM, TOPIC} & {*field.dims}}
    shared = {name: fields[name].to_numpy() for name in fields.keys() - spread.keys()}

    def block(*arrays: Array) -> Array:
        part = Block(**shared, **dict(zip(spread, arrays, strict=True)))
        return np.moveaxis(_in_tiles(part, compute, rows, depths, run=map), 0, -2)

    scored = xr.apply_ufunc(
        block,
        *spread.values(),
        input_core_dims=[
            [dim for dim in field.dims if dim not in {SYSTEM, TOPIC}] for field in spread.values()
        ],
        output_core_dims=[[METRIC, DEPTH]],
        exclude_dims={DEPTH},
        dask="parallelized",
        output_dtypes=[np.float64],
        dask_gufunc_kwargs={
            "output_sizes": {METRIC: rows, DEPTH: depths},
            "allow_rechunk": True,
        },
    )
    return xr.DataArray(scored.transpose(METRIC, *CELL))
