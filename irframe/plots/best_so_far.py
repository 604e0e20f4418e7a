"""A leaderboard over time."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.errors import ParameterError
from irframe.metrics.facts import TIE, facts
from irframe.names import SYSTEM, TOPIC
from irframe.plots.canvas import COLOURS, FAINT, legend_beside, new_axes, subtitle
from irframe.plots.layer import only_layer
from irframe.plots.room import drop_overlapping, few_dates, fitting_names
from irframe.scores.averages import averages

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def best_so_far(
    scores: xr.DataArray | pd.DataFrame,
    dates: Mapping[Any, Any],
    *,
    metric: Any = None,
    depth: int | None = None,
    named: bool = True,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the systems of a leaderboard by the day they came, and which of them led when.

    Also called as ``scores.ireval.plot.best_so_far(dates)``.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    dates
        The day of every system: a mapping or a series by system, of anything that
        `pandas.to_datetime` reads.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth; by default the greatest.
    named
        Whether the systems that took the lead are named.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a point per system at its mean, filled for those better than all before them,
        and steps for the best so far. Of the systems of one day only the best takes the lead.

    Raises
    ------
    ParameterError
        For systems without a day, listing them.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? A case study of the MS MARCO document ranking leaderboard. SIGIR 2021. Fig. 1.
       doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, "RR")
    >>> days = pd.date_range("2020-08-01", periods=runs["system"].nunique(), freq="MS")
    >>> dates = dict(zip(runs["system"].unique(), days, strict=True))
    >>> ax = scores.ireval.plot.best_so_far(dates)
    >>> [text.get_text() for text in ax.texts]
    ['bm25', 'bm25+rm3', 'splade', 'duot5']
    """
    layer, label = only_layer(scores, metric, depth)
    names = layer.indexes[SYSTEM]
    days = pd.to_datetime(pd.Series([dates.get(name) for name in names]))
    missing = names[days.isna().to_numpy()]
    if len(missing):
        raise ParameterError("a day of every system", "none", "", missing)
    means = np.round(averages(layer).to_numpy(), TIE)
    towards = facts(label).sign * means
    order = np.lexsort([-towards, days.to_numpy()])
    ahead = np.fmax.accumulate(towards[order])
    leads = order[np.append(True, ahead[1:] > ahead[:-1])]
    ax = new_axes(ax, (7.4, 4.2), figsize)
    ax.plot(days, means, "o", color=FAINT, markersize=5, fillstyle="none", label="others")
    steps: dict[str, Any] = {"color": COLOURS[1], "drawstyle": "steps-post", "linewidth": 1.5}
    last = [*days[leads], days.max()]
    ax.plot(last, [*means[leads], means[leads[-1]]], label="best so far", **steps)
    ax.plot(days[leads], means[leads], "o", color=COLOURS[1], label="took the lead")
    ax.margins(0.08, 0.1)
    ax.set(xlabel="day", ylabel=f"mean {label}")
    ax.tick_params(axis="x", rotation=30)
    subtitle(ax, f"{len(names)} systems, {layer.sizes[TOPIC]} topics")
    legend_beside(ax)
    few_dates(ax)
    if named:
        _name(ax, names[leads], zip(days[leads], means[leads], strict=True))
    return ax


def _name(ax: "Axes", names: Sequence[Hashable], points: Iterable[Any]) -> None:
    """Write who took the lead, the last ones first where there is not room for all."""
    look: dict[str, Any] = {"textcoords": "offset points", "fontsize": "x-small"}
    told = zip(fitting_names(ax, names, 0.3), points, strict=True)
    drop_overlapping([ax.annotate(name, point, (3, 4), **look) for name, point in told][::-1])
