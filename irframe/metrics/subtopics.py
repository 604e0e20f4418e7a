"""Subtopics: which of them retrieved documents are about, and the ranking that covers them best."""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats

__all__ = ["Hits", "find_hits", "ideal_gains", "stretch"]


TOPICS = 256
"""Topics whose ideal rankings are made together."""
TIE = 12
"""Decimals to which gains are rounded before one of them is the best."""


@dataclass(frozen=True, eq=False)
class Hits:
    """Retrieved documents that are relevant to some subtopic, ranking by ranking.

    Parameters
    ----------
    cell
        Where they are among all ranks of all rankings, ascending.
    covers
        Which subtopics each of them is relevant to, shape (hit, subtopic).
    earlier
        How many documents above it in its ranking are, shape (hit, subtopic).
    shape
        Of the rankings, (..., depth).
    """

    cell: Array
    covers: NDArray[np.bool_]
    earlier: Array
    shape: tuple[int, ...]

    def spread(self, values: Array) -> Array:
        """Return for every hit what its ranking has, of shape (..., subtopic)."""
        whole = np.broadcast_to(values, (*self.shape[:-1], values.shape[-1]))
        rankings: Array = whole.reshape(prod(self.shape[:-1]), values.shape[-1])
        found: Array = rankings[self.cell // self.shape[-1]]
        return found

    def total(self, worth: Array) -> Floats:
        """Add up by rank what hits are worth for the subtopics they cover; shape (..., depth)."""
        return self._laid_out((self.covers * worth).sum(axis=1))

    def _laid_out(self, values: Array) -> Floats:
        found = np.zeros(self.shape)
        found.ravel()[self.cell] = values
        return found

    def novelty(self, alpha: float) -> Floats:
        """Return gains by rank, each earlier hit on a subtopic leaving 1 - alpha of one."""
        pair = np.flatnonzero(self.covers)
        earlier = self.earlier.ravel()[pair]
        decay = (1.0 - alpha) ** np.arange(1 + int(earlier.max(initial=0)))
        hit = pair // max(1, self.covers.shape[1])
        return self._laid_out(np.bincount(hit, decay[earlier], minlength=len(self.cell)))


def find_hits(
    relevant: NDArray[np.bool_], doc: Array, start: Array, grade: NDArray[np.int8], rel: int
) -> Hits:
    """Find retrieved documents that are relevant to some subtopic.

    Parameters
    ----------
    relevant
        Whether the document at a rank is relevant to any, shape (..., topic, depth).
    doc
        Its place among the judged documents of its topic, shape (..., topic, depth).
    start
        Where those of each topic begin, shape (topic,).
    grade
        Grades of all judged documents by subtopic, shape (judged, subtopic).
    rel
        Lowest relevant grade.

    Examples
    --------
    >>> grade = np.array([[1, 0], [1, 1]], np.int8)
    >>> hits = find_hits(np.array([True, True]), np.array([1, 0]), np.array(0), grade, 1)
    >>> hits.novelty(0.5)
    array([2. , 0.5])
    """
    cell = np.flatnonzero(relevant)
    ranking = cell // relevant.shape[-1]
    first = np.broadcast_to(start, relevant.shape[:-1]).ravel()[ranking]
    covers = grade[first + doc.ravel()[cell]] >= rel
    above = np.cumsum(covers, axis=0, dtype=np.int32) - covers
    begins = np.flatnonzero(np.diff(ranking, prepend=-1))
    lengths = np.diff(begins, append=len(cell))
    earlier = above - np.repeat(above[begins], lengths, axis=0)
    return Hits(cell, covers, earlier, relevant.shape)


def stretch(gains: Floats, depth: int) -> Floats:
    """Return gains by rank down to a depth, 0 where there are none any more.

    Examples
    --------
    >>> stretch(np.array([2.0, 1.0]), 3), stretch(np.array([2.0, 1.0]), 1)
    (array([2., 1., 0.]), array([2.]))
    """
    whole = np.zeros((*gains.shape[:-1], depth))
    shown = min(depth, gains.shape[-1])
    whole[..., :shown] = gains[..., :shown]
    return whole


def ideal_gains(covers: NDArray[np.bool_], topic: Array, topics: int, alpha: float) -> Floats:
    """Return the gains of the ranking that takes the best document at every rank.

    Parameters
    ----------
    covers
        Which subtopics documents are relevant to, shape (document, subtopic). Where several
        documents are the best, the first of them is taken.
    topic
        The topic of each document.
    topics
        How many topics there are.
    alpha
        What a subtopic loses of its gain with every document that covers it.

    Returns
    -------
    numpy.ndarray
        Gains by rank, shape (topic, rank), 0 after the last document.

    Notes
    -----
    The best ranking at every depth would take forever to find; this one is what is meant by it.
    Documents that cover the same subtopics are taken one after the other, so that a rank costs as
    much as there are kinds of documents.

    Examples
    --------
    >>> covers = np.array([[True, False], [True, True], [True, False]])
    >>> ideal_gains(covers, np.zeros(3, int), 1, 0.5)
    array([[2.  , 0.5 , 0.25]])
    """
    some = covers.any(axis=1)
    covers, topic = covers[some], topic[some]
    parts = []
    for low in range(0, topics, TOPICS):
        inside = (topic >= low) & (topic < low + TOPICS)
        number = min(TOPICS, topics - low)
        parts.append(_greedy(covers[inside], topic[inside] - low, number, alpha))
    longest = max((part.shape[1] for part in parts), default=0)
    return np.concatenate([np.zeros((0, longest)), *(stretch(part, longest) for part in parts)])


def _greedy(covers: NDArray[np.bool_], topic: Array, topics: int, alpha: float) -> Floats:
    kinds = _Kinds.of(covers, topic, topics)
    ranks = int(np.bincount(topic, minlength=1).max()) if len(topic) else 0
    gains, left = np.zeros((topics, ranks)), np.ones((topics, covers.shape[1]))
    every = np.arange(topics)
    used = np.zeros(kinds.size.shape, np.intp)
    for rank in range(ranks):
        gain = np.matmul(kinds.covers, left[:, :, np.newaxis])[..., 0].round(TIE)
        gain[used >= kinds.size] = -1
        best = gain.max(axis=1)
        chosen = np.where(gain == best[:, np.newaxis], kinds.next(used), len(topic)).argmin(axis=1)
        gains[:, rank] = np.maximum(best, 0)
        used[every, chosen] += 1
        left *= np.where(kinds.covers[every, chosen] > 0, 1 - alpha, 1)
    return gains


@dataclass(frozen=True, eq=False)
class _Kinds:
    """Documents that cover the same subtopics of a topic, by (topic, kind)."""

    covers: Floats
    size: Array
    start: Array
    place: Array

    @classmethod
    def of(cls, covers: NDArray[np.bool_], topic: Array, topics: int) -> "_Kinds":
        packed = np.packbits(covers, axis=1)
        rows = np.column_stack([topic.astype(">i4").view(np.uint8).reshape(-1, 4), packed])
        _, first, kind, size = np.unique(
            rows, axis=0, return_index=True, return_inverse=True, return_counts=True
        )
        owner = topic[first]
        column = np.arange(len(owner)) - np.searchsorted(owner, owner)
        shape = topics, int(column.max(initial=0)) + 1
        patterns = np.zeros((*shape, covers.shape[1]))
        patterns[owner, column] = covers[first]
        sizes, starts = np.zeros(shape, np.intp), np.zeros(shape, np.intp)
        sizes[owner, column] = size
        starts[owner, column] = np.cumsum(size) - size
        return cls(patterns, sizes, starts, np.append(np.argsort(kind.ravel(), kind="stable"), 0))

    def next(self, used: Array) -> Array:
        """Return the document that is next of every kind."""
        places: Array = self.place[np.minimum(self.start + used, len(self.place) - 1)]
        return places
