"""Effort against gain, a dot per ranking."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import METRIC
from irframe.plots.canvas import COLOURS, FAINT, ground, ink, legend_beside, new_axes, only_metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REGION_COLOURS = {
    "diagonal": FAINT,
    "high-high": COLOURS[1],
    "grey": COLOURS[4],
    "other": COLOURS[2],
}
COLUMN_BORDERS = (0.25, 0.5, 0.75)


def effort_gain(
    cells: xr.Dataset,
    *,
    metric: Any = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw what rankings gain against how little effort they waste.

    Also called as ``cells.ireval.plot.effort_gain()``.

    Rows are the quarters of the gain, columns those of the effort scale. On the diagonal either
    metric tells the whole story; the upper left, *high-high*, is high gain at high effort.

    Parameters
    ----------
    cells
        What `irframe.verbs.effort_gain` returned.
    metric
        Which metric of gain; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one set of dots per region and a share in every cell.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Figs. 7-10. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.cube(*ir.example_track()).ireval.score("Twist", "AP", at=50)
    >>> scores.ireval.effort_gain().ireval.plot.effort_gain().get_ylabel()
    'AP'
    """
    if not {"cell", "quadrant", "border"} <= set(cells.data_vars):
        raise InputError("what effort_gain returned", "other data")
    quadrant = only_metric(cells["quadrant"], metric)
    one = cells.sel({METRIC: quadrant[METRIC].item()})
    gain, effort = one["gain_score"].to_numpy(), one["effort_score"].to_numpy()
    ax = new_axes(ax, (6.6, 5.0), figsize)
    size = float(np.clip(20_000 / max(gain.size, 1), 3, 25))
    for code, (region, colour) in enumerate(REGION_COLOURS.items()):
        chosen = quadrant.to_numpy() == region
        label = f"{region} ({one['share'][code].item():.0%})"
        style: dict[str, Any] = {"color": colour, "label": label, "alpha": 0.6, "linewidths": 0}
        ax.scatter(effort[chosen], gain[chosen], size, **style)
    borders = one["border"].to_numpy()
    for border in COLUMN_BORDERS:
        ax.axvline(border, color=ink(ax), linewidth=0.6)
    for border in borders:
        ax.axhline(border, color=ink(ax), linewidth=0.6)
    ax.set(xlim=(0, 1), ylim=(0, max(float(np.nanmax(gain)) * 1.08, borders[-1] * 1.1)))
    _print_shares(ax, one["cell"].to_numpy(), [0, *borders, ax.get_ylim()[1]])
    ax.set(xlabel=f"{effort_name(cells)}: 1 wastes no effort", ylabel=str(one[METRIC].item()))
    legend_beside(ax, markerscale=(36 / size) ** 0.5)
    return ax


def effort_name(cells: xr.Dataset) -> str:
    """Return the name of the metric of effort."""
    return str(cells.attrs.get("effort", "effort"))


def _print_shares(ax: "Axes", cell: Any, rows: list[float]) -> None:
    """Print the share of every cell in its upper right corner."""
    for (row, column), share in np.ndenumerate(cell):
        place = 0.25 * (column + 1) - 0.01, rows[row + 1]
        ax.annotate(
            f"{share:.0%}",
            place,
            xytext=(0, -3),
            textcoords="offset points",
            ha="right",
            va="top",
            fontsize="x-small",
            weight="bold",
            bbox={"facecolor": ground(ax), "alpha": 0.7, "pad": 0.5, "edgecolor": "none"},
        )
