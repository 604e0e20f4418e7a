"""Statistics of pairs that are put together from blocks of topics.

What a block of topics says of every pair is a state: an array of shape (field, pair, depth). States
of several blocks, next to each other along one more axis, merge into the state of all their
topics, in whatever order and grouping, so that no one ever needs all topics at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from irframe.paired.blocks import by_depth, by_pair
from irframe.paired.differences import Differences, sides
from irframe.paired.moments import comoments, deviations, settle
from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["COMOMENTS", "SIDES", "Comoments", "Fold", "describe_folded", "pool_moments", "settled"]


@dataclass(frozen=True, eq=False)
class Fold:
    """How a statistic of pairs comes about from blocks of topics.

    Parameters
    ----------
    measure
        Gives the state of a block, shape (field, pair, depth), from scores (system, topic,
        depth) without NaN, and pairs.
    nothing
        For each field what it is of no topics.
    merge
        Gives the state of all topics from the states of blocks along an axis, which it drops.

    Examples
    --------
    >>> scores = np.array([[3.0, 5.0, 2.0], [1.0, 1.0, 2.0]])[:, :, None]
    >>> blocks = [SIDES.measure(scores[:, :2], None), SIDES.measure(scores[:, 2:], None)]
    >>> SIDES.merge(np.stack(blocks), 0).ravel().tolist()
    [2.0, 0.0]
    """

    measure: Callable[[FloatArray, IntArray | None], FloatArray]
    nothing: tuple[float, ...]
    merge: Callable[[FloatArray, int], FloatArray]


class Comoments(NamedTuple):
    """How the differences of a pair lie about their mean; each of shape (pair, depth).

    Parameters
    ----------
    topics
        The number of topics.
    mean
        Mean of a - b.
    squares
        Sum of squares about the mean.
    lowest, highest
        Smallest and largest difference, as far as they may be alike; else infinitely far apart.
    largest
        Largest absolute score.

    Examples
    --------
    >>> scores = np.array([[3.0, 5.0, 2.0], [1.0, 1.0, 2.0]])[:, :, None]
    >>> state = Comoments(*COMOMENTS.measure(scores, None))
    >>> state.mean.item(), state.squares.item()
    (2.0, 8.0)
    """

    topics: FloatArray
    mean: FloatArray
    squares: FloatArray
    lowest: FloatArray
    highest: FloatArray
    largest: FloatArray


def pool_moments(
    n: FloatArray, mean: FloatArray, squares: FloatArray, axis: int = 0
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Put the moments of blocks together.

    Parameters
    ----------
    n, mean, squares
        The number of values, their mean and the sum of squares about it, of blocks along an axis.
    axis
        That of the blocks.

    Returns
    -------
    tuple of numpy.ndarray
        The same of all blocks; a mean of no values is 0.

    Notes
    -----
    The sum of squares is that within the blocks and, weighted by n, that of their means about the
    mean of all. Nothing is subtracted from it, so nothing cancels.

    References
    ----------
    T. F. Chan, G. H. Golub, R. J. LeVeque (1983). Algorithms for computing the sample
    variance. https://doi.org/10.1080/00031305.1983.10483115

    Examples
    --------
    >>> n, mean, squares = pool_moments(*np.array([[1.0, 2.0], [3.0, 0.0], [0.0, 2.0]]))
    >>> n.item(), mean.item(), squares.item()
    (3.0, 1.0, 8.0)
    """
    total = n.sum(axis=axis, keepdims=True)
    centre = (n * mean).sum(axis=axis, keepdims=True) / np.maximum(total, 1)
    between = (n * (mean - centre) ** 2).sum(axis=axis)
    return total.squeeze(axis), centre.squeeze(axis), squares.sum(axis=axis) + between


def describe_folded(comoments: FloatArray, sides: FloatArray) -> Differences:
    """Describe differences as `describe_differences` does, from the states of all topics.

    Parameters
    ----------
    comoments, sides
        States of `COMOMENTS` and `SIDES`.

    Returns
    -------
    Differences
        With the number of topics by depth.

    Examples
    --------
    >>> scores = np.array([[3.0, 5.0, 2.0], [1.0, 1.0, 2.0]])[:, :, None]
    >>> found = describe_folded(COMOMENTS.measure(scores, None), SIDES.measure(scores, None))
    >>> found.mean.item(), found.sd.item(), found.wins.item()
    (2.0, 2.0, 2)
    """
    mean, sd, topics = settled(comoments)
    wins, losses = sides.astype(np.int64)
    return Differences(mean, sd, wins, topics - wins - losses, losses, topics, topics - 1)


def settled(comoments: FloatArray) -> tuple[FloatArray, FloatArray, IntArray]:
    """Mean and standard deviation of every pair, and topics by depth, from a state of all topics.

    Parameters
    ----------
    comoments
        State of `COMOMENTS`.

    Returns
    -------
    tuple of numpy.ndarray
        Mean and standard deviation, each of shape (pair, depth), and topics, of shape (depth,).
    """
    state = Comoments(*comoments)
    mean, squares = state.mean.copy(), state.squares.copy()
    settle(mean, squares, state.highest - state.lowest, state.largest)
    topics = state.topics.max(axis=0, initial=1).astype(np.int64)
    return mean, deviations(squares, topics), topics


def _measure_comoments(scores: FloatArray, pairs: IntArray | None) -> FloatArray:
    found = by_depth(comoments, scores, pairs, dtypes=(np.float64,) * 5)
    return np.stack([np.full(found[0].shape, float(np.shape(scores)[1])), *found])


def _merge_comoments(states: FloatArray, axis: int) -> FloatArray:
    state = Comoments(*np.moveaxis(states, axis, 1))
    ends = state.lowest.min(axis=0), state.highest.max(axis=0), state.largest.max(axis=0)
    return np.stack([*pool_moments(state.topics, state.mean, state.squares), *ends])


def _measure_sides(scores: FloatArray, pairs: IntArray | None) -> FloatArray:
    def compute(block: FloatArray, pairs: IntArray) -> tuple[IntArray, ...]:
        return by_pair(sides, block, pairs)

    return np.stack(by_depth(compute, scores, pairs))


def _add(states: FloatArray, axis: int) -> FloatArray:
    total: FloatArray = states.sum(axis=axis)
    return total


COMOMENTS = Fold(_measure_comoments, (0.0, 0.0, 0.0, np.inf, -np.inf, 0.0), _merge_comoments)
"""Fields as in `Comoments`."""
SIDES = Fold(_measure_sides, (0.0, 0.0), _add)
"""Fields: wins and losses of a."""
