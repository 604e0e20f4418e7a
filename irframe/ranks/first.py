"""Systems that could be first, and optimism of best means."""

import itertools

import numpy as np

from irframe.arrays import Array, Floats, in_threads
from irframe.cubes.scores import Arrays, Scores, finite, of_topics
from irframe.metrics.facts import TIE, best_first
from irframe.paired import randomisation
from irframe.paired.design import ROUNDING, Design
from irframe.paired.pairs import draw_signs
from irframe.scores.averages import Resamples

FIRST = "could_be_first"
"""Name of the column that states whether a system could truly be first."""
OPTIMISM = "optimism"
"""Name of the attribute of leaderboards that contains the expected difference between the observed
and the true mean of the first system."""


def first_p(
    scores: Floats,
    comparable: Array | None = None,
    design: Design | None = None,
    *,
    samples: int = 1000,
    seed: int = 0,
) -> Floats:
    """Return p-values of the hypotheses that a system is first.

    Parameters
    ----------
    scores
        Scores, or terms that sum to a mean over topics, shape (system, topic, depth), without NaN.
        Higher values are better.
    comparable
        Whether each system can be compared, shape (system, depth). By default all systems are
        compared.
    design
        The sampling design of the topics. The default is independent topics of equal weight.
    samples
        Number of random assignments of signs to topics, at least 1. If the number of possible
        assignments is not greater, each possible assignment is used once.
    seed
        Seed of the signs, at least 0.

    Returns
    -------
    numpy.ndarray
        The p-values, shape (system, depth). Systems that cannot be compared have p = 1.

    Notes
    -----
    The null hypothesis is that no other system has a higher mean. The test statistic of a system is
    the largest t of the paired comparisons of all other systems with this system. Each draw flips
    the signs of all differences on random topics, or clusters of topics, and recomputes the
    statistic. ``p = (1 + count) / (1 + samples)``, where count is the number of draws whose
    statistic is at least the observed statistic. No correction for multiple comparisons is
    necessary, because only one system is truly first. With probability 1 - alpha, the system that
    is truly first has p > alpha.

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
    values = scores if design is None else randomisation.by_cluster(design, scores)
    systems, units, depths = values.shape
    # numpy multiplies matrices of floats with BLAS, but matrices of integers with slow loops
    if _is_exact(units, samples):
        signs = np.array([*itertools.product([1, -1], repeat=units)], np.float64)
    else:
        signs = draw_signs(units, samples=samples, seed=seed).astype(np.float64)
    compared = (
        np.ones((systems, depths), bool) if comparable is None else np.asarray(comparable, bool)
    )
    p = np.ones((systems, depths))

    def test(depth: int) -> None:
        present = np.flatnonzero(compared[:, depth])
        of_depth = np.ascontiguousarray(values[present, :, depth])
        # threads work on different depths, or on different systems if there is only one depth
        p[present, depth] = _of_depth(of_depth, signs, None if depths == 1 else 1)

    in_threads(test, range(depths))
    return p


def least_first_p(units: int, *, samples: int) -> float:
    """Return the smallest possible p-value of `first_p`.

    `units` is the number of topics, or of clusters of topics.

    Examples
    --------
    >>> least_first_p(5, samples=1000) > 0.05, least_first_p(6, samples=1000) > 0.05
    (True, False)
    """
    return 2 / (1 + 2**units) if _is_exact(units, samples) else 1 / (1 + samples)


def _is_exact(units: int, samples: int) -> bool:
    return bool(2 ** min(units, 63) <= samples)


def _of_depth(values: Floats, signs: Floats, workers: int | None) -> Floats:
    """Return p-values at one depth.

    The shape of `values` is (system, unit), where units are topics or clusters.
    """
    systems, units = values.shape
    if systems < 2:
        return np.ones(systems)
    # the sum of a difference is a difference of sums, so all systems are multiplied only once
    flipped = values @ signs.T
    sums = values.sum(axis=1)
    largest = abs(values).max(axis=1)

    def test(system: int) -> float:
        competitors = np.arange(systems) != system
        lead = values[competitors] - values[system]
        rounding = ROUNDING * units * np.maximum(largest[competitors], largest[system])
        # t increases with the sum divided by `size`, and sign flips do not change `size`
        size = np.sqrt(units * (lead**2).sum(axis=1))
        scale = np.where(size > rounding, 1 / np.where(size > 0, size, 1), 0.0)
        # a draw that equals the observed statistic must count despite rounding errors
        least = ((sums[competitors] - sums[system] - rounding) * scale).max() - randomisation.TIE
        drawn = flipped[competitors]
        drawn -= flipped[system]
        drawn *= scale[:, np.newaxis]
        count = np.count_nonzero(drawn.max(axis=0) >= least)
        return (1 + count) / (1 + len(signs))

    return np.array(in_threads(test, range(systems), workers))


def could_be_first(scores: Scores, resamples: Resamples) -> Array | None:
    """Return whether systems could be first, shape (metric, depth, system).

    The result is None if the test must generalise to new repeats, which `first_p` does not support.
    """
    if scores.repeats is not None and scores.repeats.crossing:
        return None
    size = len(scores.systems) * min(resamples.samples, DRAWS)

    def compute(row: int, depths: slice) -> Array:
        def test(values: Array, *design: Design) -> Arrays:
            comparable = finite(values, scores.summaries[row]) & scores.has_judged[:, np.newaxis]
            signed = scores.signs[row] * values
            p = first_p(signed, comparable, *design, samples=resamples.samples, seed=resamples.seed)
            return (p,)

        return scores.over_terms(row, depths, test)[0].T

    return scores.by_piece(size, compute) > resamples.alpha


DRAWS = 1000
"""Maximum number of draws per system that the size of a block of depths takes into account."""


def too_few(scores: Scores, resamples: Resamples) -> list[str]:
    """Return the caution about too few topics, if any."""
    counts = scores.scored.sum(axis=1)
    design = scores.design
    row, depth = np.unravel_index(counts.argmin(), counts.shape)
    topics = scores.scored[row, :, depth]
    units = int(topics.sum()) if design is None else design.take(topics).clusters
    least = least_first_p(units, samples=resamples.samples)
    if units < 2 or least <= resamples.alpha:
        return []
    of = "topics" if design is None else "clusters of topics"
    return [f"every system could be first: p is at least {least:.2g} on {units} {of}"]


def optimism(scores: Scores, resamples: Resamples) -> dict[str, object]:
    """Return attributes with the optimism (bias) of the best mean.

    The optimism is estimated by `excess_of_first` for the first metric and depth. The optimism
    cannot be estimated from a single topic.
    """
    if scores.scored[0, :, 0].sum() < 2 or not np.isfinite(scores.means[0, 0]).all():
        return {}
    value = float(excess_of_first(scores, resamples, 0, slice(0, 1))[0])
    first = scores.systems[int(best_first(scores.means[0, 0])[0])]
    return {
        OPTIMISM: value,
        "first": f"the best mean, of {first}, is too good by about {value:.2g}",
    }


def excess_of_first(scores: Scores, resamples: Resamples, row: int, depths: slice) -> Array:
    """Return the optimism of the best mean at each depth.

    In every bootstrap sample of topics, or of clusters, the highest mean is compared with the mean
    of the same system over all topics. The optimism is the average of this difference over samples,
    and is NaN for a single topic.
    """
    summary = scores.summaries[row]
    sign = scores.signs[row]

    def excess(values: Array, *design: Design) -> Arrays:
        observed = sign * of_topics(values, summary, *design).T
        drawn = resamples.means(values, summary, sign, *design)
        first = drawn == drawn.max(axis=2, keepdims=True)
        # systems that tie for first place in a sample share the sample equally
        above = np.where(first, drawn - observed, 0).sum(axis=2) / first.sum(axis=2)
        return (above.mean(axis=0).round(TIE),)

    return scores.over(row, depths, excess)[0]
