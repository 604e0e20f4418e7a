"""What the pool of judged documents was made of."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.experiments.judgments import Judgments
from irframe.frames.ids import Codes

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pool:
    """The best rank of judged documents in contributing runs, down to a depth."""

    rank: NDArray[np.int32]
    """Of each judged document of some judgments, 0 where no contributing run has it."""
    depth: int
    """Down to where judging went."""

    @property
    def complete(self) -> bool:
        """Whether it holds every judged document."""
        return bool(((self.rank > 0) & (self.rank <= self.depth)).all())

    def count(self, judgments: Judgments, depth: int) -> NDArray[np.int64]:
        """Count the judged documents in the pool of every depth, shape (topic, depth, level)."""
        deepest = np.full(len(judgments.count), min(self.depth - 1, depth))
        rows = np.flatnonzero((self.rank > 0) & (self.rank <= deepest[judgments.topic]))
        level = np.searchsorted(judgments.levels, judgments.grade[rows])
        known = judgments.topic[rows], self.rank[rows], level
        return count_pool(judgments.levels_of, deepest, *known, depth=depth)


def count_pool(
    count: Array, deepest: Array, topic: Codes, rank: Codes, level: Codes, *, depth: int
) -> NDArray[np.int64]:
    """Count pooled documents by grade.

    Parameters
    ----------
    count
        Judged documents of each topic at each grade, shape (topic, level).
    deepest
        The depth of each topic below which the pool holds all of them.
    topic, rank, level
        Topic, best rank and grade of those in a pool of some depth down to `deepest`.
    depth
        How many depths.

    Returns
    -------
    numpy.ndarray
        Shape (topic, depth, level).
    """
    pooled = np.repeat(count[:, np.newaxis, :], depth, axis=1)
    first = np.zeros((len(count), max(0, deepest.max(initial=0)), count.shape[1]), np.int64)
    np.add.at(first, (topic, rank - 1, level), 1)
    inside = np.arange(1, first.shape[1] + 1) <= deepest[:, np.newaxis]
    np.copyto(pooled[:, : first.shape[1]], np.cumsum(first, axis=1), where=inside[..., np.newaxis])
    return pooled
