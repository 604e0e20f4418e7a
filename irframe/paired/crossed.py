"""How sure a difference is where systems were scored several times: over topics and repeats.

A list is one repeat of a system on all topics. What a repeat is decides what goes together: repeats
of a system are its own (layout "system"), or each is one draw for all systems ("shared").
"""

from typing import NamedTuple

import numpy as np
import scipy

from irframe.arrays import Ends, Floats, Ints
from irframe.paired.differences import PairedResult, moments, ratio
from irframe.paired.pairs import in_blocks, products


class RepeatAnova(NamedTuple):
    """Analysis of variance of the topics x repeats table of every system, shape (system, depth)."""

    topic: Floats
    """Variance of the mean over topics: that of the topics' means over repeats, by T."""
    repeat: Floats
    """That of the repeats' means over topics, by R; 0 of a system with one repeat."""
    residual: Floats
    """The mean square of what neither explains, by T R; counted in both others."""
    repeats: Ints
    """How many repeats a system has, shape (system, 1)."""
    topics: int
    means: Floats
    """Every topic's mean over repeats, shape (system, topic, depth)."""


class Crossed(NamedTuple):
    """The difference of every pair and its variance, shape (pair, depth).

    Parameters
    ----------
    mean
        Mean difference a - b over topics and repeats.
    variance
        Of the mean difference.
    freedom
        Satterthwaite's degrees of freedom, at least 1; NaN where nothing varies.
    share
        What the repeats have of the variance, 0 to 1.
    """

    mean: Floats
    variance: Floats
    freedom: Floats
    share: Floats

    def test(self) -> PairedResult:
        """Return t and its two-sided p-values.

        Examples
        --------
        >>> found = Crossed(*(np.array([each]) for each in (0.4, 0.04, 10.0, 0.5)))
        >>> found.test().p.round(4)
        array([0.0734])
        """
        t = ratio(self.mean, np.sqrt(self.variance))
        # Where nothing varies degrees of freedom are not known, and of t = 0 p is 1 under any.
        p = 2 * scipy.special.stdtr(np.where(t == 0, 1.0, self.freedom), -abs(t))
        return PairedResult(t, p).decided()

    def interval(self, *, alpha: float) -> Ends:
        """Return the ends of the intervals, NaN where nothing varies."""
        error = np.sqrt(np.where(self.variance > 0, self.variance, np.nan))
        half = -scipy.special.stdtrit(self.freedom, alpha / 2) * error
        return self.mean - half, self.mean + half


