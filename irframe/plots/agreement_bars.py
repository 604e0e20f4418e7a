"""How often significance on metrics and without one agree, as stacked bars."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.names import DEPTH, METRIC
from irframe.plots.canvas import legend_beside, new_axes, subtitle
from irframe.plots.checked import categories, only_test, told_check
from irframe.plots.room import name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def agreement_bars(
    checked: xr.Dataset,
    *,
    test: str | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the share of the system pairs in each category, a bar per metric and depth.

    Also called as ``checked.ireval.plot.agreement_bars()``.

    Parameters
    ----------
    checked
        What `irframe.verbs.significance_agreement` returned.
    test
        Which of its tests; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, four stacked patches per bar, and a fifth where significant verdicts are opposed.

    Raises
    ------
    ParameterError
        If the choice of the test is unknown or open.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 7. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> checked = cube.ireval.significance_agreement("P", "AP", at=[5, 10])
    >>> len(checked.ireval.plot.agreement_bars().patches)
    16
    """
    checked = only_test(checked, test)
    share = checked["share"].transpose(METRIC, DEPTH, ...)
    metrics, depths, _ = share.shape
    places = np.arange(metrics)[:, np.newaxis] * (depths + 1) + np.arange(depths)
    ax = new_axes(ax, (min(3 + 0.3 * places.size, 12), 4.0), figsize)
    bottom = np.zeros(places.size)
    for code, label, colour in categories(checked["verdict"]):
        values = share.to_numpy()[..., code].ravel()
        ax.bar(places.ravel(), values, 0.85, bottom=bottom, color=colour, label=label)
        bottom += values
    name_ticks(ax, places.ravel(), np.tile(share[DEPTH], metrics), size="x-small")
    for row, metric in zip(places, share[METRIC].to_numpy(), strict=True):
        ax.text(row.mean(), 1.02, str(metric), ha="center", fontsize="small")
    ax.set(xlabel="evaluation depth k", ylabel="share of system pairs", ylim=(0, 1.1))
    ax.set_yticks(np.linspace(0, 1, 6))
    subtitle(ax, told_check(checked))
    legend_beside(ax)
    return ax
