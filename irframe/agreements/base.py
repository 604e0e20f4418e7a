"""Base class of agreement methods, tied ranks, and stable depths."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irframe.arrays import Ends, Floats, Ints
from irframe.errors import ParameterError
from irframe.names import as_html


@dataclass(frozen=True, kw_only=True)
class Agreement(ABC):
    """Base class of methods that compare orderings or scores.

    A method is a frozen dataclass with its parameters as fields. A subclass defines `compare`.

    Notes
    -----
    Scores are not rounded, so scores that differ only by rounding errors are not treated as ties.
    To tie scores that differ by rounding errors, pass ``numpy.round(scores, 12)``.

    Examples
    --------
    >>> from irframe.agreements import RMSE, Kendall
    >>> Kendall().distance, RMSE().distance
    (False, True)
    """

    distance: ClassVar[bool] = False
    """Whether the method returns a distance instead of a correlation. The distance of equal rows is
    0."""

    _repr_html_ = as_html

    def kernel(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Compare every row of `x` with every row of `y`.

        Parameters
        ----------
        x
            Scores of S systems in K1 orderings, for example at K1 depths, shape (..., K1, S).
            Higher is better. For asymmetric methods, `x` is the reference.
        y
            Scores of the same systems in K2 orderings, shape (..., K2, S). The leading dimensions
            of `x` and `y` must broadcast.

        Returns
        -------
        numpy.ndarray
            Agreement of row k1 of `x` with row k2 of `y`, shape (..., K1, K2). The agreement is NaN
            if either row contains NaN, or if the method is undefined for the two rows.

        Examples
        --------
        >>> from irframe.agreements import Kendall
        >>> Kendall().kernel([[1, 2, 3]], [[1, 2, 3], [2, 1, 3], [5, 5, 5]])
        array([[1.        , 0.33333333,        nan]])
        """
        left = np.asarray(x, dtype=np.float64)
        right = left if y is x else np.asarray(y, dtype=np.float64)
        _refuse_shapes(left.shape, right.shape)
        first, first_blank = _fill(left)
        second, second_blank = (first, first_blank) if right is left else _fill(right)
        with np.errstate(all="ignore"):
            values = self.compare(first, second)
        return np.where(first_blank[..., :, None] | second_blank[..., None, :], np.nan, values)

    @abstractmethod
    def compare(self, x: Floats, y: Floats) -> Floats:
        """Compare rows without NaN; shapes are as for `kernel`."""


