"""Rank-biased overlap."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from irframe.agreements.base import Agreement
from irframe.agreements.blocks import over_rows
from irframe.agreements.orders import Ends, tied_ranks
from irframe.arrays import Floats
from irframe.checks import choice, number


@dataclass(frozen=True, kw_only=True)
class RBO(Agreement):
    """Expected overlap of the tops of two orderings, read down with persistence `p`.

    Parameters
    ----------
    p
        Chance of reading one rank further, between 0 and 1; small values look at the top only.
    ties
        What a tie means: ``"w"``, that systems are equally good, so that they come and go
        together; ``"a"``, that their order is not known, the value to expect over all orders;
        ``"b"``, the same corrected so that an ordering agrees with itself.

    Notes
    -----
    ``RBO_ext = (X_S/S) p**S + ((1-p)/p) sum_{d=1..S} (X_d/d) p**d``, with X_d the systems that
    both orderings have among their first d. Both order the same S systems, so X_S = S. A system
    counts from the larger of its two ranks on; what it adds, the sum of the weights from there
    to S, falls with the rank, so the whole is a sum over systems of the smaller of two numbers.

    With ties, t and b the first and the last rank that a system could have, it contributes c_d =
    [t <= d] to the first d in ``"w"``; in ``"a"`` and ``"b"`` 0 above its group, (d-t+1)/(b-t+1)
    inside and 1 below it. X_d/d becomes ``2 sum c c' / (sum c + sum c')`` in ``"w"`` and ``"a"``,
    ``sum c c' / sqrt(sum c**2 sum c'**2)`` in ``"b"``, sums over the systems.

    Range: above 0, 1 for equal orderings (in ``"a"`` only without ties); reversed ones stay above
    0, and unrelated ones do not average 0.

    References
    ----------
    .. [1] Webber, Moffat, Zobel. A similarity measure for indefinite rankings. ACM TOIS 28,
       2010. doi:10.1145/1852102.1852106
    .. [2] Corsi, Urbano. The treatment of ties in rank-biased overlap. SIGIR 2024.
       doi:10.1145/3626772.3657700

    Examples
    --------
    At p = 0.5 two systems weigh 1/2 at depth 1 and 1/4 + 1/4 at depth 2 and beyond:

    >>> from irframe.agreements import RBO
    >>> RBO(p=0.5).kernel([[2, 1]], [[2, 1], [1, 2]])
    array([[1. , 0.5]])
    """

    p: float = 0.9
    ties: Literal["w", "a", "b"] = "w"

    def __post_init__(self) -> None:
        number("p", self.p, above=0, below=1)
        choice("ties", self.ties, ("w", "a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return RBO of every row of `x` with every row of `y`."""
        systems = x.shape[-1]
        weights: Floats = (1 - self.p) * self.p ** np.arange(systems, dtype=np.float64)
        sides = tied_ranks(x), tied_ranks(y)
        if all((first == last).all() for first, last in sides):
            overlap = _untied(sides[0][0], sides[1][0], weights)
        else:
            overlap = sum(
                weight * self._agree(*sides, depth) for depth, weight in enumerate(weights, 1)
            )
        return np.asarray(overlap + self.p**systems)

    def _agree(self, x: Ends, y: Ends, depth: int) -> Floats:
        """Return how much the first so many systems of both sides are the same."""
        seen_x, seen_y = self._seen(*x, depth), self._seen(*y, depth)
        shared = seen_x @ seen_y.swapaxes(-1, -2)
        if self.ties == "b":
            size_x, size_y = np.linalg.norm(seen_x, axis=-1), np.linalg.norm(seen_y, axis=-1)
            return np.asarray(shared / (size_x[..., :, None] * size_y[..., None, :]))
        size_x, size_y = seen_x.sum(axis=-1), seen_y.sum(axis=-1)
        return np.asarray(2 * shared / (size_x[..., :, None] + size_y[..., None, :]))

    def _seen(self, first: Floats, last: Floats, depth: int) -> Floats:
        """Return the share of every system that is among the first so many."""
        if self.ties == "w":
            return (first <= depth).astype(np.float64)
        return np.clip((depth - first + 1) / (last - first + 1), 0, 1)


def _untied(x: Floats, y: Floats, weights: Floats) -> Floats:
    """Sum overlaps over all depths at once, from the ranks of orderings without ties."""
    onward = np.cumsum((weights / np.arange(1, len(weights) + 1))[::-1])[::-1]
    return over_rows(onward[x.astype(np.intp) - 1], onward[y.astype(np.intp) - 1], _sum_smaller)


def _sum_smaller(x: Floats, y: Floats) -> Floats:
    total: Floats = np.minimum(x, y).sum(axis=-1)
    return total
