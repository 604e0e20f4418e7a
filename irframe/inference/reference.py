"""What scores are held against: one of their depths, one of their metrics, or other scores."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import DepthError, ParameterError
from irframe.inference.deferred import telling_of
from irframe.inference.lazily import is_lazy
from irframe.inference.matched import Array, Matched
from irframe.inference.matching import (
    Depths,
    match_read,
    matched_in,
    read_scores,
    select_depths,
    tell_topics,
)
from irframe.metrics.base import Metric
from irframe.metrics.facts import facts, place_of
from irframe.metrics.parse_metric import parse_metric
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC

Reference = int | str | Metric | xr.DataArray | pd.DataFrame


def match_reference(
    scores: xr.DataArray | pd.DataFrame, reference: Any, at: Depths = None
) -> tuple[Matched, Matched]:
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
    new, reference : Matched
        The same systems in the same order. The reference has one metric or those of the
        scores, and one depth or those kept.

    Raises
    ------
    ParameterError
        For an unknown metric, or other systems or metrics than those of the scores.
    DepthError
        For depths outside the scores.
    """
    array = read_scores(scores)
    if isinstance(reference, xr.DataArray | pd.DataFrame):
        array, other = _alike(array, _like(array, read_scores(reference)))
    elif isinstance(reference, int | np.integer) and not isinstance(reference, bool):
        other = select_depths(array, int(reference))
    else:
        other = pick_metric(array, reference)
    new = array if at is None else select_depths(array, at)
    if other.sizes.get(DEPTH, 1) > 1:
        if DEPTH not in new.dims:
            raise DepthError("a reference without depths, as the scores", "several depths")
        other = select_depths(other, new.indexes[DEPTH].tolist())
    return share_topics(new, other)


def share_topics(scores: xr.DataArray, other: xr.DataArray) -> tuple[Matched, Matched]:
    """Match scores and others on the topics that every system has on both sides.

    Parameters
    ----------
    scores, other
        Scores of the same systems; the others have one metric and depth, or as many. Sides
        without a topic in common are left as they are.

    Returns
    -------
    scores, other : Matched
        Both sides, without a score wherever some system has none on either.
    """
    here, there = scores.indexes[TOPIC], other.indexes[TOPIC]
    both = here.intersection(there, sort=False)
    if not len(both):
        return _each(scores, other)
    sides = [_at_topics(side, both) for side in (scores, other)]
    scored = [matched_in(side).scored for side in sides]
    shared = scored[0] & scored[1]
    if is_lazy(shared) or not all((shared == one).all() for one in scored):
        sides = [_blank(_widen(side, shared), shared) for side in sides]
    return match_read(sides[0]), match_read(sides[1], quiet=True)


def share_depths(scores: xr.DataArray, other: xr.DataArray) -> tuple[Matched, Matched]:
    """Match scores and others on the topics that every system has at every depth on both sides.

    Parameters
    ----------
    scores, other
        Scores of the same systems by depth; the others have one metric, or as many. Sides
        without a topic in common are left as they are.

    Returns
    -------
    scores, other : Matched
        Both sides, without a score wherever some system has none on either.
    """
    if other is not scores:
        scores, other = _alike(scores, other)
    new = match_read(scores, quiet=True)
    held = new if other is scores else match_read(other, quiet=True)
    same = scores.indexes[TOPIC].equals(other.indexes[TOPIC])
    lazy = any(is_lazy(side.scored) for side in (new, held))
    if same and not lazy and new.scored.all() and held.scored.all():
        tell_topics(new)
        return new, held
    both = scores.indexes[TOPIC].intersection(other.indexes[TOPIC], sort=False)
    if not len(both):
        return _each(scores, other)
    sides = [_at_topics(side.array, both) for side in (new, held)]
    scored = [matched_in(side).scored.all(axis=2, keepdims=True) for side in sides]
    shared: Any = scored[0] & scored[1]
    kept = [shared, shared if len(sides[1]) > 1 else np.all(shared, axis=0, keepdims=True)]
    blanked = [_blank(side, each) for side, each in zip(sides, kept, strict=True)]
    matched = match_read(blanked[0])
    return matched, matched if other is scores else match_read(blanked[1], quiet=True)


