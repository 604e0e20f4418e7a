"""Figures that compare two systems, or all possible rankings.

Figures: orderings, hasse, ranking_grid, explained.
"""

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import holding
from irframe.errors import ParameterError
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, TOPIC, counted
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, Size, Style

NAMES = {-1: "ns", 0: "=", 1: "ni", 2: "**"}
"""Mapping from the codes of innate orderings that `merge_codes` returns to short names."""
LABEL_COLOURS = {-1: "#A6D4F2", 0: "#0072B2", 1: "#F5C24C", 2: "#D55E00"}
"""Mapping from codes of innate orderings to colours: light blue, blue, yellow and vermilion.
Colour-blind readers can distinguish these colours."""
MEANINGS = {-1: "ns: a not superior", 0: "equal", 1: "ni: a not inferior", 2: "** non-separable"}


def label_look() -> Style:
    """Return the style of images with codes of innate orderings."""
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - slow import

    colours = ListedColormap(list(LABEL_COLOURS.values()))
    # with limits halfway between integers, each code from -1 to 2 has one colour
    return {"cmap": colours, "vmin": -1.5, "vmax": 2.5, "interpolation": "nearest"}


def merge_codes(labels: NDArray[np.integer]) -> NDArray[np.int8]:
    """Replace -2 by 2, because both codes mean non-separable."""
    return np.where(np.abs(labels) == 2, 2, labels).astype(np.int8)


def label_legend(ax: Axes) -> None:
    """Put a legend with the colours of orderings below axes."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - slow import

    patches = [Patch(color=LABEL_COLOURS[code], label=text) for code, text in MEANINGS.items()]
    canvas.legend_beside(ax, handles=patches, below=True)


GAP = 1
"""Width of the space between panels, relative to a cell of a ranking."""
WIDE = 3
"""Width of the panel that shows a metric's score differences, relative to a cell of a ranking."""
MOST_SPELLED = 60
"""Maximum number of topics whose names and score differences are printed."""


