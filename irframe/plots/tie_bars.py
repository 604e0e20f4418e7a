"""What the order of tied documents leaves open, system by system."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.cubes.unjudged import BOUND
from irframe.errors import InputError, ParameterError
from irframe.metrics.facts import best_first, facts
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.plots.canvas import COLOURS, FAINT, chosen_systems, new_axes, only_metric
from irframe.plots.room import fits_across, fitting_names, letter
from irframe.scores.averages import averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 40
"""Systems that are named along the axis; of more only the places are shown."""
WIDEST = 3
"""How many ranges are named where systems are not."""


def tie_bars(
    ranges: xr.DataArray,
    *,
    metric: Any = None,
    depth: int | None = None,
    systems: Sequence[Hashable] | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw between which means the order of tied documents decides, for every system.

    Also called as ``ranges.ireval.plot.tie_bars()``.

    Parameters
    ----------
    ranges
        What `irframe.verbs.tie_ranges` gives.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which evaluation depth; by default the greatest.
    systems
        Which systems; by default all.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a bar per system from the lowest to the highest mean, the best system
        first: the one with the highest, of a cost with the lowest, ends.

    References
    ----------
    .. [1] McSherry, Najork. Computing information retrieval performance measures efficiently in
       the presence of tied scores. ECIR 2008. doi:10.1007/978-3-540-78646-7_38

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> cube = runs.assign(score=runs["score"].round()).ireval.cube(qrels)
    >>> ax = cube.ireval.tie_ranges("AP").ireval.plot.tie_bars()
    >>> len(ax.patches)
    8
    """
    if not isinstance(ranges, xr.DataArray) or BOUND not in ranges.dims:
        found = ", ".join(map(str, getattr(ranges, "dims", ()))) or type(ranges).__name__
        raise InputError("scores with a dimension bound, as tie_ranges gives them", found)
    chosen = only_metric(ranges, metric)
    depths = chosen[DEPTH].to_numpy()
    depth = int(depths[-1]) if depth is None else depth
    if depth not in depths:
        raise ParameterError("depth= to be one of the depths scored", repr(depth), "", depths)
    means = averages(chosen.sel({DEPTH: depth})).transpose(BOUND, SYSTEM)
    low, high = (means.sel({BOUND: side}).to_numpy() for side in ("lower", "upper"))
    sign = facts(chosen[METRIC].item()).sign
    known = means.indexes[SYSTEM].tolist()
    ranked = best_first(low + high, sign).tolist()
    asked = set(chosen_systems(systems, known, ranked, len(ranked)))
    order = [row for row in ranked if row in asked]
    low, high, places = low[order], high[order], np.arange(1, len(order) + 1)
    ax = new_axes(ax, (6.4, 4.2) if len(order) <= NAMED else (8, 3.8), figsize)
    names = fitting_names(ax, [known[row] for row in order])
    ax.use_sticky_edges = False
    ax.plot(places, (low + high) / 2, ".", color=FAINT, markersize=4, zorder=1)
    ax.bar(places, high - low, bottom=low, width=0.7, color=COLOURS[0], edgecolor=COLOURS[0])
    if len(order) <= NAMED and fits_across(ax, len(order), 0.833 * letter(ax)):
        ax.set_xticks(places, names, rotation=90, fontsize="small")
    else:
        ax.set_xlabel(f"{len(order)} systems, the best first; the widest ranges are named")
        _name_widest(ax, names, low, high)
    label = str(chosen[METRIC].item())
    label = label if "@" in label else f"{label}@{depth}"
    ax.set_ylabel(f"mean {label}, over tie orders")
    ax.set_xlim(0.2, len(order) + 0.8)
    return ax


def _name_widest(ax: "Axes", names: list[str], low: Any, high: Any) -> None:
    """Write name and range beside the systems whose ranges are the widest, if they have some."""
    widest = [row for row in np.argsort(low - high, kind="stable")[:WIDEST] if high[row] > low[row]]
    place: dict[str, Any] = {"textcoords": "axes fraction", "ha": "right", "fontsize": "small"}
    for line, row in enumerate(sorted(widest)):
        text = f"{names[row]}: {low[row]:.3f} to {high[row]:.3f}"
        arrow = {"arrowstyle": "-", "color": FAINT}
        spot = (0.98, 0.93 - 0.08 * line)
        ax.annotate(text, (row + 1, high[row]), xytext=spot, arrowprops=arrow, **place)
