"""Extremes over all labels of the unjudged documents, for metrics with a recall base.

A label moves the normaliser too, so the best case need not be that everything is relevant. But for
a given number of relevant documents among the unjudged ones, the score is highest when they are the
first of the list and lowest when they are the last, since swapping a relevant document with a
non-relevant one below it never raises a score. So only as many fillings as there are unjudged
documents have to be scored, of each kind.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.metrics.base import Floats, Metric
from irframe.metrics.evidence import Array, Evidence
from irframe.names import UNJUDGED


@dataclass(frozen=True, kw_only=True, eq=False)
class Rankings:
    """Rankings with the recall base of their topics, one ranking per row.

    Attributes
    ----------
    grade
        Grades by rank with marks, int8, shape (row, depth), cut at the deepest depth wanted.
    beyond
        Unjudged documents past that depth, shape (row,).
    retrieved, count, pool_count, levels, top
        As for `Evidence`, by row.
    pool_depth
        Depth of the pool: `pool_count` holds for depths above it, whatever the labels.
    """

    grade: NDArray[np.int8]
    beyond: Array
    retrieved: Array
    levels: Array
    count: Array
    top: int
    pool_count: Array | None = None
    pool_depth: int = 0

    def take(self, rows: Any) -> "Rankings":
        """Return some rows."""
        pooled = None if self.pool_count is None else self.pool_count[rows]
        return replace(
            self,
            grade=self.grade[rows],
            beyond=self.beyond[rows],
            retrieved=self.retrieved[rows],
            count=self.count[rows],
            pool_count=pooled,
        )

    def with_level(self, level: int) -> "Rankings":
        """Return the same with a grade among the levels, whether it occurs or not."""
        levels = np.union1d(self.levels, [level])
        known = np.searchsorted(levels, self.levels)
        count = np.zeros((*self.count.shape[:-1], len(levels)), np.int64)
        count[..., known] = self.count
        pooled = None
        if self.pool_count is not None:
            pooled = np.zeros((*self.pool_count.shape[:-1], len(levels)), np.int64)
            pooled[..., known] = self.pool_count
        return replace(self, levels=levels, count=count, pool_count=pooled)

    def labelled(self, labels: NDArray[np.bool_], beyond: Array, grade: int) -> Evidence:
        """Return the evidence if some unjudged documents, and some past the depth, had a grade."""
        added = labels.sum(axis=-1) + beyond
        level = int(np.searchsorted(self.levels, grade))
        count = self.count.copy()
        count[:, level] += added
        pooled = None
        if self.pool_count is not None:
            pooled = self.pool_count.copy()
            pooled[:, max(self.pool_depth - 1, 0) :, level] += added[:, np.newaxis]
        return Evidence(
            grade=np.where(labels, np.int8(grade), self.grade),
            retrieved=self.retrieved,
            levels=self.levels,
            count=count,
            pool_count=pooled,
            top=self.top,
        )


def scale(metric: Metric, levels: Array, top: int) -> Array:
    """Return the grades an unjudged document may have: 0 to the top, and those that occur."""
    return np.union1d(np.arange(1 + max(top, getattr(metric, "rel", 1))), levels)


def best_grade(metric: Metric, rankings: Rankings) -> int:
    """Return the grade that counts most for a metric: the highest, or the one of highest gain."""
    grades = scale(metric, rankings.levels, rankings.top)
    gain = getattr(metric, "gain", None)
    if gain is None:
        return int(grades[-1])
    gains = gain.map(grades, rel=getattr(metric, "rel", 1), top=rankings.top)
    return int(grades[len(grades) - 1 - np.argmax(gains[::-1])])


def filled_extremes(metric: Metric, rankings: Rankings) -> tuple[Floats, Floats]:
    """Return the lowest and the highest score over fillings of the last and of the first ranks.

    Parameters
    ----------
    metric
        A metric that declares `fillings`.
    rankings
        The rankings.

    Returns
    -------
    lower, upper
        Shape (row, depth).

    Notes
    -----
    Scores two fillings for every unjudged document: time in proportion to rows x depth x
    unjudged documents.
    """
    grade = best_grade(metric, rankings)
    unjudged = (rankings.grade == UNJUDGED).sum(axis=-1)
    steps = unjudged + rankings.beyond if metric.fillings == "list" else unjudged
    order = np.argsort(-steps, kind="stable")
    sorted_rankings = rankings.with_level(grade).take(order)
    lower = np.full(rankings.grade.shape, np.inf)
    upper = np.full(rankings.grade.shape, -np.inf)
    for filling in _fillings(metric, sorted_rankings, steps[order], grade):
        rows, low, high = filling
        np.minimum(lower[:rows], metric.score(low), out=lower[:rows])
        np.maximum(upper[:rows], metric.score(high), out=upper[:rows])
    back = np.argsort(order)
    return lower[back], upper[back]


def _fillings(
    metric: Metric, rankings: Rankings, steps: Array, grade: int
) -> Iterator[tuple[int, Evidence, Evidence]]:
    """Yield how many rows there are left, and the next fillings from below and from above."""
    unjudged = rankings.grade == UNJUDGED
    position = np.cumsum(unjudged, axis=-1, dtype=np.int32)
    for step in range(1 + int(steps.max(initial=0))):
        rows = int(np.searchsorted(-steps, -step, side="right"))
        part, open_ = rankings.take(slice(rows)), unjudged[:rows]
        inside, beyond = position[:rows, -1], part.beyond
        if metric.fillings == "list":
            past, over = np.minimum(step, beyond), np.clip(step - inside, 0, beyond)
            below = np.clip(step - beyond, 0, inside)
        else:
            past, over, below = beyond, np.zeros_like(beyond), np.full(rows, step)
        last = open_ & (position[:rows] > (inside - below)[:, np.newaxis])
        first = open_ & (position[:rows] <= step)
        yield rows, part.labelled(last, past, grade), part.labelled(first, over, grade)


__all__ = ["Rankings", "best_grade", "filled_extremes", "scale"]
