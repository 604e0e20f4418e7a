"""Tests by randomisation: Permutation, TukeyHSD; and the correction MaxT."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import room, whole
from irframe.paired.design import ROUNDING, Design
from irframe.paired.differences import PairedResult, ResamplingTest, noise
from irframe.paired.pairs import (
    BLOCK_BYTES,
    Pairs,
    checked,
    critical,
    draw_signs,
    each_pair,
    fitting,
    groups,
    in_blocks,
    product,
)

TIE = 1e-12
"""Relative to its largest possible size: sums this close count as equal, whatever rounding."""
CHUNK = 1000
"""How many draws are held as floats at a time."""


@dataclass(frozen=True, kw_only=True)
class Permutation(ResamplingTest):
    """Whether the mean difference stands out once it is chance which system got which score.

    Parameters
    ----------
    samples
        How many random assignments of signs, at least 1.
    seed
        Of the generator of the signs, at least 0.

    Returns
    -------
    Permutation
        A test whose statistic is the mean difference a - b.

    Notes
    -----
    p = (1 + count) / (1 + samples), count the draws whose ``|mean of +-(a - b)|`` is at least the
    observed one; sums that agree to 1e-12 of the sum of ``|a - b|`` count as equal. The signs are
    the same for every pair and depth. Of topics that were drawn together the signs of all of a
    cluster change at once; those that count more keep what they count.

    References
    ----------
    .. [1] Smucker, Allan, Carterette. A comparison of statistical significance tests for
       information retrieval evaluation. CIKM 2007. doi:10.1145/1321440.1321528
    .. [2] Phipson, Smyth. Permutation p-values should never be zero. Statistical Applications in
       Genetics and Molecular Biology 9, 2010. doi:10.2202/1544-6115.1585

    Examples
    --------
    >>> scores = np.array([[0.5, 0.4, 0.6], [0.5, 0.4, 0.6]])[:, :, None]
    >>> statistic, p = Permutation(samples=99, seed=1).kernel(scores)
    >>> statistic.item(), p.item()
    (0.0, 1.0)
    """

    name: ClassVar[str] = "permutation"
    title: ClassVar[str] = "paired permutation test"
    designed: ClassVar[bool] = True
    inverted: ClassVar[bool] = True
    samples: int = 10_000

    def signs(self, topics: int) -> NDArray[np.int8]:
        """Draw the signs.

        Parameters
        ----------
        topics
            How many differences there are.

        Returns
        -------
        numpy.ndarray
            Shape (samples, topics), each -1 or 1.

        Examples
        --------
        >>> Permutation(samples=2, seed=0).signs(3).shape
        (2, 3)
        """
        return draw_signs(topics, samples=self.samples, seed=self.seed)

    def under(self, design: Design, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test topics that were drawn so; see `PairedTest.under`."""
        return self.kernel(by_cluster(design, scores), pairs)

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""
        scores, pairs = checked(scores, pairs)
        signs = self.signs(scores.shape[1])

        def test(a: Floats, b: Floats) -> tuple[Floats, ...]:
            difference = a - b
            total = difference.sum(axis=-1)
            least = abs(total) - TIE * abs(difference).sum(axis=-1)
            count = np.zeros(total.shape)
            for chunk in groups(self.samples, CHUNK):
                flipped = product(difference, signs[chunk].T.astype(np.float64))
                count += np.count_nonzero(abs(flipped) >= least[..., None], axis=-1)
            return total / difference.shape[-1], (1 + count) / (1 + self.samples)

        width = min(CHUNK, self.samples)
        return PairedResult(*each_pair(test, scores, pairs, width=width))

    def interval(
        self, scores: Floats, pairs: Pairs = None, design: Design | None = None, *, alpha: float
    ) -> Ends:
        """Return the differences that are not rejected; see `PairedTest.interval`.

        Notes
        -----
        A draw reaches a shift of the differences if that lies between the means of those whose
        sign it keeps and of those whose sign it turns. All these ranges hold the mean difference,
        so that as many draws reach both ends as are needed for a p of alpha. Where too few turn
        some signs and not others no p is so low, and an end is NaN.
        """
        if design is not None:
            scores = by_cluster(design, scores)
        scores, pairs = checked(scores, pairs)
        topics = scores.shape[1]
        factor = np.ones(topics) if design is None else design.masses * topics
        signs = self.signs(topics).T.astype(np.float64)
        turned = np.stack([factor @ (signs > 0), factor @ (signs < 0)])
        needed = np.count_nonzero((1 + np.arange(self.samples)) / (1 + self.samples) < alpha)

        def ends(a: Floats, b: Floats) -> tuple[Floats, ...]:
            difference = a - b
            total, flipped = difference.sum(axis=-1), product(difference, signs)
            parts = np.stack([total[..., None] + flipped, total[..., None] - flipped]) / 2
            least = TIE * abs(difference).sum(axis=-1)[..., None]
            parts[abs(parts) <= least] = 0
            with np.errstate(invalid="ignore", divide="ignore"):
                means = parts / turned[:, None, None]
            low = np.where(turned.all(axis=0), means.min(axis=0), -np.inf)
            high = np.where(turned.all(axis=0), means.max(axis=0), np.inf)
            flat = np.ptp(difference / factor, axis=-1) <= noise(a, b) / factor.min()
            if not needed:
                return 2 * (np.full(flat.shape, np.nan),)
            lows = np.partition(low, needed - 1, axis=-1)[..., needed - 1]
            highs = np.partition(high, -needed, axis=-1)[..., -needed]
            known = ~flat & np.isfinite(lows) & np.isfinite(highs)
            return np.where(known, lows, np.nan), np.where(known, highs, np.nan)

        low, high = each_pair(ends, scores, pairs, width=self.samples)
        return low, high


