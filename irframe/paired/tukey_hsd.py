"""Tukey's honestly significant difference, by randomisation within topics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from irframe.checks import room
from irframe.paired.base import PairedResult, Resampling
from irframe.paired.blocks import BLOCK_BYTES, by_depth, groups
from irframe.paired.pairs import FloatArray, IntArray
from irframe.paired.permutation import TIE
from irframe.paired.resamples import critical

__all__ = ["TukeyHSD"]

KEPT = 4
"""Times that the ranges of all shuffles are in memory while they are counted."""


@dataclass(frozen=True, kw_only=True)
class TukeyHSD(Resampling):
    """Whether two systems differ by more than the best and the worst of all would by chance.

    Parameters
    ----------
    samples
        How many times the systems are shuffled within every topic, at least 1.
    seed
        Of the generator of the shuffles, at least 0.

    Returns
    -------
    TukeyHSD
        A test whose statistic is the mean difference a - b, and whose p-values already allow
        for all pairs of the systems given.

    Notes
    -----
    Each draw shuffles the systems' scores within every topic, alike at all depths, and takes
    the range of the systems' means, q*; p = (1 + count of ``q* >= |mean(a) - mean(b)|``) /
    (1 + samples). The 1, the observed order being one of the shuffles, keeps p above 0; the
    printed algorithm leaves it out. Simultaneous intervals are ``mean(a) - mean(b) -+ q``, q the
    quantile of q* beyond which p < alpha: they exclude 0 for the significant pairs alone. Ranges
    that agree to 1e-12 of the largest score count as equal. All systems in the scores take part
    in every draw, in whatever pairs they are. One range for all pairs presumes that all pairs of
    systems differ alike from topic to topic: where some vary far more than others, false claims
    are more frequent than alpha (with standard deviations of .02 and .3 among five systems .08 to
    .14 where .05 are allowed), and t-tests with Holm's correction or `MaxT` hold.

    References
    ----------
    B. Carterette (2012). Multiple testing in statistical analysis of systems-based information
    retrieval experiments. https://doi.org/10.1145/2094072.2094076

    Examples
    --------
    >>> scores = np.array([[0.5, 0.4], [0.5, 0.4], [0.5, 0.4]])[:, :, None]
    >>> statistic, p = TukeyHSD(samples=9).kernel(scores)
    >>> p.ravel().tolist()
    [1.0, 1.0, 1.0]
    """

    name: ClassVar[str] = "tukey"
    joint: ClassVar[bool] = True
    inverted: ClassVar[bool] = True
    samples: int = 10_000

    def shuffles(self, systems: int, topics: int) -> Iterator[IntArray]:
        """Draw the shuffles, a few at a time.

        Parameters
        ----------
        systems, topics
            How many there are.

        Yields
        ------
        numpy.ndarray
            Shape (some draws, topics, systems): which system's score each system gets.

        Examples
        --------
        >>> sum(len(drawn) for drawn in TukeyHSD(samples=9).shuffles(3, 2))
        9
        """
        generator = np.random.default_rng(self.seed)
        row = np.arange(systems, dtype=np.int64)
        for group in groups(self.samples, max(1, BLOCK_BYTES // (8 * systems * topics))):
            draws = len(range(self.samples)[group])
            yield generator.permuted(np.broadcast_to(row, (draws, topics, systems)), axis=-1)

    def kernel(self, scores: FloatArray, pairs: IntArray | None = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""
        what, size = f"{self.samples:,} ranges of means at every depth", 8 * scores.shape[-1]
        room(what, KEPT * size * self.samples, "ask for fewer samples=, or depths with at=")
        statistic, least = by_depth(_observed, scores, pairs)
        ranges = np.concatenate(list(self._ranges(np.asarray(scores, dtype=np.float64))))
        return PairedResult(statistic, (1 + _count(ranges, least)) / (1 + self.samples))

    def interval(
        self,
        scores: FloatArray,
        pairs: IntArray | None = None,
        *,
        alpha: float,
        weights: FloatArray | None = None,  # noqa: ARG002 - has no weighted form
    ) -> tuple[FloatArray, FloatArray]:
        """Return intervals that hold for all pairs at once; see `PairedTest.interval`."""
        statistic, _ = by_depth(_observed, scores, pairs)
        values = np.asarray(scores, dtype=np.float64)
        ranges = np.concatenate(list(self._ranges(values)))
        half = critical(ranges, alpha) + TIE * abs(values).max(axis=(0, 1))
        return statistic - half, statistic + half

    def _ranges(self, scores: FloatArray) -> Iterator[FloatArray]:
        systems, topics, depths = scores.shape
        flat = np.ascontiguousarray(scores).reshape(systems * topics, depths)
        for drawn in self.shuffles(systems, topics):
            rows = (drawn * topics + np.arange(topics)[:, None]).swapaxes(1, 2)
            ends = np.arange(0, rows.size + 1, topics)
            gather = scipy.sparse.csr_array(
                (np.ones(rows.size), rows.ravel(), ends), shape=(rows.size // topics, len(flat))
            )
            means = (gather @ flat).reshape(len(drawn), systems, depths) / topics
            yield np.ptp(means, axis=1)


def _observed(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, FloatArray]:
    means = block.mean(axis=2)
    statistic = means[:, pairs[:, 0]] - means[:, pairs[:, 1]]
    return statistic, abs(statistic) - TIE * abs(block).max(axis=(1, 2))[:, None]


def _count(ranges: FloatArray, least: FloatArray) -> FloatArray:
    """Count, for every pair and depth, the draws (draw, depth) that reach it."""
    pairs = len(least)
    order = np.concatenate([least, ranges]).argsort(axis=0, kind="stable")
    reaching = np.cumsum((order >= pairs)[::-1], axis=0)[::-1]
    counts = np.empty(order.shape)
    np.put_along_axis(counts, order, reaching.astype(np.float64), axis=0)
    return counts[:pairs]
