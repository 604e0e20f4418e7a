"""How many judged documents the pool of every depth holds."""

from typing import Any

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.cubes.dask_tasks import need_dask, slices_of
from irframe.cubes.recall_base import topic_of
from irframe.experiments.pool_sources import count_pool
from irframe.names import DEPTH, EMPTY, GRADE, TOPIC


def pool_count(cube: xr.Dataset, base: dict[str, Array]) -> Array:
    """Count the judged documents of every topic in the pool of every depth, by grade.

    Parameters
    ----------
    cube
        A cube.
    base
        Fields of a block: ``levels``, ``count`` and ``pool_depth``.

    Returns
    -------
    array
        Shape (topic, depth, level), in the cube's blocks of topics where it is lazy.
    """
    levels, count, pool_depth = (
        np.asarray(base[name]) for name in ("levels", "count", "pool_depth")
    )
    depth = cube.sizes[DEPTH]
    deepest = np.broadcast_to(np.minimum(pool_depth - 1, depth), len(count))
    grade, rank = (cube[name].to_numpy() for name in ("judged_grade", "pool_rank"))
    topic = topic_of(cube)
    rows = np.flatnonzero((rank > 0) & (rank <= deepest[topic]) & (grade != EMPTY))
    found = topic[rows], rank[rows], np.searchsorted(levels, grade[rows])
    chunks = cube[GRADE].variable.chunksizes.get(TOPIC)
    if chunks is None:
        return count_pool(count, deepest, *found, depth=depth)
    counted: Array = _lazily(chunks, count, deepest, *found, depth=depth)
    return counted


def _lazily(
    chunks: tuple[int, ...],
    count: Array,
    deepest: Array,
    topic: Array,
    rank: Array,
    level: Array,
    *,
    depth: int,
) -> Any:
    dask = need_dask()
    parts = []
    for some in slices_of(chunks):
        rows = slice(*np.searchsorted(topic, [some.start, some.stop]))
        found = topic[rows] - some.start, rank[rows], level[rows]
        made = dask.delayed(count_pool)(count[some], deepest[some], *found, depth=depth)
        shape = (some.stop - some.start, depth, count.shape[1])
        parts.append(dask.array.from_delayed(made, shape, np.int64))
    return dask.array.concatenate(parts)
