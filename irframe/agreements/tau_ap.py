"""AP correlation."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from irframe.agreements.base import Agreement
from irframe.agreements.blocks import pair_blocks, signs
from irframe.agreements.orders import Ends, tied_ranks
from irframe.arrays import Floats
from irframe.checks import choice
from irframe.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class TauAP(Agreement):
    """Agreement of two orderings, swaps among the best systems costing most.

    Parameters
    ----------
    symmetric
        Whether to average both ways; by default `x` is the reference and `y` the estimate.
    ties
        ``"a"`` is the value to expect when tied systems are put in order by chance; ``"b"``
        counts systems that tie as not ordered, corrects for them and always averages both ways.

    Notes
    -----
    ``tau_ap = 2/(S-1) sum_{i=2..S} C(i)/(i-1) - 1``, with C(i) the systems above rank i of the
    estimated ordering that the reference, too, has above the system at rank i. That is Kendall's
    tau with the pairs weighted by 1/(i-1), i the rank of the lower system in the estimate.

    With t and b the first and the last rank that a system could have in its ordering, ``"a"``
    takes the mean of 1/(i-1) over i = t..b as the weight of a pair and leaves pairs out that tie
    on either side: the mean over all orders of tied systems on both sides. ``"b"`` is the mean of
    both ways of ``2/m sum_{i: t_i > 1} c_i/(t_i - 1) - 1``, with m the systems not in the best
    group and c_i those in better groups that the other side also has strictly above system i.

    Range: -1 to 1, equal to Kendall's tau on average if errors are spread evenly. Undefined (NaN)
    for one system; ``"b"`` also where all systems tie.

    References
    ----------
    .. [1] Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information
       retrieval. SIGIR 2008. doi:10.1145/1390334.1390435
    .. [2] Urbano, Marrero. The treatment of ties in AP correlation. ICTIR 2017.
       doi:10.1145/3121050.3121106

    Examples
    --------
    Swapping the two best of three systems costs more than swapping the two worst:

    >>> from irframe.agreements import TauAP
    >>> TauAP().kernel([[3, 2, 1]], [[2, 3, 1], [3, 1, 2]])
    array([[0. , 0.5]])

    The two best tie in the estimate, which may have them right or swapped:

    >>> TauAP().kernel([[3, 2, 1]], [[2, 2, 1]])
    array([[0.5]])
    """

    symmetric: bool = False
    ties: Literal["a", "b"] = "a"

    def __post_init__(self) -> None:
        if not isinstance(self.symmetric, bool):
            raise ParameterError("symmetric to be True or False", repr(self.symmetric))
        choice("ties", self.ties, ("a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return tau_ap of every row of `y` against every row of `x` as reference."""
        one_way = _expected if self.ties == "a" else _corrected
        ranks_x, ranks_y = tied_ranks(x), tied_ranks(y)
        values = one_way(ranks_x, ranks_y)
        if self.symmetric or self.ties == "b":
            values = (values + one_way(ranks_y, ranks_x).swapaxes(-1, -2)) / 2
        return values


def _expected(reference: Ends, estimated: Ends) -> Floats:
    """Return the mean of tau_ap over all orders of tied systems."""
    first, last = (rank.astype(np.intp) for rank in estimated)
    systems = first.shape[-1]
    upto = np.append(0, np.cumsum(_weights(systems)))
    weights = (upto[last] - upto[first - 1]) / (last - first + 1)
    total = sum(
        side @ weighted.swapaxes(-1, -2)
        for side, weighted in _pairs(reference[0], estimated[0], weights)
    )
    return np.asarray(total / np.float64(systems - 1))


def _corrected(reference: Ends, estimated: Ends) -> Floats:
    """Return tau_ap of the systems below the best group, as far as both sides order them."""
    first, _ = estimated
    weights = _weights(first.shape[-1])[first.astype(np.intp) - 1]
    total = sum(
        side @ weighted.swapaxes(-1, -2) + abs(side) @ abs(weighted).swapaxes(-1, -2)
        for side, weighted in _pairs(reference[0], first, weights)
    )
    return np.asarray(total / (first > 1).sum(axis=-1)[..., None, :] - 1)


def _weights(systems: int) -> Floats:
    """Return 1/(i-1) of every rank i; the first, never the lower of two, weighs the most too."""
    return 1 / np.maximum(np.arange(systems), 1.0)


def _pairs(
    reference: Floats, estimated: Floats, weights: Floats
) -> Iterator[tuple[NDArray[np.floating], NDArray[np.floating]]]:
    """Yield signs of pairs in the reference, and in the estimate times the lower's weight."""
    row_bytes = reference[..., 0].nbytes + 2 * estimated[..., 0].nbytes
    for first, second in pair_blocks(estimated.shape[-1], row_bytes):
        weighted = signs(estimated, first, second)
        weighted *= np.minimum(weights[..., first], weights[..., second])
        yield signs(reference, first, second), weighted
