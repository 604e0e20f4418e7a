"""How the work is cut: memory stays bounded however many orderings and systems there are."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Floats

Places = NDArray[np.intp]

PAIR_BYTES = 2**25
"""Bytes of sign matrices held at once; wide blocks keep the matrix products fast.

At most 2**23 pairs of 4-byte signs fit, and single precision counts exactly up to 2**24.
"""

ROW_BYTES = 2**21
"""Bytes of elementwise intermediates held at once; they should stay in the processor's cache."""


def pair_blocks(systems: int, row_bytes: int) -> Iterator[tuple[Places, Places]]:
    """Yield every pair of systems once, block by block; an empty block if there is none.

    Parameters
    ----------
    systems
        Number of systems, S; there are S(S-1)/2 pairs.
    row_bytes
        Bytes that one pair takes over all orderings of both sides. A block takes at most
        `PAIR_BYTES`, or a single pair where that takes more.

    Yields
    ------
    tuple of numpy.ndarray
        Places of the first and of the second system of each pair, the first the smaller.

    Examples
    --------
    >>> [(first.tolist(), second.tolist()) for first, second in pair_blocks(3, 4)]
    [([0, 0, 1], [1, 2, 2])]
    """
    pairs = systems * (systems - 1) // 2
    size = max(1, PAIR_BYTES // max(row_bytes, 4))
    for start in range(0, max(pairs, 1), size):
        number = np.arange(start, min(start + size, pairs), dtype=np.intp)
        second = ((1 + np.sqrt(1 + 8 * number)) / 2).astype(np.intp)
        yield number - second * (second - 1) // 2, second


def signs(keys: NDArray[np.floating], first: Places, second: Places) -> NDArray[np.floating]:
    """Return +1, 0 or -1 as the first system's key is above, equal to or below the second's.

    Parameters
    ----------
    keys
        Sort keys, finite, shape (..., K, S).
    first, second
        Places of the systems of P pairs.

    Returns
    -------
    numpy.ndarray
        Signs, shape (..., K, P), dtype as `keys`.

    Examples
    --------
    >>> signs(np.array([2.0, 2.0, 1.0]), np.array([0, 0]), np.array([1, 2]))
    array([0., 1.])
    """
    difference = np.take(keys, first, axis=-1)
    difference -= np.take(keys, second, axis=-1)
    return np.sign(difference, out=difference)


def over_rows(x: Floats, y: Floats, reduce: Callable[[Floats, Floats], Floats]) -> Floats:
    """Reduce every row of `x` against every row of `y` over the systems, block by block.

    Parameters
    ----------
    x, y
        Shapes (..., K1, S) and (..., K2, S).
    reduce
        From arrays that broadcast to (..., K1, K2, S), the value of each pair of rows. The
        intermediate takes at most `ROW_BYTES`, or one row of `x` where that takes more.

    Returns
    -------
    numpy.ndarray
        Values, shape (..., K1, K2).

    Examples
    --------
    >>> over_rows(np.eye(2), np.ones((1, 2)), lambda a, b: (a * b).sum(-1))
    array([[1.],
           [1.]])
    """
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    values = np.empty((*batch, x.shape[-2], y.shape[-2]))
    size = max(1, ROW_BYTES // max(1, 8 * math.prod(batch) * y.shape[-2] * y.shape[-1]))
    for start in range(0, x.shape[-2], size):
        rows = slice(start, start + size)
        values[..., rows, :] = reduce(x[..., rows, None, :], y[..., None, :, :])
    return values
