"""Wilcoxon's signed-rank test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from irframe.checks import whole
from irframe.errors import ParameterError
from irframe.paired.base import PairedResult, PairedTest
from irframe.paired.blocks import by_depth, by_pair
from irframe.paired.differences import ratio
from irframe.paired.pairs import FloatArray, IntArray
from irframe.paired.ranks import marked_ranks

__all__ = ["Wilcoxon"]


@dataclass(frozen=True, kw_only=True)
class Wilcoxon(PairedTest):
    """Whether the larger differences of two systems favour one of them.

    Parameters
    ----------
    correction
        Move the signed-rank sum by 1/2 towards 0 before the normal approximation.
    exact
        Take p from the distribution of the rank sum instead of the normal approximation.
    decimals
        Decimals to which differences are rounded, 0 to 15, so that 1/2 - 1/3 ties with
        1/3 - 1/6; None ranks them as the floats they are, as most statistics packages do.

    Returns
    -------
    Wilcoxon
        A test whose statistic is the sum of signed ranks, W+ - W-.

    Notes
    -----
    Differences are rounded, zeros dropped, ties given average ranks. With n differences left and W+
    the rank sum of the positive ones, z = (W+ - n(n+1)/4) / sqrt(n(n+1)(2n+1)/24 - sum(t^3 - t)/48)
    over groups of t ties, for every n: a single topic has z = 1 and p = .317. Nothing left:
    statistic 0, p = 1. The exact distribution is that of untied ranks; a rank sum that ties make
    fractional is rounded towards its mean, which enlarges p, and a single topic has p = 1. It takes
    time cubic in the number of topics.

    References
    ----------
    F. Wilcoxon (1945). Individual comparisons by ranking methods.
    https://doi.org/10.2307/3001968

    Examples
    --------
    >>> scores = np.array([[5.0, 3.0, 4.0, 1.0], [1.0, 2.0, 2.0, 4.0]])[:, :, None]
    >>> statistic, p = Wilcoxon(exact=True).kernel(scores)
    >>> statistic.item(), p.item()
    (4.0, 0.625)
    """

    name: ClassVar[str] = "wilcoxon"
    correction: bool = False
    exact: bool = False
    decimals: int | None = 12

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.correction and self.exact:
            raise ParameterError(
                "a correction of the normal approximation, or the exact distribution",
                "correction=True, exact=True",
                "leave one of them out",
            )
        if self.decimals is not None:
            whole("decimals", self.decimals, low=0, high=15)

    def kernel(self, scores: FloatArray, pairs: IntArray | None = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def compute(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, ...]:
            return self._test(*by_pair(self._signed_ranks, block, pairs))

        return PairedResult(*by_depth(compute, scores, pairs))

    def _test(self, plus: FloatArray, ties: FloatArray, n: FloatArray) -> PairedResult:
        total = n * (n + 1) / 2
        statistic = 2 * plus - total
        if self.exact:
            return PairedResult(statistic, _exact(np.minimum(plus, total - plus), n))
        deviation = abs(plus - total / 2)
        if self.correction:
            deviation = np.maximum(deviation - 0.5, 0)
        variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
        return PairedResult(statistic, 2 * scipy.special.ndtr(-ratio(deviation, np.sqrt(variance))))

    def _signed_ranks(
        self, a: FloatArray, b: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Rank sum of positive differences, sum of t^3 - t, and how many are not 0."""
        difference = a - b
        if self.decimals is not None:
            difference *= 10.0**self.decimals
            np.rint(difference, out=difference)
        zeros = (difference == 0).sum(axis=-1, dtype=np.float64)
        positive = difference > 0
        # Floats that are not negative sort like their bits, which leave the sign bit free.
        keys = np.abs(difference, out=difference).view(np.uint64)
        keys <<= 1
        keys |= positive
        plus, ties = marked_ranks(keys)
        plus -= zeros * positive.sum(axis=-1)
        return plus, ties - (zeros**3 - zeros), a.shape[-1] - zeros


def _exact(smaller: FloatArray, n: FloatArray) -> FloatArray:
    """Two-sided p-values of the smaller rank sum of n untied differences."""
    p = np.ones_like(smaller)
    chances = np.ones(1)
    for size in range(1, int(n.max()) + 1):
        longer = np.zeros(len(chances) + size)
        longer[:-size] += chances / 2
        longer[size:] += chances / 2
        chances = longer
        here = n == size
        if here.any():
            below = np.cumsum(chances)[np.ceil(smaller[here]).astype(int)]
            p[here] = np.minimum(1, 2 * below)
    return p
