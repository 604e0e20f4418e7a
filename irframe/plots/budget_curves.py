"""What a budget of judgments buys, by how the documents are chosen."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Literal

import xarray as xr

from irframe.checks import choice
from irframe.errors import InputError
from irframe.plots.canvas import MARKERS, legend_beside, new_axes, only_metric, series_style
from irframe.plots.room import name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
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
    if not isinstance(replayed, xr.Dataset) or not {"method", "budget"} <= {*replayed.dims}:
        raise InputError("what replay gives", type(replayed).__name__)
    mean, ends = replayed[value], replayed[f"{value}_interval"]
    if "metric" in mean.dims:
        mean = only_metric(mean, metric)
        ends = ends.sel(metric=mean["metric"])
    factor = 100 if word.endswith("%") else 1
    ax = new_axes(ax, figsize=figsize)
    budgets = replayed["budget"].to_numpy()
    for number, name in enumerate(replayed["method"].to_numpy()):
        style = {**series_style(number), "marker": MARKERS[number % len(MARKERS)]}
        curve, (low, high) = factor * mean[number].to_numpy(), factor * ends[number].to_numpy().T
        ax.plot(budgets, curve, label=str(name), markersize=4, linewidth=1.8, **style)
        ax.fill_between(budgets, low, high, color=style["color"], alpha=0.12, linewidth=0)
    ax.set_xscale("log")
    name_ticks(ax, budgets, budgets)
    ax.minorticks_off()
    ax.set(xlabel="judgments of each topic", ylabel=word)
    legend_beside(ax)
    return ax
