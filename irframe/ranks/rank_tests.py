"""How many systems are significantly better than each, and how many are worse."""

from functools import partial

import numpy as np
import scipy

from irframe.arrays import Array
from irframe.metrics.base import Summary
from irframe.metrics.facts import terms
from irframe.paired import MaxT, all_pairs
from irframe.paired.differences import hc2, moments
from irframe.paired.pairs import by_depth
from irframe.scores.scores import Arrays


def holm_counts(
    scores: Array, summary: Summary, sign: int, alpha: float, weights: Array | None = None
) -> Arrays:
    """Count the systems that are better and worse by t-tests, corrected as by Holm for each system.

    Parameters
    ----------
    scores
        Shape (system, topic, depth), without NaN.
    summary
        How the metric is averaged: what is tested is what is added up for it.
    sign
        -1 for costs.
    alpha
        Half of it goes to each side.
    weights
        Those of the topics, 1 on average; by default all count alike.

    Returns
    -------
    better, worse : numpy.ndarray
        Shape (system, depth).

    Examples
    --------
    >>> scores = np.array([[0.1, 0.2, 0.3], [0.2, 0.3, 0.5], [0.8, 0.9, 0.9]])[..., np.newaxis]
    >>> better, worse = holm_counts(scores, "mean", 1, 0.1)
    >>> better.ravel().tolist(), worse.ravel().tolist()
    ([2, 1, 0], [0, 0, 2])
    """
    systems, topics, _ = scores.shape
    if topics < 2:
        return _none(scores)
    values, known = _summands(scores, summary, sign)
    t = np.sort(_statistics(values, known, weights), axis=-1)
    freedom = topics - 1 if weights is None else hc2(weights).freedom
    critical = scipy.special.stdtrit(freedom, 1 - alpha / 2 / np.arange(systems - 1, 0, -1))
    ahead, behind = t[..., :0:-1] > critical, -t[..., :-1] > critical
    counts = (np.logical_and.accumulate(side, axis=-1).sum(axis=-1).T for side in (ahead, behind))
    return tuple(counts)


def max_t_counts(
    scores: Array, summary: Summary, sign: int, alpha: float, correction: MaxT
) -> Arrays:
    """Count the systems that are better and worse by max-T, step-down, for each system.

    Parameters
    ----------
    scores, summary, sign
        As for `holm_counts`.
    alpha
        The chance of any false claim about a system.
    correction
        How many signs are drawn.

    Returns
    -------
    better, worse : numpy.ndarray
        Shape (system, depth).
    """
    if scores.shape[1] < 2:
        return _none(scores)
    values, known = _summands(scores, summary, sign)
    counts = [_by_max_t(*each, alpha, correction) for each in zip(values.T, known.T, strict=True)]
    better, worse = np.stack(counts, axis=-1)
    return better, worse


def _none(scores: Array) -> Arrays:
    nobody = np.zeros((len(scores), scores.shape[2]), int)
    return nobody, nobody


def _summands(scores: Array, summary: Summary, sign: int) -> Arrays:
    """Return what is added up, higher is better, and which systems' sums are finite."""
    values = sign * (-1 if summary == "harmonic" else 1) * terms(scores, summary)
    finite = np.isfinite(values)
    return np.where(finite, values, 0), np.asarray(finite.all(axis=1))


def _statistics(values: Array, known: Array, weights: Array | None) -> Array:
    """Return t of how far others are ahead, (depth, system, other); 0 without a standard error."""
    systems, topics, depths = values.shape
    pairs = all_pairs(systems)
    mean, sd = by_depth(partial(moments, weights=weights), values, pairs)
    a, b = pairs.T
    sd[(sd == 0) | ~known[a] | ~known[b]] = np.inf
    lead = (mean / (sd / np.sqrt(topics))).T
    t = np.zeros((depths, systems, systems))
    t[:, b, a], t[:, a, b] = lead, -lead
    return t


def _by_max_t(values: Array, known: Array, alpha: float, correction: MaxT) -> Array:
    """Return the counts of one depth, shape (2, system), from summands (topic, system)."""
    systems = len(known)
    means = values.mean(axis=0)
    found = np.zeros((2, systems), int)
    for system in range(systems):
        others = np.flatnonzero(np.arange(systems) != system)
        pairs = np.column_stack([others, np.full(systems - 1, system)])
        apart = (correction.kernel(values, pairs) < alpha) & known[others] & known[system]
        found[:, system] = [
            (apart & (side > 0)).sum()
            for side in (means[others] - means[system], means[system] - means[others])
        ]
    return found
