"""Possible first systems, and the optimism of the first mean."""

from typing import Any

import numpy as np

from irframe.arrays import Array
from irframe.cubes.scores import Arrays, Scores, finite
from irframe.metrics.facts import TIE, best_first
from irframe.paired.design import Design
from irframe.paired.first import first_p, least_first_p
from irframe.scores.averages import Resamples

FIRST = "could_be_first"
"""Column: whether a system could be first."""
OPTIMISM = "optimism"
"""Attribute: expected excess of the first system's mean over its true mean."""


def could_be_first(scores: Scores, resamples: Resamples) -> Array | None:
    """Return which systems could be first, (metric, depth, system).

    The result is None if differences are generalised over repeats, which the test does not support.
    """
    if scores.repeats is not None and scores.repeats.crossing:
        return None
    size = len(scores.systems) * min(resamples.samples, DRAWS)

    def compute(row: int, depths: slice) -> Array:
        def test(values: Array, *design: Design) -> Arrays:
            known = finite(values, scores.summaries[row]) & scores.known[:, np.newaxis]
            signed = scores.signs[row] * values
            p = first_p(signed, known, *design, samples=resamples.samples, seed=resamples.seed)
            return (p,)

        return scores.given(row, depths, test)[0].T

    return scores.by_piece(size, compute) > resamples.alpha


DRAWS = 1000
"""Number of draws per system in memory at a time."""


def too_few(scores: Scores, resamples: Resamples) -> list[str]:
    """Return a caution if topics are too few."""
    counts = scores.scored.sum(axis=1)
    design = scores.design
    row, depth = np.unravel_index(counts.argmin(), counts.shape)
    topics = scores.scored[row, :, depth]
    units = int(topics.sum()) if design is None else design.take(topics).clusters
    least = least_first_p(units, samples=resamples.samples)
    if units < 2 or least <= resamples.alpha:
        return []
    of = "topics" if design is None else "clusters of topics"
    return [f"every system could be first: on {units} {of} p is at least {least:.2g}"]


def optimism(scores: Scores, resamples: Resamples) -> dict[str, Any]:
    """Return the attributes on the optimism of the first mean.

    It is estimated for the first metric and depth. In every resample of topics, or clusters, the
    first system exceeds its observed mean by some amount; the optimism is the average over
    resamples. With one topic there are no attributes.
    """
    summary = scores.summaries[0]
    sign = scores.signs[0]

    def excess(values: Array, *design: Design) -> Arrays:
        drawn = resamples.means(values, summary, sign, *design)[:, 0]
        first = drawn == drawn.max(axis=1, keepdims=True)
        above = np.where(first, drawn - scores.means[0, 0], 0).sum(axis=1) / first.sum(axis=1)
        return (above.mean(keepdims=True),)

    if scores.scored[0, :, 0].sum() < 2 or not np.isfinite(scores.means[0, 0]).all():
        return {}
    value = round(float(scores.over(0, slice(0, 1), excess)[0][0]), TIE)
    first = scores.systems[int(best_first(scores.means[0, 0])[0])]
    return {OPTIMISM: value, "first": f"first place flatters {first}'s mean by about {value:.2g}"}
