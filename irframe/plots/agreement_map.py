"""Figures of agreement between orderings and between significance tests.

Figures: agreement_map, agreement_bars, agreement_triangle, volatility_map.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import holding, listed
from irframe.comparing.corrections import parse_test
from irframe.cubes.score_arrays import expand_scalars
from irframe.names import DEPTH, METRIC, SYSTEM
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, OneMetric, Size, Style
from irframe.printed import fixed_text
from irframe.stops import axis_of
from irframe.tables.captions import method_text, significance_text

if TYPE_CHECKING:
    from matplotlib.collections import QuadMesh
    from matplotlib.colors import BoundaryNorm, Colormap
    from matplotlib.image import AxesImage

LEVELS = (-1.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Limits of the bins of agreement. Each bin has its own colour.

Orderings with an agreement above 0.9 are customarily called equivalent (Voorhees, 2001).
"""
BELOW = ("#7F2704", "#FFF0E0")
"""Colours of the lowest and the highest bin below 0.9.

Bins between them have interpolated colours.
"""
ABOVE = ("#C6DBEF", "#4292C6")
"""Colours of the lowest and the highest bin above 0.9.

Bins between them have interpolated colours.
"""
UNDEFINED = "#D5D8DC"
"""Colour of undefined correlations."""
THRESHOLD = 0.9


def binned_colours() -> tuple["Colormap", "BoundaryNorm"]:
    """Return the colour map and the norm of the bins.

    Colours are warm below 0.9 and cool above.
    """
    from matplotlib import colors  # noqa: PLC0415 - slow import

    below = LEVELS.index(THRESHOLD)
    shades: list[tuple[float, float, float, float]] = []
    for ends, count in ((BELOW, below), (ABOVE, len(LEVELS) - 1 - below)):
        between = colors.LinearSegmentedColormap.from_list("", list(ends))
        shades += [between(pos) for pos in np.linspace(0, 1, count)]
    colourmap = colors.ListedColormap(shades).with_extremes(bad=UNDEFINED)
    return colourmap, colors.BoundaryNorm(LEVELS, len(shades))


def add_scale(ax: Axes, mesh: "AxesImage | QuadMesh", values: xr.DataArray) -> None:
    """Add the colour scale, labelled with the measure of agreement."""
    label = method_text(values.attrs) or "agreement"
    layout.figure_of(ax).colorbar(mesh, ax=ax, ticks=list(LEVELS), spacing="uniform", label=label)


CATEGORY_COLOURS = ("#00684C", "#8FD3B6", "#F0B400", "#7A5195", "#C04000")
"""Colours of the five categories of `significance_agreement`: significant by both, by neither, by
the metric only, by orderings only, and by both but in opposite directions. Colour-blind readers can
distinguish the colours.
"""
ALWAYS = 4
"""Number of categories that are always drawn. The fifth category is drawn only if it occurs."""


def categories(checked: xr.Dataset, verdict: xr.DataArray) -> Iterator[tuple[int, str, str]]:
    """Return the code, name and colour of each drawn category."""
    last = max(ALWAYS, 1 + int(verdict.max()))
    names = map(str, checked["category"].to_numpy()[:last])
    return zip(range(last), names, CATEGORY_COLOURS, strict=False)


def checked_test_text(checked: xr.Dataset) -> str:
    """Return the names of a result's significance tests as text."""
    tests = listed(checked.attrs.get("test"))
    selected = [test for test in tests if parse_test(test).name == checked["test"].item()]
    return significance_text({**checked.attrs, "test": selected})


def only_test(checked: xr.Dataset, test: str | None) -> xr.Dataset:
    """Return the results of one significance test."""
    holding("a result of significance_agreement", checked, {"verdict", "share", "rank"})
    canvas.refuse_groups(checked)
    selected: xr.Dataset = canvas.select_only(checked, "test", test)
    full: xr.Dataset = expand_scalars(selected, METRIC, DEPTH)
    return full


