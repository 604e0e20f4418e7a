"""Box plots of the scores of systems over topics."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.metrics.facts import best_first, facts
from irframe.names import SYSTEM, TOPIC
from irframe.plots.canvas import COLOURS, chosen_systems, ink, row_axes, subtitle, system_colours
from irframe.plots.layer import only_layer
from irframe.plots.room import fitting_names, of_all
from irframe.scores.averages import averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def score_boxes(
    scores: xr.DataArray | pd.DataFrame,
    *,
    metric: Any = None,
    depth: int | None = None,
    systems: Sequence[Hashable] | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw how the scores of each system spread over topics, the best system first.

    Also called as ``scores.ireval.plot.score_boxes()``.

    Systems of like means may differ in how often they fail.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth; by default the greatest.
    systems
        Which systems; by default all.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: per system a box from the lower to the upper quartile with the median, whiskers
        to the farthest scores within one and a half times its length, points for those beyond,
        and a diamond at the mean. Topics without a score are left out.

    References
    ----------
    .. [1] Tukey. Exploratory data analysis. Addison-Wesley, 1977.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> ax = runs.ireval.evaluate(qrels, "AP").ireval.plot.score_boxes()
    >>> ax.get_yticklabels()[0].get_text()
    'monot5'
    """
    layer, label = only_layer(scores, metric, depth)
    means = averages(layer).to_numpy()
    names = layer.indexes[SYSTEM].tolist()
    order = best_first(means, facts(label).sign).tolist()
    asked = set(chosen_systems(systems, names, order, len(names)))
    rows = [row for row in order if row in asked]
    ax, fit = row_axes(ax, len(rows), (6.4, 1.2, 0.26), figsize, asked=systems is not None)
    rows = rows[:fit]
    values = layer.transpose(SYSTEM, TOPIC).to_numpy()
    _draw(ax, [values[row][~np.isnan(values[row])] for row in rows], [names[row] for row in rows])
    ax.plot(means[rows], range(len(rows)), "D", color=ink(ax), markersize=4, zorder=3)
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel(f"{label} of a topic; the diamond is the mean")
    subtitle(ax, f"{layer.sizes[TOPIC]} topics", of_all(len(rows), len(names)))
    return ax


def _draw(ax: "Axes", values: list[Any], names: list[Hashable]) -> None:
    """Draw a box per system, in the colour of the system where there are few."""
    from matplotlib.cbook import boxplot_stats  # noqa: PLC0415 - costs time at import

    places = range(len(names))
    found = pd.DataFrame(boxplot_stats(values))
    height, dark = 0.6, {"color": ink(ax), "linewidth": 1}
    for inner, outer in (("q1", "whislo"), ("q3", "whishi")):
        ax.hlines(places, found[outer], found[inner], **dark)
        ax.vlines(found[outer], np.subtract(places, height / 4), np.add(places, height / 4), **dark)
    box = {"edgecolor": ink(ax), "color": _colours(names), "alpha": 0.6}
    ax.barh(places, found["q3"] - found["q1"], height, found["q1"], **box)
    half = height / 2
    ax.vlines(found["med"], np.subtract(places, half), np.add(places, half), **dark)
    for place, points in enumerate(found["fliers"]):
        ax.plot(points, np.full(len(points), place), ".", color=ink(ax))
    ax.set_yticks(places, fitting_names(ax, names))


def _colours(names: list[Hashable]) -> list[str]:
    return system_colours(names) if len(names) <= len(COLOURS) else len(names) * [COLOURS[0]]
