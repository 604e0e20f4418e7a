"""Effect sizes, equivalence tests, power, and prediction-powered means."""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.arrays import Ends, Flags, Floats, Ints
from irframe.paired.pairs import groups

EFFECTS = ("hedges_g", "g_low", "g_high")
"""Names of the comparison columns with the effect size and its confidence interval."""
NEAR_ZERO = 2.0
"""Limit of |t| below which scipy's inverse of the noncentral t distribution is inaccurate."""


def hedges(
    effect_size: Floats,
    topics: Ints,
    *,
    alpha: float,
    t: Floats | None = None,
    df: Floats | None = None,
) -> tuple[Floats, ...]:
    """Return Hedges' g of paired differences with its interval.

    Parameters
    ----------
    effect_size
        Effect size d, the mean difference divided by the standard deviation of the differences, in
        any shape.
    topics
        Number of topics n, an array of the shape of `effect_size`.
    alpha
        One minus the confidence level.
    t, df
        Test statistic t, and the degrees of freedom of t. The defaults are ``d sqrt(n)`` and n - 1.
        With repeats or clusters of topics, both arguments are required.

    Returns
    -------
    tuple of numpy.ndarray
        g, and the lower and upper ends of its confidence interval. All three arrays are NaN for
        fewer than three topics, and for constant differences.

    Notes
    -----
    ``g = d (1 - 3 / (4 (n - 1) - 1))``. The interval of the noncentrality parameter contains the
    values for which t is between the alpha/2 and the 1 - alpha/2 quantile of the noncentral t
    distribution. The interval of g is the interval of the noncentrality parameter, multiplied by g
    / t.

    References
    ----------
    .. [1] Hedges. Distribution theory for Glass's estimator of effect size and related estimators.
       Journal of Educational Statistics 6, 1981. doi:10.3102/10769986006002107

    Examples
    --------
    >>> g, low, high = hedges(np.array([0.5]), np.array([20]), alpha=0.05)
    >>> g.round(3).item(), low.round(3).item(), high.round(3).item()
    (0.48, 0.027, 0.922)
    """
    df = np.subtract(topics, 1) if df is None else df
    with np.errstate(divide="ignore", invalid="ignore"):
        # for two topics the factor would be 0, which would make every effect size 0
        factor = np.where(topics > 2, 1 - 3 / (4 * (topics - 1) - 1), np.nan)
        d = np.where(np.isfinite(effect_size), effect_size, np.nan)
        plain = d * np.sqrt(topics)
        scale = factor / np.sqrt(topics)
        if t is not None:
            scale = scale * np.where(t == 0, 1.0, plain / t)
        t = plain if t is None else t
        ends = (_noncentrality(df, p, t) for p in (1 - alpha / 2, alpha / 2))
        low, high = (np.where(np.isnan(d), np.nan, end * scale) for end in ends)
    return d * factor, low, high


def _noncentrality(df: Floats, p: float, t: Floats) -> Floats:
    """Return the noncentrality parameter for which t is the p-quantile."""
    small = np.clip(t, -NEAR_ZERO, NEAR_ZERO)
    step = 1e-4
    near = small - scipy.special.ndtri(p)
    for _ in range(8):  # Newton's method, because scipy's inverse rounds t near 0 to 0
        below, at, above = (scipy.special.nctdtr(df, near + by, small) for by in (-step, 0, step))
        near = near - (at - p) * 2 * step / (above - below)
    return np.asarray(np.where(np.abs(t) < NEAR_ZERO, near, scipy.special.nctdtrinc(df, p, t)))


def within_margin(
    mean: Floats,
    sd: Floats,
    topics: int | Ints,
    margin: float | Floats,
    freedom: Floats | None = None,
) -> Ends:
    """Test non-inferiority and equivalence of paired differences.

    Parameters
    ----------
    mean, sd
        Mean and standard deviation of the differences, in any shape. Positive differences are
        improvements.
    topics
        Number of topics, at least 1.
    margin
        Margin, above 0, in the unit of the differences.
    freedom
        Degrees of freedom. The default is topics - 1.

    Returns
    -------
    not_worse, equivalent : numpy.ndarray
        p-values of the test of non-inferiority, and of the test of equivalence. The p-values are
        NaN for constant differences.

    Notes
    -----
    Let T have Student's distribution with n - 1 degrees of freedom. The p-value of non-inferiority
    is ``P(T >= (mean + margin) / (sd / sqrt(n)))``. The p-value of equivalence is the larger of
    this p-value and ``P(T <= (mean - margin) / (sd / sqrt(n)))``. The test of equivalence is the
    procedure of two one-sided tests (TOST).

    References
    ----------
    .. [1] Schuirmann. A comparison of the two one-sided tests procedure and the power approach for
       assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and
       Biopharmaceutics 15, 1987. doi:10.1007/BF01068419

    Examples
    --------
    >>> not_worse, equivalent = within_margin(np.array([0.0]), np.array([0.1]), 25, 0.05)
    >>> not_worse.round(4), equivalent.round(4)
    (array([0.0098]), array([0.0098]))
    """
    df = np.subtract(topics, 1) if freedom is None else freedom
    error = np.where(np.greater(sd, 0), sd, np.nan) / np.sqrt(topics)
    gaps = mean + margin, margin - mean
    above, below = (scipy.special.stdtr(df, -gap / error) for gap in gaps)
    return above, np.maximum(above, below)


