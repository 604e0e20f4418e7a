"""What the differences of a pair look like: mean, spread, wins, ties and losses."""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.checks import level
from irframe.paired.blocks import by_depth, by_pair
from irframe.paired.moments import hc2, moments
from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["Differences", "describe_differences", "ratio", "sides"]

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
        Degrees of freedom of the standard deviation; topics - 1, unless topics have weights.

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
    topics: int | IntArray
    freedom: float | IntArray

    @property
    def effect_size(self) -> FloatArray:
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

    def interval(self, *, alpha: float = 0.05) -> tuple[FloatArray, FloatArray]:
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
        quantile = -scipy.special.stdtrit(self.freedom, alpha / 2)
        half = quantile * self._varying() / np.sqrt(self.topics)
        return self.mean - half, self.mean + half

    def _varying(self) -> FloatArray:
        """Return standard deviations, NaN where nothing says how differences vary."""
        return np.where(self.sd > 0, self.sd, np.nan)


def describe_differences(
    scores: FloatArray, pairs: IntArray | None = None, weights: FloatArray | None = None
) -> Differences:
    """Say by how much, how evenly and on how many topics the systems of each pair differ.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.
    pairs
        Shape (pair, 2), positions of systems a and b; all pairs by default.
    weights
        Those of the topics, above 0, 1 on average; by default all count alike. The standard
        deviation is the standard error of the weighted mean, times the root of the number of
        topics.

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
        return *moments(block, pairs, weights), *by_pair(sides, block, pairs)

    dtypes = (np.float64, np.float64, np.int64, np.int64)
    mean, sd, wins, losses = by_depth(compute, scores, pairs, dtypes=dtypes)
    topics = np.shape(scores)[1]
    freedom = topics - 1 if weights is None else float(hc2(weights).freedom)
    return Differences(mean, sd, wins, topics - wins - losses, losses, topics, freedom)


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