def agreement_map(
    matrix: xr.DataArray | xr.Dataset,
    *,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the agreement between metrics as a coloured matrix.

    Also called as ``matrix.ireval.plot.agreement_map()``.

    Parameters
    ----------
    matrix
        Agreement between metrics, from `irframe.verbs.agreement` without a reference. Intervals
        are not drawn.
    depth
        The depth to draw, required if there are several depths.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with the agreement in every cell. Cells are blue for values of at least 0.9, and
        brown to pale orange for values below 0.9. Cells without a value are grey.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.8. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "RBP(p=0.8)", "P@10", "RR"])
    >>> ax = scores.ireval.agreement().ireval.plot.agreement_map()
    >>> [text.get_text() for text in ax.texts][:5]
    ['1.00', '1.00', '0.93', '0.84', '0.79']
    """
    holding("a matrix over metric and metric_other", matrix, {METRIC, "metric_other"}, "sizes")
    coefficients = canvas.without_intervals(matrix)
    matrix_at_depth = canvas.select_only(coefficients, axis_of(matrix).dim, depth)
    values = canvas.only_matrix(matrix_at_depth, METRIC, "metric_other")
    colourmap, norm = binned_colours()
    labels = [str(label) for label in values[METRIC].to_numpy()]
    ax = canvas.new_axes(ax, (2.4 + 0.75 * len(labels), 1.4 + 0.62 * len(labels)), figsize)
    mesh = ax.imshow(np.ma.masked_invalid(values.to_numpy()), cmap=colourmap, norm=norm)
    add_scale(ax, mesh, values)
    canvas.write_cells(
        ax,
        (
            (column, row, fixed_text(float(value), 2).replace("nan", ""), colourmap(norm(value)))
            for (row, column), value in np.ndenumerate(values.to_numpy())
        ),
    )
    ax.set_xticks(range(len(labels)), labels, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(labels)), labels)
    return ax


def agreement_bars(
    checked: xr.Dataset, *, test: str | None = None, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw the share of system pairs by category of significance.

    Also called as ``checked.ireval.plot.agreement_bars()``.

    Parameters
    ----------
    checked
        Result of `irframe.verbs.significance_agreement`.
    test
        The test to draw, required if there are several tests.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a bar per metric and depth. A bar stacks four patches, one for each category.
        A fifth patch is drawn if metric and orderings differ significantly in opposite directions
        for some pair.

    Raises
    ------
    ParameterError
        If the test is unknown, or if there are several tests and none is selected.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 7. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> checked = cube.ireval.significance_agreement("P", "AP", at=[5, 10])
    >>> len(checked.ireval.plot.agreement_bars().patches)
    16
    """
    checked = only_test(checked, test)
    share = checked["share"].transpose(METRIC, DEPTH, ...)
    metrics, depths, _ = share.shape
    positions = np.arange(metrics)[:, np.newaxis] * (depths + 1) + np.arange(depths)
    ax = canvas.new_axes(ax, (min(3 + 0.3 * positions.size, 12), 4.0), figsize)
    bottom = np.zeros(positions.size)
    for code, label, colour in categories(checked, checked["verdict"]):
        values = share.to_numpy()[..., code].ravel()
        ax.bar(positions.ravel(), values, 0.85, bottom=bottom, color=colour, label=label)
        bottom += values
    layout.name_ticks(ax, positions.ravel(), np.tile(share[DEPTH], metrics), size="x-small")
    for row, metric in zip(positions, share[METRIC].to_numpy(), strict=True):
        ax.text(row.mean(), 1.02, str(metric), ha="center", fontsize="small")
    ax.set(xlabel="evaluation depth k", ylabel="share of system pairs", ylim=(0, 1.1))
    ax.set_yticks(np.linspace(0, 1, 6))
    canvas.subtitle(ax, checked_test_text(checked))
    canvas.legend_beside(ax)
    return ax


WIDE = 1.15
"""Diameter of a dot, relative to the distance between the centres of neighbouring dots."""
LARGEST = 90
"""Area of the largest dot, in square points."""


