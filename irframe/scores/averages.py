"""Scores averaged over topics, and which of two averages is the better one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import listed
from irframe.cubes.by_group import join_frames
from irframe.cubes.score import refuse_repeated_depths
from irframe.cubes.score_arrays import to_scores
from irframe.errors import DepthError, ParameterError
from irframe.metrics import facts as averaging
from irframe.metrics.facts import average, facts, place_of
from irframe.names import DEPTH, METRIC, TOPIC
from irframe.paired.differences import hc2
from irframe.scores.scores import Scores


def at_depth(array: xr.DataArray, at: Any) -> xr.DataArray:
    """Return scores over (metric, system, topic) at one depth, by default the greatest."""
    if DEPTH not in array.dims:
        if at is not None:
            raise DepthError("scores with a dimension depth for at=", "scores without")
        return array
    if at is None:
        return array.isel({DEPTH: -1})
    depths = array.indexes[DEPTH].tolist()
    if isinstance(at, bool) or at not in depths:
        raise DepthError("at, some of the depths scored", repr(at), "", map(str, depths))
    return array.isel({DEPTH: depths.index(at)})


def by_depth(
    function: Callable[[xr.DataArray], pd.DataFrame],
    scores: xr.DataArray | pd.DataFrame,
    at: Any,
) -> pd.DataFrame:
    """Return a frame of scores at one depth; for a list of depths a column says which.

    Parameters
    ----------
    function
        Makes a frame of scores over (metric, system, topic).
    scores
        Scores.
    at
        A depth, by default the greatest; or several, each once.

    Raises
    ------
    DepthError
        For depths that were not scored, and none.
    """
    array = to_scores(scores)
    if np.ndim(at) == 0:
        return function(at_depth(array, at))
    depths = listed(at)
    if not depths:
        raise DepthError("at, some of the depths scored", "none")
    refuse_repeated_depths(depths, "depths scored, each once")
    return join_frames({depth: function(at_depth(array, depth)) for depth in depths}, DEPTH)


def averages(scores: xr.DataArray) -> xr.DataArray:
    """Average scores over topics, every metric as it is averaged, without missing scores.

    Parameters
    ----------
    scores
        Scores over topics and any other dimensions; one metric's have no dimension metric.

    Returns
    -------
    xarray.DataArray
        The same without topics; NaN where there is nothing to average.
    """
    if METRIC in scores.dims:
        rows = [averages(row) for row in scores.compute().transpose(METRIC, ...)]
        return xr.concat(rows, dim=METRIC).transpose(*(dim for dim in scores.dims if dim != TOPIC))
    summary = facts(scores[METRIC].item()).summary
    found: xr.DataArray = xr.apply_ufunc(
        partial(average, summary=summary),
        scores.compute(),
        input_core_dims=[[TOPIC]],
        keep_attrs=True,
    )
    return found


def moments(scores: Scores) -> list[Any]:
    """Count and average scores over topics, and add up squares of what they are off by.

    Parameters
    ----------
    scores
        Scores.

    Returns
    -------
    list of array
        The number of scores, their average, and the sum of squares about it; each of shape
        (metric, system, depth). With weights of topics also the degrees of
        freedom, and how many topics of equal weight would be as good.
    """
    if scores.weights is not None:
        return list(_weighted_moments(scores.values, scores.weights))
    rows = zip(np.moveaxis(scores.values, 2, 3), scores.summaries, strict=True)
    return [np.stack(part) for part in zip(*(averaging.moments(*row) for row in rows), strict=True)]


def _weighted_moments(values: Any, weights: Any) -> tuple[Any, ...]:
    """Return moments so that squares / (n (n - 1)) is the variance of a weighted mean."""
    values = np.moveaxis(values, 2, -1)
    there = np.where(np.isnan(values), 0.0, weights)
    n, filled, sure = np.count_nonzero(there, axis=-1), np.where(there > 0, values, 0.0), hc2(there)
    with np.errstate(invalid="ignore"):
        mean = (there * filled).sum(axis=-1) / there.sum(axis=-1)
    variance = (sure.shares * (filled - mean[..., np.newaxis]) ** 2).sum(axis=-1)
    return n, mean, np.where(n > 1, n * (n - 1) * variance, 0.0), sure.freedom, sure.topics


def metric_labels(scores: xr.DataArray) -> list[str]:
    """Return the names of the metrics."""
    return [str(label) for label in scores[METRIC].to_numpy()]


def position(labels: list[str], wanted: Any, role: str) -> int:
    """Return where a label stands, or raise listing those there are."""
    place = place_of(wanted, labels)
    if place is None:
        raise ParameterError(f"{role} to be one of those scored", repr(str(wanted)), "", labels)
    return place
