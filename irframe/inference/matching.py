"""Scores of the same systems on the same topics, ready to be compared."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import listed, places
from irframe.cubes.score import refuse_repeated_depths
from irframe.cubes.tables import to_scores
from irframe.errors import DepthError, ParameterError, warn
from irframe.inference.deferred import Deferred
from irframe.inference.left_out import attendance, left_out, refuse_infinite
from irframe.inference.matched import Array, Matched
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, PAIR, SIDES, SYSTEM
from irframe.paired import all_pairs, baseline_pairs

Depths = int | Sequence[int] | None


def match_topics(
    scores: xr.DataArray | pd.DataFrame, at: Depths = None, *, quiet: bool = False
) -> Matched:
    """Read scores for a comparison of systems.

    Parameters
    ----------
    scores
        An array or a frame of scores.
    at
        Depths to keep; by default all.
    quiet
        Whether topics left out are nobody's news, because the other side has told of them.

    Returns
    -------
    Matched
        The scores, with what is needed to compare systems on the same topics. Lazy scores stay
        lazy, and are checked when they are computed.

    Raises
    ------
    ParameterError
        If there are fewer than two systems, or a metric has no topic on which all have a score.
    InputError
        For infinite scores, listing the metrics.
    DepthError
        For depths that the scores lack.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, or only one remains.
    """
    return match_read(read_scores(scores), at, quiet=quiet)


def match_read(array: xr.DataArray, at: Depths = None, *, quiet: bool = False) -> Matched:
    """Do what `match_topics` does with scores that were read, labels of which may be repeated."""
    if at is not None:
        array = select_depths(array, at)
    if array.sizes[SYSTEM] < 2:
        raise ParameterError("at least two systems to compare", f"{array.sizes[SYSTEM]}")
    matched = matched_in(array)
    if isinstance(matched, Deferred):
        return matched if quiet else matched.telling()
    refuse_infinite(matched.metrics, matched.scores)
    if not quiet:
        tell_topics(matched)
    return matched


def matched_in(array: xr.DataArray) -> Matched:
    """Return scores as they come: lazy ones lazily."""
    return Matched(array.compute()) if array.chunks is None else Deferred(array)


Baselines = Hashable | Sequence[Hashable] | None
"""A system that others are held against, or several in a list."""


def choose_pairs(matched: Matched, baseline: Baselines, *, several: bool = False) -> Array:
    """Return all pairs of systems, or those of each other system with a baseline; (pair, 2).

    Parameters
    ----------
    matched
        The scores.
    baseline
        A baseline, or None for all pairs.
    several
        Whether a list of baselines is taken, which are held against each other once.
    """
    systems = matched.systems
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


def label_pairs(matched: Matched, pairs: Array) -> dict[str, Any]:
    """Return the columns that say what a row compares, by metric, depth and pair.

    Scores without depths have the depth in the metric's name, or none.
    """
    metrics, _, _, depths = matched.scores.shape
    if DEPTH in matched.array.dims:
        labels = matched.array.indexes[DEPTH]
        depth = pd.array(np.tile(np.repeat(labels, len(pairs)), metrics), dtype="Int64")
    else:
        own = pd.array([facts(label).depth for label in matched.metrics], dtype="Int64")
        depth = own.repeat(len(pairs))
    repeats = metrics * depths
    return {
        METRIC: pd.Index(matched.metrics).repeat(depths * len(pairs)),
        DEPTH: depth,
        "system_a": matched.systems.take(np.tile(pairs[:, 0], repeats)),
        "system_b": matched.systems.take(np.tile(pairs[:, 1], repeats)),
    }


def pair_labels(matched: Matched, pairs: Array) -> dict[str, Any]:
    """Return coordinates of the dimension of pairs, the two systems of each."""
    sides = zip(SIDES, pairs.T, strict=True)
    return {name: (PAIR, matched.systems.take(side)) for name, side in sides}


def read_scores(scores: xr.DataArray | pd.DataFrame) -> xr.DataArray:
    """Return scores as an array with a label for everything; places count from 1."""
    array = to_scores(scores)
    missing = [dim for dim in array.dims if dim not in array.coords]
    return array.assign_coords({dim: np.arange(1, array.sizes[dim] + 1) for dim in missing})


def select_depths(array: xr.DataArray, at: int | Sequence[int]) -> xr.DataArray:
    """Return scores at some depths, in the order asked for; those not scored are named."""
    if DEPTH not in array.dims:
        advice = "leave at= out; each metric stands for the depth in its name"
        raise DepthError("scores by depth", "scores without depths", advice)
    asked = listed(at)
    index = array.indexes[DEPTH]
    wanted = f"depths scored, each once, from {index.min()} to {index.max()}"
    missing = [depth for depth in asked if depth not in index]
    if missing or not asked:
        deeper = any(np.isreal(depth) and depth > index.max() for depth in missing)
        advice = "score deeper, or ask for less" if deeper else "ask for some of those scored"
        found = f"{len(missing)} not scored" if missing else "none"
        raise DepthError(wanted, found, advice, missing)
    refuse_repeated_depths(asked, wanted)
    return array.isel({DEPTH: index.get_indexer(pd.Index(asked))})


def tell_topics(matched: Matched) -> None:
    """Raise if a metric has no topics to compare systems on, and warn of those it leaves out."""
    for message in left_out(attendance(matched)):
        warn(message)
