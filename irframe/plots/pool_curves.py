"""Relevant documents by pool depth, and the rate at which they are found."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError, ParameterError
from irframe.names import DEPTH
from irframe.plots.canvas import (
    MARKERS,
    asked_size,
    legend_beside,
    pyplot,
    refuse_both,
    series_style,
)
from irframe.plots.room import NARROW

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pool_curves(
    growth: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    ax: "Sequence[Axes] | None" = None,
    figsize: tuple[float, float] | None = None,
) -> Any:
    """Draw how many relevant documents pools of growing depth find, and how fast they dry up.

    Also called as ``growth.ireval.plot.pool_curves()``.

    Parameters
    ----------
    growth
        What `irframe.verbs.pool_growth` gives; or several of these by the name of their collection.
    ax
        Two axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        Left the relevant documents per topic; right the share of relevant ones among those newly
        judged, drawn at the depth where an interval ends.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> left, right = cube.ireval.pool_growth().ireval.plot.pool_curves()
    >>> left.get_ylabel()
    'relevant documents per topic'
    """
    curves = growth if isinstance(growth, Mapping) and not isinstance(growth, xr.Dataset) else None
    named: dict[str, Any] = dict(curves) if curves is not None else {"": growth}
    for part in named.values():
        if not isinstance(part, xr.Dataset) or not {"relevant", "rate"} <= set(part.data_vars):
            raise InputError("what pool_growth gives", type(part).__name__)
    refuse_both(ax, figsize)
    if ax is None:
        plt = pyplot()
        size = figsize or asked_size((9, 3.8))
        beside = (1, 2) if 72 * size[0] > NARROW else (2, 1)
        size = size if figsize or beside == (1, 2) else (size[0], 1.7 * size[1])
        ax = plt.subplots(*beside, figsize=size, layout="constrained")[1]
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - costs time at import

    panes = np.asarray(ax, dtype=object).ravel()
    if len(panes) != 2:
        raise ParameterError("two axes", str(len(panes)))
    for number, (name, part) in enumerate(named.items()):
        style = {**series_style(number), "marker": MARKERS[number % len(MARKERS)]}
        for pane, variable in zip(panes, ("relevant", "rate"), strict=True):
            depths = part[DEPTH].to_numpy()
            pane.plot(depths, part[variable], label=name, markersize=4, linewidth=1.8, **style)
    panes[0].set(xlabel="pool depth d", ylabel="relevant documents per topic")
    panes[1].set(xlabel="pool depth d", ylabel="share of relevant among newly judged")
    for pane in panes:
        pane.set_ylim(bottom=0)
        pane.xaxis.set_major_locator(MaxNLocator(integer=True))
    if "" not in named:
        legend_beside(panes[1])
    return panes
