"""Innate orderings, which compare two rankings without a metric."""

from collections.abc import Sequence
from fractions import Fraction
from math import comb, lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array, in_threads
from irframe.checks import check_int
from irframe.errors import MetricError

BLOCK = 1 << 20
"""Number of elements that a thread compares at once. Arrays of this size fit into the cache."""

FINEST = 10**6
"""Largest denominator of the fractions to which gains are converted. If a gain is not equal to such
a fraction, its decimal representation is converted instead."""

LABELS = {-2: "**ns", -1: "ns", 0: "=", 1: "ni", 2: "**ni"}
"""Mapping from the code of an innate ordering to its label: non-superior (ns), equal (=) or
non-inferior (ni).

``**`` marks non-separable pairs, and is followed by the last label before the pair became
non-separable.
"""


class Transitions(NamedTuple):
    """Depths at which innate orderings of pairs of rankings change.

    Parameters
    ----------
    sign
        Sign of the first difference of cumulated gains that is not 0: 1 if the first ranking has
        more gain, -1 if the second ranking has more gain, and 0 if the rankings are equal.
    decided
        First depth at which the rankings are not equal, or 0 if they are equal at all depths.
    split
        First depth at which the rankings are non-separable, or 0 if they are separable at all
        depths.

    Examples
    --------
    >>> import numpy as np
    >>> gains = np.array([[[1, 0, 0]], [[0, 1, 1]]])
    >>> [values.item() for values in compare_rankings(gains, np.array([[0, 1]]))]
    [1, 1, 3]
    """

    sign: NDArray[np.int8]
    decided: NDArray[np.int32]
    split: NDArray[np.int32]


def integer_gains(gains: Sequence[float]) -> list[int]:
    """Return integers that are exactly proportional to gains.

    Parameters
    ----------
    gains
        Gains of at least 0. A gain stands for the simplest fraction that rounds to the same float,
        so that 0.2 stands for 1/5 and 0.3333333333333333 for 1/3.

    Returns
    -------
    list of int
        The smallest integers that are proportional to the gains.

    Examples
    --------
    >>> integer_gains([0.0, 0.2, 0.8, 1.0])
    [0, 1, 4, 5]
    >>> integer_gains([1 / 3, 1 / 2])
    [2, 3]
    """
    exact = []
    # the float itself is a fraction, but its denominator is a large power of 2
    for gain in map(float, gains):
        simple = Fraction(gain).limit_denominator(FINEST)
        exact.append(simple if float(simple) == gain else Fraction(repr(gain)))
    scale = lcm(*(value.denominator for value in exact))
    return [int(value * scale) for value in exact]


