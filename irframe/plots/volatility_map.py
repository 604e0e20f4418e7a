"""Map of the correlations between orderings at every two depths."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.names import DEPTH, METRIC
from irframe.plots.canvas import new_axes, only_metric, pool_depth_of, subtitle
from irframe.plots.heat_map import LEVELS, add_scale, bins, only_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER = "depth_other"


def volatility_map(
    matrix: xr.DataArray,
    *,
    metric: Any = None,
    levels: Sequence[float] = LEVELS,
    pool_depth: int | None = None,
    log: bool = False,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw a volatility matrix: blue where two depths order the systems equivalently.

    Also called as ``matrix.ireval.plot.volatility_map()``.

    Parameters
    ----------
    matrix
        Volatility matrices, from `irframe.verbs.volatility`, of one metric or of two.
    metric
        Which metric; may be left out where there is only one.
    levels
        Borders of the bins of colour, ascending. Bins from 0.9 on are blue, those below brown
        to pale orange; undefined correlations are grey.
    pool_depth
        Depth of the pool, marked by dotted lines; by default the cube's.
    log
        Whether depths have logarithmic scales, which give room to the small ones.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one mesh and its colour scale.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Figs. 5-7. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')")
    >>> scores.ireval.volatility().ireval.plot.volatility_map().get_ylabel()
    "evaluation depth of AP(norm='min')"
    """
    chosen = only_metric(matrix, metric) if METRIC in matrix.dims else matrix
    values = only_matrix(chosen, DEPTH, OTHER)
    colourmap, norm = bins(levels)
    ax = new_axes(ax, (5.2, 4.2), figsize)
    sides = values[OTHER].to_numpy(), values[DEPTH].to_numpy()
    mesh = ax.pcolormesh(
        *(_borders(side) for side in sides),
        np.ma.masked_invalid(values.to_numpy()),
        cmap=colourmap,
        norm=norm,
        rasterized=True,
    )
    add_scale(ax, mesh, values, levels)
    pool_depth = pool_depth_of(values, pool_depth)
    if pool_depth:
        for line in (ax.axvline, ax.axhline):
            line(pool_depth, color="black", linestyle=":", linewidth=1.2)
        subtitle(ax, f"dotted: pool depth {pool_depth}")
    across, down = (str(values.coords[name].item()) for name in ("metric_other", METRIC))
    ax.set(xlabel=f"evaluation depth of {across}", ylabel=f"evaluation depth of {down}")
    ax.set(xlim=_borders(sides[0])[[0, -1]], ylim=_borders(sides[1])[[0, -1]], aspect="equal")
    if log:
        ax.set(xscale="log", yscale="log")
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")
            axis.set_minor_formatter("")
    return ax


def _borders(depths: Any) -> Any:
    """Return the borders between depths, half way, and half a depth beyond the first and last."""
    middle = (depths[1:] + depths[:-1]) / 2
    return np.concatenate([[depths[0] - 0.5], middle, [depths[-1] + 0.5]])
