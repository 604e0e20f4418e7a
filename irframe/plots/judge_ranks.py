"""The rank of every system under one judge against that under another."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.checks import listed, places
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.plots.canvas import COLOURS, FAINT, new_axes
from irframe.plots.judged import deepest, only_judge
from irframe.plots.room import drop_overlapping, fitting_names, name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def judge_ranks(
    effect: xr.Dataset,
    *,
    judge: Hashable | None = None,
    metric: Any = None,
    depth: int | None = None,
    marked: Sequence[Hashable] = (),
    named: int = 5,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw where every system ranks under another judge, against its rank under the reference.

    Also called as ``effect.ireval.plot.judge_ranks()``. Above the diagonal a system does better
    under the other judge.

    Parameters
    ----------
    effect
        What `irframe.judge_effect` gives.
    judge, metric
        Which ones; may be left out where there is only one.
    depth
        Which depth, by default the greatest.
    marked
        Systems to draw in another colour, such as those of a group.
    named
        How many of the systems that move most to name.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a point per system.

    Raises
    ------
    InputError
        For another dataset.
    ParameterError
        If a choice is unknown or open.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> slips = np.resize([0, 0, 1, 0, -1], len(qrels))
    >>> model = qrels.assign(grade=(qrels["grade"] + slips).clip(0, 3))
    >>> effect = ir.judge_effect(runs, {"people": qrels, "model": model}, "AP", at=10)
    >>> effect.ireval.plot.judge_ranks().get_xlabel()
    'rank by AP@10 under people'
    """
    cell = deepest(only_judge(effect, judge, metric), depth)
    systems = cell[SYSTEM].to_numpy().tolist()
    some = np.isin(np.arange(len(systems)), places("systems of the effect", marked, systems))
    old, new = cell["reference_rank"].to_numpy(), cell["rank"].to_numpy()
    ax = new_axes(ax, (5.2, 5.2), figsize)
    ends = [0, len(systems) + 1]
    ax.plot(ends, ends, color=FAINT, linewidth=1, zorder=0)
    for rows, colour, label in ((~some, COLOURS[0], "others"), (some, COLOURS[1], "marked")):
        if rows.any():
            ax.scatter(old[rows], new[rows], 22, color=colour, lw=0, alpha=0.85, label=label)
    moved = np.argsort(-abs(new - old), kind="stable")[:named]
    moved = moved[new[moved] != old[moved]]
    shown = fitting_names(ax, [systems[row] for row in moved], 0.3)
    told = [
        _name(ax, name, old[row], new[row], len(systems))
        for row, name in zip(moved, shown, strict=True)
    ]
    label = label_at(str(cell[METRIC].item()), cell[DEPTH].item())
    ax.set(xlabel=f"rank by {label} under {effect.attrs['reference']}")
    ax.set(ylabel=f"rank by {label} under {cell['judge'].item()}")
    step = 1 if len(systems) < 20 else 10
    ticks = [1, *range(max(step, 2), len(systems) + 1, step)]
    name_ticks(ax, ticks, ticks)
    ax.set(yticks=ticks, xlim=ends[::-1], ylim=ends[::-1], aspect="equal")
    if listed(marked):
        ax.legend(frameon=False, fontsize="small", loc="upper left")
    drop_overlapping(told)
    return ax


def _name(ax: "Axes", system: str, old: int, new: int, systems: int) -> Any:
    """Write a name beside its point, on the side away from the diagonal."""
    above = new < old
    inside = old > systems / 4 if above else old < 3 * systems / 4
    side = "right" if above == inside else "left"
    offset = (-4 if side == "right" else 4, 4 if above else -4)
    return ax.annotate(
        system,
        (old, new),
        offset,
        textcoords="offset points",
        ha=side,
        va="bottom" if above else "top",
        fontsize="x-small",
    )
