"""Kernels applied to all rankings of a cube, some at a time, lazily where the cube is."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.dask_tasks import need_dask
from irframe.cubes.layout import CELL, variable
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import BY_RANKING, BY_TOPIC, by_scale
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.threads import in_threads, tiles

Kernel = Callable[[Block, Sequence[Metric], Sequence[int]], Iterator[Array]]


def in_blocks(
    whole: Block,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    *,
    kernel: Kernel | None = None,
    each: int = 1,
) -> xr.DataArray:
    """Apply a function to all rankings, a block at a time, lazily where the cube is.

    Parameters
    ----------
    whole
        The rankings, from `block_of`.
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
    if not isinstance(whole.grade, np.ndarray):
        return xr.DataArray(_lazy(whole, compute, *shape), dims=(METRIC, *CELL))
    result = _in_tiles(whole, compute, *shape, run=in_threads)
    return xr.DataArray(variable((METRIC, *CELL), result))


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


def _lazy(whole: Block, compute: Callable[[Block], Iterator[Array]], rows: int, depths: int) -> Any:
    """Score a block of lazy arrays, shape (row, system, topic, depth)."""
    every = {each.name: getattr(whole, each.name) for each in fields(whole)}
    spread = [name for name in (*BY_RANKING, *BY_TOPIC) if np.ndim(every[name])]
    shared = {name: part for name, part in every.items() if name not in spread}
    arguments: list[Any] = []
    for name in spread:
        lists = (SYSTEM, TOPIC) if name in BY_RANKING else (TOPIC,)
        rest = [f"{name} {axis}" for axis in range(len(lists), every[name].ndim)]
        arguments += [every[name], (*lists, *rest)]

    def block(*arrays: Array) -> Array:
        part = Block(**shared, **dict(zip(spread, arrays, strict=True)))
        return _in_tiles(part, compute, rows, depths, run=map)

    return need_dask().array.blockwise(
        block,
        (METRIC, *CELL),
        *arguments,
        new_axes={METRIC: rows, DEPTH: depths},
        concatenate=True,
        dtype=np.float64,
        meta=np.empty((0,) * 4),
    )
