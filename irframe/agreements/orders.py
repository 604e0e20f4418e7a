"""From scores to orders, many rows at once."""

import numpy as np

from irframe.agreements.base import Floats


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


def rank_stably(scores: Floats) -> Floats:
    """Rank the systems from 1, the best; tied systems keep their order of input.

    Parameters
    ----------
    scores
        Scores, higher is better, no NaN, shape (..., S).

    Returns
    -------
    numpy.ndarray
        Ranks from 1 to S, each once, shape (..., S).

    Examples
    --------
    >>> rank_stably(np.array([0.5, 0.9, 0.5, 0.1]))
    array([2., 1., 3., 4.])
    """
    order = np.argsort(-scores, axis=-1, kind="stable")
    ranks = np.empty(scores.shape)
    np.put_along_axis(ranks, order, np.arange(1.0, scores.shape[-1] + 1), axis=-1)
    return ranks
