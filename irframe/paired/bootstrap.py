"""Paired bootstrap test and discriminative power."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import level
from irframe.errors import ParameterError
from irframe.paired.design import DEGENERATE, ROUNDING, Design
from irframe.paired.differences import (
    SCALE,
    PairedResult,
    ResamplingTest,
    exact_moments,
    noise,
    ratio,
)
from irframe.paired.pairs import Pairs, checked, count_drawn, draw_topics, each_pair, product

TIE = 1e-9
"""Maximum relative difference of two statistics that are treated as equal."""


class Discrimination(NamedTuple):
    """Discriminative power of a metric, and differences needed for significance.

    Parameters
    ----------
    asl
        Achieved significance level (ASL) of every pair, shape (pair, depth). The sorted
        significance levels are the ASL curve.
    power
        Share of pairs with an achieved significance level below alpha, shape (depth,).
    pair_deltas
        Difference of means that each pair needs for significance, shape (pair, depth).
    delta
        Largest value of `pair_deltas` at each depth, which suffices for every pair, shape (depth,).

    Examples
    --------
    >>> Discrimination(asl=0.01, power=1.0, pair_deltas=0.1, delta=0.1).power
    1.0
    """

    asl: Floats
    power: Floats
    pair_deltas: Floats
    delta: Floats


@dataclass(frozen=True, kw_only=True)
class Bootstrap(ResamplingTest):
    """Paired bootstrap test, which resamples topics.

    Parameters
    ----------
    samples
        Number of bootstrap samples, at least 1.
    seed
        Seed of the random number generator, at least 0.

    Returns
    -------
    Bootstrap
        A test with the paired t as the statistic. The p-value is the achieved significance level.

    Notes
    -----
    Let z = a - b, w = z - mean(z) and t(v) = mean(v) / (sd(v) / sqrt(n)), where n is the number of
    topics, and sd has the denominator n - 1. The p-value is the share of bootstrap samples w* of w
    with ``|t(w*)| >= |t(z)|``, but at least 1 / (samples + 1). Statistics are considered equal if
    their relative difference is at most 1e-9. The p-value is 1 if the mean difference is 0 at 12
    decimals, or within the rounding error of the scores. All pairs and depths use the same
    bootstrap samples.

    If all differences are 0, or for a single topic, the p-value is 1. For constant differences
    other than 0, the p-value is 1 / (samples + 1). Functions that test pairs, such as `compare`,
    return NaN for these p-values, unless all differences are 0.

    With a sampling design, clusters are resampled within tasks, and topics keep their weights.
    `Design.replicates` computes the standard error.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261

    Examples
    --------
    >>> scores = np.array([[2.0, 3.0, 4.0], [1.0, 2.0, 3.0]])[:, :, None]
    >>> statistic, p = Bootstrap(samples=10).kernel(scores)
    >>> statistic.item(), p.item()
    (inf, 0.09090909090909091)
    """

    name: ClassVar[str] = "bootstrap"
    title: ClassVar[str] = "paired bootstrap test"
    supports_design: ClassVar[bool] = True
    inverted: ClassVar[bool] = True
    samples: int = 1000

    def resamples(self, topics: int) -> Ints:
        """Draw topics with replacement.

        Parameters
        ----------
        topics
            Number of topics, which is also the size of each bootstrap sample.

        Returns
        -------
        numpy.ndarray
            Indices of topics, shape (samples, topics).

        Examples
        --------
        >>> Bootstrap(samples=2).resamples(3).shape
        (2, 3)
        """
        return draw_topics(topics, samples=self.samples, seed=self.seed)

    def kernel(
        self, scores: Floats, pairs: Pairs = None, *, resamples: Ints | None = None
    ) -> PairedResult:
        """Test every pair at every depth; see `PairedTest.kernel`.

        Parameters
        ----------
        scores, pairs
            See `PairedTest.kernel`.
        resamples
            Indices of topics, shape (sample, topic), which replace the random bootstrap samples.

        Returns
        -------
        PairedResult
            Arrays of shape (pair, depth).
        """
        shares = self._shares(scores, resamples)
        return self._test(scores, pairs, shares, None, self._least(resamples))

    def with_design(self, design: Design, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair with a sampling design; see `PairedTest.with_design`."""
        return self._test(scores, pairs, self._drawn(scores, design), design, self._least(None))

    def _test(
        self, scores: Floats, pairs: Pairs, shares: Floats, design: Design | None, least: float
    ) -> PairedResult:
        def test(a: Floats, b: Floats) -> tuple[Floats, ...]:
            t, mean, spread = _replicates(a, b, shares, design)
            return t, np.maximum(_asl(t, ratio(abs(mean), spread)), least)

        return PairedResult(*each_pair(test, scores, pairs, width=len(shares)))

    def interval(
        self, scores: Floats, pairs: Pairs = None, design: Design | None = None, *, alpha: float
    ) -> Ends:
        """Return symmetric bootstrap-t confidence intervals; see `PairedTest.interval`.

        Notes
        -----
        The interval is ``mean -+ t* se``, where t* is a quantile of |t(w*)|. The interval is NaN if
        ``1 / (samples + 1) >= alpha``, or if t* is infinite because too many bootstrap samples are
        constant.
        """
        shares = self._drawn(scores, design)
        rank = _rank(self.samples, alpha)
        possible = 1 / (1 + self.samples) < alpha

        def ends(a: Floats, b: Floats) -> tuple[Floats, ...]:
            _, means, spread = _replicates(a, b, shares, design)
            t = np.sort(ratio(abs(means), spread), axis=-1)[..., -rank]
            mean, error, _ = _observed(a, b, design)
            defined = possible & (error > 0) & np.isfinite(t)
            # The p-value also counts samples whose statistic is smaller by up to TIE. The interval
            # is wider by TIE, so that it excludes 0 only if the p-value is below alpha.
            half = np.where(defined, t, np.nan) / (1 - TIE) * error
            return mean - half, mean + half

        low, high = each_pair(ends, scores, pairs, width=len(shares))
        return low, high

    def discriminate(
        self,
        scores: Floats,
        pairs: Pairs = None,
        design: Design | None = None,
        *,
        alpha: float = 0.05,
        resamples: Ints | None = None,
    ) -> Discrimination:
        """Return discriminative power, and differences needed for significance.

        Parameters
        ----------
        scores, pairs, resamples
            See `kernel`.
        design
            Sampling design of the topics, which cannot be combined with `resamples`.
        alpha
            Significance level, between 0 and 1.

        Returns
        -------
        Discrimination
            Significance levels, discriminative power and differences.

        Notes
        -----
        The difference that a pair needs is ``|mean(w*)|`` of the bootstrap sample with the
        ceil(samples alpha)-th largest ``|t(w*)|``. If several samples have this value, the first
        one is used. The difference is NaN for a single topic.

        References
        ----------
        T. Sakai (2006). Evaluating evaluation metrics based on the bootstrap.
        https://doi.org/10.1145/1148170.1148261

        Examples
        --------
        >>> scores = np.array([[3.0, 1.0], [1.0, 1.0]])[:, :, None]
        >>> given = np.array([[0, 1], [0, 0], [1, 1], [1, 0]])
        >>> result = Bootstrap().discriminate(scores, alpha=0.25, resamples=given)
        >>> result.asl.item(), result.power.item(), result.delta.item()
        (0.5, 0.0, 1.0)
        """
        level(alpha)
        shares = (
            self._drawn(scores, design) if resamples is None else self._shares(scores, resamples)
        )
        rank = _rank(len(shares), alpha)
        floor = self._least(resamples)

        def test(a: Floats, b: Floats) -> tuple[Floats, ...]:
            t, mean, spread = _replicates(a, b, shares, design)
            replicates = ratio(abs(mean), spread)
            critical = np.partition(replicates, -rank, axis=-1)[..., -rank, None]
            first = np.argmax(replicates == critical, axis=-1)[..., None]
            deltas = np.take_along_axis(abs(mean), first, axis=-1)[..., 0]
            return np.maximum(_asl(t, replicates), floor), deltas

        asl, deltas = each_pair(test, scores, pairs, width=len(shares))
        if not len(asl):
            undefined = np.full(asl.shape[1], np.nan)
            return Discrimination(asl, undefined, deltas, undefined)
        return Discrimination(asl, (asl < alpha).mean(axis=0), deltas, deltas.max(axis=0))

    def _drawn(self, scores: Floats, design: Design | None) -> Floats:
        """Return shares of topics, or counts of clusters, per sample."""
        if design is None:
            return self._shares(scores, None)
        return design.counts(samples=self.samples, seed=self.seed)

    def _least(self, resamples: Ints | None) -> float:
        """Return the smallest possible p-value, or 0 with given `resamples`."""
        return 1 / (1 + self.samples) if resamples is None else 0.0

    def _shares(self, scores: Floats, resamples: Ints | None) -> Floats:
        topics = checked(scores, None)[0].shape[1]
        drawn = self.resamples(topics) if resamples is None else np.asarray(resamples)
        if drawn.ndim != 2 or drawn.shape[1] != topics or not len(drawn):
            got = f"an array of shape {drawn.shape}"
            raise ParameterError(f"resamples of {topics} topics each", got)
        outside = np.unique(drawn[(drawn < 0) | (drawn >= topics)])
        if len(outside):
            raise ParameterError(f"indices of topics from 0 to {topics - 1}", "", "", outside)
        return np.asarray(count_drawn(drawn) / topics)


