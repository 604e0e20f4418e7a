"""How much of the variance of scores is due to systems, to topics, and to both together."""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.arrays import Array

ROUNDING = 8 * np.finfo(np.float64).eps
"""Relative to the largest score: a deviation no larger is none."""

FEWEST = 3
"""Topics without one of which systems and topics still interact."""

Interval = tuple[Array, Array]


class MeanSquares(NamedTuple):
    """The analysis of variance of systems x topics with one score each.

    Parameters
    ----------
    system, topic, residual
        Mean squares, each of shape (depth,).
    systems, topics
        How many there are; topics for every depth, if depths have topics of their own.
    """

    system: Array
    topic: Array
    residual: Array
    systems: Array
    topics: Array

    @property
    def freedom(self) -> tuple[Array, Array, Array]:
        """Degrees of freedom of systems, topics and residual."""
        system, topic = self.systems - 1, self.topics - 1
        return system, topic, system * topic

    @property
    def variances(self) -> Array:
        """Variances of systems, topics and interaction, shape (3, depth), where they are < 0 too.

        By expected mean squares.
        """
        system = (self.system - self.residual) / self.topics
        topic = (self.topic - self.residual) / self.systems
        return np.stack([system, topic, self.residual])


def mean_squares(scores: Array) -> MeanSquares:
    """Analyse the variance of scores.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.

    Returns
    -------
    MeanSquares
        Mean squares of every depth; NaN with a single topic, 0 for deviations that rounding
        explains.
    """
    systems, topics, depths = scores.shape
    of_topic, of_system = scores.mean(axis=0), scores.mean(axis=1)
    grand = of_topic.mean(axis=0)
    rest = scores - of_topic
    rest -= (of_system - grand)[:, np.newaxis]
    squares = np.stack(
        [
            topics * np.square(of_system - grand).sum(axis=0),
            systems * np.square(of_topic - grand).sum(axis=0),
            np.einsum("stk,stk->k", rest, rest),
        ]
    )
    none = (ROUNDING * np.maximum(scores.max(axis=(0, 1)), -scores.min(axis=(0, 1)))) ** 2
    freedom = np.array([systems - 1, topics - 1, (systems - 1) * (topics - 1)])
    with np.errstate(invalid="ignore"):
        means = squares / freedom[:, np.newaxis]
    means[means <= none] = 0
    system, topic, residual = means
    sizes = np.full(depths, systems), np.full(depths, topics)
    return MeanSquares(system, topic, residual, *sizes)


def variance_interval(found: MeanSquares, alpha: float) -> tuple[Array, Array]:
    """Return lower and upper variances of systems, topics and interaction, shape (3, depth).

    That of the interaction is exact for normal scores, by chi squared; the others are those of a
    difference of mean squares by the modified large-sample method.
    """
    *freedom, rest = found.freedom
    ends = [
        _difference(mean, df, found.residual, rest, alpha)
        for mean, df in zip((found.system, found.topic), freedom, strict=True)
    ]
    low, high = (
        np.stack([ends[0][side] / found.topics, ends[1][side] / found.systems]) for side in (0, 1)
    )
    alone = found.residual / _f(alpha / 2, rest), found.residual / _f(1 - alpha / 2, rest)
    return (
        np.maximum(np.concatenate([low, alone[0][np.newaxis]]), 0),
        np.maximum(np.concatenate([high, alone[1][np.newaxis]]), 0),
    )


def _difference(first: Array, df1: Array, second: Array, df2: Array, alpha: float) -> Interval:
    """Return an interval of the difference of two expected mean squares."""
    centre = first - second
    low = centre - _reach(first, df1, second, df2, alpha / 2)
    high = centre + _reach(first, df1, second, df2, 1 - alpha / 2)
    return low, high


def _reach(first: Array, df1: Array, second: Array, df2: Array, tail: float) -> Array:
    """Return how far the end of an interval with this upper tail lies from its centre."""
    ratio = _f(tail, df1, df2)
    one, two = 1 - 1 / _f(tail, df1), 1 / _f(1 - tail, df2) - 1
    cross = ((ratio - 1) ** 2 - (one * ratio) ** 2 - two**2) / ratio
    square = (one * first) ** 2 + (two * second) ** 2 + cross * first * second
    return np.sqrt(np.maximum(square, 0))


def _f(tail: float, df1: Array, df2: Array | float = np.inf) -> Array:
    """Return upper quantiles of F, of chi squared over its degrees of freedom if df2 is infinite.

    NaN without degrees of freedom.
    """
    df1 = np.where(np.asarray(df1) > 0, df1, np.nan)
    if np.isscalar(df2):
        return np.asarray(scipy.special.chdtri(df1, tail) / df1)
    return np.asarray(scipy.special.fdtri(df1, np.where(df2 > 0, df2, np.nan), 1 - tail))