def _fill(scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Set rows containing NaN to 0, and return their mask."""
    blank: NDArray[np.bool_] = np.asarray(np.isnan(scores).any(axis=-1))
    return (np.where(blank[..., None], 0.0, scores) if blank.any() else scores), blank


def _refuse_shapes(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    """Raise if shapes do not match.

    Without this check, numpy would broadcast some wrong shapes.
    """
    leading = zip(reversed(x[:-2]), reversed(y[:-2]), strict=False)
    fit = len(x) > 1 < len(y) and x[-1] == y[-1] > 0
    if not fit or any(a != b and 1 not in (a, b) for a, b in leading):
        expected = "scores of the same systems, shapes (..., K1, S) and (..., K2, S), S at least 1"
        advice = "pass systems along the last axis, and orderings along the axis before"
        raise ParameterError(expected, f"x of shape {x}, y of shape {y}", advice)


Positions = NDArray[np.intp]

PAIR_BYTES = 2**25
"""Maximum size in bytes of the sign matrices of one block of pairs. Wide blocks keep the matrix
products fast.

At most 2**23 pairs of 4-byte signs fit into a block, and single precision counts exactly up to
2**24.
"""

ROW_BYTES = 2**21
"""Maximum size in bytes of temporary arrays, which should fit into the processor cache."""


def pair_blocks(systems: int, row_bytes: int) -> Iterator[tuple[Positions, Positions]]:
    """Yield every unordered pair of systems once, in blocks.

    A single system forms no pairs, so one empty block is yielded.

    Parameters
    ----------
    systems
        Number of systems S, which form S(S-1)/2 pairs.
    row_bytes
        Size in bytes of the signs of one pair in all orderings of `x` and `y`. A block has at most
        `PAIR_BYTES` bytes, or contains a single pair.

    Yields
    ------
    tuple of numpy.ndarray
        Index of the first system and index of the second system of each pair. The first index is
        smaller.

    Examples
    --------
    >>> [(first.tolist(), second.tolist()) for first, second in pair_blocks(3, 4)]
    [([0, 0, 1], [1, 2, 2])]
    """
    pairs = systems * (systems - 1) // 2
    size = max(1, PAIR_BYTES // max(row_bytes, 4))
    for start in range(0, max(pairs, 1), size):
        number = np.arange(start, min(start + size, pairs), dtype=np.intp)
        # in second * (second - 1) / 2 pairs, the second system has a smaller index
        second = ((1 + np.sqrt(1 + 8 * number)) / 2).astype(np.intp)
        yield number - second * (second - 1) // 2, second


def signs(keys: NDArray[np.floating], first: Positions, second: Positions) -> NDArray[np.floating]:
    """Return the sign of the difference of each pair.

    Parameters
    ----------
    keys
        Finite values by which systems are ordered, shape (..., K, S).
    first, second
        Indices of the systems of P pairs.

    Returns
    -------
    numpy.ndarray
        Signs, shape (..., K, P), with the dtype of `keys`.

    Examples
    --------
    >>> signs(np.array([2.0, 2.0, 1.0]), np.array([0, 0]), np.array([1, 2]))
    array([0., 1.])
    """
    difference = np.take(keys, first, axis=-1)
    difference -= np.take(keys, second, axis=-1)
    return np.sign(difference, out=difference)


def over_rows(x: Floats, y: Floats, reduce: Callable[[Floats, Floats], Floats]) -> Floats:
    """Reduce every pair of rows over the systems, in blocks.

    Parameters
    ----------
    x, y
        Arrays of shapes (..., K1, S) and (..., K2, S).
    reduce
        Function of two arrays that broadcast to (..., K1, K2, S). The function returns the value of
        each pair of rows. The arrays have at most `ROW_BYTES` bytes, or contain one row of `x`.

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


def count_below(scores: Floats) -> Floats:
    """Return the number of systems with lower scores.

    Sorting systems by count gives the same order and the same ties as sorting by score. The sum of
    the counts is the number of pairs that are not tied.

    Parameters
    ----------
    scores
        Scores without NaN, shape (..., S). Higher is better.

    Returns
    -------
    numpy.ndarray
        Counts from 0 to S - 1, shape (..., S).

    Examples
    --------
    >>> count_below(np.array([0.5, 0.9, 0.5, 0.1]))
    array([1., 3., 1., 0.])
    """
    order = np.argsort(scores, axis=-1)
    ascending = np.take_along_axis(scores, order, axis=-1)
    first = np.zeros(scores.shape)
    # only the first system of a tied group has its own index, and the running maximum copies it to
    # the group
    first[..., 1:] = np.arange(1, scores.shape[-1]) * (ascending[..., 1:] != ascending[..., :-1])
    below = np.empty(scores.shape)
    np.put_along_axis(below, order, np.maximum.accumulate(first, axis=-1), axis=-1)
    return below


def tied_ranks(scores: Floats) -> Ends:
    """Return the best and worst possible rank of each system.

    Parameters
    ----------
    scores
        Scores without NaN, shape (..., S). Higher is better.

    Returns
    -------
    tuple of numpy.ndarray
        First and last rank of the systems that are tied with each system, both of shape (..., S).
        For a system without ties, the first rank equals the last rank.

    Examples
    --------
    >>> first, last = tied_ranks(np.array([0.5, 0.9, 0.5, 0.1]))
    >>> first, last
    (array([2., 1., 2., 4.]), array([3., 1., 3., 4.]))
    """
    return 1 + count_below(-scores), scores.shape[-1] - count_below(scores)


def competition_ranks(means: Floats) -> Ints:
    """Return competition ranks of means along the last axis.

    The rank of a mean is 1 plus the number of higher means.

    Examples
    --------
    >>> competition_ranks(np.array([0.2, 0.5, 0.5])).tolist()
    [3, 1, 1]
    """
    better = means[..., np.newaxis, :] > means[..., np.newaxis]
    return np.asarray(1 + better.sum(axis=-1))


def stable_depth(correlations: ArrayLike, depths: ArrayLike, *, threshold: float = 0.9) -> Floats:
    """Return the depth from which on all orderings are equivalent.

    Parameters
    ----------
    correlations
        Volatility matrices, which contain the correlations of the orderings at all pairs of depths,
        shape (..., K, K).
    depths
        The K depths in ascending order.
    threshold
        Two orderings are equivalent if their correlation exceeds the threshold.

    Returns
    -------
    numpy.ndarray
        The smallest depth theta such that all correlations of depths k1, k2 >= theta exceed the
        threshold, shape (...). The result is NaN if no such depth exists. The last depth alone is
        not evidence of stability, because an ordering always agrees with itself.

    Notes
    -----
    ``theta = min {k : T[k1, k2] > threshold for all k1, k2 >= k}``. An undefined correlation (NaN)
    does not exceed the threshold.

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
    matrix = _square_matrices(correlations)
    labels = np.asarray(depths, dtype=np.float64)
    if labels.shape != matrix.shape[-1:] or not (np.diff(labels) > 0).all():
        shapes = f"{labels.shape} for matrices of shape {matrix.shape}"
        raise ParameterError("one depth per row of the matrix, in ascending order", shapes)
    either_way = np.minimum(matrix, matrix.swapaxes(-1, -2))
    later = np.triu(np.ones(matrix.shape[-2:], dtype=bool))
    with_later = np.where(later, either_way, np.inf).min(axis=-1, initial=np.inf)
    worst_from_end = np.minimum.accumulate(with_later[..., ::-1], axis=-1)
    stable = (worst_from_end > threshold).sum(axis=-1)
    return np.asarray(np.append(labels, np.nan)[labels.size - stable])


def share_above(correlations: ArrayLike, *, threshold: float = 0.9) -> Floats:
    """Return the share of depth pairs with equivalent orderings.

    Parameters
    ----------
    correlations
        Volatility matrices, shape (..., K, K).
    threshold
        Two orderings are equivalent if their correlation exceeds the threshold.

    Returns
    -------
    numpy.ndarray
        Share of the K(K-1) off-diagonal entries that exceed the threshold, 0 to 1, shape (...). The
        share is NaN if there is only one depth.

    Notes
    -----
    An undefined correlation (NaN) does not exceed the threshold.

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
    above = _square_matrices(correlations) > threshold
    size = above.shape[-1]
    counted = (above & ~np.eye(size, dtype=bool)).sum(axis=(-2, -1))
    entries = size * (size - 1)
    return np.asarray(counted / entries if entries else np.full(counted.shape, np.nan))


def _square_matrices(correlations: ArrayLike) -> Floats:
    """Return square matrices with -inf in place of NaN."""
    matrix = np.asarray(correlations, dtype=np.float64)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise ParameterError("square matrices, shape (..., K, K)", f"shape {matrix.shape}")
    return np.where(np.isnan(matrix), -np.inf, matrix)
