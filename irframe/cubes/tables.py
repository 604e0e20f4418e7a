"""Frames of scores made anywhere, as arrays, and back."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.as_scores import Scores, as_scores, index_roles, named_metrics, refuse_twice
from irframe.errors import InputError, warn
from irframe.names import DEPTH, METRIC, METRICS, SYSTEM, TOPIC


def to_scores(scores: xr.DataArray | Scores) -> xr.DataArray:
    """Return scores as an array, whatever they came as.

    Parameters
    ----------
    scores
        An array with dimensions among metric, system, topic, depth, at least system and topic;
        or what `as_scores` takes. Of a wide frame the columns that irframe made, or those with
        the names of metrics, or, where none has, all.

    Returns
    -------
    xarray.DataArray
        Dimensions (metric, system, topic) and, if there was one, depth. A pair of system and
        topic that a frame lacks is NaN.

    Raises
    ------
    InputError
        If it is none of these.
    IdError
        If a frame scores a system twice on a topic.
    """
    if isinstance(scores, xr.DataArray):
        return _checked(scores)
    wide = as_scores(scores)
    names = index_roles(wide)
    extra = [name for name in wide.index.names if name not in names.values()]
    levels = names[SYSTEM], names[TOPIC]
    return _laid_out(wide[_metric_columns(wide)].droplevel(extra), levels)


def _metric_columns(frame: pd.DataFrame) -> list[Any]:
    """Return the columns irframe made, else those named like metrics, else all there are."""
    stated = frame.attrs.get(METRICS, ())
    made = [name for name in frame.columns if name in stated]
    if made:
        return made
    named = named_metrics(frame)
    if not named:
        return list(frame.columns)
    others = [str(name) for name in frame.columns.drop(named)]
    if others:
        advice = f"name the metrics in attrs[{METRICS!r}] if they are some"
        warn(f"columns without the name of a metric are left out: {', '.join(others)}; {advice}")
    return named


def _checked(scores: xr.DataArray) -> xr.DataArray:
    missing = {SYSTEM, TOPIC} - set(map(str, scores.dims))
    if missing:
        found = ", ".join(map(str, scores.dims)) or "none"
        raise InputError(f"dimensions {SYSTEM} and {TOPIC}", found)
    if METRIC not in scores.dims:
        name = scores.coords[METRIC].item() if METRIC in scores.coords else scores.name or "score"
        scores = scores.drop_vars(METRIC, errors="ignore").expand_dims({METRIC: [str(name)]})
    order = [METRIC, SYSTEM, TOPIC, *([DEPTH] if DEPTH in scores.dims else [])]
    others = [str(dim) for dim in scores.dims if dim not in order]
    if others:
        raise InputError("dimensions metric, system, topic, depth", "further ones", "", others)
    return scores.transpose(*order)


def _laid_out(frame: pd.DataFrame, names: tuple[Any, Any]) -> xr.DataArray:
    text = [str(name) for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    if text or not frame.size:
        raise InputError(
            "a column of numbers per metric", "columns of other values" * bool(text), "", text
        )
    refuse_twice(frame.index)
    frame = frame.reorder_levels(list(names))
    systems, topics = (frame.index.get_level_values(name).unique() for name in names)
    full = frame.reindex(pd.MultiIndex.from_product([systems, topics]))
    values = full.to_numpy(np.float64).T.reshape(-1, len(systems), len(topics))
    return xr.DataArray(
        values,
        dims=(METRIC, SYSTEM, TOPIC),
        coords={
            METRIC: [str(name) for name in frame.columns],
            SYSTEM: systems.rename(SYSTEM),
            TOPIC: topics.rename(TOPIC),
        },
        name="score",
    )