def relative_signal(found: MeanSquares) -> Array:
    """Return the variance of systems over that of the interaction, at least 0."""
    return _signal(found.variances, [2])


def absolute_signal(found: MeanSquares) -> Array:
    """Return the variance of systems over that of topics and interaction, at least 0."""
    return _signal(found.variances, [1, 2])


def _signal(variances: Array, noise: list[int]) -> Array:
    kept = np.maximum(variances, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(kept[0] / kept[noise].sum(axis=0))


def relative_interval(found: MeanSquares, alpha: float) -> Interval:
    """Return an interval of `relative_signal`, exact for normal scores."""
    system, _, rest = found.freedom
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = found.system / found.residual
    low, high = (
        np.maximum(ratio / _f(tail, system, rest) - 1, 0) / found.topics
        for tail in (alpha / 2, 1 - alpha / 2)
    )
    return low, high


def absolute_interval(found: MeanSquares, alpha: float) -> Interval:
    """Return an interval of `absolute_signal`, that of Arteaga, Jeyaratnam and Franklin."""
    return _absolute_end(found, alpha / 2), _absolute_end(found, 1 - alpha / 2)


def _absolute_end(found: MeanSquares, tail: float) -> Array:
    first, topic, rest = found.freedom
    alone, over_rest, over_topic = _f(tail, first), _f(tail, first, rest), _f(tail, first, topic)
    system, residual = found.system, found.residual
    above = system**2 - alone * system * residual
    above = above + (alone - over_rest) * over_rest * residual**2
    below = first * alone * system * residual + over_topic * system * found.topic
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.maximum(above / below, 0) * found.systems / found.topics)


def fixed_interval(scores: Array, alpha: float) -> Interval:
    """Return an interval of `relative_signal` for these very systems, by a jackknife over topics.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.
    alpha
        One minus the confidence level.
    """
    topics = scores.shape[1]
    if topics < FEWEST:
        none = np.full(scores.shape[2], np.nan)
        return none, none
    found = mean_squares(scores)
    with np.errstate(invalid="ignore", divide="ignore"):
        signal = np.log(found.system / found.residual)
        each = _without_each(scores)
        about = each - each.mean(axis=0)
        error = np.sqrt((topics - 1) / topics * (about**2).sum(axis=0))
    reach = scipy.special.stdtrit(topics - 1, 1 - alpha / 2) * error
    low, high = (np.maximum(np.expm1(signal + side), 0) / topics for side in (-reach, reach))
    return low, high


def _without_each(scores: Array) -> Array:
    """Return log(MS_s / MS_st) without each topic, shape (topic, depth)."""
    systems, topics, _ = scores.shape
    rest = scores - scores.mean(axis=0)
    means = rest.mean(axis=1)
    own = np.einsum("stk,stk->tk", rest, rest)
    shared = np.einsum("sk,stk->tk", means, rest)
    # The squares of the means of systems, and all the rest, when a topic goes.
    among = topics**2 * np.einsum("sk,sk->k", means, means) - 2 * topics * shared + own
    among /= topics - 1
    within = own.sum(axis=0) - own - among
    freedom = (systems - 1) * (topics - 2), systems - 1
    return np.asarray(np.log(freedom[0] / freedom[1] * among / within))


SIGNALS = {
    "erho2": (relative_signal, relative_interval),
    "phi": (absolute_signal, absolute_interval),
}
"""What a reliability compares the variance of systems with, and the interval of it."""


def population(scores: Array) -> Array:
    """Return scores that vary as those of all topics would, from those of some.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN, at least 2 topics.

    Returns
    -------
    numpy.ndarray
        The same shape. Means of systems lie closer together, by the root of Erho^2, so that
        their variance is v_s, and not more by what chance adds on these topics; the rest is wider,
        by the root of T / (T - 1), so that its variance over these T topics is v_st.
    """
    topics = scores.shape[1]
    squares = mean_squares(scores)
    kept = np.sqrt(np.nan_to_num(reliability(relative_signal(squares), topics)))
    of_topic = scores.mean(axis=0)
    of_system = (scores.mean(axis=1) - of_topic.mean(axis=0))[:, np.newaxis]
    rest = scores - of_topic - of_system
    return np.asarray(of_topic + kept * of_system + np.sqrt(topics / (topics - 1)) * rest)


def reliability(signal: Array, topics: Array | float) -> Array:
    """Return the reliability of means over some number of topics, 0 to 1, given a signal.

    Erho^2 of the relative signal, Phi of the absolute one.
    """
    return np.asarray(1 - 1 / (1 + topics * signal))


def topics_for(reliable: float, signal: Array) -> Array:
    """Return the least number of topics with some reliability; infinite without a signal."""
    with np.errstate(divide="ignore"):
        exact: Array = reliable / (1 - reliable) / signal
    # Rounded, because .95 / .05 is above 19.
    least: Array = np.maximum(np.ceil(np.round(exact, 9)), 1)
    return least
