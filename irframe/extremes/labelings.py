"""Bounds over all labels, for metrics with a recall base."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats, Grade
from irframe.errors import MetricError
from irframe.metrics.ap import Q
from irframe.metrics.base import Metric
from irframe.metrics.facts import facts
from irframe.metrics.ndcg import nDCG
from irframe.names import UNJUDGED
from irframe.quantities.block import Block
from irframe.quantities.evidence import Evidence
from irframe.quantities.positions import discounts, positive

SCALE = 128
"""Number of possible grades above which only the grades that occur in judgments are searched."""


def with_level(block: Block, level: int) -> Block:
    """Return the block with a grade added to its levels."""
    levels = np.union1d(block.levels, [level])
    old = np.searchsorted(levels, block.levels)

    def widen(count: Array) -> Array:
        wide = np.zeros((*count.shape[:-1], len(levels)), np.int64)
        wide[..., old] = count
        return wide

    pooled = None if block.pool_count is None else widen(block.pool_count)
    return replace(block, levels=levels, count=widen(block.count), pool_count=pooled)


def labelled(block: Block, labels: NDArray[np.bool_], beyond: Array, grade: int) -> Evidence:
    """Return the evidence after labelling some unjudged documents.

    Parameters
    ----------
    block
        Rankings with one topic each. The levels of the block contain the grade.
    labels
        Whether the document at each rank is labelled, shape (row, depth).
    beyond
        Number of labelled documents past the last rank, shape (row,).
    grade
        Grade of the labelled documents.
    """
    added = labels.sum(axis=-1) + beyond
    level = int(np.searchsorted(block.levels, grade))
    pooled = None
    count = block.count.copy()
    count[:, level] += added
    if block.pool_count is not None:
        pooled = block.pool_count.copy()
        pooled[:, max(block.pool_depth - 1, 0) :, level] += added[:, np.newaxis]
    filled = np.where(labels, Grade(grade), block.grade)
    return Evidence(replace(block, grade=filled, count=count, pool_count=pooled))


def scale(metric: Metric, levels: Array, top: int) -> Array:
    """Return the grades that an unjudged document may have."""
    return np.union1d(np.arange(1 + max(top, facts(metric).rel)), levels)


def gains_of(metric: Metric, grades: Array, top: int) -> Floats:
    """Return the gains of grades, by default the grades themselves."""
    gain = facts(metric).gain
    if gain is None:
        return grades.astype(float)
    return gain.map(grades, rel=facts(metric).rel, top=top)


def best_grade(metric: Metric, block: Block) -> int:
    """Return the largest of the grades with the highest gain."""
    grades = scale(metric, block.levels, block.top)
    gains = gains_of(metric, grades, block.top)
    return int(grades[len(grades) - 1 - np.argmax(gains[::-1])])


def filled_extremes(metric: Metric, block: Block) -> tuple[Floats, Floats]:
    """Return score bounds if all labels have the best grade.

    For the lower bound, the last unjudged documents have the best grade. For the upper bound, the
    first unjudged documents have the best grade. Every number of labelled documents is tried.

    Parameters
    ----------
    metric
        A metric with `fillings`.
    block
        Rankings with one topic each.

    Returns
    -------
    lower, upper
        Bounds of shape (row, depth), NaN if the score is undefined for all labels.

    Notes
    -----
    Two rankings are scored per unjudged document, so the time is proportional to rows x depth x
    unjudged documents.
    """
    grade = best_grade(metric, block)
    steps = (block.grade == UNJUDGED).sum(axis=-1)
    steps = steps + block.hidden if metric.fillings == "list" else steps
    block = with_level(block, grade)
    lower, upper = np.empty((2, *block.grade.shape))
    piece = np.cumsum(1 + steps) * block.grade.shape[-1] // FILLED
    for rows in np.split(np.arange(len(steps)), np.flatnonzero(np.diff(piece)) + 1):
        lower[rows], upper[rows] = _filled(metric, block.take(rows), steps[rows], grade)
    # if only documents past the list can be relevant, the labels for the upper bound have no score,
    # and both bounds are equal
    return lower, np.fmax(lower, upper)


FILLED = 1 << 13
"""Approximate number of ranks that are scored at once, which limits memory."""


def _filled(metric: Metric, block: Block, steps: Array, grade: int) -> tuple[Floats, Floats]:
    """Return score bounds over all possible numbers of labelled documents.

    `steps` is the largest number of documents to label in each ranking.
    """
    starts = np.cumsum(1 + steps) - 1 - steps
    fillings = block.take(np.repeat(np.arange(len(steps)), 1 + steps))
    step = np.arange(len(fillings.grade)) - np.repeat(starts, 1 + steps)
    unjudged = fillings.grade == UNJUDGED
    position = np.cumsum(unjudged, axis=-1, dtype=np.int32)
    inside = position[:, -1]
    beyond = fillings.hidden
    if metric.fillings == "list":
        beyond_low = np.minimum(step, beyond)
        beyond_high = np.clip(step - inside, 0, beyond)
        inside_low = np.clip(step - beyond, 0, inside)
    else:
        # relevant documents past the list only lower the score, so they are labelled only for the
        # lower bound
        beyond_low = beyond
        beyond_high = np.zeros_like(beyond)
        inside_low = step
    last = unjudged & (position > (inside - inside_low)[:, np.newaxis])
    first = unjudged & (position <= step[:, np.newaxis])
    low = metric.score(labelled(fillings, last, beyond_low, grade))
    high = metric.score(labelled(fillings, first, beyond_high, grade))
    return np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)


STEPS = 1e9
"""Number of steps above which exact bounds of Q are refused. These steps take about a minute."""
ROUND = 4000
"""Overhead of a group of rankings per rank, expressed as the number of steps that take the same
time. Rankings with the same number of unjudged documents form a group.
"""
BLOCK = 1 << 20
"""Maximum number of elements of an array, which limits memory."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Gains of labels that may change the score, highest first.

    `relevant` contains the gains of relevant grades, and `below` the positive gains of other
    grades.
    """

    relevant: Floats
    below: Floats

    @classmethod
    def of(cls, metric: Q, levels: Array, top: int) -> "Labels":
        """Return the labels of a metric for the judged grades."""
        grades = scale(metric, levels, top)
        gains = gains_of(metric, grades, top)
        gains = gains if metric.beta else np.zeros_like(gains)
        if (np.diff(gains) < 0).any():
            raise MetricError("gains that rise with the grade for bounds of Q", repr(metric.gain))
        relevant = np.unique(gains[grades >= metric.rel])[::-1]
        below = np.setdiff1d(gains[grades < metric.rel], [0.0])[::-1]
        return cls(relevant, below)

    @property
    def single(self) -> bool:
        """Whether relevant grades have one gain, and other grades none."""
        return len(self.relevant) == 1 and not len(self.below)

    def counts(self, documents: int) -> Array:
        """Return the number of documents per label, for every labelling."""
        kinds = len(self.relevant) + len(self.below)
        bars = np.array(list(combinations(range(documents + kinds), kinds)), dtype=np.int64)
        edges = np.hstack([np.full((len(bars), 1), -1), bars])
        return np.diff(edges, axis=-1) - 1

    def refuse_long(self, unjudged: Array, depths: Array) -> None:
        """Raise if the bounds would take more than `STEPS` steps."""
        kinds = len(self.relevant) + len(self.below)
        numbers, index = np.unique(unjudged, return_inverse=True)
        n_states = (math.comb(n + kinds, kinds) * (n + 1) for n in numbers.tolist())
        # the number is limited first, because larger binomial coefficients may not fit into a float
        states = [min(number, 1 << 62) for number in n_states]
        steps = float((np.array(states, float)[index.reshape(unjudged.shape)] * depths).sum())
        columns = unjudged.reshape(-1, len(depths)).T
        rounds = [len(np.unique(row)) * depth for row, depth in zip(columns, depths, strict=True)]
        steps += ROUND * float(sum(rounds))
        if steps > STEPS:
            advice = "choose smaller depths with at=, or gain='binary'"
            time = f"{steps:.1e} steps for {kinds} grades with gain"
            raise MetricError(f"bounds of Q that take at most {STEPS:.0e} steps", time, advice)


def labelled_extremes(metric: Q, block: Block, depths: Array) -> tuple[Floats, Floats]:
    """Return the lowest and highest Q over all possible labels.

    Parameters
    ----------
    metric
        The metric.
    block
        Rankings with one topic each.
    depths
        The depths to return, shape (depth,).

    Returns
    -------
    lower, upper
        The lowest and the highest scores, each of shape (row, depth).

    Raises
    ------
    MetricError
        If the computation needs more steps than `STEPS`.

    Notes
    -----
    Let u be the number of unjudged documents down to the depth, and g the number of grades with a
    gain above 0. The time per depth is proportional to rows x depth x u x comb(u + g, g).
    """
    labels = Labels.of(metric, block.levels, block.top)
    unjudged = np.cumsum(block.grade == UNJUDGED, axis=-1)[:, depths - 1]
    labels.refuse_long(unjudged, depths)
    lower, upper = np.empty(unjudged.shape), np.empty(unjudged.shape)
    for column, depth in enumerate(depths.tolist()):
        for number in np.unique(unjudged[:, column]).tolist():
            rows = np.flatnonzero(unjudged[:, column] == number)
            counts = labels.counts(number)
            for piece in pieces(len(rows), counts.shape[0] * max(number + 1, depth)):
                chunk = rows[piece]
                cut = _Cut(metric, block.take(chunk), labels, counts, depth)
                lower[chunk, column] = cut.extreme(-1)
                upper[chunk, column] = cut.extreme(1)
    return lower, upper


def pieces(number: int, width: int) -> Iterator[slice]:
    """Yield slices of rows that limit the size of arrays.

    `number` is the number of rows, and `width` the number of elements per row.
    """
    # a row that exceeds the limit still forms a slice of its own
    step = max(1, BLOCK // max(1, width))
    return (slice(start, start + step) for start in range(0, number, step))


class _Cut:
    """Rankings at a depth, with equal numbers of unjudged documents."""

    def __init__(self, metric: Q, block: Block, labels: Labels, counts: Array, depth: int) -> None:
        self.metric = metric
        self.labels = labels
        self.depth = depth
        self.pooled = block.pool_count is not None and depth < block.pool_depth
        self.block = block
        self.grade = block.grade[:, :depth]
        unjudged = block.grade == UNJUDGED
        self.beyond = block.hidden + unjudged[:, depth:].sum(axis=-1)
        split = len(labels.relevant)
        self.relevant = counts[:, :split]
        self.below = counts[:, split:]
        self.number = int(unjudged[:1, :depth].sum())

    def extreme(self, sign: int) -> Floats:
        """Return the highest score for `sign` 1, else the lowest."""
        beyond = self.beyond if sign < 0 else np.zeros_like(self.beyond)
        total = self._collect(sign, 1 / self._effort(beyond))
        scores = total / self._normaliser(beyond)
        return np.asarray(sign * (sign * scores).max(axis=-1))

    def _base(self, *, pooled: bool) -> Array:
        if pooled and self.block.pool_count is not None:
            return self.block.pool_count[:, self.depth - 1]
        return self.block.count

    def _normaliser(self, beyond: Array) -> Floats:
        """Return the divisor of Q, shape (row, labels)."""
        fixed = self.pooled and self.metric.norm == "pool"
        levels = self.block.levels
        judged = self._base(pooled=fixed)[:, levels >= self.metric.rel].sum(axis=-1)[:, np.newaxis]
        added = self.relevant.sum(axis=-1) + beyond[:, np.newaxis]
        number = judged if fixed else judged + added
        return positive(np.minimum(number, self.depth) if self.metric.norm == "min" else number)

    def _effort(self, beyond: Array) -> Floats:
        """Return rank plus ideal gain, shape (row, labelling, depth)."""
        metric = self.metric
        block = self.block
        fixed = self.pooled and metric.ideal == "pool"
        base = self._base(pooled=fixed)
        gains = gains_of(metric, block.levels, block.top)
        kinds = np.concatenate([self.labels.relevant, self.labels.below])
        counts = np.hstack([self.relevant, self.below])
        rank = np.arange(1.0, self.depth + 1)
        effort = np.broadcast_to(rank, (len(base), len(counts), self.depth)).copy()
        levels = np.unique(np.concatenate([gains, kinds, [0.0]]))
        # each step of gain adds to the ideal gain of all documents with at least that gain
        for low, high in pairwise(levels):
            judged = base[:, gains >= high].sum(axis=-1)[:, np.newaxis, np.newaxis]
            if not fixed:
                added = counts[:, kinds >= high].sum(axis=-1)[:, np.newaxis]
                judged = judged + added + beyond[:, np.newaxis, np.newaxis]
            effort += metric.beta * (high - low) * np.minimum(judged, rank)
        return effort

    def _collect(self, sign: int, weight: Floats) -> Floats:
        """Return highest or lowest numerators of Q, shape (row, labels)."""
        metric = self.metric
        number = self.number
        gained = metric.beta * gains_of(metric, self.grade, self.block.top)
        gained = np.where(self.grade > UNJUDGED, gained, 0.0)
        relevant = self.grade >= metric.rel
        reward = np.cumsum(gained + relevant, axis=-1)
        chosen, other_rewards = self._rewards(sign)
        value = np.full((*weight.shape[:2], number + 1), -np.inf)
        value[..., 0] = 0
        n_unjudged = np.cumsum(self.grade == UNJUDGED, axis=-1)
        state = np.arange(number + 1)
        # value[..., n] is the best sum down to this rank if n documents are labelled as relevant
        for rank in range(self.depth):
            index = np.clip(n_unjudged[:, rank, np.newaxis] - state, 0, number)
            spare = np.moveaxis(other_rewards[:, index], 0, 1)
            credit = reward[:, rank, np.newaxis, np.newaxis] + chosen + spare
            credit *= sign * weight[..., rank, np.newaxis]
            free = (self.grade[:, rank] == UNJUDGED)[:, np.newaxis, np.newaxis]
            labelled = np.full_like(value, -np.inf)
            labelled[..., 1:] = value[..., :-1] + credit[..., 1:]
            judged = value + np.where(relevant[:, rank, np.newaxis, np.newaxis], credit, 0.0)
            value = np.where(free, np.maximum(value, labelled), judged)
        last = self.relevant.sum(axis=-1)
        return sign * value[:, np.arange(len(last)), last]

    def _rewards(self, sign: int) -> tuple[Floats, Floats]:
        """Return cumulated rewards of relevant and other labels.

        Both arrays have the shape (labels, 1 + number of unjudged documents).
        """
        beta = self.metric.beta
        number = self.number
        without = number - self.relevant.sum(axis=-1) - self.below.sum(axis=-1)
        none = np.zeros_like(without)
        chosen = _cumulated(1 + beta * self.labels.relevant, self.relevant, number, sign, none)
        skipped = without if sign < 0 else none
        return chosen, _cumulated(beta * self.labels.below, self.below, number, sign, skipped)


def _cumulated(weights: Floats, counts: Array, number: int, sign: int, skipped: Array) -> Floats:
    """Return the summed weight of n best or worst labels."""
    weights = weights[::sign]
    counts = counts[:, ::sign]
    before = np.cumsum(counts, axis=-1) - counts + skipped[:, np.newaxis]
    label = np.arange(number + 1)
    counted = np.clip(label - before[..., np.newaxis], 0, counts[..., np.newaxis])
    return np.asarray(np.tensordot(counted, weights, axes=(1, 0)))


def highest_ndcg(metric: nDCG, block: Block, depths: Array, start: Floats) -> Floats:
    """Return the highest nDCG over all possible labels.

    The ideal ranking contains all judged documents, not only those of a pool.

    Parameters
    ----------
    metric
        The metric.
    block
        Rankings with one topic each.
    depths
        The depths to return, shape (depth,).
    start
        Scores for one choice of labels, which are the initial values of the search, shape (row,
        depth).

    Returns
    -------
    numpy.ndarray
        The highest scores, shape (row, depth).

    Notes
    -----
    Dinkelbach's iteration finds the maximum of the ratio DCG / iDCG. The time of each iteration is
    proportional to rows x depths x unjudged documents x distinct gains. More than five iterations
    are rare.
    """
    problem = _Problem(metric, block, depths)
    best = start.copy()
    rows = np.arange(len(best))
    while len(rows):
        ratio = problem.improve(rows, best[rows])
        # the tolerance stops the iteration once only rounding errors are left
        risen = (ratio > best[rows] * (1 + 1e-14)).any(axis=-1)
        best[rows] = np.maximum(best[rows], ratio)
        rows = rows[risen]
    return best


class _Problem:
    """Constants of Dinkelbach's iteration for the highest nDCG."""

    def __init__(self, metric: nDCG, block: Block, depths: Array) -> None:
        grades = scale(metric, block.levels, block.top)
        gains = gains_of(metric, grades, block.top)
        # A grade that does not occur in judgments needs no search, because it has the same best
        # labels as a neighbouring grade.
        if len(grades) > SCALE:
            used = np.isin(grades, block.levels) | (gains == gains.max())
            grades = grades[used]
            gains = gains[used]
        levels = np.unique(np.append(gains, 0.0))
        self.falls = np.diff(levels)
        steps = levels[1:]
        at_least = gains[np.searchsorted(grades, block.levels)][:, np.newaxis] >= steps
        self.judged = block.count @ at_least
        unjudged = block.grade == UNJUDGED
        longest = 1 + block.grade.shape[-1] + int(self.judged.max(initial=0))
        weights = discounts(metric.discount, metric.base, longest)
        self.cumulated = np.concatenate([[0.0], np.cumsum(weights)])
        self.cut = np.full(len(depths), longest) if metric.ideal == "full" else depths
        order = np.argsort(~unjudged, axis=-1, kind="stable")
        self.n_unjudged = unjudged.sum(axis=-1)
        self.rank = np.where(np.take_along_axis(unjudged, order, axis=-1), order + 1, longest)
        self.weights = weights
        self.depths = depths
        table = np.zeros(1 << 16)  # entries of the table for UNJUDGED and EMPTY keep gain 0
        table[grades] = gains
        gained = table[block.grade]
        collected = np.cumsum(gained * weights[: gained.shape[-1]], axis=-1)
        self.collected = collected[:, depths - 1]

    def improve(self, rows: Array, ratio: Floats) -> Floats:
        """Return nDCG for labels that maximise DCG - ratio iDCG."""
        value = np.full((len(self.falls), *ratio.shape), -np.inf)
        gained, ideal = np.zeros((2, *value.shape))
        first = np.zeros_like(ratio)
        judged = self.judged[rows].T[..., np.newaxis]
        for number in range(1 + int(self.n_unjudged[rows].max(initial=0))):
            if number:
                rank = self.rank[rows, number - 1][:, np.newaxis]
                first += np.where(rank <= self.depths, self.weights[rank - 1], 0.0)
            perfect = self.cumulated[np.minimum(judged + number, self.cut)]
            objective = first - ratio * perfect
            better = objective > value
            np.copyto(value, objective, where=better)
            np.copyto(gained, first, where=better)
            np.copyto(ideal, perfect, where=better)
        total = self.collected[rows] + np.tensordot(self.falls, gained, axes=1)
        perfect = np.tensordot(self.falls, ideal, axes=1)
        return np.asarray(total / positive(perfect))
