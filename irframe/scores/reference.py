"""What scores are held against, and the pairs of systems that are compared."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import is_whole, places
from irframe.errors import DepthError, ParameterError
from irframe.metrics.base import Metric
from irframe.metrics.facts import facts, place_of
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, METRIC, PAIR, SIDES
from irframe.paired import all_pairs, baseline_pairs
from irframe.scores.read_scores import (
    Depths,
    read_scores,
    scores_to_compare,
    select_depths,
)
from irframe.scores.scores import Scores, in_memory

Reference = int | str | Metric | xr.DataArray | pd.DataFrame


def match_reference(
    scores: xr.DataArray | pd.DataFrame | Scores, reference: Any, at: Depths = None
) -> tuple[Scores, Scores]:
    """Read scores, and the reference they are held against.

    Parameters
    ----------
    scores
        Scores.
    reference
        A depth of the scores; a metric of theirs (``"AP"`` depth by depth, ``"AP@10"`` that
        depth of it); or other scores of the same systems.
    at
        Depths of the scores to keep.

    Returns
    -------
    new, reference : Scores
        The same systems in the same order. The reference has one metric or those of the
        scores, and one depth or those kept.

    Raises
    ------
    ParameterError
        For an unknown metric, or other systems or metrics than those of the scores.
    DepthError
        For depths outside the scores.
    """
    read = read_scores(scores)
    if isinstance(reference, xr.DataArray | pd.DataFrame | Scores):
        other = same_systems(read, read_scores(reference))
        if len(other.metrics) > 1:
            missing = [metric for metric in read.metrics if metric not in other.metrics]
            if missing:
                wanted = "a single metric in the reference, or all those of the scores"
                raise ParameterError(wanted, "none for", "choose one", missing)
            other = other.take(metric=[other.metrics.index(metric) for metric in read.metrics])
    elif is_whole(reference):
        other = select_depths(read, int(reference))
    else:
        other = pick_metric(read, reference)
    new = read if at is None else select_depths(read, at)
    if other.values.shape[3] > 1:
        if new.depths is None:
            raise DepthError("a reference without depths, as the scores", "several depths")
        other = select_depths(other, new.depths.tolist())
    return share_topics(new, other)


def share_topics(scores: Scores, other: Scores) -> tuple[Scores, Scores]:
    """Match scores and others on the topics that every system has on both sides.

    Parameters
    ----------
    scores, other
        Scores of the same systems; the others have one metric and depth, or as many. Sides
        without a topic in common are left as they are.

    Returns
    -------
    scores, other : Scores
        Both sides, without a score wherever some system has none on either.
    """
    scores, other = in_memory(scores, other)
    both = scores.topics.intersection(other.topics, sort=False)
    if not len(both):
        return scores_to_compare(scores), scores_to_compare(other)
    sides = [_at_topics(side, both) for side in (scores, other)]
    shared = sides[0].scored & sides[1].scored
    if not all((shared == side.scored).all() for side in sides):
        sides = [_widen(side, shared).where(shared) for side in sides]
    return scores_to_compare(sides[0]), scores_to_compare(sides[1], quiet=True)


def share_depths(scores: Scores, other: Scores) -> tuple[Scores, Scores]:
    """Match scores and others on the topics that every system has at every depth on both sides.

    Parameters
    ----------
    scores, other
        Scores of the same systems by depth; the others have one metric, or as many. Sides
        without a topic in common are left as they are.

    Returns
    -------
    scores, other : Scores
        Both sides, without a score wherever some system has none on either.
    """
    scores, other = in_memory(scores, other)
    both = scores.topics.intersection(other.topics, sort=False)
    if not len(both):
        return scores_to_compare(scores), scores_to_compare(other)
    sides = [_at_topics(side, both) for side in (scores, other)]
    scored = [side.scored.all(axis=2, keepdims=True) for side in sides]
    shared: Any = scored[0] & scored[1]
    one = len(sides[1].metrics) == 1
    kept = [shared, np.all(shared, axis=0, keepdims=True) if one else shared]
    blanked = [side.where(mask) for side, mask in zip(sides, kept, strict=True)]
    paired = scores_to_compare(blanked[0])
    return paired, paired if other is scores else scores_to_compare(blanked[1], quiet=True)


def _at_topics(side: Scores, topics: pd.Index) -> Scores:
    same = side.topics.equals(topics)
    return side if same else side.take(topic=side.topics.get_indexer(topics))


def _widen(side: Scores, shared: Array) -> Scores:
    """Repeat a single metric or depth as often as there are shared ones."""
    metrics, _, depths = shared.shape
    if side.depths is None and depths > 1:
        side = replace(side, depths=pd.RangeIndex(1, 2))
    return side.take(
        metric=[0] * metrics if len(side.metrics) < metrics else None,
        depth=[0] * depths if side.values.shape[3] < depths else None,
    )


def pick_metric(scores: Scores, metric: Any) -> Scores:
    """Return the scores of one metric, at one depth if its label names one.

    Parameters
    ----------
    scores
        Scores by several metrics.
    metric
        A metric or its label, which may add a depth of the scores, as in ``"AP@10"``.

    Returns
    -------
    Scores
        Those by a single metric.
    """
    place = place_of(metric, scores.metrics)
    if place is not None:
        return scores.take(metric=[place])
    name: Any
    if (known := facts(metric).depth) is not None:
        name, depth = replace(parse_metric(metric), depth=None), str(known)
    else:
        name, _, depth = metric.rpartition("@") if isinstance(metric, str) else ("", "", "")
    place = place_of(name, scores.metrics)
    if place is not None and scores.depths is not None:
        depths = scores.depths.astype(str)
        if depth not in depths:
            raise DepthError("a depth of the scores", repr(metric))
        return scores.take(metric=[place], depth=depths.get_indexer(pd.Index([depth])))
    wanted = "a depth, a metric of the scores or scores"
    raise ParameterError(wanted, repr(metric), "", scores.metrics)


def same_systems(scores: Scores, other: Scores) -> Scores:
    """Return other scores with the systems in the order of the scores; refuse other systems."""
    here, there = scores.systems, other.systems
    differing = [*here.difference(there, sort=False), *there.difference(here, sort=False)]
    if differing:
        advice = "choose the systems that both have"
        found = f"{len(differing)} of one side only"
        raise ParameterError("the same systems in both scores", found, advice, differing)
    return other.take(system=there.get_indexer(here))


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
    systems = scores.systems.tolist()
    if baseline is None:
        return all_pairs(len(systems))
    if not (several and isinstance(baseline, list)):
        (row,) = places("baseline to be one of the systems", [baseline], systems)
        return baseline_pairs(len(systems), row)
    rows = places("baselines to be some of the systems", baseline, systems)
    if not rows or len(set(rows)) < len(rows):
        raise ParameterError("at least one baseline, each once", "some again" if rows else "none")
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
