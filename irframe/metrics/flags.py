"""Flags counted along lists."""

import numpy as np

from irframe.arrays import Array, Floats


def count_to(flags: Array) -> Floats:
    """Count flags down to each rank, shape (..., depth).

    Whole numbers are added up several times as fast as others, and as exactly.

    Examples
    --------
    >>> count_to(np.array([True, False, True]))
    array([1., 1., 2.])
    """
    return np.cumsum(flags, axis=-1, dtype=np.int32).astype(np.float64)


def count_above(flags: Array) -> Floats:
    """Count flags above each rank, shape (..., depth).

    Examples
    --------
    >>> count_above(np.array([True, False, True]))
    array([0., 1., 1.])
    """
    counted: Floats = count_to(flags) - flags
    return counted
