"""What all figures share: axes on demand, colours, scales, legends, and the choice of one metric.

A system keeps its colour from figure to figure of the same data: it follows from the sorted names
of the systems. Those of `SYSTEM_STYLES` have the style that stands there.
"""

import inspect
from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
import xarray as xr

from irframe.checks import holding, places
from irframe.cubes.score_arrays import with_costs
from irframe.errors import DepthError, InputError, ParameterError
from irframe.metrics.facts import index_of
from irframe.names import METRIC, counted
from irframe.plots import layout
from irframe.plots.layout import Axes, Size
from irframe.record import Function
from irframe.stops import DEPTHS, axis_of

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette without its yellow and black: apart for colour-blind readers, and on
white as on black."""

MARKERS = "os^Dv<>"
"""Markers in the order of the colours."""

LINES = ("-", "--", ":", "-.")
"""Dashes, once the colours are used up."""

FAINT = "#8C96A1"
"""Colour of what stays in the background, seen on white and on black."""

SYSTEM_STYLES: dict[Hashable, int] = {}
"""System -> the number of its style, where the caller chooses it."""

FEWEST = 3
"""Rows for which a figure has room at least."""
ROWS = 40
"""Most rows of a figure whose size is left to it."""
LEGEND: dict[str, Any] = {"frameon": False, "fontsize": "small"}
"""How legends look."""
BESIDE = 0.34
"""Largest share of the width that a legend may have at the right of axes."""
CENTRED: dict[str, Any] = {"ha": "center", "va": "center"}
"""How texts stand in cells."""


def pyplot() -> Any:
    """Return `matplotlib.pyplot`, or raise InputError with what brings it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415 - costs time at import
    except ModuleNotFoundError as error:
        advice = 'pip install "irframe[plots]"'
        raise InputError("matplotlib, by which figures are drawn", "none", advice) from error
    return plt


def figure(function: Function) -> Function:
    """Let a figure say which package it lacks, and read its subject as verbs read theirs."""
    if "figsize" not in inspect.signature(function).parameters:  # a style, of no subject
        return function
    read = with_costs(function)

    @wraps(read)
    def draw(*arguments: Any, **options: Any) -> Any:
        pyplot()
        return read(*arguments, **options)

    del draw.__wrapped__  # so that it may be told of keywords that it lacks
    return draw  # type: ignore[return-value]


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 4.2), figsize: Size = None) -> Axes:
    """Return the axes given, or those of a new figure.

    Parameters
    ----------
    ax
        Axes to draw on, or None.
    size
        Width and height of a new figure, in inches, that suit its contents; if the caller's
        rcParams have a ``figure.figsize`` of their own, this holds instead.
    figsize
        Width and height that the caller asks for.

    Raises
    ------
    ParameterError
        If both axes and a size are given.
    """
    refuse_both(ax, figsize)
    plt = pyplot()
    if ax is None:
        figure, ax = plt.subplots(figsize=figsize or asked_size(size), layout="constrained")
        if figsize is None:
            layout.FREE.add(figure)
    layout.wrap_labels(ax)
    return ax


def refuse_both(ax: Any, figsize: Any) -> None:
    """Refuse a size beside axes, whose figure has its own."""
    if ax is not None and figsize is not None:
        advice = "leave figsize= out, and give it to the figure of the axes"
        raise ParameterError("ax= or figsize=", "both", advice)


def row_axes(
    ax: Axes | None, rows: int, size: tuple[float, float, float], figsize: Size, *, chosen: bool
) -> tuple[Axes, int]:
    """Return axes for rows with a name each, and for how many of them there is room.

    Parameters
    ----------
    ax
        Axes to draw on, or None.
    rows
        How many rows there are.
    size
        Width of a new figure, and its height without rows and for each, in inches.
    figsize
        Width and height that the caller asks for.
    chosen
        Whether the caller chose the rows, so that all are drawn.
    """
    width, base, per_row = size
    shown = rows if chosen else min(rows, ROWS)
    natural = width, base + per_row * max(shown, FEWEST)
    drawn = new_axes(ax, natural, figsize)
    if chosen and ax is None:
        layout.grow_figure(drawn, 72 * natural[1] - layout.size_in_points(drawn)[1])
    return drawn, shown if chosen else min(shown, layout.rows_that_fit(drawn))


