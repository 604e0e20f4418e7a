"""All rankings of a length against each other."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.plots.canvas import new_axes, readable
from irframe.plots.labels import LABEL_COLOURS, NAMES, label_colours, label_legend, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_SPELLED = 16
"""Most rankings that are spelled out."""


def ranking_grid(
    grid: xr.Dataset, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw all pairs of rankings of a length, arranged by two metrics.

    Also called as ``grid.ireval.plot.ranking_grid()``.

    Red cells are the only ones where metrics may disagree. The more of them lie far from the
    diagonal, the more freedom is left.

    Parameters
    ----------
    grid
        What `irframe.verbs.enumerate_rankings` returned.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one cell per pair.

    References
    ----------
    .. [1] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Figs. 2 and 3. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> ax = ir.verbs.enumerate_rankings(6, "AP", "nDCG").ireval.plot.ranking_grid()
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('by nDCG, best first', 'by AP, best first')
    """
    if not {"label", "covers"} <= set(grid.data_vars):
        raise InputError("what enumerate_rankings returned", "other data")
    labels = plain(grid["label"].to_numpy())
    rankings = len(labels)
    ax = new_axes(ax, (5.6, 6.9 if rankings <= MOST_SPELLED else 6.2), figsize)
    ax.imshow(labels, cmap=label_colours(), vmin=-1.5, vmax=2.5, interpolation="nearest")
    words = [
        "lexicographic" if by == "lexicographic" else f"by {by}, best first"
        for by in (grid.attrs["columns"], grid.attrs["rows"])
    ]
    ax.set(xlabel=words[0], ylabel=words[1])
    if rankings <= MOST_SPELLED:
        small: dict[str, Any] = {"fontsize": "small", "family": "monospace"}
        ax.set_xticks(range(rankings), grid["column"].to_numpy(), rotation=90, **small)
        ax.set_yticks(range(rankings), grid["row"].to_numpy(), **small)
        for row, column in np.ndindex(labels.shape):
            code = int(labels[row, column])
            colour = readable(ax, LABEL_COLOURS[code])
            ax.text(
                column, row, NAMES[code], ha="center", va="center", color=colour, fontsize="x-small"
            )
    else:
        ax.set_xticks([])
        ax.set_yticks([])
    ax.set_title(
        f"Kendall's tau of the two arrangements: {grid['tau'].item():.3f}", fontsize="medium"
    )
    label_legend(ax)
    return ax
