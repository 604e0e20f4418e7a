"""Spearman's rank correlation coefficient."""

from dataclasses import dataclass

from irframe.agreements.base import Agreement
from irframe.agreements.orders import count_below
from irframe.agreements.pearson import correlate
from irframe.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class Spearman(Agreement):
    """How nearly the ranks of the systems under two sets of scores fall on a line.

    Notes
    -----
    Pearson's r of the ranks, tied systems sharing the mean of their ranks; without ties
    ``rho = 1 - 6 sum (rank_x - rank_y)**2 / (S(S**2 - 1))``.

    Range: -1 to 1. Undefined (NaN) where all systems score the same.

    References
    ----------
    .. [1] Spearman. The proof and measurement of association between two things. American
       Journal of Psychology 15, 1904. doi:10.2307/1412159

    Examples
    --------
    >>> from irframe.agreements import Spearman
    >>> Spearman().kernel([[1, 2, 3]], [[1, 10, 100], [3, 1, 2]])
    array([[ 1. , -0.5]])
    """

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return Spearman's rho of every row of `x` with every row of `y`."""
        ranks_x = _mid_ranks(x)
        return correlate(ranks_x, ranks_x if y is x else _mid_ranks(y))


def _mid_ranks(scores: Floats) -> Floats:
    """Return systems below less systems above: twice the mean rank, but for a constant."""
    return count_below(scores) - count_below(-scores)
