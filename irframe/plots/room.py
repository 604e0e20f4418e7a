"""How much room axes have, and what fits there: short names, labels that wrap, ticks."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    ways = [
        [t if len(t) <= length else t[:head] + ELLIPSIS + t[len(t) - kept + head :] for t in texts]
        for head in heads
    ]
    columns = enumerate(zip(*(text for text in texts if len(text) > length), strict=False))
    shared = next((place for place, letters in columns if len(set(letters)) > 1), 0)
    start = max(0, shared - kept // 2)
    parts = [f"{ELLIPSIS}{text[start : start + kept - 1]}{ELLIPSIS}" for text in texts]
    whole = zip(texts, parts, strict=True)
    return [*ways, [text if len(text) <= length else part for text, part in whole]]


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
    from irframe.plots.texts import Thinned  # noqa: PLC0415 - costs time at import

    labels = [str(name) for name in names]
    ha = "right" if rotation % 90 else "center"
    ax.set_xticks(list(places), labels, rotation=rotation, fontsize=size, ha=ha)
    pairs = zip(map(float, places), labels, strict=True)
    ax.xaxis.set_major_formatter(Thinned(dict(pairs)))


def name_topics(ax: "Axes", topics: Any) -> None:
    """Write upright names of topics under the places 0, 1, ... if there is room for all."""
    names = [str(topic) for topic in topics] if fits_across(ax, len(topics), X_SMALL) else []
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=X_SMALL)


X_SMALL = 7
"""Height of the letters of topics, in points."""


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
