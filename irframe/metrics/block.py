"""A block of rankings with the recall base of their topics, and its tied documents.

What every computation starts from; documents of equal scores in all their orders, each as likely as
any other.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grade, Grades
from irframe.names import EMPTY, UNJUDGED


def count_to(flags: Array) -> Floats:
    """Count flags down to each rank, shape (..., depth).

    Whole numbers are added up several times as fast as others, and as exactly.

    Examples
    --------
    >>> count_to(np.array([True, False, True]))
    array([1., 1., 2.])
    """
    return flags.cumsum(axis=-1, dtype=np.int32).astype(np.float64)


def count_above(flags: Array) -> Floats:
    """Count flags above each rank, shape (..., depth).

    Examples
    --------
    >>> count_above(np.array([True, False, True]))
    array([0., 1., 1.])
    """
    return np.asarray(count_to(flags) - flags)


def share(gain: Floats, tied: NDArray[np.bool_], tail: tuple[Array, Array] | None = None) -> Floats:
    """Give every document of a tied block the block's mean gain.

    Parameters
    ----------
    gain
        Gain by rank, shape (..., depth).
    tied
        Whether the document has the score of the one above it, shape (..., depth).
    tail
        Summed gain and number of the documents past the last rank tied with it, shape (...).

    Returns
    -------
    numpy.ndarray
        Mean gains, shape (..., depth).

    Examples
    --------
    >>> import numpy as np
    >>> share(np.array([1.0, 0.0, 1.0]), np.array([False, True, False]))
    array([0.5, 0.5, 1. ])
    """
    first = ~tied
    first[..., 0] = True
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
"""Fields with a value for every ranking."""
BY_TOPIC = (
    *("count", "pool_count", "top", "pool_depth", "start"),
    *("subtopic_count", "stratum_count", "ideal", "evidence", "n_sets"),
)
"""Fields with a value for every topic, shared by its rankings."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Rankings with what is known of their topics.

    Arrays of rankings have the shape (..., topic), those of topics only (topic,), both with what
    a field adds; a block may also be one ranking, without topics, or have a topic per ranking.

    Attributes
    ----------
    grade
        Grades by rank, int16, shape (..., topic, depth), with the marks `irframe.names.EMPTY` past
        the end of a list and `irframe.names.UNJUDGED` for unjudged documents.
    retrieved
        Length of each list, shape (..., topic).
    levels
        The distinct judged grades, ascending, shape (level,).
    count
        The recall base: judged documents of a topic at each level, shape (topic, level).
    top
        The highest grade of the whole collection, of all topics or by topic.
    pool_count
        As `count` for a pool of every depth, shape (topic, depth, level).
    pool_depth
        Depth of the pool, of all topics or by topic; `pool_count` is `count` from there on.
    tied
        Whether a document has the score of the one ranked above it, shape (..., topic, depth).
        Where given, tied documents share their gain.
    tail, tail_size
        Of the documents past the last rank that are tied with it: how many at each level, shape
        (..., topic, level), and how many in all, shape (..., topic).
    leveled
        Whether tied documents are taken to gain their block's mean for certain, rather than the
        mean to be taken over all their orders.
    beyond
        Unjudged documents past the last rank, shape (..., topic).
    doc, start
        Of judgments by subtopic or stratum: where each document stands in the recall base of its
        topic, shape (..., topic, depth), and where that begins in `subtopic_grade` or `stratum`,
        shape (topic,).
    subtopic_grade
        Grades of all judged documents by subtopic, shape (judged, subtopic).
    subtopic_count
        As `count` for every subtopic, shape (topic, subtopic, level).
    stratum
        The stratum of the pool that each judged document is of, by number, shape (judged,).
    stratum_count
        As `count` for every stratum, shape (topic, stratum, level).
    length, timed
        How long the text at each rank is, shape (..., topic, depth), and whether that is asked for.
    shown, covered, completed
        Of judgments by spans: how much text is at each rank, how much evidence it is the first to
        hold, and how many sets of evidence it completes, shape (..., topic, depth).
    evidence, n_sets
        How much evidence each topic has, and in how many sets, shape (topic,).
    ideal, ideal_of
        Gains of the rankings that cover subtopics best, shape (topic, variant, rank), and for which
        alpha and which lowest relevant grade, shape (variant, 2).

    Examples
    --------
    >>> block = Block(
    ...     grade=np.array([[2, 0, 1], [0, 1, 1]], dtype=np.int16),
    ...     retrieved=np.array([3, 3]),
    ...     levels=np.array([0, 1, 2]),
    ...     count=np.array([[4, 1, 1], [1, 2, 0]]),
    ...     top=np.array([2, 1]),
    ... )
    >>> [(part.top, part.grade.tolist()) for _, part in block.scales()]
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
        """How many rankings there are, by dimension; the last one is the topics."""
        return self.grade.shape[:-1]

    @property
    def hidden(self) -> Array:
        """Unjudged documents past the last rank, none where that is not told."""
        return np.zeros(self.shape, np.int64) if self.beyond is None else self.beyond

    def take(self, *key: Any) -> "Block":
        """Return some rankings.

        Parameters
        ----------
        key
            What to keep of every dimension of `shape`: a slice, a position, or, of one
            dimension, an array.
        """
        by_topic = key[len(key) - self.count.ndim + 1 :]
        return self._map(lambda array: array[key], lambda array: array[by_topic])

    def rows(self) -> "Block":
        """Return the same with a topic per ranking, shape (row,)."""
        shape, inner = self.shape, self.count.ndim - 1

        def widen(array: Array) -> Array:
            rest = array.shape[inner:]
            return np.broadcast_to(array, (*shape, *rest)).reshape(-1, *rest)

        return self._map(lambda array: array.reshape(-1, *array.shape[len(shape) :]), widen)

    def with_lists(self, grade: Grades, retrieved: Array) -> "Block":
        """Return other lists of the same topics, in the one order they have: without ties."""
        changed = replace(self, grade=grade, retrieved=retrieved)
        bare = replace(changed, length=None, shown=None, covered=None, completed=None)
        return replace(bare, tied=None, tail=None, tail_size=None, doc=None)

    def condensed(self) -> "Block":
        """Return the rankings of judged documents alone; of lists that were not cut."""
        tied = np.zeros(self.grade.shape, bool) if self.tied is None else self.tied
        order, closed, still_tied = close_up(self.grade, tied)
        retrieved = (closed != EMPTY).sum(axis=-1)
        moved = None if self.doc is None else np.take_along_axis(self.doc, order, axis=-1)
        kept = replace(self.with_lists(closed, retrieved), doc=moved)
        return kept if self.tied is None else replace(kept, tied=still_tied)

    def cut(self, depth: int) -> "Block":
        """Return the rankings cut at a depth, in the one order they have: without ties."""
        kept, lost = self.grade[..., :depth], self.grade[..., depth:] == UNJUDGED
        shorter = self.with_lists(np.ascontiguousarray(kept), np.minimum(self.retrieved, depth))
        pooled = None if self.pool_count is None else self.pool_count[..., :depth, :]
        return replace(shorter, pool_count=pooled, beyond=self.hidden + lost.sum(axis=-1))

    def scales(self) -> list[tuple[Any, "Block"]]:
        """Return which topics share a top grade and a pool depth, with a block of them each."""
        if np.size(self.top) == np.size(self.pool_depth) == 1:
            top, pool_depth = (np.asarray(part).item() for part in (self.top, self.pool_depth))
            return [(slice(None), self.on_scale(top, pool_depth))]
        shared = np.stack(np.broadcast_arrays(np.ravel(self.top), np.ravel(self.pool_depth)))
        pairs, which = np.unique(shared, axis=1, return_inverse=True)
        others = (slice(None),) * (len(self.shape) - 1)
        places = [np.flatnonzero(which.ravel() == scale) for scale in range(pairs.shape[1])]
        parts = [self.take(*others, topics) for topics in places]
        return [
            (topics, part.on_scale(int(top), int(pool_depth)))
            for topics, part, (top, pool_depth) in zip(places, parts, pairs.T, strict=True)
        ]

    def on_scale(self, top: int, pool_depth: int) -> "Block":
        """Return the same with one top grade, without the levels of other collections above it."""
        there = self.levels <= top
        kept = replace(self, levels=self.levels[there], top=top, pool_depth=pool_depth)
        if there.all():
            return kept
        names = ("count", "pool_count", "tail", "subtopic_count", "stratum_count")
        by_level = {name: getattr(self, name) for name in names}
        return replace(kept, **{k: v[..., there] for k, v in by_level.items() if v is not None})

    def of_subtopic(self, place: int) -> "Block":
        """Return the same by the judgments of one subtopic."""
        arrays = self.doc, self.subtopic_grade, self.subtopic_count, self.start
        doc, grades, count, start = map(np.asarray, arrays)
        known = np.flatnonzero(doc >= 0)
        start = np.broadcast_to(start[..., np.newaxis], doc.shape).ravel()[known]
        own = grades[start + doc.ravel()[known], place]
        grade = self.grade.copy()
        grade.ravel()[known] = np.where(own == EMPTY, Grade(UNJUDGED), own)
        return replace(self, grade=grade, count=count[..., place, :], doc=None, pool_count=None)

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
    """Remove unjudged documents from rankings, and those of grades below 0, as trec_eval -J does.

    Parameters
    ----------
    grade, tied
        As of a `Block`, shape (..., depth).

    Returns
    -------
    order, grade, tied
        Which rank comes first, second, ..., those of judged documents before all others, and what
        is there then.

    Examples
    --------
    >>> grade, tied = np.array([1, UNJUDGED, 0], np.int16), np.array([False, True, True])
    >>> [part.tolist() for part in close_up(grade, tied)]
    [[0, 2, 1], [1, 0, -32768], [False, True, False]]
    """
    judged = grade >= 0
    order = np.argsort(~judged, axis=-1, kind="stable")
    inside = np.take_along_axis(judged, order, axis=-1)
    closed = np.where(inside, np.take_along_axis(grade, order, axis=-1), Grade(EMPTY))
    block = np.take_along_axis(np.cumsum(~tied, axis=-1), order, axis=-1)
    still_tied = np.zeros(grade.shape, bool)
    still_tied[..., 1:] = (block[..., 1:] == block[..., :-1]) & inside[..., 1:]
    return order, closed, still_tied


