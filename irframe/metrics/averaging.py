"""The one average over topics."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Floats
from irframe.metrics.base import Summary

FLOOR = 0.00001
"""What a lower score counts as in a geometric mean, as in trec_eval."""
TIE = 12
"""Decimals to which averages are rounded before one of them leads: rounding errors are ties."""


SMALL = 2**12
"""Scores that are added up faster one by one than row by row."""
BLOCK_BYTES = 2**21
"""Target size of a working array of `moments`, which should stay in a cache."""


def average(
    values: NDArray[Any],
    summary: Summary = "mean",
    axis: int = -1,
    weights: NDArray[Any] | None = None,
) -> Floats:
    """Average over topics, leaving out those without a score.

    Parameters
    ----------
    values
        Scores, NaN where there is none.
    summary
        How a metric is averaged, one of its `facts`: ``"mean"``; ``"sum"``, added up;
        ``"harmonic"``, one over the mean of one over the score, 0 if a score is 0;
        ``"geometric"``, e to the mean of the logarithms, of 0.00001 for scores below.
    axis
        That of the topics.
    weights
        Those of the topics, for a mean; by default all count alike.

    Returns
    -------
    numpy.ndarray
        Averages; NaN where there is nothing but NaN.

    Examples
    --------
    >>> values = np.array([1.0, 0.25, np.nan])
    >>> float(average(values)), float(average(values[:2], "harmonic"))
    (0.625, 0.4)
    """
    if weights is not None:
        heavy = np.moveaxis(values, axis, -1) * weights
        there = np.where(np.isnan(heavy), 0.0, weights).sum(axis=-1)
        return np.asarray(averaged(there, np.nansum(heavy, axis=-1)))[()]
    if summary in {"mean", "sum"}:
        total = _in_turn(values, axis)
        if np.isfinite(total).all():  # which no sum with NaN in it is
            return np.asarray(averaged(np.float64(values.shape[axis]), total, summary))[()]
    there = values.shape[axis] - np.isnan(values).sum(axis=axis, dtype=np.float64)
    return np.asarray(averaged(there, _in_turn(terms(values, summary), axis), summary))[()]


def _in_turn(values: NDArray[Any], axis: int) -> Floats:
    """Add up one topic after the other as trec_eval does, which numpy does unless they lie close.

    In pairs, sums differ in the last bit, and at times in the last of four decimals.
    """
    topics, step = values.shape[axis], abs(values.strides[axis])
    sides = zip(values.strides, values.shape, strict=True)
    if topics < 2 or any(abs(other) < step for other, size in sides if size > 1):
        return np.asarray(values.sum(axis=axis))
    if values.size < SMALL or values.size == topics:
        return np.asarray(values.cumsum(axis=axis).take(-1, axis=axis))
    return np.asarray(np.ascontiguousarray(np.moveaxis(values, axis, 0)).sum(axis=0))


def terms(values: NDArray[Any], summary: Summary = "mean") -> Floats:
    """Return what is added up over topics for an average: 0 where there is no score."""
    summands: NDArray[Any] = values
    if summary == "harmonic":
        with np.errstate(divide="ignore"):
            summands = 1 / values
    elif summary == "geometric":
        summands = np.log(np.maximum(values, FLOOR))
    return np.where(np.isnan(values), 0.0, summands)


def averaged(there: Any, total: Any, summary: Summary = "mean") -> Any:
    """Return the average of so many scores, whose `terms` add up to a total; NaN of none."""
    n = np.where(there > 0, there, np.nan)
    if summary == "harmonic":
        return n / total
    if summary == "geometric":
        return np.exp(total / n)
    return np.where(there > 0, total, np.nan) if summary == "sum" else total / n


def best_first(means: NDArray[Any], sign: int = 1) -> NDArray[np.int64]:
    """Return the order of means, the best first; equal ones, but for rounding, as they stand.

    Parameters
    ----------
    means
        Averages, the last axis of which is put in order; NaN comes last.
    sign
        -1 where lower is better.

    Examples
    --------
    >>> best_first(np.array([0.3, np.nan, 0.5, 0.1 + 0.2])).tolist()
    [2, 0, 3, 1]
    """
    return np.argsort(-sign * np.round(means, TIE), kind="stable", axis=-1)


def moments(
    values: NDArray[Any], summary: Summary = "mean"
) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Count and average over topics, and add up squares of what the scores are off by.

    Parameters
    ----------
    values
        Scores, NaN where there is none, topics last; at least one axis before them.
    summary
        As for `average`.

    Returns
    -------
    tuple of numpy.ndarray
        The number of scores, their average, and the sum of squares about it. A block of rows is
        read at a time, so that this takes little memory beyond the scores.

    Examples
    --------
    >>> [found.tolist() for found in moments(np.array([[1.0, 3.0, np.nan]]))]
    [[2], [2.0], [2.0]]
    """
    shape = values.shape[:-1]
    n, mean, squares = np.empty(shape, np.int64), np.empty(shape), np.empty(shape)
    width = max(1, BLOCK_BYTES * len(values) // max(1, values.nbytes))
    for start in range(0, len(values), width):
        rows = slice(start, start + width)
        part = values[rows]
        mean[rows] = average(part, summary)
        missing = np.isnan(part)
        n[rows] = part.shape[-1] - missing.sum(axis=-1)
        deviation = part - mean[rows, ..., np.newaxis]
        deviation *= deviation
        deviation[missing] = 0
        squares[rows] = deviation.sum(axis=-1)
    return n, mean, squares
