"""Averages over resamples of the topics, which all systems, metrics and depths share."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.checks import level, room, whole
from irframe.metrics.facts import TIE, averaged, terms
from irframe.paired.pairs import count_drawn, draw_topics
from irframe.scores.scores import Arrays


@dataclass(frozen=True)
class Resamples:
    """How often topics are drawn, and how sure intervals are to be.

    Parameters
    ----------
    alpha
        One minus the level of the intervals, above 0 and below 1.
    samples
        How many resamples, at least 1.
    seed
        Of the generator of the draws, at least 0.
    """

    alpha: float
    samples: int
    seed: int

    def __post_init__(self) -> None:
        level(self.alpha)
        whole("samples", self.samples, low=1)
        whole("seed", self.seed, low=0)

    def counts(self, topics: int) -> Array:
        """Return how often each resample has each of so many topics, shape (sample, topic)."""
        return count_drawn(draw_topics(topics, samples=self.samples, seed=self.seed))

    def means(
        self, scores: Array, summary: Any, sign: int = 1, weights: Array | None = None
    ) -> Array:
        """Average over resamples of the topics, rounded so that equal averages tie.

        Parameters
        ----------
        scores
            Shape (system, topic, depth), without NaN.
        summary
            How the metric is averaged.
        sign
            -1 for costs, whose averages change sign.
        weights
            Those of the topics, which they keep when they are drawn; by default all count alike.

        Returns
        -------
        numpy.ndarray
            Shape (sample, depth, system), higher is better; NaN of a single topic, from which
            nothing can be told of others.
        """
        systems, topics, depths = scores.shape
        size = 8 * systems * depths * self.samples
        what = f"means of {systems} systems by depth over {self.samples:,} resamples"
        room(what, size, "ask for fewer samples=, or depths with at=")
        if topics < 2:
            return np.full((self.samples, depths, systems), np.nan)
        summands = terms(scores, summary).transpose(1, 2, 0).reshape(topics, -1)
        counts = self.counts(topics)
        drawn: Any = np.float64(topics)
        if weights is not None:
            counts *= weights
            drawn = counts.sum(axis=1)[:, np.newaxis, np.newaxis]
        total = _weighted(counts, summands).reshape(-1, depths, systems)
        means: Array = np.round(sign * averaged(drawn, total, summary), TIE)
        return means

    def ends(self, values: Array, beyond: Array | float) -> Arrays:
        """Return between which values the resamples lie; samples last.

        Parameters
        ----------
        values
            Shape (..., sample).
        beyond
            At most this share of the resamples is beyond either end, one for all or each.

        Returns
        -------
        tuple of numpy.ndarray
            Lower and upper ends; both NaN where more resamples than that have no value.
        """
        # Rounded, because (1 - 0.95) / 2 * 1000 is above 25.
        place = np.floor(np.round(np.nan_to_num(beyond) * self.samples, 9)).astype(int)
        low = np.broadcast_to(place, values.shape[:-1])[..., np.newaxis]
        high = self.samples - 1 - low
        parted = np.partition(values, np.union1d(place, self.samples - 1 - place), axis=-1)
        ends = (np.take_along_axis(parted, each, axis=-1)[..., 0] for each in (low, high))
        lowest, highest = ends
        return np.where(np.isnan(highest), np.nan, lowest), highest

    def expanded(self, topics: Array | int) -> Array:
        """Return the share beyond either end of an expanded percentile interval; NaN of 1 topic.

        Examples
        --------
        >>> Resamples(0.05, 1000, 0).expanded(np.array([5, 50])).round(4)
        array([0.001 , 0.0212])
        """
        return expanded_share(self.alpha, topics)


def expanded_share(alpha: float, topics: Array | int) -> Array:
    """Return which quantile stands for alpha / 2 where resamples vary less than samples do.

    Resamples of n topics vary less than other topics would, by the root of n / (n - 1), and their
    quantiles are those of the normal distribution, not Student's.

    References
    ----------
    .. [1] Hesterberg. What teachers should know about the bootstrap: resampling in the
       undergraduate statistics curriculum. American Statistician 69, 2015.
       doi:10.1080/00031305.2015.1089789
    """
    n = np.asarray(topics, dtype=np.float64)
    several = np.where(n > 1, n, np.nan)
    t = scipy.special.stdtrit(several - 1, 1 - alpha / 2)
    return np.asarray(scipy.special.ndtr(-t * np.sqrt(several / (several - 1))))


def without_each(scores: Array, summary: Any, sign: int = 1) -> Array:
    """Average over all topics but one, rounded so that equal averages tie.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), NaN on topics that do not count.
    summary, sign
        As for `Resamples.means`.

    Returns
    -------
    numpy.ndarray
        Shape (topic, depth, system), the topic that is left out first; NaN where none is left.
    """
    systems, topics, depths = scores.shape
    there = ~np.isnan(scores).any(axis=0)
    summands = terms(scores, summary).transpose(1, 2, 0).reshape(topics, -1)
    total = _weighted(1 - np.eye(topics), summands).reshape(topics, depths, systems)
    counted = (there.sum(axis=0) - there)[..., np.newaxis].astype(np.float64)
    means: Array = np.round(sign * averaged(counted, total, summary), TIE)
    return means


def _weighted(counts: Array, summands: Array) -> Array:
    """Add summands up as often as topics were drawn, also infinite ones."""
    infinite = np.isinf(summands)
    if not infinite.any():
        return counts @ summands
    total = counts @ np.where(infinite, 0, summands)
    return np.where(counts @ infinite > 0, np.inf, total)
