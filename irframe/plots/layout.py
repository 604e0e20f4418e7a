"""Layout of figures: names, labels, ticks and legends that fit.

Labels are wrapped, ticks are thinned, and legends are placed when a figure is drawn, because the
size of the figure may change until then.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from irframe.arrays import Array
from irframe.metrics import Metric
from irframe.names import printable
from irframe.printed import short_labels

if TYPE_CHECKING:
    from matplotlib.artist import Artist as Artist  # noqa: PLC0414 - for all figures
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox
    from matplotlib.typing import ColorType as ColorType  # noqa: PLC0414
else:
    Artist = Axes = ColorType = Any  # matplotlib is optional

Size = tuple[float, float] | None
"""Width and height of a figure in inches, or None for the default."""
OneMetric = Metric | str | None
"""A metric, the name of a metric, or None for the only metric of the data."""
Style = dict[str, Any]
"""Keyword arguments of matplotlib for the style of lines, points, bars or texts."""
PITCH = 1.25
"""Height of a row with the name of a system, relative to the font height."""
AROUND = 7.0
"""Height of titles, ticks and labels above and below all rows, relative to the font height."""
# references are weak, so that closed figures do not stay in memory
FREE: "WeakSet[Figure]" = WeakSet()
"""Figures whose height may grow, because the caller did not set their size."""
SHARE = 0.35
"""Maximum width of the names of rows, relative to the width of the figure."""
NARROW = 324.0
"""Width of a figure in points (4.5 inches) below which legends are below the axes, not beside."""
LETTER = 0.6
"""Mean width of a letter, relative to the font height."""
X_SMALL = 7
"""Font size of topic names, in points."""
EDGE = 0.03
"""Margin beside titles and axis labels, relative to the width of the figure."""
DISTANCE = 0.4
"""Smallest distance between two labels along an axis, relative to the font height."""
ROW = 1.7
"""Height of a row in a legend, relative to the font height."""
ROWS = 2
"""Number of rows of a legend below the axes that fit without making the figure taller."""
LINE = 1.15
"""Height of a line of text, relative to the font height."""
HANDLE = 3.1
"""Width of the symbol and the gap beside a text in a legend, relative to the font height."""


def short_names(names: Iterable[Hashable], most: int) -> list[str]:
    r"""Return names shortened to `most` letters, escaped for matplotlib.

    Examples
    --------
    >>> short_names(["bm25$", "dense-retrieval-run-1", "dense-retrieval-run-2"], 12)
    ['bm25\\$', 'dense-…run-1', 'dense-…run-2']
    """
    return [plain(text) for text in short_labels([str(name) for name in names], most)]


def plain(name: str) -> str:
    r"""Escape a name for matplotlib.

    Matplotlib reads text between dollar signs as a formula. In legends, matplotlib leaves out names
    that begin with an underscore.

    Examples
    --------
    >>> plain("a$b$"), plain("_x"), plain("bm25")
    ('a\\$b\\$', ' _x', 'bm25')
    """
    shown = printable(name).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def rows_that_fit(ax: Axes, size: float = 1.0) -> int:
    """Return the number of named rows that fit into axes.

    `size` is the font height of the names, relative to the font height of labels.
    """
    height = font_height(ax)
    # the size of axes that fill a figure includes the titles, ticks and labels
    free = size_in_points(ax)[1] - (AROUND * height if fills_figure(ax) else 0)
    return max(1, int(free / (PITCH * size * height)))


def font_height(ax: Axes) -> float:
    """Return the font height of axis labels, in points."""
    return float(ax.xaxis.label.get_fontsize())


def fills_figure(ax: Axes) -> bool:
    """Return whether a figure contains no other axes.

    Axes with a colour scale are ignored.
    """
    return sum(not hasattr(axes, "_colorbar") for axes in figure_of(ax).axes) == 1


def figure_of(ax: Axes) -> "Figure":
    """Return the figure that contains axes."""
    # ax.figure may be a subfigure, whose attribute figure is the whole figure
    return ax.figure.figure


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return the size of axes with labels, in points."""
    figure = figure_of(ax)
    # constrained layout sizes axes only when a figure is drawn; the figure's size is known before
    box = figure.bbox if fills_figure(ax) else ax.get_window_extent()
    return 72 * box.width / figure.dpi, 72 * box.height / figure.dpi


