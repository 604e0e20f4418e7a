"""The one average over topics."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.metrics.base import Floats, Summary

FLOOR = 0.00001
"""What a lower score counts as in a geometric mean, as in trec_eval."""
TIE = 12
"""Decimals to which averages are rounded before one of them leads: rounding errors are ties."""


def average(values: NDArray[Any], summary: Summary = "mean", axis: int = -1) -> Floats:
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
    missing = np.isnan(values)
    absent = missing.sum(axis=axis)
    there = np.subtract(values.shape[axis], absent, dtype=np.float64)
    n = np.where(there > 0, there, np.nan)
    if summary == "harmonic":
        with np.errstate(divide="ignore"):
            rates = 1 / values
            return np.asarray(n / np.where(missing, 0.0, rates).sum(axis=axis))[()]
    if summary == "geometric":
        logs = np.log(np.maximum(np.where(missing, 1.0, values), FLOOR))
        return np.asarray(np.exp(logs.sum(axis=axis) / n))[()]
    total = (np.where(missing, 0.0, values) if absent.any() else values).sum(axis=axis)
    return np.asarray(np.where(there > 0, total, np.nan) if summary == "sum" else total / n)[()]
