"""Paired t-test, signed-rank test, rank-sum test and sign test."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import check_int
from irframe.errors import ParameterError
from irframe.paired.design import Design
from irframe.paired.differences import (
    SCALE,
    Differences,
    PairedResult,
    PairedTest,
    moments,
    ratio,
    sides,
)
from irframe.paired.pairs import GROUP_BYTES, Pairs, by_pair, in_blocks, marked_ranks


@dataclass(frozen=True, kw_only=True)
class PairedT(PairedTest):
    """Paired t-test.

    Returns
    -------
    PairedT
        A test with t as the statistic.

    Notes
    -----
    ``t = mean(a - b) / (sd(a - b) / sqrt(n))``, where n is the number of topics, and sd has the
    denominator n - 1. t has Student's distribution with n - 1 degrees of freedom. With clusters,
    tasks or weights of topics, the mean, its standard error and the degrees of freedom are those of
    `Design`. If all differences are 0, t is 0 and p is 1. For other constant differences, t is
    infinite and p is 0. For a single topic, t is NaN and p is 1. Functions that test pairs, such as
    `compare`, return NaN instead of these p-values, see `PairedResult.decided`.

    References
    ----------
    .. [1] Student. The probable error of a mean. Biometrika 6, 1908. doi:10.1093/biomet/6.1.1

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[0.2, 0.4, 0.6, 0.1], [0.1, 0.5, 0.2, 0.1]])[:, :, None]
    >>> t, p = PairedT().kernel(scores)
    >>> round(t.item(), 4), round(p.item(), 4)
    (0.9258, 0.4228)
    """

    name: ClassVar[str] = "t"
    title: ClassVar[str] = "paired t-test"
    supports_design: ClassVar[bool] = True

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth; see `PairedTest.kernel`."""
        return self.with_design(None, scores, pairs)

    def with_design(
        self, design: Design | None, scores: Floats, pairs: Pairs = None
    ) -> PairedResult:
        """Test every pair with a sampling design; see `PairedTest.with_design`."""

        def compute(block: Floats, pairs: Ints) -> PairedResult:
            mean, sd, freedom = moments(block, pairs, design)
            return student(mean, sd, topics=block.shape[2], freedom=freedom)

        return PairedResult(*in_blocks(compute, scores, pairs, least_bytes=GROUP_BYTES))


def student(
    mean: Floats, sd: Floats, *, topics: int | Ints, freedom: Floats | Ints | None = None
) -> PairedResult:
    """Return t and its two-sided p-value.

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of paired differences.
    topics
        Number of topics, at least 1, in a shape that broadcasts with `mean`.
    freedom
        Degrees of freedom. The default is topics - 1.

    Returns
    -------
    PairedResult
        Arrays with the shape of `mean`.
    """
    single = np.equal(topics, 1)
    t = ratio(mean, np.where(single & (mean == 0), 0.0, sd / np.sqrt(topics)))
    p = 2 * scipy.special.stdtr(np.subtract(topics, 1) if freedom is None else freedom, -abs(t))
    return PairedResult(t, np.where(single, 1.0, p))


def t_test(differences: Differences) -> PairedResult:
    """Return the paired t-test, given statistics of differences."""
    freedom = differences.freedom
    return student(differences.mean, differences.sd, topics=differences.topics, freedom=freedom)


