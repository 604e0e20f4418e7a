"""Curves of ratios by evaluation depth."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH
from irframe.plots.canvas import (
    legend_beside,
    log_depths,
    mark_depth,
    new_axes,
    pool_depth_of,
    series_style,
    subtitle,
)
from irframe.tables.captions import told_decision

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def ratio_curves(
    values: xr.DataArray,
    *,
    log: bool = True,
    pool_depth: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw a quantity by evaluation depth: a curve per metric, and per group.

    Also called as ``values.ireval.plot.ratio_curves()``.

    Parameters
    ----------
    values
        What `discrimination`, `median_p`, `coverage`, `inversions` or `agreement` with a
        reference give: values over depth, and metric or group.
    log
        Whether depth has a logarithmic scale.
    pool_depth
        Depth of the pool, marked by a dotted line; by default the cube's.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one line per metric and group.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RBP(p=0.8)")
    >>> ax = scores.ireval.coverage(reference=10).ireval.plot.ratio_curves()
    >>> ax.get_ylabel(), len(ax.get_legend().get_texts())
    ('coverage ratio', 3)
    """
    if not isinstance(values, xr.DataArray) or DEPTH not in values.dims:
        found = ", ".join(map(str, getattr(values, "dims", ()))) or type(values).__name__
        raise InputError("values with a dimension depth", found)
    ax = new_axes(ax, figsize=figsize)
    others = [str(dim) for dim in values.dims if dim != DEPTH]
    depths = values[DEPTH].to_numpy()
    curves = values.transpose(*others, DEPTH)
    for number, place in enumerate(np.ndindex(curves.shape[:-1])):
        curve = curves[place]
        label = ", ".join(str(curve[dim].item()) for dim in others)
        ax.plot(depths, curve, linewidth=1.8, label=label, **series_style(number))
    mark_depth(ax, pool_depth_of(values, pool_depth))
    ax.set(xlabel="evaluation depth k", ylabel=str(values.name or "ratio"))
    log_depths(ax, depths, log=log)
    subtitle(ax, told_decision(values.attrs))
    legend_beside(ax)
    return ax
