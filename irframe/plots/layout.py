"""How much room axes have, and what fits there: names, labels that wrap, thinned ticks, legends.

Labels wrap, ticks are thinned and legends hang when a figure is drawn, so that it holds for
whatever size it has by then.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np

from irframe.names import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes as Axes  # noqa: PLC0414 - for all figures
else:
    Axes = Any  # figures may be listed where matplotlib is not there

Size = tuple[float, float] | None
"""Width and height of a figure in inches, if they are asked for."""
ELLIPSIS = "…"
"""What stands for the characters left out."""
LEAST = 5
"""Fewest characters of a name that was shortened."""
PITCH = 1.25
"""Height of a row with a name, in heights of its letters."""
AROUND = 7.0
"""Lines that titles, ticks and labels take above and below rows."""
FREE: WeakSet[Any] = WeakSet()
"""Figures whose height the caller did not choose."""
SHARE = 0.35
"""Most of the width that names of rows take."""
NARROW = 324.0
"""Width, in points, below which a figure has one column and its legend below: 4.5 inches."""
LETTER = 0.6
"""Width of a letter, in heights of letters, about."""
X_SMALL = 7
"""Height of the letters of topics, in points."""
EDGE = 0.03
"""Share of the width of a figure that texts leave free."""
APART = 0.4
"""Least distance of two labels along an axis, in heights of their letters."""
ROW = 1.7
"""Height of a row of a legend, in heights of its letters."""
ROWS = 2
"""Rows of a legend for which a figure has room without being higher."""
LINE = 1.15
"""Height of a line, in heights of its letters."""
HANDLE = 3.1
"""Width of what a legend shows beside a text, and of the gap to the next, in heights of letters."""


def short_names(names: Sequence[Hashable], most: int) -> list[str]:
    """Return names of at most so many characters, with an ellipsis in the middle of longer ones.

    Names that differ stay different, and keep more characters where they must for that.

    Parameters
    ----------
    names
        What is named, such as systems.
    most
        Characters that there is room for; 5 at least are kept.

    Examples
    --------
    >>> short_names(["bm25", "dense-retrieval-run-1", "dense-retrieval-run-2"], 12)
    ['bm25', 'dense-…run-1', 'dense-…run-2']
    >>> short_names(["our-lab-run-1-of-2026-05", "our-lab-run-2-of-2026-05"], 9)
    ['…run-1-o…', '…run-2-o…']
    """
    texts = [str(name) for name in names]
    for length in range(max(most, LEAST), max(map(len, texts), default=0)):
        for tried in _shortened(texts, length):
            if len(set(tried)) == len(set(texts)):
                return [plain(text) for text in tried]
    return [plain(text) for text in texts]


def plain(name: str) -> str:
    r"""Return a name so that matplotlib shows it as it is, and in legends.

    It takes what is between dollars for mathematics, and leaves names that begin with an
    underscore out of legends.

    Examples
    --------
    >>> plain("a$b$"), plain("_x"), plain("bm25")
    ('a\\$b\\$', ' _x', 'bm25')
    """
    shown = printable(name).replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


def _shortened(texts: list[str], length: int) -> Iterable[list[str]]:
    """Yield ways to cut texts to a length: more of the head, of the tail, or where they part."""
    kept = length - 1
    for head in sorted(range(2, kept - 1), key=lambda head: abs(head - (kept + 1) // 2)):
        ends = [text[:head] + ELLIPSIS + text[len(text) - kept + head :] for text in texts]
        yield [t if len(t) <= length else cut for t, cut in zip(texts, ends, strict=True)]
    columns = enumerate(zip(*(text for text in texts if len(text) > length), strict=False))
    shared = next((place for place, letters in columns if len(set(letters)) > 1), 0)
    start = max(0, shared - kept // 2)
    parts = [f"{ELLIPSIS}{text[start : start + kept - 1]}{ELLIPSIS}" for text in texts]
    yield [t if len(t) <= length else part for t, part in zip(texts, parts, strict=True)]


def rows_that_fit(ax: Axes, size: float = 1.0) -> int:
    """Return how many rows with a name fit into axes, its letters being so high among others."""
    high = font_height(ax)
    free = size_in_points(ax)[1] - (AROUND * high if fills_figure(ax) else 0)
    return max(1, int(free / (PITCH * size * high)))


def font_height(ax: Axes) -> float:
    """Return how high letters are, in points."""
    return float(ax.xaxis.label.get_fontsize())


def fills_figure(ax: Axes) -> bool:
    """Tell whether axes have a figure for themselves, except for scales of colours."""
    return sum(not hasattr(one, "_colorbar") for one in figure_of(ax).axes) == 1


def figure_of(ax: Axes) -> Any:
    """Return the whole figure that axes are on."""
    return ax.figure.figure


def size_in_points(ax: Axes) -> tuple[float, float]:
    """Return the width and height, in points, that axes and the texts around them have."""
    figure = figure_of(ax)
    box = figure.bbox if fills_figure(ax) else ax.get_window_extent()
    return 72 * box.width / figure.dpi, 72 * box.height / figure.dpi


def fitting_names(ax: Axes, names: Any, share: float = SHARE) -> list[str]:
    """Return names that take at most a share of the width, shortened where they are longer."""
    return short_names(names, int(share * size_in_points(ax)[0] / (LETTER * font_height(ax))))


def fitting_rows(ax: Axes, form: str, *columns: Any) -> list[str]:
    """Return texts of several names a row, each name shortened by itself to its part of the room.

    Parameters
    ----------
    ax
        Axes beside which they stand.
    form
        How names are put together, with a place for each.
    columns
        The names of every row, a column for each place.
    """
    known = [*dict.fromkeys(str(name) for column in columns for name in column)]
    short = dict(zip(known, fitting_names(ax, known, SHARE / len(columns)), strict=True))
    return [form.format(*(short[str(name)] for name in row)) for row in zip(*columns, strict=True)]


def selection_text(shown: int, count: int, what: str = "systems", which: str = "best") -> str:
    """Return which part of all is shown; nothing if all are.

    Examples
    --------
    >>> selection_text(12, 110), selection_text(12, 110, "pairs", "first"), selection_text(8, 8)
    ('best 12 of 110 systems', 'first 12 of 110 pairs', '')
    """
    return f"{which} {shown} of {count} {what}".lstrip() if shown < count else ""


def name_ticks(ax: Axes, places: Any, names: Any, *, rotation: float = 0, size: Any = None) -> None:
    """Write names under places along axes; where they are too many, some in regular steps.

    Parameters
    ----------
    ax
        The axes.
    places
        Where the ticks are, from left to right.
    names
        What is written there.
    rotation
        Angle of the names; those that are not level end below their ticks.
    size
        How high their letters are.
    """
    labels = [str(name) for name in names]
    ha = "right" if rotation % 90 else "center"
    ax.set_xticks(list(places), labels, rotation=rotation, fontsize=size, ha=ha)
    ax.xaxis.set_major_formatter(
        thinned_formatter(dict(zip(map(float, places), labels, strict=True)))
    )


def name_topics(ax: Axes, topics: Any) -> None:
    """Write upright names of topics under the places 0, 1, ... if there is room for all.

    They are shortened where they would take more than about a quarter of the height.
    """
    names = short_names(topics, int(size_in_points(ax)[1] / (4 * LETTER * X_SMALL)))
    names = names if len(topics) * PITCH * X_SMALL <= 0.7 * size_in_points(ax)[0] else []
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=X_SMALL)


def grow_figure(ax: Axes, points: float) -> None:
    """Make a figure higher, if its height was left to it."""
    figure = figure_of(ax)
    if figure in FREE and points > 0:
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide, high + points / 72)


def integer_ticks(ax: Axes, *, upright: bool = False) -> None:
    """Let ticks along axes, and those of the upright one if asked for, be whole numbers."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - costs time at import

    for axis in (ax.xaxis, ax.yaxis)[: 1 + upright]:
        locator = MaxNLocator("auto", steps=[1, 2, 5, 10], integer=True, min_n_ticks=1)
        axis.set_major_locator(locator)


