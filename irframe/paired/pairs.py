"""Which systems are compared: rows (a, b) of system positions."""

import numpy as np
from numpy.typing import NDArray

from irframe.checks import whole

__all__ = ["BoolArray", "FloatArray", "IntArray", "all_pairs", "baseline_pairs"]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def all_pairs(systems: int) -> IntArray:
    """Every unordered pair of systems, the earlier system first.

    Parameters
    ----------
    systems
        The number of systems, at least 0.

    Returns
    -------
    numpy.ndarray
        Shape (systems * (systems - 1) / 2, 2): positions of a and b, in lexicographic order.

    Examples
    --------
    >>> all_pairs(3).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    return np.stack(np.triu_indices(systems, k=1), axis=1).astype(np.int64)


def baseline_pairs(systems: int, baseline: int) -> IntArray:
    """Every other system against one baseline, which is b of each pair.

    Parameters
    ----------
    systems
        The number of systems, at least 1.
    baseline
        Position of the baseline, 0 to systems - 1.

    Returns
    -------
    numpy.ndarray
        Shape (systems - 1, 2): positions of a and b.

    Examples
    --------
    >>> baseline_pairs(3, 1).tolist()
    [[0, 1], [2, 1]]
    """
    place = whole("baseline", baseline, low=0, high=systems - 1)
    others = np.delete(np.arange(systems, dtype=np.int64), place)
    return np.stack([others, np.full_like(others, place)], axis=1)
