"""Judgments by pool stratum, and judgments by subtopic."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grades
from irframe.errors import MetricError
from irframe.names import UNJUDGED
from irframe.quantities.block import Block, count_above, count_to

EPSILON = 0.00001
"""Smoothing constant of estimated precision, as in trec_eval and sample_eval.pl."""
POOLED_UNJUDGED = -1
"""Grade of documents that were pooled but not judged."""
LONGEST = 1000
"""Rank at which lists and ideal rankings are cut, as in sample_eval.pl."""


@dataclass(frozen=True, eq=False)
class Strata:
    """Strata of the pool and of the ranked documents.

    Parameters
    ----------
    code
        Stratum of the document at each rank, shape (..., depth). The stratum is -1 for documents
        outside the pool, and for ranks after `LONGEST`.
    size, judged
        Number of pooled documents and number of judged documents per stratum, each of shape (...,
        stratum).
    level_count
        Number of judged documents per stratum and grade, shape (..., stratum, level). Documents
        with negative grades are not counted.
    levels
        Distinct judged grades in ascending order.
    stratified
        Whether the judgments have strata. If False, the pool is a single stratum.
    """

    code: Array
    size: Array
    judged: Array
    level_count: Array
    levels: Array
    stratified: bool

    @classmethod
    def of(cls, block: Block) -> "Strata":
        """Return the strata of a block of rankings."""
        pooled = block.grade > UNJUDGED
        stratum = block.stratum
        count = block.stratum_count
        stratified = stratum is not None and count is not None
        if stratum is None or count is None:
            code = pooled.astype(np.int32) - 1
            count = block.count[..., np.newaxis, :]
        elif block.doc is None or block.start is None:
            expected = "lists in their original order, for metrics that read strata"
            raise MetricError(expected, "reordered lists")
        else:
            index = np.asarray(block.start)[..., np.newaxis] + np.where(pooled, block.doc, 0)
            # if the last topic has no judged documents, its index is one past the end, where -1 is
            # appended
            padded = np.append(np.asarray(stratum, np.int32), np.int32(-1))
            code = np.where(pooled, padded[index], np.int32(-1))
        code[..., LONGEST:] = -1
        levels = np.asarray(block.levels)
        judged = np.where(levels >= 0, count, 0)
        return cls(code, count.sum(axis=-1), judged.sum(axis=-1), judged, levels, stratified)

    @property
    def weight(self) -> Floats:
        """Ratio of pooled to judged documents, shape (..., stratum)."""
        judged = np.asarray(self.judged)
        return np.where(judged > 0, self.size / np.maximum(judged, 1), 0.0)

    @property
    def estimated_count(self) -> Floats:
        """Estimated number of documents per grade, shape (..., level)."""
        judged = np.where(self.judged > 0, self.judged, 1)[..., np.newaxis]
        return np.asarray((self.level_count * self.size[..., np.newaxis] / judged).sum(axis=-2))

    def ideal(self, gain: Floats) -> tuple[Floats, Array]:
        """Return the ideal DCG for the estimated recall base.

        Parameters
        ----------
        gain
            Gain of each grade, shape (level,).

        Returns
        -------
        tuple of numpy.ndarray
            DCG of the first 0, 1, ... documents of the ideal ranking, shape (..., 1 + documents),
            and length of the ideal ranking, shape (..., 1).

        Notes
        -----
        The ideal ranking is defined as in sample_eval.pl. Estimated numbers are not rounded, so
        that the ranks of a grade may be fractions. Documents of one grade are added until
        a rank reaches 1000.
        """
        counts = self.estimated_count
        start = np.zeros((*self.size.shape[:-1], 1))
        steps = np.ones((*start.shape[:-1], int(min(LONGEST, counts.max(initial=0) + 1))))
        terms = [np.zeros((*start.shape[:-1], 0))]
        used = [np.zeros((*start.shape[:-1], 0), bool)]
        for level in np.argsort(gain, kind="stable")[::-1]:
            if gain[level] <= 0:
                break
            ranks = np.cumsum(np.concatenate([start, steps], axis=-1), axis=-1)
            before, rank = ranks[..., :-1], ranks[..., 1:]
            end = start + counts[..., level, np.newaxis]
            # the script tests the last rank only after it has added the first document of a grade
            used.append((rank <= end) & ((before < LONGEST) | (before == start)))
            terms.append(gain[level] / np.log2(rank + 1))
            start = end
        inside = np.concatenate(used, axis=-1)
        # unused ranks differ by topic, and are moved to the end so that the first sums are complete
        order = np.argsort(~inside, axis=-1, kind="stable")
        gained = np.take_along_axis(np.concatenate(terms, axis=-1) * inside, order, axis=-1)
        gained = np.concatenate([np.zeros(start.shape), gained], axis=-1)
        return np.cumsum(gained, axis=-1), inside.sum(axis=-1, keepdims=True)

    def estimated_relevant(self, rel: int) -> Floats:
        """Return the estimated number of relevant documents, shape (..., 1)."""
        return np.asarray(self.estimated_count[..., self.levels >= rel].sum(axis=-1, keepdims=True))

    def at_rank(self, values: Floats) -> Floats:
        """Return the value for the stratum of each ranked document."""
        padded = np.concatenate([values, np.zeros((*values.shape[:-1], 1))], axis=-1)
        wide = np.broadcast_to(padded, (*self.code.shape[:-1], padded.shape[-1]))
        # a document without a stratum has the code -1, which selects the appended 0
        return np.take_along_axis(wide, self.code % padded.shape[-1], axis=-1)

    def members(self) -> Iterator[NDArray[np.bool_]]:
        """Yield a mask of the ranked documents in each stratum."""
        for stratum in range(self.size.shape[-1]):
            yield self.code == stratum

    def relevant_above(self, relevant: Array, assessed: Array) -> Floats:
        """Return the estimated number of relevant documents above each rank."""
        total = np.zeros(self.code.shape)
        for inside in self.members():
            pooled, judged, hits = (
                count_above(inside & flags) for flags in (True, assessed, relevant)
            )
            # sample_eval.pl adds 3 epsilons, and trec_eval adds 2 in infAP
            total += pooled * (hits + EPSILON) / (judged + 3 * EPSILON)
        return total

    def inflated(self, gain: Floats, assessed: Array) -> Floats:
        """Return the cumulated gain, estimated for the full pool.

        The gain of a pooled document without a judgment is estimated by the mean gain of the judged
        documents of its stratum down to the depth.
        """
        total = np.zeros(self.code.shape)
        for inside in self.members():
            pooled, judged = (count_to(inside & flags) for flags in (True, assessed))
            gained = np.cumsum(gain * inside, axis=-1)
            total += np.divide(
                pooled * gained, judged, out=np.zeros(judged.shape), where=judged > 0
            )
        return total


TOPICS = 256
"""Number of topics whose ideal rankings are computed at once, which limits memory."""
TIE = 12
"""Number of decimals to which gains are rounded before comparison, so that rounding errors do not
matter."""


@dataclass(frozen=True, eq=False)
class NovelHits:
    """Retrieved documents that are relevant for a subtopic.

    Parameters
    ----------
    cell
        Index of each document in the flattened rankings, in ascending order, shape (hit,).
    covers
        Whether each document is relevant for each subtopic, shape (hit, subtopic).
    earlier
        Number of documents higher in the list that are relevant for the subtopic, shape (hit,
        subtopic).
    shape
        Shape of the rankings, (..., depth).
    """

    cell: Array
    covers: NDArray[np.bool_]
    earlier: Array
    shape: tuple[int, ...]

    def total(self, weight: Array) -> Floats:
        """Return the summed weight of subtopics covered at each rank."""
        return self._by_rank((self.covers * weight).sum(axis=1))

    def _by_rank(self, values: Array) -> Floats:
        array = np.zeros(self.shape)
        array.ravel()[self.cell] = values
        return array

    def novelty(self, alpha: float) -> Floats:
        """Return the novelty-biased gain by rank.

        The gain of a subtopic is 1, multiplied by 1 - alpha for each document above that is
        relevant for the subtopic.
        """
        pair = np.flatnonzero(self.covers)
        earlier = self.earlier.ravel()[pair]
        decay = (1.0 - alpha) ** np.arange(1 + int(earlier.max(initial=0)))
        hit = pair // max(1, self.covers.shape[1])
        return self._by_rank(np.bincount(hit, decay[earlier], minlength=len(self.cell)))


def find_hits(
    relevant: NDArray[np.bool_], doc: Array, start: Array, grade: Grades, rel: int
) -> NovelHits:
    """Return the retrieved documents that are relevant for any subtopic.

    Parameters
    ----------
    relevant
        Whether the document at each rank is relevant for any subtopic, shape (..., topic, depth).
    doc
        Index of each document among the judged documents of its topic, shape (..., topic, depth).
    start
        Index in `grade` at which each topic begins, shape (topic,).
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
    # the cumulated sums run over all rankings, so each ranking subtracts the sum at its start
    earlier = above - np.repeat(above[begins], lengths, axis=0)
    return NovelHits(cell, covers, earlier, relevant.shape)


