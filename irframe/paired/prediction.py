"""Prediction-powered means: few scores by people, many by a cheaper judge."""

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["Powered", "power", "power_pairs"]

BLOCK = 1 << 20
"""Differences that are held at a time."""
Flags = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Powered:
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

    estimate: FloatArray
    error: FloatArray
    jackknife: FloatArray
    weight: FloatArray


def power(cheap: FloatArray, human: FloatArray, counted: Flags, judged: Flags) -> Powered:
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
    some = judged.any(axis=1)
    here, again = judged[some], (judged & counted)[some]
    n, every = here.sum(axis=0).astype(float), counted.sum(axis=0).astype(float)
    mean_y, y = _centred(human[..., some, :], here)
    mean_f, f = _centred(cheap[..., some, :], here)
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
    cheap: FloatArray, human: FloatArray, counted: Flags, judged: Flags, pairs: IntArray
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
    width = max(1, BLOCK // cheap[0].size)
    found = []
    for start in range(0, len(pairs), width):
        first, second = pairs[start : start + width].T
        model, people = (each[first] - each[second] for each in (cheap, human))
        found.append(power(model, people, counted, judged))
    names = [field.name for field in fields(Powered)]
    return Powered(
        **{name: np.concatenate([getattr(one, name) for one in found]) for name in names}
    )


def _weight(
    products: FloatArray,
    squares: FloatArray,
    total: FloatArray,
    apart: FloatArray,
    n: FloatArray,
    every: FloatArray,
) -> tuple[FloatArray, FloatArray]:
    """Return the weight, and the variance of cheap scores over both samples.

    From sums over n topics of products with people's scores and of squares, over all of squares,
    and how far the means of the two samples are apart; a topic in both counts twice.
    """
    spread = (squares + total + n * every / (n + every) * apart**2) / (n + every - 1)
    below = n * (1 + n / every) * spread
    share = np.divide(products, below, out=np.zeros_like(products), where=below > 0)
    return np.clip(share, 0, 1), spread


def _centred(values: FloatArray, where: Flags) -> tuple[FloatArray, FloatArray]:
    """Return means over some topics, and values less these, 0 elsewhere."""
    mean = _mean(values, where)
    return mean, np.where(where, values - _wide(mean), 0.0)


def _mean(values: FloatArray, where: Flags) -> FloatArray:
    """Return the mean over some topics, shape (..., depth)."""
    mean: FloatArray = np.where(where, values, 0.0).sum(axis=-2) / where.sum(axis=0)
    return mean


def _wide(values: FloatArray) -> FloatArray:
    return values[..., np.newaxis, :]
