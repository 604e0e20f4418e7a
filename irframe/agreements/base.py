"""What every method of agreement shares: orders of scores, blocks of work, stable depths."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irframe.arrays import Ends, Floats
from irframe.errors import ParameterError
from irframe.names import as_html


@dataclass(frozen=True, kw_only=True)
class Agreement(ABC):
    """How alike the orderings or the scores are that two measurements give the same systems.

    A method is a frozen value whose parameters are its fields. A new one defines `compare`.

    Notes
    -----
    Scores are compared as given, never rounded: scores that would be equal in exact arithmetic
    but differ in the last bits, as sums taken in another order do, are different scores. Where
    such noise should count as a tie, pass ``numpy.round(scores, 12)``.

    Examples
    --------
    >>> from irframe.agreements import RMSE, Kendall
    >>> Kendall().distance, RMSE().distance
    (False, True)
    """

    distance: ClassVar[bool] = False
    """Whether the value is a distance, 0 for identical rows, rather than a correlation."""

    _repr_html_ = as_html

    def kernel(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Compare every row of `x` with every row of `y`.

        Parameters
        ----------
        x
            Scores of S systems in K1 orderings (depths, say), higher is better, shape
            (..., K1, S). A method that tells the two sides apart reads these as the reference.
        y
            The same systems in K2 orderings, shape (..., K2, S); leading dimensions broadcast.

        Returns
        -------
        numpy.ndarray
            Agreement of row k1 of `x` with row k2 of `y`, shape (..., K1, K2). NaN where a row
            holds a NaN or the method is undefined.

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
        """Compare rows free of NaN; shapes as in `kernel`, which is what users call."""


def _fill(scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Blank out the rows that hold a NaN, so that no method has to think of them."""
    blank: NDArray[np.bool_] = np.asarray(np.isnan(scores).any(axis=-1))
    return (np.where(blank[..., None], 0.0, scores) if blank.any() else scores), blank


def _refuse_shapes(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    """Raise if rows cannot be compared, which numpy would do for some shapes."""
    leading = zip(reversed(x[:-2]), reversed(y[:-2]), strict=False)
    fit = len(x) > 1 < len(y) and x[-1] == y[-1] > 0
    if not fit or any(a != b and 1 not in (a, b) for a, b in leading):
        wanted = "scores of the same systems, shapes (..., K1, S) and (..., K2, S), S at least 1"
        advice = "put the systems last and the orderings before them, a single one as a row"
        raise ParameterError(wanted, f"x of shape {x}, y of shape {y}", advice)


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


def count_below(scores: Floats) -> Floats:
    """Count, for each system, the systems that score strictly less.

    The counts order the systems as their scores do, ties included, and their sum is the number
    of pairs of systems that are not tied.

    Parameters
    ----------
    scores
        Scores, higher is better, no NaN, shape (..., S).

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
    first[..., 1:] = np.arange(1, scores.shape[-1]) * (ascending[..., 1:] != ascending[..., :-1])
    below = np.empty(scores.shape)
    np.put_along_axis(below, order, np.maximum.accumulate(first, axis=-1), axis=-1)
    return below


def tied_ranks(scores: Floats) -> Ends:
    """Rank the systems from 1, the best: the first and the last rank that each could have.

    Parameters
    ----------
    scores
        Scores, higher is better, no NaN, shape (..., S).

    Returns
    -------
    tuple of numpy.ndarray
        First and last rank of each system's group of tied systems, each of shape (..., S); the
        same for a system that ties with no other.

    Examples
    --------
    >>> first, last = tied_ranks(np.array([0.5, 0.9, 0.5, 0.1]))
    >>> first, last
    (array([2., 1., 2., 4.]), array([3., 1., 3., 4.]))
    """
    return 1 + count_below(-scores), scores.shape[-1] - count_below(scores)


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
    matrix = _square_matrices(correlations)
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
    above = _square_matrices(correlations) > threshold
    size = above.shape[-1]
    counted = (above & ~np.eye(size, dtype=bool)).sum(axis=(-2, -1))
    entries = size * (size - 1)
    return np.asarray(counted / entries if entries else np.full(counted.shape, np.nan))


def _square_matrices(correlations: ArrayLike) -> Floats:
    """Return square matrices in which an undefined correlation is below every threshold."""
    matrix = np.asarray(correlations, dtype=np.float64)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise ParameterError("square matrices, shape (..., K, K)", f"shape {matrix.shape}")
    return np.where(np.isnan(matrix), -np.inf, matrix)
