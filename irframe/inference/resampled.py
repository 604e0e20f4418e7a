"""Averages over resamples of the topics, which all systems, metrics and depths share."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from irframe.checks import level, room, whole
from irframe.inference.matched import Array, Arrays
from irframe.metrics.averaging import TIE, averaged, terms
from irframe.paired.resamples import count_drawn, draw_topics


@dataclass(frozen=True)
class Resamples:
    """How often topics are drawn, and how sure intervals are to be.

    Parameters
    ----------
    level
        Of the intervals, above 0 and below 1.
    samples
        How many resamples, at least 1.
    seed
        Of the generator of the draws, at least 0.
    """

    level: float
    samples: int
    seed: int

    def __post_init__(self) -> None:
        level(self.level, "level")
        whole("samples", self.samples, low=1)
        whole("seed", self.seed, low=0)

    def counts(self, topics: int) -> Array:
        """Return how often each resample has each of so many topics, shape (sample, topic)."""
        return count_drawn(draw_topics(topics, samples=self.samples, seed=self.seed))

    def means(self, scores: Array, summary: Any, sign: int = 1) -> Array:
        """Average over resamples of the topics, rounded so that equal averages tie.

        Parameters
        ----------
        scores
            Shape (system, topic, depth), without NaN.
        summary
            How the metric is averaged.
        sign
            -1 for costs, whose averages change sign.

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
        total = _weighted(self.counts(topics), summands).reshape(-1, depths, systems)
        means: Array = np.round(sign * averaged(np.float64(topics), total, summary), TIE)
        return means

    def ends(self, values: Array) -> Arrays:
        """Return between which values of the resamples the level lies; samples last.

        At most a share of (1 - level) / 2 of the resamples is beyond either end. Both are NaN
        where more resamples than that have no value.
        """
        # Rounded, because (1 - 0.95) / 2 * 1000 is above 25.
        beyond = int(round((1 - self.level) / 2 * self.samples, 9))
        places = beyond, self.samples - 1 - beyond
        parted = np.partition(values, places, axis=-1)
        low, high = parted[..., places[0]], parted[..., places[1]]
        return np.where(np.isnan(high), np.nan, low), high


def _weighted(counts: Array, summands: Array) -> Array:
    """Add summands up as often as topics were drawn, also infinite ones."""
    infinite = np.isinf(summands)
    if not infinite.any():
        return counts @ summands
    total = counts @ np.where(infinite, 0, summands)
    return np.where(counts @ infinite > 0, np.inf, total)
