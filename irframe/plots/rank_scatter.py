"""Rank of the answer in one system against its rank in another."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from irframe.errors import InputError, ParameterError
from irframe.plots.canvas import FAINT, legend_beside, new_axes
from irframe.plots.room import NARROW, fitting_names, name_ticks, room
from irframe.plots.segments import SEGMENTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DARKER = {"neither": FAINT}
"""Colours of points where those of the bars are too pale."""
CLEAR = 0.88
"""Ranks nearer to the strips, as a share of the way there, have no tick."""
LEGEND_SHORT = "above: a ranks higher; topics answered by"
LEGEND = "above the line a ranks\nthe answer higher, below b\n\ntopics answered by"
STRIP = 0.18
"""Width of the strips of topics not answered, as a share of the axis before them."""


def rank_scatter(
    queries: pd.DataFrame,
    *,
    a: Hashable | None = None,
    b: Hashable | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the rank of every answer in system a against that in b, with the outcomes as regions.

    Also called as ``queries.ireval.plot.rank_scatter()``.

    Points below the diagonal are topics that b answers sooner; those in the strips are answered
    by one system only, or by neither. Ranks are on a logarithmic scale, and the area of a point
    grows with the number of topics.

    Parameters
    ----------
    queries
        The ``queries`` of what `irframe.verbs.outcomes` returned.
    a, b
        Which comparison; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one collection of points per outcome that occurs.

    Raises
    ------
    InputError
        For another frame.
    ParameterError
        If the choice of the comparison is unknown or open.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? SIGIR 2021. Section 4. doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = runs.ireval.outcomes(
    ...     qrels, baseline="bm25", systems="ance", relevant="first"
    ... )
    >>> found.queries.ireval.plot.rank_scatter().get_xlabel()
    'rank in bm25 (a)'
    """
    if not {"system_a", "system_b", "outcome", "rank_a", "rank_b"} <= set(queries.columns):
        raise InputError("the queries of what outcomes returned", "another frame")
    chosen, names = _only_pair(queries, a, b)
    ranks = [chosen[name].astype("float64").to_numpy() for name in ("rank_a", "rank_b")]
    deepest = float(np.fmax.reduce(np.concatenate(ranks), initial=10))
    end = np.log10(deepest) * 1.04 + 0.02
    strip = end * (1 + STRIP / 2)
    x, y = (np.where(np.isnan(rank), strip, np.log10(rank)) for rank in ranks)
    cells = pd.DataFrame({"x": x, "y": y, "outcome": chosen["outcome"].to_numpy()})
    counts = cells.value_counts().reset_index()
    ax = new_axes(ax, (7.4, 5.2), figsize)
    _draw_regions(ax, end)
    _draw_points(ax, counts)
    _label_ranks(ax, deepest, strip)
    a, b = fitting_names(ax, names)
    ax.set(xlabel=f"rank in {a} (a)", ylabel=f"rank in {b} (b)")
    legend = legend_beside(ax, LEGEND if room(ax)[0] > NARROW else LEGEND_SHORT)
    for handle in legend.legend_handles:
        handle.set_sizes([40])
    return ax


def _draw_points(ax: "Axes", counts: pd.DataFrame) -> None:
    """Draw a point per pair of ranks, given with the number of its topics."""
    scale = min(40.0, 400 / counts.loc[counts["outcome"] != "neither", "count"].max())
    for name, (colour, label) in SEGMENTS.items():
        part = counts[counts["outcome"] == name]
        if len(part):
            number = f"{label}: {part['count'].sum()}"
            size = np.clip(part["count"] * scale, 3, 400)
            ax.scatter(
                part["x"],
                part["y"],
                size,
                color=DARKER.get(name, colour),
                alpha=0.75,
                lw=0,
                label=number,
            )


def _draw_regions(ax: "Axes", end: float) -> None:
    far = end * (1 + STRIP)
    for name, corner in {"a_only": (-1, end), "b_only": (end, -1), "neither": (end, end)}.items():
        width, height = (far - end if start == end else end + 1 for start in corner)
        colour = SEGMENTS[name][0]
        ax.add_patch(_rectangle(corner, width, height, colour))
    ax.plot([0, end], [0, end], color=FAINT, linewidth=1, zorder=0)
    ax.set(xlim=(-0.08 * end, far), ylim=(-0.08 * end, far), aspect="equal")


def _rectangle(corner: tuple[float, float], width: float, height: float, colour: str) -> Any:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - costs time at import

    return Rectangle(corner, width, height, color=colour, alpha=0.15, lw=0, zorder=0)


def _label_ranks(ax: "Axes", deepest: float, strip: float) -> None:
    ticks = [rank for power in (1, 10, 100, 1000) for rank in (power, 2 * power, 5 * power)]
    shown = [rank for rank in ticks if rank <= deepest and np.log10(rank) < CLEAR * strip]
    places = [*np.log10(shown), strip]
    name_ticks(ax, places, [*shown, "none"])
    ax.set_yticks(places, [*map(str, shown), "none"])


def _only_pair(
    queries: pd.DataFrame, a: Hashable | None, b: Hashable | None
) -> tuple[pd.DataFrame, tuple[Any, Any]]:
    """Return the rows and the names of one comparison."""
    if a is not None:
        queries = queries[queries["system_a"] == a]
    if b is not None:
        queries = queries[queries["system_b"] == b]
    pairs = queries[["system_a", "system_b"]].drop_duplicates()
    if len(pairs) != 1:
        listed = [f"{first} and {second}" for first, second in pairs.itertuples(index=False)]
        raise ParameterError("a= and b= to name one comparison", f"{len(pairs)}", "", listed)
    return queries, tuple(pairs.iloc[0])
