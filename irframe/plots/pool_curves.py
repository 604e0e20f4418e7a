"""Figures that compare judges, pool depths and judgment budgets.

Figures: pool_curves, robustness_curves, budget_curves, judge_ranks, confusion_map.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import choice, holding, listed, positions_of
from irframe.cubes.score_arrays import expand_scalars
from irframe.errors import ParameterError
from irframe.metrics.facts import label_at
from irframe.names import DEPTH, JUDGES, METRIC, SYSTEM
from irframe.plots import canvas, layout
from irframe.plots.layout import Artist, Axes, OneMetric, Size, Style
from irframe.tables.captions import method_text


def pool_curves(
    growth: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    ax: "Sequence[Axes] | None" = None,
    figsize: Size = None,
) -> NDArray[np.object_]:
    """Draw the number of relevant documents by pool depth.

    Also called as ``growth.ireval.plot.pool_curves()``.

    Parameters
    ----------
    growth
        Result of `irframe.verbs.pool_growth`, or a dictionary with a result for each collection.
    ax
        Two axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        Two axes. The left axes show the number of relevant documents per topic. The right axes show
        the share of relevant documents among the documents that were not in the pool of the
        previous depth.

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
    by_name: Mapping[str, Any] = {"": growth}
    # an xarray.Dataset is also a Mapping
    if isinstance(growth, Mapping) and not isinstance(growth, xr.Dataset):
        by_name = growth
    for pool in by_name.values():
        holding("a result of pool_growth", pool, {"relevant", "rate"})
        holding("a result of pool_growth by depth", pool, {DEPTH}, "sizes")
        canvas.refuse_groups(pool)
    panes = np.asarray(_two_axes(figsize) if ax is None else ax, dtype=object).ravel()
    for pane in panes:
        layout.wrap_labels(pane)
    canvas.refuse_both(ax, figsize)
    if len(panes) != 2:
        raise ParameterError("two axes in ax=", f"{len(panes)} axes")
    for number, (name, pool) in enumerate(by_name.items()):
        style = canvas.marked_style(number) | {"label": name, "linewidth": 1.8}
        for pane, variable in zip(panes, ("relevant", "rate"), strict=True):
            pane.plot(pool[DEPTH], pool[variable], **style)
    labels = ("relevant documents per topic", "share of relevant among newly judged")
    for pane, label in zip(panes, labels, strict=True):
        pane.set(xlabel="pool depth d", ylabel=label)
        pane.set_ylim(bottom=0)
        layout.integer_ticks(pane)
    if "" not in by_name:
        canvas.legend_beside(panes[1])
    return panes


def _two_axes(figsize: Size) -> object:
    """Return two axes of a new figure, stacked if narrow."""
    size = figsize or canvas.rcparams_size((9, 3.8))
    is_wide = 72 * size[0] > layout.NARROW
    size = size if figsize or is_wide else (size[0], 1.7 * size[1])
    shape = (1, 2) if is_wide else (2, 1)
    return canvas.pyplot().subplots(*shape, figsize=size, layout="constrained")[1]


SHARE = "share"
SEED = "seed"


