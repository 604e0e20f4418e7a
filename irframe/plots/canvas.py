"""What all figures share: axes on demand, colours, and the choice of one metric."""

from typing import TYPE_CHECKING, Any

import xarray as xr

from irframe.errors import ParameterError
from irframe.metrics.facts import place_of
from irframe.names import METRIC

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Okabe and Ito's palette without its yellow: distinct for colour-blind readers, and in print."""

MARKERS = "os^Dv<>"
"""Markers in the order of the colours."""

FAINT = "#9AA5B1"
"""Colour of what stays in the background."""


def new_axes(ax: "Axes | None", size: tuple[float, float] = (6.4, 4.2)) -> "Axes":
    """Return the axes given, or those of a new figure.

    Parameters
    ----------
    ax
        Axes to draw on, or None.
    size
        Width and height of a new figure, in inches.
    """
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt  # noqa: PLC0415 - costs time at import

    return plt.subplots(figsize=size, layout="constrained")[1]


def only_metric(scores: xr.DataArray, metric: Any = None) -> xr.DataArray:
    """Return the scores of one metric.

    Parameters
    ----------
    scores
        Scores with a dimension metric.
    metric
        Which one; may be left out where there is only one.

    Raises
    ------
    ParameterError
        If the choice is unknown or open, listing the metrics.
    """
    labels = [str(label) for label in scores[METRIC].to_numpy()]
    if metric is None and len(labels) == 1:
        return scores.isel({METRIC: 0})
    place = None if metric is None else place_of(metric, labels)
    if place is None:
        found = "none chosen" if metric is None else repr(str(metric))
        raise ParameterError("metric= to be one of the metrics scored", found, "", labels)
    return scores.isel({METRIC: place})
