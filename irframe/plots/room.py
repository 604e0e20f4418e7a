"""How much room axes have, and what fits there: short names, labels that wrap, ticks."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import Formatter
from matplotlib.transforms import Bbox

from irframe.names import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.legend import Legend


ELLIPSIS = "…"
"""What stands for the characters left out."""
LEAST = 5
"""Fewest characters of a name that was shortened."""


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
    distinct = len(set(texts))
    for length in range(max(most, LEAST), max(map(len, texts), default=0)):
        for tried in _shortened(texts, length):
            if len(set(tried)) == distinct:
                return tried
    return texts


def _shortened(texts: list[str], length: int) -> list[list[str]]:
    """Return ways to cut texts to a length: more of the head, of the tail, or where they part."""
    kept = length - 1
    heads = sorted(range(2, kept - 1), key=lambda head: abs(head - (kept + 1) // 2))
    ways = [[_middle(text, head, kept - head, length) for text in texts] for head in heads]
    start = max(0, _shared_start([t for t in texts if len(t) > length]) - kept // 2)
    parts = [f"{ELLIPSIS}{text[start : start + kept - 1]}{ELLIPSIS}" for text in texts]
    whole = zip(texts, parts, strict=True)
    return [*ways, [text if len(text) <= length else part for text, part in whole]]


def _middle(text: str, head: int, tail: int, length: int) -> str:
    return text if len(text) <= length else text[:head] + ELLIPSIS + text[len(text) - tail :]


def _shared_start(texts: list[str]) -> int:
    """Return how many characters texts have in common at their start."""
    columns = enumerate(zip(*texts, strict=False))
    return next((place for place, letters in columns if len(set(letters)) > 1), 0)


PITCH = 1.25
"""Height of a row with a name, in heights of its letters."""
AROUND = 7.0
"""Lines that titles, ticks and labels take above and below rows."""
FREE: WeakSet[Any] = WeakSet()
"""Figures whose height the caller did not choose."""
NARROW = 324.0
"""Width, in points, below which a figure has one column and its legend below: 4.5 inches."""
LETTER = 0.6
"""Width of a letter, in heights of letters, about."""


def rows_in(ax: "Axes", size: float = 1.0) -> int:
    """Return how many rows with a name fit into axes, its letters being so high among others."""
    high = letter(ax)
    free = room(ax)[1] - (AROUND * high if alone(ax) else 0)
    return max(1, int(free / (PITCH * size * high)))


def letter(ax: "Axes") -> float:
    """Return how high letters are, in points."""
    return float(ax.xaxis.label.get_fontsize())


def alone(ax: "Axes") -> bool:
    """Tell whether axes have a figure for themselves, except for scales of colours."""
    return sum(not hasattr(one, "_colorbar") for one in figure_of(ax).axes) == 1


def figure_of(ax: "Axes") -> Any:
    """Return the whole figure that axes are on."""
    return ax.figure.figure


def room(ax: "Axes") -> tuple[float, float]:
    """Return the width and height, in points, that axes and the texts around them have."""
    figure = figure_of(ax)
    box = figure.bbox if alone(ax) else ax.get_window_extent()
    return 72 * box.width / figure.dpi, 72 * box.height / figure.dpi


def fitting_names(ax: "Axes", names: Any, share: float = 0.35) -> list[str]:
    """Return names that take at most a share of the width, shortened where they are longer.

    Parameters
    ----------
    ax
        The axes.
    names
        What is named.
    share
        Share of the width that there is for a name.
    """
    return short_names(names, int(share * room(ax)[0] / (LETTER * letter(ax))))


def of_all(shown: int, count: int, what: str = "systems") -> str:
    """Say how many of all are shown, where it is not all.

    Examples
    --------
    >>> of_all(12, 110), of_all(8, 8)
    ('12 of 110 systems', '')
    """
    return f"{shown} of {count} {what}" if shown < count else ""


def fits_across(ax: "Axes", count: int, height: float) -> bool:
    """Tell whether upright names of letters so high stand side by side along axes."""
    return count * PITCH * height <= 0.7 * room(ax)[0]


def name_ticks(
    ax: "Axes",
    places: Any,
    names: Any,
    *,
    rotation: float = 0,
    size: Any = None,
) -> None:
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
    told = zip(map(float, places), labels, strict=True)
    ax.xaxis.set_major_formatter(Thinned(dict(told)))


def stretch(ax: "Axes", points: float) -> None:
    """Make a figure higher, if its height was left to it."""
    figure = figure_of(ax)
    if figure in FREE and points > 0:
        wide, high = figure.get_size_inches()
        figure.set_size_inches(wide, high + points / 72)


def few_dates(ax: "Axes") -> None:
    """Write as many dates under axes as there is room for."""
    from matplotlib.dates import AutoDateLocator  # noqa: PLC0415 - costs time at import

    most = max(3, int(0.6 * room(ax)[0] / (5 * letter(ax))))
    ax.xaxis.set_major_locator(AutoDateLocator(minticks=2, maxticks=most))  # type: ignore[no-untyped-call]


def drop_overlapping(texts: Sequence[Any]) -> None:
    """Take away the texts that would lie over earlier ones, or beyond their figure.

    Parameters
    ----------
    texts
        Texts of one figure, the most important first.
    """
    if not texts:
        return
    figure = figure_of(texts[0].axes)
    figure.draw_without_rendering()
    kept: list[Any] = []
    for text in texts:
        box = text.get_window_extent()
        inside = figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1
        if inside and box.y1 <= figure.bbox.y1 and not box.count_overlaps(kept):
            kept.append(box)
        else:
            text.set_visible(False)


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
        shown = next((some for some in self._choices(places) if self._fit(places, texts, some)), [])
        told = {places[row]: texts[row] for row in shown}
        return [told.get(place, "") for place in every]

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
