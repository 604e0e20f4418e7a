"""Prediction-powered means: few scores by people, many by a cheaper judge."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.paired.pairs import FloatArray, IntArray

__all__ = ["Powered", "power", "power_pairs"]

DOUBTFUL = 1e-6
"""Variance of a difference, relative to those of its sides, below which it is computed anew."""
BLOCK = 1 << 22
"""Differences that are held at a time."""


@dataclass(frozen=True, kw_only=True)
class Powered:
    """Prediction-powered means.

    Parameters
    ----------
    estimate
        The means.
    error
        Their standard errors.
    weight
        What the cheap scores count for, from 0 to 1.

    Examples
    --------
    >>> Powered(estimate=0.5, error=0.1, weight=0.0).estimate
    0.5
    """

    estimate: FloatArray
    error: FloatArray
    weight: FloatArray


def power(
    cheap: FloatArray, human: FloatArray, counted: NDArray[np.bool_], judged: NDArray[np.bool_]
) -> Powered:
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

    Examples
    --------
    >>> cheap = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> both = np.array([[True], [True], [False], [False]])
    >>> found = power(cheap, cheap + 0.5, ~both, both)
    >>> found.estimate.item(), found.weight.item()
    (1.0, 0.375)
    """
    n, every = judged.sum(axis=0), counted.sum(axis=0)
    human = np.where(judged, human, 0.0)
    mean_human, mean_cheap = _mean(human, judged), _mean(cheap, judged)
    both = (human - _wide(mean_human)) * (cheap - _wide(mean_cheap))
    weight = np.clip(
        _ratio(_mean(both, judged), (1 + n / every) * _spread(cheap, counted, judged)), 0, 1
    )
    rest = human - _wide(weight) * cheap
    mean_rest, mean_all = _mean(rest, judged), _mean(cheap, counted)
    variance = _mean((rest - _wide(mean_rest)) ** 2, judged) / n
    variance += weight**2 * _mean((cheap - _wide(mean_all)) ** 2, counted) / every
    return Powered(estimate=weight * mean_all + mean_rest, error=np.sqrt(variance), weight=weight)


def power_pairs(
    cheap: FloatArray,
    human: FloatArray,
    counted: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    pairs: IntArray,
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

    Notes
    -----
    Variances of differences come from the products of all systems with all others, a matrix per
    depth; where they all but cancel out they are computed from the differences themselves.

    Examples
    --------
    >>> cheap = np.array([[[0.0], [1.0], [0.0], [1.0]], [[0.0], [0.0], [0.0], [0.0]]])
    >>> both = np.array([[True], [True], [False], [False]])
    >>> power_pairs(cheap, cheap, ~both, both, np.array([[0, 1]])).estimate.item()
    0.5
    """
    n, every = judged.sum(axis=0), counted.sum(axis=0)
    human, times = np.where(judged, human, 0.0), counted.astype(float) + judged
    cells = [(human, cheap, judged), (human, human, judged), (cheap, cheap, judged)]
    cells += [(cheap, cheap, counted), (cheap, cheap, times)]
    covariances, scales = zip(*(_covariances(*cell, pairs) for cell in cells), strict=True)
    both, of_human, of_few, of_all, spread = covariances
    total = times.sum(axis=0)
    weight = np.clip(_ratio(both, (1 + n / every) * spread * total / (total - 1)), 0, 1)
    rest = of_human - 2 * weight * both + weight**2 * of_few
    error = np.sqrt(np.maximum(rest, 0) / n + weight**2 * np.maximum(of_all, 0) / every)
    sides = ((human, judged), (cheap, judged), (cheap, counted))
    people, few, everywhere = (_apart(_mean(*side), pairs) for side in sides)
    found = Powered(estimate=people + weight * (everywhere - few), error=error, weight=weight)
    exact = rest > DOUBTFUL * (of_human + weight**2 * of_few)
    for covariance, scale in zip(covariances[1:], scales[1:], strict=True):
        exact &= covariance > DOUBTFUL * scale
    _compute_anew(found, np.flatnonzero(~exact.all(axis=-1)), cheap, human, counted, judged, pairs)
    return found


def _covariances(
    left: FloatArray, right: FloatArray, times: NDArray[Any], pairs: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the covariance of differences of pairs, topics counting so many times.

    Returns
    -------
    covariance, scale
        Shape (pair, depth) each; the scale is what cancels out in the covariance.
    """
    total, (first, second) = times.sum(axis=0), pairs.T
    sides = [(each - _wide((each * times).sum(axis=-2) / total)).T for each in (left, right)]
    weighted = (sides[0] * times.T[..., np.newaxis]).swapaxes(1, 2)
    products = weighted @ sides[1] / total[:, np.newaxis, np.newaxis]
    own = np.diagonal(products, axis1=1, axis2=2)
    scale = own[:, first] + own[:, second]
    between = products[:, first, second] + products[:, second, first]
    return (scale - between).T, abs(scale).T


def _apart(means: FloatArray, pairs: IntArray) -> FloatArray:
    difference: FloatArray = means[pairs[:, 0]] - means[pairs[:, 1]]
    return difference


def _compute_anew(
    found: Powered,
    rows: IntArray,
    cheap: FloatArray,
    human: FloatArray,
    counted: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    pairs: IntArray,
) -> None:
    """Compute some pairs from their differences, as many at a time as fit."""
    width = max(1, BLOCK // cheap[0].size)
    for start in range(0, len(rows), width):
        some = rows[start : start + width]
        differences = [_apart(each, pairs[some]) for each in (cheap, human)]
        direct = power(differences[0], differences[1], counted, judged)
        found.estimate[some], found.error[some] = direct.estimate, direct.error
        found.weight[some] = direct.weight


def _spread(cheap: FloatArray, counted: NDArray[np.bool_], judged: NDArray[np.bool_]) -> FloatArray:
    """Return the variance of cheap scores over both samples, a topic in both counting twice."""
    times = counted.astype(float) + judged
    total = times.sum(axis=0)
    mean = (times * cheap).sum(axis=-2) / total
    squares: FloatArray = (times * (cheap - _wide(mean)) ** 2).sum(axis=-2) / (total - 1)
    return squares


def _mean(values: FloatArray, where: NDArray[np.bool_]) -> FloatArray:
    """Return the mean over some topics, shape (..., depth)."""
    mean: FloatArray = (values * where).sum(axis=-2) / where.sum(axis=0)
    return mean


def _wide(values: FloatArray) -> FloatArray:
    return values[..., np.newaxis, :]


def _ratio(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator > 0)
