"""Axes, colours, scales and legends for all figures.

A system has the same colour in all figures of the same data, because the colour depends on the
position of its name among the sorted names. `SYSTEM_STYLES` overrides the styles of some systems.
"""

import inspect
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from functools import wraps
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import holding, positions_of
from irframe.cubes.score_arrays import with_costs
from irframe.errors import DepthError, InputError, ParameterError, listing, needing
from irframe.metrics.facts import index_of
from irframe.names import METRIC, counted, plural
from irframe.plots import layout
from irframe.plots.layout import Artist, Axes, ColorType, Size, Style
from irframe.stops import DEPTHS, axis_of

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Colours of series: the palette of Okabe and Ito without yellow and black.

Colour-blind readers can distinguish these colours on white and on black.
"""

MARKERS = "os^Dv<>"
"""Markers of series, in the order of `COLOURS`."""

LINES = ("-", "--", ":", "-.")
"""Dash patterns of lines. After all colours are used, further series use the next pattern."""

FAINT = "#8C96A1"
"""Colour of lines in the background, which is visible on white and on black."""

SYSTEM_STYLES: dict[Hashable, int] = {}
"""Mapping from a system to a number that selects its colour and dash pattern.

Users may add systems.
"""

Stops = Sequence[float] | Array
"""Depths, thresholds or budgets on the horizontal axis."""
FEWEST = 3
"""A new figure has space for at least this number of rows, even if fewer rows are drawn."""
ROWS = 40
"""Maximum number of rows in a figure if neither its size nor the number of rows is passed."""
LEGEND: Style = {"frameon": False, "fontsize": "small"}
"""Keyword arguments of matplotlib for the style of all legends."""
BESIDE = 0.34
"""Maximum width of a legend beside the axes, relative to the width of the axes."""
CENTRED: Style = {"ha": "center", "va": "center"}
"""Keyword arguments of matplotlib that centre a text in a cell."""


def pyplot() -> ModuleType:
    """Return `matplotlib.pyplot`, or raise InputError without matplotlib."""
    with needing("matplotlib", "a figure", '"irframe[plots]"'):
        import matplotlib.pyplot as plt  # noqa: PLC0415 - slow import
    return plt


Arguments = ParamSpec("Arguments")
Drawn = TypeVar("Drawn")


def figure(function: Callable[Arguments, Drawn]) -> Callable[Arguments, Drawn]:
    """Decorate a plotting function: require matplotlib, and accept cost arguments."""
    # `paper` draws nothing, so it is not decorated
    if "figsize" not in inspect.signature(function).parameters:
        return function
    with_data = with_costs(function)

    @wraps(with_data)
    def draw(*arguments: Arguments.args, **options: Arguments.kwargs) -> Drawn:
        pyplot()
        return with_data(*arguments, **options)

    # if __wrapped__ were kept, a figure would accept unknown keywords
    del draw.__wrapped__
    return draw


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 4.2), figsize: Size = None) -> Axes:
    """Return the caller's axes, or axes of a new figure.

    Parameters
    ----------
    ax
        Axes of the caller, or None for a new figure.
    size
        Default width and height of a new figure, in inches. If the caller has set
        ``figure.figsize`` in the rcParams of matplotlib, this setting takes precedence.
    figsize
        Width and height that the caller passed, or None.

    Raises
    ------
    ParameterError
        If both `ax` and `figsize` are passed.
    """
    refuse_both(ax, figsize)
    plt = pyplot()
    if ax is None:
        figure, ax = plt.subplots(figsize=figsize or rcparams_size(size), layout="constrained")
        if figsize is None:
            layout.FREE.add(figure)
    layout.wrap_labels(ax)
    return ax


def refuse_both(ax: object, figsize: object) -> None:
    """Raise ParameterError if both axes and a size are passed."""
    if ax is not None and figsize is not None:
        advice = "leave figsize= out, and set the size of the figure of the axes"
        raise ParameterError("ax= or figsize=", "both arguments", advice)


def row_axes(
    ax: Axes | None, rows: int, size: tuple[float, float, float], figsize: Size, *, chosen: bool
) -> tuple[Axes, int]:
    """Return axes and the number of named rows to draw.

    Parameters
    ----------
    ax
        Axes of the caller, or None for a new figure.
    rows
        Number of available rows.
    size
        Width of a new figure, its height without rows, and the height of a row, in inches.
    figsize
        Width and height that the caller passed, or None.
    chosen
        Whether the caller selected the rows. Selected rows are all drawn.
    """
    width, base, per_row = size
    shown = rows if chosen else min(rows, ROWS)
    natural = width, base + per_row * max(shown, FEWEST)
    drawn = new_axes(ax, natural, figsize)
    # a size from rcParams, such as that of `paper`, may be too low for all selected rows
    if chosen and ax is None:
        layout.grow_figure(drawn, 72 * natural[1] - layout.size_in_points(drawn)[1])
    return drawn, shown if chosen else min(shown, layout.rows_that_fit(drawn))


def rcparams_size(size: tuple[float, float]) -> tuple[float, float]:
    """Return the figure size in rcParams if changed, else `size`."""
    import matplotlib as mpl  # noqa: PLC0415 - slow import

    chosen = tuple(mpl.rcParams["figure.figsize"])
    return size if chosen == tuple(mpl.rcParamsDefault["figure.figsize"]) else chosen


def text_colour(ax: Axes) -> ColorType:
    """Return the colour of texts and axis lines."""
    return ax.xaxis.label.get_color()


def background(ax: Axes) -> ColorType:
    """Return the background colour of axes."""
    return ax.get_facecolor()


def contrasting(ax: Axes, colour: ColorType) -> str:
    """Return black or white, whichever contrasts more with a colour."""
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - slow import

    # the background shows through a transparent colour, so the two colours are mixed
    *under, _ = to_rgba(background(ax))
    *over, alpha = to_rgba(colour)
    mixed = alpha * np.array(over) + (1 - alpha) * np.array(under)
    # the weights are those of red, green and blue in the luma of ITU-R BT.601
    return "black" if mixed @ (0.299, 0.587, 0.114) > 0.5 else "white"


def series_style(number: int) -> Style:
    """Return the colour and dash pattern of a series."""
    dashes = LINES[number // len(COLOURS) % len(LINES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": dashes}


def marked_style(number: int) -> Style:
    """Return the style of a series with markers."""
    return {**series_style(number), "marker": MARKERS[number % len(MARKERS)], "markersize": 4}


def system_style(systems: Sequence[Hashable], all_systems: Iterable[Hashable] = ()) -> list[Style]:
    """Return the colour and dash pattern of each system.

    Parameters
    ----------
    systems
        Systems that a figure highlights.
    all_systems
        All systems in the data of the figure. The position of a system among the sorted names
        determines its colour. If another highlighted system has this colour, the first unused
        colour is used instead. Systems of the same colour have different dash patterns.

    Examples
    --------
    >>> system_style(["bm25", "ance"]) == system_style(["ance", "bm25"])[::-1]
    True
    """
    order = {name: pos for pos, name in enumerate(sorted({*all_systems, *systems}, key=str))}
    fixed = {name: SYSTEM_STYLES[name] for name in systems if name in SYSTEM_STYLES}
    uses = [sum(n % len(COLOURS) == hue for n in fixed.values()) for hue in range(len(COLOURS))]
    for system in sorted({*systems} - {*fixed}, key=order.__getitem__):
        preferred = order[system] % len(COLOURS)
        colour = uses.index(0) if uses[preferred] and 0 in uses else preferred
        # each further use of a colour selects the next dash pattern in `series_style`
        fixed[system] = colour + len(COLOURS) * uses[colour]
        uses[colour] += 1
    return [series_style(fixed[system]) for system in systems]


def system_colours(systems: Sequence[Hashable], all_systems: Iterable[Hashable] = ()) -> list[str]:
    """Return the colour of each system, for bars and points."""
    return [str(style["color"]) for style in system_style(systems, all_systems)]


def evenly_spaced(order: Iterable[int], most: int = 5) -> list[int]:
    """Return evenly spaced items, including the first and the last.

    If `most` is at least 4, the second item is also included.

    Examples
    --------
    >>> evenly_spaced(range(8)), evenly_spaced(range(8), 3)
    ([0, 1, 3, 5, 7], [0, 4, 7])
    """
    items = list(order)
    first = int(most > 3 and len(items) > 2)
    steps = np.linspace(first, len(items) - 1, min(most, len(items)) - first)
    chosen = {*range(first), *np.round(steps).astype(int).tolist()}
    return [items[pos] for pos in sorted(chosen)]


def chosen_systems(
    systems: Sequence[Hashable] | None,
    all_systems: Sequence[Hashable],
    order: Iterable[int],
    most: int,
) -> list[int]:
    """Return the positions of the systems to highlight.

    Parameters
    ----------
    systems
        The systems that the caller selected. If None, evenly spaced systems are selected.
    all_systems
        All systems.
    order
        Positions of all systems, with the best system first.
    most
        Maximum number of systems if the caller selected none.
    """
    if systems is None:
        return evenly_spaced(map(int, order), most)
    return positions_of("systems that were scored", systems, list(all_systems))


def draw_systems(
    ax: Axes,
    depths: Stops,
    curves: Mapping[Hashable, Array],
    chosen: Sequence[Hashable],
    notes: Mapping[Hashable, str] | None = None,
) -> None:
    """Draw a curve per system, with some systems in colour.

    The legend names the systems in colour and counts the other systems.

    Parameters
    ----------
    ax, depths
        Axes to draw on, and the depths at which the curves have values.
    curves
        Mapping from a system to the values of its curve.
    chosen
        The systems to draw in colour.
    notes
        Mapping from a system in colour to the text after its name in the legend.
    """
    names = layout.fitting_names(ax, chosen)
    dot = dot_style(depths)
    for system, name, style in zip(chosen, names, system_style(chosen, curves), strict=True):
        label = name if notes is None else f"{name}: {notes[system]}"
        ax.plot(depths, curves[system], linewidth=2, label=label, **style, **dot)
    n_background = [system for system in curves if system not in chosen]
    thin: Style = {"color": FAINT, "linewidth": 0.8}
    for system in n_background:
        # matplotlib leaves labels that begin with an underscore out of legends
        ax.plot(depths, curves[system], label=f"_{system}", zorder=1, **thin, **dot)
    if n_background:
        # a line without points represents all lines in the background in the legend
        ax.plot([], [], label=counted(len(n_background), "other system"), **thin)


def dot_style(depths: Sized) -> Style:
    """Return a marker for curves at a single depth."""
    return {"marker": "o", "markersize": 4} if len(depths) == 1 else {}


def log_depths(ax: Axes, depths: Stops, *, log: bool) -> None:
    """Set the limits and the scale of the depth axis."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - slow import

    if len(depths) > 1:
        ax.set_xlim(depths[0], depths[-1])
    if log and depths[0] > 0:
        ax.set_xscale("log")
        wide = depths[-1] > 100 * depths[0]
        ax.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        ax.xaxis.set_major_formatter(layout.thinned_formatter())
        # matplotlib also labels minor ticks if the axis covers less than a power of ten
        ax.xaxis.set_minor_formatter("")


