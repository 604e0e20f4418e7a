"""What the differences of a pair look like: mean, spread, wins, ties and losses."""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.checks import level
from irframe.paired.blocks import by_depth, by_pair, fitting, groups
from irframe.paired.pairs import FloatArray, IntArray
from irframe.paired.products import gram

__all__ = ["Differences", "describe_differences", "exact_moments", "moments", "noise", "sides"]

SCALE = 1e12
"""Differences are rounded to 12 decimals before they are ranked or counted as ties."""
ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the larger score: differences this close together count as one constant."""
GUARD = 1e-3
"""Share of the operands' power below which the Gram matrix's variance is not trusted."""


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
        The number of topics.

    Examples
    --------
    >>> scores = np.array([[[3.0], [5.0], [2.0]], [[1.0], [1.0], [2.0]]])
    >>> differences = describe_differences(scores)
    >>> differences.mean, differences.sd, differences.effect_size
    (array([[2.]]), array([[2.]]), array([[1.]]))
    """

    mean: FloatArray
    sd: FloatArray
    wins: IntArray
    ties: IntArray
    losses: IntArray
    topics: int

    @property
    def effect_size(self) -> FloatArray:
        """Paired standardised mean difference.

        Returns
        -------
        numpy.ndarray
            Shape (pair, depth); 0 where all differences are 0, infinite where they are
            constant, NaN with one topic.

        Notes
        -----
        d_z = mean / sd of the paired differences, so that t = d_z sqrt(topics).

        References
        ----------
        D. Lakens (2013). Calculating and reporting effect sizes to facilitate cumulative
        science. https://doi.org/10.3389/fpsyg.2013.00863
        """
        return ratio(self.mean, self.sd)

    def interval(self, *, alpha: float = 0.05) -> tuple[FloatArray, FloatArray]:
        """Confidence interval of the mean difference.

        Parameters
        ----------
        alpha
            1 - confidence, strictly between 0 and 1.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends, each of shape (pair, depth); NaN with one topic.

        Notes
        -----
        mean -+ t_{1 - alpha/2, topics - 1} sd / sqrt(topics).

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
        quantile = -scipy.special.stdtrit(self.topics - 1, alpha / 2)
        half = quantile * self.sd / np.sqrt(self.topics)
        return self.mean - half, self.mean + half


def describe_differences(scores: FloatArray, pairs: IntArray | None = None) -> Differences:
    """Say by how much, how evenly and on how many topics the systems of each pair differ.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.
    pairs
        Shape (pair, 2), positions of systems a and b; all pairs by default.

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

    def compute(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, ...]:
        return *moments(block, pairs), *by_pair(sides, block, pairs)

    dtypes = (np.float64, np.float64, np.int64, np.int64)
    mean, sd, wins, losses = by_depth(compute, scores, pairs, dtypes=dtypes)
    topics = np.shape(scores)[1]
    return Differences(mean, sd, wins, topics - wins - losses, losses, topics)


def moments(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of the differences of every pair, from one Gram matrix.

    Parameters
    ----------
    block
        Shape (depth, system, topic).
    pairs
        Shape (pair, 2).

    Returns
    -------
    tuple of numpy.ndarray
        Mean and standard deviation of a - b, each of shape (depth, pair).

    Notes
    -----
    With each topic's mean over systems removed, and then each system's mean over topics, the
    sum of squares of a difference is G[a, a] + G[b, b] - 2 G[a, b], G the matrix of inner
    products. Where that is at most a thousandth of the sums of squares it is taken from, or
    no more than rounding of the largest score explains, the pair is computed again from its
    differences: see `exact_moments`.
    """
    topics = block.shape[2]
    a, b = pairs.T
    centred = block - block.mean(axis=1, keepdims=True)
    means = centred.mean(axis=2)
    centred -= means[:, :, None]
    inner = gram(centred)
    own = np.diagonal(inner, axis1=1, axis2=2)
    power = own + topics * means**2
    cross = inner.reshape(len(block), -1).take(a * len(own.T) + b, axis=1)
    squares = own.take(a, axis=1) + own.take(b, axis=1) - 2 * cross
    mean = means.take(a, axis=1) - means.take(b, axis=1)
    rounding = topics * (ROUNDING * abs(block).max(axis=(1, 2))) ** 2
    doubt = np.maximum(GUARD * (power[:, a] + power[:, b]), rounding[:, None])
    depth, pair = np.nonzero(squares <= doubt)
    for group in groups(len(depth), fitting(topics)):
        where = depth[group], pair[group]
        left, right = block[where[0], a[where[1]]], block[where[0], b[where[1]]]
        mean[where], squares[where] = exact_moments(left, right)
    if topics == 1:
        return mean, np.full_like(mean, np.nan)
    return mean, np.sqrt(squares / (topics - 1))


def exact_moments(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
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


def noise(a: FloatArray, b: FloatArray) -> FloatArray:
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
    largest: FloatArray = np.maximum(abs(a).max(axis=-1), abs(b).max(axis=-1))
    return ROUNDING * largest


def sides(a: FloatArray, b: FloatArray) -> tuple[IntArray, IntArray]:
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
        np.count_nonzero(difference > 0.5, axis=-1),
        np.count_nonzero(difference < -0.5, axis=-1),
    )


def ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """Divide; 0 / 0 is 0, anything else by 0 is infinite with its sign."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((above == 0) & (below == 0), 0.0, above / below)
