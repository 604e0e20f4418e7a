"""Conversion of the experiment in a cube to dense arrays."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from irframe.cubes.view import experiment_of, shown_as


def dense(cube):
    """Return an object with a cube's arrays as attributes."""
    experiment, depth = experiment_of(cube), cube.sizes["depth"]
    base, pool = experiment.judgments, experiment.pool
    every = tuple(slice(0, size) for size in experiment.shape)
    slot, tied = (experiment.cells(every, depth, doc=True)[name] for name in ("doc", "tied"))
    return SimpleNamespace(
        doc=slot,
        tied=tied,
        took_part=experiment.participated,
        judged_start=base.start,
        judged_count=base.count,
        judged_doc=base.docs,
        judged_grade=base.grade,
        judged_topic=base.topic,
        pool_rank=pool.rank,
        top=experiment.tops,
        pool_depth=pool.depth,
        contributing=pool.contributing,
        level=base.levels,
        level_count=base.levels_of,
        subtopic_grade=base.table.subtopic_grade,
        names=np.append(base.docs.astype(object), [""])[experiment.rows_at(depth)],
    )


def nameless(cube):
    """Return a cube without the names of unjudged documents."""
    return shown_as(cube, replace(experiment_of(cube), listing=None))
