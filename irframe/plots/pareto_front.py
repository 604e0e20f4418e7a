"""Effectiveness against cost, and the systems that no other one beats in both."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.cubes.by_budget import read_at_budgets
from irframe.errors import InputError
from irframe.metrics.facts import facts
from irframe.names import SYSTEM
from irframe.plots.canvas import FAINT, ink, legend_beside, new_axes, subtitle, system_style
from irframe.plots.room import fitting_names
from irframe.plots.score_boxes import only_layer
from irframe.scores.summary import summary
from irframe.tables.captions import told_topics

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMED = 12
"""Most systems that the legend names, those of the front first."""


@read_at_budgets
def pareto_front(
    scores: xr.DataArray | pd.DataFrame,
    *,
    cost: Any,
    metric: Any = None,
    depth: int | None = None,
    alpha: float = 0.05,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw what each system achieves against what it costs.

    Also called as ``scores.ireval.plot.pareto_front(cost="tokens")``.

    The line joins the systems of the Pareto front: no other system is at least as good at no
    higher cost, and better in one of the two. Beyond twelve systems the legend names those of the
    front first, and counts the others.

    Parameters
    ----------
    scores
        Scores, an array or a frame.
    cost
        What lower is better of: a label of `scores`, with an interval of its mean; or system ->
        cost, as a dictionary or a Series.
    metric
        The effectiveness; may be left out where there is only one besides `cost`.
    depth
        Which depth, or budget; by default the greatest.
    alpha
        One minus the confidence level of the intervals.
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
        If a system has no cost.

    References
    ----------
    .. [1] Santhanam, Saad-Falcon, Franz, Khattab, Sil, Florian, Sultan, Roukos, Zaharia, Potts.
       Moving beyond downstream task accuracy for information retrieval benchmarking. Findings of
       ACL 2023. doi:10.18653/v1/2023.findings-acl.738

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["nDCG@10", "ASL"])
    >>> ax = scores.ireval.plot.pareto_front(cost="ASL", metric="nDCG@10")
    >>> ax.get_xlabel()
    'mean ASL'
    """
    if metric is None and isinstance(cost, str):
        metric = _only_other(scores, cost)
    layer, label = only_layer(scores, metric, depth)
    names = layer.indexes[SYSTEM].tolist()
    height = _intervals(layer, label, alpha)
    if isinstance(cost, str):
        costs, title = only_layer(scores, cost, depth)
        width, title = _intervals(costs, title, alpha), f"mean {title}"
    else:
        width, title = _given(cost, names), str(getattr(cost, "name", None) or "cost")
    ax = new_axes(ax, figsize=figsize)
    front = on_front(width[0], facts(label).sign * height[0])
    for place, (name, style) in _styles(ax, names, front).items():
        (x, left, right), (y, low, high) = width[:, place], height[:, place]
        across, up = np.array([[x - left], [right - x]]), np.array([[y - low], [high - y]])
        look: dict[str, Any] = {"label": name, "elinewidth": 1.5 if name[0] != "_" else 0.5}
        ax.errorbar(x, y, up, across, "o", color=style, ecolor=FAINT, **look)
    more = len(names) - NAMED
    if more > 0:
        ax.errorbar([], [], fmt="o", color=FAINT, label=f"{more} other system{'s' * (more > 1)}")
    ax.plot(width[0][front], height[0][front], color=ink(ax), linewidth=1, zorder=0)
    ax.set(xlabel=title, ylabel=f"mean {label}")
    subtitle(ax, told_topics([layer.shape[-1]]), f"{1 - alpha:.0%} intervals", "line: Pareto front")
    legend_beside(ax)
    return ax


def _styles(ax: "Axes", names: list[Any], front: NDArray[np.intp]) -> dict[int, tuple[str, Any]]:
    """Return what each system is called in a legend and its colour: the front, then others.

    Names of those that a legend has no room for begin with an underscore, and are faint.
    """
    order = [*front.tolist(), *(place for place in range(len(names)) if place not in front)]
    named = sorted(order[:NAMED])
    labels = fitting_names(ax, [names[place] for place in named])
    styles = system_style([names[place] for place in named])
    styled = {
        place: (label, style.get("color"))
        for place, label, style in zip(named, labels, styles, strict=True)
    }
    return {place: (f"_{names[place]}", FAINT) for place in order[NAMED:]} | styled


def _only_other(scores: Any, cost: str) -> Any:
    """Return the metric beside the cost, None if there are several."""
    array = isinstance(scores, xr.DataArray)
    labels = scores["metric"].to_numpy() if array else getattr(scores, "columns", ())
    others = [label for label in np.atleast_1d(labels).tolist() if str(label) != cost]
    return others[0] if len(others) == 1 else None


def _intervals(layer: xr.DataArray, label: str, alpha: float) -> NDArray[np.float64]:
    """Return means and the ends of their intervals, shape (3, system)."""
    summed = summary(layer.rename(label).drop_vars("metric"), alpha=alpha).isel(metric=0)
    mean = summed["mean"].to_numpy()
    ends = [summed[side].to_numpy() for side in ("ci_low", "ci_high")]
    return np.stack([mean, *(np.where(np.isnan(end), mean, end) for end in ends)])


def _given(cost: Any, names: list[Any]) -> NDArray[np.float64]:
    """Return costs that are known of systems, likewise."""
    known = pd.Series(dict(cost) if isinstance(cost, Mapping) else cost)
    values = known.reindex(names).astype(float)
    if values.isna().any():
        raise InputError("a cost of every system", "none for", "", values.index[values.isna()])
    return np.tile(values.to_numpy(), (3, 1))


def on_front(cost: NDArray[np.float64], value: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return who is on the Pareto front, the cheapest first.

    Examples
    --------
    >>> on_front(np.array([3.0, 1.0, 2.0, 2.0]), np.array([0.5, 0.2, 0.6, 0.4]))
    array([1, 2])
    """
    order = np.lexsort((-value, cost))
    best = np.maximum.accumulate(value[order])
    rises = np.append(True, best[1:] > best[:-1])[: len(order)]
    return np.asarray(order[rises])
