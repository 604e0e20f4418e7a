"""What the maps of correlations share: binned colours, in which 0.9 stands out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import ParameterError
from irframe.tables.captions import told_method

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import BoundaryNorm, Colormap

LEVELS = (-1.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Borders of the bins; orderings above 0.9 customarily count as equivalent."""
BELOW = ("#7F2704", "#FFF0E0")
"""Colours from the lowest bin to the last below 0.9."""
ABOVE = ("#C6DBEF", "#4292C6")
"""Colours from the first bin above 0.9 to the highest."""
UNDEFINED = "#D5D8DC"
"""Colour of undefined correlations."""
THRESHOLD = 0.9


def bins(levels: Sequence[float]) -> "tuple[Colormap, BoundaryNorm]":
    """Return colours for bins, warm up to 0.9 and cool above.

    Parameters
    ----------
    levels
        Borders of the bins, ascending, at least two.
    """
    from matplotlib.colors import (  # noqa: PLC0415 - costs time at import
        BoundaryNorm,
        LinearSegmentedColormap,
        ListedColormap,
    )

    borders = np.asarray(levels, dtype=float)
    if borders.ndim != 1 or len(borders) < 2 or not (np.diff(borders) > 0).all():
        raise ParameterError("levels that ascend, at least two", repr(levels))
    below = int((borders[:-1] < THRESHOLD).sum())
    colours: list[Any] = []
    for ends, count in ((BELOW, below), (ABOVE, len(borders) - 1 - below)):
        shades = LinearSegmentedColormap.from_list("", list(ends))
        colours += [shades(place) for place in np.linspace(0, 1, count)]
    colourmap = ListedColormap(colours).with_extremes(bad=UNDEFINED)
    return colourmap, BoundaryNorm(borders, len(colours))


def add_scale(ax: "Axes", mesh: Any, values: xr.DataArray, levels: Sequence[float]) -> None:
    """Add the colour scale, labelled by the method of agreement."""
    figure = ax.get_figure()
    scale = figure.colorbar(mesh, ax=ax, ticks=list(levels), spacing="uniform")  # type: ignore[union-attr]
    scale.set_label(told_method(values.attrs) or "agreement")


def only_matrix(values: xr.DataArray, rows: str, columns: str) -> xr.DataArray:
    """Return a matrix without further dimensions, or say which ones are left to choose."""
    missing = {rows, columns} - set(map(str, values.dims))
    if missing:
        raise ParameterError(f"a matrix over {rows} and {columns}", "no", "", sorted(missing))
    others = [str(dim) for dim in values.dims if dim not in {rows, columns}]
    left = [dim for dim in others if values.sizes[dim] > 1]
    if left:
        advice = "choose with .sel(...)"
        raise ParameterError(f"one matrix over {rows} and {columns}", "several", advice, left)
    return values.squeeze(others).transpose(rows, columns)
