"""Figures of pools and budgets of judgments.

Figures: pool_curves, robustness_curves, budget_curves.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import xarray as xr

from irframe.checks import choice, holding
from irframe.errors import ParameterError
from irframe.names import DEPTH, METRIC
from irframe.plots import canvas
from irframe.plots.room import NARROW, Axes, Size, name_ticks, whole_ticks, wrap_labels
from irframe.tables.captions import told_method


def pool_curves(
    growth: xr.Dataset | Mapping[str, xr.Dataset],
    *,
    ax: "Sequence[Axes] | None" = None,
    figsize: Size = None,
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
    named: Mapping[Any, Any] = {"": growth}
    if isinstance(growth, Mapping) and not isinstance(growth, xr.Dataset):
        named = growth
    for part in named.values():
        holding("what pool_growth gives", part, {"relevant", "rate"})
    panes = np.asarray(_two_axes(figsize) if ax is None else ax, dtype=object).ravel()
    for pane in panes:
        wrap_labels(pane)
    canvas.refuse_both(ax, figsize)
    if len(panes) != 2:
        raise ParameterError("two axes", str(len(panes)))
    for number, (name, part) in enumerate(named.items()):
        style = canvas.marked_style(number) | {"label": name, "linewidth": 1.8}
        for pane, variable in zip(panes, ("relevant", "rate"), strict=True):
            pane.plot(part[DEPTH], part[variable], **style)
    labels = ("relevant documents per topic", "share of relevant among newly judged")
    for pane, label in zip(panes, labels, strict=True):
        pane.set(xlabel="pool depth d", ylabel=label)
        pane.set_ylim(bottom=0)
        whole_ticks(pane)
    if "" not in named:
        canvas.legend_beside(panes[1])
    return panes


def _two_axes(figsize: Size) -> Any:
    """Return two axes of a new figure, side by side if it is wide enough."""
    plt, size = canvas.pyplot(), figsize or canvas.asked_size((9, 3.8))
    beside = 72 * size[0] > NARROW
    size = size if figsize or beside else (size[0], 1.7 * size[1])
    shape = (1, 2) if beside else (2, 1)
    return plt.subplots(*shape, figsize=size, layout="constrained")[1]


SHARE, SEED = "share", "seed"


def robustness_curves(
    agreement: xr.DataArray,
    *,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
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
    holding("what robustness gives, over share and seed", agreement, {SHARE, SEED}, "sizes")
    chosen = agreement.sortby(SHARE, ascending=False)
    if DEPTH in agreement.dims:
        chosen = canvas.only(chosen, DEPTH, depth, "the depths scored")
    shares = chosen[SHARE].to_numpy()
    if 1 not in shares:
        known = chosen.notnull().any([SHARE, SEED])  # all judgments agree with themselves
        whole = xr.ones_like(chosen.isel({SHARE: [0]})).where(known).assign_coords({SHARE: [1.0]})
        chosen = xr.concat([whole, chosen], SHARE)
    places = chosen[SHARE].to_numpy()
    ax = canvas.new_axes(ax, figsize=figsize)
    ax.axhline(0.9, color=canvas.FAINT, linestyle=":", linewidth=1)
    for number, metric in enumerate(chosen[METRIC].to_numpy()):
        line = chosen.sel({METRIC: metric})
        mean = line.mean(SEED)
        half = np.sqrt(((line - mean) ** 2).mean(SEED))  # std warns where nothing is known
        style = canvas.marked_style(number) | {"linestyle": "-"}
        ax.plot(places, mean, label=str(metric), **style)
        look = {"color": style["color"], "alpha": 0.15, "linewidth": 0}
        ax.fill_between(places, mean - half, mean + half, **look)
    method = told_method(agreement.attrs) or "agreement"
    ax.set(xlabel="share of the judgments kept", ylabel=f"agreement with all judgments ({method})")
    ax.set_xlim(1.02, min(shares) - 0.02)
    name_ticks(ax, np.sort(places), np.sort(places))
    canvas.legend_beside(ax)
    return ax


WORDS = {
    "kept": "significant differences kept, %",
    "changed": "pairs whose conclusion changes, %",
    "found": "relevant documents found per topic",
    "tau": "Kendall's tau with full judgments",
    "tau_ap": "tau_ap with full judgments",
}
"""What may be drawn -> what is written at its axis."""


def budget_curves(
    replayed: xr.Dataset,
    value: Literal["kept", "changed", "found", "tau", "tau_ap"] = "kept",
    *,
    metric: Hashable | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw what more judgments buy, a curve for each way to choose the documents.

    Also called as ``replayed.ireval.plot.budget_curves()``.

    Parameters
    ----------
    replayed
        What `irframe.verbs.replay` gives.
    value
        What to draw: ``"kept"``, the share of significant differences that is kept; ``"changed"``,
        of pairs whose conclusion changes; ``"found"``, relevant documents; ``"tau"`` or
        ``"tau_ap"``, agreement of the order of systems with that by full judgments.
    metric
        A metric, if there are several.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with judgments of each topic on a logarithmic scale. Bands are intervals over
        samples.

    Raises
    ------
    ParameterError
        For a value that is none of these, an unknown metric, or several without a choice.

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
    word = WORDS[choice("value", value, list(WORDS))]
    holding("what replay gives", replayed, {"strategy", "budget"}, "sizes")
    mean, ends = replayed[value], replayed[f"{value}_interval"]
    if METRIC in mean.dims:
        mean = canvas.only_metric(mean, metric)
        ends = ends.sel(metric=mean[METRIC])
    factor = 100 if word.endswith("%") else 1
    ax = canvas.new_axes(ax, figsize=figsize)
    budgets = replayed["budget"].to_numpy()
    for number, name in enumerate(replayed["strategy"].to_numpy()):
        style = canvas.marked_style(number)
        curve, (low, high) = factor * mean[number].to_numpy(), factor * ends[number].to_numpy().T
        ax.plot(budgets, curve, label=str(name), linewidth=1.8, **style)
        ax.fill_between(budgets, low, high, color=style["color"], alpha=0.12, linewidth=0)
    ax.set_xscale("log")
    name_ticks(ax, budgets, budgets)
    ax.minorticks_off()
    ax.set(xlabel="judgments of each topic", ylabel=word)
    canvas.legend_beside(ax)
    return ax