def stretch(gains: Floats, depth: int) -> Floats:
    """Cut gains at a depth, or pad them with 0.

    Examples
    --------
    >>> stretch(np.array([2.0, 1.0]), 3), stretch(np.array([2.0, 1.0]), 1)
    (array([2., 1., 0.]), array([2.]))
    """
    padded = np.zeros((*gains.shape[:-1], depth))
    common = min(depth, gains.shape[-1])
    padded[..., :common] = gains[..., :common]
    return padded


def ideal_gains(covers: NDArray[np.bool_], topic: Array, topics: int, alpha: float) -> Floats:
    """Return the gains of the greedy ideal ranking.

    Parameters
    ----------
    covers
        Whether each document is relevant for each subtopic, shape (document, subtopic). If several
        documents have the highest gain, the first document in this array is chosen.
    topic
        Index of the topic of each document, shape (document,).
    topics
        Number of topics.
    alpha
        Share by which the gain of a subtopic falls with each document that covers the subtopic.

    Returns
    -------
    numpy.ndarray
        Gains by rank, shape (topic, rank), 0 past the last document.

    Notes
    -----
    Finding the best ranking is NP-hard. By convention, the ideal ranking is the greedy ranking,
    which has the document with the highest gain among the remaining documents at every rank.

    Examples
    --------
    >>> covers = np.array([[True, False], [True, True], [True, False]])
    >>> ideal_gains(covers, np.zeros(3, int), 1, 0.5)
    array([[2.  , 0.5 , 0.25]])
    """
    relevant = covers.any(axis=1)
    covers, topic = covers[relevant], topic[relevant]
    groups = []
    for low in range(0, topics, TOPICS):
        inside = (topic >= low) & (topic < low + TOPICS)
        number = min(TOPICS, topics - low)
        groups.append(_greedy(covers[inside], topic[inside] - low, number, alpha))
    longest = max((gains.shape[1] for gains in groups), default=0)
    return np.concatenate([np.zeros((0, longest)), *(stretch(gains, longest) for gains in groups)])


def _greedy(covers: NDArray[np.bool_], topic: Array, topics: int, alpha: float) -> Floats:
    """Return the gains of greedy rankings for some topics."""
    row = np.arange(topics)
    number = np.bincount(topic, minlength=topics)
    ranks = int(number.max(initial=0))
    order = np.argsort(topic, kind="stable")
    offset = np.arange(len(topic)) - np.repeat(np.cumsum(number) - number, number)
    documents = np.zeros((topics, ranks, covers.shape[1]))
    documents[topic[order], offset] = covers[order]
    gains = np.zeros((topics, ranks))
    remaining = np.ones((topics, covers.shape[1]))
    free = np.arange(ranks) < number[:, np.newaxis]
    for rank in range(ranks):
        gain = np.matmul(documents, remaining[:, :, np.newaxis])[..., 0].round(TIE)
        # documents are sorted, and argmax takes the first document with the highest gain
        chosen = np.where(free, gain, -1).argmax(axis=1)
        gains[:, rank] = np.where(rank < number, gain[row, chosen], 0)
        free[row, chosen] = False
        remaining *= np.where(documents[row, chosen] > 0, 1 - alpha, 1)
    return gains
