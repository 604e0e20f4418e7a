"""Tests with a distribution in closed form: PairedT, Wilcoxon, RankSum, Sign."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import whole
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
    """Whether the mean difference of two systems is larger than its topics explain.

    Returns
    -------
    PairedT
        A test whose kernel gives t and its two-sided p-value.

    Notes
    -----
    t = mean(a - b) / (sd(a - b) / sqrt(n)), sd with n - 1, against Student's distribution with
    n - 1 degrees of freedom. Mean, standard error and degrees of freedom of topics that were drawn
    together, or count more than others, are those of `Design`. All differences 0: t = 0, p = 1. As
    worked examples have it, constant other differences (to within the rounding of the scores) have
    t infinite and p = 0, and one topic t NaN and p = 1; verbs that decide pairs give no p for
    these, as `PairedResult.decided` says.

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
    designed: ClassVar[bool] = True

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""
        return self.under(None, scores, pairs)

    def under(self, design: Design | None, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test topics that were drawn so; see `PairedTest.under`."""

        def compute(block: Floats, pairs: Ints) -> PairedResult:
            mean, sd, freedom = moments(block, pairs, design)
            return student(mean, sd, topics=block.shape[2], freedom=freedom)

        return PairedResult(*in_blocks(compute, scores, pairs, least_bytes=GROUP_BYTES))


def student(
    mean: Floats, sd: Floats, *, topics: int | Ints, freedom: Floats | Ints | None = None
) -> PairedResult:
    """Give t and its two-sided p-value.

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of paired differences.
    topics
        How many differences, at least 1; of any shape that fits.
    freedom
        Degrees of freedom; by default one less.

    Returns
    -------
    PairedResult
        Of the shape of `mean`.
    """
    one = np.equal(topics, 1)
    t = ratio(mean, np.where(one & (mean == 0), 0.0, sd / np.sqrt(topics)))
    p = 2 * scipy.special.stdtr(np.subtract(topics, 1) if freedom is None else freedom, -abs(t))
    return PairedResult(t, np.where(one, 1.0, p))


def of_differences(found: Differences) -> PairedResult:
    """Give what `PairedT` gives for differences that are described already."""
    return student(found.mean, found.sd, topics=found.topics, freedom=found.freedom)


@dataclass(frozen=True, kw_only=True)
class Wilcoxon(PairedTest):
    """Whether the larger differences of two systems favour one of them.

    Parameters
    ----------
    correction
        Move the signed-rank sum by 1/2 towards 0 before the normal approximation.
    exact
        Take p from the distribution of the rank sum instead of the normal approximation.
    decimals
        Decimals to which differences are rounded, 0 to 15, so that 1/2 - 1/3 ties with
        1/3 - 1/6; None ranks them as the floats they are, as most statistics packages do.

    Returns
    -------
    Wilcoxon
        A test whose statistic is the sum of signed ranks, W+ - W-.

    Notes
    -----
    Differences are rounded, zeros dropped, ties given average ranks. With n differences left and W+
    the rank sum of the positive ones, z = (W+ - n(n+1)/4) / sqrt(n(n+1)(2n+1)/24 - sum(t^3 - t)/48)
    over groups of t ties, for every n: a single topic has z = 1 and p = .317. Nothing left:
    statistic 0, p = 1. The exact distribution is that of the average ranks under random signs:
    each rank is added to a sum or not, with the same chance, which is a convolution over the ranks
    doubled, as average ranks may be halves. It takes time cubic in the number of topics, once for
    each pattern of ties.

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
            wanted = "a correction of the normal approximation, or the exact distribution"
            raise ParameterError(wanted, "correction=True, exact=True", "leave one of them out")
        if self.decimals is not None:
            whole("decimals", self.decimals, low=0, high=15)

    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def compute(block: Floats, pairs: Ints) -> PairedResult:
            if self.exact:
                return PairedResult(*by_pair(self._exact, block, pairs))
            plus, ties, n = by_pair(self._signed_ranks, block, pairs)
            total = n * (n + 1) / 2
            variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
            deviation, corrected = plus - total / 2, self.correction
            return _normal(2 * plus - total, deviation, variance, correction=corrected)

        return PairedResult(*in_blocks(compute, scores, pairs))

    def _exact(self, a: Floats, b: Floats) -> Ends:
        """Return W+ - W- and its two-sided p-value under random signs of the average ranks."""
        difference = self._differences(a, b)
        zeros = difference == 0
        ranks = scipy.stats.rankdata(abs(difference), axis=-1)
        ranks = np.where(zeros, 0, ranks - zeros.sum(axis=-1, keepdims=True))
        doubled = np.rint(2 * ranks).astype(np.int64)
        plus, total = (doubled * (difference > 0)).sum(axis=-1), doubled.sum(axis=-1)
        rows = np.sort(doubled.reshape(-1, doubled.shape[-1]))
        patterns, number = np.unique(rows, axis=0, return_inverse=True)
        below = np.stack([_chances_below(pattern.tobytes()) for pattern in patterns])
        p = 2 * below[number.reshape(plus.shape), np.minimum(plus, total - plus)]
        return plus - total / 2, np.minimum(p, 1)

    def _differences(self, a: Floats, b: Floats) -> Floats:
        """Return a - b, in units of the last decimal that counts."""
        difference = a - b
        if self.decimals is not None:
            difference *= 10.0**self.decimals
            np.rint(difference, out=difference)
        return difference

    def _signed_ranks(self, a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Rank sum of positive differences, sum of t^3 - t, and how many are not 0."""
        difference = self._differences(a, b)
        zeros = (difference == 0).sum(axis=-1, dtype=np.float64)
        positive = difference > 0
        # Floats that are not negative sort like their bits, which leave the sign bit free.
        keys = np.abs(difference, out=difference).view(np.uint64)
        keys <<= 1
        keys |= positive
        plus, ties = marked_ranks(keys)
        # Zeros have the first ranks, and so each positive one stands that many too high.
        plus -= zeros * positive.sum(axis=-1)
        return plus, ties - (zeros**3 - zeros), a.shape[-1] - zeros


def _normal(
    statistic: Floats, deviation: Floats, variance: Floats, *, correction: bool
) -> PairedResult:
    """Return a statistic with two-sided p-values of a deviation that is about normal."""
    apart = np.maximum(abs(deviation) - 0.5, 0) if correction else abs(deviation)
    return PairedResult(statistic, 2 * scipy.special.ndtr(-ratio(apart, np.sqrt(variance))))


@lru_cache(maxsize=64)
def _chances_below(doubled: bytes) -> Floats:
    """Return the chance of every positive rank sum or less, by doubled ranks (0 for no rank).

    Up to half of the largest sum of as many ranks, which the smaller of W+ and W- never exceeds.
    """
    ranks = np.frombuffer(doubled, np.int64)
    chances = np.zeros(len(ranks) * (len(ranks) + 1) // 2 + 1)
    chances[0] = 1
    for rank in ranks[ranks > 0]:
        chances /= 2
        chances[rank:] += chances[: len(chances) - rank].copy()
    return np.cumsum(chances)


@dataclass(frozen=True, kw_only=True)
class RankSum(PairedTest):
    """Whether scores of one system tend to exceed those of the other, topics not paired.

    Parameters
    ----------
    correction
        Move the rank sum by 1/2 towards its mean before the normal approximation.
    tie_correction
        Read the variance off the ties; without, it is that of scores of which none tie.

    Returns
    -------
    RankSum
        A test whose statistic is the number of pairs of topics (s, t) with a on s above b on
        t, less the number with a below b.

    Notes
    -----
    All 2n scores are rounded to 12 decimals and ranked together, ties with average ranks.
    With U the rank sum of a less n(n+1)/2, the statistic is 2U - n^2 and z = (U - n^2/2) /
    sqrt(n^2/12 ((2n + 1) - sum(t^3 - t) / (2n(2n - 1)))) over groups of t ties. All scores
    equal: p = 1. It ignores that both systems saw the same topics, and so is the weakest test
    here; it is offered because the literature reports it. By default it is
    ``scipy.stats.mannwhitneyu``; ``RankSum(correction=False, tie_correction=False)`` is
    ``scipy.stats.ranksums``, whose variance is too large where scores tie, as reciprocal ranks do.

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
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def pooled(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> Ends:
            return marked_ranks(np.concatenate([2 * a + 1, 2 * b], axis=-1))

        def compute(block: Floats, pairs: Ints) -> PairedResult:
            n, flat = block.shape[2], np.rint(block * SCALE).reshape(len(block), -1)
            # Scores by whole numbers in the same order, per depth.
            codes = scipy.stats.rankdata(flat, "dense", axis=1).astype(np.uint32)
            ranks, ties = by_pair(pooled, codes.reshape(block.shape), pairs, width=2 * n)
            ties = ties * self.tie_correction
            statistic = 2 * ranks - n * (n + 1) - n * n
            variance = n * n / 12 * ((2 * n + 1) - ties / (2 * n * (2 * n - 1)))
            return _normal(statistic, statistic / 2, variance, correction=self.correction)

        return PairedResult(*in_blocks(compute, scores, pairs))


@dataclass(frozen=True, kw_only=True)
class Sign(PairedTest):
    """Whether one system wins more topics than the other, by whatever margin.

    Returns
    -------
    Sign
        A test whose statistic is wins - losses of a.

    Notes
    -----
    Differences are rounded to 12 decimals and ties left out; p = min(1, 2 P[X <= min(wins,
    losses)]), X binomial over wins + losses with chance 1/2. Only ties: p = 1.

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
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def compute(block: Floats, pairs: Ints) -> tuple[Floats, ...]:
            wins, losses = by_pair(sides, block, pairs)
            return (wins - losses).astype(np.float64), sign_p(wins, losses)

        return PairedResult(*in_blocks(compute, scores, pairs))


def sign_p(wins: Ints, losses: Ints) -> Floats:
    """Exact two-sided p-value of wins against losses, each as likely as the other.

    Parameters
    ----------
    wins, losses
        Whole numbers of at least 0, of any one shape.

    Returns
    -------
    numpy.ndarray
        Of the same shape; 1 where there is nothing to count.

    Notes
    -----
    min(1, 2 P[X <= min(wins, losses)]), X binomial over wins + losses with chance 1/2.

    References
    ----------
    .. [1] Dixon, Mood. The statistical sign test. Journal of the American Statistical Association
       41, 1946. doi:10.1080/01621459.1946.10501898

    Examples
    --------
    >>> sign_p(np.array([3, 0]), np.array([0, 0])).tolist()
    [0.25, 1.0]
    """
    fewer, trials = np.minimum(wins, losses), np.add(wins, losses)
    # Few outcomes are possible, so each is looked up rather than computed for every pair.
    codes = fewer + trials * (trials.max(initial=0) + 1)
    distinct, where = np.unique(codes, return_inverse=True)
    number, successes = np.divmod(distinct, trials.max(initial=0) + 1)
    p = np.minimum(1, 2 * scipy.special.bdtr(successes.astype(float), number, 0.5))
    return np.asarray(p[where].reshape(fewer.shape))