def compare_rankings(gains: Array, pairs: Array) -> Transitions:
    """Return innate orderings of pairs of systems by topic.

    Parameters
    ----------
    gains
        Integer gains by rank, at least 0, shape (system, topic, depth).
    pairs
        Indices of the first and second system, shape (pair, 2).

    Returns
    -------
    Transitions
        Arrays of shape (pair, topic).

    Notes
    -----
    The function computes Algorithm 1 of Moffat and Mackenzie for all depths at once. If one ranking
    has more cumulated gain at one depth, and the other ranking has more at another depth, the pair
    is non-separable from the larger of the two depths on.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. doi:10.1002/asi.24874

    Examples
    --------
    >>> gains = np.array([[[1, 0, 0]], [[0, 1, 1]]])
    >>> compare_rankings(gains, np.array([[0, 1], [0, 0]])).split.tolist()
    [[3], [0]]
    """
    cumulated = _cumulated(gains)
    shape = (len(pairs), cumulated.shape[1])
    result = Transitions(
        np.zeros(shape, np.int8), np.zeros(shape, np.int32), np.zeros(shape, np.int32)
    )
    step = max(1, BLOCK // max(cumulated[0].nbytes, 1))

    def fill(start: int) -> None:
        rows = slice(start, start + step)
        first, second = pairs[rows].T
        lead = cumulated.take(first, axis=0)
        lead -= cumulated.take(second, axis=0)
        ahead, behind = _first(lead > 0), _first(lead < 0)
        is_split = (ahead > 0) & (behind > 0)
        is_decided = (ahead > 0) | (behind > 0)
        leads_first = (ahead > 0) & ((behind == 0) | (ahead < behind))
        result.sign[rows] = np.where(leads_first, 1, np.where(is_decided, -1, 0))
        # if the rankings never split, one of the two depths is 0, and their sum is the other one
        result.decided[rows] = np.where(is_split, np.minimum(ahead, behind), ahead + behind)
        result.split[rows] = np.where(is_split, np.maximum(ahead, behind), 0)

    in_threads(fill, range(0, len(pairs), step))
    return result


def _cumulated(gains: Array) -> Array:
    """Return cumulated gains in the smallest sufficient integer dtype."""
    most = int(gains.max(initial=0)) * max(gains.shape[-1], 1)
    if most > np.iinfo(np.int64).max:
        advice = "use fewer decimals in the gains"
        raise MetricError("gains that can be summed exactly", f"sums up to {most}", advice)
    # narrow integers save memory, because the arrays are subtracted for every pair of systems
    kinds = (np.int8, np.int16, np.int32, np.int64)
    narrowest = next(kind for kind in kinds if most <= np.iinfo(kind).max)
    return np.cumsum(gains, axis=-1, dtype=narrowest)


def _first(true: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the first depth with a true value, else 0."""
    index = true.argmax(axis=-1)
    any_true = np.take_along_axis(true, index[..., np.newaxis], axis=-1)[..., 0]
    return np.where(any_true, index + 1, 0).astype(np.int32)


def label_depths(transitions: Transitions, depth: int) -> NDArray[np.int8]:
    """Return the codes of the labels at every depth.

    Parameters
    ----------
    transitions
        Result of `compare_rankings`, in any shape.
    depth
        Number of depths.

    Returns
    -------
    numpy.ndarray
        Codes of `LABELS`, shape (..., depth).

    Examples
    --------
    >>> gains = np.array([[[1, 0, 0]], [[0, 1, 1]]])
    >>> label_depths(compare_rankings(gains, np.array([[1, 0]])), 3).tolist()
    [[[-1, -1, -2]]]
    """
    kind = np.min_scalar_type(depth + 1)
    rank = np.arange(1, depth + 1, dtype=kind)
    sign = transitions.sign.reshape(-1, 1)
    decided, split = (
        np.where((first > 0) & (first <= depth), first, depth + 1).astype(kind).reshape(-1, 1)
        for first in (transitions.decided, transitions.split)
    )
    labels = np.empty((len(sign), depth), np.int8)
    step = max(1, BLOCK // max(depth, 1))

    def fill(start: int) -> None:
        rows = slice(start, start + step)
        # the view as booleans lets NumPy write 0 and 1 into the result without a temporary array
        np.greater_equal(rank, decided[rows], out=labels[rows].view(np.bool_))
        labels[rows] += rank >= split[rows]
        labels[rows] *= sign[rows]

    in_threads(fill, range(0, len(sign), step))
    return labels.reshape(*transitions.sign.shape, depth)


def count_labels(transitions: Transitions, depth: int) -> NDArray[np.int32]:
    """Count topics by label at every depth.

    Parameters
    ----------
    transitions
        Result of `compare_rankings`, shape (pair, topic).
    depth
        Number of depths.

    Returns
    -------
    numpy.ndarray
        Number of topics with each label, shape (pair, depth, 5). The last axis contains the five
        labels in the order of `LABELS`.

    Examples
    --------
    >>> gains = np.array([[[1, 0, 0]], [[0, 1, 1]]])
    >>> count_labels(compare_rankings(gains, np.array([[1, 0]])), 3).tolist()
    [[[0, 1, 0, 0, 0], [0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]]
    """
    sign, decided, split = transitions
    pairs, topics = sign.shape
    counts = np.zeros((pairs, depth, len(LABELS)), np.int32)
    # sign -1 has the columns ns and **ns of `LABELS`, and sign 1 has the columns ni and **ni
    for side, plain, mixed in ((-1, 1, 0), (1, 3, 4)):
        counts[..., plain] = _reached(decided, sign == side, depth)
        counts[..., mixed] = _reached(split, sign == side, depth)
        counts[..., plain] -= counts[..., mixed]
    counts[..., 2] = topics - counts.sum(axis=-1)
    return counts


def _reached(first: Array, chosen: NDArray[np.bool_], depth: int) -> Array:
    """Count the selected topics whose first depth has been reached."""
    pair, topic = np.nonzero(chosen & (first > 0) & (first <= depth))
    cell = pair * depth + first[pair, topic] - 1
    return np.cumsum(np.bincount(cell, minlength=len(first) * depth).reshape(-1, depth), axis=-1)


class Separability(NamedTuple):
    """Numbers of equal, separable and non-separable pairs of rankings.

    Parameters
    ----------
    equal, separable, nonseparable
        Exact numbers of ordered pairs.

    Examples
    --------
    >>> Separability(8, 54, 2).shares
    (0.125, 0.84375, 0.03125)
    """

    equal: int
    separable: int
    nonseparable: int

    @property
    def shares(self) -> tuple[float, float, float]:
        """The three numbers, divided by the number of all pairs."""
        total = sum(self)
        return self.equal / total, self.separable / total, self.nonseparable / total


def random_separability(k: int) -> Separability:
    """Count equal, separable and non-separable pairs of binary rankings.

    Parameters
    ----------
    k
        Length of the rankings, at least 1.

    Returns
    -------
    Separability
        Exact numbers of ordered pairs. The numbers sum to 4**k.

    Raises
    ------
    ParameterError
        If k is not an integer of at least 1.

    Notes
    -----
    ``2**k`` pairs are equal, and ``2 (C(2k+1, k) - 2**k)`` pairs are separable. The numbers follow
    from counts of random walks of 2k steps that stay on one side of 0, because the difference of
    cumulated gains is a random walk.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Table 2. doi:10.1002/asi.24874

    Examples
    --------
    >>> random_separability(3)
    Separability(equal=8, separable=54, nonseparable=2)
    """
    k = check_int("k", k, low=1)
    separable = 2 * (comb(2 * k + 1, k) - 2**k)
    return Separability(2**k, separable, 4**k - 2**k - separable)