def missed_one_sided(lead: Floats, df: Floats, *, alpha: float) -> Floats:
    """Return the type II error rate of one-sided t-tests.

    `lead` is the true mean difference, divided by its standard error.
    """
    critical = -scipy.special.stdtrit(df, alpha)
    share = scipy.special.nctdtr(df, lead, critical)
    return np.asarray(np.nan_to_num(share))  # for leads above 30 scipy returns NaN instead of 0


def _detectable_in_errors(df: float, power: float, alpha: float) -> float:
    """Return the detectable difference in units of standard errors."""
    if not df > 0:
        return np.nan
    # the square of t has an F distribution, whose upper tail contains both tails of t
    critical = scipy.special.fdtri(1, df, 1 - alpha)

    def missing(true: float) -> float:
        return float(power - 1 + scipy.special.ncfdtr(1, df, true**2, critical))

    last = 4.0
    while missing(last) > 0:
        last *= 2
    return float(scipy.optimize.brentq(missing, 0.0, last, xtol=1e-10))


def detectable(
    sd: Floats, topics: Ints, *, power: float, alpha: float, freedom: Floats | None = None
) -> Floats:
    """Return the smallest difference that two-sided t-tests detect.

    Parameters
    ----------
    sd
        Standard deviation of the differences. The result is NaN if the standard deviation is 0.
    topics
        Number of topics n, an array of the shape of `sd`.
    power, alpha
        Power and significance level of the test.
    freedom
        Degrees of freedom. The default is topics - 1.

    Examples
    --------
    >>> detectable(np.array([0.2]), np.array([50]), power=0.8, alpha=0.05).round(4)
    array([0.0808])
    """
    df = np.subtract(topics, 1) if freedom is None else freedom
    values, index = np.unique(df, return_inverse=True)
    factors = np.array(
        [_detectable_in_errors(float(value), power, alpha) for value in values], np.float64
    )
    times = factors[index].reshape(np.shape(df))
    return times * np.where(np.greater(sd, 0), sd, np.nan) / np.sqrt(topics)


BLOCK = 1 << 20
"""Maximum number of differences that are in memory at a time."""


class Powered(NamedTuple):
    """Prediction-powered means with standard errors and weights.

    Parameters
    ----------
    estimate
        The means.
    error
        Standard errors of the means, which ignore the uncertainty of the weight.
    jackknife
        Standard errors of the means by the jackknife, which include the uncertainty of the weight.
    weight
        Weight of the scores under cheap judgments, from 0 to 1.

    Examples
    --------
    >>> Powered(estimate=0.5, error=0.1, jackknife=0.1, weight=0.0).estimate
    0.5
    """

    estimate: Floats
    error: Floats
    jackknife: Floats
    weight: Floats


