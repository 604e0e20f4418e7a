"""The best system of every group, by two metrics side by side."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import InputError
from irframe.metrics.facts import facts
from irframe.names import METRIC
from irframe.plots.canvas import legend_beside, new_axes, series_style
from irframe.plots.room import name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EDGES = np.array([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0])
"""Ends of the bins in terms of precision, best first."""


def best_systems(
    best: pd.DataFrame, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw how well the best systems of all groups do, by several metrics on one scale.

    Also called as ``best.ireval.plot.best_systems()``.

    The scale is that of precision; a search length stands where one over it does, so that
    metrics which judge the task alike have their bars together.

    Parameters
    ----------
    best
        What `irframe.verbs.best_systems` returned with ``by=``.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a patch per metric and bin: the number of groups.

    Raises
    ------
    InputError
        For another frame.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Figs. 1-4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.simulate_track(systems=90, teams=45, docs=2000, depth=50)
    >>> scores = runs.ireval.cube(qrels).ireval.score("P@20", "ASL(first=10)")
    >>> best = scores.ireval.best_systems(by="team")
    >>> len(best.ireval.plot.best_systems().patches)
    26
    """
    if not {METRIC, "value"} <= set(best.columns) or not len(best):
        raise InputError("what best_systems returned", "another frame or no rows")
    metrics = best[METRIC].unique()
    places = np.arange(len(EDGES) - 1)
    width = 0.85 / len(metrics)
    ax = new_axes(ax, (7.4, 4.2), figsize)
    for number, metric in enumerate(metrics):
        values = best.loc[best[METRIC] == metric, "value"].to_numpy(float)
        shift = (number - (len(metrics) - 1) / 2) * width
        colour = series_style(number)["color"]
        ax.bar(places + shift, _count(values, str(metric)), width, color=colour, label=str(metric))
    labels = [_label(low, high) for high, low in pairwise(EDGES)]
    name_ticks(ax, places, labels, size="x-small")
    group = str(best.columns[0]) if best.columns[0] != METRIC else "group"
    ax.set(ylabel=f"best systems, one per {group}")
    ax.set_xlabel("score (upper line) and the search length it stands for (lower line)")
    _show_occupied(ax)
    ax.locator_params(axis="y", integer=True)
    ax.spines[["top", "right"]].set_visible(False)
    legend_beside(ax)
    return ax


def _show_occupied(ax: "Axes") -> None:
    """Leave out the scores that nobody has, at either end."""
    bars: Any = ax.patches
    filled = [bar.get_x() for bar in bars if bar.get_height()]
    ends = np.floor(min(filled) + 0.5), np.floor(max(filled) + 0.5)
    ax.set_xlim(max(ends[0] - 1, 0) - 0.6, min(ends[1] + 1, len(EDGES) - 2) + 0.6)


def _count(values: NDArray[np.float64], metric: str) -> NDArray[np.int64]:
    """Count scores by bin; what costs is turned over."""
    scale = 1 / np.maximum(values, 1) if facts(metric).cost else values
    some = np.clip(scale[~np.isnan(scale)], 0, 1)
    cell = np.clip(np.searchsorted(-EDGES, -some, side="right") - 1, 0, len(EDGES) - 2)
    return np.bincount(cell, minlength=len(EDGES) - 1)


def _label(low: float, high: float) -> str:
    longest = f"{1 / low:.3g}" if low else "∞"
    return f"{high:g}-{low:g}\n{1 / high:.3g}-{longest}"
