"""Systems in order of their mean score, with confidence intervals."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import ParameterError
from irframe.metrics.facts import TIE, facts
from irframe.names import SYSTEM
from irframe.plots.canvas import COLOURS, FAINT, chosen_systems, row_axes, subtitle
from irframe.plots.layer import only_layer
from irframe.plots.room import fitting_names, of_all
from irframe.scores.summary import cautions_of, summary
from irframe.tables.captions import told_topics

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def system_ranking(
    scores: xr.DataArray | pd.DataFrame,
    *,
    metric: Any = None,
    depth: int | None = None,
    alpha: float = 0.05,
    top: int | None = None,
    systems: Sequence[Hashable] | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the systems from best to worst with the confidence interval of each mean.

    Also called as ``scores.ireval.plot.system_ranking()``.

    Intervals of single means say how well each is known over topics. Two systems whose
    intervals overlap may still differ significantly, because both saw the same topics: ask
    `irframe.verbs.compare`.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth; by default the greatest.
    alpha
        One minus the confidence level, above 0 and below 1.
    top
        How many of the best systems to draw; by default all.
    systems
        Which systems; by default all.
    ax
        Axes to draw on; by default those of a new figure, tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, best system at the top: the one with the highest mean, or the lowest of a
        metric that counts a cost.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("nDCG")
    >>> ax = scores.ireval.plot.system_ranking(depth=10)
    >>> [label.get_text() for label in ax.get_yticklabels()][:3]
    ['monot5', 'duot5', 'splade']
    """
    if top is not None and top < 1:
        raise ParameterError("top of at least 1", repr(top))
    layer, label = only_layer(scores, metric, depth)
    found = summary(layer.rename(label).drop_vars("metric"), alpha=alpha).isel(metric=0)
    means = found["mean"].to_numpy()
    sign = -facts(label).sign
    names = layer.indexes[SYSTEM].tolist()
    ranked = np.argsort(sign * np.round(means, TIE), kind="stable").tolist()
    asked = chosen_systems(systems, names, ranked, len(ranked))
    order = [row for row in ranked if row in asked][:top]
    chosen = any(part is not None for part in (top, systems))
    ax, fit = row_axes(ax, len(order), (6.4, 1.1, 0.23), figsize, asked=chosen)
    order = order[:fit]
    sides = [abs(found[side].to_numpy() - means)[order] for side in ("ci_low", "ci_high")]
    ax.errorbar(
        *(means[order], range(len(order))),
        xerr=np.nan_to_num(sides),
        fmt="o",
        markersize=4,
        color=COLOURS[0],
        ecolor=FAINT,
        elinewidth=2,
    )
    ax.set_yticks(range(len(order)), fitting_names(ax, [names[row] for row in order]))
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.grid(visible=True, axis="y", color=FAINT, alpha=0.25, linewidth=0.6, zorder=0)
    subtitle(ax, told_topics(found["n"]), of_all(len(order), len(names)), *cautions_of(found.attrs))
    ax.set_xlabel(f"mean {label} with {1 - alpha:.0%} confidence interval")
    return ax
