"""What becomes of the conclusions about pairs of systems, by depth."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH, METRIC
from irframe.plots.canvas import legend_beside, log_depths, new_axes
from irframe.plots.judged import CONCLUSION_COLOURS, only_judge

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEANINGS = {
    "kept": "significant under both",
    "lost": "only under {reference}",
    "new": "only under {judge}",
    "reversed": "both, but reversed",
    "neither": "under neither",
}


def conclusion_shares(
    effect: xr.Dataset,
    *,
    judge: Hashable | None = None,
    metric: Any = None,
    log: bool = True,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw on which shares of the pairs two judges agree about significance, at every depth.

    Also called as ``effect.ireval.plot.conclusion_shares()``.

    Parameters
    ----------
    effect
        What `irframe.judge_effect` gives, at two depths or more.
    judge, metric
        Which ones; may be left out where there is only one.
    log
        Whether depth has a logarithmic scale.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a band per conclusion.

    Raises
    ------
    InputError
        For another dataset, or a single depth.
    ParameterError
        If a choice is unknown or open.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> strict = qrels.assign(grade=qrels["grade"].where(qrels["grade"] != 1, 0))
    >>> effect = ir.judge_effect(runs, {"people": qrels, "strict": strict}, "AP")
    >>> len(effect.ireval.plot.conclusion_shares().collections)
    5
    """
    cell = only_judge(effect, judge, metric)
    if cell.sizes.get(DEPTH, 1) < 2:
        raise InputError("an effect at two depths or more", "one")
    counts = cell["conclusions"].transpose("conclusion", DEPTH)
    values = counts.to_numpy()
    names = counts["conclusion"].to_numpy().tolist()
    words = {"reference": effect.attrs["reference"], "judge": cell["judge"].item()}
    depths = counts[DEPTH].to_numpy()
    ax = new_axes(ax, (6.8, 3.8), figsize)
    ax.stackplot(
        depths,
        100 * values / np.maximum(values.sum(axis=0), 1),
        colors=[CONCLUSION_COLOURS[name] for name in names],
        labels=[MEANINGS[name].format(**words) for name in names],
        linewidth=0,
    )
    ax.set(xlabel="evaluation depth k", ylabel="pairs of systems, %", ylim=(0, 100))
    ax.set_title(str(cell[METRIC].item()), fontsize="medium")
    log_depths(ax, depths, log=log)
    legend_beside(ax, handles=ax.get_legend_handles_labels()[0][::-1])
    return ax
