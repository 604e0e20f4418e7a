"""Texts that fit the room that axes have: labels that wrap, thinned ticks, legends that hang.

All of it happens when a figure is drawn, so that it holds for whatever size it has by then.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import Formatter
from matplotlib.transforms import Bbox

from irframe.names import printable
from irframe.plots.room import alone, figure_of, letter, room, short_names, stretch

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend

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


def wrap_labels(ax: "Axes") -> None:
    """Let labels and titles of axes go on in a next line where they are longer than the axes."""
    limits = {ax.xaxis.label: _around, ax.yaxis.label: _height, ax.title: _around}
    limits |= {ax._left_title: _to_the_right}  # type: ignore[attr-defined]  # noqa: SLF001
    for text, limit in limits.items():
        text.set_wrap(True)
        text._get_wrap_line_width = partial(limit, ax)  # type: ignore[attr-defined]  # noqa: SLF001
    figure = figure_of(ax)
    figure.draw = partial(_draw, figure)


def _draw(figure: Any, renderer: Any) -> None:
    """Draw a figure, its names as all formats may hold them."""
    write = renderer.draw_text

    def written(gc: Any, x: Any, y: Any, text: str, *others: Any, **options: Any) -> None:
        write(gc, x, y, printable(text), *others, **options)

    renderer.draw_text = written
    try:
        type(figure).draw(figure, renderer)
    finally:
        renderer.draw_text = write


def _around(ax: "Axes") -> float:
    """Return how wide a text above or below the middle of axes may be."""
    if not alone(ax):
        return float(ax.bbox.width)
    middle, whole = (ax.bbox.x0 + ax.bbox.x1) / 2, figure_of(ax).bbox
    return float(2 * min(middle - whole.x0, whole.x1 - middle) - EDGE * whole.width)


def _height(ax: "Axes") -> float:
    return float(ax.bbox.height)


def _to_the_right(ax: "Axes") -> float:
    """Return the way from the left of axes to the right of the figure, if nothing is between."""
    figure = figure_of(ax)
    beside = [other for other in figure.axes if other.bbox.x0 >= ax.bbox.x1]
    end = ax.bbox.x1 if beside else (1 - EDGE) * figure.bbox.x1
    return float(end - ax.bbox.x0)


def width_of(text: str, size: float) -> float:
    """Return how wide the longest line of a text is, in points."""
    font = FontProperties(size=size)
    measure = partial(text_to_path.get_text_width_height_descent, prop=font, ismath=False)
    return float(max(measure(line)[0] for line in text.split("\n")))


class Thinned(Formatter):
    """Writes at ticks what there is room for: at all, or else at some in regular steps.

    Parameters
    ----------
    names
        Place -> text; by default a place is written as a number, and numbers that are powers of
        ten stay longest.
    """

    def __init__(self, names: Mapping[float, str] | None = None) -> None:
        self.names = names

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - matplotlib's
        """Return what is written at a place."""
        return f"{x:g}" if self.names is None else self.names.get(float(x), "")

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        """Return what is written at the ticks, which is nothing at some of them."""
        axis: Any = self.axis
        low, high = np.sort(axis.get_view_interval())
        every = np.asarray(values, dtype=float)
        places = every[(every >= low) & (every <= high)]
        texts = [self(place) for place in places]
        shown = next((rows for rows in self._choices(places) if self._fit(places, texts, rows)), [])
        written = {places[row]: texts[row] for row in shown}
        return [written.get(place, "") for place in every]

    def _choices(self, places: Any) -> Iterable[list[int]]:
        """Yield which ticks may be written at, more and more sparsely."""
        rows = list(range(len(places)))
        if self.names is None and (places > 0).all():
            powers = np.log10(places)
            tens = np.flatnonzero(np.isclose(powers, np.round(powers))).tolist()
            yield rows
            yield from (tens[::step] for step in range(1, len(tens)))
            yield rows[::2]
        yield from (rows[::step] for step in range(1, 1 + len(rows)))

    def _fit(self, places: Any, texts: list[str], rows: list[int]) -> bool:
        axis: Any = self.axis
        label = axis.get_major_ticks(1)[0].label1
        size, turn = label.get_fontsize(), np.deg2rad(label.get_rotation() % 180)
        steps = np.abs(np.diff(_along(axis, places[rows])))
        if turn:
            return bool((steps * np.sin(turn) >= LINE * size).all())
        half = np.array([width_of(texts[row], size) for row in rows]) / 2
        return bool((steps >= half[1:] + half[:-1] + APART * size).all())


def _along(axis: "Axis", places: Any) -> Any:
    """Return where places lie along the horizontal axis, in points."""
    scaled = axis.get_transform().transform
    (low, high), at = scaled(np.array(axis.get_view_interval())), scaled(places)
    return np.abs(at - low) / abs(high - low) * axis.axes.bbox.width * 72 / figure_of(axis.axes).dpi


def _below(ax: "Axes") -> Bbox:
    """Return the line under axes, their ticks and their label that a legend hangs from."""
    boxes = [axis.get_tightbbox() for axis in (ax.xaxis, ax.yaxis) if ax.axison]
    around = Bbox.union([ax.bbox, *(box for box in boxes if box is not None)])
    return Bbox.from_extents(around.x0, around.y0, ax.bbox.x1, around.y0)


def hang_legend(ax: "Axes", handles: list[Any], look: dict[str, Any]) -> "Legend":
    """Put a legend under axes, their ticks and their label, in as many columns as fit."""
    labels = [str(handle.get_label()) for handle in handles]
    high = 0.833 * letter(ax)
    free = 0.98 * room(ax)[0] - HANDLE * high
    widest = max((width_of(label, high) for label in labels), default=1.0)
    if widest > free:
        labels = short_names(labels, int(max(map(len, labels)) * free / widest))
    columns = max(1, int((free + HANDLE * high) / (min(widest, free) + HANDLE * high)))
    look = {**look, "ncols": min(columns, len(labels))}
    rows = -(-len(labels) // max(look["ncols"], 1)) + (look["title"] is not None)
    stretch(ax, (rows - ROWS) * ROW * high)
    legend = ax.legend(
        handles, labels, **look, loc="upper center", columnspacing=1.0, handlelength=1.3
    )
    legend.get_bbox_to_anchor = partial(_below, ax)  # type: ignore[method-assign]
    return legend