def _each(scores: xr.DataArray, other: xr.DataArray) -> tuple[Matched, Matched]:
    """Match scores and others on the topics of their own."""
    new, held = match_read(scores), match_read(other)
    return telling_of(new, new, held), held


def _alike(scores: xr.DataArray, other: xr.DataArray) -> tuple[xr.DataArray, xr.DataArray]:
    """Return both sides lazy if one of them is, else both in memory."""
    if is_lazy(scores) or is_lazy(other):
        return scores.chunk(), other.chunk()
    return scores.compute(), other.compute()


def _at_topics(side: xr.DataArray, topics: pd.Index) -> xr.DataArray:
    return side if side.indexes[TOPIC].equals(topics) else side.sel({TOPIC: topics})


def _widen(side: xr.DataArray, shared: Array) -> xr.DataArray:
    """Repeat a single metric or depth as often as there are shared ones."""
    if DEPTH not in side.dims and shared.shape[2] > 1:
        bare = side.drop_vars(DEPTH, errors="ignore")
        side = bare.expand_dims({DEPTH: shared.shape[2]}, axis=-1)
    wanted = {METRIC: shared.shape[0], DEPTH: shared.shape[2]}
    few = {dim: [0] * n for dim, n in wanted.items() if side.sizes.get(dim, n) < n}
    return side.isel(few)


def _blank(side: xr.DataArray, shared: Array) -> xr.DataArray:
    kept = shared if DEPTH in side.dims else shared[..., 0]
    if not is_lazy(kept) and kept.all():
        return side
    return side.copy(data=np.where(kept[:, np.newaxis], side.data, np.nan))


def pick_metric(scores: xr.DataArray, metric: Any) -> xr.DataArray:
    """Return the scores of one metric, at one depth if its label names one.

    Parameters
    ----------
    scores
        Scores with a dimension metric.
    metric
        A metric or its label, which may add a depth of the scores, as in ``"AP@10"``.

    Returns
    -------
    xarray.DataArray
        Scores with a single metric.
    """
    labels = [str(label) for label in scores[METRIC].to_numpy()]
    place = place_of(metric, labels)
    if place is not None:
        return scores.isel({METRIC: [place]})
    name, depth = _without_depth(metric)
    place = place_of(name, labels)
    if place is not None and DEPTH in scores.dims:
        if depth not in scores.indexes[DEPTH].astype(str):
            raise DepthError("a depth of the scores", repr(metric))
        chosen = scores.indexes[DEPTH].astype(str).get_loc(depth)
        return scores.isel({METRIC: [place], DEPTH: [chosen]})
    raise ParameterError("a depth, a metric of the scores or scores", repr(metric), "", labels)


def _without_depth(metric: Any) -> tuple[Any, str]:
    """Return a metric without the depth that it names, and this depth."""
    known = facts(metric)
    if known.depth is not None:
        return replace(parse_metric(metric), depth=None), str(known.depth)
    name, _, depth = metric.rpartition("@") if isinstance(metric, str) else ("", "", "")
    return name, depth


def same_systems(scores: xr.DataArray, other: xr.DataArray) -> xr.DataArray:
    """Return other scores with the systems in the order of the scores; refuse other systems."""
    here, there = scores.indexes[SYSTEM], other.indexes[SYSTEM]
    differing = [*here.difference(there, sort=False), *there.difference(here, sort=False)]
    if differing:
        advice = "choose the systems that both have"
        found = f"{len(differing)} of one side only"
        raise ParameterError("the same systems in both scores", found, advice, differing)
    return other.isel({SYSTEM: there.get_indexer(here)})


def _like(scores: xr.DataArray, other: xr.DataArray) -> xr.DataArray:
    other = same_systems(scores, other)
    if other.sizes[METRIC] == 1:
        return other
    here, there = scores.indexes[METRIC], other.indexes[METRIC]
    missing = here.difference(there, sort=False)
    if len(missing):
        wanted = "a single metric in the reference, or all those of the scores"
        raise ParameterError(wanted, "none for", "choose one", missing)
    return other.isel({METRIC: there.get_indexer(here)})
