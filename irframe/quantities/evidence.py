"""Quantities of rankings that kernels of metrics read."""

import inspect
from collections.abc import Callable, Hashable, Iterator
from functools import cache, cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grades
from irframe.errors import MetricError
from irframe.gains import Binary, Gain
from irframe.names import UNJUDGED
from irframe.quantities import positions
from irframe.quantities.block import Block, TiedBlocks, count_to, share
from irframe.quantities.subtopics import NovelHits, Strata, find_hits

Steps = tuple[Floats, Array]
Cache = dict[tuple[Hashable, ...], Any]
"""Type of the cache of quantities: a mapping from the name and arguments of a quantity to its
value."""

Quantity = TypeVar("Quantity", bound=Callable[..., object])

JUDGED_ONLY: set[str] = set()
"""Names of quantities that depend on judgments and depth, but not on the rankings."""


def of_judgments(quantity: Quantity) -> Quantity:
    """Mark a quantity that does not depend on rankings (decorator)."""
    JUDGED_ONLY.add(quantity.__name__)
    return quantity


class Evidence:
    """Quantities of a block of rankings that kernels read.

    The parameters of a kernel are names of quantities. The property `grade` and all public methods
    and properties below it are quantities. The parameters of a quantity are parameters of the
    metric, such as `rel`. Quantities are cached, and shared by metrics with the same parameters.
    Quantities have the shape (..., depth) unless stated otherwise.

    Parameters
    ----------
    block
        Rankings of topics with the same top grade.
    prepared
        Cache of quantities that are independent of the rankings. Several blocks may share the cache
        if they have the same topics, the same number of ranks and no pool counts. Pool counts
        depend on the runs. New values are added to the cache.

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

    def __init__(self, block: Block, prepared: Cache | None = None) -> None:
        self._prepared = prepared
        self._block = block
        # gains are divided by the top grade, so a top grade of 0 is replaced by 1
        self._top = max(int(block.top), 1)
        self._grade = np.ascontiguousarray(block.grade)
        self._tied = block.tied
        self._memory: Cache = {}
        self.scored: dict[Hashable, Floats] = {}
        """Cache of scores at every depth, by metric without a fixed depth."""
        self.over_orders = block.tied is not None and not block.leveled
        """Whether scores are means over all orders of tied documents."""

    def read(self, metric: object, kernel: str = "kernel") -> dict[str, Any]:
        """Return the quantities that a kernel reads, by name."""
        # `parameters` caches by function, and every metric object has its own bound method
        names = parameters(getattr(type(metric), kernel))
        return {name: self._cached(name, metric) for name in names}

    def _cached(self, name: str, metric: object) -> Any:
        compute = getattr(Evidence, name)
        if not callable(compute):
            return getattr(self, name)
        arguments = [getattr(metric, field) for field in parameters(compute)]
        key = (name, *arguments)
        memory = self._memory
        # the cache is shared, so that blocks of the same topics compute ideal rankings only once
        if self._prepared is not None and name in JUDGED_ONLY:
            memory = self._prepared
        value = memory.get(key)
        if value is None:
            value = memory[key] = compute(self, *arguments)
        return value

    def condensed(self) -> "Evidence":
        """Return the evidence of the rankings without unjudged documents."""
        if ("condensed",) not in self._memory:
            self._memory["condensed",] = Evidence(self._block.condensed(), self._prepared)
        evidence: Evidence = self._memory["condensed",]
        return evidence

    @property
    def grade(self) -> Grades:
        """Grade, `EMPTY` or `UNJUDGED` at each rank, shape (..., depth)."""
        return self._grade

    @cached_property
    def rank(self) -> Floats:
        """Ranks 1, 2, ..., shape (depth,)."""
        return np.arange(1.0, self._grade.shape[-1] + 1)

    @cached_property
    def retrieved(self) -> Array:
        """Length of each list, shape (..., 1)."""
        return np.asarray(self._block.retrieved)[..., np.newaxis]

    @cached_property
    def seen(self) -> Array:
        """Number of documents down to each depth, ``min(depth, length)``."""
        return np.minimum(self.rank, self.retrieved)

    @cached_property
    def judged(self) -> NDArray[np.bool_]:
        """Whether the document at each rank is judged."""
        return np.asarray(self._grade > UNJUDGED)

    @cached_property
    def assessed(self) -> NDArray[np.bool_]:
        """Whether the grade at each rank is at least 0.

        In trec_eval, negative grades mark pooled documents without a judgment.
        """
        return np.asarray(self._grade >= 0)

    @cached_property
    def unjudged(self) -> NDArray[np.bool_]:
        """Whether the document at each rank is unjudged."""
        return np.asarray(self._grade == UNJUDGED)

    def relevant(self, rel: int) -> Array:
        """Return whether the document at each rank is relevant.

        If documents tie, the value is the share of relevant documents among the documents with the
        same score.
        """
        return np.asarray(self._grade >= rel) if self._tied is None else self.gain(Binary(), rel)

    def found(self, rel: int) -> Floats:
        """Return the number of relevant documents down to each depth."""
        if self._tied is not None:
            return np.cumsum(self.gain(Binary(), rel), axis=-1)
        return count_to(self.relevant(rel))

    def expected_precision(self, rel: int) -> Floats:
        """Return the expected precision at each rank over tie orders."""
        return self._tied_blocks.precision(self._grade >= rel, self.gain(Binary(), rel))

    def first_chance(self, rel: int) -> Floats:
        """Return probabilities of the first relevant document at each rank."""
        return self.stop_chance(Binary(), rel)

    def stop_chance(self, gain: Gain, rel: int) -> Floats:
        """Return the stopping probability at each rank over tie orders."""
        table = self._table(gain, rel, 0.0)
        return self._tied_blocks.stops(self._grade, self._block.levels, table)

    @cached_property
    def _tied_blocks(self) -> TiedBlocks:
        return TiedBlocks.of(self._block)

    def precision(self, rel: int) -> Floats:
        """Return the share of relevant documents down to each depth."""
        return np.asarray(self.found(rel) / self.rank)

    def search_length(self, rel: int) -> Floats:
        """Return the search length of a document at each rank.

        The search length is 1 plus the number of irrelevant documents above.
        """
        return np.asarray(self.rank - self.found(rel) + 1)

    def missing_length(self, unretrieved: str | int, rel: int) -> Floats:
        """Return the search length of documents missing at each depth."""
        if not isinstance(unretrieved, str):
            return np.full(self.found(rel).shape, float(unretrieved))
        return np.asarray(self.seen - self.found(rel) + (unretrieved == "irrel+1"))

    def gain(self, gain: Gain, rel: int) -> Floats:
        """Return the gain by rank, 0 for unjudged documents."""
        return self._gains(gain, rel, 0.0)

    def filled_gain(self, gain: Gain, rel: int) -> Floats:
        """Return gains by rank, with the highest for unjudged documents."""
        return self._gains(gain, rel, self.best_gain(gain, rel))

    @of_judgments
    def best_gain(self, gain: Gain, rel: int) -> float:
        """Return the highest possible gain, at least 1."""
        # an unjudged document may have the grade `rel` even if no judged document has this grade,
        # and the bounds of Lu et al. assume gain 1, which exponential gain does not reach
        grades = np.arange(1 + max(self._top, rel))
        return max(1.0, float(gain.map(grades, rel=rel, top=self._top).max()))

    def _gains(self, gain: Gain, rel: int, unjudged: float) -> Floats:
        table = self._table(gain, rel, unjudged)
        gains: Floats = table[self._grade]
        if self._tied is None:
            return gains
        tail = None
        if self._block.tail is not None and self._block.tail_size is not None:
            count = self._block.tail
            size = self._block.tail_size
            level_gain = table[self._block.levels]
            # `size` also counts unjudged documents, and `count` only judged ones
            tail = (count @ level_gain + unjudged * (size - count.sum(axis=-1)), size)
        return share(gains, self._tied, tail)

    def _table(self, gain: Gain, rel: int, unjudged: float) -> Floats:
        low = int(self._block.levels[:1].min(initial=0))
        return _gain_table(gain, rel, self._top, low, unjudged)

    def cumulated_gain(self, gain: Gain, rel: int) -> Floats:
        """Return the sum of gains down to each depth."""
        if gain == Binary():
            return self.found(rel)
        return np.cumsum(self.gain(gain, rel), axis=-1)

    @of_judgments
    def n_relevant(self, rel: int) -> Array:
        """Return the number of relevant documents, shape (..., 1)."""
        return self._at_least(self._block.count, rel)[..., np.newaxis]

    @of_judgments
    def n_nonrelevant(self, rel: int) -> Array:
        """Return the number of judged non-relevant documents.

        The shape is (..., 1). Documents with negative grades are not counted.
        """
        count = self._block.count
        total: Array = self._at_least(count, 0) - self._at_least(count, rel)
        return total[..., np.newaxis]

    @of_judgments
    def normaliser(self, norm: str, rel: int) -> Floats:
        """Return the divisor of AP and Q, or infinity.

        A divisor of 0 is replaced by infinity. The shape is (..., 1) if `norm` is ``"R"``, and
        (..., depth) otherwise.
        """
        if norm == "pool":
            return positions.positive(self._at_least(self.pool_count, rel))
        n_relevant = positions.positive(self.n_relevant(rel))
        limited = np.minimum(n_relevant, self.rank)
        return n_relevant if norm == "R" else np.where(np.isinf(n_relevant), np.inf, limited)

    @of_judgments
    def ideal_steps(self, gain: Gain, rel: int) -> Steps:
        """Return the ideal ranking as steps of gain.

        The first array contains the distinct gains in descending order, shape (step,). The second
        array contains the number of documents with at least each gain, shape (..., 1, step).
        """
        gains, counts = self._staircase(self._block.count, gain, rel)
        return gains, counts[..., np.newaxis, :]

    @of_judgments
    def pool_steps(self, gain: Gain, rel: int, ideal: str) -> Steps | None:
        """Return the ideal ranking for the pool of each depth.

        The arrays are those of `ideal_steps`, with the shapes (step,) and (..., depth, step). The
        result is None unless `ideal` is ``"pool"``.
        """
        return self._staircase(self.pool_count, gain, rel) if ideal == "pool" else None

    @of_judgments
    def ideal_gain(self, gain: Gain, rel: int, discount: str, base: float, ideal: str) -> Floats:
        """Return ideal DCG at each depth, infinite instead of 0."""
        steps = self.ideal_steps(gain, rel)
        pooled = self.pool_steps(gain, rel, ideal)
        cut = np.full(1, np.inf) if ideal == "full" else self.rank
        total = positions.ideal_sum(*steps, cut, discount, base)
        for depth, at_depth in shallow(pooled, steps):
            gained = positions.ideal_sum(*at_depth, self.rank[:depth], discount, base)
            total[..., depth - 1] = gained[..., -1]
        return positions.positive(total)

    @of_judgments
    def estimated_ideal(self, gain: Gain, rel: int, ideal: str) -> Floats:
        """Return the ideal DCG for the estimated recall base."""
        gained, number = self.strata.ideal(gain.map(self._block.levels, rel=rel, top=self._top))
        length = number if ideal == "full" else np.minimum(self.rank.astype(np.intp), number)
        return positions.positive(np.take_along_axis(gained, length, axis=-1))

    @of_judgments
    def weights(self, discount: str, base: float) -> Floats:
        """Return the discount factor of every rank, shape (depth,)."""
        return positions.discounts(discount, base, len(self.rank))

    @of_judgments
    def expected_ranks(self, rel: int) -> positions.ExpectedRanks:
        """Return the ranks of each relevant grade in ideal rankings."""
        return positions.expected_ranks(self._block.levels, self._block.count, rel)

    def relative_position(self, rel: int) -> Array:
        """Return signed distances of documents from their ideal ranks."""
        return positions.relative_position(self._grade, self.expected_ranks(rel))

    def hits(self, rel: int) -> NovelHits:
        """Return the retrieved documents that are relevant for any subtopic."""
        doc, start, grade = self._subtopic_arrays("doc", "start", "subtopic_grade")
        return find_hits(self._grade >= rel, doc, start, grade, rel)

    def novelty(self, alpha: float, rel: int) -> Floats:
        """Return the novelty-biased gain by rank.

        A document gains 1 for each subtopic for which it is relevant. Each document above that is
        relevant for the same subtopic multiplies this gain by 1 - alpha.
        """
        # `_cached` has the same key, so metrics that read hits or novelty find the hits only once
        key = ("hits", rel)
        if key not in self._memory:
            self._memory[key] = self.hits(rel)
        return np.asarray(self._memory[key].novelty(alpha))

    @of_judgments
    def ideal_novelty(self, alpha: float, rel: int) -> Floats:
        """Return the novelty-biased gain by rank of the ideal ranking."""
        gains, variants = self._subtopic_arrays("ideal", "ideal_of")
        variant = np.flatnonzero((variants == (alpha, rel)).all(axis=1))[0]
        return np.asarray(gains[..., variant, :])

    @of_judgments
    def by_subtopic(self, rel: int) -> Array:
        """Return the number of relevant documents per subtopic."""
        (count,) = self._subtopic_arrays("subtopic_count")
        return self._at_least(count, rel)

    @of_judgments
    def n_subtopics(self, rel: int) -> Array:
        """Return the number of subtopics with a relevant document."""
        return np.asarray((self.by_subtopic(rel) > 0).sum(axis=-1, keepdims=True))

    @cached_property
    def evidence_by_subtopic(self) -> list["Evidence"]:
        """A list with the evidence of each subtopic's judgments."""
        grade, _ = self._subtopic_arrays("subtopic_grade", "doc")
        return [Evidence(self._block.of_subtopic(number)) for number in range(grade.shape[1])]

    def _subtopic_arrays(self, *names: str) -> list[Array]:
        arrays = [getattr(self._block, name) for name in names]
        if self._tied is not None or any(array is None for array in arrays):
            expected = "judgments by subtopic and lists in their original order"
            raise MetricError(expected, "other judgments or reordered lists")
        return arrays

    @cached_property
    def length(self) -> Floats:
        """Length of the document at each rank, shape (..., depth)."""
        if self._block.length is None:
            expected = "lengths of the retrieved documents"
            advice = "name the column with the lengths, as in units=ir.Units(length='words')"
            raise MetricError(expected, "none", advice)
        return np.asarray(self._block.length, float)

    @cached_property
    def shown(self) -> Floats:
        """Amount of text down to each depth, including repeated text."""
        return np.cumsum(self._spans("shown"), axis=-1)

    @cached_property
    def covered(self) -> Floats:
        """Amount of distinct evidence down to each depth."""
        return np.cumsum(self._spans("covered"), axis=-1)

    @cached_property
    def evidence(self) -> Floats:
        """Amount of evidence of the topic, shape (..., 1)."""
        return np.asarray(self._spans("evidence"), float)[..., np.newaxis]

    def found_share(self, rel: int) -> Floats:
        """Return the share of required evidence found at each depth.

        If the judgments have sets, one document or span of each set is required. Without sets,
        judgments of spans require all evidence, judgments by subtopic require a document for every
        subtopic, and other judgments require all relevant documents. The share is NaN if nothing is
        required.
        """
        block = self._block
        if block.completed is not None and block.n_sets is not None:
            reached = np.cumsum(block.completed, axis=-1)
            needed = block.n_sets[..., np.newaxis]
        elif block.evidence is not None:
            reached = self.covered
            needed = self.evidence
        elif block.subtopic_grade is not None:
            hits = self.hits(rel)
            reached = np.cumsum(hits.total(hits.earlier == 0), axis=-1)
            needed = self.n_subtopics(rel)
        else:
            reached = self.found(rel)
            needed = self.n_relevant(rel)
        return reached / np.where(needed > 0, needed, np.nan)

    def _spans(self, name: str) -> Array:
        spans: Array | None = getattr(self._block, name)
        if spans is None:
            expected = "judgments by spans and lists in their original order"
            raise MetricError(expected, "other judgments or reordered lists")
        return spans

    @cached_property
    def strata(self) -> Strata:
        """The strata of the pool and of the ranked documents."""
        return Strata.of(self._block)

    @cached_property
    def pool_count(self) -> Array:
        """Number of judged documents per pool depth and grade."""
        if self._block.pool_count is not None:
            return self._block.pool_count
        # without a pool, all judged documents belong to the pool of every depth
        shape = (*self._block.count.shape[:-1], self._grade.shape[-1], self._block.count.shape[-1])
        return np.broadcast_to(self._block.count[..., np.newaxis, :], shape)

    def _at_least(self, count: Array, rel: int) -> Array:
        return np.asarray(count[..., self._block.levels >= rel].sum(axis=-1))

    def _staircase(self, count: Array, gain: Gain, rel: int) -> Steps:
        order, last, gains = _gains(gain, rel, self._top, tuple(self._block.levels.tolist()))
        return gains, count[..., order].cumsum(axis=-1)[..., last]


