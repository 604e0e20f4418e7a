"""Randomisation tests, and the max-T correction."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import check_int, room
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
"""Maximum difference of two sums that are treated as equal, relative to their largest possible
value."""
CHUNK = 1000
"""Maximum number of draws that are in memory as floats at a time."""


@dataclass(frozen=True, kw_only=True)
class Permutation(ResamplingTest):
    """Paired permutation test, which flips the signs of differences.

    Parameters
    ----------
    samples
        Number of random sign assignments, at least 1.
    seed
        Seed of the random number generator, at least 0.

    Returns
    -------
    Permutation
        A test with the mean difference a - b as the statistic.

    Notes
    -----
    ``p = (1 + count) / (1 + samples)``, where count is the number of draws whose absolute mean
    difference is at least the observed absolute mean difference. Sums are considered equal if they
    agree to 1e-12 of the sum of ``|a - b|``. All pairs and depths use the same random signs. With a
    sampling design, all topics of a cluster have the same sign, and topics keep their weights.

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
    supports_design: ClassVar[bool] = True
    inverted: ClassVar[bool] = True
    samples: int = 10_000

    def signs(self, topics: int) -> NDArray[np.int8]:
        """Draw a random sign for every topic.

        Parameters
        ----------
        topics
            Number of topics.

        Returns
        -------
        numpy.ndarray
            Signs -1 and 1, shape (samples, topics).

        Examples
        --------
        >>> Permutation(samples=2, seed=0).signs(3).shape
        (2, 3)
        """
        return draw_signs(topics, samples=self.samples, seed=self.seed)

    def with_design(self, design: Design, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair with a sampling design; see `PairedTest.with_design`."""
        return self.kernel(by_cluster(design, scores), pairs)

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth; see `PairedTest.kernel`."""
        scores, pairs = checked(scores, pairs)
        signs = self.signs(scores.shape[1])

        def test(a: Floats, b: Floats) -> tuple[Floats, ...]:
            difference = a - b
            total = difference.sum(axis=-1)
            threshold = abs(total) - TIE * abs(difference).sum(axis=-1)
            count = np.zeros(total.shape)
            for chunk in groups(self.samples, CHUNK):
                flipped = product(difference, signs[chunk].T.astype(np.float64))
                count += np.count_nonzero(abs(flipped) >= threshold[..., None], axis=-1)
            return total / difference.shape[-1], (1 + count) / (1 + self.samples)

        width = min(CHUNK, self.samples)
        return PairedResult(*each_pair(test, scores, pairs, width=width))

    def interval(
        self, scores: Floats, pairs: Pairs = None, design: Design | None = None, *, alpha: float
    ) -> Ends:
        """Return intervals that invert the test; see `PairedTest.interval`.

        Notes
        -----
        Every draw divides the differences into two sets by their signs. The p-value of a
        hypothetical mean difference counts the draws for which this value lies between the means of
        the two sets. All these ranges contain the observed mean difference, so each end of the
        interval is an order statistic of the ends of the ranges. An end is NaN if too few draws
        contain both signs, so that no p-value is below alpha.
        """
        if design is not None:
            scores = by_cluster(design, scores)
        scores, pairs = checked(scores, pairs)
        topics = scores.shape[1]
        factor = np.ones(topics) if design is None else design.masses * topics
        signs = self.signs(topics).T.astype(np.float64)
        sizes = np.stack([factor @ (signs > 0), factor @ (signs < 0)])
        needed = np.count_nonzero((1 + np.arange(self.samples)) / (1 + self.samples) < alpha)

        def ends(a: Floats, b: Floats) -> tuple[Floats, ...]:
            difference = a - b
            total = difference.sum(axis=-1)[..., None]
            flipped = product(difference, signs)
            sums = np.stack([total + flipped, total - flipped]) / 2
            sums[abs(sums) <= TIE * abs(difference).sum(axis=-1)[..., None]] = 0
            with np.errstate(invalid="ignore", divide="ignore"):
                means = sums / sizes[:, None, None]
            # without both signs there is no second mean, and the range has no limits
            low = np.where(sizes.all(axis=0), means.min(axis=0), -np.inf)
            high = np.where(sizes.all(axis=0), means.max(axis=0), np.inf)
            flat = np.ptp(difference / factor, axis=-1) <= noise(a, b) / factor.min()
            if not needed:
                return 2 * (np.full(flat.shape, np.nan),)
            lows = np.partition(low, needed - 1, axis=-1)[..., needed - 1]
            highs = np.partition(high, -needed, axis=-1)[..., -needed]
            defined = ~flat & np.isfinite(lows) & np.isfinite(highs)
            return np.where(defined, lows, np.nan), np.where(defined, highs, np.nan)

        low, high = each_pair(ends, scores, pairs, width=self.samples)
        return low, high


def by_cluster(design: Design, scores: Floats) -> Floats:
    """Return the contribution of each cluster to the means.

    The result has the shape (system, cluster, depth).

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
"""Number of arrays with one value per draw and depth that are in memory at the same time."""


@dataclass(frozen=True, kw_only=True)
class TukeyHSD(ResamplingTest):
    """Tukey's honestly significant difference test, by randomisation.

    Parameters
    ----------
    samples
        Number of random shuffles of the systems within every topic, at least 1.
    seed
        Seed of the random number generator, at least 0.

    Returns
    -------
    TukeyHSD
        A test with the mean difference a - b as the statistic. The p-values are adjusted for all
        pairs of systems.

    Notes
    -----
    Each draw shuffles the scores of the systems within every topic, in the same way at all depths.
    Let q* be the range of the resulting system means. Then ``p = (1 + count of q* >= |mean(a) -
    mean(b)|) / (1 + samples)``. The added 1 counts the observed scores as a draw, and keeps p above
    0. The published algorithm omits the added 1. Simultaneous intervals are ``mean(a) - mean(b) -+
    q``, where q is the quantile of q* above which p < alpha. The intervals exclude 0 for exactly
    the significant pairs. Ranges are considered equal if they agree to 1e-12 of the largest score.
    All systems are shuffled in every draw, even if not all pairs are tested.

    The test assumes that the differences of all pairs have the same variance. If the variances
    differ, the test rejects too often. For example, with standard deviations of .02 and .3 among
    five systems, the family-wise error rate is .08 to .14 instead of .05. In that case, use t-tests
    with Holm's correction or with `MaxT`.

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
        """Yield random shuffles of the systems, in groups of draws.

        Parameters
        ----------
        systems, topics
            Number of systems, and number of topics.

        Yields
        ------
        numpy.ndarray
            Index of the system whose score replaces the score of each system, shape (draws, topics,
            systems).

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
        """Test every pair at every depth; see `PairedTest.kernel`."""
        ranges_text = f"{self.samples:,} ranges of means at every depth"
        size = KEPT * 8 * scores.shape[-1] * self.samples
        room(ranges_text, size, "ask for fewer samples=, or select depths")
        statistic, threshold = in_blocks(_observed, scores, pairs)
        ranges = self._ranges(np.asarray(scores, dtype=np.float64))
        # Sorting differences and ranges together counts the larger ranges of all pairs at once.
        # Equal ranges also come after a difference, because the sort is stable and differences
        # precede ranges.
        order = np.concatenate([threshold, ranges]).argsort(axis=0, kind="stable")
        n_after = np.cumsum((order >= len(threshold))[::-1], axis=0)[::-1]
        counts = np.empty(order.shape)
        np.put_along_axis(counts, order, n_after.astype(np.float64), axis=0)
        return PairedResult(statistic, (1 + counts[: len(threshold)]) / (1 + self.samples))

    def interval(
        self,
        scores: Floats,
        pairs: Pairs = None,
        design: Design | None = None,  # noqa: ARG002 - not supported
        *,
        alpha: float,
    ) -> Ends:
        """Return simultaneous intervals; see `PairedTest.interval`."""
        statistic, _ = in_blocks(_observed, scores, pairs)
        values = np.asarray(scores, dtype=np.float64)
        half = critical(self._ranges(values), alpha) + TIE * abs(values).max(axis=(0, 1))
        return statistic - half, statistic + half

    def _ranges(self, scores: Floats) -> Floats:
        """Return ranges of system means, shape (draw, depth)."""
        systems, topics, depths = scores.shape
        flat = np.ascontiguousarray(scores).reshape(systems * topics, depths)
        ranges = []
        for drawn in self.shuffles(systems, topics):
            rows = (drawn * topics + np.arange(topics)[:, None]).swapaxes(1, 2)
            ends = np.arange(0, rows.size + 1, topics)
            # A product with a sparse matrix sums shuffled scores over topics without a copy of the
            # scores.
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
    """Step-down max-T correction for multiple comparisons.

    Parameters
    ----------
    samples
        Number of random sign assignments, at least 1.
    seed
        Seed of the random number generator, at least 0.

    Returns
    -------
    MaxT
        A correction that can be passed as ``adjust=`` with the tests ``"t"`` and ``"permutation"``.
        The name ``"max-t"`` is a correction with the default options.

    Notes
    -----
    The correction accounts for the correlation of the comparisons. Each draw flips the signs of the
    scores of all systems on random topics, which flips the signs of all paired differences on these
    topics. Pairs are sorted by ``|t|``, from the largest to the smallest. The ``|t|`` of a pair is
    compared with the largest ``|t|`` of the draw among this pair and all later pairs. ``p = (1 +
    count) / (1 + samples)``, where count is the number of draws with a larger or equal ``|t|``. The
    p-value of a pair is at least that of each earlier pair, and at least its unadjusted p-value. If
    several groups of scores are corrected together, topics with the same name have the same sign in
    all groups. Statistics are considered equal if they agree to 1e-12.

    The family-wise error rate is at most alpha, whichever null hypotheses are true, if differences
    have distributions that are symmetric about their means. All p-values are at least 1 / (1 +
    samples). Simultaneous intervals are Student's intervals with the quantile of the largest
    ``|t|`` of all pairs. If an interval excludes 0, the difference of the pair is significant. The
    interval of a significant pair may include 0, because the intervals use no step-down procedure.

    References
    ----------
    .. [1] Westfall, Young. Resampling-based multiple testing. Wiley, 1993.
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
        check_int("samples", self.samples, low=1)
        check_int("seed", self.seed, low=0)

    def kernel(self, scores: Floats, pairs: Ints, topics: Ints | None = None) -> Floats:
        """Return the corrected p-values of a family of pairs.

        Parameters
        ----------
        scores
            Scores, shape (topic, column), with a column for each system, or for each system, metric
            and depth. The score is 0 if the topic of the row is not compared in the column.
        pairs
            Indices of columns, shape (pair, 2).
        topics
            Number of topics on which each pair is compared. The default is all topics.

        Returns
        -------
        numpy.ndarray
            Corrected p-values, shape (pair,).
        """
        family = _Family.of(scores, pairs, len(scores) if topics is None else topics)
        observed = family.sizes(scores.sum(axis=0)[:, np.newaxis], family.topics.max())[:, 0]
        order = np.argsort(observed, kind="stable")
        family = family.at(order)
        thresholds = observed[order] - family.noise
        signs = draw_signs(len(scores), samples=self.samples, seed=self.seed)
        count = np.zeros(len(pairs), dtype=np.int64)
        for chunk in groups(self.samples, CHUNK):
            count += family.count_reaching(scores.T @ signs[chunk].T.astype(np.float64), thresholds)
        p = np.empty(len(pairs))
        p[order] = np.maximum.accumulate((1 + count[::-1]) / (1 + self.samples))[::-1]
        return p

    def critical_t(
        self, scores: Floats, pairs: Ints, topics: Ints | None = None, *, alpha: float
    ) -> Floats:
        """Return critical values of |t| for simultaneous intervals.

        Parameters
        ----------
        scores, pairs, topics
            See `kernel`.
        alpha
            One minus the confidence level.

        Returns
        -------
        numpy.ndarray
            Critical values, shape (pair,). A |t| above its critical value has p < alpha. The
            critical value is infinite if no |t| has p < alpha. The maximum is over all pairs, so a
            larger |t| is also significant in the step-down procedure.
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
    """Pairs of columns, and the constants in their statistics."""

    pairs: Ints
    topics: Ints
    scale: Floats
    noise: Floats

    @classmethod
    def of(cls, scores: Floats, pairs: Ints, topics: int | Ints) -> Self:
        """Return the family of pairs, with its constants."""
        counted = np.broadcast_to(topics, len(pairs))
        power = np.empty(len(pairs))
        largest = abs(scores).max(axis=0)
        for group in groups(len(pairs), fitting(len(scores))):
            a, b = pairs[group].T
            power[group] = ((scores[:, a] - scores[:, b]) ** 2).sum(axis=0)
        # an infinite divisor gives pairs without any difference the statistic 0
        scale = 1 / np.sqrt(np.where(power > 0, counted * power, np.inf))
        noise = TIE + ROUNDING * counted * largest[pairs].max(axis=1) * scale
        return cls(pairs, counted, scale, noise)

    def at(self, positions: Ints | slice) -> Self:
        """Return the family of the pairs at the given positions."""
        return type(self)._make(array[positions] for array in self)

    def count_reaching(self, sums: Floats, thresholds: Floats) -> Ints:
        """Count the draws whose maximum reaches each pair's threshold.

        The maximum is over the pair and all earlier pairs of this family.
        """
        count = np.empty(len(self.pairs), dtype=np.int64)
        largest = np.zeros(sums.shape[1])
        for group in groups(len(self.pairs), fitting(sums.shape[1])):
            sizes = self.at(group).sizes(sums, self.topics.max())
            np.maximum(sizes[0], largest, out=sizes[0])
            np.maximum.accumulate(sizes, axis=0, out=sizes)
            count[group] = np.count_nonzero(sizes >= thresholds[group, np.newaxis], axis=1)
            largest = sizes[-1]
        return count

    def largest(self, sums: Floats) -> Floats:
        """Return the largest scaled |t| of each draw."""
        largest = np.zeros(sums.shape[1])
        for group in groups(len(self.pairs), fitting(sums.shape[1])):
            sizes = self.at(group).sizes(sums, self.topics.max())
            np.maximum(largest, sizes.max(axis=0), out=largest)
        return largest

    def sizes(self, sums: Floats, most: int) -> Floats:
        """Return |t|, scaled to [0, 1], from sums of scores.

        For n differences d, the scaled value is ``r = |sum d| / sqrt(n sum d^2)``, and ``t^2 = (n -
        1) r^2 / (1 - r^2)``. Sign flips do not change the sum of squares, so r needs only the sums
        of each draw.
        """
        a, b = self.pairs.T
        sizes: Floats = sums.take(a, axis=0)
        sizes -= sums.take(b, axis=0)
        np.abs(sizes, out=sizes)
        sizes *= self.scale[:, np.newaxis]
        if (self.topics == most).all():
            return sizes
        # for pairs with fewer topics, r is replaced by the value with the same t on `most` topics
        squares = np.minimum(sizes**2, 1)
        above = (self.topics[:, np.newaxis] - 1) * squares
        below = above + (most - 1) * (1 - squares)
        return np.asarray(np.sqrt(above / np.where(below > 0, below, 1)))
