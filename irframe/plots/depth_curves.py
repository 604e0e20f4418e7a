"""Mean score of every system by evaluation depth."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import xarray as xr

from irframe.cubes.score_arrays import to_scores
from irframe.errors import InputError
from irframe.metrics.facts import best_first, facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.plots.canvas import (
    chosen_systems,
    draw_others,
    legend_beside,
    log_depths,
    mark_depth,
    new_axes,
    only_metric,
    pool_depth_of,
    subtitle,
    system_style,
)
from irframe.plots.room import fitting_names
from irframe.scores.averages import averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BETWEEN = "named: best two, worst, and some between"
"""What a figure says of the systems that it chose."""


def depth_curves(
    scores: xr.DataArray,
    *,
    metric: Any = None,
    systems: Sequence[Hashable] | None = None,
    log: bool = True,
    pool_depth: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the mean score of every system against evaluation depth.

    Also called as ``scores.ireval.plot.depth_curves()``.

    Lines that cross are systems whose order depends on the depth. The legend names the systems
    asked for and counts the others.

    Parameters
    ----------
    scores
        Scores over (metric, system, topic, depth).
    metric
        Which metric; may be left out where there is only one.
    systems
        Which systems to single out; by default the best two, the worst and two evenly between,
        at the greatest depth, which the figure says.
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
    order = best_first(curves.to_numpy()[:, -1], -sign)
    names = curves.indexes[SYSTEM].tolist()
    rows = chosen_systems(systems, names, order[::-1].tolist(), 5)
    ax = new_axes(ax, figsize=figsize)
    chosen_names = [names[row] for row in rows]
    told = zip(rows, fitting_names(ax, chosen_names), system_style(chosen_names), strict=True)
    for row, name, style in told:
        ax.plot(depths, curves[row], linewidth=2, label=name, **style)
    others = [row for row in range(len(names)) if row not in rows]
    draw_others(ax, depths, {names[row]: curves[row] for row in others})
    mark_depth(ax, pool_depth_of(scores, pool_depth))
    ax.set(xlabel="evaluation depth k", ylabel=f"mean {chosen[METRIC].item()}")
    log_depths(ax, depths, log=log)
    spread = BETWEEN if systems is None and others else ""
    subtitle(ax, f"{chosen.sizes[TOPIC]} topics", spread)
    legend_beside(ax)
    return ax
