"""Differences of two systems, topic by topic."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import places
from irframe.errors import InputError
from irframe.metrics.facts import facts
from irframe.names import SYSTEM, TOPIC
from irframe.plots.canvas import ink, legend_beside, new_axes, subtitle, system_colours
from irframe.plots.layer import only_layer
from irframe.plots.room import fits_across, fitting_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

X_SMALL = 7
"""Height of the letters of topics, in points."""


def topic_differences(
    scores: xr.DataArray | pd.DataFrame,
    a: Hashable,
    b: Hashable,
    *,
    metric: Any = None,
    depth: int | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw by how much one system is ahead of another on every topic.

    Also called as ``scores.ireval.plot.topic_differences(a, b)``.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    a, b
        Two systems.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth; by default the greatest.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one bar per topic on which both have a score, from the largest difference a - b
        to the smallest, coloured by the system that is better there, and a dot where they are
        equal; a dashed line is the mean difference.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("nDCG")
    >>> ax = scores.ireval.plot.topic_differences("splade", "bm25", depth=10)
    >>> len(ax.patches), ax.get_ylabel()
    (16, 'difference of nDCG@10')
    """
    layer, label = only_layer(scores, metric, depth)
    rows = places("systems of the scores", [a, b], layer.indexes[SYSTEM].tolist())
    left, right = (layer.isel({SYSTEM: row}) for row in rows)
    gaps = (left - right).dropna(TOPIC)
    if not gaps.size:
        raise InputError(f"topics on which {a} and {b} both have a score", "none")
    gaps = gaps.isel({TOPIC: np.argsort(-gaps.to_numpy(), kind="stable")})
    values = np.round(gaps.to_numpy(), 12)
    lead = -values if facts(label).cost else values
    ax = new_axes(ax, (7.2, 3.6), figsize)
    near, far = system_colours([a, b])
    first, second = fitting_names(ax, [a, b], 0.3)
    for system, colour, bars in ((first, near, lead > 0), (second, far, lead < 0)):
        ax.bar(
            np.flatnonzero(bars), values[bars], color=colour, label=f"{system} better: {bars.sum()}"
        )
    equal = np.flatnonzero(lead == 0)
    ax.plot(equal, 0 * equal, ".", color=ink(ax), label=f"equal: {len(equal)}")
    ax.axhline(values.mean(), color=ink(ax), linestyle="--", linewidth=1, label="mean")
    ax.axhline(0, color=ink(ax), linewidth=0.6)
    names = (
        [str(topic) for topic in gaps[TOPIC].to_numpy()]
        if fits_across(ax, len(values), X_SMALL)
        else []
    )
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=X_SMALL)
    ax.set(xlabel="topic", ylabel=f"difference of {label}", xlim=(-0.8, len(values) - 0.2))
    legend_beside(ax)
    subtitle(ax, f"{len(values)} topics")
    return ax
