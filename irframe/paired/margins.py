"""Margins of equivalence, Welch's analysis of variance, and prediction-powered means."""

from typing import Any, NamedTuple

import numpy as np
import scipy

from irframe.arrays import Ends, Flags, Floats, Ints
from irframe.paired.pairs import groups

EFFECTS = ("hedges_g", "g_low", "g_high")
"""Further columns of a comparison with effect sizes."""
NEAR_ZERO = 2.0
"""Of t, below which scipy does not invert the noncentral distribution well."""


def hedges(
    effect_size: Floats, topics: Ints, *, alpha: float, t: Floats | None = None, df: Any = None
) -> tuple[Floats, ...]:
    """Return Hedges' g of paired differences, and its interval.

    Parameters
    ----------
    effect_size
        Mean difference in units of the standard deviation of the differences.
    topics
        How many there are, of the same shape.
    alpha
        One minus the confidence level.
    t, df
        The statistic that the interval stands beside, and its degrees of freedom, where these are
        not ``d sqrt(n)`` and n - 1, as repeats or clusters of topics are counted.

    Returns
    -------
    tuple of numpy.ndarray
        g and the ends of its interval; NaN with one topic and where there is no spread.

    Notes
    -----
    ``g = d (1 - 3 / (4 (n - 1) - 1))``; the interval holds the noncentralities of Student's
    distribution under which t is neither too small nor too large, by what g has of t.

    References
    ----------
    .. [1] Hedges. Distribution theory for Glass's estimator of effect size and related estimators.
       Journal of Educational Statistics 6, 1981. doi:10.3102/10769986006002107

    Examples
    --------
    >>> [part.round(3).tolist() for part in hedges(np.array([0.5]), np.array([20]), alpha=0.05)]
    [[0.48], [0.027], [0.922]]
    """
    df = topics - 1 if df is None else df
    with np.errstate(divide="ignore", invalid="ignore"):
        # With two topics the factor would be 0, and every effect none.
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


def _noncentrality(df: Ints, p: float, t: Floats) -> Floats:
    """Return the noncentrality under which Student's t is below t with probability p."""
    small, step = np.clip(t, -NEAR_ZERO, NEAR_ZERO), 1e-4
    near = small - scipy.special.ndtri(p)
    for _ in range(8):  # of Newton, as scipy's inverse takes a t near 0 for 0
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
    not_worse, equivalent : numpy.ndarray
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
    """Return how often a one-sided t-test does not find what is so many standard errors above."""
    critical = -scipy.special.stdtrit(df, alpha)
    share = scipy.special.nctdtr(df, lead, critical)
    return np.asarray(np.nan_to_num(share))  # from 30 on scipy gives NaN next to 0


def _detectable_in_errors(df: float, power: float, alpha: float) -> float:
    """Return the difference, in standard errors, that a two-sided t-test finds so often."""
    if not df > 0:
        return np.nan
    # The square of t is an F, of which one tail is both tails of t.
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
    counts, place = np.unique(df, return_inverse=True)
    factors = np.array(
        [_detectable_in_errors(float(count), power, alpha) for count in counts], np.float64
    )
    times = factors[place].reshape(np.shape(df))
    return times * np.where(np.greater(sd, 0), sd, np.nan) / np.sqrt(topics)


BLOCK = 1 << 20
"""Differences that are held at a time."""


