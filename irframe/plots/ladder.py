"""Figures of ranks, of best systems, and of costs.

Figures: ladder, best_systems, pareto_front.
"""

from collections.abc import Hashable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, on_front
from irframe.checks import check_int, holding
from irframe.errors import InputError, cautions_of
from irframe.metrics.facts import best_first, facts
from irframe.names import METRIC, SYSTEM, counted, roles
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, OneMetric, Size, Style
from irframe.plots.score_boxes import only_layer
from irframe.scores.summary import summary
from irframe.stops import axis_of
from irframe.tables.captions import repeats_text
from irframe.tables.quantities import topics_text

NEEDED = {"rank", "rank_low", "rank_high", "tier"}
SHADES = (0.0, 0.14)
"""Opacity of the grey band behind a tier with an even number, and with an odd number."""
SELDOM = 0.01
"""Smallest printed share of the resamples in which a system is first."""


def ladder(
    ranks: xr.Dataset | pd.DataFrame,
    *,
    metric: OneMetric = None,
    depth: int | None = None,
    top: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the ranks, rank intervals and tiers of systems.

    Also called as ``ranks.ireval.plot.ladder()``.

    Parameters
    ----------
    ranks
        Result of `irframe.verbs.rank_intervals` or `irframe.verbs.leaderboard`, for one group.
    metric
        The metric to draw, required if there are several metrics. For a leaderboard, the first
        metric is drawn.
    depth
        The depth to draw. The default is the greatest depth.
    top
        Number of best systems to draw. The default is all systems.
    ax
        Axes to draw on. The default is a new figure that is tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a dot for the rank of each system and a line for the interval of the rank.
        The best rank is at the top. White and grey bands represent the tiers. If topics were
        resampled, the line is the spread of the rank over resamples. The number beside a line is
        the share of resamples in which the system is first. Shares below 1 % are not printed. Tied
        systems are sorted by name. The subtitle contains the number of repeats, and cautions.

    Raises
    ------
    InputError
        If `ranks` is not a result of `irframe.verbs.rank_intervals` or `irframe.verbs.leaderboard`,
        or has several groups.
    ParameterError
        If the metric is unknown, if there are several metrics and none is selected, or if `top` is
        below 1.
    DepthError
        If there are no ranks at the depth.

    References
    ----------
    .. [1] Goldstein, Spiegelhalter. League tables and their limitations. Journal of the Royal
       Statistical Society A 159, 1996. doi:10.2307/2983325

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = runs.ireval.evaluate(qrels, "nDCG@10").ireval.rank_intervals()
    >>> ax = found.ireval.plot.ladder()
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['monot5', 'duot5', 'splade']
    """
    top = None if top is None else check_int("top", top, low=1)
    ranked = _ranks_by_system(ranks)
    dims = {METRIC, SYSTEM, axis_of(ranked).dim}
    if not {*ranked} >= NEEDED or not {*ranked["rank"].dims} <= dims:
        expected = "a result of rank_intervals or leaderboard for one group"
        raise InputError(expected, "data that do not contain one rank per metric and system")
    layer, label = canvas.at_one_depth(canvas.select_only(ranked, METRIC, metric), depth)
    names = layer.indexes[SYSTEM].astype(str)
    order = np.lexsort((names, layer["rank"]))[:top]
    ax, fit = canvas.row_axes(ax, len(order), (6.4, 1.1, 0.23), figsize, chosen=top is not None)
    order = order[:fit]
    values = {str(name): layer[name].to_numpy()[order] for name in layer if layer[name].ndim == 1}
    rows = np.arange(len(order))
    _bands(ax, values["tier"])
    ax.hlines(rows, values["rank_low"], values["rank_high"], color=canvas.FAINT, linewidth=2)
    ax.plot(values["rank"], rows, "o", markersize=4, color=canvas.COLOURS[0])
    if "first" in values:
        _write_shares(ax, values)
    ax.set_yticks(rows, layout.fitting_names(ax, names[order]))
    last = values["rank_high"].max()
    beyond = max(0.5, 0.02 * last)
    ax.set(ylim=(len(order) - 0.5, -0.5), xlim=(1 - beyond, last + beyond))
    ax.locator_params(axis="x", integer=True)
    ticks = ax.get_xticks()
    # ticks at multiples of 5 or 10 leave out the best rank
    ax.set_xticks(np.union1d(1, ticks[(ticks > 1) & (ticks <= last)]))
    ax.set_xlabel(f"rank by {label}{_interval_words(layer.attrs)}")
    repeats = repeats_text(layer.attrs)
    canvas.subtitle(
        ax, repeats, layout.selection_text(len(order), len(names)), *cautions_of(layer.attrs)
    )
    return ax


def _interval_words(attributes: Mapping[Hashable, Any]) -> str:
    """Return the part of the axis label that describes intervals."""
    if attributes.get("rank_interval") == "bootstrap":
        return " and its spread over resamples"
    return f" with {1 - attributes['alpha']:.0%} interval" if "alpha" in attributes else ""


def _write_shares(ax: Axes, values: dict[str, Array]) -> None:
    """Write the share of resamples with rank 1 beside lines."""
    for row in np.flatnonzero(values["first"] >= SELDOM):
        text = f"first in {values['first'][row]:.0%}"
        look: Style = {"va": "center", "fontsize": "small"}
        end = (values["rank_high"][row], row)
        ax.annotate(text, end, (5, 0), textcoords="offset points", **look)


def _ranks_by_system(ranks: object) -> xr.Dataset:
    """Return ranks as a dataset over metric and system."""
    if (
        isinstance(ranks, pd.DataFrame)
        and {*ranks.columns} >= NEEDED
        and METRIC in ranks.index.names
    ):
        dataset = ranks.to_xarray().assign_attrs(ranks.attrs)
        return dataset.rename({roles(map(str, ranks.index.names)).get(SYSTEM, METRIC): SYSTEM})
    is_leaderboard = {*getattr(ranks, "columns", ())} >= {*NEEDED, "ci_low"}
    if isinstance(ranks, pd.DataFrame) and is_leaderboard and ranks.index.nlevels == 1:
        # systems without scores on some task have no mean, so they have no rank to draw
        ranked = ranks[[*NEEDED]].dropna().astype(float)
        if ranked.empty:
            raise InputError("a leaderboard of systems with means", "no system with a mean")
        board = ranked.rename_axis(SYSTEM).to_xarray().assign_attrs(ranks.attrs)
        by = [*map(str, ranks)][[*ranks].index("ci_low") - 1]
        return board.expand_dims({METRIC: [by]})
    # `ladder` refuses the empty dataset, with the same message as other results
    return ranks if isinstance(ranks, xr.Dataset) else xr.Dataset()


def _bands(ax: Axes, tiers: Array) -> None:
    for tier in np.unique(tiers):
        first, last = np.flatnonzero(tiers == tier)[[0, -1]]
        shade = SHADES[int(tier) % 2]
        ax.axhspan(first - 0.5, last + 0.5, color=canvas.FAINT, alpha=shade, linewidth=0, zorder=0)
        look: Style = {"va": "center", "fontsize": "small"}
        ax.text(1.01, first, f"tier {tier}", transform=ax.get_yaxis_transform(), **look)


EDGES = np.array([1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0])
"""Limits of the bins into which the scale of precision is divided, in descending order."""


def best_systems(best: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the scores of the best system of each group.

    Also called as ``best.ireval.plot.best_systems()``.

    The horizontal axis is divided into bins of precision. A search length is drawn in the bin of
    its reciprocal. Therefore, metrics that agree on the quality of the best systems have bars in
    neighbouring bins.

    Parameters
    ----------
    best
        Result of `irframe.verbs.best_systems` with groups, such as collections.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a bar per metric and bin. The height of a bar is the number of groups whose
        best system has a score in the bin.

    Raises
    ------
    InputError
        If `best` is not a result of `irframe.verbs.best_systems`.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Figs. 1-4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.simulate_track(systems=90, teams=45, docs=2000, depth=50)
    >>> scores = runs.ireval.cube(qrels).ireval.score("P@20", "ASL(first=10)")
    >>> best = scores.ireval.groupby("team").best_systems()
    >>> len(best.ireval.plot.best_systems().patches)
    26
    """
    holding("a result of best_systems", best, {METRIC, "value"}, "columns")
    metrics = best[METRIC].unique()
    positions = np.arange(len(EDGES) - 1)
    width = 0.85 / len(metrics)
    ax = canvas.new_axes(ax, (7.4, 4.2), figsize)
    for number, metric in enumerate(map(str, metrics)):
        values = best.loc[best[METRIC] == metric, "value"].to_numpy(float)
        shift = (number - (len(metrics) - 1) / 2) * width
        colour = canvas.series_style(number)["color"]
        ax.bar(positions + shift, _count(values, metric), width, color=colour, label=metric)
    layout.name_ticks(
        ax, positions, [_edge_label(low, high) for high, low in pairwise(EDGES)], size="x-small"
    )
    group = best.columns[0] if best.columns[0] != METRIC else "group"
    ax.set(ylabel=f"best systems, one per {group}")
    ax.set_xlabel("score (upper line) and the search length it stands for (lower line)")
    # the axis ends one bin beyond the filled bins, because most of the 13 bins are often empty
    bars: Any = ax.patches
    filled = [bar.get_x() for bar in bars if bar.get_height()]
    if not filled:
        raise InputError("best systems with a score", "no such system")
    ends = np.floor(min(filled) + 0.5), np.floor(max(filled) + 0.5)
    ax.set_xlim(max(ends[0] - 1, 0) - 0.6, min(ends[1] + 1, len(EDGES) - 2) + 0.6)
    ax.locator_params(axis="y", integer=True)
    ax.spines[["top", "right"]].set_visible(False)
    canvas.legend_beside(ax)
    return ax


def _count(values: NDArray[np.float64], metric: str) -> NDArray[np.int64]:
    """Count scores by bin; take the reciprocals of costs first."""
    scale = 1 / np.maximum(values, 1) if facts(metric).cost else values
    clipped = np.clip(scale[~np.isnan(scale)], 0, 1)
    # searchsorted requires ascending values, and the edges descend
    cell = np.clip(np.searchsorted(-EDGES, -clipped, side="right") - 1, 0, len(EDGES) - 2)
    return np.bincount(cell, minlength=len(EDGES) - 1)


def _edge_label(low: float, high: float) -> str:
    longest = f"{1 / low:.3g}" if low else "∞"
    return f"{high:g}-{low:g}\n{1 / high:.3g}-{longest}"


MOST_NAMED = 12
"""Maximum number of systems that the legend of `pareto_front` names."""


Costs = Hashable | Mapping[Hashable, float] | pd.Series
"""Costs of systems: the name of a cost metric, or a mapping from systems to costs."""


def pareto_front(
    scores: xr.DataArray | pd.DataFrame,
    *,
    cost: Costs,
    metric: OneMetric = None,
    depth: int | None = None,
    alpha: float = 0.05,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the effectiveness of each system against its cost.

    Also called as ``scores.ireval.plot.pareto_front(cost="tokens")``.

    The line joins the systems of the Pareto front. A system belongs to the front unless another
    system is at least as good in both effectiveness and cost, and better in one of the two. The
    legend names at most twelve systems, beginning with the systems of the front, and counts the
    other systems.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or a frame.
    cost
        The name of a metric of `scores`, or a dictionary or Series with the cost of each system.
        Lower costs are better. The mean of a metric is drawn with its confidence interval.
    metric
        The metric of effectiveness. Required if `scores` has several metrics besides `cost`.
    depth
        The depth or budget to draw. The default is the greatest depth or budget.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
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
        If `cost` lacks a system of `scores`.

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
    height = _means_and_intervals(layer, label, alpha)
    if isinstance(cost, str):
        costs, title = only_layer(scores, cost, depth)
        width = _means_and_intervals(costs, title, alpha)
        title = f"mean {title}"
    else:
        width = _known_costs(cost, names)
        title = str(getattr(cost, "name", None) or "cost")
    ax = canvas.new_axes(ax, figsize=figsize)
    sign = facts(label).sign
    front = on_front(width[0], sign * height[0])
    order = dict.fromkeys([*front.tolist(), *best_first(height[0], sign).tolist()])
    for row, (name, colour, marker) in _styles(ax, names, [*order]).items():
        x, left, right = width[:, row]
        y, low, high = height[:, row]
        across = np.array([[x - left], [right - x]])
        up = np.array([[y - low], [high - y]])
        look: Style = {"label": name, "elinewidth": 1.5 if name[0] != "_" else 0.5}
        ax.errorbar(x, y, up, across, marker, color=colour, ecolor=canvas.FAINT, **look)
    more = len(names) - MOST_NAMED
    if more > 0:
        ax.errorbar([], [], fmt="o", color=canvas.FAINT, label=counted(more, "other system"))
    ax.plot(width[0][front], height[0][front], color=canvas.text_colour(ax), linewidth=1, zorder=0)
    ax.set(xlabel=title, ylabel=f"mean {label}")
    canvas.subtitle(
        ax,
        topics_text([layer.shape[-1]]),
        f"{1 - alpha:.0%} intervals",
        "line: Pareto front" if len(front) > 1 else "",
    )
    canvas.legend_beside(ax)
    return ax


def _styles(ax: Axes, names: list[Hashable], order: list[int]) -> dict[int, tuple[str, str, str]]:
    """Return the legend name, colour and marker of each system.

    Systems without an entry in the legend are drawn in grey. The labels of grey systems begin
    with an underscore, because matplotlib leaves such labels out of the legend.
    """
    named = sorted(order[:MOST_NAMED])
    chosen = [names[row] for row in named]
    colours = canvas.system_colours(chosen, names)
    # there are fewer colours than named systems, and points have no dash patterns to tell them
    # apart
    n_earlier = [colours[:number].count(colour) for number, colour in enumerate(colours)]
    markers = [canvas.MARKERS[count % len(canvas.MARKERS)] for count in n_earlier]
    styles = zip(named, layout.fitting_names(ax, chosen), colours, markers, strict=True)
    faint = {row: (f"_{names[row]}", canvas.FAINT, "o") for row in order[MOST_NAMED:]}
    # grey systems are drawn first, so that the systems in colour are drawn over them
    return faint | {row: (name, colour, marker) for row, name, colour, marker in styles}


def _only_other(scores: xr.DataArray | pd.DataFrame, cost: str) -> str | None:
    """Return the only metric other than the cost, or None."""
    array = isinstance(scores, xr.DataArray)
    labels = scores["metric"].to_numpy() if array else getattr(scores, "columns", ())
    metrics = [label for label in np.atleast_1d(labels).tolist() if str(label) != cost]
    return metrics[0] if len(metrics) == 1 else None


def _means_and_intervals(layer: xr.DataArray, label: str, alpha: float) -> NDArray[np.float64]:
    """Return each system's mean, lower limit and upper limit."""
    summed = summary(layer.rename(label).drop_vars("metric"), alpha=alpha).isel(metric=0)
    mean = summed["mean"].to_numpy()
    ends = [summed[side].to_numpy() for side in ("ci_low", "ci_high")]
    # if there is no interval, for example with a single topic, the error bar has length 0
    return np.stack([mean, *(np.where(np.isnan(end), mean, end) for end in ends)])


def _known_costs(cost: object, names: list[Hashable]) -> NDArray[np.float64]:
    """Return passed costs as means, lower limits and upper limits."""
    costs = pd.Series(dict(cost) if isinstance(cost, Mapping) else cost)
    values = costs.reindex(names).astype(float)
    if values.isna().any():
        lacking = values.index[values.isna()]
        raise InputError("a cost of every system in cost=", "no cost for", "", lacking)
    return np.tile(values.to_numpy(), (3, 1))
