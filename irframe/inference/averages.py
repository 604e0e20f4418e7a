"""Scores averaged over topics, and which of two averages is the better one."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.tables import to_scores
from irframe.errors import DepthError, ParameterError
from irframe.metrics.averaging import average
from irframe.metrics.facts import facts, place_of
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
        rows = [averages(row) for row in scores.transpose(METRIC, ...)]
        return xr.concat(rows, dim=METRIC).transpose(*(dim for dim in scores.dims if dim != TOPIC))
    result: xr.DataArray = xr.apply_ufunc(
        average,
        scores,
        input_core_dims=[[TOPIC]],
        kwargs={"summary": facts(scores[METRIC].item()).summary},
        dask="parallelized",
        dask_gufunc_kwargs={"allow_rechunk": True},
        output_dtypes=[np.float64],
        keep_attrs=True,
    )
    return result


def metric_labels(scores: xr.DataArray) -> list[str]:
    """Return the names of the metrics."""
    return [str(label) for label in scores[METRIC].to_numpy()]


def position(labels: list[str], wanted: Any, role: str) -> int:
    """Return where a label stands, or raise listing those there are."""
    place = place_of(wanted, labels)
    if place is None:
        raise ParameterError(f"{role} to be one of those scored", repr(str(wanted)), "", labels)
    return place
