"""Hedges' g: how large differences are beside their spread, with an interval."""

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.scores.scores import Arrays

EFFECTS = ("hedges_g", "g_low", "g_high")
"""Further columns of a comparison with effect sizes."""


def hedges(effect_size: Array, topics: Array, *, alpha: float) -> Arrays:
    """Return Hedges' g of paired differences, and its interval.

    Parameters
    ----------
    effect_size
        Mean difference in units of the standard deviation of the differences.
    topics
        How many there are, of the same shape.
    alpha
        One minus the confidence level.

    Returns
    -------
    tuple of numpy.ndarray
        g and the ends of its interval; NaN with one topic and where there is no spread.

    Notes
    -----
    ``g = d (1 - 3 / (4 (n - 1) - 1))``; the interval holds the noncentralities of Student's
    distribution under which ``d sqrt(n)`` is neither too small nor too large.

    References
    ----------
    .. [1] Hedges. Distribution theory for Glass's estimator of effect size and related estimators.
       Journal of Educational Statistics 6, 1981. doi:10.3102/10769986006002107

    Examples
    --------
    >>> [part.round(3).tolist() for part in hedges(np.array([0.5]), np.array([20]), alpha=0.05)]
    [[0.48], [0.027], [0.922]]
    """
    df = topics - 1
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(df > 1, 1 - 3 / (4 * df - 1), np.nan)
        d = np.where(np.isfinite(effect_size), effect_size, np.nan)
        t, scale = d * np.sqrt(topics), factor / np.sqrt(topics)
        ends = (scipy.special.nctdtrinc(df, p, t) for p in (1 - alpha / 2, alpha / 2))
        low, high = (np.where(np.isnan(d), np.nan, end * scale) for end in ends)
    return d * factor, low, high