def mark_depth(ax: Axes, depth: float | None, label: str = "pool depth") -> None:
    """Draw a dotted vertical line at a depth above 0."""
    if depth:
        ax.axvline(depth, color=text_colour(ax), linestyle=":", linewidth=1, label=label)


def pool_depth_attr(values: xr.DataArray) -> Any:
    """Return the pool depth in the attributes, or None."""
    # A pool has ranks, not budgets. The attribute is a list if collections have different depths.
    depth: Any = values.attrs.get("pool_depth", 0) if axis_of(values) is DEPTHS else 0
    return depth if np.ndim(depth) == 0 else None


def legend_beside(
    ax: Axes,
    title: str | None = None,
    handles: Sequence[Artist] | None = None,
    markerscale: float | None = None,
    *,
    below: bool = False,
) -> Any:
    """Put a legend to the right of axes or below.

    Parameters
    ----------
    ax
        The axes.
    title
        Title of the legend.
    handles
        Artists to list. By default, all artists with a label are listed.
    markerscale
        Size of the markers in the legend, relative to the markers on the axes.
    below
        Whether to put the legend below the axes even if it fits to the right.
    """
    handles = ax.get_legend_handles_labels()[0] if handles is None else list(handles)
    look = {"title": title, "title_fontsize": "small", "markerscale": markerscale, **LEGEND}
    # the width of a legend can be measured only after the legend was put on the axes
    if not below:
        legend: Any = ax.legend(handles=handles, **look, loc="center left", bbox_to_anchor=(1, 0.5))
        wide = 72 * legend.get_window_extent().width / layout.figure_of(ax).dpi
        if wide <= BESIDE * layout.size_in_points(ax)[0]:
            return legend
    return layout.legend_below(ax, handles, look)


