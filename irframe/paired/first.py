"""Which systems could be first: a test of each against all others, by flips of signs."""

import itertools

import numpy as np

from irframe.arrays import Array, Floats, in_threads
from irframe.paired.design import ROUNDING, Design
from irframe.paired.pairs import draw_signs
from irframe.paired.randomisation import TIE, by_cluster


def first_p(
    scores: Floats,
    known: Array | None = None,
    design: Design | None = None,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> Floats:
    """Return p-values of each system being first, shape (system, depth).

    Parameters
    ----------
    scores
        What is added up for the mean, higher is better, shape (system, topic, depth), without NaN.
    known
        Which systems can be compared, shape (system, depth); by default all.
    design
        How topics were drawn; by default independently, and all count alike.
    samples
        How many random assignments of signs, at least 1. Where there are fewer in all, each of
        them is taken once.
    seed
        Of the generator of the signs, at least 0.

    Returns
    -------
    numpy.ndarray
        1 for a system that is compared with no other.

    Notes
    -----
    The hypothesis of a system is that no other one has a higher mean. The statistic is the largest
    paired t of the others against it. Each draw turns the signs of all differences on some topics,
    or clusters, and takes the largest t again: ``p = (1 + count) / (1 + samples)``, count the draws
    in which it is at least the observed one. Only one system is truly first, so that nothing is
    corrected for the number of systems: those with p > alpha hold it with probability 1 - alpha.

    References
    ----------
    .. [1] Westfall, Young. Resampling-based multiple testing. Wiley, 1993.
    .. [2] Mogstad, Romano, Shaikh, Wilhelm. Inference for ranks with applications to mobility
       across neighbourhoods and academic achievement across countries. Review of Economic Studies
       91, 2024. doi:10.1093/restud/rdad006

    Examples
    --------
    >>> topics = np.array([0.0, 0.1, 0.2, 0.3, 0.4, 0.5])
    >>> scores = np.stack([topics, topics + 0.1, topics + 0.1 + 0.1 * topics])[..., np.newaxis]
    >>> first_p(scores).round(3).ravel().tolist()
    [0.031, 0.062, 1.0]
    """
    values = scores if design is None else by_cluster(design, scores)
    systems, units, depths = values.shape
    if _is_exact(units, samples):
        signs = np.array([*itertools.product([1, -1], repeat=units)], np.float64)
    else:
        signs = draw_signs(units, samples=samples, seed=seed).astype(np.float64)
    compared = np.ones((systems, depths), bool) if known is None else np.asarray(known, bool)
    p = np.ones((systems, depths))
    for depth in range(depths):
        there = np.flatnonzero(compared[:, depth])
        p[there, depth] = _of_depth(np.ascontiguousarray(values[there, :, depth]), signs)
    return p


def least_first_p(units: int, *, samples: int) -> float:
    """Return the least p-value of `first_p` on so many topics, or clusters.

    Examples
    --------
    >>> least_first_p(5, samples=1000) > 0.05, least_first_p(6, samples=1000) > 0.05
    (True, False)
    """
    return 2 / (1 + 2**units) if _is_exact(units, samples) else 1 / (1 + samples)


def _is_exact(units: int, samples: int) -> bool:
    return bool(2 ** min(units, 63) <= samples)


def _of_depth(values: Floats, signs: Floats) -> Floats:
    """Return p-values of systems from what is added up for their means, (system, unit)."""
    systems, units = values.shape
    if systems < 2:
        return np.ones(systems)
    flipped, sums, largest = values @ signs.T, values.sum(axis=1), abs(values).max(axis=1)

    def test(system: int) -> float:
        others = np.arange(systems) != system
        lead = values[others] - values[system]
        rounding = ROUNDING * units * np.maximum(largest[others], largest[system])
        # t rises with this ratio, whose squares do not change with signs.
        size = np.sqrt(units * (lead**2).sum(axis=1))
        scale = np.where(size > rounding, 1 / np.where(size > 0, size, 1), 0.0)
        least = ((sums[others] - sums[system] - rounding) * scale).max() - TIE
        drawn = flipped[others]
        drawn -= flipped[system]
        drawn *= scale[:, np.newaxis]
        count = np.count_nonzero(drawn.max(axis=0) >= least)
        return (1 + count) / (1 + len(signs))

    return np.array(in_threads(test, range(systems)))