def crossed(
    lists: Floats, owner: Ints, pairs: Ints, *, shared: bool = False, over: str = "both"
) -> Crossed:
    """Return how sure the difference of every pair is, over new topics, new repeats, or both.

    Parameters
    ----------
    lists
        Shape (list, topic, depth), without NaN: the lists of one system after the other's.
    owner
        Position of the system of each list, from 0, rising.
    pairs
        Shape (pair, 2), positions of systems.
    shared
        Whether a repeat is one draw for all systems, which have the same ones in one order.
    over
        ``"both"``; ``"topic"``, new topics and these repeats; ``"repeat"``, the other way round.

    Returns
    -------
    Crossed
        Arrays of shape (pair, depth).

    Notes
    -----
    d is the difference of means over topics and repeats. ``V_T`` is the variance over topics of the
    difference of means over repeats, by T. ``V_R`` is the sum over both systems of the variance of
    the repeats' means, by R; where repeats are shared, that of the difference of the repeats'
    means. ``V_E``, the residual mean square of the topics x repeats table of a system, or of the
    difference, by T R, is in both. ``V = max(V_T + V_R - V_E, V_T, V_R)``, with Satterthwaite's
    degrees of freedom ``V^2 / (V_T^2 / (T - 1) + sum v^2 / (R - 1) + sum e^2 / ((T - 1)(R - 1)))``
    of the parts v of V_R and e of V_E, at least 1.

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
    >>> found = crossed(scores[..., None], np.array([0, 0, 1, 1]), np.array([[0, 1]]))
    >>> found.variance.round(3).item(), found.freedom.round(2).item()
    (0.917, 2.78)
    """
    topics = lists.shape[1]
    analysed = (_shared_repeats if shared else _own)(lists, owner, pairs)
    mean, between, repeat, residual, freedoms = analysed
    if over == "topic":
        total, weighed = between, np.zeros_like(between)
    elif over == "repeat":
        total, weighed = repeat, freedoms[0]
    else:
        # The residual is in both, and is taken off once; as it is an estimate, what is left may be
        # less than one of them, which no sum of variances is.
        total = np.maximum(between + repeat - residual, np.maximum(between, repeat))
        weighed = freedoms[0] + freedoms[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        if over != "repeat":
            weighed = weighed + between**2 / (topics - 1)
        # The total may be small beside the squares of its parts, as the residual is taken off it.
        freedom = np.where(total > 0, np.maximum(total**2 / weighed, 1.0), np.nan)
        share = repeat / (between + repeat)
    return Crossed(mean, total, freedom, share)


def table_of(lists: Floats, owner: Ints) -> RepeatAnova:
    """Analyse the topics x repeats table of every system; parameters as for `crossed`.

    Examples
    --------
    >>> scores = np.array([[3.0, 5.0, 4.0], [5.0, 6.0, 4.0]])[..., None]
    >>> found = table_of(scores, np.array([0, 0]))
    >>> [part.round(3).item() for part in found[:3]]
    [0.25, 0.25, 0.083]
    """
    counts = np.bincount(owner)
    ends = np.cumsum(counts)
    topics, depths = lists.shape[1:]
    variances, means = np.zeros((3, len(counts), depths)), np.empty((len(counts), topics, depths))
    for system, (end, repeats) in enumerate(zip(ends, counts, strict=True)):
        own = lists[end - repeats : end]
        means[system] = by_topic = own[0] if repeats == 1 else own.mean(axis=0)
        mean = by_topic.mean(axis=0)
        variances[0, system] = _mean_square(by_topic - mean, topics - 1) / topics
        if repeats > 1:
            rest = own - by_topic
            by_repeat = rest.mean(axis=1)
            rest -= by_repeat[:, np.newaxis]
            variances[1, system] = _mean_square(by_repeat, repeats - 1) / repeats
            squares = _mean_square(rest.reshape(-1, depths), (topics - 1) * (repeats - 1))
            variances[2, system] = squares / (topics * repeats)
    topic, repeat, residual = variances
    return RepeatAnova(topic, repeat, residual, counts[:, np.newaxis], topics, means)


def one_sample(table: RepeatAnova, over: str = "both") -> Ends:
    """Return variance and degrees of freedom of every system's own mean, (system, depth).

    Parameters
    ----------
    table
        Of the systems.
    over
        ``"both"``, or ``"repeat"``, which a single repeat says nothing of.

    Notes
    -----
    As for a difference in `crossed`, of one system.
    """
    between, repeat, residual, repeats, topics, _ = table
    if over == "repeat":
        freedom = np.where(repeats > 1, repeats - 1.0, np.nan) + np.zeros_like(repeat)
        return repeat, freedom
    total = np.maximum(between + repeat - residual, np.maximum(between, repeat))
    with np.errstate(divide="ignore", invalid="ignore"):
        weighed = between**2 / (topics - 1) + _by_freedom(table).sum(axis=0)
        return total, np.where(total > 0, np.maximum(total**2 / weighed, 1.0), np.nan)


def _mean_square(values: Floats, freedom: int) -> Floats:
    """Return sums of squares over the first dimension by their freedom; NaN if there is none."""
    squares = np.einsum("ij,ij->j", values, values)
    return squares / freedom if freedom else np.full_like(squares, np.nan)


def _by_freedom(table: RepeatAnova) -> Floats:
    """Return squares by their freedom, of repeats and of residuals, (2, system, depth)."""
    own = np.maximum(table.repeats - 1, 1)
    return np.stack([table.repeat**2 / own, table.residual**2 / (max(table.topics - 1, 1) * own)])


def _differences(values: Floats, pairs: Ints) -> Ends:
    """Return mean differences (pair, depth) of (system, place, depth), and their variance."""
    mean, sd, _ = in_blocks(moments, values, pairs, dtypes=(np.float64,) * 3)
    return mean, sd**2 / values.shape[1]


def _own(lists: Floats, owner: Ints, pairs: Ints) -> tuple[Floats, ...]:
    table = table_of(lists, owner)

    parts = table.repeat, table.residual, _by_freedom(table)
    repeat, residual, freedoms = (
        part.take(pairs[:, 0], axis=-2) + part.take(pairs[:, 1], axis=-2) for part in parts
    )
    return *_differences(table.means, pairs), repeat, residual, freedoms


def _shared_repeats(lists: Floats, owner: Ints, pairs: Ints) -> tuple[Floats, ...]:
    topics, depths = lists.shape[1:]
    table = lists.reshape(owner.max() + 1, -1, topics, depths)
    repeats = table.shape[1]
    by_topic, by_repeat = table.mean(axis=1), table.mean(axis=2)
    _, repeat = _differences(by_repeat, pairs)
    rest = np.empty((depths, len(table), repeats, topics))
    for system, own in enumerate(table):
        left = own - by_topic[system]
        left -= left.mean(axis=1, keepdims=True)
        rest[:, system] = np.moveaxis(left, 2, 0)
    own, cross = products(rest.reshape(depths, len(table), repeats * topics), pairs)
    a, b = pairs.T
    squares = np.maximum(own[:, a] + own[:, b] - 2 * cross, 0).T  # rounding is harmless
    freedom = max(topics - 1, 1) * (repeats - 1)
    residual = squares / freedom / (topics * repeats)
    parts = np.stack([repeat**2 / (repeats - 1), residual**2 / freedom])
    return *_differences(by_topic, pairs), repeat, residual, parts
