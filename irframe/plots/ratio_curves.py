"""Curves of ratios by evaluation depth."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH
from irframe.plots.canvas import COLOURS, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINES = ("-", "--", ":", "-.")


def ratio_curves(
    values: xr.DataArray,
    *,
    log: bool = True,
    pool_depth: int | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a quantity by evaluation depth: a curve per metric, and per group.

    Also called as ``values.ireval.plot.ratio_curves()``.

    Parameters
    ----------
    values
        What `irframe.discrimination`, `irframe.median_p`, `irframe.coverage`,
        `irframe.inversions` or `irframe.agreement` with a reference give: values over depth, and
        metric or group.
    log
        Whether depth has a logarithmic scale.
    pool_depth
        Depth of the pool, marked by a dotted line; by default the cube's.
    ax
        Axes to draw on; by default those of a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one line per metric and group.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RBP(p=0.8)")
    >>> ax = scores.ireval.coverage(reference=10).ireval.plot.ratio_curves()
    >>> ax.get_ylabel(), len(ax.get_legend().get_texts())
    ('coverage ratio', 3)
    """
    if not isinstance(values, xr.DataArray) or DEPTH not in values.dims:
        found = ", ".join(map(str, getattr(values, "dims", ()))) or type(values).__name__
        raise InputError("values with a dimension depth", found)
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - costs time at import

    ax = new_axes(ax)
    others = [str(dim) for dim in values.dims if dim != DEPTH]
    depths = values[DEPTH].to_numpy()
    curves = values.transpose(*others, DEPTH)
    for number, place in enumerate(np.ndindex(curves.shape[:-1])):
        curve = curves[place]
        label = ", ".join(str(curve[dim].item()) for dim in others)
        style = LINES[number // len(COLOURS) % len(LINES)]
        colour = COLOURS[number % len(COLOURS)]
        ax.plot(depths, curve, color=colour, linestyle=style, linewidth=1.8, label=label)
    pool_depth = values.attrs.get("pool_depth") if pool_depth is None else pool_depth
    if pool_depth:
        ax.axvline(pool_depth, color="black", linestyle=":", linewidth=1, label="pool depth")
    ax.set(xlabel="evaluation depth k", ylabel=str(values.name or "ratio"))
    ax.set_xlim(depths[0], depths[-1])
    if log:
        ax.set_xscale("log")
        wide = depths[-1] > 100 * depths[0]
        ax.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter("")
    ax.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1, 0.5))
    return ax