def orderings(lined_up: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw rankings, innate orderings and score differences of two systems.

    Also called as ``lined_up.ireval.plot.orderings()``.

    There is one row per topic. From left to right, the panels show the ranking of system a, the
    ranking of system b, the innate ordering at every depth, and the score differences a - b. In a
    ranking, a darker cell is a document with a higher gain. The colour of a difference shows the
    better system. Topics are sorted into five groups from *ns* (a is not superior) to *ni* (a is
    not inferior). In the first and the last group, no metric can prefer the other system.

    Parameters
    ----------
    lined_up
        Result of `irframe.verbs.side_by_side`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one image for each panel.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 5 and 6. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> pair = cube.ireval.side_by_side("monot5", "bm25", "P", "AP", depth=10)
    >>> len(pair.ireval.plot.orderings().images)
    5
    """
    holding("a result of side_by_side", lined_up, {"label", "gain_a", "gain_b"})
    holding("a result of side_by_side by topic and depth", lined_up, {TOPIC, DEPTH}, "sizes")
    canvas.refuse_groups(lined_up)
    topics = lined_up.sizes[TOPIC]
    metrics = lined_up.sizes.get(METRIC, 0)
    columns = 3 * lined_up.sizes[DEPTH] + 3 * GAP + WIDE * metrics
    few = topics <= MOST_SPELLED
    size = (min(2 + 0.16 * columns, 14), min(1.4 + (0.2 if few else 0.03) * topics, 12))
    ax = canvas.new_axes(ax, size, figsize)
    spelled = few and topics <= layout.rows_that_fit(ax, 0.7)
    narrow = layout.size_in_points(ax)[0] < layout.NARROW
    left = 0.0
    ticks = []
    names = []
    for name, cells, width, style in _panels(ax, lined_up):
        right = left + width
        ax.imshow(cells, extent=(left, right, topics, 0), aspect="auto", **style)
        ticks.append((left + right) / 2)
        names.append(name)
        left = right + (GAP if len(ticks) <= 3 else 0)
    if spelled and metrics and not narrow:
        _print_differences(ax, lined_up, ticks[3:])
    ax.set(xlim=(0, right), ylim=(topics, 0))
    ax.set_xticks(ticks, names, fontsize="small")
    ax.xaxis.tick_top()
    for text in ax.get_xticklabels()[0 if narrow else 3 :]:
        text.set(rotation=30, horizontalalignment="left")
    ax.tick_params(length=0)
    rows = np.arange(topics) + 0.5
    ax.set_yticks(rows if spelled else [], lined_up[TOPIC].to_numpy() if spelled else [])
    ax.tick_params(axis="y", labelsize="x-small")
    ax.set_ylabel("topic" if spelled else counted(topics, TOPIC))
    ax.spines[:].set_visible(False)
    label_legend(ax)
    return ax


def _panels(ax: Axes, data: xr.Dataset) -> list[tuple[str, Array, float, Style]]:
    """Return the name, cells, width and style of each panel."""
    depths = data.sizes[DEPTH]
    grey = {"cmap": "Greys", "vmin": 0, "vmax": 1.25, "interpolation": "nearest"}
    names = layout.fitting_names(ax, [data["system_a"].item(), data["system_b"].item()], 0.18)
    panels: list[tuple[str, Array, float, Style]] = [
        (f"{side}: {name}", data[f"gain_{side}"].to_numpy(), depths, grey)
        for side, name in zip("ab", names, strict=True)
    ]
    labels = merge_codes(data["label"].to_numpy())
    panels.append((f"ordering, k = 1 to {depths}", labels, depths, label_look()))
    if METRIC in data.dims:
        metrics = zip(data[METRIC].to_numpy(), _ahead(data)[..., np.newaxis], strict=True)
        panels += [(str(metric), cells, WIDE, label_look()) for metric, cells in metrics]
    return panels


def _ahead(data: xr.Dataset) -> Array:
    """Return 1 where a is better, -1 where b is."""
    signs = [facts(metric).sign for metric in data[METRIC].to_numpy()]
    ahead: Array = np.sign(data["difference"].to_numpy()) * np.reshape(signs, (-1, 1))
    return ahead


def _print_differences(ax: Axes, data: xr.Dataset, centres: list[float]) -> None:
    def spelled(value: float) -> str:
        decimals = 2 if abs(value) >= 0.005 else 4
        return f"{value:+.{decimals}f}" if value else NAMES[0]

    ahead = _ahead(data)
    cells = (
        (centres[cell[0]], cell[1] + 0.5, spelled(value), LABEL_COLOURS[int(ahead[cell])])
        for cell, value in np.ndenumerate(data["difference"].to_numpy())
        if not np.isnan(value)
    )
    canvas.write_cells(ax, cells, "xx-small")


LEVEL = 26.0
"""Minimum height of a level of the Hasse diagram with its arrows, in points."""
LONGEST = 6
"""Maximum length of the rankings in a Hasse diagram. There are 64 binary rankings of length 6."""


def hasse(grid: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the innate ordering of rankings as a Hasse diagram.

    Also called as ``grid.ireval.plot.hasse()``.

    An arrow points from a ranking to a ranking that is not better by any metric. An arrow is
    omitted if a path of other arrows joins the two rankings. If no path joins two rankings, metrics
    can disagree on their order. Along an arrow, a relevant document moves down one rank, or is
    removed from the last rank.

    Parameters
    ----------
    grid
        Result of `irframe.verbs.enumerate_rankings` for a length of at most 6.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with the arrows and a text for each ranking. The background of a text is darker if
        the ranking has more relevant documents.

    Raises
    ------
    ParameterError
        If the rankings are longer than 6.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 1. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> len(ir.verbs.enumerate_rankings(4).ireval.plot.hasse().texts)
    16
    """
    from matplotlib.colors import to_rgb  # noqa: PLC0415 - slow import
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415 - slow import

    holding("a result of enumerate_rankings", grid, {"label", "covers"})
    names = sorted(map(str, grid["row"].to_numpy()), reverse=True)
    if len(names[0]) > LONGEST:
        raise ParameterError(f"rankings of length 1 to {LONGEST}", str(len(names[0])))
    levels: dict[int, list[str]] = {}
    for name in names:
        # an arrow lowers this sum by 1, so it always joins two neighbouring levels
        height = sum(len(name) - i for i, bit in enumerate(name) if bit == "1")
        levels.setdefault(height, []).append(name)
    position = {
        name: (number - (len(level) - 1) / 2, height)
        for height, level in levels.items()
        for number, name in enumerate(level)
    }
    widest = max(map(len, levels.values())) / 2
    ax = canvas.new_axes(ax, (max(3.2, 2.6 * widest), 1.0 + 0.48 * len(levels)), figsize)
    layout.grow_figure(ax, LEVEL * len(levels) - layout.size_in_points(ax)[1])
    style: Style = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 9, "shrinkB": 9}
    covers = grid["covers"].sel(row=names, column=names).to_numpy()
    for better, worse in np.argwhere(covers):
        ends = position[names[better]], position[names[worse]]
        ax.add_patch(FancyArrowPatch(*ends, color=canvas.FAINT, linewidth=1, **style))
    light, dark = (
        np.array(to_rgb(colour)) for colour in (canvas.background(ax), canvas.COLOURS[0])
    )
    look = canvas.CENTRED | {"family": "monospace", "fontsize": "x-small"}
    for name, (x, y) in position.items():
        shade = 0.35 * name.count("1") / len(name)
        box = {"boxstyle": "round,pad=0.25", "edgecolor": canvas.COLOURS[0]}
        ax.text(x, y, name, bbox=box | {"facecolor": (1 - shade) * light + shade * dark}, **look)
    ax.set(xlim=(-widest, widest), ylim=(-0.6, len(levels) - 0.4))
    ax.set_axis_off()
    return ax


