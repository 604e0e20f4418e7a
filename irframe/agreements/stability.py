"""How soon, and how often, the orderings in a volatility matrix agree."""

import numpy as np
from numpy.typing import ArrayLike

from irframe.arrays import Floats
from irframe.errors import ParameterError


def stable_depth(correlations: ArrayLike, depths: ArrayLike, *, threshold: float = 0.9) -> Floats:
    """Find the depth from which on it no longer matters how deep systems are evaluated.

    Parameters
    ----------
    correlations
        Volatility matrices, correlation of the ordering at one depth with that at another,
        shape (..., K, K).
    depths
        The K depths, ascending.
    threshold
        What a correlation has to exceed for two orderings to count as equivalent.

    Returns
    -------
    numpy.ndarray
        The least depth theta such that all correlations of depths k1, k2 >= theta exceed the
        threshold, shape (...). NaN if there is none. The last depth says only that the last
        ordering agrees with itself.

    Notes
    -----
    ``theta = min {k : T[k1, k2] > threshold for all k1, k2 >= k}``. An undefined correlation
    (NaN) does not exceed anything.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.7. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.agreements import stable_depth
    >>> stable_depth([[1, 0.7, 0.6], [0.7, 1, 0.95], [0.6, 0.95, 1]], [5, 10, 20])
    array(10.)
    """
    matrix = _read(correlations)
    labels = np.asarray(depths, dtype=np.float64)
    if labels.shape != matrix.shape[-1:] or not (np.diff(labels) > 0).all():
        found = f"{labels.shape} for matrices of shape {matrix.shape}"
        raise ParameterError("one ascending depth per row of the matrix", found)
    either_way = np.minimum(matrix, matrix.swapaxes(-1, -2))
    later = np.triu(np.ones(matrix.shape[-2:], dtype=bool))
    with_later = np.where(later, either_way, np.inf).min(axis=-1, initial=np.inf)
    worst_from_end = np.minimum.accumulate(with_later[..., ::-1], axis=-1)
    stable = (worst_from_end > threshold).sum(axis=-1)
    return np.asarray(np.append(labels, np.nan)[labels.size - stable])


def share_above(correlations: ArrayLike, *, threshold: float = 0.9) -> Floats:
    """Count how often two different depths order the systems equivalently, as a share.

    Parameters
    ----------
    correlations
        Volatility matrices, shape (..., K, K).
    threshold
        What a correlation has to exceed for two orderings to count as equivalent.

    Returns
    -------
    numpy.ndarray
        Share of the K(K-1) entries off the diagonal above the threshold, 0 to 1, shape (...);
        NaN for a single depth.

    Notes
    -----
    An undefined correlation (NaN) counts as an entry that is not above the threshold.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.7. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.agreements import share_above
    >>> share_above([[1, 0.7, 0.6], [0.7, 1, 0.95], [0.6, 0.95, 1]])
    array(0.33333333)
    """
    above = _read(correlations) > threshold
    size = above.shape[-1]
    counted = (above & ~np.eye(size, dtype=bool)).sum(axis=(-2, -1))
    entries = size * (size - 1)
    return np.asarray(counted / entries if entries else np.full(counted.shape, np.nan))


def _read(correlations: ArrayLike) -> Floats:
    """Return square matrices in which an undefined correlation is below every threshold."""
    matrix = np.asarray(correlations, dtype=np.float64)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise ParameterError("square matrices, shape (..., K, K)", f"shape {matrix.shape}")
    return np.where(np.isnan(matrix), -np.inf, matrix)