class Powered(NamedTuple):
    """Prediction-powered means.

    Parameters
    ----------
    estimate
        The means.
    error
        Their standard errors, as of a weight that was known before.
    jackknife
        Their standard errors where it is known that the weight is estimated, too.
    weight
        What the cheap scores count for, from 0 to 1.

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
    """Estimate means from cheap scores everywhere and people's somewhere.

    Parameters
    ----------
    cheap, human
        Scores, shape (..., topic, depth); people's may be anything where they have not judged.
    counted
        The topics whose cheap scores are averaged, shape (topic, depth).
    judged
        The topics with scores of both kinds, shape (topic, depth).

    Returns
    -------
    Powered
        Shape (..., depth) each.

    Notes
    -----
    With f the cheap scores, y people's, N and n the topics of each: ``w mean_N(f) + mean_n(y - w
    f)``, of variance ``w^2 var_N(f) / N + var_n(y - w f) / n``; the weight that makes it least is
    ``cov_n(y, f) / ((1 + n / N) var(f))``, var(f) over both samples together, clipped to [0, 1].

    The jackknife leaves out one topic that people judged after the other, from all that it counts
    in, and finds the weight anew; topics of cheap scores alone add ``w^2 var(f)`` for each.

    Examples
    --------
    >>> cheap = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> both = np.array([[True], [True], [False], [False]])
    >>> found = power(cheap, cheap + 0.5, ~both, both)
    >>> found.estimate.item(), found.weight.item()
    (1.0, 0.375)
    """
    sampled = judged.any(axis=1)
    here, again = judged[sampled], (judged & counted)[sampled]
    n, every = here.sum(axis=0).astype(float), counted.sum(axis=0).astype(float)
    mean_y, y = _centred(human[..., sampled, :], here)
    mean_f, f = _centred(cheap[..., sampled, :], here)
    mean_all, rest = _centred(cheap, counted)
    sums = (y * f).sum(axis=-2), (f * f).sum(axis=-2), (rest * rest).sum(axis=-2)
    weight, spread = _weight(*sums, mean_f - mean_all, n, every)
    left = ((y - _wide(weight) * f) ** 2).sum(axis=-2) / n**2
    # What is left without each topic.
    fewer, less = n - 1, np.where(again, every - 1, every)
    back = np.where(again, f + _wide(mean_f - mean_all), 0.0)
    apart = _wide(mean_f - mean_all) - f / fewer + back / less
    grown = n / fewer
    parts = _wide(sums[0]) - grown * y * f, _wide(sums[1]) - grown * f * f
    total = _wide(sums[2]) - every / less * back**2
    without = -y / fewer - _weight(*parts, total, apart, fewer, less)[0] * apart
    about = np.where(here, without - _wide(_mean(without, here)), 0.0)
    alone = weight**2 * spread * (every - again.sum(axis=0)) / every**2
    return Powered(
        estimate=weight * mean_all + mean_y - weight * mean_f,
        error=np.sqrt(left + weight**2 * sums[2] / every**2),
        jackknife=np.sqrt((about**2).sum(axis=-2) * fewer / n + alone),
        weight=weight,
    )


def power_pairs(
    cheap: Floats, human: Floats, counted: Flags, judged: Flags, pairs: Ints
) -> Powered:
    """Estimate differences of the means of pairs of systems.

    Parameters
    ----------
    cheap, human
        Scores, shape (system, topic, depth).
    counted, judged
        As for `power`.
    pairs
        Positions of systems, shape (pair, 2).

    Returns
    -------
    Powered
        Shape (pair, depth) each: what `power` says of the differences of scores.

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
    products: Floats, squares: Floats, total: Floats, apart: Floats, n: Floats, every: Floats
) -> Ends:
    """Return the weight, and the variance of cheap scores over both samples.

    From sums over n topics of products with people's scores and of squares, over all of squares,
    and how far the means of the two samples are apart; a topic in both counts twice.
    """
    spread = (squares + total + n * every / (n + every) * apart**2) / (n + every - 1)
    below = n * (1 + n / every) * spread
    share = np.divide(products, below, out=np.zeros_like(products), where=below > 0)
    return np.clip(share, 0, 1), spread


def _centred(values: Floats, where: Flags) -> Ends:
    """Return means over some topics, and values less these, 0 elsewhere."""
    mean = _mean(values, where)
    return mean, np.where(where, values - _wide(mean), 0.0)


def _mean(values: Floats, where: Flags) -> Floats:
    """Return the mean over some topics, shape (..., depth)."""
    return np.asarray(np.where(where, values, 0.0).sum(axis=-2) / where.sum(axis=0))


def _wide(values: Floats) -> Floats:
    return values[..., np.newaxis, :]
