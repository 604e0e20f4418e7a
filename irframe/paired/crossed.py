"""Variances of mean differences of scores over topics and repeats.

A repeat is one of several runs of the same system, such as runs with different seeds. A list
contains the scores of one repeat of a system on all topics. Repeats are either separate for each
system, or shared by all systems.
"""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.arrays import Ends, Floats, Ints
from irframe.paired.differences import PairedResult, moments, ratio
from irframe.paired.pairs import in_blocks, products


class RepeatAnova(NamedTuple):
    """Analysis of variance of each system's topic x repeat table.

    The variances have the shape (system, depth).
    """

    topic: Floats
    """Variance over topics of the means over repeats, divided by the number of topics T."""
    repeat: Floats
    """Variance over repeats of the means over topics, divided by the number of repeats R."""
    residual: Floats
    """Residual mean square, divided by T R. The residual variance is a part of `topic` and of
    `repeat`."""
    repeats: Ints
    """Number of repeats of each system, shape (system, 1)."""
    topics: int
    means: Floats
    """Means over repeats, shape (system, topic, depth)."""


class Crossed(NamedTuple):
    """Mean differences of pairs, with variances and degrees of freedom.

    All arrays have the shape (pair, depth).

    Parameters
    ----------
    mean
        Mean difference a - b over topics and repeats.
    variance
        Variance of the mean difference.
    freedom
        Satterthwaite's degrees of freedom, at least 1. The degrees of freedom are NaN if the
        variance is 0.
    share
        Share of the variance that is due to repeats, from 0 to 1.
    """

    mean: Floats
    variance: Floats
    freedom: Floats
    share: Floats

    def test(self) -> PairedResult:
        """Return t-statistics and two-sided p-values.

        Examples
        --------
        >>> difference = Crossed(*(np.array([value]) for value in (0.4, 0.04, 10.0, 0.5)))
        >>> difference.test().p.round(4)
        array([0.0734])
        """
        t = ratio(self.mean, np.sqrt(self.variance))
        # For t = 0 the degrees of freedom may be NaN, and any number of degrees of freedom gives p
        # = 1.
        p = 2 * scipy.special.stdtr(np.where(t == 0, 1.0, self.freedom), -abs(t))
        return PairedResult(t, p).decided()

    def interval(self, *, alpha: float) -> Ends:
        """Return confidence intervals of the mean differences.

        An interval is NaN if the variance is 0.
        """
        error = np.sqrt(np.where(self.variance > 0, self.variance, np.nan))
        half = -scipy.special.stdtrit(self.freedom, alpha / 2) * error
        return self.mean - half, self.mean + half


