"""The pairs of systems that are compared, and the labels that say which these are."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.checks import places
from irframe.errors import ParameterError
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, PAIR, SIDES
from irframe.paired import all_pairs, baseline_pairs
from irframe.scores.scores import Scores

Baselines = Hashable | Sequence[Hashable] | None
"""A system that others are held against, or several in a list."""


def choose_pairs(scores: Scores, baseline: Baselines, *, several: bool = False) -> Array:
    """Return all pairs of systems, or those of each other system with a baseline; (pair, 2).

    Parameters
    ----------
    scores
        The scores.
    baseline
        A baseline, or None for all pairs.
    several
        Whether a list of baselines is taken, which are held against each other once.
    """
    systems = scores.systems
    if several and isinstance(baseline, list):
        return _against_each(systems.tolist(), baseline)
    if baseline is None:
        return all_pairs(len(systems))
    (row,) = places("baseline to be one of the systems", [baseline], systems.tolist())
    return baseline_pairs(len(systems), row)


def _against_each(systems: list[Any], baselines: list[Any]) -> Array:
    """Return the pairs of other systems with each of some baselines, and of these."""
    rows = places("baselines to be some of the systems", baselines, systems)
    if not rows or len(set(rows)) < len(rows):
        found = "some again" if rows else "none"
        raise ParameterError("at least one baseline, each once", found)
    parts = [baseline_pairs(len(systems), row) for row in rows]
    kept = [part[~np.isin(part[:, 0], rows[:n])] for n, part in enumerate(parts)]
    return np.concatenate(kept)


def label_pairs(scores: Scores, pairs: Array) -> dict[str, Any]:
    """Return the columns that say what a row compares, by metric, depth and pair.

    Scores without depths have the depth in the metric's name, or none.
    """
    metrics, _, _, depths = scores.values.shape
    if scores.depths is not None:
        depth = pd.array(np.tile(np.repeat(scores.depths, len(pairs)), metrics), dtype="Int64")
    else:
        own = pd.array([facts(label).depth for label in scores.metrics], dtype="Int64")
        depth = own.repeat(len(pairs))
    repeats = metrics * depths
    return {
        METRIC: pd.Index(scores.metrics).repeat(depths * len(pairs)),
        DEPTH: depth,
        "system_a": scores.systems.take(np.tile(pairs[:, 0], repeats)),
        "system_b": scores.systems.take(np.tile(pairs[:, 1], repeats)),
    }


def pair_labels(scores: Scores, pairs: Array) -> dict[str, Any]:
    """Return coordinates of the dimension of pairs, the two systems of each."""
    sides = zip(SIDES, pairs.T, strict=True)
    return {name: (PAIR, scores.systems.take(side)) for name, side in sides}
