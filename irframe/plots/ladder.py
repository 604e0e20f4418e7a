"""Systems in order of rank, with the interval of each rank and tiers."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import DepthError, InputError, ParameterError
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, METRIC, SYSTEM, roles
from irframe.plots.canvas import COLOURS, FAINT, only_metric, row_axes, subtitle
from irframe.plots.room import fitting_names, of_all
from irframe.scores.summary import cautions_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NEEDED = {"rank", "rank_low", "rank_high", "tier"}
SHADES = (0.0, 0.14)
"""How dark the backgrounds of tiers are, by turns."""
SELDOM = 0.01
"""From which share of first places on it is written down."""


def ladder(
    ranks: xr.Dataset | pd.DataFrame,
    *,
    metric: Any = None,
    depth: int | None = None,
    top: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the rank of every system with its interval, the best at the top, and the tiers.

    Also called as ``ranks.ireval.plot.ladder()``.

    Parameters
    ----------
    ranks
        What `irframe.verbs.rank_intervals` returned, of one group.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth; by default the greatest.
    top
        How many of the best systems to draw; by default all.
    ax
        Axes to draw on; by default those of a new figure, tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a dot for every rank and a line for its interval, behind which the tiers are
        bands, grey by turns, named at the right. Where topics were resampled the line is the spread
        of the rank, and beside it stands the share of the resamples in which the system comes
        first, if 1 % or more. Systems that tie stand by name. Above stands what the attribute
        ``caution`` says of few topics.

    Raises
    ------
    InputError
        For other data, and several groups.
    ParameterError
        If the metric is unknown or left open, and for `top` below 1.
    DepthError
        For a depth without ranks.

    References
    ----------
    .. [1] Goldstein, Spiegelhalter. League tables and their limitations. Journal of the Royal
       Statistical Society A 159, 1996. doi:10.2307/2983325

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = runs.ireval.evaluate(qrels, "nDCG@10").ireval.rank_intervals()
    >>> ax = found.ireval.plot.ladder()
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['monot5', 'duot5', 'splade']
    """
    if top is not None and top < 1:
        raise ParameterError("top of at least 1", repr(top))
    layer, label = _layer(ranks, metric, depth)
    names = layer.indexes[SYSTEM].astype(str)
    order = np.lexsort([names, layer["rank"]])[:top]
    ax, fit = row_axes(ax, len(order), (6.4, 1.1, 0.23), figsize, asked=top is not None)
    order = order[:fit]
    place = {str(name): layer[name].to_numpy()[order] for name in layer if layer[name].ndim == 1}
    rows = np.arange(len(order))
    _bands(ax, place["tier"])
    ax.hlines(rows, place["rank_low"], place["rank_high"], color=FAINT, linewidth=2)
    ax.plot(place["rank"], rows, "o", markersize=4, color=COLOURS[0])
    if "first" in place:
        _name_shares(ax, place)
    ax.set_yticks(rows, fitting_names(ax, names[order]))
    last = place["rank_high"].max()
    beyond = max(0.5, 0.02 * last)
    ax.set(ylim=(len(order) - 0.5, -0.5), xlim=(1 - beyond, last + beyond))
    ax.locator_params(axis="x", integer=True)
    ticks = ax.get_xticks()
    ax.set_xticks(np.union1d(1, ticks[(ticks > 1) & (ticks <= last)]))
    ax.set_xlabel(f"rank by {label}{_told(layer.attrs)}")
    subtitle(ax, of_all(len(order), len(names)), *cautions_of(layer.attrs))
    return ax


def _told(attributes: Any) -> str:
    """Say what the lines are."""
    if attributes.get("method") == "bootstrap":
        return " and its spread over resamples"
    return f" with {1 - attributes['alpha']:.0%} interval" if "alpha" in attributes else ""


def _name_shares(ax: "Axes", place: dict[str, Any]) -> None:
    """Write the share of first places beside the line of each system that has one."""
    for row in np.flatnonzero(place["first"] >= SELDOM):
        ax.annotate(
            f"first in {place['first'][row]:.0%}",
            (place["rank_high"][row], row),
            (5, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )


def _layer(ranks: Any, metric: Any, depth: int | None) -> tuple[Any, str]:
    """Return what was found of the systems by one metric at one depth, and what to call it."""
    found = _labelled(ranks)
    if not {*found} >= NEEDED or not {*found["rank"].dims} <= {METRIC, SYSTEM, DEPTH}:
        raise InputError("what rank_intervals returned, of one group", "other data")
    chosen: Any = only_metric(found, metric)
    label = str(chosen[METRIC].item())
    if DEPTH not in chosen.dims:
        if depth is not None:
            raise DepthError("ranks by depth", "ranks without depths", "leave depth= out")
        return chosen, label
    depths = chosen.indexes[DEPTH]
    depth = depths.max() if depth is None else depth
    if depth not in depths:
        raise DepthError(f"a depth of {', '.join(map(str, depths[:20]))}", repr(depth))
    return chosen.sel({DEPTH: depth}), label_at(label, depth)


def _labelled(ranks: Any) -> Any:
    """Return ranks as a dataset with the dimension system."""
    if not isinstance(ranks, pd.DataFrame):
        return ranks if isinstance(ranks, xr.Dataset) else xr.Dataset()
    if not {*ranks.columns} >= NEEDED or METRIC not in ranks.index.names:
        return xr.Dataset()
    found = ranks.to_xarray().assign_attrs(ranks.attrs)
    return found.rename({roles(map(str, ranks.index.names)).get(SYSTEM, METRIC): SYSTEM})


def _bands(ax: "Axes", tiers: Any) -> None:
    for tier in np.unique(tiers):
        first, last = np.flatnonzero(tiers == tier)[[0, -1]]
        shade = SHADES[int(tier) % 2]
        ax.axhspan(first - 0.5, last + 0.5, color=FAINT, alpha=shade, linewidth=0, zorder=0)
        ax.text(
            1.01,
            first,
            f"tier {tier}",
            transform=ax.get_yaxis_transform(),
            va="center",
            fontsize="small",
        )
