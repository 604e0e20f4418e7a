"""Differences of systems with their intervals, as a comparison has them."""

from typing import Any

import numpy as np
import pandas as pd

from irframe.checks import holding
from irframe.metrics.facts import facts
from irframe.names import METRIC
from irframe.plots import canvas
from irframe.plots.room import Axes, Size, fitting_names, fitting_rows, of_all
from irframe.stops import axis_of
from irframe.tables.captions import told_interval, told_test

NEEDED = {METRIC, "system_a", "system_b", "difference", "ci_low", "ci_high", "significant"}


def differences(
    compared: pd.DataFrame,
    *,
    metric: Any = None,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the difference of every pair of systems with its interval, the best at the top.

    Also called as ``compared.ireval.plot.differences()``.

    Parameters
    ----------
    compared
        What `irframe.verbs.compare` returned, of one group; several metrics or groups have a
        panel each by ``compared.ireval.plot.panes(ir.plots.differences, by="metric")``.
    metric
        Which metric; may be left out where there is only one.
    depth
        Which depth, or budget; by default the greatest.
    ax
        Axes to draw on; by default those of a new figure, tall enough for the pairs.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a dot per pair, filled where the difference is significant, and a line for its
        interval; dashed lines are zero and the margin, if there is one. Against one baseline a
        pair stands by the name of the other system.

    Raises
    ------
    InputError
        For another frame.
    ParameterError
        If the metric or depth is unknown, or the metric left open.

    References
    ----------
    .. [1] Sakai. Laboratory experiments in information retrieval. Springer, 2018.
       doi:10.1007/978-981-13-1199-4

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["nDCG@10", "AP"])
    >>> compared = scores.ireval.compare(baseline="bm25")
    >>> ax = compared.ireval.plot.differences(metric="AP")
    >>> ax.get_xlabel(), ax.get_yticklabels()[0].get_text()
    ('difference in AP from bm25, 95% interval', 'monot5')
    >>> len(compared.ireval.plot.panes(ir.plots.differences, by="metric"))
    2
    """
    holding("what compare returned", compared, NEEDED, "columns")
    known = compared[METRIC].unique().tolist()
    metric = known[canvas.only_place(METRIC, metric if metric is None else str(metric), known)]
    compared = compared[compared[METRIC] == metric]
    dim = axis_of(compared).dim
    stops = compared[dim].dropna().unique().tolist() if dim in compared else []
    label = metric
    if stops or depth is not None:
        depth = stops[canvas.only_place(dim, max(stops) if depth is None else depth, stops)]
        compared, label = compared[compared[dim] == depth], axis_of(compared).named(label, depth)
    sign = facts(metric).sign
    order = np.argsort(-sign * compared["difference"].to_numpy(), kind="stable")
    rows, against = compared.iloc[order], compared["system_b"].unique()
    alone = len(against) == 1
    ax, fit = canvas.row_axes(ax, len(rows), (6.4, 1.1, 0.23), figsize, chosen=False)
    shown, places = rows.iloc[:fit], np.arange(min(fit, len(rows)))
    sides = [shown["system_a"]] if alone else [shown["system_a"], shown["system_b"]]
    names = fitting_rows(ax, " - ".join(["{}"] * len(sides)), *sides)
    low, high, middle = (shown[name].to_numpy() for name in ("ci_low", "ci_high", "difference"))
    ax.hlines(places, low, high, color=canvas.FAINT, linewidth=2)
    for sure, face in ((True, canvas.COLOURS[0]), (False, canvas.ground(ax))):
        kept = shown["significant"].to_numpy(bool) == sure
        look: dict[str, Any] = {"markerfacecolor": face, "markersize": 4, "zorder": 3}
        ax.plot(middle[kept], places[kept], "o", color=canvas.COLOURS[0], **look)
    ax.axvline(0, color=canvas.ink(ax), linestyle="--", linewidth=0.8)
    if isinstance(margin := compared.attrs.get("margin"), float):  # one of all metrics
        ax.axvline(-sign * margin, color=canvas.FAINT, linestyle="--", linewidth=0.8)
    ax.set_yticks(places, names)
    ax.set_ylim(len(places) - 0.5, -0.5)
    base = f" from {fitting_names(ax, against, 0.5)[0]}" if alone else ""
    ax.set_xlabel(
        f"difference in {label}{base}, {told_interval({'alpha': compared.attrs['alpha']})}"
    )
    told = f"filled: significant by {told_test(compared.attrs)}"
    canvas.subtitle(ax, told, of_all(len(shown), len(rows), "pairs"))
    return ax
