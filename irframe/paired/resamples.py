"""Resamples and signs of the topics, the same for all that is measured on them."""

import numpy as np
from numpy.typing import NDArray

from irframe.checks import room
from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["count_drawn", "critical", "draw_signs", "draw_topics"]

DRAWN, SIGNED = 32, 2
"""Bytes for every topic of a resample: its position, while it is counted; its sign, while drawn."""


def _refuse_large(samples: int, topics: int, each: int) -> None:
    what = f"{samples:,} draws of {topics:,} topics"
    room(what, samples * topics * each, "ask for fewer samples=")


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
    _refuse_large(samples, topics, DRAWN)
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
    _refuse_large(samples, topics, SIGNED)
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


def critical(drawn: FloatArray, alpha: float) -> FloatArray:
    """Return what statistics must exceed for p < alpha.

    Parameters
    ----------
    drawn
        Statistics of draws, which come first.
    alpha
        Significance level.

    Returns
    -------
    numpy.ndarray
        Largest statistic with p = (1 + count of draws as large) / (1 + draws) not below alpha;
        infinite where draws are too few for any such p.

    Examples
    --------
    >>> critical(np.arange(20.0), 0.2), critical(np.arange(20.0), 0.01)
    (array(16.), array(inf))
    """
    samples = len(drawn)
    beyond = np.count_nonzero((1 + np.arange(samples)) / (1 + samples) < alpha)
    if not beyond:
        return np.full(drawn.shape[1:], np.inf)
    place = samples - beyond
    return np.asarray(np.partition(drawn, place, axis=0)[place])