def write_cells(
    ax: Axes, cells: Iterable[tuple[float, float, str, Any]], size: str | None = None
) -> None:
    """Write a text into each cell, in black or white.

    A cell is a tuple of x, y, the text and the background colour.
    """
    for x, y, text, colour in cells:
        ax.text(x, y, text, **CENTRED, fontsize=size, color=contrasting(ax, colour))


def subtitle(ax: Axes, *notes: str) -> None:
    """Write notes above axes, for example on tests and topics."""
    text = "; ".join(note for note in notes if note)
    if text:
        ax.set_title(text, loc="left", fontsize="small")


Selected = TypeVar("Selected", xr.DataArray, xr.Dataset)


def only_index(role: str, label: Hashable | None, labels: Sequence[Hashable]) -> int:
    """Return the index of a label, or 0 by default.

    The label may be None if the index has only one label.

    Examples
    --------
    >>> only_index("depth", None, [10]), only_index("depth", 20, [10, 20])
    (0, 1)
    """
    if label is None and len(labels) == 1:
        return 0
    if label not in labels:
        got = f"no {role}" if label is None else repr(label)
        advice = f"choose from {listing(labels)}"
        raise ParameterError(f"one of the {plural(role)} in {role}=", got, advice)
    return labels.index(label)


def select_only(values: Selected, dim: str, label: Hashable | None = None) -> Selected:
    """Select one label of a dimension, if the dimension exists."""
    if dim not in values.dims and label is None:
        return values
    labels = np.atleast_1d(values[dim]).tolist() if dim in values.coords else []
    # the same metric can be written in several ways, such as R@10 and Recall@10
    if dim == METRIC and label is not None:
        pos = index_of(label, labels)
        label = str(label) if pos is None else labels[pos]
    pos = only_index(dim, label, labels)
    return values.isel({dim: pos}) if dim in values.dims else values


