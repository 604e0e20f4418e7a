"""The sign test."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from irframe.paired.base import PairedResult, PairedTest
from irframe.paired.blocks import by_depth, by_pair
from irframe.paired.differences import sides
from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["Sign", "sign_p"]


@dataclass(frozen=True, kw_only=True)
class Sign(PairedTest):
    """Whether one system wins more topics than the other, by whatever margin.

    Returns
    -------
    Sign
        A test whose statistic is wins - losses of a.

    Notes
    -----
    Differences are rounded to 12 decimals and ties left out; p = min(1, 2 P[X <= min(wins,
    losses)]), X binomial over wins + losses with chance 1/2. Only ties: p = 1.

    References
    ----------
    W. J. Dixon, A. M. Mood (1946). The statistical sign test.
    https://doi.org/10.1080/01621459.1946.10501898

    Examples
    --------
    >>> import numpy as np
    >>> scores = np.array([[5.0, 3.0, 4.0, 2.0], [1.0, 2.0, 3.0, 2.0]])[:, :, None]
    >>> statistic, p = Sign().kernel(scores)
    >>> statistic.item(), p.item()
    (3.0, 0.25)
    """

    name: ClassVar[str] = "sign"

    def kernel(self, scores: FloatArray, pairs: IntArray | None = None) -> PairedResult:
        """Test every pair at every depth at once; see `PairedTest.kernel`."""

        def compute(block: FloatArray, pairs: IntArray) -> tuple[FloatArray, ...]:
            wins, losses = by_pair(sides, block, pairs)
            return (wins - losses).astype(np.float64), sign_p(wins, losses)

        return PairedResult(*by_depth(compute, scores, pairs))


def sign_p(wins: IntArray, losses: IntArray) -> FloatArray:
    """Exact two-sided p-value of wins against losses, each as likely as the other.

    Parameters
    ----------
    wins, losses
        Whole numbers of at least 0, of any one shape.

    Returns
    -------
    numpy.ndarray
        Of the same shape; 1 where there is nothing to count.

    Notes
    -----
    min(1, 2 P[X <= min(wins, losses)]), X binomial over wins + losses with chance 1/2.

    References
    ----------
    W. J. Dixon, A. M. Mood (1946). The statistical sign test.
    https://doi.org/10.1080/01621459.1946.10501898

    Examples
    --------
    >>> sign_p(np.array([3, 0]), np.array([0, 0])).tolist()
    [0.25, 1.0]
    """
    fewer, trials = np.minimum(wins, losses), np.add(wins, losses)
    # Few outcomes are possible, so each is looked up rather than computed for every pair.
    codes = fewer + trials * (trials.max(initial=0) + 1)
    found, where = np.unique(codes, return_inverse=True)
    number, successes = np.divmod(found, trials.max(initial=0) + 1)
    p: FloatArray = np.minimum(1, 2 * scipy.special.bdtr(successes.astype(float), number, 0.5))
    return p[where].reshape(fewer.shape)
