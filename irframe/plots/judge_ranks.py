"""Figures of judges.

Figures: judge_ranks, confusion_map.
"""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from irframe.checks import holding, listed, places, whole
from irframe.errors import InputError
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, JUDGES, METRIC, PAIR, SYSTEM
from irframe.plots import canvas
from irframe.plots.room import Axes, Size, drop_overlapping, figure_of, fitting_names, name_ticks


def judge_ranks(
    effect: xr.Dataset,
    *,
    judge: Hashable | None = None,
    metric: Any = None,
    depth: int | None = None,
    marked: Sequence[Hashable] = (),
    named: int = 5,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
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
    holding("what judge_effect gives", effect, {"conclusions", "rank", "reference_rank"})
    effect = canvas.only(effect, "judge", judge)
    effect = canvas.only(effect, METRIC, None if metric is None else str(metric))
    deepest = int(effect[DEPTH].max()) if DEPTH in effect.dims else None
    cell = canvas.only(effect, DEPTH, deepest if depth is None else depth)
    systems = cell[SYSTEM].to_numpy().tolist()
    chosen = np.isin(
        np.arange(len(systems)), places("marked, systems of the effect", marked, systems)
    )
    old, new = cell["reference_rank"].to_numpy(), cell["rank"].to_numpy()
    ax = canvas.new_axes(ax, (5.2, 5.2), figsize)
    ends = [0, len(systems) + 1]
    ax.plot(ends, ends, color=canvas.FAINT, linewidth=1, zorder=0)
    sides = ((~chosen, "others"), (chosen, "marked"))
    for (rows, label), colour in zip(sides, canvas.COLOURS, strict=False):
        if rows.any():
            ax.scatter(old[rows], new[rows], 22, color=colour, lw=0, alpha=0.85, label=label)
    moved = np.argsort(-abs(new - old), kind="stable")[: whole("named", named, low=0)]
    moved = moved[new[moved] != old[moved]]
    shown = zip(moved, fitting_names(ax, [systems[row] for row in moved], 0.3), strict=True)
    labels = [_name(ax, name, old[row], new[row]) for row, name in shown]
    label = label_at(str(cell[METRIC].item()), cell[DEPTH].item())
    ax.set(xlabel=f"rank by {label} under {effect.attrs['reference']}")
    ax.set(ylabel=f"rank by {label} under {cell['judge'].item()}")
    step = 1 if len(systems) < 20 else 10
    ticks = [1, *range(max(step, 2), len(systems) + 1, step)]
    name_ticks(ax, ticks, ticks)
    ax.set(yticks=ticks, xlim=ends[::-1], ylim=ends[::-1], aspect="equal")
    if listed(marked):
        ax.legend(**canvas.LEGEND, loc="upper left")
    drop_overlapping(labels)
    return ax


def _name(ax: Axes, system: str, old: int, new: int) -> Any:
    """Write a name beside its point, on the side away from the diagonal."""
    above = new < old
    side, offset = ("right", (-4, 4)) if above else ("left", (4, -4))
    look: dict[str, Any] = {"ha": side, "va": "bottom" if above else "top", "fontsize": "x-small"}
    return ax.annotate(system, (old, new), offset, textcoords="offset points", **look)


def confusion_map(
    compared: xr.Dataset,
    *,
    pair: tuple[Any, Any] | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw how many documents of each grade by one judge get which grade by the other.

    Also called as ``compared.ireval.plot.confusion_map()``. A row adds up to 100 %.

    Parameters
    ----------
    compared
        What `irframe.compare_judges` gives.
    pair
        Which pair of judges, as there named; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a cell per pair of grades: the share of the row, and the number of documents.

    Raises
    ------
    InputError
        For another dataset, or one by topic.
    ParameterError
        If the choice of the pair is unknown or open.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> slips = np.resize([0, 0, 1, 0, -1], len(qrels))
    >>> model = qrels.assign(grade=(qrels["grade"] + slips).clip(0, 3))
    >>> compared = ir.compare_judges({"people": qrels, "model": model})
    >>> compared.ireval.plot.confusion_map().get_ylabel()
    'grade by people'
    """
    needed = {"confusion", "grade_a", "grade_b", *JUDGES}
    holding("what compare_judges gives", compared, needed, "variables")
    holding("what compare_judges gives", compared["confusion"], {"grade_a", "grade_b"}, "sizes")
    counts, names = _only_pair(compared["confusion"], pair)
    if counts.ndim > 2:
        raise InputError("counts over all topics", "some by topic", "choose with .sel(topic=...)")
    values = counts.transpose("grade_a", "grade_b").to_numpy()
    shares = values / np.maximum(values.sum(axis=1, keepdims=True), 1)
    ax = canvas.new_axes(ax, (4.6, 3.8), figsize)
    mesh = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    cells = (
        (column, row, f"{share:.0%}\n{values[row, column]:,}", mesh.to_rgba(share))
        for (row, column), share in np.ndenumerate(shares)
    )
    canvas.write_cells(ax, cells, "small")
    grades = [str(grade) for grade in counts["grade_a"].to_numpy()]
    for name_side in (ax.set_xticks, ax.set_yticks):
        name_side(range(len(grades)), grades)
    ax.set(xlabel=f"grade by {names[1]}", ylabel=f"grade by {names[0]}")
    scale = figure_of(ax).colorbar(mesh, ax=ax, label=f"share of the grade by {names[0]}")
    scale.ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return ax


def _only_pair(
    counts: xr.DataArray, pair: tuple[Any, Any] | None
) -> tuple[xr.DataArray, tuple[Any, Any]]:
    """Return the counts of one pair of judges, and what these are called."""
    sides = (np.atleast_1d(counts[name]).tolist() for name in JUDGES)
    known = list(zip(*sides, strict=True))
    if PAIR not in counts.dims:
        return counts, known[0]
    pair = tuple(pair) if isinstance(pair, list) else pair
    place = canvas.only_place("pair", pair, known, "those compared")
    return counts.isel({PAIR: place}), known[place]
