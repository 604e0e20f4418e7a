"""Whether a system is not worse than another by more than a margin, or as good within it."""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["Within", "detectable", "noncentrality", "within_margin"]


class Within(NamedTuple):
    """One-sided evidence against a margin, p-values."""

    not_worse: FloatArray
    equivalent: FloatArray


def within_margin(
    mean: FloatArray,
    sd: FloatArray,
    topics: int | IntArray,
    margin: float,
    freedom: FloatArray | None = None,
) -> Within:
    """Test paired differences against a margin.

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the differences, higher is better; any shape.
    topics
        How many there are, at least 1.
    margin
        Above 0, in the units of the mean.
    freedom
        Degrees of freedom; by default one less than topics.

    Returns
    -------
    Within
        p of "not worse", against a true difference of -margin or less, and p of "equivalent", the
        larger one of that and of its mirror image. NaN where all differences are the same, from
        which nothing follows for other topics.

    Notes
    -----
    ``P(T >= (mean + margin) / (sd / sqrt(n)))`` and ``P(T <= (mean - margin) / (sd / sqrt(n)))``,
    T of Student's distribution with n - 1 degrees of freedom: two one-sided tests.

    References
    ----------
    .. [1] Schuirmann. A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and
       Biopharmaceutics 15, 1987. doi:10.1007/BF01068419

    Examples
    --------
    >>> found = within_margin(np.array([0.0]), np.array([0.1]), 25, 0.05)
    >>> found.not_worse.round(4), found.equivalent.round(4)
    (array([0.0098]), array([0.0098]))
    """
    df = np.subtract(topics, 1) if freedom is None else freedom
    error = np.where(np.greater(sd, 0), sd, np.nan) / np.sqrt(topics)
    gaps = mean + margin, margin - mean
    above, below = (scipy.special.stdtr(df, -gap / error) for gap in gaps)
    return Within(above, np.maximum(above, below))


def noncentrality(freedom: FloatArray, *, power: float, alpha: float) -> FloatArray:
    """Return the true difference, in standard errors, that a two-sided t-test finds so often.

    Parameters
    ----------
    freedom
        Degrees of freedom, any shape.
    power
        How often, above alpha and below 1.
    alpha
        Significance level.

    Examples
    --------
    >>> noncentrality(np.array([0, 24, 49]), power=0.8, alpha=0.05).round(3)
    array([  nan, 2.92 , 2.858])
    """
    counts, place = np.unique(freedom, return_inverse=True)
    each = [_found(float(df), power, alpha) for df in counts]
    return np.asarray(each, np.float64)[place].reshape(np.shape(freedom))


def _found(df: float, power: float, alpha: float) -> float:
    if not df > 0:
        return np.nan
    critical = scipy.special.fdtri(1, df, 1 - alpha)

    def missing(true: float) -> float:
        return float(power - 1 + scipy.special.ncfdtr(1, df, true**2, critical))

    last = 4.0
    while missing(last) > 0:
        last *= 2
    return float(scipy.optimize.brentq(missing, 0.0, last, xtol=1e-10))


def detectable(
    sd: FloatArray,
    topics: IntArray,
    *,
    power: float,
    alpha: float,
    freedom: FloatArray | None = None,
) -> FloatArray:
    """Return the smallest true difference that a two-sided t-test finds so often.

    Parameters
    ----------
    sd
        Standard deviation of the differences; where it is 0 nothing follows.
    topics
        How many there are, of the shape of `sd`.
    power, alpha
        As for `noncentrality`.
    freedom
        Degrees of freedom; by default one less than topics.

    Examples
    --------
    >>> detectable(np.array([0.2]), np.array([50]), power=0.8, alpha=0.05).round(4)
    array([0.0808])
    """
    df = np.subtract(topics, 1) if freedom is None else freedom
    times = noncentrality(df, power=power, alpha=alpha)
    return times * np.where(np.greater(sd, 0), sd, np.nan) / np.sqrt(topics)
