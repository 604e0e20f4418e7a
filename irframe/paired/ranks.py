"""Average ranks in many rows at once."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.paired.pairs import FloatArray

__all__ = ["marked_ranks"]


def marked_ranks(keys: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Sum the average ranks of the marked values of every row.

    Parameters
    ----------
    keys
        Unsigned integers, twice the value plus 1 if it is marked; rows along the last axis.
        Sorted in place.

    Returns
    -------
    tuple of numpy.ndarray
        The sum of the ranks 1..n of marked values, tied values sharing their average rank;
        and the sum of t^3 - t over the groups of t tied values.

    Notes
    -----
    The mark rides along in the lowest bit, so that a plain sort does for an argsort. Among t
    tied values the m marked ones come last, and so take m (t - m) / 2 more than m average
    ranks; only groups of tied values are corrected for it.
    """
    keys.sort(axis=-1)
    length = keys.shape[-1]
    marked = (keys & 1).astype(np.int32)
    ranks = np.arange(1, length + 1, dtype=np.int32)
    rank_sum = np.einsum("...i,i->...", marked, ranks, dtype=np.int64).astype(np.float64)
    fresh = np.ones((*keys.shape[:-1], length + 1), dtype=bool)
    np.greater(keys[..., 1:] ^ keys[..., :-1], 1, out=fresh[..., 1:-1])
    first = np.flatnonzero(fresh[..., :-1] & ~fresh[..., 1:])
    last = np.flatnonzero(~fresh[..., :-1] & fresh[..., 1:])
    size = (last - first + 1).astype(np.float64)
    upto = np.cumsum(marked)
    inside = upto[last] - upto[first] + marked.ravel()[first]
    shape, row = rank_sum.shape, first // length
    excess = np.bincount(row, inside * (size - inside) / 2, minlength=rank_sum.size)
    cubes = np.bincount(row, size**3 - size, minlength=rank_sum.size)
    return rank_sum - excess.reshape(shape), cubes.reshape(shape)