def fitting_names(ax: Axes, names: Iterable[Hashable], share: float = SHARE) -> list[str]:
    """Return names shortened to a share of the figure width."""
    return short_names([*names], int(share * size_in_points(ax)[0] / (LETTER * font_height(ax))))


def fitting_rows(ax: Axes, template: str, *columns: Iterable[Hashable]) -> list[str]:
    """Return one text per row, with shortened names.

    Parameters
    ----------
    ax
        Axes beside which the texts are written.
    template
        Template of the texts, with a field ``{}`` for each column.
    columns
        Names of all rows, one sequence for each field of the template.
    """
    names = list(dict.fromkeys(str(name) for column in columns for name in column))
    short = dict(zip(names, fitting_names(ax, names, SHARE / len(columns)), strict=True))
    rows = zip(*columns, strict=True)
    return [template.format(*(short[str(name)] for name in row)) for row in rows]


def selection_text(shown: int, count: int, name: str = "systems", end: str = "best") -> str:
    """Return how many of all rows are drawn, or "".

    Examples
    --------
    >>> selection_text(12, 110), selection_text(12, 110, "pairs", "first"), selection_text(8, 8)
    ('best 12 of 110 systems', 'first 12 of 110 pairs', '')
    """
    return f"{end} {shown} of {count} {name}".lstrip() if shown < count else ""


def name_ticks(
    ax: Axes,
    positions: Iterable[float],
    names: Iterable[Hashable],
    *,
    rotation: float = 0,
    size: float | str | None = None,
) -> None:
    """Write names at ticks if they fit.

    Parameters
    ----------
    ax
        The axes.
    positions
        Positions of the ticks, from left to right.
    names
        The name of each tick.
    rotation
        Angle of the names in degrees. A rotated name ends below its tick.
    size
        Font size of the names.
    """
    labels = [str(name) for name in names]
    ha = "right" if rotation % 90 else "center"
    ax.set_xticks(list(positions), labels, rotation=rotation, fontsize=size, ha=ha)
    ax.xaxis.set_major_formatter(
        thinned_formatter(dict(zip(map(float, positions), labels, strict=True)))
    )


def name_topics(ax: Axes, topics: Collection[Hashable]) -> None:
    """Write vertical names of topics at ticks, if all fit.

    The positions of the ticks are 0, 1 and so on. Names are shortened to a quarter of the height of
    the figure.
    """
    names = short_names(topics, int(size_in_points(ax)[1] / (4 * LETTER * X_SMALL)))
    names = names if len(topics) * PITCH * X_SMALL <= 0.7 * size_in_points(ax)[0] else []
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=X_SMALL)


def grow_figure(ax: Axes, points: float) -> None:
    """Make a figure taller, unless the caller set its size."""
    figure = figure_of(ax)
    if figure in FREE and points > 0:
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide, high + points / 72)


