"""AP correlation."""

from dataclasses import dataclass

import numpy as np

from irframe.agreements.base import Agreement, Floats
from irframe.agreements.blocks import pair_blocks, signs
from irframe.agreements.orders import rank_stably
from irframe.errors import ParameterError


@dataclass(frozen=True, kw_only=True)
class TauAP(Agreement):
    """Agreement of two orderings, swaps among the best systems costing most.

    Parameters
    ----------
    symmetric
        Whether to average both ways; by default `x` is the reference and `y` the estimate.

    Notes
    -----
    ``tau_ap = 2/(S-1) sum_{i=2..S} C(i)/(i-1) - 1``, with C(i) the systems above rank i of the
    estimated ordering that the reference, too, has above the system at rank i. That is Kendall's
    tau with the pairs weighted by 1/(i-1), i the rank of the lower system in the estimate.

    Tied systems keep their order of input. Range: -1 to 1, equal to Kendall's tau on average if
    errors are spread evenly. Undefined (NaN) for one system.

    References
    ----------
    .. [1] Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information
       retrieval. SIGIR 2008. doi:10.1145/1390334.1390435

    Examples
    --------
    Swapping the two best of three systems costs more than swapping the two worst:

    >>> from irframe.agreements import TauAP
    >>> TauAP().kernel([[3, 2, 1]], [[2, 3, 1], [3, 1, 2]])
    array([[0. , 0.5]])
    """

    symmetric: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.symmetric, bool):
            raise ParameterError("symmetric to be True or False", repr(self.symmetric))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return tau_ap of every row of `y` against every row of `x` as reference."""
        ranks_x, ranks_y = rank_stably(x), rank_stably(y)
        values = _correlate(ranks_x, ranks_y)
        if self.symmetric:
            values = (values + _correlate(ranks_y, ranks_x).swapaxes(-1, -2)) / 2
        return values


def _correlate(reference: Floats, estimated: Floats) -> Floats:
    batch = np.broadcast_shapes(reference.shape[:-2], estimated.shape[:-2])
    total = np.zeros((*batch, reference.shape[-2], estimated.shape[-2]))
    systems = reference.shape[-1]
    row_bytes = reference[..., 0].nbytes + 2 * estimated[..., 0].nbytes
    for first, second in pair_blocks(systems, row_bytes):
        lower = np.maximum(estimated[..., first], estimated[..., second])
        weighted = signs(estimated, first, second) / (lower - 1)
        total += signs(reference, first, second) @ weighted.swapaxes(-1, -2)
    return total / np.float64(systems - 1)
