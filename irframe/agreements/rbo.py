"""Rank-biased overlap."""

from dataclasses import dataclass

import numpy as np

from irframe.agreements.base import Agreement, Floats
from irframe.agreements.blocks import over_rows
from irframe.agreements.orders import rank_stably
from irframe.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class RBO(Agreement):
    """Expected overlap of the tops of two orderings, read down with persistence `p`.

    Parameters
    ----------
    p
        Chance of reading one rank further, between 0 and 1; small values look at the top only.

    Notes
    -----
    ``RBO_ext = (X_S/S) p**S + ((1-p)/p) sum_{d=1..S} (X_d/d) p**d``, with X_d the systems that
    both orderings have among their first d. Both order the same S systems, so X_S = S. A system
    counts from the larger of its two ranks on; what it adds, the sum of the weights from there
    to S, falls with the rank, so the whole is a sum over systems of the smaller of two numbers.

    Tied systems keep their order of input. Range: above 0, 1 for equal orderings; reversed ones
    stay above 0, and unrelated ones do not average 0.

    References
    ----------
    .. [1] Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28,
       2010. doi:10.1145/1852102.1852106

    Examples
    --------
    At p = 0.5 two systems weigh 1/2 at depth 1 and 1/4 + 1/4 at depth 2 and beyond:

    >>> from irframe.agreements import RBO
    >>> RBO(p=0.5).kernel([[2, 1]], [[2, 1], [1, 2]])
    array([[1. , 0.5]])
    """

    p: float = 0.9

    def __post_init__(self) -> None:
        number = isinstance(self.p, int | float | np.number) and not isinstance(self.p, bool)
        if not number or not 0 < self.p < 1:
            raise ParameterError("p of RBO to be a number above 0 and below 1", repr(self.p))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return RBO of every row of `x` with every row of `y`."""
        systems = x.shape[-1]
        depth = np.arange(1, systems + 1)
        weight = (1 - self.p) * self.p ** (depth - 1.0) / depth
        onward = np.cumsum(weight[::-1])[::-1]
        worth_x, worth_y = (onward[rank_stably(side).astype(np.intp) - 1] for side in (x, y))
        overlap = over_rows(worth_x, worth_y, _sum_smaller)
        overlap += self.p**systems
        return overlap


def _sum_smaller(x: Floats, y: Floats) -> Floats:
    total: Floats = np.minimum(x, y).sum(axis=-1)
    return total
