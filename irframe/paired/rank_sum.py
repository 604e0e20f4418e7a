"""Wilcoxon's rank-sum test, also known as Mann and Whitney's U."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy
from numpy.typing import NDArray

from irframe.paired.base import PairedResult, PairedTest
from irframe.paired.blocks import by_depth, by_pair
from irframe.paired.differences import SCALE, ratio
from irframe.paired.pairs import FloatArray, IntArray
from irframe.paired.ranks import marked_ranks

__all__ = ["RankSum"]


@dataclass(frozen=True, kw_only=True)
class RankSum(PairedTest):
    """Whether scores of one system tend to exceed those of the other, topics not paired.

    Parameters
    ----------
    correction
        Move the rank sum by 1/2 towards its mean before the normal approximation.

    Returns
    -------
    RankSum
        A test whose statistic is the number of pairs of topics (s, t) with a on s above b on
        t, less the number with a below b.

    Notes
    -----
    All 2n scores are rounded to 12 decimals and ranked together, ties with average ranks.
    With U the rank sum of a less n(n+1)/2, the statistic is 2U - n^2 and z = (U - n^2/2) /
    sqrt(n^2/12 ((2n + 1) - sum(t^3 - t) / (2n(2n - 1)))) over groups of t ties. All scores
    equal: p = 1. It ignores that both systems saw the same topics, and so is the weakest test
    here; it is offered because the literature reports it.

    References
    ----------
    H. B. Mann, D. R. Whitney (1947). On a test of whether one of two random variables is
    stochastically larger than the other. https://doi.org/10.1214/aoms/1177730491

    Examples
    --------
    >>> scores = np.array([[5.0, 3.0, 4.0], [1.0, 2.0, 3.0]])[:, :, None]
    >>> statistic, p = RankSum(correction=False).kernel(scores)
    >>> statistic.item(), round(p.item(), 4)
    (8.0, 0.0765)
    """

    name: ClassVar[str] = "ranksum"
    correction: bool = True

    def kernel(self, scores: FloatArray, pairs: IntArray | None = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def compute(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, ...]:
            ranks = by_pair(_pooled_ranks, _order(block), pairs, width=2 * block.shape[2])
            return self._test(*ranks, n=block.shape[2])

        return PairedResult(*by_depth(compute, scores, pairs))

    def _test(self, ranks: FloatArray, ties: FloatArray, *, n: int) -> PairedResult:
        statistic = 2 * ranks - n * (n + 1) - n * n
        deviation = abs(statistic) / 2
        if self.correction:
            deviation = np.maximum(deviation - 0.5, 0)
        variance = n * n / 12 * ((2 * n + 1) - ties / (2 * n * (2 * n - 1)))
        return PairedResult(statistic, 2 * scipy.special.ndtr(-ratio(deviation, np.sqrt(variance))))


def _pooled_ranks(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> tuple[FloatArray, FloatArray]:
    """Rank sum of a among all scores of both, and sum of t^3 - t."""
    return marked_ranks(np.concatenate([2 * a + 1, 2 * b], axis=-1))


def _order(block: FloatArray) -> NDArray[np.uint32]:
    """Replace scores by whole numbers in the same order, per depth."""
    flat = np.rint(block * SCALE).reshape(len(block), -1)
    order = flat.argsort(axis=1)
    ascending = np.take_along_axis(flat, order, axis=1)
    steps = np.zeros(flat.shape, dtype=np.uint32)
    np.cumsum(ascending[:, 1:] != ascending[:, :-1], axis=1, out=steps[:, 1:])
    ranks = np.empty_like(steps)
    np.put_along_axis(ranks, order, steps, axis=1)
    return ranks.reshape(block.shape)