def _rank(samples: int, alpha: float) -> int:
    """Return the rank of the critical value in descending order."""
    # in floats, 100 * 0.07 is slightly above 7, and would be rounded up to 8
    return math.ceil(round(samples * alpha, 9))


def _replicates(
    a: Floats, b: Floats, shares: Floats, design: Design | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return t(z), the means of w*, and their standard errors."""
    topics = a.shape[-1]
    mean, error, centred = _observed(a, b, design)
    if topics == 1:
        unknown = np.full((*mean.shape, len(shares)), np.nan)
        return np.where(mean == 0, 0.0, np.nan), unknown, unknown
    if design is None:
        means = product(centred, shares.T)
        # squaring in place saves one array of the size of the differences
        centred *= centred
        power = product(centred, shares.T)
        variance = power - means**2
        variance[variance <= DEGENERATE * power] = 0
        # the unbiased variance of the mean is variance * topics / (topics - 1) / topics
        variance /= topics - 1
    else:
        means, variance = design.replicates(design.sums(centred), shares)
    is_zero = abs(mean) <= np.maximum(0.5 / SCALE, noise(a, b))
    return ratio(np.where(is_zero, 0, mean), error), means, np.sqrt(variance)


def _observed(a: Floats, b: Floats, design: Design | None) -> tuple[Floats, ...]:
    """Return the mean of z, the standard error, and w.

    z contains the differences of scores, and w the deviations of z from the mean. The standard
    error and w are 0 if z is constant.
    """
    topics = a.shape[-1]
    if design is None:
        mean, squares = exact_moments(a, b)
        error = np.sqrt(squares / max(topics - 1, 1) / topics)
    else:
        mean, error, _ = design.estimate(a - b, noise(a, b) / ROUNDING)
    centred = np.where(error[..., None] > 0, a - b - mean[..., None], 0)
    if design is not None:
        # t(z) uses the formula of the bootstrap samples, with every cluster drawn once, so that
        # t(z) is comparable with the statistics of the samples.
        once = np.ones((1, design.clusters))
        error = np.sqrt(design.replicates(design.sums(centred), once)[1][..., 0])
    return mean, error, centred


def _asl(t: Floats, replicates: Floats) -> Floats:
    least = np.where(np.isinf(t), np.inf, abs(t) * (1 - TIE))[..., None]
    reached = (replicates >= least) | np.isnan(least) | (least == 0)
    return np.asarray(np.count_nonzero(reached, axis=-1) / replicates.shape[-1])
