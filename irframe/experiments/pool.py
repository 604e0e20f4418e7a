"""Which documents were judged how deep: the pool of contributing runs."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.errors import ParameterError
from irframe.experiments.hits import NEVER, Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections
from irframe.experiments.policy import PoolDepth
from irframe.files.ids import Codes


@dataclass(frozen=True, eq=False)
class Pool:
    """The best ranks of judged documents in contributing runs, and the depth of the pool."""

    rank: NDArray[np.int32]
    """Of each judged document, 0 where no contributing run has it."""
    gap: NDArray[np.int64]
    """Where contributing runs are first unjudged, by topic of the qrels, `NEVER` for nowhere."""
    contributing: NDArray[np.bool_]
    """Whether each system contributes."""
    stated: bool
    """Whether it was said how the pool was made, rather than taken for granted."""
    depth: NDArray[np.int32]
    """Down to where judging went, by topic."""

    @classmethod
    def of(
        cls, hits: Hits, judged: int, contributing: NDArray[np.bool_], *, stated: bool
    ) -> "Pool":
        """Return what runs put into the pool, its depth not known yet.

        Parameters
        ----------
        hits
            What lists for all judged topics hold.
        judged
            How many judgments there are.
        contributing, stated
            As the fields.
        """
        gap = hits.gap()[contributing].min(axis=0, initial=NEVER)
        return cls(
            hits.best(judged, contributing), gap, contributing, stated, np.zeros(0, np.int32)
        )

    def down_to(
        self, given: PoolDepth, judgments: Judgments, collections: Collections, longest: int
    ) -> "Pool":
        """Return the pool of some topics, with its depth as given or as found.

        Parameters
        ----------
        given
            As for `irframe.cube`; None for the greatest depth down to which every contributing
            run is judged, on all judged topics of the collection, scored or not.
        judgments
            The judgments of the topics.
        collections
            Which collection every topic of the qrels belongs to.
        longest
            The length of the longest list, which stands where no document is unjudged.

        Raises
        ------
        ParameterError
            If none is given for some collection.
        """
        if given is None:
            depth = self._found(collections, longest)[judgments.code]
        else:
            depth = _stated(given, collections, judgments.code)
        stated = self.stated or given is not None
        return replace(self, rank=self.rank[judgments.row], stated=stated, depth=depth)

    def _found(self, collections: Collections, longest: int) -> NDArray[np.int32]:
        if not self.contributing.any():
            return np.zeros(len(self.gap), np.int32)
        complete, topics = np.minimum(self.gap - 1, longest), np.arange(len(self.gap))
        return collections.reduce(np.minimum, topics, complete, longest).astype(np.int32)

    def word(self, judgments: Judgments) -> str:
        """Return what is known of it: it was stated, is complete, or is unknown."""
        if self.stated:
            return "stated"
        deepest = self.depth[judgments.topic]
        return "complete" if ((self.rank > 0) & (self.rank <= deepest)).all() else "unknown"

    def count(self, judgments: Judgments, depth: int) -> NDArray[np.int64]:
        """Count the judged documents in the pool of every depth, shape (topic, depth, level)."""
        deepest = np.minimum(self.depth - 1, depth)
        rows = np.flatnonzero((self.rank > 0) & (self.rank <= deepest[judgments.topic]))
        level = np.searchsorted(judgments.levels, judgments.grade[rows])
        known = judgments.topic[rows], self.rank[rows], level
        return count_pool(judgments.levels_of, deepest, *known, depth=depth)


def _stated(
    given: int | Mapping[Hashable, int], collections: Collections, topics: Codes
) -> NDArray[np.int32]:
    """Return the depth that was given for the collection of each topic."""
    if not isinstance(given, Mapping):
        return np.full(len(topics), given, np.int32)
    part, labels = collections.of_topic[topics], collections.labels
    missing = [str(label) for label in labels[np.unique(part)] if label not in given]
    if missing:
        raise ParameterError("a pool_depth for every collection", "none for", "", missing)
    return np.array([given.get(label, 0) for label in labels], np.int32)[part]


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
