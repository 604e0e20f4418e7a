"""Kendall's tau."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from irframe.agreements.base import Agreement
from irframe.agreements.blocks import pair_blocks, signs
from irframe.agreements.orders import count_below
from irframe.arrays import Floats
from irframe.checks import choice


@dataclass(frozen=True, kw_only=True)
class Kendall(Agreement):
    """Share of system pairs that two sets of scores order alike, less the share they swap.

    Parameters
    ----------
    variant
        ``"b"`` corrects for pairs tied on either side, ``"a"`` divides by all pairs.

    Notes
    -----
    ``tau_a = (C - D) / (S(S-1)/2)`` and ``tau_b = (C - D) / sqrt(U_x U_y)`` with C pairs
    ordered alike, D swapped, and U pairs not tied on one side. For K orderings, C - D is a
    matrix of signs, K by pairs, times its transpose.

    Range: -1 to 1; above 0.9 two orderings are customarily taken as equivalent. Undefined (NaN)
    for one system; tau_b also where all systems tie.

    References
    ----------
    .. [1] Kendall. The treatment of ties in ranking problems. Biometrika 33, 1945.
       doi:10.1093/biomet/33.3.239

    Examples
    --------
    Of three pairs, two are ordered alike and one is tied in `x`:

    >>> from irframe.agreements import Kendall
    >>> x, y = [[0.4, 0.4, 0.1]], [[0.7, 0.5, 0.2]]
    >>> Kendall().kernel(x, y), Kendall(variant="a").kernel(x, y)
    (array([[0.81649658]]), array([[0.66666667]]))
    """

    variant: Literal["a", "b"] = "b"

    def __post_init__(self) -> None:
        choice("variant", self.variant, ("a", "b"))

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return tau of every row of `x` with every row of `y`."""
        below_x = count_below(x)
        below_y = below_x if y is x else count_below(y)
        balance = _balance(below_x, below_y)
        systems = x.shape[-1]
        if self.variant == "a":
            return balance / np.float64(systems * (systems - 1) / 2)
        untied_x, untied_y = below_x.sum(axis=-1), below_y.sum(axis=-1)
        return np.asarray(balance / np.sqrt(untied_x[..., :, None] * untied_y[..., None, :]))


def _balance(x: Floats, y: Floats) -> Floats:
    """Return pairs ordered alike less pairs swapped, from sort keys."""
    keys_x = x.astype(np.float32)
    keys_y = keys_x if y is x else y.astype(np.float32)
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    total = np.zeros((*batch, x.shape[-2], y.shape[-2]))
    for first, second in pair_blocks(x.shape[-1], keys_x[..., 0].nbytes + keys_y[..., 0].nbytes):
        signs_x = signs(keys_x, first, second)
        signs_y = signs_x if keys_y is keys_x else signs(keys_y, first, second)
        total += signs_x @ signs_y.swapaxes(-1, -2)
    return total