def integer_ticks(ax: Axes, *, upright: bool = False) -> None:
    """Set integer ticks on the horizontal axis or both axes."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - slow import

    for axis in (ax.xaxis, ax.yaxis)[: 1 + upright]:
        # by default, matplotlib ignores `integer` on axes with fewer than two integers
        locator = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        axis.set_major_locator(locator)


def thin_dates(ax: Axes) -> None:
    """Remove dates from the horizontal axis until the others fit."""
    from matplotlib.dates import AutoDateLocator  # noqa: PLC0415 - slow import

    # rotated dates need about three font heights along the axis, whatever their length
    most = max(3, int(0.6 * size_in_points(ax)[0] / (3 * font_height(ax))))
    ax.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=most))  # type: ignore[no-untyped-call]


def drop_overlapping(texts: Sequence[Any]) -> None:
    """Move or hide names of points that do not fit.

    A name is hidden if it fits on neither side of its point. A name does not fit if it would leave
    the figure, or cover ticks, the legend or an earlier name.
    """
    if not texts:
        return
    ax = texts[0].axes
    figure = figure_of(ax)
    # constrained layout moves axes and legends when a figure is drawn
    figure.draw_without_rendering()
    legend = [ax.get_legend().get_window_extent()] if ax.get_legend() else []
    obstacles = [axis.get_tightbbox() for axis in (ax.xaxis, ax.yaxis)] + legend
    for text in texts:
        # the first attempt leaves the text where it is; the second moves it to the other side of
        # its point
        for side in ("right", "left") if text.get_ha() == "left" else ("left", "right"):
            box = text.get_window_extent()
            inside = figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
            if inside and box.y1 <= figure.bbox.y1 and not box.count_overlaps(obstacles):
                obstacles.append(box)
                break
            text.set(ha=side, position=(-text.xyann[0], text.xyann[1]))
        else:
            text.set_visible(False)


def wrap_labels(ax: Axes) -> None:
    """Wrap labels and titles that are longer than their axes."""
    limits: dict[Any, Callable[[Axes], float]] = {ax.xaxis.label: _around, ax.title: _around}
    limits |= {ax.yaxis.label: lambda ax: float(ax.bbox.height)}
    limits |= {ax._left_title: _to_the_right}  # type: ignore[attr-defined]  # noqa: SLF001
    # matplotlib wraps texts only at the edge of the figure, where they may cross other axes
    for text, limit in limits.items():
        text.set_wrap(True)
        text._get_wrap_line_width = partial(limit, ax)  # noqa: SLF001 - no public way


def _around(ax: Axes) -> float:
    """Return the maximum width of a text centred on axes."""
    if not fills_figure(ax):
        return float(ax.bbox.width)
    middle = (ax.bbox.x0 + ax.bbox.x1) / 2
    page = figure_of(ax).bbox
    return float(2 * min(middle - page.x0, page.x1 - middle) - EDGE * page.width)


def _to_the_right(ax: Axes) -> float:
    """Return the maximum width of a left-aligned title.

    The title may reach to the right edge of the figure. If there are other axes at the right, the
    title may only reach to the right edge of `ax`.
    """
    figure = figure_of(ax)
    neighbours = any(axes.bbox.x0 >= ax.bbox.x1 for axes in figure.axes)
    end = ax.bbox.x1 if neighbours else (1 - EDGE) * figure.bbox.x1
    return float(end - ax.bbox.x0)


def text_width(text: str, size: float) -> float:
    """Return the width of the longest line, in points."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - slow import
    from matplotlib.textpath import text_to_path  # noqa: PLC0415 - slow import

    measure = text_to_path.get_text_width_height_descent
    font = FontProperties(size=size)
    return float(max(measure(line, font, ismath=False)[0] for line in text.split("\n")))


def thinned_formatter(names: Mapping[float, str] | None = None) -> Any:
    """Return a tick formatter that leaves out labels without space.

    Parameters
    ----------
    names
        Mapping from the position of a tick to its label. By default, the label is the position as a
        number. If not all numbers fit, powers of ten take precedence.
    """
    from matplotlib.ticker import FuncFormatter  # noqa: PLC0415 - slow import

    def write(x: float, _: int | None = None) -> str:
        return f"{x:g}" if names is None else names.get(float(x), "")

    # matplotlib calls `format_ticks` with all ticks at each drawing, when the size is known
    def write_some(values: Sequence[float]) -> list[str]:
        # the limits of inverted axes are in descending order
        low, high = np.sort(formatter.axis.get_view_interval())
        ticks = np.asarray(values, dtype=float)
        visible = ticks[(ticks >= low) & (ticks <= high)]
        texts = [write(tick) for tick in visible]
        choices = _choices(visible, tens=names is None)
        shown = next((rows for rows in choices if _fit(formatter.axis, visible, texts, rows)), [])
        labels = {visible[row]: texts[row] for row in shown}
        return [labels.get(tick, "") for tick in ticks]

    formatter: Any = FuncFormatter(write)
    formatter.format_ticks = write_some
    return formatter