def power(cheap: Floats, human: Floats, counted: Flags, judged: Flags) -> Powered:
    """Estimate means from cheap and human judgments.

    Cheap judgments are, for example, those of a language model. The prediction-powered mean
    combines scores under cheap judgments of many topics with scores under human judgments of some
    topics.

    Parameters
    ----------
    cheap, human
        Scores under cheap judgments and under human judgments, shape (..., topic, depth). Human
        scores of topics outside `judged` are ignored.
    counted
        Whether each topic is included in the mean of the scores under cheap judgments, shape
        (topic, depth).
    judged
        Whether each topic has a score under human judgments besides its score under cheap
        judgments, shape (topic, depth).

    Returns
    -------
    Powered
        Arrays of shape (..., depth).

    Notes
    -----
    Let f be the scores under cheap judgments on N topics, and y the scores under human judgments on
    n topics. The estimate is ``w mean_N(f) + mean_n(y - w f)``, with variance ``w^2 var_N(f) / N +
    var_n(y - w f) / n``. The weight w with the smallest variance is ``cov_n(y, f) / ((1 + n / N)
    var(f))``, clipped to [0, 1]. Here var(f) is the variance over the N and the n topics together.

    The jackknife leaves out each topic with human scores in turn, and estimates the weight again.
    Each topic without a human score adds the constant ``w^2 var(f) / N^2`` to the variance.

    Examples
    --------
    >>> cheap = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> both = np.array([[True], [True], [False], [False]])
    >>> powered = power(cheap, cheap + 0.5, ~both, both)
    >>> powered.estimate.item(), powered.weight.item()
    (1.0, 0.375)
    """
    sampled = judged.any(axis=1)
    in_sample = judged[sampled]
    in_both = (judged & counted)[sampled]
    n = in_sample.sum(axis=0).astype(float)
    n_cheap = counted.sum(axis=0).astype(float)
    mean_y, y = _centred(human[..., sampled, :], in_sample)
    mean_f, f = _centred(cheap[..., sampled, :], in_sample)
    mean_all, centred = _centred(cheap, counted)
    sums = (y * f).sum(axis=-2), (f * f).sum(axis=-2), (centred * centred).sum(axis=-2)
    weight, spread = _weight(*sums, mean_f - mean_all, n, n_cheap)
    residual = ((y - _wide(weight) * f) ** 2).sum(axis=-2) / n**2
    # each element of the arrays below leaves out one topic, in closed form instead of a loop
    n_1 = n - 1
    n_cheap_1 = np.where(in_both, n_cheap - 1, n_cheap)
    removed = np.where(in_both, f + _wide(mean_f - mean_all), 0.0)
    gap = _wide(mean_f - mean_all) - f / n_1 + removed / n_cheap_1
    moments = _wide(sums[0]) - n / n_1 * y * f, _wide(sums[1]) - n / n_1 * f * f
    total = _wide(sums[2]) - n_cheap / n_cheap_1 * removed**2
    without = -y / n_1 - _weight(*moments, total, gap, n_1, n_cheap_1)[0] * gap
    deviation = np.where(in_sample, without - _wide(_mean(without, in_sample)), 0.0)
    cheap_only = weight**2 * spread * (n_cheap - in_both.sum(axis=0)) / n_cheap**2
    return Powered(
        estimate=weight * mean_all + mean_y - weight * mean_f,
        error=np.sqrt(residual + weight**2 * sums[2] / n_cheap**2),
        jackknife=np.sqrt((deviation**2).sum(axis=-2) * n_1 / n + cheap_only),
        weight=weight,
    )


def power_pairs(
    cheap: Floats, human: Floats, counted: Flags, judged: Flags, pairs: Ints
) -> Powered:
    """Estimate mean differences of pairs from cheap and human judgments.

    Parameters
    ----------
    cheap, human
        Scores under cheap judgments and under human judgments, shape (system, topic, depth).
    counted, judged
        See `power`.
    pairs
        Indices of systems, shape (pair, 2).

    Returns
    -------
    Powered
        The result of `power` for the differences of scores, with arrays of shape (pair, depth).

    Examples
    --------
    >>> cheap = np.array([[[0.0], [1.0], [0.0], [1.0]], [[0.0], [0.0], [0.0], [0.0]]])
    >>> both = np.array([[True], [True], [False], [False]])
    >>> power_pairs(cheap, cheap, ~both, both, np.array([[0, 1]])).estimate.item()
    0.5
    """
    estimates = []
    for block in groups(len(pairs), max(1, BLOCK // cheap[0].size)):
        first, second = pairs[block].T
        model, people = (scores[first] - scores[second] for scores in (cheap, human))
        estimates.append(power(model, people, counted, judged))
    return Powered(*map(np.concatenate, zip(*estimates, strict=True)))


def _weight(
    products: Floats, squares: Floats, total: Floats, gap: Floats, n: Floats, n_cheap: Floats
) -> Ends:
    """Return the weight of the cheap judgments, and var(f).

    `products` and `squares` are sums of y f and f^2 over the n topics with human scores. `total` is
    the sum of f^2 over the N topics. `gap` is the mean of f over the n topics minus its mean over
    the N topics. The variance has two terms for each topic that is in both samples.
    """
    spread = (squares + total + n * n_cheap / (n + n_cheap) * gap**2) / (n + n_cheap - 1)
    below = n * (1 + n / n_cheap) * spread
    share = np.divide(products, below, out=np.zeros_like(products), where=below > 0)
    return np.clip(share, 0, 1), spread


def _centred(values: Floats, where: Flags) -> Ends:
    """Return means over selected topics, and deviations from the means."""
    mean = _mean(values, where)
    return mean, np.where(where, values - _wide(mean), 0.0)


def _mean(values: Floats, where: Flags) -> Floats:
    """Return the mean over selected topics, shape (..., depth)."""
    return np.asarray(np.where(where, values, 0.0).sum(axis=-2) / where.sum(axis=0))


def _wide(values: Floats) -> Floats:
    return values[..., np.newaxis, :]
