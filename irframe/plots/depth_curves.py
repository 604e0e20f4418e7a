"""Mean score of every system by evaluation depth."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.cubes.tables import to_scores
from irframe.errors import InputError
from irframe.inference.averages import averages
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.plots.canvas import COLOURS, FAINT, new_axes, only_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def depth_curves(
    scores: xr.DataArray,
    *,
    metric: Any = None,
    pool_depth: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the mean score of every system against evaluation depth.

    Also called as ``scores.ireval.plot.depth_curves()``.

    Lines that cross are systems whose order depends on the depth. Five systems are emphasised:
    the worst, the quartiles and the best at the greatest depth.

    Parameters
    ----------
    scores
        Scores over (metric, system, topic, depth).
    metric
        Which metric; may be left out where there is only one.
    pool_depth
        Depth of the pool, marked by a dotted line; by default the cube's.
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one line per system.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Figs. 2 and 3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')")
    >>> scores.ireval.plot.depth_curves().get_ylabel()
    "mean AP(norm='min')"
    """
    if DEPTH not in scores.dims:
        raise InputError("scores with a dimension depth", ", ".join(map(str, scores.dims)))
    chosen = only_metric(to_scores(scores), metric)
    curves = averages(chosen).transpose(SYSTEM, DEPTH)
    depths = curves[DEPTH].to_numpy()
    sign = facts(chosen[METRIC].item()).sign
    order = np.argsort(sign * curves.to_numpy()[:, -1], kind="stable")
    quartiles = order[np.round(np.linspace(0, len(order) - 1, min(5, len(order)))).astype(int)]
    ax = new_axes(ax)
    for row, system in enumerate(curves.indexes[SYSTEM]):
        if row not in quartiles:
            ax.plot(depths, curves[row], color=FAINT, linewidth=0.8, label=f"_{system}")
    for colour, row in zip(COLOURS, pd.unique(quartiles)[::-1], strict=False):
        label = str(curves.indexes[SYSTEM][row])
        ax.plot(depths, curves[row], color=colour, linewidth=2, label=label)
    pool_depth = scores.attrs.get("pool_depth") if pool_depth is None else pool_depth
    if pool_depth:
        ax.axvline(pool_depth, color="black", linestyle=":", linewidth=1, label="pool depth")
    ax.set(xlabel="evaluation depth k", ylabel=f"mean {chosen[METRIC].item()}")
    ax.set_xlim(depths[0], depths[-1])
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
