"""Base class of paired tests, and statistics of paired differences."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np
import scipy

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import check_int, level
from irframe.errors import ParameterError
from irframe.names import as_html
from irframe.paired.design import GUARD, ROUNDING, Design
from irframe.paired.pairs import GROUP_BYTES, Pairs, by_pair, fitting, groups, in_blocks, products


class PairedResult(NamedTuple):
    """Statistics and p-values of pairs of systems.

    Parameters
    ----------
    statistic
        Test statistics, shape (pair, depth). A statistic is positive if a is better than b.
    p
        Two-sided p-values, shape (pair, depth), which are not adjusted for multiple comparisons.

    Examples
    --------
    >>> PairedResult(statistic=2.0, p=0.05).p
    0.05
    """

    statistic: Floats
    p: Floats

    def decided(self) -> "PairedResult":
        """Replace p-values of constant differences by NaN.

        The variance cannot be estimated from constant differences. Tests that need the variance
        then have an infinite statistic, or NaN for a single topic. If all differences of a pair are
        0, p is unchanged.

        Examples
        --------
        >>> PairedResult(np.array([2.0, np.inf, 0.0]), np.array([0.2, 0.0, 1.0])).decided().p
        array([0.2, nan, 1. ])
        """
        return PairedResult(self.statistic, np.where(np.isfinite(self.statistic), self.p, np.nan))


@dataclass(frozen=True, kw_only=True)
class PairedTest(ABC):
    """Base class of paired tests.

    A test is a frozen dataclass, and the options of the test are its fields. The method `kernel`
    tests all pairs of systems at all depths.

    Examples
    --------
    >>> from irframe.paired import PairedT
    >>> PairedT().name, PairedT.title
    ('t', 'paired t-test')
    """

    name: ClassVar[str]
    """Short name of the test, which `parse_test` accepts."""
    title: ClassVar[str]
    """Name of the test in captions."""
    _repr_html_ = as_html
    supports_design: ClassVar[bool] = False
    """Whether the test supports clusters, tasks and weights of topics."""
    joint: ClassVar[bool] = False
    """Whether p-values are already adjusted for multiple comparisons."""
    inverted: ClassVar[bool] = False
    """Whether confidence intervals invert the test. If False, the intervals are Student's
    intervals."""

    def __post_init__(self) -> None:
        # types of fields are classes, because modules of paired tests do not postpone annotations
        wrong = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.type is bool and not isinstance(getattr(self, field.name), bool)
        ]
        if wrong:
            raise ParameterError("options that are True or False", "", "", wrong)

    @abstractmethod
    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth.

        Parameters
        ----------
        scores
            Scores without NaN, shape (system, topic, depth).
        pairs
            Indices of the systems a and b, shape (pair, 2), as returned by `all_pairs` and
            `baseline_pairs`. The default is all pairs.

        Returns
        -------
        PairedResult
            Arrays of shape (pair, depth).
        """

    def with_design(self, design: Design, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth with a sampling design.

        Tests whose `supports_design` is False raise an error.

        Parameters
        ----------
        design
            The sampling design of the topics.
        scores, pairs
            See `kernel`.

        Returns
        -------
        PairedResult
            Arrays of shape (pair, depth).
        """
        raise NotImplementedError(
            f"{self!r} does not support clusters, tasks and weights of topics"
        )

    def interval(
        self, scores: Floats, pairs: Pairs = None, design: Design | None = None, *, alpha: float
    ) -> Ends:
        """Return confidence intervals of mean differences.

        Tests whose `inverted` is False raise an error.

        Parameters
        ----------
        scores, pairs
            See `kernel`.
        design
            Sampling design of the topics. The default is independent topics of equal weight.
        alpha
            One minus the confidence level.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends, shape (pair, depth). An interval excludes 0 if and only if p <
            alpha, except for constant differences.
        """
        raise NotImplementedError(f"{self!r} has no confidence intervals")


@dataclass(frozen=True, kw_only=True)
class ResamplingTest(PairedTest):
    """Base class of tests whose pairs share random draws.

    Parameters
    ----------
    samples
        Number of draws, at least 1.
    seed
        Seed of the random number generator, at least 0. Equal seeds give equal p-values.
    """

    samples: int
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_int("samples", self.samples, low=1)
        check_int("seed", self.seed, low=0)


def moments(
    block: Floats, pairs: Ints, design: Design | None = None
) -> tuple[Floats, Floats, Floats]:
    """Return mean, standard deviation and degrees of freedom per pair.

    Parameters
    ----------
    block
        Scores, shape (depth, system, topic).
    pairs
        Shape (pair, 2).
    design
        Sampling design of the topics. The default is independent topics of equal weight.

    Returns
    -------
    tuple of numpy.ndarray
        Mean and standard deviation of a - b, and degrees of freedom, all of shape (depth, pair).
        With a design, the standard deviation is the standard error of the mean, multiplied by the
        square root of the number of topics.

    Notes
    -----
    From each score, the mean of the topic over systems is subtracted, and then the mean of the
    system over topics. Let G be the Gram matrix of the centred scores. The sum of squared
    deviations of a difference is G[a, a] + G[b, b] - 2 G[a, b]. The sum is inaccurate if it is at
    most a thousandth of ``G[a, a] + G[b, b]``, or within the rounding error of the largest score.
    An inaccurate sum is computed again by `exact_moments`, which also recognises constant
    differences.
    """
    topics = block.shape[2]
    if design is None:
        mean, squares, doubt = _by_gram(block, pairs)
        for where, a, b in _scores_at(block, pairs, doubt):
            mean[where], squares[where] = exact_moments(a, b)
        return mean, deviations(squares, topics), np.broadcast_to(topics - 1.0, mean.shape)
    (mean, variance, freedom), doubt = design.by_gram(block, pairs)
    # the degrees of freedom of one task are a read-only view of a single number
    freedom = freedom.copy()
    for where, a, b in _scores_at(block, pairs, doubt):
        mean[where], variance[where], freedom[where] = design.estimate(a - b, _largest(a, b))
    return mean, np.sqrt(variance * topics), freedom


def _scores_at(
    block: Floats, pairs: Ints, positions: tuple[Ints, ...]
) -> Iterator[tuple[tuple[Ints, Ints], Floats, Floats]]:
    """Yield indices of depths and pairs, and both systems' scores."""
    depth, pair = positions
    for group in groups(len(depth), fitting(block.shape[2])):
        where = depth[group], pair[group]
        first, second = pairs[where[1]].T
        yield where, block[where[0], first], block[where[0], second]


def _by_gram(block: Floats, pairs: Ints) -> tuple[Floats, Floats, tuple[Ints, ...]]:
    """Return means, sums of squares, and indices of inaccurate sums."""
    topics = block.shape[2]
    a, b = pairs.T
    # topic means cancel in differences, and subtracting them first prevents a loss of digits
    centred = block - block.mean(axis=1, keepdims=True)
    means = centred.mean(axis=2)
    centred -= means[:, :, None]
    single, cross = products(centred, pairs)
    # subtracting large means of systems cancels digits as well, so the means are part of the power
    power = single + topics * means**2
    squares = single.take(a, axis=1) + single.take(b, axis=1) - 2 * cross
    mean = means.take(a, axis=1) - means.take(b, axis=1)
    rounding = topics * (ROUNDING * abs(block).max(axis=(1, 2))) ** 2
    doubt = np.maximum(GUARD * (power.take(a, axis=1) + power.take(b, axis=1)), rounding[:, None])
    return mean, squares, np.nonzero(squares <= doubt)


def deviations(squares: Floats, topics: int) -> Floats:
    """Convert sums of squared deviations to standard deviations."""
    return np.sqrt(squares / (topics - 1 if topics > 1 else np.nan))


def exact_moments(a: Floats, b: Floats) -> Ends:
    """Return the mean and sum of squared deviations of differences.

    Parameters
    ----------
    a, b
        Scores, shape (..., topic).

    Returns
    -------
    tuple of numpy.ndarray
        Mean of a - b over topics, and sum of squared deviations of a - b from the mean.

    Notes
    -----
    Because of rounding, differences that are mathematically constant may vary in their last bits.
    Differences are considered constant if their range is at most 8 units of rounding (2.2e-16) of
    the larger score. For constant differences, the sum is exactly 0. If the mean is also within
    that tolerance, the mean is exactly 0.
    """
    difference = a - b
    mean = difference.mean(axis=-1)
    squares = ((difference - mean[..., None]) ** 2).sum(axis=-1)
    least = noise(a, b)
    constant = np.ptp(difference, axis=-1) <= least
    squares[constant] = 0
    mean[constant & (abs(mean) <= least)] = 0
    return mean, squares


def noise(a: Floats, b: Floats) -> Floats:
    """Return the largest range of differences that rounding may cause.

    Parameters
    ----------
    a, b
        Scores, shape (..., topic).

    Returns
    -------
    numpy.ndarray
        8 units of rounding (2.2e-16) of the largest score.
    """
    return ROUNDING * _largest(a, b)


def _largest(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.maximum(abs(a).max(axis=-1), abs(b).max(axis=-1)))


SCALE = 1e12
"""Factor by which differences are multiplied before rounding to integers, to keep 12 decimals."""


class Differences(NamedTuple):
    """Statistics of the differences between the systems of pairs.

    Parameters
    ----------
    mean
        Mean of a - b over topics, shape (pair, depth).
    sd
        Standard deviation of the differences, with the denominator topics - 1, shape (pair, depth).
        The standard deviation is exactly 0 for constant differences, and NaN for a single topic.
    wins, ties, losses
        Numbers of topics on which a - b, rounded to 12 decimals, is above 0, equal to 0, or below
        0. The three arrays have the shape (pair, depth).
    topics
        Number of topics, or an array with the number of topics at each depth.
    freedom
        Degrees of freedom of the standard deviation. Without a sampling design, these are topics -
        1.

    Examples
    --------
    >>> scores = np.array([[[3.0], [5.0], [2.0]], [[1.0], [1.0], [2.0]]])
    >>> differences = describe_differences(scores)
    >>> differences.mean, differences.sd, differences.effect_size
    (array([[2.]]), array([[2.]]), array([[1.]]))
    """

    mean: Floats
    sd: Floats
    wins: Ints
    ties: Ints
    losses: Ints
    topics: int | Ints
    freedom: Floats | Ints

    @property
    def effect_size(self) -> Floats:
        """Standardised mean of the paired differences.

        Returns
        -------
        numpy.ndarray
            Effect sizes, shape (pair, depth), NaN for constant differences.

        Notes
        -----
        ``d_z = mean / sd`` of the paired differences, so that ``t = d_z sqrt(topics)``.

        References
        ----------
        D. Lakens (2013). Calculating and reporting effect sizes to facilitate cumulative
        science. https://doi.org/10.3389/fpsyg.2013.00863
        """
        return self.mean / self._varying()

    def interval(self, *, alpha: float = 0.05) -> Ends:
        """Return Student's confidence intervals of the mean differences.

        Parameters
        ----------
        alpha
            One minus the confidence level, between 0 and 1.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends, both of shape (pair, depth), NaN for constant differences.

        Notes
        -----
        ``mean -+ t_{1 - alpha/2, freedom} sd / sqrt(topics)``.

        References
        ----------
        Student (1908). The probable error of a mean. https://doi.org/10.1093/biomet/6.1.1

        Examples
        --------
        >>> scores = np.array([[[3.0], [5.0], [2.0]], [[1.0], [1.0], [2.0]]])
        >>> low, high = describe_differences(scores).interval(alpha=0.05)
        >>> low.round(2).tolist(), high.round(2).tolist()
        ([[-2.97]], [[6.97]])
        """
        level(alpha)
        # the lower quantile is used, because 1 - alpha / 2 loses digits of a small alpha
        quantile = -scipy.special.stdtrit(self.freedom, alpha / 2)
        half = quantile * self._varying() / np.sqrt(self.topics)
        return self.mean - half, self.mean + half

    def _varying(self) -> Floats:
        """Return standard deviations, NaN for constant differences."""
        return np.where(self.sd > 0, self.sd, np.nan)


def describe_differences(
    scores: Floats, pairs: Pairs = None, design: Design | None = None
) -> Differences:
    """Return statistics of the differences between systems of pairs.

    Parameters
    ----------
    scores
        Scores without NaN, shape (system, topic, depth).
    pairs
        Indices of the systems a and b, shape (pair, 2). The default is all pairs.
    design
        Sampling design of the topics. The default is independent topics of equal weight.

    Returns
    -------
    Differences
        Arrays of shape (pair, depth).

    Notes
    -----
    For wins, ties and losses, differences are rounded to 12 decimals, so that 1/2 - 1/3 equals 1/3
    - 1/6.

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque (1983). Algorithms for computing the sample
    variance. https://doi.org/10.1080/00031305.1983.10483115

    Examples
    --------
    >>> scores = np.array([[[0.2], [0.4], [0.6]], [[0.1], [0.5], [0.6]]])
    >>> differences = describe_differences(scores)
    >>> differences.wins.item(), differences.ties.item(), differences.losses.item()
    (1, 1, 1)
    """

    def compute(block: Floats, pairs: Ints) -> tuple[Floats, ...]:
        return *moments(block, pairs, design), *by_pair(sides, block, pairs)

    dtypes = (np.float64, np.float64, np.float64, np.int64, np.int64)
    mean, sd, freedom, wins, losses = in_blocks(
        compute, scores, pairs, dtypes=dtypes, least_bytes=GROUP_BYTES
    )
    topics = np.shape(scores)[1]
    return Differences(mean, sd, wins, topics - wins - losses, losses, topics, freedom)


def sides(a: Floats, b: Floats) -> tuple[Ints, Ints]:
    """Count the topics on which a wins or loses.

    Parameters
    ----------
    a, b
        Scores, shape (..., topic).

    Returns
    -------
    tuple of numpy.ndarray
        Numbers of topics on which a has the higher score, and the lower score.
    """
    difference = a - b
    difference *= SCALE
    return (
        # comparing with half of the 12th decimal is faster than rounding every difference
        np.count_nonzero(difference > 0.5, axis=-1),
        np.count_nonzero(difference < -0.5, axis=-1),
    )


def ratio(above: Floats, below: Floats) -> Floats:
    """Return the ratio, with 0 for 0 / 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((above == 0) & (below == 0), 0.0, above / below)
