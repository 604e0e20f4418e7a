"""Topics against depth at equal judging cost."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH
from irframe.plots.canvas import FAINT, ink, new_axes, only_metric
from irframe.plots.room import name_ticks
from irframe.scores.summary import cautions_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COST = "judgments"


def equal_cost(
    found: xr.Dataset,
    *,
    metric: Any = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw how many topics a budget pays for by pool depth, and the share of significant pairs.

    Also called as ``found.ireval.plot.equal_cost()``.

    Parameters
    ----------
    found
        What `irframe.verbs.budget` gives.
    metric
        Which metric; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a line for every number of judgments, and on it a point for every pool depth,
        coloured by the share of significant pairs of systems. The best point of a line is ringed,
        and bears its share. The title says of how many topics the pilot is.

    References
    ----------
    .. [1] Sakai. Topic set size design. Information Retrieval Journal 19, 2016.
       doi:10.1007/s10791-015-9273-z

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.budget("AP", at=[1, 3, 10], samples=10).ireval.plot.equal_cost()
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('pool depth d = evaluation depth', 'topics')
    """
    if not isinstance(found, xr.Dataset) or not {"significant", "topics"} <= set(found.data_vars):
        raise InputError("what budget gives", type(found).__name__)
    shares = only_metric(found["significant"], metric)
    ax = new_axes(ax, figsize=figsize)
    depths = found[DEPTH].to_numpy()
    colours = {"vmin": shares.min().item(), "vmax": shares.max().item(), "cmap": "viridis"}
    for number, amount in enumerate(found[COST].to_numpy()):
        topics, share = (side.isel({COST: number}).to_numpy() for side in (found["topics"], shares))
        ax.plot(depths, topics, color=FAINT, linewidth=1, zorder=1)
        points = ax.scatter(depths, topics, c=share, s=55, zorder=2, **colours)
        _mark_best(ax, depths, topics, share)
        _name_line(ax, depths, topics, int(amount))
    ax.set(xscale="log", yscale="log", xlabel="pool depth d = evaluation depth", ylabel="topics")
    title = [str(shares["metric"].item()), *cautions_of(found.attrs)]
    ax.set_title("; ".join(title), fontsize="medium")
    ax.margins(x=0.08, y=0.12)
    ax.set_xlim(right=depths[-1] * (depths[-1] / depths[0]) ** 0.45)
    _plain_ticks(ax, depths)
    ax.figure.colorbar(points, ax=ax, label="share of significant pairs")
    return ax


def _mark_best(ax: "Axes", depths: Any, topics: Any, share: Any) -> None:
    """Ring the point with most significant pairs, the shallowest of several."""
    if np.isnan(share).all():
        return
    best = int(np.nanargmax(share))
    where = depths[best], topics[best]
    ax.scatter(*where, s=150, facecolors="none", edgecolors=ink(ax), linewidths=1.5, zorder=3)
    text: dict[str, Any] = {"textcoords": "offset points", "xytext": (0, 11), "ha": "center"}
    ax.annotate(f"{share[best]:.0%}", where, fontsize="small", **text)


def _name_line(ax: "Axes", depths: Any, topics: Any, amount: int) -> None:
    """Write a number of judgments at the right end of its line."""
    there = np.flatnonzero(~np.isnan(topics))
    if len(there):
        where = depths[there[-1]], topics[there[-1]]
        text: dict[str, Any] = {"textcoords": "offset points", "xytext": (9, 0), "va": "center"}
        ax.annotate(f"{amount:,} judgments", where, fontsize="x-small", color=FAINT, **text)


def _plain_ticks(ax: "Axes", depths: Any) -> None:
    """Write whole numbers along both axes, across only depths that were tried."""
    from matplotlib.ticker import LogLocator, NullLocator  # noqa: PLC0415 - costs time at import

    ax.xaxis.set_minor_locator(NullLocator())
    name_ticks(ax, depths, depths)
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_minor_formatter("")