def by_cluster(design: Design, scores: Floats) -> Floats:
    """Return what every cluster adds to the mean of its scores, (system, cluster, depth).

    Examples
    --------
    >>> from irframe.paired.design import design_of
    >>> pairs = design_of(4, cluster=np.array([0, 0, 1, 1]))
    >>> by_cluster(pairs, np.array([[[0.1], [0.3], [0.2], [0.6]]])).ravel().round(2).tolist()
    [0.2, 0.4]
    """
    values = np.moveaxis(np.asarray(scores, dtype=np.float64), 1, 2)
    return np.moveaxis(design.sums(values) * design.clusters, 2, 1)


KEPT = 4
"""Times that the ranges of all shuffles are in memory while they are counted."""


@dataclass(frozen=True, kw_only=True)
class TukeyHSD(ResamplingTest):
    """Whether two systems differ by more than the best and the worst of all would by chance.

    Parameters
    ----------
    samples
        How many times the systems are shuffled within every topic, at least 1.
    seed
        Of the generator of the shuffles, at least 0.

    Returns
    -------
    TukeyHSD
        A test whose statistic is the mean difference a - b, and whose p-values already allow
        for all pairs of the systems given.

    Notes
    -----
    Each draw shuffles the systems' scores within every topic, alike at all depths, and takes
    the range of the systems' means, q*; p = (1 + count of ``q* >= |mean(a) - mean(b)|``) /
    (1 + samples). The 1, the observed order being one of the shuffles, keeps p above 0; the
    printed algorithm leaves it out. Simultaneous intervals are ``mean(a) - mean(b) -+ q``, q the
    quantile of q* beyond which p < alpha: they exclude 0 for the significant pairs alone. Ranges
    that agree to 1e-12 of the largest score count as equal. All systems in the scores take part
    in every draw, in whatever pairs they are. One range for all pairs presumes that all pairs of
    systems differ alike from topic to topic: where some vary far more than others, false claims
    are more frequent than alpha (with standard deviations of .02 and .3 among five systems .08 to
    .14 where .05 are allowed), and t-tests with Holm's correction or `MaxT` hold.

    References
    ----------
    .. [1] Carterette. Multiple testing in statistical analysis of systems-based information
       retrieval experiments. ACM TOIS 30, 2012. doi:10.1145/2094072.2094076

    Examples
    --------
    >>> scores = np.array([[0.5, 0.4], [0.5, 0.4], [0.5, 0.4]])[:, :, None]
    >>> statistic, p = TukeyHSD(samples=9).kernel(scores)
    >>> p.ravel().tolist()
    [1.0, 1.0, 1.0]
    """

    name: ClassVar[str] = "tukey"
    title: ClassVar[str] = "randomised Tukey HSD"
    joint: ClassVar[bool] = True
    inverted: ClassVar[bool] = True
    samples: int = 10_000

    def shuffles(self, systems: int, topics: int) -> Iterator[Ints]:
        """Draw the shuffles, a few at a time.

        Parameters
        ----------
        systems, topics
            How many there are.

        Yields
        ------
        numpy.ndarray
            Shape (some draws, topics, systems): which system's score each system gets.

        Examples
        --------
        >>> sum(len(drawn) for drawn in TukeyHSD(samples=9).shuffles(3, 2))
        9
        """
        generator = np.random.default_rng(self.seed)
        row = np.arange(systems, dtype=np.int64)
        for group in groups(self.samples, fitting(systems * topics, BLOCK_BYTES)):
            draws = len(range(self.samples)[group])
            yield generator.permuted(np.broadcast_to(row, (draws, topics, systems)), axis=-1)

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""
        what, size = f"{self.samples:,} ranges of means at every depth", 8 * scores.shape[-1]
        room(what, KEPT * size * self.samples, "ask for fewer samples=, or select depths")
        statistic, least = in_blocks(_observed, scores, pairs)
        ranges = self._ranges(np.asarray(scores, dtype=np.float64))
        # Sorted together, each observed difference has the draws that reach it behind it; equal
        # ones too, as observed ones come first and the sort is stable.
        order = np.concatenate([least, ranges]).argsort(axis=0, kind="stable")
        reaching = np.cumsum((order >= len(least))[::-1], axis=0)[::-1]
        counts = np.empty(order.shape)
        np.put_along_axis(counts, order, reaching.astype(np.float64), axis=0)
        return PairedResult(statistic, (1 + counts[: len(least)]) / (1 + self.samples))

    def interval(
        self,
        scores: Floats,
        pairs: Pairs = None,
        design: Design | None = None,  # noqa: ARG002 - has no such form
        *,
        alpha: float,
    ) -> Ends:
        """Return intervals that hold for all pairs at once; see `PairedTest.interval`."""
        statistic, _ = in_blocks(_observed, scores, pairs)
        values = np.asarray(scores, dtype=np.float64)
        half = critical(self._ranges(values), alpha) + TIE * abs(values).max(axis=(0, 1))
        return statistic - half, statistic + half

    def _ranges(self, scores: Floats) -> Floats:
        """Return how far apart best and worst mean are in every shuffle, (draw, depth)."""
        systems, topics, depths = scores.shape
        flat = np.ascontiguousarray(scores).reshape(systems * topics, depths)
        ranges = []
        for drawn in self.shuffles(systems, topics):
            rows = (drawn * topics + np.arange(topics)[:, None]).swapaxes(1, 2)
            ends = np.arange(0, rows.size + 1, topics)
            # Sums over topics as a product, without shuffled copies of the scores.
            gather = scipy.sparse.csr_array(
                (np.ones(rows.size), rows.ravel(), ends), shape=(rows.size // topics, len(flat))
            )
            means = (gather @ flat).reshape(len(drawn), systems, depths) / topics
            ranges.append(np.ptp(means, axis=1))
        return np.concatenate(ranges)


def _observed(block: Floats, pairs: Ints) -> Ends:
    means = block.mean(axis=2)
    statistic = means[:, pairs[:, 0]] - means[:, pairs[:, 1]]
    return statistic, abs(statistic) - TIE * abs(block).max(axis=(1, 2))[:, None]


@dataclass(frozen=True, kw_only=True)
class MaxT:
    """Correction that knows how the comparisons hang together, as systems do that are alike.

    Parameters
    ----------
    samples
        How many random assignments of signs, at least 1.
    seed
        Of the generator of the signs, at least 0.

    Returns
    -------
    MaxT
        A value for ``adjust=``, as is its name ``"max-t"``; of tests t and permutation.

    Notes
    -----
    Each draw turns the signs of all scores on some topics, the same for all systems, so that
    every paired difference on them changes sign, and takes the largest ``|t|`` of the family.
    Step down: with the pairs ordered by ``|t|``, a pair is held against the largest ``|t|`` of
    itself and those after it, ``p = (1 + count) / (1 + samples)``, and no pair's p is below
    that of one before, nor below its own without correction. Groups that are corrected together
    share the signs of topics of the same name. Statistics that agree to 1e-12 count as equal.
    The chance of any false claim in a family is at most alpha, whichever of its differences are
    none, if differences are symmetric about their mean. All p are at least 1 / (1 + samples).
    Simultaneous intervals are Student's with the quantile of the largest ``|t|`` of all pairs in
    place of t's. Steps have no intervals: one that excludes 0 is of a significant pair, while a
    pair that is significant by a later step may have one that does not.

    References
    ----------
    .. [1] Westfall, Young. ResamplingTest-based multiple testing. Wiley, 1993.
    .. [2] Romano, Wolf. Exact and approximate stepdown methods for multiple hypothesis testing.
       Journal of the American Statistical Association 100, 2005. doi:10.1198/016214504000000539

    Examples
    --------
    >>> scores = np.array([[2.0, 1.0, 1.0], [3.0, 1.0, 1.1], [2.0, 0.0, 0.1], [2.5, 0.5, 0.4]])
    >>> MaxT(samples=99).kernel(scores, np.array([[0, 1], [0, 2], [1, 2]])).round(2)
    array([0.11, 0.11, 1.  ])
    """

    samples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        whole("samples", self.samples, low=1)
        whole("seed", self.seed, low=0)

    def kernel(self, scores: Floats, pairs: Ints, topics: Ints | None = None) -> Floats:
        """Test all pairs of a family.

        Parameters
        ----------
        scores
            Shape (topic, column): a column for every system, or for every system, metric and
            depth; 0 on topics on which it is not compared.
        pairs
            Shape (pair, 2), positions of columns.
        topics
            On how many topics each pair is compared; by default on all.

        Returns
        -------
        numpy.ndarray
            Corrected p-values, shape (pair,).
        """
        family = _Family.of(scores, pairs, len(scores) if topics is None else topics)
        observed = family.sizes(scores.sum(axis=0)[:, np.newaxis], family.topics.max())[:, 0]
        order = np.argsort(observed, kind="stable")
        family = family.at(order)
        least = observed[order] - family.noise
        signs = draw_signs(len(scores), samples=self.samples, seed=self.seed)
        count = np.zeros(len(pairs), dtype=np.int64)
        for chunk in groups(self.samples, CHUNK):
            count += family.reaching(scores.T @ signs[chunk].T.astype(np.float64), least)
        p = np.empty(len(pairs))
        p[order] = np.maximum.accumulate((1 + count[::-1]) / (1 + self.samples))[::-1]
        return p

    def reach(
        self, scores: Floats, pairs: Ints, topics: Ints | None = None, *, alpha: float
    ) -> Floats:
        """Return which |t| a pair must exceed for intervals that hold for all pairs at once.

        Parameters
        ----------
        scores, pairs, topics
            As for `kernel`.
        alpha
            One minus the confidence level.

        Returns
        -------
        numpy.ndarray
            Shape (pair,): a larger |t| has p < alpha if it is held against all pairs, hence by
            steps, too; infinite where no |t| has.
        """
        family = _Family.of(scores, pairs, len(scores) if topics is None else topics)
        signs = draw_signs(len(scores), samples=self.samples, seed=self.seed)
        largest = [
            family.largest(scores.T @ signs[chunk].T.astype(np.float64))
            for chunk in groups(self.samples, CHUNK)
        ]
        least = critical(np.concatenate(largest), alpha) + family.noise
        squares = np.minimum(least, 1) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.sqrt((family.topics.max() - 1) * squares / (1 - squares))
        return np.where(least < 1, t, np.inf)


class _Family(NamedTuple):
    """Pairs, and what their statistics are made of besides the sums of their scores."""

    pairs: Ints
    topics: Ints
    scale: Floats
    noise: Floats

    @classmethod
    def of(cls, scores: Floats, pairs: Ints, topics: Any) -> Self:
        """Return the pairs of columns of scores, compared on so many topics."""
        counted = np.broadcast_to(topics, len(pairs))
        power, largest = np.empty(len(pairs)), abs(scores).max(axis=0)
        for group in groups(len(pairs), fitting(len(scores))):
            a, b = pairs[group].T
            power[group] = ((scores[:, a] - scores[:, b]) ** 2).sum(axis=0)
        scale = 1 / np.sqrt(np.where(power > 0, counted * power, np.inf))
        noise = TIE + ROUNDING * counted * largest[pairs].max(axis=1) * scale
        return cls(pairs, counted, scale, noise)

    def at(self, places: Ints | slice) -> Self:
        """Return some of the pairs."""
        parts: Any = (array[places] for array in self)
        return type(self)(*parts)

    def reaching(self, sums: Floats, least: Floats) -> Ints:
        """Count the draws in which a pair, or one before it, is as large as the least of it."""
        count = np.empty(len(self.pairs), dtype=np.int64)
        largest = np.zeros(sums.shape[1])
        for group in groups(len(self.pairs), fitting(sums.shape[1])):
            sizes = self.at(group).sizes(sums, self.topics.max())
            np.maximum(sizes[0], largest, out=sizes[0])
            np.maximum.accumulate(sizes, axis=0, out=sizes)
            count[group] = np.count_nonzero(sizes >= least[group, np.newaxis], axis=1)
            largest = sizes[-1]
        return count

    def largest(self, sums: Floats) -> Floats:
        """Return the largest |t| of all pairs in each draw, as `sizes` gives them."""
        largest = np.zeros(sums.shape[1])
        for group in groups(len(self.pairs), fitting(sums.shape[1])):
            sizes = self.at(group).sizes(sums, self.topics.max())
            np.maximum(largest, sizes.max(axis=0), out=largest)
        return largest

    def sizes(self, sums: Floats, most: int) -> Floats:
        """Return |t| of sums of scores, (column, draw), by a scale on which it is from 0 to 1.

        With d the n differences, ``r = |sum d| / sqrt(n sum d^2)`` and
        ``t^2 = (n - 1) r^2 / (1 - r^2)``; the sum of squares never changes with signs.
        """
        a, b = self.pairs.T
        sizes: Floats = sums.take(a, axis=0)
        sizes -= sums.take(b, axis=0)
        np.abs(sizes, out=sizes)
        sizes *= self.scale[:, np.newaxis]
        if (self.topics == most).all():
            return sizes
        # The r of the same t on the most topics that a pair of the family has.
        squares = np.minimum(sizes**2, 1)
        own = (self.topics[:, np.newaxis] - 1) * squares
        both = own + (most - 1) * (1 - squares)
        return np.asarray(np.sqrt(own / np.where(both > 0, both, 1)))
