"""Gain shared over ties."""

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, Floats


def share(gain: Floats, tied: NDArray[np.bool_], tail: tuple[Array, Array] | None = None) -> Floats:
    """Give every document of a tied block the block's mean gain.

    Parameters
    ----------
    gain
        Gain by rank, shape (..., depth).
    tied
        Whether the document has the score of the one above it, shape (..., depth).
    tail
        Summed gain and number of the documents past the last rank tied with it, shape (...).

    Returns
    -------
    numpy.ndarray
        Mean gains, shape (..., depth).

    Examples
    --------
    >>> import numpy as np
    >>> share(np.array([1.0, 0.0, 1.0]), np.array([False, True, False]))
    array([0.5, 0.5, 1. ])
    """
    first = ~tied
    first[..., 0] = True
    starts = np.flatnonzero(first)
    total = np.add.reduceat(gain.ravel(), starts)
    shown = np.diff(starts, append=gain.size)
    size = shown.astype(np.float64)
    if tail is not None:
        last = np.cumsum(first.sum(axis=-1).ravel()) - 1
        total[last] += np.broadcast_to(tail[0], gain.shape[:-1]).ravel()
        size[last] += np.broadcast_to(tail[1], gain.shape[:-1]).ravel()
    return np.repeat(total / size, shown).reshape(gain.shape)