def _choices(ticks: Array, *, tens: bool) -> Iterable[list[int]]:
    """Yield selections of ticks to label, with the largest first."""
    rows = list(range(len(ticks)))
    if tens and (ticks > 0).all():
        powers = np.log10(ticks)
        integers = np.flatnonzero(np.isclose(powers, np.round(powers))).tolist()
        yield rows
        yield from (integers[::step] for step in range(1, len(integers)))
        yield rows[::2]
    yield from (rows[::step] for step in range(1, 1 + len(rows)))


def _fit(axis: Any, ticks: Array, texts: list[str], rows: list[int]) -> bool:
    """Return whether the labels of selected ticks fit without overlap."""
    label = axis.get_major_ticks(1)[0].label1
    size = label.get_fontsize()
    angle = np.deg2rad(label.get_rotation() % 180)
    scaled = axis.get_transform().transform
    low, high = scaled(np.array(axis.get_view_interval()))
    points = axis.axes.bbox.width * 72 / figure_of(axis.axes).dpi
    steps = np.abs(np.diff(np.abs(scaled(ticks[rows]) - low) / abs(high - low) * points))
    # rotated labels overlap only if the distance between their lines is below the line height
    if angle:
        return bool((steps * np.sin(angle) >= LINE * size).all())
    half = np.array([text_width(texts[row], size) for row in rows]) / 2
    return bool((steps >= half[1:] + half[:-1] + DISTANCE * size).all())


def _below(ax: Axes) -> "Bbox":
    """Return the box below axes that anchors a legend."""
    from matplotlib.transforms import Bbox  # noqa: PLC0415 - slow import

    boxes = [axis.get_tightbbox() for axis in (ax.xaxis, ax.yaxis) if ax.axison]
    around = Bbox.union([ax.bbox, *(box for box in boxes if box is not None)])
    return Bbox.from_extents(around.x0, around.y0, ax.bbox.x1, around.y0)


def small_font(ax: Axes) -> float:
    """Return the font height of legends, in points."""
    # 0.833 is the factor of matplotlib for the font size "small"
    return 0.833 * font_height(ax)


def in_columns(labels: list[str], width: float, height: float) -> tuple[list[str], Style]:
    """Return labels of a legend, and its layout in columns.

    Labels are shortened if a single column is wider than `width`. `width` and `height`, the font
    height, are in points.
    """
    free = 0.98 * width - HANDLE * height
    widest = max((text_width(label, height) for label in labels), default=1.0)
    if widest > free:
        labels = short_names(labels, int(max(map(len, labels)) * free / widest))
    fitting = max(1, int((free + HANDLE * height) / (min(widest, free) + HANDLE * height)))
    look = {"ncols": min(fitting, len(labels)), "columnspacing": 1.0, "handlelength": 1.3}
    return labels, look


def legend_below(ax: Axes, handles: Sequence[Artist], look: Style) -> Any:
    """Put a legend below axes, in columns that fit."""
    height = small_font(ax)
    names = [str(handle.get_label()) for handle in handles]
    labels, columns = in_columns(names, size_in_points(ax)[0], height)
    rows = -(-len(labels) // max(columns["ncols"], 1)) + (look["title"] is not None)
    grow_figure(ax, (rows - ROWS) * ROW * height)
    legend: Any = ax.legend(handles, labels, loc="upper center", **look, **columns)
    # the anchor depends on tick labels below the axes, which may change until the figure is drawn
    legend.get_bbox_to_anchor = partial(_below, ax)
    return legend
