"""Figures of two rankings or systems, and of all rankings of a length.

Figures: orderings, hasse, ranking_grid, explained.
"""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import holding
from irframe.errors import ParameterError
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, TOPIC, counted
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, Size

NAMES = {-1: "ns", 0: "=", 1: "ni", 2: "**"}
"""Code -> name, without what came before a non-separable label."""
LABEL_COLOURS = {-1: "#A6D4F2", 0: "#0072B2", 1: "#F5C24C", 2: "#D55E00"}
"""Light blue, blue, yellow, vermilion: much as in the literature; apart for the colour-blind."""
MEANINGS = {-1: "ns: a not superior", 0: "equal", 1: "ni: a not inferior", 2: "** non-separable"}


def label_look() -> dict[str, Any]:
    """Return how images of the codes of `plain` look: ns, equal, ni and non-separable."""
    from matplotlib.colors import ListedColormap  # noqa: PLC0415 - slow import

    colours = ListedColormap(list(LABEL_COLOURS.values()))
    return {"cmap": colours, "vmin": -1.5, "vmax": 2.5, "interpolation": "nearest"}


def plain(labels: NDArray[Any]) -> NDArray[np.int8]:
    """Return codes -1, 0, 1 and 2, both non-separable codes being 2."""
    return np.where(np.abs(labels) == 2, 2, labels).astype(np.int8)


def label_legend(ax: Axes) -> None:
    """Explain the colours under the axes."""
    from matplotlib.patches import Patch  # noqa: PLC0415 - slow import

    patches = [Patch(color=LABEL_COLOURS[code], label=text) for code, text in MEANINGS.items()]
    canvas.legend_beside(ax, handles=patches, below=True)


GAP = 1
"""Empty columns between the parts."""
WIDE = 3
"""Columns that a score difference takes."""
MOST_SPELLED = 60
"""Most topics whose names and numbers are printed."""


