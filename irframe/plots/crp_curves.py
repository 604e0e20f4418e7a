"""How far rankings stray from the ideal one, rank by rank."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.errors import ParameterError
from irframe.names import DEPTH, SYSTEM
from irframe.plots.canvas import draw_others, legend_beside, new_axes, subtitle, system_style
from irframe.plots.misplaced import mark_recall_base, select_topic
from irframe.plots.room import fitting_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def crp_curves(
    misplaced: xr.Dataset,
    *,
    topic: Hashable,
    systems: Sequence[Hashable] | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the cumulated relative position of systems on a topic.

    Also called as ``misplaced.ireval.plot.crp_curves(topic=...)``.

    A curve falls while relevant documents are missing from ranks where the ideal ranking has
    them, and rises when they come late. It has recovered where it crosses 0; the ideal ranking
    has found everything at the dotted line.

    Parameters
    ----------
    misplaced
        What `irframe.verbs.misplacement` returned.
    topic
        The topic.
    systems
        The systems to draw in colour, at most seven; the others stay in the background. By
        default the worst, the quartiles and the best by Twist.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one line per system, one for the recall base and one at 0.

    Raises
    ------
    ParameterError
        For an unknown topic or system, or too many systems.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 11. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> moved = ir.cube(*ir.example_track()).ireval.misplacement()
    >>> moved.ireval.plot.crp_curves(topic="101").get_ylabel()
    'cumulated relative position'
    """
    one = select_topic(misplaced, topic)
    names = one[SYSTEM].to_numpy().tolist()
    chosen = _quartiles(one) if systems is None else list(systems)
    unknown = [repr(system) for system in chosen if system not in names]
    if unknown:
        raise ParameterError("systems that were measured", "", "", unknown)
    ax = new_axes(ax, (7.0, 4.2), figsize)
    depths = one[DEPTH].to_numpy()
    curves = one["crp"].transpose(SYSTEM, DEPTH).to_numpy()
    told = zip(chosen, fitting_names(ax, chosen), system_style(chosen), strict=True)
    for system, name, style in told:
        row = names.index(system)
        label = f"{name}: {one['twist'][row].item():.2f}, {one['archetype'][row].item()}"
        ax.plot(depths, curves[row], linewidth=2, label=label, **style)
    others = [row for row, system in enumerate(names) if system not in chosen]
    draw_others(ax, depths, {names[row]: curves[row] for row in others})
    mark_recall_base(ax, int(one["recall_base"]))
    ax.set(xlabel="rank", ylabel="cumulated relative position", xlim=(1, depths[-1]))
    subtitle(ax, f"topic {topic}")
    legend_beside(ax, "Twist, kind of curve")
    return ax


def _quartiles(one: xr.Dataset) -> list[Hashable]:
    """Return the best, the quartiles and the worst system by Twist, best first."""
    order = np.argsort(-one["twist"].to_numpy(), kind="stable")
    places = np.round(np.linspace(0, len(order) - 1, min(5, len(order)))).astype(int)
    chosen: list[Hashable] = one[SYSTEM].to_numpy()[order[places]].tolist()
    return chosen
