"""Correction for many comparisons by the largest of their t statistics."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from irframe.checks import whole
from irframe.paired.blocks import fitting, groups
from irframe.paired.moments import ROUNDING
from irframe.paired.pairs import FloatArray, IntArray
from irframe.paired.permutation import CHUNK, TIE
from irframe.paired.resamples import critical, draw_signs

__all__ = ["MaxT"]


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
    P. H. Westfall, S. S. Young (1993). Resampling-based multiple testing. Wiley.

    J. P. Romano, M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis
    testing. https://doi.org/10.1198/016214504000000539

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

    def kernel(
        self, scores: FloatArray, pairs: IntArray, topics: IntArray | None = None
    ) -> FloatArray:
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
        self, scores: FloatArray, pairs: IntArray, topics: IntArray | None = None, *, alpha: float
    ) -> FloatArray:
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

    pairs: IntArray
    topics: IntArray
    scale: FloatArray
    noise: FloatArray

    @classmethod
    def of(cls, scores: FloatArray, pairs: IntArray, topics: Any) -> Self:
        """Return the pairs of columns of scores, compared on so many topics."""
        counted = np.broadcast_to(topics, len(pairs))
        power, largest = np.empty(len(pairs)), abs(scores).max(axis=0)
        for group in groups(len(pairs), fitting(len(scores))):
            a, b = pairs[group].T
            power[group] = ((scores[:, a] - scores[:, b]) ** 2).sum(axis=0)
        scale = 1 / np.sqrt(np.where(power > 0, counted * power, np.inf))
        noise = TIE + ROUNDING * counted * largest[pairs].max(axis=1) * scale
        return cls(pairs, counted, scale, noise)

    def at(self, places: IntArray | slice) -> Self:
        """Return some of the pairs."""
        return type(self)(
            self.pairs[places], self.topics[places], self.scale[places], self.noise[places]
        )

    def reaching(self, sums: FloatArray, least: FloatArray) -> IntArray:
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

    def largest(self, sums: FloatArray) -> FloatArray:
        """Return the largest |t| of all pairs in each draw, as `sizes` gives them."""
        largest = np.zeros(sums.shape[1])
        for group in groups(len(self.pairs), fitting(sums.shape[1])):
            sizes = self.at(group).sizes(sums, self.topics.max())
            np.maximum(largest, sizes.max(axis=0), out=largest)
        return largest

    def sizes(self, sums: FloatArray, most: int) -> FloatArray:
        """Return |t| of sums of scores, (column, draw), by a scale on which it is from 0 to 1.

        With d the n differences, ``r = |sum d| / sqrt(n sum d^2)`` and
        ``t^2 = (n - 1) r^2 / (1 - r^2)``; the sum of squares never changes with signs.
        """
        a, b = self.pairs.T
        sizes: FloatArray = sums.take(a, axis=0)
        sizes -= sums.take(b, axis=0)
        np.abs(sizes, out=sizes)
        sizes *= self.scale[:, np.newaxis]
        if (self.topics == most).all():
            return sizes
        # The r of the same t on the most topics that a pair of the family has.
        squares = np.minimum(sizes**2, 1)
        own = (self.topics[:, np.newaxis] - 1) * squares
        both = own + (most - 1) * (1 - squares)
        found: FloatArray = np.sqrt(own / np.where(both > 0, both, 1))
        return found