def refuse_groups(result: xr.DataArray | xr.Dataset | pd.DataFrame) -> None:
    """Raise InputError if a result has several groups."""
    by = str(result.attrs.get("by", ""))
    if not isinstance(result, pd.DataFrame):
        names = [by]
        number = result.sizes.get(by, 1)
    else:
        flat = result.reset_index()
        # the name of a single column may itself contain a comma
        names = [by] if by in flat else by.split(", ")
        number = len(flat[names].drop_duplicates()) if {*names} <= {*flat} else 1
    if number > 1:
        shown = repr(names if len(names) > 1 else by)
        advice = f"call .ireval.groupby({shown}).plot, which draws a panel for each group"
        raise InputError("a result for one group", f"{number} groups by {by}", advice)


def only_matrix(values: xr.DataArray, rows: str, columns: str) -> xr.DataArray:
    """Return a matrix, or raise if there are several matrices."""
    holding(f"a matrix over {rows} and {columns}", values, {rows, columns}, "sizes")
    further = [str(dim) for dim in values.dims if dim not in {rows, columns}]
    long = [dim for dim in further if values.sizes[dim] > 1]
    if long:
        expected = f"one matrix over {rows} and {columns}"
        advice = "select one matrix with .sel(...)"
        raise ParameterError(expected, "several labels of the dimensions", advice, long)
    return values.squeeze(further).transpose(rows, columns)


def without_intervals(matrix: xr.DataArray | xr.Dataset) -> xr.DataArray:
    """Return the agreements of a result without their intervals."""
    if isinstance(matrix, xr.DataArray):
        return matrix
    holding("what agreement or volatility returned", matrix, {"agreement"})
    return matrix["agreement"].assign_attrs(matrix.attrs)


def at_one_depth(values: Selected, depth: int | None) -> tuple[Selected, str]:
    """Return the values at one depth and an axis label.

    The default is the greatest depth. The label names the metric and the depth.
    """
    label = str(values[METRIC].item())
    axis = axis_of(values)
    dim = axis.dim
    if dim not in values.dims:
        if depth is not None:
            raise DepthError("values by depth", "values without depths", "leave depth= out")
        # values.sel(depth=10) has no dimension depth, but keeps the coordinate
        selected = values.coords.get(dim)
        return values, label if selected is None else axis.named(label, selected.item())
    depths = values.indexes[dim]
    depth = depths.max() if depth is None else depth
    if depth not in depths:
        expected = f"a depth with scores, from {depths.min()} to {depths.max()}"
        raise DepthError(expected, repr(depth))
    return values.sel({dim: depth}), axis.named(label, depth)
