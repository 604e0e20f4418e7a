"""What single runs lose without their own judgments."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irframe.errors import InputError, ParameterError
from irframe.names import DEPTH, METRIC
from irframe.plots.canvas import FAINT, legend_beside, new_axes, series_style, subtitle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def leave_out_changes(
    rows: pd.DataFrame,
    *,
    depth: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw by how much the score of every run falls when it is left out of the pool.

    Also called as ``rows.ireval.plot.leave_out_changes()``.

    Parameters
    ----------
    rows
        What `irframe.verbs.leave_out` gives.
    depth
        Which evaluation depth; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a point per metric and run over the ranks that the run gets with all judgments,
        and a dashed line at the mean of each metric.

    References
    ----------
    .. [1] Zobel. How reliable are the results of large-scale information retrieval experiments?
       SIGIR 1998. doi:10.1145/290941.291014

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.leave_out("AP", "RBP(p=0.8)").ireval.plot.leave_out_changes()
    >>> ax.get_ylabel()
    'change without own judgments, %'
    """
    needed = [METRIC, DEPTH, "rank", "change"]
    if not isinstance(rows, pd.DataFrame) or not set(needed) <= set(rows.columns):
        raise InputError("what leave_out gives", type(rows).__name__)
    known = rows[DEPTH].unique().tolist()
    if depth is None and len(known) == 1:
        depth = known[0]
    if depth not in known:
        found = "none chosen" if depth is None else repr(depth)
        raise ParameterError("depth= to be one of the depths scored", found, "", known)
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - costs time at import

    part = rows[rows[DEPTH] == depth]
    ax = new_axes(ax, figsize=figsize)
    ax.axhline(0, color=FAINT, linewidth=1)
    metrics = part[METRIC].unique()
    shifts = np.linspace(-0.2, 0.2, len(metrics)) if len(metrics) > 1 else [0.0]
    for number, (metric, shift) in enumerate(zip(metrics, shifts, strict=True)):
        points = part[part[METRIC] == metric]
        colour = series_style(number)["color"]
        mean = points["change"].mean()
        label = f"{metric}, mean {mean:.1f}%"
        ax.scatter(points["rank"] + shift, points["change"], s=18, color=colour, label=label)
        ax.axhline(mean, color=colour, linestyle="--", linewidth=1)
    ax.set(xlabel="rank of the run, 1 is best", ylabel="change without own judgments, %")
    subtitle(ax, f"depth {depth}")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    legend_beside(ax)
    return ax
