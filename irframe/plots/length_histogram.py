"""Relevant documents by search length, those not retrieved set apart."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irframe.errors import InputError, ParameterError
from irframe.names import SYSTEM
from irframe.plots.canvas import FAINT, ground, legend_beside, new_axes, system_colours
from irframe.plots.room import fitting_names, name_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 4
"""How many systems can be distinguished side by side."""


def length_histogram(
    histogram: pd.DataFrame, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw how many relevant documents lie how far down, and how many were not retrieved.

    Also called as ``histogram.ireval.plot.length_histogram()``.

    Parameters
    ----------
    histogram
        What `irframe.verbs.length_histogram` returned, of up to four systems.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a patch per system and bin; the last bin stands apart and is hatched.

    Raises
    ------
    InputError
        For another frame.
    ParameterError
        For more than four systems.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Fig. 5.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> lengths = ir.cube(runs, qrels).ireval.search_lengths()
    >>> histogram = lengths.query("system == 'bm25'").ireval.length_histogram(width=10)
    >>> len(histogram.ireval.plot.length_histogram().patches)
    6
    """
    if not {SYSTEM, "low", "high", "documents"} <= set(histogram.columns) or not len(histogram):
        raise InputError("what length_histogram returned", "another frame or no rows")
    systems = histogram[SYSTEM].unique()
    if len(systems) > MOST:
        advice = "select some of them by the column system"
        raise ParameterError(f"at most {MOST} systems", str(len(systems)), advice)
    first = histogram[histogram[SYSTEM] == systems[0]]
    places = np.arange(len(first), dtype=float)
    places[-1] += 0.6
    width = 0.85 / len(systems)
    ax = new_axes(ax, figsize=figsize)
    colours = system_colours(list(systems))
    told = zip(systems, fitting_names(ax, list(systems)), colours, strict=True)
    for number, (system, name, colour) in enumerate(told):
        counts = histogram.loc[histogram[SYSTEM] == system, "documents"].to_numpy()
        shift = (number - (len(systems) - 1) / 2) * width
        bars = ax.bar(places + shift, counts, width, color=colour, label=name)
        bars[-1].set(hatch="///", edgecolor=ground(ax))
    ax.axvline(places[-1] - 0.8, color=FAINT, linewidth=1)
    ends = first[["low", "high"]].iloc[:-1].astype(int).to_numpy().tolist()
    labels = [f"{low}" if low == high else f"{low}-{high}" for low, high in ends]
    turn = 35 if len(labels) > 6 else 0
    name_ticks(ax, places, [*labels, "not\nretrieved"], rotation=turn, size="small")
    ax.set(xlabel="search length (1 + irrelevant documents above)", ylabel="relevant documents")
    ax.spines[["top", "right"]].set_visible(False)
    legend_beside(ax)
    return ax