RANKING_GRID_MOST_SPELLED = 16
"""Maximum number of rankings whose names are written in a ranking grid."""


def ranking_grid(grid: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the innate ordering of all pairs of rankings.

    Also called as ``grid.ireval.plot.ranking_grid()``.

    Rows are sorted by one metric, and columns by another metric. Metrics can disagree only on pairs
    with a red cell. Many red cells far from the diagonal mean that metrics can disagree strongly.

    Parameters
    ----------
    grid
        Result of `irframe.verbs.enumerate_rankings`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one cell per pair of rankings.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 2 and 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> ax = ir.verbs.enumerate_rankings(6, "AP", "nDCG").ireval.plot.ranking_grid()
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('by nDCG, best first', 'by AP, best first')
    """
    holding("a result of enumerate_rankings", grid, {"label", "covers"})
    labels = merge_codes(grid["label"].to_numpy())
    rankings = len(labels)
    spelled = rankings <= RANKING_GRID_MOST_SPELLED
    ax = canvas.new_axes(ax, (5.6, 6.9 if spelled else 6.2), figsize)
    ax.imshow(labels, **label_look())
    across, down = (
        "lexicographic" if by == "lexicographic" else f"by {by}, best first"
        for by in (grid.attrs["columns"], grid.attrs["rows"])
    )
    ax.set(xlabel=across, ylabel=down, xticks=[], yticks=[])
    if spelled:
        small: Style = {"fontsize": "small", "family": "monospace"}
        ax.set_xticks(range(rankings), grid["column"].to_numpy(), rotation=90, **small)
        ax.set_yticks(range(rankings), grid["row"].to_numpy(), **small)
        cells = (
            (column, row, NAMES[int(code)], LABEL_COLOURS[int(code)])
            for (row, column), code in np.ndenumerate(labels)
        )
        canvas.write_cells(ax, cells, "x-small")
    tau = f"Kendall's tau of the two arrangements: {grid['tau'].item():.3f}"
    ax.set_title(tau, fontsize="medium")
    label_legend(ax)
    return ax


def explained(documents: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the contribution of documents to differences between systems.

    Also called as ``documents.ireval.plot.explained()``.

    Parameters
    ----------
    documents
        Result of `irframe.verbs.explain`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with topics from the largest difference a - b to the smallest. Above the axis, a
        bar stacks the documents that contribute more to the score of a. Below the axis, a bar
        stacks the documents that contribute more to the score of b. The largest contribution is
        next to the axis. A dot is the difference between the scores on the topic. Documents with
        equal contributions to both scores are not drawn.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.explain("splade", "bm25", "nDCG", at=5).ireval.plot.explained()
    >>> len(ax.get_xticklabels()), ax.get_ylabel()
    (16, 'difference of nDCG@5')
    """
    holding("a result of explain", documents, {TOPIC, "difference"}, "columns")
    # rounding errors of sums must not decide the order of topics with equal differences
    total = documents.groupby(TOPIC, sort=False)["difference"].sum().round(12).dropna()
    total = total.sort_values(ascending=False, kind="stable")
    names = documents.attrs.get("systems", ["a", "b"])
    ax = canvas.new_axes(ax, (7.2, 3.6), figsize)
    values = documents["difference"].to_numpy().round(12)
    column = total.index.get_indexer(pd.Index(documents[TOPIC]))
    ax.plot(np.arange(len(total)), total, ".", color=canvas.text_colour(ax), label="difference")
    sides = zip(
        layout.fitting_names(ax, names, 0.3), canvas.system_colours(names), (1, -1), strict=True
    )
    for name, colour, sign in sides:
        ahead = (sign * values > 0) & (column >= 0)
        _stack(ax, column[ahead], values[ahead], colour)
        ax.plot([], [], "s", color=colour, label=f"more by {name}")
    ax.axhline(0, color=canvas.text_colour(ax), linewidth=0.6)
    layout.name_topics(ax, total.index)
    of = f" of {documents.attrs['metric']}" if "metric" in documents.attrs else ""
    ax.set(xlabel="topic", ylabel=f"difference{of}", xlim=(-0.8, len(total) - 0.2))
    canvas.legend_beside(ax)
    canvas.subtitle(ax, f"{counted(len(total), TOPIC)}; a segment is a document")
    return ax


def _stack(
    ax: Axes, column: NDArray[np.integer], values: NDArray[np.floating], colour: str
) -> None:
    """Draw stacked bars of documents, the largest next to zero."""
    order = np.lexsort([-np.abs(values), column])
    column = column[order]
    values = values[order]
    before = np.cumsum(values) - values
    # searchsorted finds the first document of each topic, where a new sum begins
    bottom = before - before[np.searchsorted(column, column)]
    edge: Style = {"edgecolor": canvas.background(ax), "linewidth": 0.4}
    ax.bar(column, values, bottom=bottom, color=colour, width=0.8, **edge)