def robustness_curves(
    agreement: xr.DataArray,
    *,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the agreement between samples and all judgments.

    Also called as ``agreement.ireval.plot.robustness_curves()``.

    A flat line close to 1 means that the metric is robust to incomplete judgments.

    Parameters
    ----------
    agreement
        Result of `irframe.verbs.robustness`.
    depth
        The depth to draw, required if there are several depths.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a line and a band per metric. The line is the mean over seeds, and the band
        extends one standard deviation to both sides. The horizontal axis begins with all judgments
        at the left, and ends with the smallest share at the right. A dotted line marks 0.9.
        Orderings with an agreement above 0.9 are customarily called equivalent.

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
    holding("a result of robustness over share and seed", agreement, {SHARE, SEED}, "sizes")
    canvas.refuse_groups(agreement)
    chosen = expand_scalars(agreement, METRIC).sortby(SHARE, ascending=False)
    chosen = canvas.select_only(chosen, DEPTH, depth)
    shares = chosen[SHARE].to_numpy()
    if 1 not in shares:
        # each line begins with all judgments, which agree perfectly with themselves
        defined = chosen.notnull().any([SHARE, SEED])
        full = xr.ones_like(chosen.isel({SHARE: [0]})).where(defined)
        chosen = xr.concat([full.assign_coords({SHARE: [1.0]}), chosen], SHARE)
    positions = chosen[SHARE].to_numpy()
    ax = canvas.new_axes(ax, figsize=figsize)
    ax.axhline(0.9, color=canvas.FAINT, linestyle=":", linewidth=1)
    for number, metric in enumerate(chosen[METRIC].to_numpy()):
        line = chosen.sel({METRIC: metric})
        mean = line.mean(SEED)
        # unlike DataArray.std, this formula does not warn about shares without values
        half = np.sqrt(((line - mean) ** 2).mean(SEED))
        style = canvas.marked_style(number) | {"linestyle": "-"}
        ax.plot(positions, mean, label=str(metric), **style)
        look = {"color": style["color"], "alpha": 0.15, "linewidth": 0}
        ax.fill_between(positions, mean - half, mean + half, **look)
    method = method_text(agreement.attrs) or "agreement"
    ax.set(xlabel="share of the judgments kept", ylabel=f"agreement with all judgments ({method})")
    ax.set_xlim(1.02, min(shares) - 0.02)
    layout.name_ticks(ax, np.sort(positions), np.sort(positions))
    canvas.legend_beside(ax)
    return ax


WORDS = {
    "kept": "significant differences kept, %",
    "changed": "pairs whose conclusion changes, %",
    "found": "relevant documents found per topic",
    "tau": "Kendall's tau with full judgments",
    "tau_ap": "tau_ap with full judgments",
}
"""Mapping from values of ``value=`` to labels of the vertical axis."""


def budget_curves(
    replayed: xr.Dataset,
    value: Literal["kept", "changed", "found", "tau", "tau_ap"] = "kept",
    *,
    metric: Hashable | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the effect of the number of judgments by strategy.

    Also called as ``replayed.ireval.plot.budget_curves()``.

    Parameters
    ----------
    replayed
        Result of `irframe.verbs.replay`.
    value
        The variable of `replayed` to draw. ``"kept"`` is the share of significant differences that
        stay significant. ``"changed"`` is the share of pairs of systems whose conclusion changes.
        ``"found"`` is the number of relevant documents per topic. ``"tau"`` and ``"tau_ap"`` are
        the agreement with the ranking of systems under full judgments.
    metric
        The metric to draw, required if there are several metrics.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a curve per strategy over the number of judgments per topic on a logarithmic
        scale. Bands are intervals over samples.

    Raises
    ------
    ParameterError
        If the value or metric is unknown, or if there are several metrics and none is selected.

    References
    ----------
    .. [1] Losada, Parapar, Barreiro. Multi-armed bandits for adjudicating documents in
       pooling-based evaluation of information retrieval systems. Information Processing &
       Management 53, 2017. doi:10.1016/j.ipm.2017.04.005

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> replayed = cube.ireval.replay(["pool", "leverage"], [5, 10, 20], "AP")
    >>> replayed.ireval.plot.budget_curves("tau").get_ylabel()
    "Kendall's tau with full judgments"
    """
    label = WORDS[choice("value", value, list(WORDS))]
    holding("a result of replay", replayed, {"strategy", "budget"}, "sizes")
    canvas.refuse_groups(replayed)
    names = [value, f"{value}_interval"]
    mean, ends = canvas.select_only(replayed[names], METRIC, metric)[names].data_vars.values()
    factor = 100 if label.endswith("%") else 1
    ax = canvas.new_axes(ax, figsize=figsize)
    budgets = replayed["budget"].to_numpy()
    for number, name in enumerate(replayed["strategy"].to_numpy()):
        style = canvas.marked_style(number)
        curve = factor * mean[number].to_numpy()
        low, high = factor * ends[number].to_numpy().T
        ax.plot(budgets, curve, label=str(name), linewidth=1.8, **style)
        ax.fill_between(budgets, low, high, color=style["color"], alpha=0.12, linewidth=0)
    ax.set_xscale("log")
    layout.name_ticks(ax, budgets, budgets)
    ax.minorticks_off()
    ax.set(xlabel="judgments of each topic", ylabel=label)
    canvas.legend_beside(ax)
    return ax


NAMED = 5
"""Maximum number of names in `judge_ranks`. Systems with the largest changes are named."""


def judge_ranks(
    effect: xr.Dataset,
    *,
    judge: Hashable | None = None,
    metric: OneMetric = None,
    depth: int | None = None,
    marked: Sequence[Hashable] = (),
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the ranks of systems under two judges.

    Also called as ``effect.ireval.plot.judge_ranks()``. A system above the diagonal has a better
    rank under the judge than under the reference.

    Parameters
    ----------
    effect
        Result of `irframe.judge_effect`.
    judge, metric
        The judge and the metric to draw. Each is required only if there are several.
    depth
        The depth to draw. The default is the greatest depth.
    marked
        Systems to highlight, such as the systems of a team.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a point per system.

    Raises
    ------
    InputError
        If `effect` is not a result of `irframe.judge_effect`.
    ParameterError
        If a judge, metric or depth is unknown, or if there are several and none is selected.

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
    holding("a result of judge_effect", effect, {"conclusions", "rank", "reference_rank"})
    effect = canvas.select_only(effect, "judge", judge)
    effect = canvas.select_only(effect, METRIC, metric)
    deepest = int(effect[DEPTH].max()) if DEPTH in effect.dims else None
    cell = canvas.select_only(effect, DEPTH, deepest if depth is None else depth)
    systems = cell[SYSTEM].to_numpy().tolist()
    chosen = np.isin(
        np.arange(len(systems)), positions_of("marked, systems of the effect", marked, systems)
    )
    old = cell["reference_rank"].to_numpy()
    new = cell["rank"].to_numpy()
    ax = canvas.new_axes(ax, (5.2, 5.2), figsize)
    ends = [0, len(systems) + 1]
    ax.plot(ends, ends, color=canvas.FAINT, linewidth=1, zorder=0)
    sides = ((~chosen, "others"), (chosen, "marked"))
    for (rows, label), colour in zip(sides, canvas.COLOURS, strict=False):
        if rows.any():
            ax.scatter(old[rows], new[rows], 22, color=colour, lw=0, alpha=0.85, label=label)
    moved = np.argsort(-abs(new - old), kind="stable")[:NAMED]
    moved = moved[new[moved] != old[moved]]
    shown = zip(moved, layout.fitting_names(ax, [systems[row] for row in moved], 0.3), strict=True)
    labels = [_name(ax, name, old[row], new[row]) for row, name in shown]
    label = label_at(str(cell[METRIC].item()), cell[DEPTH].item())
    ax.set(xlabel=f"rank by {label} under {effect.attrs['reference']}")
    ax.set(ylabel=f"rank by {label} under {cell['judge'].item()}")
    step = 1 if len(systems) < 20 else 10
    ticks = [1, *range(max(step, 2), len(systems) + 1, step)]
    layout.name_ticks(ax, ticks, ticks)
    ax.set(yticks=ticks, xlim=ends[::-1], ylim=ends[::-1], aspect="equal")
    if listed(marked):
        ax.legend(**canvas.LEGEND, loc="upper left")
    layout.drop_overlapping(labels)
    return ax


def _name(ax: Axes, system: str, old: int, new: int) -> Artist:
    """Write a name beside a point, away from the diagonal."""
    above = new < old
    side, offset = ("right", (-4, 4)) if above else ("left", (4, -4))
    look: Style = {"ha": side, "va": "bottom" if above else "top", "fontsize": "x-small"}
    return ax.annotate(system, (old, new), offset, textcoords="offset points", **look)


def confusion_map(compared: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the confusion matrix of the grades by two judges.

    Also called as ``compared.ireval.plot.confusion_map()``. The shares in a row add up to 100 %.

    Parameters
    ----------
    compared
        Result of `irframe.compare_judges`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a cell per pair of grades. The text of a cell contains its share of the row
        in percent, and its number of documents.

    Raises
    ------
    InputError
        If `compared` is not a result of `irframe.compare_judges`.
    ParameterError
        If `compared` has several pairs of judges, or results by topic.

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
    holding("a result of compare_judges", compared, needed, "variables")
    counts = canvas.only_matrix(compared["confusion"], "grade_a", "grade_b")
    values = counts.to_numpy()
    names = [counts[name].item() for name in JUDGES]
    shares = values / np.maximum(values.sum(axis=1, keepdims=True), 1)
    ax = canvas.new_axes(ax, (4.6, 3.8), figsize)
    mesh = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    cells = (
        (column, row, f"{share:.0%}\n{values[row, column]:,}", mesh.to_rgba(share))
        for (row, column), share in np.ndenumerate(shares)
    )
    canvas.write_cells(ax, cells, "small")
    grades = [str(grade) for grade in counts["grade_a"].to_numpy()]
    ax.set_xticks(range(len(grades)), grades)
    ax.set_yticks(range(len(grades)), grades)
    ax.set(xlabel=f"grade by {names[1]}", ylabel=f"grade by {names[0]}")
    scale = layout.figure_of(ax).colorbar(mesh, ax=ax, label=f"share of the grade by {names[0]}")
    scale.ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return ax