def by_scale(block: Block, compute: Callable[[Block], Iterator[Array]]) -> Iterator[Array]:
    """Compute on the topics of every scale apart, and put what comes out together again.

    Parameters
    ----------
    block
        Rankings, whose topics may have top grades and pool depths of their own.
    compute
        Takes rankings of one top grade and pool depth, yields arrays (..., topic, depth).

    Yields
    ------
    numpy.ndarray
        One array after the other, of all topics.
    """
    parts = block.scales()
    if len(parts) == 1:
        yield from compute(parts[0][1])
        return
    for arrays in zip(*(compute(part) for _, part in parts), strict=True):
        whole = np.empty((*block.shape, arrays[0].shape[-1]))
        for (topics, _), array in zip(parts, arrays, strict=True):
            whole[..., topics, :] = array
        yield whole


@dataclass(frozen=True, kw_only=True)
class TiedBlocks:
    """Blocks of tied documents, and means over their orders; a document may be a block by itself.

    Attributes
    ----------
    place
        How many documents of its block are above each rank, shape (..., depth).
    starts
        Where blocks begin among all ranks of all rankings, shape (block,).
    shown
        How many ranks of each block are there, shape (block,).
    size
        How many documents are in each block, those past the last rank too, shape (block,).
    hidden, last
        How many of these past the last rank are at each level, shape (ranking, level), and which
        block goes on there, shape (ranking,); of no ranking where that is not told.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in the
       presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38

    Examples
    --------
    One of two tied documents is relevant, and one below:

    >>> grade = np.array([0, 1, 1], dtype=np.int16)
    >>> block = Block(
    ...     grade=grade, tied=np.array([False, True, False]), retrieved=np.array(3),
    ...     levels=np.array([0, 1]), count=np.array([1, 2]), top=1)
    >>> blocks = TiedBlocks.of(block)
    >>> blocks.precision(grade == 1, np.array([0.5, 0.5, 1])).round(3)
    array([0.5  , 0.25 , 0.667])
    >>> gain = np.array([0.0, 1.0])
    >>> blocks.stops(grade, block.levels, gain)
    array([0.5, 0.5, 0. ])
    """

    place: NDArray[np.int64]
    starts: NDArray[np.int64]
    shown: NDArray[np.int64]
    size: NDArray[np.int64]
    hidden: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def of(cls, block: Block) -> "TiedBlocks":
        """Return the blocks of rankings; where no ties are told, every document by itself."""
        shape, levels = block.grade.shape, len(block.levels)
        first = np.ones(shape, bool) if block.tied is None else ~block.tied
        first[..., 0] = True
        starts = np.flatnonzero(first)
        shown = np.diff(starts, append=first.size)
        hidden, last, size = np.zeros((0, levels), np.int64), starts[:0], shown.copy()
        if block.tail is not None and block.tail_size is not None:
            last = np.cumsum(first.sum(axis=-1).ravel()) - 1
            hidden = np.broadcast_to(block.tail, (*shape[:-1], levels)).reshape(-1, levels)
            size[last] += np.broadcast_to(block.tail_size, shape[:-1]).ravel()
        place = (np.arange(first.size) - np.repeat(starts, shown)).reshape(shape)
        return cls(place=place, starts=starts, shown=shown, size=size, hidden=hidden, last=last)

    def _above(self, down_to: Array, nothing: float) -> Floats:
        """Return what there is down to the rank above each block, at each of its ranks."""
        before = np.concatenate(
            [np.full_like(down_to[..., :1], nothing), down_to[..., :-1]], axis=-1
        )
        at_start = before.ravel()[self.starts]
        return np.repeat(at_start, self.shown).reshape(down_to.shape)

    def precision(self, relevant: NDArray[np.bool_], share: Floats) -> Floats:
        """Return the mean of precision at ranks where something relevant is, and 0 at others.

        Parameters
        ----------
        relevant
            Whether the document at a rank is, shape (..., depth).
        share
            Which share of its block is relevant, likewise.

        Notes
        -----
        At place j of a block of n documents, r of them relevant, below c relevant ones, that is
        ``r/n (c + 1 + j (r - 1) / (n - 1))`` by the rank.
        """
        size = np.repeat(self.size, self.shown).reshape(share.shape)
        above = self._above(np.cumsum(relevant, axis=-1, dtype=np.float64), 0.0)
        others = self.place * (share * size - 1) / np.maximum(size - 1, 1)
        return share * (above + 1 + others) / np.arange(1.0, share.shape[-1] + 1)

    def stops(self, grade: Grades, levels: Array, table: Floats) -> Floats:
        """Return the chance to stop at each rank, where documents satisfy as likely as they gain.

        Parameters
        ----------
        grade
            Grades by rank, shape (..., depth).
        levels
            The grades that there are, shape (level,).
        table
            The gain of every grade, those below 0 from its end, and 0 for marks.

        Notes
        -----
        Of n documents that leave users unsatisfied with the chances x, those still read on after
        j documents of a random order with the chance e_j(x) / C(n, j), e_j being the elementary
        symmetric polynomial, for which a further document gives
        ``E_j = (1 - j/(n + 1)) E_j + j/(n + 1) x E_(j-1)``: nobody stops without the documents
        that gain, so that only these are added: of each block one after the other, by grade.
        """
        block, place = np.repeat(np.arange(len(self.starts)), self.shown), self.place.ravel()
        lists, below = np.nonzero(self.hidden * (table[levels] != 0))
        times, there = self.hidden[lists, below], np.flatnonzero(table[grade])
        home = np.append(block[there], np.repeat(self.last[lists], times))
        worth = np.append(grade.ravel()[there], np.repeat(np.asarray(levels)[below], times))
        order = np.lexsort((worth, home))
        home, count = home[order], np.bincount(home, minlength=len(self.starts))
        number = np.arange(len(home)) - (np.cumsum(count) - count)[home]
        known, reading, gain = self.size - count, np.ones(grade.size), np.zeros(len(self.starts))
        for done in range(int(count.max(initial=0))):
            more, now = count > done, number == done
            known += more
            gain[home[now]] = table[worth[order[now]]]
            ranks = np.flatnonzero(more[block])
            part = np.minimum((place[ranks] + 1) / known[block[ranks]], 1)
            above = np.where(place[ranks] > 0, reading[ranks - 1], 1.0)
            reading[ranks] = (1 - part) * reading[ranks] + part * (1 - gain[block[ranks]]) * above
        left = np.where(place > 0, np.roll(reading, 1), 1.0) - reading
        passed = np.cumprod(1 - table[grade], axis=-1)
        return self._above(passed, 1.0) * left.reshape(grade.shape)