def crossed(
    lists: Floats, owner: Ints, pairs: Ints, *, shared: bool = False, over: str = "both"
) -> Crossed:
    """Return mean differences with variances over topics and repeats.

    Parameters
    ----------
    lists
        Scores without NaN, shape (list, topic, depth). The lists of each system are consecutive.
    owner
        Index of the system of each list, starting at 0, in ascending order.
    pairs
        Indices of systems, shape (pair, 2).
    shared
        Whether repeats are shared by all systems. If True, all systems have the same repeats in the
        same order.
    over
        Random effects. ``"both"`` generalises to new topics and new repeats, ``"topic"`` to new
        topics with the same repeats, and ``"repeat"`` to new repeats on the same topics.

    Returns
    -------
    Crossed
        Arrays of shape (pair, depth).

    Notes
    -----
    ``V_T`` is the variance over T topics of the difference of means over repeats, divided by T.
    ``V_R`` is the variance over R repeats of the means over topics, divided by R and summed over
    the two systems. ``V_E`` is the residual mean square of the table of topics x repeats, divided
    by T R and summed over the two systems. If repeats are shared, V_R and V_E are computed from the
    differences of scores instead. Both V_T and V_R contain V_E, so the variance of the mean
    difference is ``V = max(V_T + V_R - V_E, V_T, V_R)``.

    Satterthwaite's degrees of freedom are ``V^2 / (V_T^2 / (T - 1) + sum v^2 / (R - 1) + sum e^2 /
    ((T - 1)(R - 1)))``, but at least 1. The sums are over the terms v of V_R and the terms e of
    V_E.

    References
    ----------
    .. [1] Clark. The language-as-fixed-effect fallacy: a critique of language statistics in
       psychological research. Journal of Verbal Learning and Verbal Behavior 12, 1973.
       doi:10.1016/S0022-5371(73)80014-3
    .. [2] Owen. The pigeonhole bootstrap. Annals of Applied Statistics 1, 2007.
       doi:10.1214/07-AOAS122
    .. [3] Satterthwaite. An approximate distribution of estimates of variance components.
       Biometrics Bulletin 2, 1946. doi:10.2307/3002019

    Examples
    --------
    >>> scores = np.array([[3.0, 5.0, 4.0], [5.0, 6.0, 4.0], [2.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
    >>> differences = crossed(scores[..., None], np.array([0, 0, 1, 1]), np.array([[0, 1]]))
    >>> differences.variance.round(3).item(), differences.freedom.round(2).item()
    (0.917, 2.78)
    """
    topics = lists.shape[1]
    analyse = _shared_repeats if shared else _separate_repeats
    mean, between, repeat, residual, squares = analyse(lists, owner, pairs)
    if over == "topic":
        total = between
        below = np.zeros_like(between)
    elif over == "repeat":
        total = repeat
        below = squares[0]
    else:
        # The variances over topics and over repeats both contain the residual, so the residual is
        # subtracted once. The true variance is at least as large as each of the two.
        total = np.maximum(between + repeat - residual, np.maximum(between, repeat))
        below = squares[0] + squares[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        if over != "repeat":
            below = below + between**2 / (topics - 1)
        # the total may be small relative to its terms, because the residual is subtracted
        freedom = np.where(total > 0, np.maximum(total**2 / below, 1.0), np.nan)
        share = repeat / (between + repeat)
    return Crossed(mean, total, freedom, share)


def table_of(lists: Floats, owner: Ints) -> RepeatAnova:
    """Return the analysis of variance of each system's scores.

    The parameters are those of `crossed`.

    Examples
    --------
    >>> scores = np.array([[3.0, 5.0, 4.0], [5.0, 6.0, 4.0]])[..., None]
    >>> anova = table_of(scores, np.array([0, 0]))
    >>> [variance.round(3).item() for variance in anova[:3]]
    [0.25, 0.25, 0.083]
    """
    counts = np.bincount(owner)
    ends = np.cumsum(counts)
    topics, depths = lists.shape[1:]
    variances = np.zeros((3, len(counts), depths))
    means = np.empty((len(counts), topics, depths))
    for system, (end, repeats) in enumerate(zip(ends, counts, strict=True)):
        table = lists[end - repeats : end]
        means[system] = by_topic = table[0] if repeats == 1 else table.mean(axis=0)
        mean = by_topic.mean(axis=0)
        variances[0, system] = _mean_square(by_topic - mean, topics - 1) / topics
        if repeats > 1:
            residuals = table - by_topic
            by_repeat = residuals.mean(axis=1)
            residuals -= by_repeat[:, np.newaxis]
            variances[1, system] = _mean_square(by_repeat, repeats - 1) / repeats
            squares = _mean_square(residuals.reshape(-1, depths), (topics - 1) * (repeats - 1))
            variances[2, system] = squares / (topics * repeats)
    topic, repeat, residual = variances
    return RepeatAnova(topic, repeat, residual, counts[:, np.newaxis], topics, means)


def one_sample(table: RepeatAnova, over: str = "both") -> Ends:
    """Return variances and degrees of freedom of system means.

    Both arrays have the shape (system, depth).

    Parameters
    ----------
    table
        Analysis of variance of the systems.
    over
        ``"both"`` or ``"repeat"``, see `crossed`. ``"repeat"`` needs at least two repeats.

    Notes
    -----
    The formulas are those of `crossed`, for a single system instead of a difference.
    """
    between, repeat, residual, repeats, topics, _ = table
    if over == "repeat":
        freedom = np.where(repeats > 1, repeats - 1.0, np.nan) + np.zeros_like(repeat)
        return repeat, freedom
    total = np.maximum(between + repeat - residual, np.maximum(between, repeat))
    with np.errstate(divide="ignore", invalid="ignore"):
        below = between**2 / (topics - 1) + _by_freedom(table).sum(axis=0)
        return total, np.where(total > 0, np.maximum(total**2 / below, 1.0), np.nan)


def _mean_square(values: Floats, freedom: int) -> Floats:
    """Return mean squares, NaN if `freedom` is 0."""
    squares = np.einsum("ij,ij->j", values, values)
    return squares / freedom if freedom else np.full_like(squares, np.nan)


def _by_freedom(table: RepeatAnova) -> Floats:
    """Return squared variances divided by their degrees of freedom.

    The result has the shape (2, system, depth). The first array is for repeats, the second for
    residuals.
    """
    df = np.maximum(table.repeats - 1, 1)
    return np.stack([table.repeat**2 / df, table.residual**2 / (max(table.topics - 1, 1) * df)])


def _differences(values: Floats, pairs: Ints) -> Ends:
    """Return mean differences and their variances, shape (pair, depth).

    Values have the shape (system, observation, depth).
    """
    mean, sd, _ = in_blocks(moments, values, pairs, dtypes=(np.float64,) * 3)
    return mean, sd**2 / values.shape[1]


def _separate_repeats(lists: Floats, owner: Ints, pairs: Ints) -> tuple[Floats, ...]:
    table = table_of(lists, owner)
    terms = table.repeat, table.residual, _by_freedom(table)
    sums = (term.take(pairs[:, 0], axis=-2) + term.take(pairs[:, 1], axis=-2) for term in terms)
    return *_differences(table.means, pairs), *sums


def _shared_repeats(lists: Floats, owner: Ints, pairs: Ints) -> tuple[Floats, ...]:
    topics, depths = lists.shape[1:]
    table = lists.reshape(owner.max() + 1, -1, topics, depths)
    repeats = table.shape[1]
    by_topic = table.mean(axis=1)
    _, repeat = _differences(table.mean(axis=2), pairs)
    centred = np.empty((depths, len(table), repeats, topics))
    for system, scores in enumerate(table):
        residuals = scores - by_topic[system]
        residuals -= residuals.mean(axis=1, keepdims=True)
        centred[:, system] = np.moveaxis(residuals, 2, 0)
    single, cross = products(centred.reshape(depths, len(table), repeats * topics), pairs)
    a, b = pairs.T
    # rounding errors in the subtraction may make a sum of squares negative
    squares = np.maximum(single[:, a] + single[:, b] - 2 * cross, 0).T
    freedom = max(topics - 1, 1) * (repeats - 1)
    residual = squares / freedom / (topics * repeats)
    terms = np.stack([repeat**2 / (repeats - 1), residual**2 / freedom])
    return *_differences(by_topic, pairs), repeat, residual, terms
