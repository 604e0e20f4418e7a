"""The highest nDCG over all labels of the unjudged documents, on more than two grades.

Raising a document to a grade adds to the gain collected and to the ideal gain. Their ratio is
maximised by Dinkelbach's method: maximise gain - ratio x ideal gain, take the ratio reached, and
repeat until it stays. Both sums fall apart into steps, one per level of gain, and on every step the
best n documents are the first n unjudged ones. The numbers n may be chosen step by step: the
fewer judged documents reach a step, the sooner another one raises the ideal gain, so that a
higher step never asks for more documents than a lower one.
"""

import numpy as np

from irframe.arrays import Array, Floats
from irframe.extremes.fillings import gains_of, scale
from irframe.metrics.block import Block
from irframe.metrics.discounts import discounts
from irframe.metrics.evidence import positive
from irframe.metrics.ndcg import nDCG
from irframe.names import UNJUDGED


def highest_ndcg(metric: nDCG, block: Block, depths: Array, start: Floats) -> Floats:
    """Return the highest nDCG over all labels, the recall base being all judged documents.

    Parameters
    ----------
    metric
        The metric.
    block
        The rankings, a topic each.
    depths
        Depths wanted, shape (depth,).
    start
        Scores that some labels reach, shape (row, depth).

    Returns
    -------
    numpy.ndarray
        Shape (row, depth).

    Notes
    -----
    Time in proportion to rows x depths x unjudged documents x levels of gain x rounds, of which
    there are seldom more than five.
    """
    problem = _Problem(metric, block, depths)
    best = start.copy()
    rows = np.arange(len(best))
    while len(rows):
        ratio = problem.improve(rows, best[rows])
        risen = (ratio > best[rows] * (1 + 1e-14)).any(axis=-1)
        best[rows] = np.maximum(best[rows], ratio)
        rows = rows[risen]
    return best


class _Problem:
    """What does not change from round to round."""

    def __init__(self, metric: nDCG, block: Block, depths: Array) -> None:
        grades = scale(metric, block.levels, block.top)
        gains = gains_of(metric, grades, block.top)
        levels = np.unique(np.append(gains, 0.0))
        self.falls, steps = np.diff(levels), levels[1:]
        at_least = gains[np.searchsorted(grades, block.levels)][:, np.newaxis] >= steps
        self.judged = block.count @ at_least
        unjudged = block.grade == UNJUDGED
        longest = 1 + block.grade.shape[-1] + int(self.judged.max(initial=0))
        weights = discounts(metric.discount, metric.base, longest)
        self.cumulated = np.concatenate([[0.0], np.cumsum(weights)])
        self.cut = np.full(len(depths), longest) if metric.ideal == "full" else depths
        order = np.argsort(~unjudged, axis=-1, kind="stable")
        self.found = unjudged.sum(axis=-1)
        self.rank = np.where(np.take_along_axis(unjudged, order, axis=-1), order + 1, longest)
        self.weights, self.depths = weights, depths
        table = np.zeros(256)
        table[grades] = gains
        gained = np.where(block.grade > UNJUDGED, table[block.grade], 0.0)
        collected = np.cumsum(gained * weights[: gained.shape[-1]], axis=-1)
        self.collected = collected[:, depths - 1]

    def improve(self, rows: Array, ratio: Floats) -> Floats:
        """Return the ratio of the labels that are best for the present one."""
        value = np.full((len(self.falls), *ratio.shape), -np.inf)
        gained, ideal = np.zeros_like(value), np.zeros_like(value)
        first = np.zeros_like(ratio)
        for number in range(1 + int(self.found[rows].max(initial=0))):
            if number:
                rank = self.rank[rows, number - 1][:, np.newaxis]
                first += np.where(rank <= self.depths, self.weights[rank - 1], 0.0)
            for step in range(len(self.falls)):
                reached = np.minimum(self.judged[rows, step, np.newaxis] + number, self.cut)
                perfect = self.cumulated[reached]
                worth = first - ratio * perfect
                better = worth > value[step]
                value[step][better] = worth[better]
                gained[step][better], ideal[step][better] = first[better], perfect[better]
        total = self.collected[rows] + np.tensordot(self.falls, gained, axes=1)
        perfect = np.tensordot(self.falls, ideal, axes=1)
        return np.asarray(total / positive(perfect))
