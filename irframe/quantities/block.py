"""Blocks of rankings, and means over orders of tied documents."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grade, Grades
from irframe.names import EMPTY, UNJUDGED


def count_to(flags: Array) -> Floats:
    """Count true flags down to each rank.

    Examples
    --------
    >>> count_to(np.array([True, False, True]))
    array([1., 1., 2.])
    """
    # summing integers and converting the sums is twice as fast for large blocks as summing floats
    return flags.cumsum(axis=-1, dtype=np.int32).astype(np.float64)


def count_above(flags: Array) -> Floats:
    """Count true flags above each rank.

    Examples
    --------
    >>> count_above(np.array([True, False, True]))
    array([0., 1., 1.])
    """
    return np.asarray(count_to(flags) - flags)


def share(gain: Floats, tied: NDArray[np.bool_], tail: tuple[Array, Array] | None = None) -> Floats:
    """Return the mean gain of the documents with equal scores.

    Parameters
    ----------
    gain
        Gain by rank, shape (..., depth).
    tied
        Whether the document has the same score as the document above it, shape (..., depth).
    tail
        Sum of gains, and number, of the documents below the last rank that tie with the last rank.

    Returns
    -------
    numpy.ndarray
        Mean gains, shape (..., depth).

    Examples
    --------
    >>> share(np.array([1.0, 0.0, 1.0]), np.array([False, True, False]))
    array([0.5, 0.5, 1. ])
    """
    first = ~tied
    first[..., 0] = True  # otherwise a block of the flattened rankings could extend over two lists
    starts = np.flatnonzero(first)
    total = np.add.reduceat(gain.ravel(), starts)
    shown = np.diff(starts, append=gain.size)
    size = shown.astype(np.float64)
    if tail is not None:
        last = np.cumsum(first.sum(axis=-1).ravel()) - 1
        total[last] += np.broadcast_to(tail[0], gain.shape[:-1]).ravel()
        size[last] += np.broadcast_to(tail[1], gain.shape[:-1]).ravel()
    return np.repeat(total / size, shown).reshape(gain.shape)


BY_RANKING = (
    *("grade", "retrieved", "tied", "tail", "tail_size", "beyond", "doc"),
    *("shown", "covered", "completed", "length"),
)
"""Names of the fields of `Block` that have one entry per ranking."""
BY_TOPIC = (
    *("count", "pool_count", "top", "pool_depth", "start"),
    *("subtopic_count", "stratum_count", "ideal", "evidence", "n_sets"),
)
"""Names of the fields of `Block` that have one entry per topic."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Rankings and the judgments of their topics.

    Arrays by ranking begin with the dimensions (..., topic), and arrays by topic begin with
    (topic,). A block may also be a single ranking, without a dimension for topics.

    Attributes
    ----------
    grade
        Grades by rank, int16, shape (..., topic, depth). `irframe.names.EMPTY` marks ranks past the
        end of a list, and `irframe.names.UNJUDGED` marks unjudged documents.
    retrieved
        Length of each list, shape (..., topic).
    levels
        Distinct judged grades in ascending order, shape (level,).
    count
        Recall base: number of judged documents of each topic per grade, shape (topic, level).
    top
        Highest grade of the collection, a number or an array by topic.
    pool_count
        Number of judged documents per grade in the pool of each depth, shape (topic, depth, level).
    pool_depth
        Depth of the pool, a number or an array by topic. From the pool depth on, `pool_count`
        equals `count`.
    tied
        Whether a document has the same score as the document above it, shape (..., topic, depth).
        If None, ties are ignored.
    tail, tail_size
        Number of documents below the last rank that tie with the last rank, shape (..., topic,
        level) for the numbers per grade in `tail`, and (..., topic) for the total in `tail_size`.
    leveled
        Whether each tied document has the mean gain of the documents tied with it. If False, scores
        are means over all orders of tied documents.
    beyond
        Number of unjudged documents past the last rank, shape (..., topic).
    doc, start
        `doc` is the index of each document among the judged documents of its topic, shape (...,
        topic, depth). `start` is the index in `subtopic_grade` or `stratum` at which each topic
        begins, shape (topic,).
    subtopic_grade, subtopic_count
        `subtopic_grade` contains the grades of all judged documents, shape (judged, subtopic).
        `subtopic_count` counts judged documents per grade, shape (topic, subtopic, level).
    stratum, stratum_count
        `stratum` is the index of the pool stratum of each judged document, shape (judged,).
        `stratum_count` counts judged documents per grade, shape (topic, stratum, level).
    length, timed
        `length` is the length of the document at each rank, shape (..., topic, depth). `timed` is
        True if metrics read the lengths.
    shown, covered, completed
        Amount of text at each rank, amount of evidence that no document above contains, and number
        of evidence sets completed, for judgments by spans. Shape (..., topic, depth).
    evidence, n_sets
        Amount of evidence and number of evidence sets, for judgments by spans, shape (topic,).
    ideal, ideal_of
        `ideal` contains gains of ideal rankings for judgments by subtopic, shape (topic, variant,
        rank). `ideal_of` contains alpha and lowest relevant grade per variant, shape (variant, 2).

    Examples
    --------
    >>> block = Block(
    ...     grade=np.array([[2, 0, 1], [0, 1, 1]], dtype=np.int16), retrieved=np.array([3, 3]),
    ...     levels=np.array([0, 1, 2]), count=np.array([[4, 1, 1], [1, 2, 0]]),
    ...     top=np.array([2, 1]))
    >>> [(group.top, group.grade.tolist()) for _, group in block.scales()]
    [(1, [[0, 1, 1]]), (2, [[2, 0, 1]])]
    """

    grade: Grades
    retrieved: Array
    levels: Array
    count: Array
    top: Any
    pool_count: Array | None = None
    pool_depth: Any = 0
    tied: NDArray[np.bool_] | None = None
    tail: Array | None = None
    tail_size: Array | None = None
    leveled: bool = False
    beyond: Array | None = None
    doc: Array | None = None
    start: Array | None = None
    subtopic_grade: Grades | None = None
    subtopic_count: Array | None = None
    stratum: Array | None = None
    stratum_count: Array | None = None
    ideal: Array | None = None
    ideal_of: Array | None = None
    length: Array | None = None
    timed: Any = False
    shown: Array | None = None
    covered: Array | None = None
    completed: Array | None = None
    evidence: Array | None = None
    n_sets: Array | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the rankings, (..., topic)."""
        return self.grade.shape[:-1]

    @property
    def hidden(self) -> Array:
        """Number of unjudged documents past the last rank, by ranking."""
        return np.zeros(self.shape, np.int64) if self.beyond is None else self.beyond

    def take(self, *key: int | slice | Array) -> "Block":
        """Return a selection of the rankings.

        Parameters
        ----------
        key
            An integer or slice for each dimension of `shape`, or an array for one dimension.
        """
        # arrays by topic have only the last dimensions, and therefore only the last indices
        by_topic = key[len(key) - self.count.ndim + 1 :]
        return self._map(lambda array: array[key], lambda array: array[by_topic])

    def rows(self) -> "Block":
        """Return the block with rankings flattened to one dimension."""
        shape = self.shape
        inner = self.count.ndim - 1

        def widen(array: Array) -> Array:
            inner_shape = array.shape[inner:]
            return np.broadcast_to(array, (*shape, *inner_shape)).reshape(-1, *inner_shape)

        return self._map(lambda array: array.reshape(-1, *array.shape[len(shape) :]), widen)

    def with_lists(self, grade: Grades, retrieved: Array) -> "Block":
        """Replace the lists of the block; drop ties and lengths."""
        changed = replace(self, grade=grade, retrieved=retrieved)
        bare = replace(changed, length=None, shown=None, covered=None, completed=None)
        return replace(bare, tied=None, tail=None, tail_size=None, doc=None)

    def condensed(self) -> "Block":
        """Return the block without unjudged documents; lists must be uncut."""
        tied = np.zeros(self.grade.shape, bool) if self.tied is None else self.tied
        order, closed, still_tied = close_up(self.grade, tied)
        retrieved = (closed != EMPTY).sum(axis=-1)
        doc = None if self.doc is None else np.take_along_axis(self.doc, order, axis=-1)
        block = replace(self.with_lists(closed, retrieved), doc=doc)
        return block if self.tied is None else replace(block, tied=still_tied)

    def cut(self, depth: int) -> "Block":
        """Return the block cut at a depth, without ties."""
        lost = self.grade[..., depth:] == UNJUDGED
        grade = np.ascontiguousarray(self.grade[..., :depth])
        shorter = self.with_lists(grade, np.minimum(self.retrieved, depth))
        pooled = None if self.pool_count is None else self.pool_count[..., :depth, :]
        return replace(shorter, pool_count=pooled, beyond=self.hidden + lost.sum(axis=-1))

    def scales(self) -> list[tuple[slice | Array, "Block"]]:
        """Group topics by top grade and pool depth.

        Returns
        -------
        list of tuple
            Indices and block of the topics with each pair of top grade and pool depth.
        """
        if np.size(self.top) == np.size(self.pool_depth) == 1:
            top, pool_depth = (np.asarray(value).item() for value in (self.top, self.pool_depth))
            return [(slice(None), self.on_scale(top, pool_depth))]
        scales = np.stack(np.broadcast_arrays(np.ravel(self.top), np.ravel(self.pool_depth)))
        pairs, codes = np.unique(scales, axis=1, return_inverse=True)
        leading = (slice(None),) * (len(self.shape) - 1)
        positions = [np.flatnonzero(codes.ravel() == scale) for scale in range(pairs.shape[1])]
        groups = [self.take(*leading, topics) for topics in positions]
        return [
            (topics, group.on_scale(int(top), int(pool_depth)))
            for topics, group, (top, pool_depth) in zip(positions, groups, pairs.T, strict=True)
        ]

    def on_scale(self, top: int, pool_depth: int) -> "Block":
        """Return the block for one top grade, without higher grades."""
        used = self.levels <= top
        block = replace(self, levels=self.levels[used], top=top, pool_depth=pool_depth)
        if used.all():
            return block
        names = ("count", "pool_count", "tail", "subtopic_count", "stratum_count")
        by_level = {name: getattr(self, name) for name in names}
        return replace(block, **{k: v[..., used] for k, v in by_level.items() if v is not None})

    def of_subtopic(self, subtopic: int) -> "Block":
        """Return the block with the judgments of one subtopic."""
        arrays = self.doc, self.subtopic_grade, self.subtopic_count, self.start
        doc, grades, count, start = map(np.asarray, arrays)
        judged = np.flatnonzero(doc >= 0)
        start = np.broadcast_to(start[..., np.newaxis], doc.shape).ravel()[judged]
        by_subtopic = grades[start + doc.ravel()[judged], subtopic]
        grade = self.grade.copy()
        # EMPTY in `subtopic_grade` marks documents that are judged only for other subtopics
        grade.ravel()[judged] = np.where(by_subtopic == EMPTY, Grade(UNJUDGED), by_subtopic)
        return replace(self, grade=grade, count=count[..., subtopic, :], doc=None, pool_count=None)

    def _map(self, rankings: Callable[[Array], Array], topics: Callable[[Array], Array]) -> "Block":
        changed: dict[str, Any] = {}
        for names, change in ((BY_RANKING, rankings), (BY_TOPIC, topics)):
            for name in names:
                value = getattr(self, name)
                scalar = name in {"top", "pool_depth"} and np.ndim(value) == 0
                if value is not None and not scalar:
                    changed[name] = change(np.asarray(value))
        return replace(self, **changed)


