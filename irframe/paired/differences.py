"""What a paired test is, and the differences of a pair: mean, spread, wins, ties and losses."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import ClassVar, NamedTuple

import numpy as np
import scipy

from irframe.arrays import Ends, Floats, Ints
from irframe.checks import level, whole
from irframe.errors import ParameterError
from irframe.names import as_html
from irframe.paired.design import GUARD, ROUNDING, Design
from irframe.paired.pairs import GROUP_BYTES, Pairs, by_pair, fitting, groups, in_blocks, products


class PairedResult(NamedTuple):
    """Evidence that the two systems of a pair differ.

    Parameters
    ----------
    statistic
        Shape (pair, depth); positive where a is ahead of b. Each test says what it is.
    p
        Two-sided p-values, shape (pair, depth), not adjusted for the number of pairs.

    Examples
    --------
    >>> PairedResult(statistic=2.0, p=0.05).p
    0.05
    """

    statistic: Floats
    p: Floats

    def decided(self) -> "PairedResult":
        """Give no p to pairs whose differences are all the same, unless they are 0.

        Their statistic, that of tests which estimate how differences vary, is infinite or, of one
        topic, NaN: nothing says how they vary, and so nothing is shown.

        Examples
        --------
        >>> PairedResult(np.array([2.0, np.inf, 0.0]), np.array([0.2, 0.0, 1.0])).decided().p
        array([0.2, nan, 1. ])
        """
        return PairedResult(self.statistic, np.where(np.isfinite(self.statistic), self.p, np.nan))


@dataclass(frozen=True, kw_only=True)
class PairedTest(ABC):
    """Whether two systems differ, judged from their scores on the same topics.

    A test is a value: its options are its fields, two tests with equal options are equal, and
    its `repr` evaluates back to it. Its `kernel` tests all pairs at all depths.

    Examples
    --------
    >>> from irframe.paired import PairedT, parse_test
    >>> parse_test("t") == PairedT()
    True
    """

    name: ClassVar[str]
    """What `parse_test` calls the test."""
    title: ClassVar[str]
    """What captions call it."""
    _repr_html_ = as_html
    designed: ClassVar[bool] = False
    """Whether it has a form for topics that were drawn together, or count more than others."""
    joint: ClassVar[bool] = False
    """Whether its p-values already allow for all pairs of the systems, and need no correction."""
    inverted: ClassVar[bool] = False
    """Whether it has intervals of its own, of the differences that it does not find significant;
    beside the p-values of others stand Student's."""

    def __post_init__(self) -> None:
        wrong = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.type is bool and not isinstance(getattr(self, field.name), bool)
        ]
        if wrong:
            raise ParameterError("True or False", "", "choose one of the two", wrong)

    @abstractmethod
    def kernel(self, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth at once.

        Parameters
        ----------
        scores
            Shape (system, topic, depth), without NaN.
        pairs
            Shape (pair, 2), positions of systems a and b, as `all_pairs` and `baseline_pairs`
            give; all pairs by default.

        Returns
        -------
        PairedResult
            `statistic` and `p`, each of shape (pair, depth).
        """

    def under(self, design: Design, scores: Floats, pairs: Pairs = None) -> PairedResult:
        """Test every pair at every depth, of topics that were drawn so; if `designed`.

        Parameters
        ----------
        design
            How topics were drawn.
        scores, pairs
            As for `kernel`, which tests topics that were drawn independently and count alike.

        Returns
        -------
        PairedResult
            As `kernel` gives it.
        """
        raise NotImplementedError(f"{self!r} has no form for topics that were drawn together")

    def interval(
        self, scores: Floats, pairs: Pairs = None, design: Design | None = None, *, alpha: float
    ) -> Ends:
        """Return between which values mean differences lie, as the test has it; if `inverted`.

        Parameters
        ----------
        scores, pairs
            As for `kernel`.
        design
            How topics were drawn; by default independently, and all count alike.
        alpha
            One minus the confidence level.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends, shape (pair, depth): 0 is outside exactly where p < alpha, but
            for pairs whose differences are all the same.
        """
        raise NotImplementedError(f"{self!r} has no intervals of its own")


@dataclass(frozen=True, kw_only=True)
class ResamplingTest(PairedTest):
    """A test by random draws, the same for every pair and depth.

    Parameters
    ----------
    samples
        How many draws, at least 1.
    seed
        Of the generator of the draws, at least 0; the same seed gives the same p-values.
    """

    samples: int
    seed: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("samples", self.samples, low=1)
        whole("seed", self.seed, low=0)


def moments(
    block: Floats, pairs: Ints, design: Design | None = None
) -> tuple[Floats, Floats, Floats]:
    """Mean, spread and its freedom of the differences of every pair, from one Gram matrix.

    Parameters
    ----------
    block
        Shape (depth, system, topic).
    pairs
        Shape (pair, 2).
    design
        How topics were drawn; by default independently, and all count alike.

    Returns
    -------
    tuple of numpy.ndarray
        Mean and standard deviation of a - b, and degrees of freedom, each of shape (depth, pair).
        With a design the standard deviation is the standard error of the mean, times the root of
        the number of topics.

    Notes
    -----
    With each topic's mean over systems removed, and then each system's mean over topics, the
    sum of squares of a difference is G[a, a] + G[b, b] - 2 G[a, b], G the matrix of inner
    products. Where that is at most a thousandth of the sums of squares it is taken from, or
    no more than rounding of the largest score explains, the pair is computed again from its
    differences, and constant differences are told apart: see `exact_moments`.
    """
    topics = block.shape[2]
    if design is None:
        mean, squares, doubt = _by_gram(block, pairs)
        for where, a, b in _looked_at(block, pairs, doubt):
            mean[where], squares[where] = exact_moments(a, b)
        return mean, deviations(squares, topics), np.broadcast_to(topics - 1.0, mean.shape)
    (mean, variance, freedom), doubt = design.by_gram(block, pairs)
    freedom = freedom.copy()
    for where, a, b in _looked_at(block, pairs, doubt):
        mean[where], variance[where], freedom[where] = design.sure(a - b, _largest(a, b))
    return mean, np.sqrt(variance * topics), freedom


def _looked_at(
    block: Floats, pairs: Ints, doubt: tuple[Ints, ...]
) -> Iterator[tuple[tuple[Ints, Ints], Floats, Floats]]:
    """Yield some of the depths and pairs, and the scores of both systems there."""
    depth, pair = doubt
    for group in groups(len(depth), fitting(block.shape[2])):
        where = depth[group], pair[group]
        first, second = pairs[where[1]].T
        yield where, block[where[0], first], block[where[0], second]


def _by_gram(block: Floats, pairs: Ints) -> tuple[Floats, Floats, tuple[Ints, ...]]:
    """Give means and sums of squares, and the depths and pairs where these are in doubt."""
    topics = block.shape[2]
    a, b = pairs.T
    # What a topic gives to all cancels out of differences: taken off before, it costs no digits.
    centred = block - block.mean(axis=1, keepdims=True)
    means = centred.mean(axis=2)
    centred -= means[:, :, None]
    own, cross = products(centred, pairs)
    power = own + topics * means**2
    squares = own.take(a, axis=1) + own.take(b, axis=1) - 2 * cross
    mean = means.take(a, axis=1) - means.take(b, axis=1)
    rounding = topics * (ROUNDING * abs(block).max(axis=(1, 2))) ** 2
    doubt = np.maximum(GUARD * (power.take(a, axis=1) + power.take(b, axis=1)), rounding[:, None])
    return mean, squares, np.nonzero(squares <= doubt)


def deviations(squares: Floats, topics: int) -> Floats:
    """Return standard deviations from sums of squares about the mean; NaN of one topic."""
    return np.sqrt(squares / (topics - 1 if topics > 1 else np.nan))


def exact_moments(a: Floats, b: Floats) -> Ends:
    """Mean and sum of squares about it of a - b over the last axis, from the differences.

    Parameters
    ----------
    a, b
        Scores, topics last.

    Returns
    -------
    tuple of numpy.ndarray
        Mean, and sum of squares about the mean.

    Notes
    -----
    Adding a constant to a score rounds it, so that differences which are constant on paper
    differ in their last bits. Differences that spread over no more than 8 units of rounding
    (2.2e-16) of the larger score count as constant, with a sum of squares of exactly 0; if
    their mean is no larger than that either, the systems count as identical and it is 0.
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
    """Return how far apart differences of these scores may be by rounding alone.

    Parameters
    ----------
    a, b
        Scores, topics last.

    Returns
    -------
    numpy.ndarray
        8 units of rounding (2.2e-16) of the largest score.
    """
    return ROUNDING * _largest(a, b)


def _largest(a: Floats, b: Floats) -> Floats:
    return np.asarray(np.maximum(abs(a).max(axis=-1), abs(b).max(axis=-1)))


SCALE = 1e12
"""Differences are rounded to 12 decimals before they are ranked or counted as ties."""


class Differences(NamedTuple):
    """How far apart two systems are, and on how many topics.

    Parameters
    ----------
    mean
        Mean over topics of a - b, shape (pair, depth).
    sd
        Standard deviation of the differences with topics - 1 below, shape (pair, depth);
        exactly 0 where they are constant, NaN with one topic.
    wins, ties, losses
        Numbers of topics where a - b, rounded to 12 decimals, is positive, 0 and negative,
        each of shape (pair, depth).
    topics
        The number of topics, one for each depth where depths have topics of their own.
    freedom
        Degrees of freedom of the standard deviation; topics - 1, unless topics have a design.

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
        """Paired standardised mean difference.

        Returns
        -------
        numpy.ndarray
            Shape (pair, depth); NaN where all differences are the same.

        Notes
        -----
        d_z = mean / sd of the paired differences, so that t = d_z sqrt(topics).

        References
        ----------
        D. Lakens (2013). Calculating and reporting effect sizes to facilitate cumulative
        science. https://doi.org/10.3389/fpsyg.2013.00863
        """
        return self.mean / self._varying()

    def interval(self, *, alpha: float = 0.05) -> Ends:
        """Confidence interval of the mean difference.

        Parameters
        ----------
        alpha
            1 - confidence, strictly between 0 and 1.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends, each of shape (pair, depth); NaN where all differences are the
            same.

        Notes
        -----
        mean -+ t_{1 - alpha/2, freedom} sd / sqrt(topics).

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
        # The lower quantile: 1 - alpha / 2 has lost the digits of a small alpha.
        quantile = -scipy.special.stdtrit(self.freedom, alpha / 2)
        half = quantile * self._varying() / np.sqrt(self.topics)
        return self.mean - half, self.mean + half

    def _varying(self) -> Floats:
        """Return standard deviations, NaN where nothing says how differences vary."""
        return np.where(self.sd > 0, self.sd, np.nan)


def describe_differences(
    scores: Floats, pairs: Pairs = None, design: Design | None = None
) -> Differences:
    """Say by how much, how evenly and on how many topics the systems of each pair differ.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.
    pairs
        Shape (pair, 2), positions of systems a and b; all pairs by default.
    design
        How topics were drawn; by default independently, and all count alike.

    Returns
    -------
    Differences
        Arrays of shape (pair, depth).

    Notes
    -----
    See `moments` for mean and standard deviation. Differences are rounded to 12 decimals
    before they are counted, so that 1/2 - 1/3 ties with 1/3 - 1/6.

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque (1983). Algorithms for computing the sample
    variance. https://doi.org/10.1080/00031305.1983.10483115

    Examples
    --------
    >>> scores = np.array([[[0.2], [0.4], [0.6]], [[0.1], [0.5], [0.6]]])
    >>> found = describe_differences(scores)
    >>> found.wins.item(), found.ties.item(), found.losses.item()
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
    """Count the topics that a wins and loses, differences rounded to 12 decimals.

    Parameters
    ----------
    a, b
        Scores, topics last.

    Returns
    -------
    tuple of numpy.ndarray
        Wins and losses of a.
    """
    difference = a - b
    difference *= SCALE
    return (
        # Beyond half of the 12th decimal, which is what rounding says, without rounding every one.
        np.count_nonzero(difference > 0.5, axis=-1),
        np.count_nonzero(difference < -0.5, axis=-1),
    )


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide; 0 / 0 is 0, anything else by 0 is infinite with its sign."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((above == 0) & (below == 0), 0.0, above / below)
