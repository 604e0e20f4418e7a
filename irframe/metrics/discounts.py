"""Rank discounts of the cumulated-gain family."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Floats

DISCOUNTS = ("log2", "zipf", "jk")


def positive(denominator: NDArray[Any]) -> Floats:
    """Return a denominator with infinity for 0, so that a share of nothing is 0.

    Examples
    --------
    >>> 3 / positive(np.array([0, 6]))
    array([0. , 0.5])
    """
    return np.where(denominator > 0, denominator, np.inf)


def discounts(kind: str, base: float, ranks: int) -> Floats:
    """Return the weight of every rank.

    Parameters
    ----------
    kind
        ``"log2"``: 1/log2(1 + i). ``"zipf"``: 1/i. ``"jk"``: 1 below rank `base`, and
        1/log_base(i) from there on, as Jarvelin and Kekalainen have it.
    base
        Base of the logarithm of ``"jk"``.
    ranks
        How many ranks.

    Returns
    -------
    numpy.ndarray
        Weights, shape (ranks,).

    Examples
    --------
    >>> discounts("zipf", 2, 3).round(3), discounts("jk", 2, 4).round(3)
    (array([1.   , 0.5  , 0.333]), array([1.   , 1.   , 0.631, 0.5  ]))
    """
    rank = np.arange(1.0, ranks + 1)
    if kind == "log2":
        return np.asarray(1 / np.log2(1 + rank))
    if kind == "zipf":
        return 1 / rank
    logs = np.log(rank) / np.log(base)
    return np.asarray(1 / np.where(rank < base, 1, np.maximum(logs, 1)))


def ideal_sum(falls: Floats, counts: np.ndarray, cumulated: Floats, rank: Floats) -> Floats:
    """Sum weights over the ideal ranking, cut at every depth.

    Parameters
    ----------
    falls, counts
        The ideal ranking as a staircase: shape (step,) and (..., 1 or depth, step).
    cumulated
        Weights summed over the first 0, 1, 2, ... ranks, shape (1 + ranks,).
    rank
        Depths, shape (depth,); ``numpy.inf`` for no cut.

    Returns
    -------
    numpy.ndarray
        Sums, shape (..., depth).
    """
    last = len(cumulated) - 1
    total = np.zeros(np.broadcast_shapes(counts.shape[:-1], rank.shape))
    for step, fall in enumerate(falls):
        reached = np.minimum(np.minimum(counts[..., step], rank), last).astype(np.intp)
        total += fall * cumulated[reached]
    return total