def thin_dates(ax: Axes) -> None:
    """Write as many dates under axes as there is room for."""
    from matplotlib.dates import AutoDateLocator  # noqa: PLC0415 - costs time at import

    most = max(3, int(0.6 * size_in_points(ax)[0] / (3 * font_height(ax))))  # they are turned
    ax.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=most))  # type: ignore[no-untyped-call]


def drop_overlapping(texts: Sequence[Any]) -> None:
    """Take away names beside points that have room on neither side of them.

    They would leave their figure, or lie over its ticks, its legend or more important names.
    """
    if not texts:
        return
    ax, figure = texts[0].axes, figure_of(texts[0].axes)
    figure.draw_without_rendering()
    legend = [ax.get_legend().get_window_extent()] if ax.get_legend() else []
    taken = [axis.get_tightbbox() for axis in (ax.xaxis, ax.yaxis)] + legend
    for text in texts:
        for side in ("right", "left") if text.get_ha() == "left" else ("left", "right"):
            box = text.get_window_extent()
            inside = figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
            if inside and box.y1 <= figure.bbox.y1 and not box.count_overlaps(taken):
                taken.append(box)
                break
            text.set(ha=side, position=(-text.xyann[0], text.xyann[1]))
        else:
            text.set_visible(False)


def wrap_labels(ax: Axes) -> None:
    """Let labels and titles of axes go on in a next line where they are longer than the axes."""
    limits: dict[Any, Any] = {ax.xaxis.label: _around, ax.title: _around}
    limits |= {ax.yaxis.label: lambda ax: float(ax.bbox.height)}
    limits |= {ax._left_title: _to_the_right}  # type: ignore[attr-defined]  # noqa: SLF001
    for text, limit in limits.items():
        text.set_wrap(True)
        text._get_wrap_line_width = partial(limit, ax)  # noqa: SLF001 - there is no other way


