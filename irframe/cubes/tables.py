"""Frames of scores made anywhere, as arrays, and back."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import IdError, InputError, warn
from irframe.metrics.facts import facts
from irframe.names import ALIASES, DEPTH, METRIC, METRICS, SYSTEM, TOPIC

LONG_METRIC = ("metric", "measure")
"""Columns that name the metric in a long frame."""
LONG_VALUE = ("value", "score")
"""Columns that hold the score in a long frame."""


def is_scores(frame: pd.DataFrame) -> bool:
    """Return whether a frame holds scores, wide or long, rather than a run.

    Examples
    --------
    >>> long = pd.DataFrame({"name": "s", "qid": "1", "measure": "AP", "value": [0.5]})
    >>> is_scores(long)
    True
    """
    return _index_roles(frame) is not None or _long_columns(frame) is not None


def to_scores(scores: xr.DataArray | pd.DataFrame) -> xr.DataArray:
    """Return scores as an array, whatever they came as.

    Parameters
    ----------
    scores
        An array with dimensions among metric, system, topic, depth, at least system and topic;
        or a frame, wide (index system and topic, a numeric column per metric) or long (system,
        topic, ``measure``, ``value``). Of a wide frame the columns that irframe made, or those
        with the names of metrics, or, where none has, all.

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
    if not isinstance(scores, pd.DataFrame):
        raise InputError("scores: a DataArray or a DataFrame", type(scores).__name__)
    wide = scores if _index_roles(scores) else _widen(scores)
    names = _index_roles(wide)
    if names is None:
        message = "scores indexed by system and topic, or in columns system, topic, measure, value"
        raise InputError(message, "the columns", "", map(str, scores.columns))
    extra = [name for name in wide.index.names if name not in names]
    return _laid_out(wide[_metric_columns(wide)].droplevel(extra), names)


def _metric_columns(frame: pd.DataFrame) -> list[Any]:
    """Return the columns irframe made, else those named like metrics, else all there are."""
    stated = frame.attrs.get(METRICS, ())
    made = [name for name in frame.columns if name in stated]
    if made:
        return made
    named = [name for name in frame.columns if isinstance(name, str) and facts(name).known]
    if not named:
        return list(frame.columns)
    others = [str(name) for name in frame.columns.drop(named)]
    if others:
        advice = f"name the metrics in attrs[{METRICS!r}] if they are some"
        warn(f"columns without the name of a metric are left out: {', '.join(others)}; {advice}")
    return named


def system_name(frame: pd.DataFrame) -> Any:
    """Return the caller's name for the systems of a frame of scores, wide or long."""
    for names in (frame.index.names, frame.columns):
        found = [name for name in ALIASES[SYSTEM] if name in names]
        if found:
            return found[0]
    return SYSTEM


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
        raise InputError("dimensions metric, system, topic, depth", "others", "", others)
    return scores.transpose(*order)


def _index_roles(frame: pd.DataFrame) -> tuple[Any, Any] | None:
    """Return the index levels of a wide frame that hold system and topic."""
    found = []
    for role in (SYSTEM, TOPIC):
        names = [name for name in frame.index.names if name in ALIASES[role]]
        if not names:
            return None
        found.append(names[0])
    return found[0], found[1]


def _long_columns(frame: pd.DataFrame) -> tuple[Any, Any] | None:
    metric = [name for name in LONG_METRIC if name in frame.columns]
    value = [name for name in LONG_VALUE if name in frame.columns]
    topic = [name for name in ALIASES[TOPIC] if name in frame.columns]
    return (metric[0], value[0]) if metric and value and topic else None


def _widen(frame: pd.DataFrame) -> pd.DataFrame:
    columns = _long_columns(frame)
    if columns is None:
        return frame
    system = [name for name in ALIASES[SYSTEM] if name in frame.columns]
    if not system:
        frame, system = frame.assign(**{SYSTEM: "run"}), [SYSTEM]
    topic = next(name for name in ALIASES[TOPIC] if name in frame.columns)
    keys = [system[0], topic]
    frame = frame.assign(**{columns[0]: frame[columns[0]].map(str)})
    _refuse_twice(frame.set_index([*keys, columns[0]]).index)
    wide = frame.pivot(index=keys, columns=columns[0], values=columns[1])  # noqa: PD010
    index = pd.MultiIndex.from_frame(frame[keys]).drop_duplicates()
    return pd.DataFrame(wide.loc[index, frame[columns[0]].unique()])


def _refuse_twice(index: pd.Index) -> None:
    again = index[index.duplicated()]
    if len(again):
        raise IdError("one score per system and topic", f"{len(again)} again", "", again)


def _laid_out(frame: pd.DataFrame, names: tuple[Any, Any]) -> xr.DataArray:
    text = [str(name) for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    if text or not frame.size:
        raise InputError("a column of numbers per metric", "others", "", text)
    _refuse_twice(frame.index)
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