def asked_size(size: tuple[float, float]) -> tuple[float, float]:
    """Return the size that the caller's rcParams ask for, if they do."""
    import matplotlib as mpl  # noqa: PLC0415 - costs time at import

    own = tuple(mpl.rcParams["figure.figsize"])
    return size if own == tuple(mpl.rcParamsDefault["figure.figsize"]) else own


def ink(ax: Axes) -> Any:
    """Return the colour of text on axes, for lines and marks that are neither series."""
    return ax.xaxis.label.get_color()


def ground(ax: Axes) -> Any:
    """Return the colour behind axes."""
    return ax.get_facecolor()


def readable(ax: Axes, colour: Any) -> str:
    """Return black or white, whichever is read on a colour laid over axes."""
    from matplotlib.colors import to_rgba  # noqa: PLC0415 - costs time at import

    *under, _ = to_rgba(ground(ax))
    *over, alpha = to_rgba(colour)
    mixed = alpha * np.array(over) + (1 - alpha) * np.array(under)
    return "black" if mixed @ (0.299, 0.587, 0.114) > 0.5 else "white"


def series_style(number: int) -> dict[str, Any]:
    """Return colour and dashes of a series, by its number."""
    dashes = LINES[number // len(COLOURS) % len(LINES)]
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": dashes}


def marked_style(number: int) -> dict[str, Any]:
    """Return the style of a series whose points are marked."""
    return {**series_style(number), "marker": MARKERS[number % len(MARKERS)], "markersize": 4}


def system_style(
    systems: Sequence[Hashable], known: Iterable[Hashable] = ()
) -> list[dict[str, Any]]:
    """Return colour and dashes of systems, which follow from the names, whatever was drawn before.

    Parameters
    ----------
    systems
        The systems that a figure singles out.
    known
        All systems of its data: a system has the colour of its place among their sorted names, or
        the next that is free in the figure. Dashes tell apart those of one colour.

    Examples
    --------
    >>> system_style(["bm25", "ance"]) == system_style(["ance", "bm25"])[::-1]
    True
    """
    order = {name: place for place, name in enumerate(sorted({*known, *systems}, key=str))}
    fixed = {name: SYSTEM_STYLES[name] for name in systems if name in SYSTEM_STYLES}
    uses = [sum(n % len(COLOURS) == hue for n in fixed.values()) for hue in range(len(COLOURS))]
    for system in sorted({*systems} - {*fixed}, key=order.__getitem__):
        own = order[system] % len(COLOURS)
        colour = uses.index(0) if uses[own] and 0 in uses else own
        fixed[system] = colour + len(COLOURS) * uses[colour]
        uses[colour] += 1
    return [series_style(fixed[system]) for system in systems]


def system_colours(systems: Sequence[Hashable], known: Iterable[Hashable] = ()) -> list[str]:
    """Return the colours of `system_style`, for bars and points, which have no dashes."""
    return [str(style["color"]) for style in system_style(systems, known)]


def spread_out(order: Iterable[int], most: int = 5) -> list[int]:
    """Return the first, the last and evenly spaced ones between; of four or more, the second too.

    Examples
    --------
    >>> spread_out(range(8)), spread_out(range(8), 3)
    ([0, 1, 3, 5, 7], [0, 4, 7])
    """
    listed = list(order)
    first = int(most > 3 and len(listed) > 2)
    steps = np.linspace(first, len(listed) - 1, min(most, len(listed)) - first)
    chosen = {*range(first), *np.round(steps).astype(int).tolist()}
    return [listed[place] for place in sorted(chosen)]


def chosen_systems(
    systems: Sequence[Hashable] | None, known: Sequence[Hashable], order: Any, most: int
) -> list[int]:
    """Return where the systems asked for stand, or those spread out over an order.

    Parameters
    ----------
    systems
        The systems asked for, or None.
    known
        All systems.
    order
        Their places, the best first.
    most
        How many to choose.
    """
    if systems is None:
        return spread_out(map(int, order), most)
    return places("systems that were scored", systems, list(known))


def draw_systems(
    ax: Axes,
    depths: Any,
    curves: dict[Hashable, Any],
    chosen: Sequence[Hashable],
    notes: Mapping[Hashable, str] | None = None,
) -> None:
    """Draw a curve per system; those not chosen stay in the background, where a legend counts them.

    Parameters
    ----------
    ax, depths
        Where to draw.
    curves
        System -> curve.
    chosen
        The systems that have a colour and a line in the legend.
    notes
        What a legend says of systems behind their names.
    """
    names, dot = layout.fitting_names(ax, chosen), dotted(depths)
    for system, name, style in zip(chosen, names, system_style(chosen, curves), strict=True):
        label = name if notes is None else f"{name}: {notes[system]}"
        ax.plot(depths, curves[system], linewidth=2, label=label, **style, **dot)
    others = [system for system in curves if system not in chosen]
    thin: dict[str, Any] = {"color": FAINT, "linewidth": 0.8}
    for system in others:
        ax.plot(depths, curves[system], label=f"_{system}", zorder=1, **thin, **dot)
    if others:
        ax.plot([], [], label=counted(len(others), "other system"), **thin)


def dotted(depths: Any) -> dict[str, Any]:
    """Return the marker of a curve at a single depth, which has no line."""
    return {"marker": "o", "markersize": 4} if len(depths) == 1 else {}


def log_depths(ax: Axes, depths: Any, *, log: bool) -> None:
    """Lay depths out from the first to the last, on a logarithmic scale if that suits them."""
    from matplotlib.ticker import LogLocator  # noqa: PLC0415 - costs time at import

    if len(depths) > 1:
        ax.set_xlim(depths[0], depths[-1])
    if log and depths[0] > 0:
        ax.set_xscale("log")
        wide = depths[-1] > 100 * depths[0]
        ax.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5)))
        ax.xaxis.set_major_formatter(layout.thinned_formatter())
        ax.xaxis.set_minor_formatter("")


