"""Which systems could be first, and by how much the mean of the first one flatters it."""

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
"""Attribute: by how much the mean of the first system flatters it."""


def could_be_first(scores: Scores, resamples: Resamples) -> Array | None:
    """Return which systems could be first, (metric, depth, system).

    None where differences are generalised over repeats, which this test does not know.
    """
    if scores.repeats is not None and scores.repeats.crossing:
        return None
    size = len(scores.systems) * min(resamples.samples, DRAWS)

    def compute(row: int, depths: slice) -> Array:
        def test(values: Array, *design: Design) -> Arrays:
            known = finite(values, scores.summaries[row]) & scores.known[:, np.newaxis]
            signed, drawn = scores.signs[row] * values, (resamples.samples, resamples.seed)
            return (first_p(signed, known, *design, samples=drawn[0], seed=drawn[1]),)

        return scores.given(row, depths, test)[0].T

    return scores.by_piece(size, compute) > resamples.alpha


DRAWS = 1000
"""Draws that are held of each system at a time."""


def too_few(scores: Scores, resamples: Resamples) -> list[str]:
    """Return a caution if no system could be excluded from first place on so few topics."""
    counts, design = scores.scored.sum(axis=1), scores.design
    row, depth = np.unravel_index(counts.argmin(), counts.shape)
    topics = scores.scored[row, :, depth]
    units = int(topics.sum()) if design is None else design.take(topics).clusters
    least = least_first_p(units, samples=resamples.samples)
    if units < 2 or least <= resamples.alpha:
        return []
    of = "topics" if design is None else "clusters of topics"
    return [f"every system could be first: on {units} {of} p is at least {least:.2g}"]


def optimism(scores: Scores, resamples: Resamples) -> dict[str, Any]:
    """Return the attributes that say by how much the mean of the first system flatters it.

    The mean over resamples of topics, or clusters, of what the system that is first in a resample
    has there above its own mean; of the first metric and depth. Nothing is known of one topic.
    """
    summary, sign = scores.summaries[0], scores.signs[0]

    def excess(values: Array, *design: Design) -> Arrays:
        drawn = resamples.means(values, summary, sign, *design)[:, 0]
        first = drawn == drawn.max(axis=1, keepdims=True)
        gained = np.where(first, drawn - scores.means[0, 0], 0).sum(axis=1) / first.sum(axis=1)
        return (gained.mean(keepdims=True),)

    if scores.scored[0, :, 0].sum() < 2 or not np.isfinite(scores.means[0, 0]).all():
        return {}
    value = round(float(scores.over(0, slice(0, 1), excess)[0][0]), TIE)
    first = scores.systems[int(best_first(scores.means[0, 0])[0])]
    return {OPTIMISM: value, "first": f"first place flatters {first}'s mean by about {value:.2g}"}
