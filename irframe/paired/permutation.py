"""The paired permutation test, also known as Fisher's randomisation test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from irframe.paired.base import PairedResult, Resampling
from irframe.paired.blocks import by_depth, by_pair, checked, groups
from irframe.paired.moments import noise
from irframe.paired.pairs import FloatArray, IntArray
from irframe.paired.products import product
from irframe.paired.resamples import draw_signs

__all__ = ["TIE", "Permutation"]

TIE = 1e-12
"""Relative to its largest possible size: sums this close count as equal, whatever rounding."""
CHUNK = 1000
"""How many draws are held as floats at a time."""


@dataclass(frozen=True, kw_only=True)
class Permutation(Resampling):
    """Whether the mean difference stands out once it is chance which system got which score.

    Parameters
    ----------
    samples
        How many random assignments of signs, at least 1.
    seed
        Of the generator of the signs, at least 0.

    Returns
    -------
    Permutation
        A test whose statistic is the mean difference a - b.

    Notes
    -----
    p = (1 + count) / (1 + samples), count the draws whose ``|mean of +-(a - b)|`` is at least the
    observed one; sums that agree to 1e-12 of the sum of ``|a - b|`` count as equal. The signs are
    the same for every pair and depth. With weights of the topics the differences are weighted, and
    the statistic is the weighted mean: a topic whose sign changes keeps its weight.

    References
    ----------
    M. D. Smucker, J. Allan, B. Carterette (2007). A comparison of statistical significance
    tests for information retrieval evaluation. https://doi.org/10.1145/1321440.1321528

    B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero.
    https://doi.org/10.2202/1544-6115.1585

    Examples
    --------
    >>> scores = np.array([[0.5, 0.4, 0.6], [0.5, 0.4, 0.6]])[:, :, None]
    >>> statistic, p = Permutation(samples=99, seed=1).kernel(scores)
    >>> statistic.item(), p.item()
    (0.0, 1.0)
    """

    name: ClassVar[str] = "permutation"
    weighable: ClassVar[bool] = True
    inverted: ClassVar[bool] = True
    samples: int = 10_000

    def signs(self, topics: int) -> NDArray[np.int8]:
        """Draw the signs.

        Parameters
        ----------
        topics
            How many differences there are.

        Returns
        -------
        numpy.ndarray
            Shape (samples, topics), each -1 or 1.

        Examples
        --------
        >>> Permutation(samples=2, seed=0).signs(3).shape
        (2, 3)
        """
        return draw_signs(topics, samples=self.samples, seed=self.seed)

    def weighted(
        self, scores: FloatArray, weights: FloatArray, pairs: IntArray | None = None
    ) -> PairedResult:
        """Test with weights of the topics; see `PairedTest.weighted`."""
        return self.kernel(checked(scores, pairs)[0] * weights[:, np.newaxis], pairs)

    def kernel(self, scores: FloatArray, pairs: IntArray | None = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""
        scores, pairs = checked(scores, pairs)
        signs = self.signs(scores.shape[1])

        def test(a: FloatArray, b: FloatArray) -> tuple[FloatArray, ...]:
            difference = a - b
            total = difference.sum(axis=-1)
            least = abs(total) - TIE * abs(difference).sum(axis=-1)
            count = np.zeros(total.shape)
            for chunk in groups(self.samples, CHUNK):
                flipped = product(difference, signs[chunk].T.astype(np.float64))
                count += np.count_nonzero(abs(flipped) >= least[..., None], axis=-1)
            return total / difference.shape[-1], (1 + count) / (1 + self.samples)

        def compute(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, ...]:
            return by_pair(test, block, pairs, width=min(CHUNK, self.samples))

        return PairedResult(*by_depth(compute, scores, pairs))

    def interval(
        self,
        scores: FloatArray,
        pairs: IntArray | None = None,
        *,
        alpha: float,
        weights: FloatArray | None = None,
    ) -> tuple[FloatArray, FloatArray]:
        """Return the differences that are not rejected; see `PairedTest.interval`.

        Notes
        -----
        A draw reaches a shift of the differences if that lies between the means of those whose
        sign it keeps and of those whose sign it turns. All these ranges hold the mean difference,
        so that as many draws reach both ends as are needed for a p of alpha.
        """
        scores, pairs = checked(scores, pairs)
        topics = scores.shape[1]
        each = np.ones(topics) if weights is None else weights
        signs = self.signs(topics).T.astype(np.float64)
        turned = np.stack([each @ (signs > 0), each @ (signs < 0)])
        needed = np.count_nonzero((1 + np.arange(self.samples)) / (1 + self.samples) < alpha)

        def ends(a: FloatArray, b: FloatArray) -> tuple[FloatArray, ...]:
            difference = each * (a - b)
            total, flipped = difference.sum(axis=-1), product(difference, signs)
            parts = np.stack([total[..., None] + flipped, total[..., None] - flipped]) / 2
            least = TIE * abs(difference).sum(axis=-1)[..., None]
            parts[abs(parts) <= least] = 0
            with np.errstate(invalid="ignore", divide="ignore"):
                means = parts / turned[:, None, None]
            low = np.where(turned.all(axis=0), means.min(axis=0), -np.inf)
            high = np.where(turned.all(axis=0), means.max(axis=0), np.inf)
            flat = np.ptp(a - b, axis=-1) <= noise(a, b)
            if not needed:
                return np.where(flat, np.nan, -np.inf), np.where(flat, np.nan, np.inf)
            lows = np.partition(low, needed - 1, axis=-1)[..., needed - 1]
            highs = np.partition(high, -needed, axis=-1)[..., -needed]
            return np.where(flat, np.nan, lows), np.where(flat, np.nan, highs)

        def compute(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, ...]:
            return by_pair(ends, block, pairs, width=self.samples)

        low, high = by_depth(compute, scores, pairs)
        return low, high
