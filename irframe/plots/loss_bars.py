"""Figure with losses of systems by cause.

Figures: loss_bars.
"""

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import holding
from irframe.cubes.score_arrays import expand_scalars
from irframe.errors import InputError
from irframe.metrics.facts import average
from irframe.names import METRIC, SCORE, SYSTEM, TOPIC, roles
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, Size

CAUSES = {"score": "#0072B2", "not_retrieved": "#D5DAE0", "ordered": "#E69F00"}
"""Mapping from columns of a table of losses to the colours of their bars.

Columns ``cut_by_...`` are drawn in the colours of `CUTS`.
"""
CUTS = ("#CC79A7", "#009E73", "#56B4E9")


def loss_bars(
    losses: xr.DataArray | pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw the mean score and the losses of each system.

    Also called as ``losses.ireval.plot.loss_bars()``.

    Parameters
    ----------
    losses
        Result of `irframe.verbs.losses`.
    ax
        Axes to draw on. The default is a new figure that is tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a stacked bar for each system. From left to right, a bar consists of the
        score, the loss from the order of documents, the loss from each later stage, and the loss
        from documents that were not retrieved. All bars end at the mean of the highest possible
        scores.

    Raises
    ------
    InputError
        If `losses` is not a result of `irframe.verbs.losses`.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> len(runs.ireval.losses(qrels, "nDCG@10").ireval.plot.loss_bars().patches)
    24
    """
    means = _mean_losses(losses)
    cuts = [name for name in means if str(name).startswith("cut_by_")]
    ax, fit = canvas.row_axes(ax, len(means), (6.4, 1.4, 0.28), figsize, chosen=False)
    shown = means[:fit]
    rows = np.arange(fit)[::-1]
    starts = np.zeros(fit)
    colours = CAUSES | {name: CUTS[n % len(CUTS)] for n, name in enumerate(cuts)}
    for name in [SCORE, "ordered", *cuts[::-1], "not_retrieved"]:
        label = "not in best order" if name == "ordered" else str(name).replace("_", " ")
        ax.barh(rows, shown[name], 0.8, left=starts, color=colours[name], label=label)
        starts += shown[name].to_numpy()
    ax.set_yticks(rows, layout.fitting_rows(ax, "{}", shown.index), fontsize="small")
    metric = str(losses.attrs.get(METRIC, "")) or "score"
    ax.set_xlabel(
        "; ".join(
            filter(None, [f"mean {metric}", layout.selection_text(fit, len(means), end="first")])
        )
    )
    # matplotlib warns if both limits are 0
    ax.set(xlim=(0, max(starts.max(initial=0), 1e-9)), ylim=(-0.6, fit - 0.4))
    ax.spines[["top", "right"]].set_visible(False)
    if layout.size_in_points(ax)[0] < layout.NARROW:
        canvas.legend_beside(ax, None, below=True)
    else:
        ax.legend(**canvas.LEGEND, ncols=3, loc="lower left", bbox_to_anchor=(0, 1))
    return ax


def _mean_losses(losses: object) -> pd.DataFrame:
    """Return the mean score and losses per system.

    An InputError is raised if the argument is not a result of `irframe.verbs.losses`.
    """
    expected = "a result of losses"
    if isinstance(losses, pd.DataFrame):
        holding(expected, losses, CAUSES, "columns")
        system = roles([*losses.index.names, *losses.columns]).get(SYSTEM, SYSTEM)
        if system not in losses.index.names:
            raise InputError(expected, "a frame without an index level that contains systems")
        canvas.refuse_groups(losses)
        return losses.groupby(level=system, sort=False).mean()
    if not isinstance(losses, xr.DataArray):
        raise InputError(expected, type(losses).__name__)
    canvas.refuse_groups(losses)
    array: xr.DataArray = expand_scalars(losses, METRIC)
    if {*array.dims} != {METRIC, SYSTEM, TOPIC}:
        raise InputError(expected, "an array with the dimensions", "", array.dims)
    means = average(array.transpose(METRIC, SYSTEM, TOPIC).to_numpy())
    frame = pd.DataFrame(means.T, array.indexes[SYSTEM], array[METRIC].to_numpy())
    holding(expected, frame, CAUSES, "columns")
    return frame
