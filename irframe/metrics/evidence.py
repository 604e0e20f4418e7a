"""What a kernel may read about a batch of rankings: one vocabulary, each word computed once."""

import inspect
from collections.abc import Callable, Iterator
from functools import cache, cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grades
from irframe.errors import MetricError
from irframe.gains import Binary, Gain
from irframe.metrics import positions
from irframe.metrics.block import Block, TiedBlocks, count_to, share
from irframe.metrics.subtopics import NovelHits, Strata, find_hits
from irframe.names import UNJUDGED

Steps = tuple[Floats, Array]

Word = TypeVar("Word", bound=Callable[..., Any])

JUDGED_WORDS: set[str] = set()
"""Words that depend on judgments and the depth alone, and not on what was retrieved."""


def of_judgments(word: Word) -> Word:
    """Say of a word that it depends on judgments and the depth alone."""
    JUDGED_WORDS.add(word.__name__)
    return word


class Evidence:
    """The vocabulary: what kernels may read about a block of rankings.

    A kernel names what it reads as its parameters; every public name below is such a word.
    The parameters of a word are fields of the metric that asks, and what was computed for one
    metric is kept for the next.

    Parameters
    ----------
    block
        The rankings, all of one top grade.
    prepared
        What words that depend on judgments alone gave for other rankings of the same topics and
        as many ranks; what is new is added. Not for blocks with a pool, which is that of the runs.

    Examples
    --------
    >>> block = Block(
    ...     grade=np.array([2, 0, 1], dtype=np.int16),
    ...     retrieved=np.array(3),
    ...     levels=np.array([0, 1, 2]),
    ...     count=np.array([4, 1, 1]),
    ...     top=2,
    ... )
    >>> Evidence(block).found(rel=1)
    array([1., 1., 2.])
    """

    def __init__(self, block: Block, prepared: dict[tuple[Any, ...], Any] | None = None) -> None:
        self._prepared = prepared
        self._block, self._top = block, max(int(block.top), 1)
        self._grade, self._tied = np.ascontiguousarray(block.grade), block.tied
        self._memory: dict[tuple[Any, ...], Any] = {}
        self.scored: dict[Any, Floats] = {}
        """Scores at every depth, of metrics that are asked for at some fixed ones."""
        self.over_orders = block.tied is not None and not block.leveled
        """Whether scores are means over all orders of tied documents."""

    def read(self, metric: Any, kernel: str = "kernel") -> dict[str, Any]:
        """Return the words that a metric's kernel names."""
        words = parameters(getattr(type(metric), kernel))
        return {word: self._recall(word, metric) for word in words}

    def _recall(self, word: str, metric: Any) -> Any:
        compute = getattr(Evidence, word)
        if not callable(compute):
            return getattr(self, word)
        arguments = [getattr(metric, name) for name in parameters(compute)]
        memory, key = self._memory, (word, *arguments)
        if self._prepared is not None and word in JUDGED_WORDS:
            memory = self._prepared
        value = memory.get(key)
        if value is None:
            value = memory[key] = compute(self, *arguments)
        return value

    def condensed(self) -> "Evidence":
        """Return the same of the rankings without their unjudged documents."""
        if ("condensed",) not in self._memory:
            self._memory["condensed",] = Evidence(self._block.condensed(), self._prepared)
        evidence: Evidence = self._memory["condensed",]
        return evidence

    @property
    def grade(self) -> Grades:
        """Grades by rank, with marks; shape (..., depth)."""
        return self._grade

    @cached_property
    def rank(self) -> Floats:
        """Ranks 1, 2, ..., which are the depths too; shape (depth,)."""
        return np.arange(1.0, self._grade.shape[-1] + 1)

    @cached_property
    def retrieved(self) -> Array:
        """Length of each list; shape (..., 1)."""
        return np.asarray(self._block.retrieved)[..., np.newaxis]

    @cached_property
    def seen(self) -> Array:
        """Documents down to each depth, ``min(depth, length)``; shape (..., depth)."""
        return np.minimum(self.rank, self.retrieved)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Whether the document at a rank is judged; shape (..., depth)."""
        return np.asarray(self._grade > UNJUDGED)

    @cached_property
    def assessed(self) -> NDArray[np.bool_]:
        """Whether the document at a rank has a grade from 0 on; shape (..., depth).

        To trec_eval a grade below says that a document was pooled, but not judged.
        """
        return np.asarray(self._grade >= 0)

    @cached_property
    def unjudged(self) -> NDArray[np.bool_]:
        """Whether there is a document at a rank and it is unjudged; shape (..., depth)."""
        return np.asarray(self._grade == UNJUDGED)

    def relevant(self, rel: int) -> Array:
        """Whether the document at a rank is relevant, of tied ones a share; shape (..., depth)."""
        return np.asarray(self._grade >= rel) if self._tied is None else self.gain(Binary(), rel)

    def found(self, rel: int) -> Floats:
        """Relevant documents down to each depth; shape (..., depth)."""
        if self._tied is not None:
            return np.cumsum(self.gain(Binary(), rel), axis=-1)
        return count_to(self.relevant(rel))

    def expected_precision(self, rel: int) -> Floats:
        """Precision where relevant, else 0, on average over orders of ties; shape (..., depth)."""
        return self._tied_blocks.precision(self._grade >= rel, self.gain(Binary(), rel))

    def first_chance(self, rel: int) -> Floats:
        """Chance of the first relevant document, over orders of ties, by rank; (..., depth)."""
        return self.stop_chance(Binary(), rel)

    def stop_chance(self, gain: Gain, rel: int) -> Floats:
        """Chance to stop of users whom gain satisfies, over orders of ties; shape (..., depth)."""
        table = self._table(gain, rel, 0.0)
        return self._tied_blocks.stops(self._grade, self._block.levels, table)

    @cached_property
    def _tied_blocks(self) -> TiedBlocks:
        return TiedBlocks.of(self._block)

    def precision(self, rel: int) -> Floats:
        """Share of relevant documents down to each depth; shape (..., depth)."""
        return np.asarray(self.found(rel) / self.rank)

    def search_length(self, rel: int) -> Floats:
        """Irrelevant documents above a rank and the one there; shape (..., depth)."""
        return np.asarray(self.rank - self.found(rel) + 1)

    def missing_length(self, unretrieved: str | int, rel: int) -> Floats:
        """Search length of what is not retrieved down to each depth; shape (..., depth)."""
        if not isinstance(unretrieved, str):
            return np.full(self.found(rel).shape, float(unretrieved))
        return np.asarray(self.seen - self.found(rel) + (unretrieved == "irrel+1"))

    def gain(self, gain: Gain, rel: int) -> Floats:
        """Gain by rank, 0 where unjudged or empty; shape (..., depth)."""
        return self._gains(gain, rel, 0.0)

    def filled_gain(self, gain: Gain, rel: int) -> Floats:
        """Gain by rank, the best there is where unjudged; shape (..., depth)."""
        return self._gains(gain, rel, self.best_gain(gain, rel))

    @of_judgments
    def best_gain(self, gain: Gain, rel: int) -> float:
        """Return what an unjudged document might gain: 1, or the top gain if that is more."""
        grades = np.arange(1 + max(self._top, rel))
        return max(1.0, float(gain.map(grades, rel=rel, top=self._top).max()))

    def _gains(self, gain: Gain, rel: int, unjudged: float) -> Floats:
        table = self._table(gain, rel, unjudged)
        gains: Floats = table[self._grade]
        if self._tied is None:
            return gains
        tail = None
        if self._block.tail is not None and self._block.tail_size is not None:
            count, size = self._block.tail, self._block.tail_size
            level_gain = table[self._block.levels]
            tail = (count @ level_gain + unjudged * (size - count.sum(axis=-1)), size)
        return share(gains, self._tied, tail)

    def _table(self, gain: Gain, rel: int, unjudged: float) -> Floats:
        low = int(self._block.levels[:1].min(initial=0))
        return _gain_table(gain, rel, self._top, low, unjudged)

    def cumulated_gain(self, gain: Gain, rel: int) -> Floats:
        """Gain summed down to each depth; shape (..., depth)."""
        if gain == Binary():
            return self.found(rel)
        return np.cumsum(self.gain(gain, rel), axis=-1)

    @of_judgments
    def n_relevant(self, rel: int) -> Array:
        """Return R, the number of relevant judged documents; shape (..., 1)."""
        return self._at_least(self._block.count, rel)[..., np.newaxis]

    @of_judgments
    def n_nonrelevant(self, rel: int) -> Array:
        """Return N, the judged documents of grades from 0 on, not relevant; shape (..., 1)."""
        count = self._block.count
        total: Array = self._at_least(count, 0) - self._at_least(count, rel)
        return total[..., np.newaxis]

    @of_judgments
    def normaliser(self, norm: str, rel: int) -> Floats:
        """Divisor of AP and Q, infinite where there is nothing to divide by.

        Shape (..., 1) for ``"R"``, (..., depth) for ``"min"`` and ``"pool"``.
        """
        if norm == "pool":
            return positions.positive(self._at_least(self.pool_count, rel))
        n_relevant = positions.positive(self.n_relevant(rel))
        limited = np.minimum(n_relevant, self.rank)
        return n_relevant if norm == "R" else np.where(np.isinf(n_relevant), np.inf, limited)

    @of_judgments
    def ideal_steps(self, gain: Gain, rel: int) -> Steps:
        """Ideal ranking: the distinct gains, and how many documents gain as much or more.

        Gains, falling, shape (step,), and the counts, shape (..., 1, step).
        """
        gains, counts = self._staircase(self._block.count, gain, rel)
        return gains, counts[..., np.newaxis, :]

    @of_judgments
    def pool_steps(self, gain: Gain, rel: int, ideal: str) -> Steps | None:
        """Ideal ranking of the pool of every depth, if `ideal` asks for it.

        Gains, shape (step,), and the counts, shape (..., depth, step).
        """
        return self._staircase(self.pool_count, gain, rel) if ideal == "pool" else None

    @of_judgments
    def ideal_gain(self, gain: Gain, rel: int, discount: str, base: float, ideal: str) -> Floats:
        """Discounted gain of the ideal ranking at each depth, infinite for none; (..., depth)."""
        steps, pooled = self.ideal_steps(gain, rel), self.pool_steps(gain, rel, ideal)
        cut = np.full(1, np.inf) if ideal == "full" else self.rank
        total = positions.ideal_sum(*steps, cut, discount, base)
        for depth, at_depth in shallow(pooled, steps):
            gained = positions.ideal_sum(*at_depth, self.rank[:depth], discount, base)
            total[..., depth - 1] = gained[..., -1]
        return positions.positive(total)

    @of_judgments
    def estimated_ideal(self, gain: Gain, rel: int, ideal: str) -> Floats:
        """Return the same of as many documents of each grade as strata make expect, by log2."""
        gained, number = self.strata.ideal(gain.map(self._block.levels, rel=rel, top=self._top))
        read = number if ideal == "full" else np.minimum(self.rank.astype(np.intp), number)
        return positions.positive(np.take_along_axis(gained, read, axis=-1))

    @of_judgments
    def weights(self, discount: str, base: float) -> Floats:
        """Discount of every rank; shape (depth,)."""
        return positions.discounts(discount, base, len(self.rank))

    @of_judgments
    def expected_ranks(self, rel: int) -> positions.ExpectedRanks:
        """Return the ranks that each relevant grade takes in the ideal ranking."""
        return positions.expected_ranks(self._block.levels, self._block.count, rel)

    def relative_position(self, rel: int) -> Array:
        """Return the ranks from each document to where its grade belongs; shape (..., depth)."""
        return positions.relative_position(self._grade, self.expected_ranks(rel))

    def hits(self, rel: int) -> NovelHits:
        """Return the documents that are relevant to subtopics, as `irframe.metrics.subtopics`."""
        doc, start, grade = self._subtopics("doc", "start", "subtopic_grade")
        return find_hits(self._grade >= rel, doc, start, grade, rel)

    def novelty(self, alpha: float, rel: int) -> Floats:
        """Subtopics covered by rank, each earlier hit leaving 1 - alpha; shape (..., depth)."""
        key = ("hits", rel)
        if key not in self._memory:
            self._memory[key] = self.hits(rel)
        return np.asarray(self._memory[key].novelty(alpha))

    @of_judgments
    def ideal_novelty(self, alpha: float, rel: int) -> Floats:
        """Subtopics covered by rank in the best ranking, likewise; shape (..., rank)."""
        gains, variants = self._subtopics("ideal", "ideal_of")
        place = np.flatnonzero((variants == (alpha, rel)).all(axis=1))[0]
        return np.asarray(gains[..., place, :])

    @of_judgments
    def by_subtopic(self, rel: int) -> Array:
        """Relevant documents of every subtopic; shape (..., subtopic)."""
        (count,) = self._subtopics("subtopic_count")
        return self._at_least(count, rel)

    @of_judgments
    def n_subtopics(self, rel: int) -> Array:
        """Subtopics that have a relevant document; shape (..., 1)."""
        return np.asarray((self.by_subtopic(rel) > 0).sum(axis=-1, keepdims=True))

    @cached_property
    def subtopics_apart(self) -> list["Evidence"]:
        """The evidence by the judgments of every subtopic alone."""
        grade, _ = self._subtopics("subtopic_grade", "doc")
        return [Evidence(self._block.of_subtopic(place)) for place in range(grade.shape[1])]

    def _subtopics(self, *names: str) -> list[Array]:
        parts = [getattr(self._block, name) for name in names]
        if self._tied is not None or any(part is None for part in parts):
            wanted = "lists as they are ranked, with their subtopics, for metrics that read these"
            raise MetricError(wanted, "changed or shared ranks")
        return parts

    @cached_property
    def length(self) -> Floats:
        """How long the document at each rank is, as lengths tell; shape (..., depth)."""
        if self._block.length is None:
            wanted = "lengths of what was retrieved"
            raise MetricError(
                wanted, "none", "say what each unit costs: units=ir.Units(length='words'), a column"
            )
        return np.asarray(self._block.length, float)

    @cached_property
    def shown(self) -> Floats:
        """Text down to each depth, repeated text again; shape (..., depth)."""
        return np.cumsum(self._spans("shown"), axis=-1)

    @cached_property
    def covered(self) -> Floats:
        """Evidence that the text down to each depth holds, each part once; shape (..., depth)."""
        return np.cumsum(self._spans("covered"), axis=-1)

    @cached_property
    def evidence(self) -> Floats:
        """How much text is evidence for the topic; shape (..., 1)."""
        return np.asarray(self._spans("evidence"), float)[..., np.newaxis]

    def found_share(self, rel: int) -> Floats:
        """Share of what is needed down to each depth, NaN where nothing is; shape (..., depth).

        Of sets one document or span each is needed, of spans all text, else all documents.
        """
        block = self._block
        if block.completed is not None and block.n_sets is not None:
            found, needed = np.cumsum(block.completed, axis=-1), block.n_sets[..., np.newaxis]
        elif block.evidence is not None:
            found, needed = self.covered, self.evidence
        elif block.subtopic_grade is not None:
            hits = self.hits(rel)
            found, needed = np.cumsum(hits.total(hits.earlier == 0), axis=-1), self.n_subtopics(rel)
        else:
            found, needed = self.found(rel), self.n_relevant(rel)
        return found / np.where(needed > 0, needed, np.nan)

    def _spans(self, name: str) -> Array:
        spans: Array | None = getattr(self._block, name)
        if spans is None:
            wanted = "lists as they are ranked, with the text that they show, for metrics of spans"
            raise MetricError(wanted, "changed lists, or judged documents")
        return spans

    @cached_property
    def strata(self) -> Strata:
        """Return the strata of the pool, as `irframe.metrics.subtopics`; one if none are told."""
        return Strata.of(self._block)

    @cached_property
    def pool_count(self) -> Array:
        """Judged documents at each level in the pool of every depth; (..., depth, level)."""
        if self._block.pool_count is not None:
            return self._block.pool_count
        shape = (*self._block.count.shape[:-1], self._grade.shape[-1], self._block.count.shape[-1])
        return np.broadcast_to(self._block.count[..., np.newaxis, :], shape)

    def _at_least(self, count: Array, rel: int) -> Array:
        return np.asarray(count[..., self._block.levels >= rel].sum(axis=-1))

    def _staircase(self, count: Array, gain: Gain, rel: int) -> Steps:
        order, kept, gains = _gains(gain, rel, self._top, tuple(self._block.levels.tolist()))
        return gains, count[..., order].cumsum(axis=-1)[..., kept]


def shallow(pooled: Steps | None, full: Steps) -> Iterator[tuple[int, Steps]]:
    """Yield the depths at which the pool lacks documents, and its ideal ranking there."""
    if pooled is None:
        return
    gains, counts = pooled
    differs = (counts != full[1]).any(axis=-1)
    for column in np.flatnonzero(differs.any(axis=tuple(range(differs.ndim - 1)))):
        yield int(column) + 1, (gains, counts[..., column : column + 1, :])


@lru_cache(maxsize=256)
def _gains(gain: Gain, rel: int, top: int, levels: tuple[int, ...]) -> tuple[Array, Array, Floats]:
    """Return the order of levels by gain, the last of each gain, and the distinct gains."""
    level_gain = gain.map(np.array(levels, np.int64), rel=rel, top=top)
    order = np.argsort(-level_gain, kind="stable")
    falling = level_gain[order]
    down = falling > np.append(falling[1:], 0.0)
    return order, down, positions.kept(falling[down])


@lru_cache(maxsize=256)
def _gain_table(gain: Gain, rel: int, top: int, low: int, unjudged: float) -> Floats:
    """Return the gain of every grade from the lowest one on; those below 0 count from its end."""
    table, codes = np.zeros(1 << 16), np.arange(low, 1 + max(top, rel))
    table[codes] = gain.map(codes, rel=rel, top=top)
    table[UNJUDGED] = unjudged
    return table


@cache
def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names of what a function takes, besides the object that it is a method of."""
    return tuple(name for name in inspect.signature(function).parameters if name != "self")
