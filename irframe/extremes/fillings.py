"""Extremes over all labels of the unjudged documents, for metrics with a recall base.

A label moves the normaliser too, so the best case need not be that everything is relevant. But for
a given number of relevant documents among the unjudged ones, the score is highest when they are the
first of the list and lowest when they are the last, since swapping a relevant document with a
non-relevant one below it never raises a score. So only as many fillings as there are unjudged
documents have to be scored, of each kind.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric
from irframe.metrics.block import Block
from irframe.metrics.evidence import Evidence
from irframe.metrics.facts import facts
from irframe.names import UNJUDGED


def with_level(block: Block, level: int) -> Block:
    """Return the same with a grade among the levels, whether it occurs or not."""
    levels = np.union1d(block.levels, [level])
    known = np.searchsorted(levels, block.levels)

    def widen(count: Array) -> Array:
        wide = np.zeros((*count.shape[:-1], len(levels)), np.int64)
        wide[..., known] = count
        return wide

    pooled = None if block.pool_count is None else widen(block.pool_count)
    return replace(block, levels=levels, count=widen(block.count), pool_count=pooled)


def labelled(block: Block, labels: NDArray[np.bool_], beyond: Array, grade: int) -> Evidence:
    """Return the evidence if some unjudged documents, and some past the depth, had a grade.

    Parameters
    ----------
    block
        Rankings, a topic each, with the grade among their levels.
    labels
        Which documents, shape (row, depth).
    beyond
        How many past the depth, shape (row,).
    grade
        The grade.
    """
    added = labels.sum(axis=-1) + beyond
    level = int(np.searchsorted(block.levels, grade))
    count, pooled = block.count.copy(), None
    count[:, level] += added
    if block.pool_count is not None:
        pooled = block.pool_count.copy()
        pooled[:, max(block.pool_depth - 1, 0) :, level] += added[:, np.newaxis]
    filled = np.where(labels, np.int8(grade), block.grade)
    return Evidence(replace(block, grade=filled, count=count, pool_count=pooled))


def scale(metric: Metric, levels: Array, top: int) -> Array:
    """Return the grades an unjudged document may have: 0 to the top, and those that occur."""
    return np.union1d(np.arange(1 + max(top, facts(metric).rel)), levels)


def gains_of(metric: Metric, grades: Array, top: int) -> Floats:
    """Return what grades gain under a metric; under one without gain the grade itself."""
    gain, rel = facts(metric).gain, facts(metric).rel
    return grades.astype(float) if gain is None else gain.map(grades, rel=rel, top=top)


def best_grade(metric: Metric, block: Block) -> int:
    """Return the grade that counts most for a metric: the highest, or the one of highest gain."""
    grades = scale(metric, block.levels, block.top)
    gains = gains_of(metric, grades, block.top)
    return int(grades[len(grades) - 1 - np.argmax(gains[::-1])])


def filled_extremes(metric: Metric, block: Block) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score over fillings of the last and of the first ranks.

    Parameters
    ----------
    metric
        A metric that declares `fillings`.
    block
        The rankings, a topic each.

    Returns
    -------
    lower, upper
        Shape (row, depth).

    Notes
    -----
    Scores two fillings for every unjudged document: time in proportion to rows x depth x
    unjudged documents.
    """
    grade = best_grade(metric, block)
    unjudged = (block.grade == UNJUDGED).sum(axis=-1)
    steps = unjudged + block.hidden if metric.fillings == "list" else unjudged
    order = np.argsort(-steps, kind="stable")
    ordered = with_level(block, grade).take(order)
    lower = np.full(block.grade.shape, np.inf)
    upper = np.full(block.grade.shape, -np.inf)
    for filling in _fillings(metric, ordered, steps[order], grade):
        rows, low, high = filling
        np.minimum(lower[:rows], metric.score(low), out=lower[:rows])
        np.maximum(upper[:rows], metric.score(high), out=upper[:rows])
    back = np.argsort(order)
    return lower[back], upper[back]


def _fillings(
    metric: Metric, block: Block, steps: Array, grade: int
) -> Iterator[tuple[int, Evidence, Evidence]]:
    """Yield how many rows there are left, and the next fillings from below and from above."""
    unjudged = block.grade == UNJUDGED
    position = np.cumsum(unjudged, axis=-1, dtype=np.int32)
    for step in range(1 + int(steps.max(initial=0))):
        rows = int(np.searchsorted(-steps, -step, side="right"))
        part, open_ = block.take(slice(rows)), unjudged[:rows]
        inside, beyond = position[:rows, -1], part.hidden
        if metric.fillings == "list":
            past, over = np.minimum(step, beyond), np.clip(step - inside, 0, beyond)
            below = np.clip(step - beyond, 0, inside)
        else:
            past, over, below = beyond, np.zeros_like(beyond), np.full(rows, step)
        last = open_ & (position[:rows] > (inside - below)[:, np.newaxis])
        first = open_ & (position[:rows] <= step)
        yield rows, labelled(part, last, past, grade), labelled(part, first, over, grade)


__all__ = ["best_grade", "filled_extremes", "gains_of", "labelled", "scale", "with_level"]