def close_up(grade: Grades, tied: NDArray[np.bool_]) -> tuple[Array, Grades, NDArray[np.bool_]]:
    """Remove unjudged documents from rankings, as trec_eval -J does.

    Documents with negative grades are treated as unjudged.

    Parameters
    ----------
    grade, tied
        Fields of a `Block`, shape (..., depth).

    Returns
    -------
    order, grade, tied
        `order` contains the old position of each document, with judged documents first. `grade` and
        `tied` are the fields of the new rankings.

    Examples
    --------
    >>> grade, tied = np.array([1, UNJUDGED, 0], np.int16), np.array([False, True, True])
    >>> [array.tolist() for array in close_up(grade, tied)]
    [[0, 2, 1], [1, 0, -32768], [False, True, False]]
    """
    judged = grade >= 0
    order = np.argsort(~judged, axis=-1, kind="stable")
    inside = np.take_along_axis(judged, order, axis=-1)
    closed = np.where(inside, np.take_along_axis(grade, order, axis=-1), Grade(EMPTY))
    # documents after the same number of block starts have equal scores, so they still tie
    block = np.take_along_axis(np.cumsum(~tied, axis=-1), order, axis=-1)
    still_tied = np.zeros(grade.shape, bool)
    still_tied[..., 1:] = (block[..., 1:] == block[..., :-1]) & inside[..., 1:]
    return order, closed, still_tied


