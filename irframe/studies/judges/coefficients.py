"""Kappa and alpha of many pairs of judges at once, from counts of grades."""

import numpy as np

from irframe.arrays import Array

WEIGHTS = ("none", "linear", "quadratic")
"""What a disagreement weighs in kappa: all alike, or by the difference of the grades."""
DISTANCES = ("nominal", "ordinal", "interval")
"""How far apart two grades are in alpha."""


def kappas(counts: Array, scale: Array) -> Array:
    """Return Cohen's kappa under every weighting.

    Parameters
    ----------
    counts
        How often one judge gave a grade and the other another, shape (..., grade, grade).
    scale
        The grades, shape (grade,).

    Returns
    -------
    numpy.ndarray
        Shape (..., weighting), in the order of `WEIGHTS`; NaN if chance knows no disagreement.

    Examples
    --------
    >>> kappas(np.array([[20, 5], [10, 15]]), np.array([0, 1]))
    array([0.4, 0.4, 0.4])
    """
    apart = abs(np.subtract.outer(scale.astype(float), scale))
    weights = np.stack([apart > 0, apart, apart**2]).astype(float)
    observed = np.einsum("...ij,wij->...w", counts, weights, optimize=True)
    rows, columns = counts.sum(axis=-1), counts.sum(axis=-2)
    expected = np.einsum("...i,wij,...j->...w", rows, weights, columns, optimize=True)
    return _unlike_chance(rows.sum(axis=-1)[..., np.newaxis], observed, expected)


def alphas(coincidences: Array, scale: Array) -> Array:
    """Return Krippendorff's alpha under every distance.

    Parameters
    ----------
    coincidences
        How often two grades of one document coincide, symmetric, shape (..., grade, grade); of
        two judges the counts and their transpose.
    scale
        The grades, shape (grade,).

    Returns
    -------
    numpy.ndarray
        Shape (..., distance), in the order of `DISTANCES`; NaN if all grades are one.

    Examples
    --------
    >>> alphas(np.array([[40, 15], [15, 30]]), np.array([0, 1])).round(3)
    array([0.4, 0.4, 0.4])
    """
    grades = coincidences.sum(axis=-1)
    middles = np.cumsum(grades, axis=-1) - grades / 2
    places = np.broadcast_to(scale.astype(float), middles.shape)
    nominal = np.broadcast_to(1 - np.eye(len(scale)), coincidences.shape)
    squares = [nominal, *(_squares(each) for each in (middles, places))]
    observed = np.stack([(coincidences * each).sum(axis=(-2, -1)) for each in squares], axis=-1)
    chance = grades[..., :, np.newaxis] * grades[..., np.newaxis, :]
    expected = np.stack([(chance * each).sum(axis=(-2, -1)) for each in squares], axis=-1)
    return _unlike_chance(grades.sum(axis=-1)[..., np.newaxis] - 1, observed, expected)


def both_alphas(counts: Array, scale: Array) -> Array:
    """Return alpha of two judges from their counts, as `kappas` takes them."""
    return alphas(counts + np.swapaxes(counts, -1, -2), scale)


def at_thresholds(counts: Array) -> Array:
    """Return counts of not relevant and relevant at every grade from the second on.

    Examples
    --------
    >>> at_thresholds(np.diag([1, 2, 3])).tolist()
    [[[1, 0], [0, 5]], [[3, 0], [0, 3]]]
    """
    grades = counts.shape[-1]
    above = np.arange(grades) >= np.arange(1, grades)[:, np.newaxis]
    sides = np.stack([~above, above], axis=1).astype(counts.dtype)
    found: Array = np.einsum("tai,...ij,tbj->...tab", sides, counts, sides, optimize=True)
    return found


def _squares(places: Array) -> Array:
    apart: Array = places[..., :, np.newaxis] - places[..., np.newaxis, :]
    return apart**2


def _unlike_chance(total: Array, observed: Array, expected: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(expected > 0, 1 - total * observed / expected, np.nan)
