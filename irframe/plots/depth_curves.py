"""Figures with curves by evaluation depth, and with sorted p-values.

Figures: depth_curves, metric_curves, ratio_curves, unjudged_share, p_value_curves.
"""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import holding, level
from irframe.cubes.parse_scores import to_scores
from irframe.cubes.score import score
from irframe.cubes.score_arrays import expand_scalars
from irframe.cubes.unjudged import SHARED, unjudged_shares
from irframe.cubes.view import experiment_of, read_cube
from irframe.errors import InputError, cautions_of
from irframe.metrics.facts import best_first, facts
from irframe.names import DEPTH, METRIC, PAIR, SYSTEM, TOPIC, counted
from irframe.plots import canvas
from irframe.plots.layout import Axes, OneMetric, Size, Style, fitting_names, integer_ticks
from irframe.record import NONE
from irframe.scores.averages import averages
from irframe.scores.summary import summary
from irframe.stops import axis_of
from irframe.tables.captions import decision_text, significance_text

BETWEEN = "named: best two, worst, and some between"
"""Subtitle of a figure if the user selects no systems to name in the legend."""


def depth_curves(
    scores: xr.DataArray,
    *,
    metric: OneMetric = None,
    systems: Sequence[Hashable] | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the mean score of every system by evaluation depth.

    Also called as ``scores.ireval.plot.depth_curves()``.

    If two lines cross, the order of the two systems depends on the depth. The legend names the
    highlighted systems and counts the other systems.

    Parameters
    ----------
    scores
        Scores over (metric, system, topic, depth).
    metric
        The metric to draw, required if there are several metrics.
    systems
        The systems to highlight. The default is five systems by their means at the greatest depth:
        the best two, the worst, and two systems evenly spaced between them.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one line per system, and a dotted line at the pool depth.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Figs. 2 and 3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')")
    >>> scores.ireval.plot.depth_curves().get_ylabel()
    "mean AP(norm='min')"
    """
    dim = axis_of(scores).dim
    holding(f"scores with a dimension {dim}", scores, {dim}, "sizes")
    chosen = canvas.select_only(to_scores(scores, "this figure"), METRIC, metric)
    means = averages(chosen).transpose(SYSTEM, dim)
    depths = means[dim].to_numpy()
    names = means.indexes[SYSTEM].tolist()
    final = means.to_numpy()[:, -1]
    # systems without a mean are sorted last, and are neither the best nor the worst
    order = best_first(final, facts(chosen[METRIC].item()).sign)[: (~np.isnan(final)).sum()]
    rows = canvas.chosen_systems(systems, names, order, 5)
    ax = canvas.new_axes(ax, figsize=figsize)
    curves = dict(zip(names, means.to_numpy(), strict=True))
    canvas.draw_systems(ax, depths, curves, [names[row] for row in rows])
    _finish(ax, scores)
    ax.set_ylabel(f"mean {chosen[METRIC].item()}")
    spread = BETWEEN if systems is None and len(rows) < len(order) else ""
    canvas.subtitle(ax, counted(chosen.sizes[TOPIC], TOPIC), spread)
    canvas.legend_beside(ax)
    return ax


def _finish(ax: Axes, values: xr.DataArray, pool_depth: int | None = None) -> None:
    """Label and scale the depth axis; mark the pool depth."""
    axis = axis_of(values)
    canvas.mark_depth(ax, canvas.pool_depth_attr(values) if pool_depth is None else pool_depth)
    ax.set_xlabel(axis.describe(axis.title + axis.title_end))
    canvas.log_depths(ax, values[axis.dim].to_numpy(), log=axis.log)
    if axis.integer and not axis.log:
        integer_ticks(ax)


def metric_curves(
    scores: xr.DataArray,
    system: Hashable | None = None,
    *,
    alpha: float = 0.05,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw mean scores of a system by depth or threshold.

    Also called as ``scores.ireval.plot.metric_curves()``.

    Parameters
    ----------
    scores
        Scores by depth, threshold or budget, from `irframe.verbs.score`.
    system
        The system to draw, required if there are several systems.
    alpha
        One minus the confidence level of the intervals over topics, above 0 and below 1.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one line per metric. Bands are the confidence intervals of
        `irframe.verbs.summary`.

    References
    ----------
    .. [1] Lewis. Evaluating and optimizing autonomous text classification systems. SIGIR 1995.
       doi:10.1145/215206.215366

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> cube = runs[runs["system"] == "monot5"].ireval.cube(qrels, scores=True)
    >>> scores = cube.ireval.score(
    ...     "P", "R", "F", stop=ir.Threshold("all"), no_rel="silence"
    ... )
    >>> scores.ireval.plot.metric_curves().get_xlabel()
    'threshold'
    """
    dim = axis_of(scores).dim
    holding(f"scores with a dimension {dim}", scores, {dim}, "sizes")
    array = to_scores(scores, "this figure")
    row = canvas.only_index("system", system, array.indexes[SYSTEM].tolist())
    table = summary(array.isel({SYSTEM: [row]}), alpha=alpha).isel({SYSTEM: 0})
    ax = canvas.new_axes(ax, figsize=figsize)
    stops = table[dim].to_numpy()
    for number, metric in enumerate(table[METRIC].to_numpy()):
        means = table.isel({METRIC: number})
        style = canvas.series_style(number) | canvas.dot_style(stops)
        ax.plot(stops, means["mean"], linewidth=1.8, label=str(metric), **style)
        ax.fill_between(stops, means["ci_low"], means["ci_high"], color=style["color"], alpha=0.15)
    _finish(ax, scores)
    ax.set_ylabel(f"mean with {1 - alpha:.0%} confidence interval")
    of = fitting_names(ax, [array.indexes[SYSTEM][row]], 0.8)
    canvas.subtitle(ax, *of, counted(array.sizes[TOPIC], TOPIC), *cautions_of(table.attrs))
    canvas.legend_beside(ax)
    return ax


def ratio_curves(
    values: xr.DataArray | xr.Dataset, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw a quantity by evaluation depth for each metric.

    Also called as ``values.ireval.plot.ratio_curves()``.

    Parameters
    ----------
    values
        Result of `discrimination`, `median_p`, `coverage`, `inversions`, `separability`, or
        `agreement` with a reference. Intervals are not drawn.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one line per metric and group.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RBP(p=0.8)")
    >>> ax = scores.ireval.coverage(reference=10).ireval.plot.ratio_curves()
    >>> ax.get_ylabel(), len(ax.get_legend().get_texts())
    ('coverage ratio', 3)
    """
    axis = axis_of(values)
    values = canvas.without_intervals(values)
    along = axis.dim
    holding(f"values with a dimension {along}", values, {along}, "sizes")
    if further := [dim for dim in (TOPIC, axis.other, "seed") if dim in values.dims]:
        expected = f"values with no other dimensions than metric, {along} and groups"
        raise InputError(expected, f"the dimension {further[0]}")
    ax = canvas.new_axes(ax, figsize=figsize)
    dims = [str(dim) for dim in values.dims if dim != along]
    curves = values.transpose(*dims, along)
    for number, index in enumerate(np.ndindex(curves.shape[:-1])):
        label = ", ".join(str(curves[index][dim].item()) for dim in dims)
        style = canvas.series_style(number) | canvas.dot_style(values[along])
        ax.plot(values[along], curves[index], linewidth=1.8, label=label, **style)
    _finish(ax, values)
    ax.set_ylabel(str(values.name or "ratio"))
    canvas.subtitle(ax, decision_text(values.attrs))
    canvas.legend_beside(ax)
    return ax


def unjudged_share(cube: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the share of unjudged documents by depth and run.

    Also called as ``cube.ireval.plot.unjudged_share()``.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a line per system. The value at a depth is the number of unjudged documents
        down to the depth, divided by the number of retrieved documents. Systems that contributed to
        the pool have a different colour.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 2.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.plot.unjudged_share()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['contributing (5)', 'not contributing (3)', 'pool depth']
    """
    cube = read_cube(cube)
    shares = 100 * unjudged_shares(score(cube, *SHARED)).transpose(SYSTEM, DEPTH)
    pool = experiment_of(cube).known_pool
    inside = pool.contributing
    ax = canvas.new_axes(ax, figsize=figsize)
    look: Style = {"alpha": 0.9 if len(inside) < 20 else 0.35, "lw": 1.2}
    look |= canvas.dot_style(shares[DEPTH])
    sides = ((inside, "contributing"), (~inside, "not contributing"))
    for (chosen, name), colour in zip(sides, canvas.COLOURS, strict=False):
        for n, row in enumerate(np.flatnonzero(chosen)):
            label = f"_{shares.indexes[SYSTEM][row]}" if n else f"{name} ({chosen.sum()})"
            ax.plot(shares[DEPTH], shares[row], color=colour, label=label, **look)
    shallowest = max(int(pool.depth.min()), 0)
    _finish(ax, shares, shallowest)
    ax.set_ylabel("unjudged documents down to k, %")
    canvas.subtitle(ax, counted(cube.sizes[TOPIC], TOPIC))
    ax.set_ylim(0, 100)
    # many curves are transparent, but a single line in the legend would be too faint
    for line in canvas.legend_beside(ax).get_lines():
        line.set_alpha(1)
    return ax


def p_value_curves(
    data: xr.Dataset | pd.DataFrame,
    *,
    alpha: float | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the p-values of all pairs in descending order.

    Also called as ``data.ireval.plot.p_value_curves()``. A metric is more discriminative if its
    curve is further to the left.

    Parameters
    ----------
    data
        Result of `irframe.verbs.bootstrap_sensitivity` (achieved significance levels) or of
        `irframe.verbs.compare` (adjusted p-values).
    alpha
        Significance level, marked by a dotted line. The default is the level of `data`, or 0.05 if
        `data` has no level. The vertical axis ends at 3 alpha, or at 1 if no p-value is below
        3 alpha.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one curve per metric and depth. The legend contains the share of pairs with
        p-values below alpha. For `bootstrap_sensitivity`, the legend also contains the difference
        of means that is needed for significance.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 14. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "RR"])
    >>> ax = scores.ireval.bootstrap_sensitivity(resamples=200).ireval.plot.p_value_curves()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['AP: 75% of pairs, difference 0.130', 'RR: 32% of pairs, difference 0.255', 'alpha = 0.05']
    """
    bootstrap = isinstance(data, xr.Dataset)
    curves = list(_of_power(data) if isinstance(data, xr.Dataset) else _p_of_frame(data))
    alpha = level(float(data.attrs.get("alpha", 0.05)) if alpha is None else alpha)
    ax = canvas.new_axes(ax, (8.4, 4.2), figsize)
    for number, (name, values, delta) in enumerate(curves):
        label = f"{name}: {(values < alpha).mean():.0%} of pairs"
        label += "" if delta is None else f", difference {delta:.3f}"
        style = canvas.series_style(number) | {"linewidth": 1.8, "label": label}
        # the curve of a single pair is a point, which needs a marker
        if len(values) == 1:
            style |= {"marker": "o", "clip_on": False}
        ax.plot(np.arange(1, len(values) + 1), np.sort(values)[::-1], **style)
    ax.axhline(
        alpha, color=canvas.text_colour(ax), linestyle=":", linewidth=1, label=f"alpha = {alpha:g}"
    )
    corrected = data.attrs.get("adjust", NONE) != NONE
    p_name = "adjusted p-value" if corrected else "p-value"
    ylabel = "achieved significance level" if bootstrap else p_name
    ax.set(xlabel="pairs of systems, sorted", ylabel=ylabel)
    shown = any((values < 3 * alpha).any() for _, values, _ in curves)
    # the point of a single pair, at 1, must not lie on the edge of the axes
    widest = max(1.5, *(len(values) for _, values, _ in curves))
    ax.set(ylim=(0, min(1, 3 * alpha) if shown else 1), xlim=(0, widest))
    integer_ticks(ax)
    canvas.subtitle(ax, significance_text({**data.attrs, "alpha": alpha}))
    canvas.legend_beside(ax)
    return ax


def _of_power(data: xr.Dataset) -> Iterator[tuple[str, Array, float | None]]:
    holding("a result of bootstrap_sensitivity", data, {"asl", "delta"})
    data = expand_scalars(data, METRIC)
    asl = data["asl"].transpose(..., PAIR)
    curve_dims = [str(dim) for dim in asl.dims if dim != PAIR]
    delta = data["delta"].transpose(*curve_dims).to_numpy()
    for index in np.ndindex(asl.shape[:-1]):
        curve = asl[index].dropna(PAIR)
        labels = {dim: str(curve[dim].item()) for dim in curve_dims}
        yield _curve_label(labels, axis_of(data).dim), curve.to_numpy(), float(delta[index])


def _p_of_frame(data: pd.DataFrame) -> Iterator[tuple[str, Array, float | None]]:
    dim = axis_of(data).dim
    holding("a comparison frame", data, {METRIC, dim, "p_adjusted"}, "columns")
    # groupby leaves out rows without a depth, and some comparisons have no depths
    depth = data[dim].astype("string").fillna("")
    for (metric, k), p in data["p_adjusted"].groupby([data[METRIC], depth], sort=False):
        yield _curve_label({METRIC: str(metric), dim: str(k)}, dim), p.to_numpy(), None


def _curve_label(labels: dict[str, str], dim: str) -> str:
    depth = labels.pop(dim, "")
    name = labels.pop(METRIC)
    return ", ".join([*labels.values(), f"{name}@{depth}" if depth and "@" not in name else name])
