"""What a cube is a view of, as arrays over its systems, topics, ranks and judged documents."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from irframe.cubes.view import experiment_of, shown_as


def dense(cube):
    """Return arrays by name, of the systems, topics and depths that a cube shows."""
    held, depth = experiment_of(cube), cube.sizes["depth"]
    base, pool = held.judgments, held.pool
    every = tuple(slice(0, size) for size in held.shape)
    slot, tied = (held.cells(every, depth, doc=True)[name] for name in ("doc", "tied"))
    return SimpleNamespace(
        doc=slot,
        tied=tied,
        took_part=held.participated,
        judged_start=base.start,
        judged_count=base.count,
        judged_doc=base.docs,
        judged_grade=base.grade,
        judged_topic=base.topic,
        pool_rank=pool.rank,
        top=held.tops,
        pool_depth=pool.depth,
        contributing=pool.contributing,
        level=base.levels,
        level_count=base.levels_of,
        subtopic_grade=base.table.subtopic_grade,
        names=np.append(base.docs.astype(object), [""])[held.rows_at(depth)],
    )


def nameless(cube):
    """Return a cube that does not know what its unjudged documents are called."""
    return shown_as(cube, replace(experiment_of(cube), listing=None))
