"""Pearson's correlation coefficient."""

from dataclasses import dataclass

import numpy as np

from irframe.agreements.base import Agreement
from irframe.arrays import Floats


@dataclass(frozen=True, kw_only=True)
class Pearson(Agreement):
    """How nearly one set of scores is a rising straight line of the other.

    Notes
    -----
    ``r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)**2 sum (y - mean y)**2)`` over
    the systems: rows scaled to mean 0 and length 1, times their transpose.

    Range: -1 to 1. Undefined (NaN) where all systems score the same or a score is infinite.

    References
    ----------
    .. [1] Pearson. Note on regression and inheritance in the case of two parents. Proceedings
       of the Royal Society of London 58, 1895. doi:10.1098/rspl.1895.0041

    Examples
    --------
    >>> from irframe.agreements import Pearson
    >>> Pearson().kernel([[1, 2, 3]], [[2, 4, 6], [3, 1, 2]])
    array([[ 1. , -0.5]])
    """

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return Pearson's r of every row of `x` with every row of `y`."""
        return correlate(x, y)


def correlate(x: Floats, y: Floats) -> Floats:
    """Return Pearson's r of every row of `x` with every row of `y`.

    Parameters
    ----------
    x, y
        Shapes (..., K1, S) and (..., K2, S).

    Returns
    -------
    numpy.ndarray
        Correlations, shape (..., K1, K2).

    Examples
    --------
    >>> correlate(np.array([[1.0, 2.0, 3.0]]), np.array([[3.0, 1.0, 2.0]]))
    array([[-0.5]])
    """
    unit_x = _standardise(x)
    unit_y = unit_x if y is x else _standardise(y)
    return np.asarray(np.clip(unit_x @ unit_y.swapaxes(-1, -2), -1, 1))


def _standardise(scores: Floats) -> Floats:
    """Scale rows to mean 0 and length 1, constant ones to NaN."""
    centred = scores - scores.mean(axis=-1, keepdims=True)
    centred[np.ptp(scores, axis=-1) == 0] = np.nan  # a rounded mean leaves rounding noise
    centred /= np.abs(centred).max(axis=-1, keepdims=True)  # squares neither vanish nor overflow
    return np.asarray(centred / np.sqrt(np.square(centred).sum(axis=-1, keepdims=True)))
