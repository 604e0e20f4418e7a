"""Prediction-powered means: few scores by people, many by a cheaper judge."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from irframe.paired.pairs import FloatArray

__all__ = ["Powered", "power"]


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
