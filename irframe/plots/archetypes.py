"""A gallery of the kinds of curves."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH, SYSTEM, TOPIC
from irframe.plots.canvas import COLOURS, ink, mark_depth, new_axes
from irframe.plots.room import NARROW, fitting_names, room, stretch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KINDS = ("ideal", "worst", "full scale", "excellent", "typical A", "typical B")
ACROSS = 3
LOW = 300
"""Height of a figure, in points, below which its panels are a smaller share of it."""


def archetypes(
    misplaced: xr.Dataset, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw the cumulated relative position of one ranking of each kind.

    Also called as ``misplaced.ireval.plot.archetypes()``.

    Parameters
    ----------
    misplaced
        What `irframe.verbs.misplacement` returned. Of a kind, the ranking with the most relevant
        documents is drawn; panels of kinds that do not occur stay empty.
    ax
        Axes to draw inside; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with six panels as its child axes.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 3. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> track = ir.simulate_track(
    ...     systems=40, topics=30, docs=40, depth=20, grades=[0.97, 0.02, 0.01])
    >>> moved = ir.cube(*track).ireval.misplacement()
    >>> len(moved.ireval.plot.archetypes().child_axes)
    6
    """
    if not {"crp", "archetype"} <= set(misplaced.data_vars):
        raise InputError("what misplacement returned", "other data")
    ax = new_axes(ax, (9.0, 5.4), figsize)
    ax.set_axis_off()
    if room(ax)[0] < NARROW:
        stretch(ax, 0.5 * room(ax)[1])
    kind = misplaced["archetype"].transpose(SYSTEM, TOPIC).to_numpy()
    scored, base = kind != "", misplaced["recall_base"].to_numpy()
    for number, name in enumerate(KINDS):
        down, across = divmod(number, ACROSS)
        high = 0.3 if room(ax)[1] < LOW else 0.35
        box = (0.06 + 0.335 * across, 0.92 - high - 0.5 * down, 0.265, high)
        panel = ax.inset_axes(box)
        share = np.mean(kind[scored] == name) if scored.any() else 0.0
        panel.set_title(f"{name} ({share:.1%})", fontsize="medium")
        places = np.argwhere(kind == name)
        if len(places):
            system, topic = places[np.argmax(base[places[:, 1]])]
            _curve(ax, panel, misplaced.isel({SYSTEM: system, TOPIC: topic}))
        else:
            panel.set(xticks=[], yticks=[])
            panel.text(0.5, 0.5, "none", ha="center", va="center", transform=panel.transAxes)
    return ax


def _curve(ax: "Axes", panel: "Axes", one: xr.Dataset) -> None:
    depths = one[DEPTH].to_numpy()
    panel.axhline(0, color=ink(panel), linewidth=0.8)
    mark_depth(panel, one["recall_base"].item())
    panel.plot(depths, one["crp"], color=COLOURS[0], linewidth=2)
    panel.set_xlim(1, depths[-1])
    panel.tick_params(labelsize="x-small")
    panel.locator_params(axis="x", nbins=5, integer=True)
    (name,) = fitting_names(ax, [one[SYSTEM].item()], 0.28)
    text = f"{name}\ntopic {one[TOPIC].item()}: Twist {one['twist'].item():.2f}"
    panel.set_xlabel(text, fontsize="x-small")
