"""Resamples and signs of the topics, the same for all that is measured on them."""

import numpy as np
from numpy.typing import NDArray

from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["count_drawn", "draw_signs", "draw_topics"]


def draw_topics(topics: int, *, samples: int, seed: int) -> IntArray:
    """Draw topics with replacement.

    Parameters
    ----------
    topics
        How many topics there are, and how many a resample has.
    samples
        How many resamples.
    seed
        Of the generator of the draws.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics), positions of topics.
    """
    generator = np.random.default_rng(seed)
    return generator.integers(topics, size=(samples, topics), dtype=np.int64)


def draw_signs(topics: int, *, samples: int, seed: int) -> NDArray[np.int8]:
    """Draw signs.

    Parameters
    ----------
    topics
        How many topics there are.
    samples
        How many draws.
    seed
        Of the generator of the draws.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics), each -1 or 1.
    """
    drawn = np.random.default_rng(seed).integers(2, size=(samples, topics), dtype=np.int8)
    return 2 * drawn - np.int8(1)


def count_drawn(drawn: IntArray) -> FloatArray:
    """Count how often each resample has each topic.

    Parameters
    ----------
    drawn
        Shape (samples, topics), positions of topics.

    Returns
    -------
    numpy.ndarray
        Shape (samples, topics).

    Examples
    --------
    >>> count_drawn(np.array([[0, 0], [1, 0]]))
    array([[2., 0.],
           [1., 1.]])
    """
    codes = drawn + drawn.shape[1] * np.arange(len(drawn))[:, None]
    counts = np.bincount(codes.ravel(), minlength=drawn.size)
    return counts.reshape(drawn.shape).astype(np.float64)
