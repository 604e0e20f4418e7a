"""Scores averaged over topics, and which of two averages is the better one."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.tables import to_scores
from irframe.errors import DepthError, MetricError, ParameterError
from irframe.metrics import parse_metric
from irframe.names import DEPTH, METRIC, TOPIC


def at_depth(scores: xr.DataArray | pd.DataFrame, at: int | None) -> xr.DataArray:
    """Return scores over (metric, system, topic) at one depth, by default the greatest."""
    array = to_scores(scores)
    if DEPTH not in array.dims:
        if at is not None:
            raise DepthError("scores with a dimension depth for at=", "scores without")
        return array
    depths = array[DEPTH].to_numpy()
    if at is None:
        return array.isel({DEPTH: -1})
    if at not in depths:
        raise DepthError("one of the depths scored", repr(at))
    return array.sel({DEPTH: at})


def is_cost(metric: str) -> bool:
    """Return whether lower is better; of an unknown metric higher is."""
    try:
        return parse_metric(metric).cost
    except MetricError:
        return False


def average(values: Any, metric: str, axis: int = -1) -> Any:
    """Average over topics as the metric is averaged, harmonically or not, without NaN.

    Parameters
    ----------
    values
        Scores, an array.
    metric
        The metric's name.
    axis
        That of the topics.

    Returns
    -------
    numpy.ndarray
        Means; NaN where there is nothing but NaN.
    """
    try:
        kind = parse_metric(metric).summary
    except MetricError:
        kind = "mean"
    there = ~np.isnan(values)
    n = np.where(there.any(axis=axis), there.sum(axis=axis), np.nan)
    if kind == "harmonic":
        return n / np.where(there, 1 / np.where(there, values, 1), 0).sum(axis=axis)
    total = np.where(there, values, 0).sum(axis=axis)
    return total if kind == "sum" else total / n


def averages(scores: xr.DataArray) -> xr.DataArray:
    """Average scores over topics, dimensions (metric, system)."""
    rows = [average(part.to_numpy(), str(part[METRIC].item())) for part in scores]
    kept = scores.isel({TOPIC: 0}, drop=True)
    return kept.copy(data=np.stack(rows))


def metric_labels(scores: xr.DataArray) -> list[str]:
    """Return the names of the metrics."""
    return [str(label) for label in scores[METRIC].to_numpy()]


def position(labels: list[str], wanted: Any, role: str) -> int:
    """Return where a label stands, or raise listing those there are."""
    if str(wanted) not in labels:
        raise ParameterError(f"{role} to be one of those scored", repr(str(wanted)), "", labels)
    return labels.index(str(wanted))
