"""Which pairs of systems differ significantly by a metric, and without one."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import ParameterError
from irframe.names import DEPTH, SYSTEM
from irframe.plots.canvas import LEGEND, legend_beside, new_axes, only_metric, subtitle
from irframe.plots.checked import categories, only_test, told_check
from irframe.plots.room import NARROW, room

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE = 1.15
"""Width of a dot, in the distances between them."""
LARGEST = 90
"""Area of the largest dot, in square points."""


def agreement_triangle(
    checked: xr.Dataset,
    *,
    metric: Any = None,
    test: str | None = None,
    depth: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw a dot per pair of systems, coloured by who finds their difference significant.

    Also called as ``checked.ireval.plot.agreement_triangle()``.

    Systems are ordered by their mean on the metric, so pairs near the diagonal are close calls
    and those near the upper left corner are far apart.

    Parameters
    ----------
    checked
        What `irframe.verbs.significance_agreement` returned.
    metric, test, depth
        Which of its metrics, tests and depths; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one set of dots per category.

    Raises
    ------
    ParameterError
        If a choice is unknown or open.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 8. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> checked = ir.verbs.significance_agreement(ir.cube(*ir.example_track()), "P", at=10)
    >>> len(checked.ireval.plot.agreement_triangle().collections)
    4
    """
    checked = only_test(checked, test)
    depths = checked[DEPTH].to_numpy().tolist()
    if (depth is None and len(depths) > 1) or depth not in {None, *depths}:
        found = "none chosen" if depth is None else repr(depth)
        raise ParameterError("depth= to be one of those checked", found, "", depths)
    checked = checked.isel({DEPTH: 0 if depth is None else depths.index(depth)})
    verdict = only_metric(checked["verdict"], metric)
    by_rank = np.argsort(only_metric(checked["rank"], metric).to_numpy(), kind="stable")
    place = dict(zip(checked[SYSTEM].to_numpy()[by_rank], range(1, len(by_rank) + 1), strict=True))
    sides = [[place[s] for s in checked[name].to_numpy()] for name in ("system_a", "system_b")]
    better, worse = np.sort(sides, axis=0)
    ax = new_axes(ax, (5.4, 5.0), figsize)
    size = _size(ax, len(place))
    for code, name, colour in categories(verdict):
        chosen = verdict.to_numpy() == code
        label = f"{name} ({chosen.mean():.1%})"
        ax.scatter(better[chosen], worse[chosen], size, color=colour, label=label, linewidths=0)
    words = verdict["metric"].item(), verdict[DEPTH].item()
    ax.set(
        xlabel=f"better system, rank by {words[0]} at k = {words[1]}",
        ylabel="worse system, rank",
        aspect="equal",
        xlim=(0.5, len(place) + 0.5),
        ylim=(0.5, len(place) + 0.5),
    )
    subtitle(ax, told_check(checked))
    if room(ax)[0] < NARROW:
        legend_beside(ax, markerscale=(36 / size) ** 0.5)
    else:
        ax.legend(**LEGEND, loc="lower right", markerscale=(36 / size) ** 0.5)
    return ax


def _size(ax: "Axes", systems: int) -> float:
    """Return the area of a dot, in square points, by how far apart dots of so many systems are."""
    apart = 72 * ax.get_window_extent().width / ax.figure.dpi / systems
    return float(min(LARGEST, (WIDE * apart) ** 2))
