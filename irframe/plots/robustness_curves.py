"""Agreement of system orderings on fewer and fewer judgments."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.errors import InputError, ParameterError
from irframe.names import DEPTH, METRIC
from irframe.plots.canvas import FAINT, MARKERS, legend_beside, new_axes, series_style
from irframe.plots.room import name_ticks
from irframe.tables.captions import told_method

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARE, SEED = "share", "seed"


def robustness_curves(
    agreement: xr.DataArray,
    *,
    depth: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw how alike systems are ordered on shares of the judgments and on all of them.

    Also called as ``agreement.ireval.plot.robustness_curves()``.

    The flatter and closer to 1 a line, the less the metric minds incomplete judgments.

    Parameters
    ----------
    agreement
        What `irframe.verbs.robustness` gives.
    depth
        Which evaluation depth; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: per metric the means over the seeds, from all judgments on the left to the
        smallest share on the right, in a band of one standard deviation either way. A dotted line
        marks 0.9, from which on two orderings are customarily taken as equivalent.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 13. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.robustness("AP", "Bpref", seeds=3).ireval.plot.robustness_curves()
    >>> ax.get_xlabel()
    'share of the judgments kept'
    """
    if not isinstance(agreement, xr.DataArray) or not {SHARE, SEED} <= set(agreement.dims):
        found = ", ".join(map(str, getattr(agreement, "dims", ()))) or type(agreement).__name__
        raise InputError("what robustness gives, over share and seed", found)
    known = agreement[DEPTH].to_numpy().tolist() if DEPTH in agreement.dims else [depth]
    if depth is None and len(known) == 1:
        depth = known[0]
    if depth not in known:
        found = "none chosen" if depth is None else repr(depth)
        raise ParameterError("depth= to be one of the depths scored", found, "", known)
    chosen = agreement.sel({DEPTH: depth}) if DEPTH in agreement.dims else agreement
    chosen = chosen.sortby(SHARE, ascending=False)
    means, spread = chosen.mean(SEED), chosen.std(SEED)
    shares = chosen[SHARE].to_numpy()
    places = shares if 1 in shares else np.append(1, shares)
    ax = new_axes(ax, figsize=figsize)
    ax.axhline(0.9, color=FAINT, linestyle=":", linewidth=1)
    for number, metric in enumerate(chosen[METRIC].to_numpy()):
        lines = [part.sel({METRIC: metric}).to_numpy() for part in (means, spread)]
        mean, half = (
            np.append(whole, line) if len(places) > len(shares) else line
            for whole, line in zip((1.0, 0.0), lines, strict=True)
        )
        colour = series_style(number)["color"]
        marker = MARKERS[number % len(MARKERS)]
        ax.plot(places, mean, color=colour, marker=marker, markersize=4, label=str(metric))
        ax.fill_between(places, mean - half, mean + half, color=colour, alpha=0.15, linewidth=0)
    method = told_method(chosen.attrs) or "agreement"
    ax.set(xlabel="share of the judgments kept", ylabel=f"agreement with all judgments ({method})")
    ax.set_xlim(1.02, min(shares) - 0.02)
    name_ticks(ax, np.sort(places), np.sort(places))
    legend_beside(ax)
    return ax
