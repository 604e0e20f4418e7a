"""Two systems topic by topic: rankings, innate orderings and score differences."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH, METRIC, TOPIC
from irframe.plots.canvas import new_axes, readable
from irframe.plots.labels import LABEL_COLOURS, NAMES, label_colours, label_legend, plain
from irframe.plots.room import NARROW, fitting_names, room, rows_in

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GAP = 1
"""Empty columns between the parts."""
WIDE = 3
"""Columns that a score difference takes."""
MOST_SPELLED = 60
"""Most topics whose names and numbers are printed."""


def orderings(
    lined_up: xr.Dataset, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw two systems topic by topic: what they found, how it is ordered, how metrics see it.

    Also called as ``lined_up.ireval.plot.orderings()``.

    Left to right: the rankings of a and of b, dark where gain is high; the innate ordering at
    every depth; and the score differences a - b, coloured by who is ahead. Topics stand in five
    groups from *ns* to *ni*; in the middle ones no metric can have the opposite colour.

    Parameters
    ----------
    lined_up
        What `irframe.verbs.side_by_side` returned.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one image per part.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 5 and 6. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pair = cube.ireval.side_by_side("monot5", "bm25", "P", "AP", depth=10)
    >>> len(pair.ireval.plot.orderings().images)
    5
    """
    if not {"label", "gain_a", "gain_b"} <= set(lined_up.data_vars):
        raise InputError(
            "what side_by_side returned", "other data", "call cube.ireval.side_by_side first"
        )
    topics, depths = lined_up.sizes[TOPIC], lined_up.sizes[DEPTH]
    metrics = lined_up.sizes.get(METRIC, 0)
    columns = 3 * depths + 3 * GAP + WIDE * metrics
    asked = topics <= MOST_SPELLED
    size = (min(2 + 0.16 * columns, 14), min(1.4 + (0.2 if asked else 0.03) * topics, 12))
    ax = new_axes(ax, size, figsize)
    spelled = asked and topics <= rows_in(ax, 0.7)
    narrow = room(ax)[0] < NARROW
    parts = [*_parts(ax, lined_up), *_differences(lined_up)]
    left, ticks, names = 0.0, [], []
    for name, cells, width, style in parts:
        right = left + width
        ax.imshow(cells, extent=(left, right, topics, 0), aspect="auto", **style)
        ticks.append((left + right) / 2)
        names.append(name)
        left = right + (GAP if len(ticks) <= 3 else 0)
    if spelled and metrics and not narrow:
        _print_differences(ax, lined_up, ticks[3:])
    ax.set_xlim(0, right)
    ax.set_ylim(topics, 0)
    ax.set_xticks(ticks, names, fontsize="small")
    ax.xaxis.tick_top()
    for text in ax.get_xticklabels()[0 if narrow else 3 :]:
        text.set(rotation=30, horizontalalignment="left")
    ax.tick_params(length=0)
    rows = np.arange(topics) + 0.5
    ax.set_yticks(rows if spelled else [], lined_up[TOPIC].to_numpy() if spelled else [])
    ax.tick_params(axis="y", labelsize="x-small")
    ax.set_ylabel("topic" if spelled else f"{topics} topics")
    for side in ax.spines.values():
        side.set_visible(False)
    label_legend(ax)
    return ax


def _parts(ax: "Axes", data: xr.Dataset) -> list[tuple[str, Any, float, dict[str, Any]]]:
    """Return name, cells, width and style of the rankings and of their labels."""
    depths = data.sizes[DEPTH]
    grey = {"cmap": "Greys", "vmin": 0, "vmax": 1.25, "interpolation": "nearest"}
    first, second = fitting_names(ax, [data["system_a"].item(), data["system_b"].item()], 0.18)
    names = [f"a: {first}", f"b: {second}"]
    gains = [data[name].to_numpy() for name in ("gain_a", "gain_b")]
    parts = [(name, gain, depths, grey) for name, gain in zip(names, gains, strict=True)]
    style = {"cmap": label_colours(), "vmin": -1.5, "vmax": 2.5, "interpolation": "nearest"}
    title = f"ordering, k = 1 to {depths}"
    return [*parts, (title, plain(data["label"].to_numpy()), depths, style)]


def _differences(data: xr.Dataset) -> list[tuple[str, Any, float, dict[str, Any]]]:
    """Return the same for every metric."""
    if METRIC not in data.dims:
        return []
    style = {"cmap": label_colours(), "vmin": -1.5, "vmax": 2.5, "interpolation": "nearest"}
    return [
        (str(label), np.sign(values.to_numpy())[:, np.newaxis], WIDE, style)
        for label, values in zip(data[METRIC].to_numpy(), data["difference"], strict=True)
    ]


def _print_differences(ax: "Axes", data: xr.Dataset, centres: list[float]) -> None:
    for centre, values in zip(centres, data["difference"].to_numpy(), strict=True):
        for row, value in enumerate(values):
            if np.isnan(value):
                continue
            colour = readable(ax, LABEL_COLOURS[int(np.sign(value))])
            digits = 2 if abs(value) >= 0.005 else 4
            text = NAMES[0] if value == 0 else f"{value:+.{digits}f}"
            ax.text(
                centre, row + 0.5, text, ha="center", va="center", fontsize="xx-small", color=colour
            )
