"""Kernels applied to all rankings of a cube, some at a time, lazily where the cube is."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from irframe.arrays import Array, in_threads, tiles
from irframe.cubes.dask_tasks import need_dask
from irframe.cubes.layout import CELL, variable
from irframe.cubes.view import experiment_of
from irframe.experiments.experiment import Experiment
from irframe.experiments.hits import refuse_open
from irframe.files.ids import Codes
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.block import by_scale
from irframe.names import DEPTH, GRADE, METRIC, SYSTEM, TOPIC, UNJUDGED

Kernel = Callable[[Block, Sequence[Metric], Sequence[int]], Iterator[Array]]


def in_blocks(
    cube: xr.Dataset,
    metrics: Sequence[Metric],
    depths: Sequence[int],
    *,
    kernel: Kernel | None = None,
    each: int = 1,
    hidden: bool = False,
    ties: bool = False,
) -> xr.DataArray:
    """Apply a function to all rankings, a block at a time, lazily where the cube is.

    Parameters
    ----------
    cube
        The cube.
    metrics, depths
        What `kernel` takes.
    kernel
        A function like `score_block`, which is the default. It sees one top grade at a time.
    each
        How many arrays it yields for a metric.
    hidden
        Whether it asks how many unjudged documents lists have below the last depth.
    ties
        Whether it asks for ties though the cube does not share gain over them.

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic, depth), the arrays of a metric side by side.
    """
    work = Work(metrics, depths, kernel or score_block, each, hidden, ties, cube.sizes[DEPTH])
    grade = cube[GRADE].variable
    experiment = experiment_of(cube)
    if not grade.chunks:
        values = work.tiles(experiment, in_threads)
        return xr.DataArray(variable((METRIC, *CELL), values))
    return xr.DataArray(_lazy(grade.data, experiment, work), dims=(METRIC, *CELL))


class Work(NamedTuple):
    """What is asked of rankings."""

    metrics: Sequence[Metric]
    depths: Sequence[int]
    kernel: Kernel
    each: int
    hidden: bool
    ties: bool
    depth: int
    """Where lists are cut."""

    def tiles(self, experiment: Experiment, run: Callable[..., Iterable[None]]) -> Array:
        """Return what is asked of all lists, some at a time; (row, system, topic, depth)."""
        if any(metric.judged_only for metric in self.metrics):
            refuse_open(experiment.longest, self.depth)
        fields = experiment.fields(self.metrics, self.depth)
        rows = len(self.metrics) * self.each
        found = np.empty((rows, *experiment.shape, len(self.depths)))

        def compute(part: Block) -> Iterator[Array]:
            return self.kernel(part, self.metrics, self.depths)

        def fill(some: tuple[slice, slice]) -> None:
            block = experiment.block(fields, self.depth, some, ties=self.ties)
            if self.hidden:
                block = replace(block, beyond=beyond(experiment, block, some))
            for row, values in zip(found, by_scale(block, compute), strict=True):
                row[some] = values

        list(run(fill, tiles(*experiment.shape, self.depth)))
        return found


def beyond(experiment: Experiment, block: Block, some: tuple[slice, slice]) -> Array:
    """Return how many unjudged documents lists of a block have below its last depth."""
    return np.asarray(experiment.unjudged[some] - (block.grade == UNJUDGED).sum(axis=-1))


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


def _lazy(grade: Any, experiment: Experiment, work: Work) -> Any:
    """Return what is asked of lists in the blocks of lazy grades, when it is wanted."""
    dask, shape = need_dask(), experiment.shape
    sides = zip((SYSTEM, TOPIC), shape, grade.chunks[:2], strict=True)
    places = {dim: dask.array.from_array(np.arange(n), chunks=(size,)) for dim, n, size in sides}
    return dask.array.blockwise(
        _of_block,
        (METRIC, *CELL),
        *(grade.rechunk({2: -1}), CELL, places[SYSTEM], (SYSTEM,), places[TOPIC], (TOPIC,)),
        experiment=dask.delayed(experiment, traverse=False),
        work=work,
        new_axes={METRIC: len(work.metrics) * work.each},
        adjust_chunks={DEPTH: lambda _: len(work.depths)},
        dtype=np.float64,
        meta=np.empty((0,) * 4),
    )


def _of_block(
    grade: Array, systems: Codes, topics: Codes, experiment: Experiment, work: Work
) -> Array:
    """Return what is asked of a block, whose grades were held against the experiment's."""
    del grade
    return work.tiles(experiment.part(systems, topics).loaded, map)
