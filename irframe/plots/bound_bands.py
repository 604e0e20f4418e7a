"""Score bounds by evaluation depth, as bands."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.cubes.bounds import BOUND
from irframe.errors import InputError, ParameterError
from irframe.inference.averages import averages
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.plots.canvas import COLOURS, new_axes, only_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def bound_bands(
    bounds: xr.DataArray,
    *,
    metric: Any = None,
    systems: Sequence[Hashable] | None = None,
    pool_depth: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw between which means systems must lie, by evaluation depth.

    Also called as ``bounds.ireval.plot.bound_bands()``.

    Where the bands of two systems do not touch, the unjudged documents cannot change which is
    the better one.

    Parameters
    ----------
    bounds
        What `irframe.bounds` gives.
    metric
        Which metric; may be left out where there is only one.
    systems
        Which systems; by default the best, the median and the worst by their lower bound at the
        greatest depth.
    pool_depth
        Depth of the pool, marked by a dotted line; by default the cube's.
    ax
        Axes to draw on; by default those of a new figure.

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
    if systems is None:
        last = means.sel({BOUND: "lower"}).to_numpy()[:, -1]
        order = np.argsort(-facts(chosen[METRIC].item()).sign * last, kind="stable")
        places = np.unique(np.round(np.linspace(0, len(order) - 1, 3)).astype(int))
        systems = [labels[row] for row in order[places]]
    unknown = [system for system in systems if system not in labels]
    if unknown:
        raise ParameterError("systems that were scored", "others", "", map(repr, unknown))
    ax = new_axes(ax)
    depths = means[DEPTH].to_numpy()
    for number, system in enumerate(systems):
        low, high = means.sel({SYSTEM: system}).to_numpy()
        colour = COLOURS[number % len(COLOURS)]
        ax.fill_between(depths, low, high, color=colour, alpha=0.25, linewidth=0)
        ax.plot(depths, low, color=colour, linewidth=1.8, label=str(system))
    pool_depth = bounds.attrs.get("pool_depth") if pool_depth is None else pool_depth
    if pool_depth:
        ax.axvline(pool_depth, color="black", linestyle=":", linewidth=1, label="pool depth")
    ax.set(xlabel="evaluation depth k", ylabel=f"mean {chosen[METRIC].item()}, from lower to upper")
    ax.set_xlim(depths[0], depths[-1])
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