def mark_depth(ax: Axes, depth: float | None, label: str = "pool depth") -> None:
    """Draw a dotted line at a depth, if there is one."""
    if depth:
        ax.axvline(depth, color=ink(ax), linestyle=":", linewidth=1, label=label)


def pool_depth_of(values: xr.DataArray) -> Any:
    """Return the depth of the pool as the attributes tell it; other stops than ranks have none."""
    known: Any = values.attrs.get("pool_depth", 0) if axis_of(values) is DEPTHS else 0
    return known if np.ndim(known) == 0 else None


def legend_beside(
    ax: Axes,
    title: str | None = None,
    handles: Sequence[Any] | None = None,
    markerscale: float | None = None,
    *,
    below: bool = False,
) -> Any:
    """Put a legend at the right of axes, or below where that would leave little of the width.

    Parameters
    ----------
    ax
        The axes.
    title
        What stands above the legend.
    handles
        What it explains; by default everything on the axes with a label.
    markerscale
        How much larger its markers are than those on the axes.
    below
        Whether it stands below in any case, under the axes, their ticks and their label.
    """
    handles = ax.get_legend_handles_labels()[0] if handles is None else list(handles)
    look = {"title": title, "title_fontsize": "small", "markerscale": markerscale, **LEGEND}
    if not below:
        legend: Any = ax.legend(handles=handles, **look, loc="center left", bbox_to_anchor=(1, 0.5))
        wide = 72 * legend.get_window_extent().width / layout.figure_of(ax).dpi
        if wide <= BESIDE * layout.size_in_points(ax)[0]:
            return legend
    return layout.legend_below(ax, handles, look)