def shallow(pooled: Steps | None, full: Steps) -> Iterator[tuple[int, Steps]]:
    """Yield depths at which the pool changes the ideal ranking."""
    if pooled is None:
        return
    gains, counts = pooled
    differs = (counts != full[1]).any(axis=-1)
    for column in np.flatnonzero(differs.any(axis=tuple(range(differs.ndim - 1)))):
        yield int(column) + 1, (gains, counts[..., column : column + 1, :])


@lru_cache(maxsize=256)
def _gains(gain: Gain, rel: int, top: int, levels: tuple[int, ...]) -> tuple[Array, Array, Floats]:
    """Sort grades by decreasing gain.

    The first array is the order of the grades. The second array is True for each sorted grade that
    is the last grade with its gain. The third array contains the distinct positive gains.
    """
    level_gain = gain.map(np.array(levels, np.int64), rel=rel, top=top)
    order = np.argsort(-level_gain, kind="stable")
    falling = level_gain[order]
    down = falling > np.append(falling[1:], 0.0)
    return order, down, positions.read_only(falling[down])


@lru_cache(maxsize=256)
def _gain_table(gain: Gain, rel: int, top: int, low: int, unjudged: float) -> Floats:
    """Return a table of gains that is indexed by grade."""
    # grades are int16, and negative codes such as UNJUDGED index the table from its end
    table = np.zeros(1 << 16)
    codes = np.arange(low, 1 + max(top, rel))
    table[codes] = gain.map(codes, rel=rel, top=top)
    table[UNJUDGED] = unjudged
    return table


@cache
def parameters(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of a function's parameters, without self."""
    return tuple(name for name in inspect.signature(function).parameters if name != "self")
