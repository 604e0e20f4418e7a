"""Score bounds by evaluation depth, as bands."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import xarray as xr

from irframe.cubes.unjudged import BOUND
from irframe.errors import InputError
from irframe.metrics.facts import best_first, facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.plots.canvas import (
    chosen_systems,
    legend_beside,
    log_depths,
    mark_depth,
    new_axes,
    only_metric,
    pool_depth_of,
    system_style,
)
from irframe.plots.room import fitting_names
from irframe.scores.averages import averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bound_bands(
    bounds: xr.DataArray,
    *,
    metric: Any = None,
    systems: Sequence[Hashable] | None = None,
    pool_depth: int | None = None,
    log: bool = True,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw between which means systems must lie, by evaluation depth.

    Also called as ``bounds.ireval.plot.bound_bands()``.

    Where the bands of two systems do not touch, the unjudged documents cannot change which is
    the better one.

    Parameters
    ----------
    bounds
        What `irframe.verbs.bounds` gives.
    metric
        Which metric; may be left out where there is only one.
    systems
        Which systems; by default the best, the median and the worst by their lower bound at the
        greatest depth.
    pool_depth
        Depth of the pool, marked by a dotted line; by default the cube's.
    log
        Whether depth has a logarithmic scale.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a band per system, with its lower bound as a line.

    References
    ----------
    .. [1] Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM
       TOIS 27, 2008. doi:10.1145/1416950.1416952

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.bounds("RBP(p=0.8)").ireval.plot.bound_bands()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['monot5', 'doct5query', 'bm25', 'pool depth']
    """
    if not isinstance(bounds, xr.DataArray) or not {BOUND, DEPTH} <= set(bounds.dims):
        found = ", ".join(map(str, getattr(bounds, "dims", ()))) or type(bounds).__name__
        raise InputError("scores with dimensions bound and depth", found)
    chosen = only_metric(bounds, metric)
    means = averages(chosen).transpose(BOUND, SYSTEM, DEPTH)
    labels = means.indexes[SYSTEM]
    last = means.sel({BOUND: "lower"}).to_numpy()[:, -1]
    order = best_first(last, facts(chosen[METRIC].item()).sign)
    rows = chosen_systems(systems, labels.tolist(), order.tolist(), 3)
    names = [labels[row] for row in rows]
    ax = new_axes(ax, figsize=figsize)
    shown = fitting_names(ax, names)
    depths = means[DEPTH].to_numpy()
    for row, name, style in zip(rows, shown, system_style(names), strict=True):
        low, high = means.isel({SYSTEM: row}).to_numpy()
        ax.fill_between(depths, low, high, color=style["color"], alpha=0.25, linewidth=0)
        ax.plot(depths, low, linewidth=1.8, label=name, **style)
    mark_depth(ax, pool_depth_of(bounds, pool_depth))
    ax.set(xlabel="evaluation depth k", ylabel=f"mean {chosen[METRIC].item()}, from lower to upper")
    log_depths(ax, depths, log=log)
    legend_beside(ax, f"{len(rows)} of {len(labels)} systems")
    return ax