@dataclass(frozen=True, kw_only=True)
class Wilcoxon(PairedTest):
    """Wilcoxon's signed-rank test.

    Parameters
    ----------
    correction
        Whether to apply the continuity correction of 1/2 in the normal approximation.
    exact
        Whether to compute p-values from the exact distribution of the rank sum.
    decimals
        Number of decimals to which differences are rounded, from 0 to 15. Without rounding, 1/2 -
        1/3 and 1/3 - 1/6 are not tied. None means no rounding, as in most statistics packages.

    Returns
    -------
    Wilcoxon
        A test with the sum of signed ranks, W+ - W-, as the statistic.

    Notes
    -----
    Differences are rounded, differences of 0 are dropped, and tied differences have average ranks.
    Let n be the number of remaining differences, and W+ and W- the rank sums of the positive and of
    the negative differences. Then ``z = (W+ - n(n+1)/4) / sqrt(n(n+1)(2n+1)/24 - sum(t^3 -
    t)/48)``, where the last sum is over groups of t tied differences. The normal approximation is
    used for any n, unless `exact` is True. For a single topic, z is 1 and the p-value is .317. If
    no differences remain, the statistic is 0 and the p-value is 1.

    In the exact distribution, W+ is a sum that contains every rank with probability 1/2. The
    distribution is computed as a convolution over the ranks, which are doubled because average
    ranks may be fractions. The time is cubic in the number of topics. Pairs of systems with the
    same pattern of ties share one computation of the distribution.

    References
    ----------
    .. [1] Wilcoxon. Individual comparisons by ranking methods. Biometrics Bulletin 1, 1945.
       doi:10.2307/3001968

    Examples
    --------
    >>> scores = np.array([[5.0, 3.0, 4.0, 1.0], [1.0, 2.0, 2.0, 4.0]])[:, :, None]
    >>> statistic, p = Wilcoxon(exact=True).kernel(scores)
    >>> statistic.item(), p.item()
    (4.0, 0.625)
    """

    name: ClassVar[str] = "wilcoxon"
    title: ClassVar[str] = "Wilcoxon's signed-rank test"
    correction: bool = False
    exact: bool = False
    decimals: int | None = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.correction and self.exact:
            expected = "either correction=True or exact=True"
            raise ParameterError(expected, "both", "omit one of these options")
        if self.decimals is not None:
            check_int("decimals", self.decimals, low=0, high=15)

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth; see `PairedTest.kernel`."""

        def compute(block: Floats, pairs: Ints) -> PairedResult:
            if self.exact:
                return PairedResult(*by_pair(self._exact, block, pairs))
            plus, ties, n = by_pair(self._signed_ranks, block, pairs)
            total = n * (n + 1) / 2
            variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
            deviation = plus - total / 2
            return _normal(2 * plus - total, deviation, variance, correction=self.correction)

        return PairedResult(*in_blocks(compute, scores, pairs))

    def _exact(self, a: Floats, b: Floats) -> Ends:
        """Return W+ - W-, and exact two-sided p-values."""
        difference = self._differences(a, b)
        zeros = difference == 0
        ranks = scipy.stats.rankdata(abs(difference), axis=-1)
        ranks = np.where(zeros, 0, ranks - zeros.sum(axis=-1, keepdims=True))
        # average ranks may end in .5, so doubled ranks are integers
        doubled = np.rint(2 * ranks).astype(np.int64)
        plus = (doubled * (difference > 0)).sum(axis=-1)
        total = doubled.sum(axis=-1)
        rows = np.sort(doubled.reshape(-1, doubled.shape[-1]))
        patterns, index = np.unique(rows, axis=0, return_inverse=True)
        cumulative = np.stack([_rank_sum_cdf(pattern.tobytes()) for pattern in patterns])
        p = 2 * cumulative[index.reshape(plus.shape), np.minimum(plus, total - plus)]
        return plus - total / 2, np.minimum(p, 1)

    def _differences(self, a: Floats, b: Floats) -> Floats:
        """Return differences, rounded to units of the last decimal."""
        difference = a - b
        if self.decimals is not None:
            difference *= 10.0**self.decimals
            np.rint(difference, out=difference)
        return difference

    def _signed_ranks(self, a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Return W+, the tie correction, and the count of non-zeros."""
        difference = self._differences(a, b)
        zeros = (difference == 0).sum(axis=-1, dtype=np.float64)
        positive = difference > 0
        # Sorting integers is faster than argsort of floats. The bits of non-negative floats, read
        # as integers, have the order of the floats. The sign bit is always 0, so a shift makes room
        # for a mark of positive differences.
        keys = np.abs(difference, out=difference).view(np.uint64)
        keys <<= 1
        keys |= positive
        plus, ties = marked_ranks(keys)
        # Dropping zeros, which have the first ranks, reduces all other ranks by the number of
        # zeros.
        plus -= zeros * positive.sum(axis=-1)
        return plus, ties - (zeros**3 - zeros), a.shape[-1] - zeros


def _normal(
    statistic: Floats, deviation: Floats, variance: Floats, *, correction: bool
) -> PairedResult:
    """Return statistics, and p-values by the normal approximation."""
    size = np.maximum(abs(deviation) - 0.5, 0) if correction else abs(deviation)
    return PairedResult(statistic, 2 * scipy.special.ndtr(-ratio(size, np.sqrt(variance))))