def by_scale(block: Block, compute: Callable[[Block], Iterator[Array]]) -> Iterator[Array]:
    """Compute arrays, grouping topics by top grade and pool depth.

    Parameters
    ----------
    block
        Rankings whose topics may differ in top grade and pool depth.
    compute
        Function that takes a block with one top grade and one pool depth, and yields arrays of
        shape (..., topic, depth).

    Yields
    ------
    numpy.ndarray
        The arrays of `compute`, combined for all topics.
    """
    groups = block.scales()
    if len(groups) == 1:
        yield from compute(groups[0][1])
        return
    for arrays in zip(*(compute(group) for _, group in groups), strict=True):
        combined = np.empty((*block.shape, arrays[0].shape[-1]))
        for (topics, _), array in zip(groups, arrays, strict=True):
            combined[..., topics, :] = array
        yield combined


@dataclass(frozen=True, kw_only=True)
class TiedBlocks:
    """Groups of documents with equal scores in rankings.

    A group of documents with equal scores is called a block. Other documents are blocks of size 1.

    Attributes
    ----------
    offset
        Number of documents of the same block above each rank, shape (..., depth).
    starts
        Index of the first document of each block in the flattened rankings, shape (block,).
    shown
        Number of documents of each block down to the last rank, shape (block,).
    size
        Number of documents of each block, including documents past the last rank, shape (block,).
    hidden, last
        `hidden` is the number of documents past the last rank in the block of the last rank, shape
        (ranking, level). `last` is the index of the block of the last rank, shape (ranking,).
        `hidden` and `last` are empty if `Block.tail` is None.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in the
       presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38

    Examples
    --------
    One of two tied documents is relevant, and the document below them is relevant too:

    >>> grade = np.array([0, 1, 1], dtype=np.int16)
    >>> block = Block(
    ...     grade=grade, tied=np.array([False, True, False]), retrieved=np.array(3),
    ...     levels=np.array([0, 1]), count=np.array([1, 2]), top=1)
    >>> blocks = TiedBlocks.of(block)
    >>> blocks.precision(grade == 1, np.array([0.5, 0.5, 1])).round(3)
    array([0.5  , 0.25 , 0.667])
    >>> blocks.stops(grade, block.levels, np.array([0.0, 1.0]))
    array([0.5, 0.5, 0. ])
    """

    offset: NDArray[np.int64]
    starts: NDArray[np.int64]
    shown: NDArray[np.int64]
    size: NDArray[np.int64]
    hidden: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, block: Block) -> "TiedBlocks":
        """Return the groups of tied documents in rankings."""
        shape = block.grade.shape
        levels = len(block.levels)
        first = np.ones(shape, bool) if block.tied is None else ~block.tied
        first[..., 0] = True
        starts = np.flatnonzero(first)
        shown = np.diff(starts, append=first.size)
        hidden = np.zeros((0, levels), np.int64)
        last = starts[:0]
        size = shown.copy()
        if block.tail is not None and block.tail_size is not None:
            last = np.cumsum(first.sum(axis=-1).ravel()) - 1
            hidden = np.broadcast_to(block.tail, (*shape[:-1], levels)).reshape(-1, levels)
            size[last] += np.broadcast_to(block.tail_size, shape[:-1]).ravel()
        offset = (np.arange(first.size) - np.repeat(starts, shown)).reshape(shape)
        return cls(offset=offset, starts=starts, shown=shown, size=size, hidden=hidden, last=last)

    def _above(self, down_to: Array, first: float) -> Floats:
        """Return values cumulated above the block of each rank."""
        before = np.concatenate([np.full_like(down_to[..., :1], first), down_to[..., :-1]], axis=-1)
        at_start = before.ravel()[self.starts]
        return np.repeat(at_start, self.shown).reshape(down_to.shape)

    def precision(self, relevant: NDArray[np.bool_], share: Floats) -> Floats:
        """Return the expected precision at each rank.

        The expected precision is the mean over all orders of tied documents. The precision is set
        to 0 in orders with a non-relevant document at the rank.

        Parameters
        ----------
        relevant
            Whether the document at each rank is relevant, shape (..., depth).
        share
            Share of relevant documents in the block of each rank, shape (..., depth).

        Notes
        -----
        Let n be the number of documents of a block, r the number of its relevant documents, and c
        the number of relevant documents above the block. At offset j of the block, the expected
        precision is ``r/n (c + 1 + j (r - 1) / (n - 1))``, divided by the rank.
        """
        size = np.repeat(self.size, self.shown).reshape(share.shape)
        above = self._above(np.cumsum(relevant, axis=-1, dtype=np.float64), 0.0)
        # given that the document is relevant, r - 1 of the other n - 1 documents are relevant
        tied_hits = self.offset * (share * size - 1) / np.maximum(size - 1, 1)
        return share * (above + 1 + tied_hits) / np.arange(1.0, share.shape[-1] + 1)

    def stops(self, grade: Grades, levels: Array, table: Floats) -> Floats:
        """Return the probability that users stop at each rank.

        Users stop at a document with a probability equal to its gain. Probabilities are means over
        all orders of tied documents.

        Parameters
        ----------
        grade
            Grades by rank, shape (..., depth).
        levels
            The distinct judged grades, shape (level,).
        table
            Table of gains that is indexed by grade, with gain 0 for empty ranks and unjudged
            documents. Negative grades are indices from the end of the table.

        Notes
        -----
        Suppose that n documents come in random order, and that each leaves users unsatisfied with
        its own probability x. After j documents, the probability that users still read is E_j =
        e_j(x) / C(n, j), where e_j is the elementary symmetric polynomial. Adding a document with
        probability x to the n documents changes E_j to ``E_j = (1 - j/(n + 1)) E_j + j/(n + 1) x
        E_(j-1)``. Each round of the loop adds a document with gain to every block.
        """
        block = np.repeat(np.arange(len(self.starts)), self.shown)
        offset = self.offset.ravel()
        lists, below = np.nonzero(self.hidden * (table[levels] != 0))
        times = self.hidden[lists, below]
        gaining = np.flatnonzero(table[grade])
        owner = np.append(block[gaining], np.repeat(self.last[lists], times))
        code = np.append(grade.ravel()[gaining], np.repeat(np.asarray(levels)[below], times))
        # sorting by grade makes rounding errors independent of the order of tied documents
        order = np.lexsort((code, owner))
        owner = owner[order]
        count = np.bincount(owner, minlength=len(self.starts))
        number = np.arange(len(owner)) - (np.cumsum(count) - count)[owner]
        # documents without gain stop nobody: once all of them are added, every E_j is still 1
        added = self.size - count
        reading = np.ones(grade.size)
        gain = np.zeros(len(self.starts))
        for added_before in range(int(count.max(initial=0))):
            has_more = count > added_before
            is_added = number == added_before
            added += has_more
            gain[owner[is_added]] = table[code[order[is_added]]]
            ranks = np.flatnonzero(has_more[block])
            weight = np.minimum((offset[ranks] + 1) / added[block[ranks]], 1)
            above = np.where(offset[ranks] > 0, reading[ranks - 1], 1.0)
            unsatisfied = 1 - gain[block[ranks]]
            reading[ranks] = (1 - weight) * reading[ranks] + weight * unsatisfied * above
        stopped = np.where(offset > 0, np.roll(reading, 1), 1.0) - reading
        passed = np.cumprod(1 - table[grade], axis=-1)
        return self._above(passed, 1.0) * stopped.reshape(grade.shape)
