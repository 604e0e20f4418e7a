"""Relevant documents that one system brings nearer than another, by how much."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irframe.errors import InputError
from irframe.plots.canvas import FAINT, ground, legend_beside, new_axes, system_colours
from irframe.plots.room import fitting_names, name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def difference_histogram(
    histogram: pd.DataFrame, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw how many relevant documents a system wins and loses against another, by how much.

    Also called as ``histogram.ireval.plot.difference_histogram()``.

    Parameters
    ----------
    histogram
        What `irframe.verbs.difference_histogram` returned.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, two patches per bin: documents that both systems retrieved (or neither) below,
        those that only one did above, hatched.

    Raises
    ------
    InputError
        For another frame.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Fig. 6.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> lengths = ir.cube(runs, qrels).ireval.search_lengths()
    >>> histogram = lengths.ireval.difference_histogram("ance", "bm25")
    >>> len(histogram.ireval.plot.difference_histogram().patches)
    22
    """
    if not {"low", "high", "documents", "unretrieved"} <= set(histogram.columns):
        raise InputError("what difference_histogram returned", "another frame")
    systems = [str(histogram[f"system_{side}"].iloc[0]) for side in "ab"]
    side = np.sign(histogram[["low", "high"]].to_numpy().sum(axis=1))
    near, far = system_colours(systems)
    colours = [{-1: near, 0: FAINT, 1: far}[int(value)] for value in side]
    places = np.arange(len(histogram))
    one = histogram["unretrieved"].to_numpy()
    rest = histogram["documents"].to_numpy() - one
    ax = new_axes(ax, (7.2, 4.2), figsize)
    ax.bar(places, rest, 0.85, color=colours)
    ax.bar(places, one, 0.85, bottom=rest, color=colours, hatch="///", edgecolor=ground(ax), lw=0)
    names = fitting_names(ax, systems, 0.3)
    ends = histogram[["low", "high"]].to_numpy()
    name_ticks(ax, places, [_range(*pair) for pair in ends], rotation=35, size="small")
    ax.set(xlabel=f"search length in {names[0]} less that in {names[1]}")
    ax.set_ylabel("relevant documents")
    ax.spines[["top", "right"]].set_visible(False)
    _explain(ax, names, [near, far])
    return ax


def _range(low: float, high: float) -> str:
    if low == high:
        return f"{low:.0f}"
    if np.isinf(low):
        return f"≤ {high:.0f}"
    if np.isinf(high):
        return f"≥ {low:.0f}"
    return f"{low:.0f} to {high:.0f}"


def _explain(ax: "Axes", names: list[str], colours: list[str]) -> None:
    from matplotlib.patches import Patch  # noqa: PLC0415 - costs time at import

    patches = [
        Patch(color=colours[0], label=f"nearer in {names[0]}"),
        Patch(color=colours[1], label=f"nearer in {names[1]}"),
        Patch(facecolor=FAINT, hatch="///", edgecolor=ground(ax), label="retrieved by one only"),
    ]
    legend_beside(ax, handles=patches)
