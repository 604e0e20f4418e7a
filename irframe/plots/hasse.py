"""The partial order of all rankings of a length."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError, ParameterError
from irframe.plots.canvas import COLOURS, FAINT, ground, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LONGEST = 6
"""Longest rankings drawn; there are 64 of them."""


def hasse(
    grid: xr.Dataset, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw which rankings of a length no metric can place below which others.

    Also called as ``grid.ireval.plot.hasse()``.

    An arrow points from a ranking to one that is not better, by every metric; arrows that follow
    from others are left out. Rankings without a path between them may go either way. Each arrow
    goes one level down: a relevant document one rank lower, or lost at the end.

    Parameters
    ----------
    grid
        What `irframe.verbs.enumerate_rankings` returned for a length of at most 6.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one text per ranking, darker for more relevant documents, and one arrow per pair.

    Raises
    ------
    ParameterError
        For longer rankings.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 1. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> len(ir.verbs.enumerate_rankings(4).ireval.plot.hasse().texts)
    16
    """
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - costs time at import
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415 - costs time at import

    if not {"label", "covers"} <= set(grid.data_vars):
        raise InputError("what enumerate_rankings returned", "other data")
    names = sorted(map(str, grid["row"].to_numpy()), reverse=True)
    if len(names[0]) > LONGEST:
        raise ParameterError(f"rankings of length 1 to {LONGEST}", str(len(names[0])))
    covers = grid["covers"].sel(row=names, column=names).to_numpy()
    heights = [sum(len(name) - i for i, bit in enumerate(name) if bit == "1") for name in names]
    levels = [
        [name for name, own in zip(names, heights, strict=True) if own == height]
        for height in range(max(heights) + 1)
    ]
    place = {
        name: (number - (len(level) - 1) / 2, height)
        for height, level in enumerate(levels)
        for number, name in enumerate(level)
    }
    widest = max(map(len, levels)) / 2
    ax = new_axes(ax, (max(3.2, 2.6 * widest), 1.0 + 0.48 * len(levels)), figsize)
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 9, "shrinkB": 9}
    for better, worse in np.argwhere(covers):
        ends = place[names[better]], place[names[worse]]
        ax.add_patch(FancyArrowPatch(*ends, color=FAINT, linewidth=1, **style))
    look: dict[str, Any] = {"ha": "center", "va": "center", "family": "monospace"}
    for name, (x, y) in place.items():
        shade = 0.35 * name.count("1") / len(name)
        inside = (1 - shade) * np.array(to_rgb(ground(ax))) + shade * np.array(to_rgb(COLOURS[0]))
        box = {"boxstyle": "round,pad=0.25", "facecolor": inside, "edgecolor": COLOURS[0]}
        ax.text(x, y, name, bbox=box, fontsize="x-small", **look)
    ax.set(xlim=(-widest, widest), ylim=(-0.6, len(levels) - 0.4))
    ax.set_axis_off()
    return ax
