"""Averages and pairs of systems, of scores in memory."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.metrics.averaging import average
from irframe.scores.scores import Arrays, Measure, Scores

BLOCK_BYTES = 2**26
"""Target size of an array over pairs and a block of depths, 8 bytes a value."""
SORTED_BYTES = 2**22
"""Target size of the scores whose topics are put in order at a time."""


@dataclass(frozen=True)
class Whole:
    """Work on whole arrays in memory."""

    def scored(self, scores: Scores) -> NDArray[np.bool_]:
        """Return the topics on which every system has a score, shape (metric, topic, depth)."""
        metrics, _, *rest = scores.values.shape
        if np.isfinite(scores.values.sum()):  # which no sum with NaN in it is
            return np.broadcast_to(np.True_, (metrics, *rest))
        scored: NDArray[np.bool_] = ~np.isnan(scores.values).any(axis=1)
        return scored

    def means(self, scores: Scores) -> NDArray[np.float64]:
        """Average over the common topics; higher is better, shape (metric, depth, system)."""
        metrics, systems, topics, depths = scores.values.shape
        result = np.empty((metrics, depths, systems))
        apart = scores.topic_order is not None and scores.scored.all()
        width = max(1, SORTED_BYTES // (8 * max(1, topics * depths))) if apart else systems
        for row, sign in enumerate(scores.towards):
            compute = partial(_averages, summary=scores.summaries[row])
            for start in range(0, systems, width):
                some = slice(start, start + width)
                (means,) = scores.over(row, slice(None), compute, systems=some)
                result[row, :, some] = sign * means.T
        return result

    def width(self, pairs: int) -> int:
        """Return how many depths an array over pairs may have."""
        return max(1, BLOCK_BYTES // (8 * max(1, pairs)))

    def pairs(
        self, scores: Scores, row: int, depths: slice, measure: Measure, pairs: Array
    ) -> Arrays:
        """Compute on the scores of one metric; see `Scores.pairs`."""

        def compute(values: Array, *weights: Array) -> Arrays:
            return measure.whole(scores, values, pairs, *weights)

        return scores.over(row, depths, compute)

    def load(self, scores: Scores) -> Scores:
        """Return the scores, which are in memory."""
        return scores

    def finish(self, values: Any) -> Any:
        """Return a result; of topics left out was told when scores were read."""
        return values

    def compute(self, values: Iterable[Any]) -> Iterable[Any]:
        """Return results, which are in memory."""
        return values


def _averages(scores: Array, weights: Array | None = None, *, summary: Any) -> Arrays:
    return (average(scores, summary, axis=1, weights=weights),)
