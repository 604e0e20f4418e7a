"""Welch's analysis of variance of groups whose means and spreads are known."""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["Anova", "welch"]


class Anova(NamedTuple):
    """Whether groups have the same mean."""

    statistic: FloatArray
    within: FloatArray
    """Degrees of freedom within groups; those between are one less than the groups."""
    p: FloatArray


def welch(mean: FloatArray, sd: FloatArray, n: IntArray) -> Anova:
    """Say whether groups differ in their means, whatever their spreads.

    Parameters
    ----------
    mean, sd, n
        Mean, standard deviation with n - 1, and size of each group, the groups first.

    Returns
    -------
    Anova
        Without the dimension of groups. All means the same without any spread: F = 0, p = 1. NaN
        where a group has no spread otherwise, or a single value.

    Notes
    -----
    With w = n / s^2, W their sum and m the mean of means by w, of k groups:
    ``F = sum w (mean - m)^2 / (k - 1) / (1 + 2 (k - 2) h / (k^2 - 1))`` with
    ``h = sum (1 - w / W)^2 / (n - 1)``, on k - 1 and ``(k^2 - 1) / (3 h)`` degrees of freedom.

    References
    ----------
    .. [1] Welch. On the comparison of several mean values: an alternative approach. Biometrika
       38, 1951. doi:10.1093/biomet/38.3-4.330

    Examples
    --------
    >>> found = welch(np.array([0.1, 0.3]), np.array([0.1, 0.2]), np.array([10, 20]))
    >>> round(float(found.statistic), 3), round(float(found.p), 4)
    (13.333, 0.0011)
    """
    k = len(mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        weight = n / sd**2
        share = weight / weight.sum(axis=0)
        h = ((1 - share) ** 2 / (n - 1)).sum(axis=0)
        apart = (weight * (mean - (share * mean).sum(axis=0)) ** 2).sum(axis=0) / (k - 1)
        statistic = apart / (1 + 2 * (k - 2) * h / (k**2 - 1))
        within = (k**2 - 1) / (3 * h)
        p = scipy.special.fdtrc(k - 1, within, statistic)
    same = (mean == mean[:1]).all(axis=0)
    flat = (sd == 0).all(axis=0)
    statistic = np.where(flat, np.where(same, 0.0, np.nan), statistic)
    return Anova(statistic, within, np.where(flat, np.where(same, 1.0, np.nan), p))