def agreement_triangle(
    checked: xr.Dataset,
    *,
    metric: OneMetric = None,
    test: str | None = None,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw a dot per system pair, coloured by its significance.

    Also called as ``checked.ireval.plot.agreement_triangle()``.

    Systems are ordered by their mean score. Pairs near the diagonal have similar means, and pairs
    near the upper left corner have very different means.

    Parameters
    ----------
    checked
        Result of `irframe.verbs.significance_agreement`.
    metric, test, depth
        The metric, test and depth to draw. Each is required only if there are several.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one collection of dots per category.

    Raises
    ------
    ParameterError
        If a metric, test or depth is unknown, or if there are several and none is selected.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 8. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> checked = ir.verbs.significance_agreement(ir.cube(*ir.example_track()), "P", at=10)
    >>> len(checked.ireval.plot.agreement_triangle().collections)
    4
    """
    checked = only_test(checked, test)
    checked = canvas.select_only(checked, DEPTH, depth)
    verdict = canvas.select_only(checked["verdict"], METRIC, metric)
    # tied systems have consecutive ranks, so that no two dots have the same position
    by_rank = np.argsort(
        canvas.select_only(checked["rank"], METRIC, metric).to_numpy(), kind="stable"
    )
    rank = dict(zip(checked[SYSTEM].to_numpy()[by_rank], range(1, len(by_rank) + 1), strict=True))
    sides = [[rank[s] for s in checked[name].to_numpy()] for name in ("system_a", "system_b")]
    better, worse = np.sort(sides, axis=0)
    ax = canvas.new_axes(ax, (5.4, 5.0), figsize)
    distance = 72 * ax.get_window_extent().width / ax.figure.dpi / len(rank)
    # the size of a dot is an area in square points, and the distance a length in points
    size = float(min(LARGEST, (WIDE * distance) ** 2))
    for code, name, colour in categories(checked, verdict):
        chosen = verdict.to_numpy() == code
        label = f"{name} ({chosen.mean():.1%})"
        ax.scatter(better[chosen], worse[chosen], size, color=colour, label=label, linewidths=0)
    by = f"{verdict[METRIC].item()} at k = {verdict[DEPTH].item()}"
    ends = (0.5, len(rank) + 0.5)
    ax.set(xlabel=f"better system, rank by {by}", ylabel="worse system, rank")
    ax.set(aspect="equal", xlim=ends, ylim=ends)
    layout.integer_ticks(ax, upright=True)
    canvas.subtitle(ax, checked_test_text(checked))
    # dots in the legend have the default area of matplotlib, 36 square points
    if layout.size_in_points(ax)[0] < layout.NARROW:
        canvas.legend_beside(ax, markerscale=(36 / size) ** 0.5)
    else:
        ax.legend(**canvas.LEGEND, loc="lower right", markerscale=(36 / size) ** 0.5)
    return ax


def volatility_map(
    matrix: xr.DataArray | xr.Dataset,
    *,
    metric: OneMetric = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw a volatility matrix: the agreement between all depths.

    Also called as ``matrix.ireval.plot.volatility_map()``.

    Parameters
    ----------
    matrix
        Volatility matrices from `irframe.verbs.volatility`, between depths of one metric or of two
        metrics. Intervals are not drawn.
    metric
        The metric to draw, required if there are several metrics.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a coloured mesh and a colour scale. Cells are blue for values of at least
        0.9, and brown to pale orange for values below 0.9. Undefined correlations are grey. Dotted
        lines mark the pool depth.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Figs. 5-7. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')")
    >>> scores.ireval.volatility().ireval.plot.volatility_map().get_ylabel()
    "evaluation depth of AP(norm='min')"
    """
    axis = axis_of(matrix)
    holding("a result of volatility", matrix, {axis.dim}, "sizes")
    values = canvas.only_matrix(
        canvas.select_only(canvas.without_intervals(matrix), METRIC, metric), axis.dim, axis.other
    )
    colourmap, norm = binned_colours()
    ax = canvas.new_axes(ax, (5.2, 4.2), figsize)
    sides = values[axis.other].to_numpy(), values[axis.dim].to_numpy()
    cells = np.ma.masked_invalid(values.to_numpy())
    look: Style = {"cmap": colourmap, "norm": norm}
    # in a PDF, the cells of 200 depths take 0.96 MB as vectors and 0.09 MB as pixels
    mesh = ax.pcolormesh(*map(_borders, sides), cells, rasterized=True, **look)
    add_scale(ax, mesh, values)
    if pool_depth := canvas.pool_depth_attr(values):
        for line in (ax.axvline, ax.axhline):
            line(pool_depth, color="black", linestyle=":", linewidth=1.2)
        canvas.subtitle(ax, f"dotted: pool depth {pool_depth}")
    across, down = (str(values.coords[name].item()) for name in ("metric_other", METRIC))
    ax.set(xlabel=f"{axis.title} of {across}", ylabel=f"{axis.title} of {down}")
    ax.set(xlim=_borders(sides[0])[[0, -1]], ylim=_borders(sides[1])[[0, -1]], aspect="equal")
    layout.integer_ticks(ax, upright=True)
    return ax


def _borders(depths: Array) -> Array:
    """Return the edges of the cells, halfway between neighbouring depths."""
    middle = (depths[1:] + depths[:-1]) / 2
    return np.concatenate([[depths[0] - 0.5], middle, [depths[-1] + 0.5]])