@lru_cache(maxsize=64)
def _rank_sum_cdf(doubled: bytes) -> Floats:
    """Return the cumulative distribution function of the doubled W+.

    `doubled` contains the doubled ranks as bytes of integers, and 0 for dropped differences. The
    function ends at half of the largest rank sum, which the smaller of W+ and W- never exceeds.
    """
    ranks = np.frombuffer(doubled, np.int64)
    density = np.zeros(len(ranks) * (len(ranks) + 1) // 2 + 1)
    density[0] = 1
    for rank in ranks[ranks > 0]:
        density /= 2
        density[rank:] += density[: len(density) - rank].copy()
    return np.cumsum(density)


@dataclass(frozen=True, kw_only=True)
class RankSum(PairedTest):
    """Wilcoxon's rank-sum test, which ignores the pairing by topic.

    Parameters
    ----------
    correction
        Whether to apply the continuity correction of 1/2 in the normal approximation.
    tie_correction
        Whether to correct the variance for ties.

    Returns
    -------
    RankSum
        A test that compares every score of a with every score of b. The statistic is the number of
        comparisons in which a is higher, minus the number of comparisons in which a is lower.

    Notes
    -----
    The 2n scores of the two systems are rounded to 12 decimals and ranked together. Tied scores
    have average ranks. Let U be the rank sum of a, minus n(n+1)/2. The statistic is 2U - n^2. The
    p-value uses the normal approximation ``z = (U - n^2/2) / sqrt(n^2/12 ((2n + 1) - sum(t^3 - t) /
    (2n(2n - 1))))``, where the sum is over groups of t tied scores. If all scores are equal, p is
    1.

    The test ignores that the two systems have the same topics. The rank-sum test has less power
    than the paired tests, and is provided because the literature uses it. With default options,
    p-values equal those of ``scipy.stats.mannwhitneyu``. ``RankSum(correction=False,
    tie_correction=False)`` has the p-values of ``scipy.stats.ranksums``. The variance of
    ``ranksums`` is too large for tied scores such as reciprocal ranks.

    References
    ----------
    .. [1] Mann, Whitney. On a test of whether one of two random variables is stochastically larger
       than the other. Annals of Mathematical Statistics 18, 1947. doi:10.1214/aoms/1177730491

    Examples
    --------
    >>> scores = np.array([[5.0, 3.0, 4.0], [1.0, 2.0, 3.0]])[:, :, None]
    >>> statistic, p = RankSum(correction=False).kernel(scores)
    >>> statistic.item(), round(p.item(), 4)
    (8.0, 0.0765)
    """

    name: ClassVar[str] = "ranksum"
    title: ClassVar[str] = "Wilcoxon's rank-sum test"
    correction: bool = True
    tie_correction: bool = True

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth; see `PairedTest.kernel`."""

        def pooled(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> Ends:
            return marked_ranks(np.concatenate([2 * a + 1, 2 * b], axis=-1))

        def compute(block: Floats, pairs: Ints) -> PairedResult:
            n = block.shape[2]
            flat = np.rint(block * SCALE).reshape(len(block), -1)
            # dense ranks have the order of the scores, and leave the lowest bit free for a mark
            codes = scipy.stats.rankdata(flat, "dense", axis=1).astype(np.uint32)
            ranks, ties = by_pair(pooled, codes.reshape(block.shape), pairs, width=2 * n)
            ties = ties * self.tie_correction
            statistic = 2 * ranks - n * (n + 1) - n * n
            variance = n * n / 12 * ((2 * n + 1) - ties / (2 * n * (2 * n - 1)))
            return _normal(statistic, statistic / 2, variance, correction=self.correction)

        return PairedResult(*in_blocks(compute, scores, pairs))


@dataclass(frozen=True, kw_only=True)
class Sign(PairedTest):
    """Sign test, which counts wins and losses.

    Returns
    -------
    Sign
        A test whose statistic is the number of wins of a minus the number of losses of a.

    Notes
    -----
    Differences are rounded to 12 decimals, and zeros are dropped. ``p = min(1, 2 P[X <= min(wins,
    losses)])``, where X has a binomial distribution with wins + losses trials and probability 1/2.
    If all differences are 0, p is 1.

    References
    ----------
    .. [1] Dixon, Mood. The statistical sign test. Journal of the American Statistical Association
       41, 1946. doi:10.1080/01621459.1946.10501898

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[5.0, 3.0, 4.0, 2.0], [1.0, 2.0, 3.0, 2.0]])[:, :, None]
    >>> statistic, p = Sign().kernel(scores)
    >>> statistic.item(), p.item()
    (3.0, 0.25)
    """

    name: ClassVar[str] = "sign"
    title: ClassVar[str] = "sign test"

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth; see `PairedTest.kernel`."""

        def compute(block: Floats, pairs: Ints) -> tuple[Floats, ...]:
            wins, losses = by_pair(sides, block, pairs)
            return (wins - losses).astype(np.float64), sign_p(wins, losses)

        return PairedResult(*in_blocks(compute, scores, pairs))


def sign_p(wins: Ints, losses: Ints) -> Floats:
    """Return exact two-sided p-values of the sign test.

    Parameters
    ----------
    wins, losses
        Numbers of topics that a system wins and loses, two arrays of the same shape.

    Returns
    -------
    numpy.ndarray
        p-values with the shape of `wins`, 1 if there are no wins and no losses.

    Notes
    -----
    ``min(1, 2 P[X <= min(wins, losses)])``, where X has a binomial distribution with wins + losses
    trials and probability 1/2.

    References
    ----------
    .. [1] Dixon, Mood. The statistical sign test. Journal of the American Statistical Association
       41, 1946. doi:10.1080/01621459.1946.10501898

    Examples
    --------
    >>> sign_p(np.array([3, 0]), np.array([0, 0])).tolist()
    [0.25, 1.0]
    """
    fewer = np.minimum(wins, losses)
    trials = np.add(wins, losses)
    # the binomial distribution is slow, and few pairs of wins and losses are distinct
    codes = fewer + trials * (trials.max(initial=0) + 1)
    distinct, index = np.unique(codes, return_inverse=True)
    number, successes = np.divmod(distinct, trials.max(initial=0) + 1)
    p = np.minimum(1, 2 * scipy.special.bdtr(successes.astype(float), number, 0.5))
    return np.asarray(p[index].reshape(fewer.shape))
