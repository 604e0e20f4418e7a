"""From scores to orders, many rows at once."""

import numpy as np

from irframe.arrays import Floats

Ends = tuple[Floats, Floats]
"""First and last rank that every system could have among those it ties with."""


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