def _around(ax: Axes) -> float:
    """Return how wide a text above or below the middle of axes may be."""
    if not fills_figure(ax):
        return float(ax.bbox.width)
    middle, whole = (ax.bbox.x0 + ax.bbox.x1) / 2, figure_of(ax).bbox
    return float(2 * min(middle - whole.x0, whole.x1 - middle) - EDGE * whole.width)


def _to_the_right(ax: Axes) -> float:
    """Return the way from the left of axes to the right of the figure, if nothing is between."""
    figure = figure_of(ax)
    beside = any(other.bbox.x0 >= ax.bbox.x1 for other in figure.axes)
    end = ax.bbox.x1 if beside else (1 - EDGE) * figure.bbox.x1
    return float(end - ax.bbox.x0)


def text_width(text: str, size: float) -> float:
    """Return how wide the longest line of a text is, in points."""
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415 - costs time at import
    from matplotlib.textpath import text_to_path  # noqa: PLC0415 - the same

    measure, font = text_to_path.get_text_width_height_descent, FontProperties(size=size)
    return float(max(measure(line, font, ismath=False)[0] for line in text.split("\n")))


def thinned_formatter(names: Mapping[float, str] | None = None) -> Any:
    """Return what writes at ticks as there is room for: at all, or at some in regular steps.

    Parameters
    ----------
    names
        Place -> text; by default a place is written as a number, and numbers that are powers of
        ten stay longest.
    """
    from matplotlib.ticker import FuncFormatter  # noqa: PLC0415 - costs time at import

    def write(x: float, _: int | None = None) -> str:
        return f"{x:g}" if names is None else names.get(float(x), "")

    def write_some(values: Sequence[float]) -> list[str]:
        low, high = np.sort(formatter.axis.get_view_interval())
        every = np.asarray(values, dtype=float)
        places = every[(every >= low) & (every <= high)]
        texts = [write(place) for place in places]
        choices = _choices(places, tens=names is None)
        shown = next((rows for rows in choices if _fit(formatter.axis, places, texts, rows)), [])
        written = {places[row]: texts[row] for row in shown}
        return [written.get(place, "") for place in every]

    formatter: Any = FuncFormatter(write)
    formatter.format_ticks = write_some
    return formatter


def _choices(places: Any, *, tens: bool) -> Iterable[list[int]]:
    """Yield which ticks may be written at, more and more sparsely; powers of ten may come first."""
    rows = list(range(len(places)))
    if tens and (places > 0).all():
        powers = np.log10(places)
        whole = np.flatnonzero(np.isclose(powers, np.round(powers))).tolist()
        yield rows
        yield from (whole[::step] for step in range(1, len(whole)))
        yield rows[::2]
    yield from (rows[::step] for step in range(1, 1 + len(rows)))


def _fit(axis: Any, places: Any, texts: list[str], rows: list[int]) -> bool:
    """Tell whether the texts of some ticks of a horizontal axis stand apart."""
    label = axis.get_major_ticks(1)[0].label1
    size, turn = label.get_fontsize(), np.deg2rad(label.get_rotation() % 180)
    scaled = axis.get_transform().transform
    (low, high), at = scaled(np.array(axis.get_view_interval())), scaled(places[rows])
    points = axis.axes.bbox.width * 72 / figure_of(axis.axes).dpi
    steps = np.abs(np.diff(np.abs(at - low) / abs(high - low) * points))
    if turn:
        return bool((steps * np.sin(turn) >= LINE * size).all())
    half = np.array([text_width(texts[row], size) for row in rows]) / 2
    return bool((steps >= half[1:] + half[:-1] + APART * size).all())


def _below(ax: Axes) -> Any:
    """Return the line under axes, their ticks and their label that a legend hangs from."""
    from matplotlib.transforms import Bbox  # noqa: PLC0415 - costs time at import

    boxes = [axis.get_tightbbox() for axis in (ax.xaxis, ax.yaxis) if ax.axison]
    around = Bbox.union([ax.bbox, *(box for box in boxes if box is not None)])
    return Bbox.from_extents(around.x0, around.y0, ax.bbox.x1, around.y0)


def legend_below(ax: Axes, handles: list[Any], look: dict[str, Any]) -> Any:
    """Put a legend under axes, their ticks and their label, in as many columns as fit."""
    labels = [str(handle.get_label()) for handle in handles]
    high = 0.833 * font_height(ax)
    free = 0.98 * size_in_points(ax)[0] - HANDLE * high
    widest = max((text_width(label, high) for label in labels), default=1.0)
    if widest > free:
        labels = short_names(labels, int(max(map(len, labels)) * free / widest))
    fitting = max(1, int((free + HANDLE * high) / (min(widest, free) + HANDLE * high)))
    columns = min(fitting, len(labels))
    rows = -(-len(labels) // max(columns, 1)) + (look["title"] is not None)
    grow_figure(ax, (rows - ROWS) * ROW * high)
    look = {**look, "ncols": columns, "columnspacing": 1.0, "handlelength": 1.3}
    legend: Any = ax.legend(handles, labels, loc="upper center", **look)
    legend.get_bbox_to_anchor = partial(_below, ax)
    return legend