def orderings(lined_up: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw two systems topic by topic: what they found, how it is ordered, how metrics see it.

    Also called as ``lined_up.ireval.plot.orderings()``.

    Left to right: the rankings of a and of b, dark where gain is high; the innate ordering at
    every depth; and the score differences a - b, coloured by who is better: of a metric that counts
    a cost, such as ASL, by the lower score. Topics stand in five
    groups from *ns* to *ni*; in the middle ones no metric can have the opposite colour.

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
        The axes, one image per part.

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
    holding("what side_by_side returned", lined_up, {"label", "gain_a", "gain_b"})
    holding("what side_by_side returned, by topic and depth", lined_up, {TOPIC, DEPTH}, "sizes")
    canvas.refuse_groups(lined_up)
    topics, metrics = lined_up.sizes[TOPIC], lined_up.sizes.get(METRIC, 0)
    columns = 3 * lined_up.sizes[DEPTH] + 3 * GAP + WIDE * metrics
    few = topics <= MOST_SPELLED
    size = (min(2 + 0.16 * columns, 14), min(1.4 + (0.2 if few else 0.03) * topics, 12))
    ax = canvas.new_axes(ax, size, figsize)
    spelled = few and topics <= layout.rows_that_fit(ax, 0.7)
    narrow = layout.size_in_points(ax)[0] < layout.NARROW
    left, ticks, names = 0.0, [], []
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


def _panels(ax: Axes, data: xr.Dataset) -> list[tuple[str, Any, float, dict[str, Any]]]:
    """Return name, cells, width and style of rankings, of labels, and of every metric."""
    depths = data.sizes[DEPTH]
    grey = {"cmap": "Greys", "vmin": 0, "vmax": 1.25, "interpolation": "nearest"}
    names = layout.fitting_names(ax, [data["system_a"].item(), data["system_b"].item()], 0.18)
    parts: list[tuple[str, Any, float, dict[str, Any]]] = [
        (f"{side}: {name}", data[f"gain_{side}"].to_numpy(), depths, grey)
        for side, name in zip("ab", names, strict=True)
    ]
    labels = plain(data["label"].to_numpy())
    parts.append((f"ordering, k = 1 to {depths}", labels, depths, label_look()))
    if METRIC in data.dims:
        metrics = zip(data[METRIC].to_numpy(), _ahead(data)[..., np.newaxis], strict=True)
        parts += [(str(metric), cells, WIDE, label_look()) for metric, cells in metrics]
    return parts


def _ahead(data: xr.Dataset) -> NDArray[Any]:
    """Return 1 where a is better by a metric, -1 where b is, 0 where they are equal."""
    signs = [facts(metric).sign for metric in data[METRIC].to_numpy()]
    ahead: NDArray[Any] = np.sign(data["difference"].to_numpy()) * np.reshape(signs, (-1, 1))
    return ahead


def _print_differences(ax: Axes, data: xr.Dataset, centres: list[float]) -> None:
    def spelled(value: float) -> str:
        return f"{value:+.{2 if abs(value) >= 0.005 else 4}f}" if value else NAMES[0]

    ahead = _ahead(data)
    cells = (
        (centres[place[0]], place[1] + 0.5, spelled(value), LABEL_COLOURS[int(ahead[place])])
        for place, value in np.ndenumerate(data["difference"].to_numpy())
        if not np.isnan(value)
    )
    canvas.write_cells(ax, cells, "xx-small")


LEVEL = 26.0
"""Least height, in points, of a level with the arrows to the next."""
LONGEST = 6
"""Longest rankings drawn; there are 64 of them."""


def hasse(grid: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw which rankings of a length no metric can place below which others.

    Also called as ``grid.ireval.plot.hasse()``.

    An arrow points from a ranking to one that is not better, by every metric; arrows that follow
    from others are left out. Rankings without a path between them may go either way. Each arrow
    goes one level down: a relevant document one rank lower, or lost at the end.

    Parameters
    ----------
    grid
        What `irframe.verbs.enumerate_rankings` returned for a length of at most 6.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one text per ranking, darker for more relevant documents, and one arrow per pair.

    Raises
    ------
    ParameterError
        For longer rankings.

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

    holding("what enumerate_rankings returned", grid, {"label", "covers"})
    names = sorted(map(str, grid["row"].to_numpy()), reverse=True)
    if len(names[0]) > LONGEST:
        raise ParameterError(f"rankings of length 1 to {LONGEST}", str(len(names[0])))
    levels: dict[int, list[str]] = {}
    for name in names:
        height = sum(len(name) - i for i, bit in enumerate(name) if bit == "1")
        levels.setdefault(height, []).append(name)
    place = {
        name: (number - (len(level) - 1) / 2, height)
        for height, level in levels.items()
        for number, name in enumerate(level)
    }
    widest = max(map(len, levels.values())) / 2
    ax = canvas.new_axes(ax, (max(3.2, 2.6 * widest), 1.0 + 0.48 * len(levels)), figsize)
    layout.grow_figure(ax, LEVEL * len(levels) - layout.size_in_points(ax)[1])
    style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 9, "shrinkA": 9, "shrinkB": 9}
    covers = grid["covers"].sel(row=names, column=names).to_numpy()
    for better, worse in np.argwhere(covers):
        ends = place[names[better]], place[names[worse]]
        ax.add_patch(FancyArrowPatch(*ends, color=canvas.FAINT, linewidth=1, **style))
    light, dark = (np.array(to_rgb(each)) for each in (canvas.background(ax), canvas.COLOURS[0]))
    look = canvas.CENTRED | {"family": "monospace", "fontsize": "x-small"}
    for name, (x, y) in place.items():
        shade = 0.35 * name.count("1") / len(name)
        box = {"boxstyle": "round,pad=0.25", "edgecolor": canvas.COLOURS[0]}
        ax.text(x, y, name, bbox=box | {"facecolor": (1 - shade) * light + shade * dark}, **look)
    ax.set(xlim=(-widest, widest), ylim=(-0.6, len(levels) - 0.4))
    ax.set_axis_off()
    return ax


RANKING_GRID_MOST_SPELLED = 16
"""Most rankings that are spelled out."""


def ranking_grid(grid: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw all pairs of rankings of a length, arranged by two metrics.

    Also called as ``grid.ireval.plot.ranking_grid()``.

    Red cells are the only ones where metrics may disagree. The more of them lie far from the
    diagonal, the more freedom is left.

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
        The axes, one cell per pair.

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
    holding("what enumerate_rankings returned", grid, {"label", "covers"})
    labels = plain(grid["label"].to_numpy())
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
        small: dict[str, Any] = {"fontsize": "small", "family": "monospace"}
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
    """Draw which documents make one system better than another on every topic.

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
        The axes: for every topic, from the largest difference a - b to the smallest, a bar upwards
        of the documents from which a has more and one downwards of those from which b has more,
        the largest nearest to the axis, and a dot at the difference. Nothing is drawn of
        documents from which both have as much.

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
    what = "documents with their differences, as explain gives them"
    holding(what, documents, {TOPIC, "difference"}, "columns")
    total = documents.groupby(TOPIC, sort=False)["difference"].sum().round(12).dropna()
    total = total.sort_values(ascending=False, kind="stable")
    names = documents.attrs.get("systems", ["a", "b"])
    ax = canvas.new_axes(ax, (7.2, 3.6), figsize)
    values = documents["difference"].to_numpy().round(12)
    place = total.index.get_indexer(pd.Index(documents[TOPIC]))
    ax.plot(np.arange(len(total)), total, ".", color=canvas.text_colour(ax), label="difference")
    sides = zip(
        layout.fitting_names(ax, names, 0.3), canvas.system_colours(names), (1, -1), strict=True
    )
    for name, colour, sign in sides:
        ahead = (sign * values > 0) & (place >= 0)
        _stack(ax, place[ahead], values[ahead], colour)
        ax.plot([], [], "s", color=colour, label=f"more by {name}")
    ax.axhline(0, color=canvas.text_colour(ax), linewidth=0.6)
    layout.name_topics(ax, total.index)
    of = f" of {documents.attrs['metric']}" if "metric" in documents.attrs else ""
    ax.set(xlabel="topic", ylabel=f"difference{of}", xlim=(-0.8, len(total) - 0.2))
    canvas.legend_beside(ax)
    canvas.subtitle(ax, f"{counted(len(total), TOPIC)}; a segment is a document")
    return ax


def _stack(ax: Axes, place: NDArray[Any], values: NDArray[Any], colour: str) -> None:
    """Draw the documents of every topic on one another, the largest first."""
    order = np.lexsort([-np.abs(values), place])
    place, values = place[order], values[order]
    before = np.cumsum(values) - values
    bottom = before - before[np.searchsorted(place, place)]
    edge = {"edgecolor": canvas.background(ax), "linewidth": 0.4}
    ax.bar(place, values, bottom=bottom, color=colour, width=0.8, **edge)
