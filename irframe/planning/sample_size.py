"""The least number of topics with which a difference is significant, or an interval is narrow."""

from collections.abc import Callable

import numpy as np
import scipy

from irframe.arrays import Array

FEWEST = 2
"""Topics that have a variance."""


def topics_for_t(difference: float, variance: Array, *, power: float, alpha: float) -> Array:
    """Return the topics with which a paired t-test finds a difference with some power.

    Parameters
    ----------
    difference
        Of means, above 0.
    variance
        Of the differences of the two systems, any shape.
    power, alpha
        Between 0 and 1.
    """
    return _topics_for_f(difference**2, variance, systems=2, alike=1, power=power, alpha=alpha)


def topics_for_margin(margin: float, variance: Array, *, power: float, alpha: float) -> Array:
    """Return the topics with which two systems alike are shown to be not worse by a margin.

    Parameters
    ----------
    margin
        How much worse does not matter, above 0.
    variance
        Of the differences of the two systems, any shape.
    power, alpha
        Between 0 and 1.
    """
    with np.errstate(divide="ignore"):
        effect = margin / np.sqrt(variance)

    def reached(topics: Array, place: Array) -> Array:
        critical = -scipy.special.stdtrit(topics - 1, alpha)
        missed = scipy.special.nctdtr(
            topics - 1, np.sqrt(topics) * np.take(effect, place), critical
        )
        return np.asarray(missed <= 1 - power)

    enough = scipy.special.ndtri(1 - alpha) + scipy.special.ndtri(power)
    return _least(reached, (max(enough, 0.0) / effect) ** 2)


def topics_for_anova(
    difference: float, variance: Array, *, systems: int, power: float, alpha: float
) -> Array:
    """Return the topics with which a one-way analysis of variance finds that systems differ.

    Parameters
    ----------
    difference
        Of the means of the best and the worst system, above 0; others lie in the middle.
    variance
        Of the scores of a system, any shape.
    systems
        How many, at least 2.
    power, alpha
        Between 0 and 1.
    """
    spread = difference**2 / 2
    return _topics_for_f(spread, variance, systems=systems, alike=systems, power=power, alpha=alpha)


def topics_for_width(width: float, variance: Array, *, alpha: float) -> Array:
    """Return the topics with which an interval is expected to be no wider than this.

    Parameters
    ----------
    width
        From end to end, above 0.
    variance
        Of the differences of the two systems, any shape.
    alpha
        One minus the confidence level.
    """
    with np.errstate(divide="ignore"):
        half = width / 2 / np.sqrt(variance)

    def reached(topics: Array, place: Array) -> Array:
        df = topics - 1
        unbiased = scipy.special.poch(df / 2, 0.5) / np.sqrt(df / 2)
        quantile = -scipy.special.stdtrit(df, alpha / 2)
        return np.asarray(quantile * unbiased / np.sqrt(topics) <= np.take(half, place))

    return _least(reached, (scipy.special.ndtri(alpha / 2) / half) ** 2)


def _topics_for_f(
    effect: float, variance: Array, *, systems: int, alike: int, power: float, alpha: float
) -> Array:
    """Return the topics that an F-test needs if each adds ``effect / variance`` of noncentrality.

    With n topics it has ``systems - 1`` and ``alike (n - 1)`` degrees of freedom.
    """
    df = systems - 1
    with np.errstate(divide="ignore"):
        signal = effect / variance

    def reached(topics: Array, place: Array) -> Array:
        rest = alike * (topics - 1)
        critical = scipy.special.fdtri(df, rest, 1 - alpha)
        missed = scipy.special.ncfdtr(df, rest, topics * np.take(signal, place), critical)
        return np.asarray(missed <= 1 - power)

    with_any = scipy.special.chndtrinc(scipy.special.chdtri(df, alpha), df, 1 - power)
    return _least(reached, np.asarray(max(with_any, 0) / signal))


def _least(reached: Callable[[Array, Array], Array], start: Array) -> Array:
    """Return the least numbers that reach what is wanted, at or above some that may not.

    Parameters
    ----------
    reached
        Takes numbers and where they stand, tells which of them suffice.
    start
        Lower bounds, any shape; NaN stays NaN, and 0 suffices.
    """
    found: Array = np.maximum(np.ceil(np.ravel(start) - 1e-9), FEWEST)
    short = np.flatnonzero(np.ravel(start) > 0)
    while len(short):
        short = short[~reached(found[short], short)]
        found[short] += 1
    return found.reshape(np.shape(start))
