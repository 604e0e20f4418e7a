"""The documents behind a difference of two systems, topic by topic."""

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.errors import InputError
from irframe.names import TOPIC
from irframe.plots.canvas import ground, ink, legend_beside, new_axes, subtitle, system_colours
from irframe.plots.room import fits_across, fitting_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X_SMALL = 7
"""Height of the letters of topics, in points."""


def explained(
    documents: pd.DataFrame,
    *,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw which documents make one system better than another on every topic.

    Also called as ``documents.ireval.plot.explained()``.

    Parameters
    ----------
    documents
        What `irframe.verbs.explain` gives.
    ax
        Axes to draw on; by default those of a new figure.
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
    if not isinstance(documents, pd.DataFrame) or not {TOPIC, "difference"} <= {*documents}:
        found = ", ".join(map(str, getattr(documents, "columns", ()))) or type(documents).__name__
        raise InputError("documents with their differences, as explain gives them", found)
    total = documents.groupby(TOPIC, sort=False)["difference"].sum().round(12).dropna()
    total = total.sort_values(ascending=False, kind="stable")
    told = documents.attrs
    names = told.get("systems", ["a", "b"])
    ax = new_axes(ax, (7.2, 3.6), figsize)
    values = documents["difference"].to_numpy().round(12)
    place = total.index.get_indexer(pd.Index(documents[TOPIC]))
    ax.plot(np.arange(len(total)), total, ".", color=ink(ax), label="difference")
    sides = zip(fitting_names(ax, names, 0.3), system_colours(names), (1, -1), strict=True)
    for name, colour, sign in sides:
        some = (sign * values > 0) & (place >= 0)
        _stack(ax, place[some], values[some], colour)
        ax.plot([], [], "s", color=colour, label=f"more by {name}")
    ax.axhline(0, color=ink(ax), linewidth=0.6)
    labels = [str(topic) for topic in total.index] if fits_across(ax, len(total), X_SMALL) else []
    ax.set_xticks(range(len(labels)), labels, rotation=90, fontsize=X_SMALL)
    label = f"difference of {told['metric']}" if "metric" in told else "difference"
    ax.set(xlabel="topic", ylabel=label, xlim=(-0.8, len(total) - 0.2))
    legend_beside(ax)
    subtitle(ax, f"{len(total)} topics; a segment is a document")
    return ax


def _stack(ax: "Axes", place: NDArray[Any], values: NDArray[Any], colour: str) -> None:
    """Draw the documents of every topic on one another, the largest first."""
    order = np.lexsort([-np.abs(values), place])
    place, values = place[order], values[order]
    first = np.r_[True, place[1:] != place[:-1]][: len(place)]
    before = np.cumsum(values) - values
    bottom = before - np.repeat(
        before[first], np.diff(np.append(np.flatnonzero(first), len(place)))
    )
    edge = {"edgecolor": ground(ax), "linewidth": 0.4}
    ax.bar(place, values, bottom=bottom, color=colour, width=0.8, **edge)
