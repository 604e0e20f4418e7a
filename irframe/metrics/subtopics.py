"""What judgments say besides grades: the strata of a pool, and subtopics of documents."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grades
from irframe.errors import MetricError
from irframe.metrics.block import Block, count_above, count_to
from irframe.names import UNJUDGED

__all__ = ["EPSILON", "NovelHits", "Strata", "find_hits", "ideal_gains", "stretch"]


EPSILON = 0.00001
"""Smoothing of a share of relevant documents, as in trec_eval and sample_eval.pl."""
LONGEST = 1000
"""How many ranks of a list, and of the ideal ranking, sample_eval.pl reads."""


@dataclass(frozen=True, eq=False)
class Strata:
    """From which stratum of the pool the documents of rankings are, and how many there are.

    Parameters
    ----------
    code
        The stratum of the document at a rank, -1 outside the pool and past the ranks that are
        read, shape (..., depth).
    size, judged
        How many documents of a stratum were pooled, and judged, shape (..., stratum).
    level_count
        How many were judged at each level, none at levels below 0, shape (..., stratum, level).
    levels
        The grades that occur, ascending.
    given
        Whether strata were told; if not, the pool is one.
    """

    code: Array
    size: Array
    judged: Array
    level_count: Array
    levels: Array
    given: bool

    @classmethod
    def of(cls, block: Block) -> "Strata":
        """Read the strata of a block of rankings."""
        pooled = block.grade > UNJUDGED
        stratum, count = block.stratum, block.stratum_count
        given = stratum is not None and count is not None
        if stratum is None or count is None:
            code, count = pooled.astype(np.int32) - 1, block.count[..., np.newaxis, :]
        elif block.doc is None or block.start is None:
            wanted = "lists as they are ranked, for metrics that read strata"
            raise MetricError(wanted, "changed or shared ranks")
        else:
            place = np.asarray(block.start)[..., np.newaxis] + np.where(pooled, block.doc, 0)
            padded = np.append(np.asarray(stratum, np.int32), np.int32(-1))
            code = np.where(pooled, padded[place], np.int32(-1))
        code[..., LONGEST:] = -1
        known = np.where(np.asarray(block.levels) >= 0, count, 0)
        return cls(
            code, count.sum(axis=-1), known.sum(axis=-1), known, np.asarray(block.levels), given
        )

    @property
    def worth(self) -> Floats:
        """How many documents of a stratum each judged one stands for; shape (..., stratum)."""
        judged = np.asarray(self.judged)
        return np.where(judged > 0, self.size / np.maximum(judged, 1), 0.0)

    @property
    def estimated_count(self) -> Floats:
        """How many documents there are at each level, as estimated; shape (..., level)."""
        judged = np.where(self.judged > 0, self.judged, 1)[..., np.newaxis]
        return np.asarray((self.level_count * self.size[..., np.newaxis] / judged).sum(axis=-2))

    def ideal(self, gain: Floats) -> tuple[Floats, Array]:
        """Walk down the ideal ranking of as many documents of each level as are expected.

        Parameters
        ----------
        gain
            What a document of each level gains, shape (level,).

        Returns
        -------
        tuple of numpy.ndarray
            Discounted gain of the first 0, 1, ... documents, shape (..., 1 + documents), and how
            many documents there are, shape (..., 1).

        Notes
        -----
        As sample_eval.pl does: numbers of documents are no whole ones, so that the ranks of a level
        may begin anywhere, and a level ends at the first rank from 1000 on.
        """
        counts, begun = self.estimated_count, np.zeros((*self.size.shape[:-1], 1))
        steps = np.ones((*begun.shape[:-1], int(min(LONGEST, counts.max(initial=0) + 1))))
        terms, there = [np.zeros((*begun.shape[:-1], 0))], [np.zeros((*begun.shape[:-1], 0), bool)]
        for level in np.argsort(gain, kind="stable")[::-1]:
            if gain[level] <= 0:
                break
            rank = np.cumsum(np.concatenate([begun, steps], axis=-1), axis=-1)
            before, rank = rank[..., :-1], rank[..., 1:]
            end = begun + counts[..., level, np.newaxis]
            there.append((rank <= end) & ((before < LONGEST) | (before == begun)))
            terms.append(gain[level] / np.log2(rank + 1))
            begun = end
        inside = np.concatenate(there, axis=-1)
        order = np.argsort(~inside, axis=-1, kind="stable")
        gained = np.take_along_axis(np.concatenate(terms, axis=-1) * inside, order, axis=-1)
        gained = np.concatenate([np.zeros(begun.shape), gained], axis=-1)
        return np.cumsum(gained, axis=-1), inside.sum(axis=-1, keepdims=True)

    def estimated_relevant(self, rel: int) -> Floats:
        """Return how many relevant documents there are, as estimated; shape (..., 1)."""
        return np.asarray(self.estimated_count[..., self.levels >= rel].sum(axis=-1, keepdims=True))

    def at_rank(self, values: Floats) -> Floats:
        """Return what strata have for the document at each rank, 0 outside the pool."""
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        wide = np.broadcast_to(padded, (*self.code.shape[:-1], padded.shape[-1]))
        return np.take_along_axis(wide, self.code % padded.shape[-1], axis=-1)

    def members(self) -> Iterator[NDArray[np.bool_]]:
        """Yield, stratum by stratum, whether the document at a rank is of it."""
        for stratum in range(self.size.shape[-1]):
            yield self.code == stratum

    def relevant_above(self, relevant: Array, assessed: Array) -> Floats:
        """Return how many relevant documents are expected above each rank, shape (..., depth)."""
        total = np.zeros(self.code.shape)
        for inside in self.members():
            pooled, seen, hits = (count_above(inside & part) for part in (True, assessed, relevant))
            total += pooled * (hits + EPSILON) / (seen + 3 * EPSILON)
        return total

    def inflated(self, gain: Floats, assessed: Array) -> Floats:
        """Return gain down to each depth, that of what was not judged as of what was beside it."""
        total = np.zeros(self.code.shape)
        for inside in self.members():
            pooled, seen = (count_to(inside & part) for part in (True, assessed))
            gained = np.cumsum(gain * inside, axis=-1)
            total += np.divide(pooled * gained, seen, out=np.zeros(seen.shape), where=seen > 0)
        return total


TOPICS = 256
"""Topics whose ideal rankings are made together."""
TIE = 12
"""Decimals to which gains are rounded before one of them is the best."""


@dataclass(frozen=True, eq=False)
class NovelHits:
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

    def total(self, worth: Array) -> Floats:
        """Add up by rank what hits are worth for the subtopics they cover; shape (..., depth)."""
        return self._laid_out((self.covers * worth).sum(axis=1))

    def _laid_out(self, values: Array) -> Floats:
        array = np.zeros(self.shape)
        array.ravel()[self.cell] = values
        return array

    def novelty(self, alpha: float) -> Floats:
        """Return gains by rank, each earlier hit on a subtopic leaving 1 - alpha of one."""
        pair = np.flatnonzero(self.covers)
        earlier = self.earlier.ravel()[pair]
        decay = (1.0 - alpha) ** np.arange(1 + int(earlier.max(initial=0)))
        hit = pair // max(1, self.covers.shape[1])
        return self._laid_out(np.bincount(hit, decay[earlier], minlength=len(self.cell)))


def find_hits(
    relevant: NDArray[np.bool_], doc: Array, start: Array, grade: Grades, rel: int
) -> NovelHits:
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
    >>> grade = np.array([[1, 0], [1, 1]], np.int16)
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
    return NovelHits(cell, covers, earlier, relevant.shape)


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

    Examples
    --------
    >>> covers = np.array([[True, False], [True, True], [True, False]])
    >>> ideal_gains(covers, np.zeros(3, int), 1, 0.5)
    array([[2.  , 0.5 , 0.25]])
    """
    relevant = covers.any(axis=1)
    covers, topic = covers[relevant], topic[relevant]
    parts = []
    for low in range(0, topics, TOPICS):
        inside = (topic >= low) & (topic < low + TOPICS)
        number = min(TOPICS, topics - low)
        parts.append(_greedy(covers[inside], topic[inside] - low, number, alpha))
    longest = max((part.shape[1] for part in parts), default=0)
    return np.concatenate([np.zeros((0, longest)), *(stretch(part, longest) for part in parts)])


def _greedy(covers: NDArray[np.bool_], topic: Array, topics: int, alpha: float) -> Floats:
    number, every = np.bincount(topic, minlength=topics), np.arange(topics)
    ranks = int(number.max(initial=0))
    order = np.argsort(topic, kind="stable")
    place = np.arange(len(topic)) - np.repeat(np.cumsum(number) - number, number)
    documents = np.zeros((topics, ranks, covers.shape[1]))
    documents[topic[order], place] = covers[order]
    gains, left = np.zeros((topics, ranks)), np.ones((topics, covers.shape[1]))
    free = np.arange(ranks) < number[:, np.newaxis]
    for rank in range(ranks):
        gain = np.matmul(documents, left[:, :, np.newaxis])[..., 0].round(TIE)
        chosen = np.where(free, gain, -1).argmax(axis=1)
        gains[:, rank] = np.where(rank < number, gain[every, chosen], 0)
        free[every, chosen] = False
        left *= np.where(documents[every, chosen] > 0, 1 - alpha, 1)
    return gains