def write_cells(
    ax: Axes, cells: Iterable[tuple[float, float, str, Any]], size: str | None = None
) -> None:
    """Write texts, each with its place and the colour behind it, in black or white."""
    for x, y, text, behind in cells:
        ax.text(x, y, text, **CENTRED, fontsize=size, color=readable(ax, behind))


def subtitle(ax: Axes, *parts: str) -> None:
    """Say above axes, at the left, how a figure came about: test, level, depth, topics."""
    text = "; ".join(part for part in parts if part)
    if text:
        ax.set_title(text, loc="left", fontsize="small")


def only_place(word: str, label: Any, known: Sequence[Any], of: str = "those there are") -> int:
    """Return where a label stands among known ones; it may be left out where there is one.

    Examples
    --------
    >>> only_place("depth", None, [10]), only_place("depth", 20, [10, 20])
    (0, 1)
    """
    if label is None and len(known) == 1:
        return 0
    if label not in known:
        found = "none chosen" if label is None else repr(label)
        raise ParameterError(f"{word}= to be one of {of}", found, "", known)
    return known.index(label)


def only(values: Any, dim: str, label: Any = None, of: str = "those there are") -> Any:
    """Return values at a label of a dimension that they may have, as `only_place` finds it."""
    if dim not in values.dims and label is None:
        return values
    known = np.atleast_1d(values[dim]).tolist() if dim in values.coords else []
    if dim == METRIC and label is not None:  # which may be spelled otherwise
        place = index_of(label, known)
        label = str(label) if place is None else known[place]
    place = only_place(dim, label, known, of)
    return values.isel({dim: place}) if dim in values.dims else values


def one_group(result: Any) -> None:
    """Refuse a result of several groups, of which a figure shows one."""
    by = result.attrs.get("by", "")
    if hasattr(result, "sizes"):
        number = result.sizes.get(by, 1)
    else:
        named = result.reset_index()
        number = named[by].nunique() if by in named else 1
    if number > 1:
        advice = f".ireval.groupby({by!r}).plot draws a panel for each group"
        raise InputError("a result of one group", f"{number} by {by!r}", advice)


def only_matrix(values: xr.DataArray, rows: str, columns: str) -> xr.DataArray:
    """Return a matrix without further dimensions, or say which ones are left to choose."""
    holding(f"a matrix over {rows} and {columns}", values, {rows, columns}, "sizes")
    others = [str(dim) for dim in values.dims if dim not in {rows, columns}]
    left = [dim for dim in others if values.sizes[dim] > 1]
    if left:
        advice = "choose with .sel(...)"
        raise ParameterError(f"one matrix over {rows} and {columns}", "several", advice, left)
    return values.squeeze(others).transpose(rows, columns)


def without_intervals(matrix: xr.DataArray | xr.Dataset) -> xr.DataArray:
    """Return the coefficients of `agreement` or `volatility` without their intervals."""
    if isinstance(matrix, xr.DataArray):
        return matrix
    holding("what agreement or volatility returned", matrix, {"agreement"})
    return matrix["agreement"].assign_attrs(matrix.attrs)


def one_depth(values: Any, depth: int | None) -> tuple[Any, str]:
    """Return values by one metric at one depth, by default the greatest, and what to call them."""
    label, dim = str(values[METRIC].item()), (axis := axis_of(values)).dim
    if dim not in values.dims:
        if depth is not None:
            raise DepthError("values by depth", "values without depths", "leave depth= out")
        return values, label
    depths = values.indexes[dim]
    depth = depths.max() if depth is None else depth
    if depth not in depths:
        known = f"a depth scored, from {depths.min()} to {depths.max()}"
        raise DepthError(known, repr(depth))
    return values.sel({dim: depth}), axis.named(label, depth)
