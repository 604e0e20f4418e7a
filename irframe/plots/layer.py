"""The scores of one metric at one depth."""

from typing import Any

import pandas as pd
import xarray as xr

from irframe.cubes.score_arrays import to_scores
from irframe.errors import DepthError
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.plots.canvas import only_metric


def only_layer(
    scores: xr.DataArray | pd.DataFrame, metric: Any = None, depth: int | None = None
) -> tuple[xr.DataArray, str]:
    """Return scores over system and topic, and what to call them.

    Parameters
    ----------
    scores
        Scores, an array or a frame.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth; by default the greatest.

    Raises
    ------
    ParameterError
        If the metric is unknown or left open, listing the metrics.
    DepthError
        For a depth that the scores lack.
    """
    chosen = only_metric(to_scores(scores), metric)
    label = str(chosen[METRIC].item())
    if DEPTH not in chosen.dims:
        if depth is not None:
            raise DepthError("scores by depth", "scores without depths", "leave depth= out")
        return chosen.transpose(SYSTEM, TOPIC), label
    depths = chosen.indexes[DEPTH]
    depth = int(depths.max()) if depth is None else depth
    if depth not in depths:
        known = f"a depth scored, from {depths.min()} to {depths.max()}"
        raise DepthError(known, repr(depth))
    layer = chosen.isel({DEPTH: depths.get_loc(depth)}).transpose(SYSTEM, TOPIC)
    return layer, label_at(label, depth)
