"""What scores are held against: one of their depths, one of their metrics, or other scores."""

import contextlib
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import DepthError, MetricError, ParameterError
from irframe.inference.matching import Depths, Matched, match_topics, read_scores
from irframe.metrics import parse_metric
from irframe.metrics.base import Metric
from irframe.names import DEPTH, METRIC, SYSTEM

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
        other = _like(array, read_scores(reference))
    elif isinstance(reference, int | np.integer) and not isinstance(reference, bool):
        return match_topics(array, at), match_topics(array, int(reference))
    else:
        other = pick_metric(array, reference)
    if other.sizes.get(DEPTH, 1) == 1:
        return match_topics(array, at), match_topics(other)
    new = match_topics(array, at)
    depths = new.array.indexes.get(DEPTH)
    if depths is None:
        raise DepthError("a reference without depths, as the scores", "several depths")
    return new, match_topics(other, depths.tolist())


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
    names = [metric] if isinstance(metric, str) else []
    with contextlib.suppress(MetricError):
        names.append(str(parse_metric(metric)))
    for name in names:
        if name in labels:
            return scores.isel({METRIC: [labels.index(name)]})
    name, _, depth = names[-1].rpartition("@") if names else ("", "", "")
    if name in labels and DEPTH in scores.dims:
        if depth not in scores.indexes[DEPTH].astype(str):
            raise DepthError("a depth of the scores", repr(metric))
        chosen = scores.indexes[DEPTH].astype(str).get_loc(depth)
        return scores.isel({METRIC: [labels.index(name)], DEPTH: [chosen]})
    raise ParameterError("a depth, a metric of the scores or scores", repr(metric), "", labels)


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
