"""Outcomes of comparisons as stacked shares."""

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from irframe.errors import InputError
from irframe.plots.canvas import LEGEND, legend_below, row_axes
from irframe.plots.room import NARROW, fitting_names, of_all, room
from irframe.plots.segments import SEGMENTS
from irframe.tables.captions import told_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def outcome_shares(
    summary: pd.DataFrame, *, ax: "Axes | None" = None, figsize: tuple[float, float] | None = None
) -> "Axes":
    """Draw the share of topics that both, one or neither of two systems answer, a bar per pair.

    Also called as ``summary.ireval.plot.outcome_shares()``.

    Beside each bar stands the mean ESL of a and of b over the topics both answer, with a star at
    the system that ranks answers significantly higher.

    Parameters
    ----------
    summary
        The ``summary`` of what `irframe.verbs.outcomes` returned.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, four stacked patches per comparison.

    Raises
    ------
    InputError
        For another frame.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? SIGIR 2021. Table 2. doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = runs.ireval.outcomes(qrels, baseline="bm25", relevant="first", depth=2)
    >>> len(found.summary.ireval.plot.outcome_shares().patches)
    28
    """
    if not {"system_a", "share_both", "esl_a"} <= set(summary.columns) or not len(summary):
        raise InputError("the summary of what outcomes returned", "another frame or no rows")
    count = len(summary)
    ax, fit = row_axes(ax, count, (8.0, 1.6, 0.32), figsize, asked=False)
    summary = summary[:fit]
    rows = np.arange(len(summary))[::-1]
    left = np.zeros(len(summary))
    for name, (colour, label) in SEGMENTS.items():
        share = 100 * summary[f"share_{name}"].to_numpy()
        ax.barh(rows, share, 0.8, left=left, color=colour, label=label)
        left += share
    for row, text in zip(rows, _lengths(summary), strict=True):
        ax.text(101, row, text, va="center", fontsize="small")
    ax.text(101, len(summary) - 0.35, "ESL a → b", va="bottom", fontsize="small")
    ax.set_yticks(rows, fitting_names(ax, _pair_labels(summary)), fontsize="small")
    test = told_test(summary.attrs)
    stars = f"\n* significantly lower ESL: {test}" if test else ""
    some = of_all(fit, count, "pairs")
    ax.set_xlabel("; ".join(filter(None, ["share of topics in percent", some])) + stars)
    ax.set(xlim=(0, 100), ylim=(-0.6, len(summary) - 0.4))
    ax.spines[["top", "right"]].set_visible(False)
    baselines = summary["system_a"].unique()
    alone = len(baselines) == 1
    title = f"a: {fitting_names(ax, baselines, 0.6)[0]}" if alone else None
    if room(ax)[0] < NARROW:
        legend_below(ax, title)
    else:
        ax.legend(**LEGEND, title=title, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    return ax


def _pair_labels(summary: pd.DataFrame) -> list[str]:
    a, b = summary["system_a"].map(str), summary["system_b"].map(str)
    named = b if len(a.unique()) == 1 else a + " → " + b
    first = summary.columns[0]
    if first != "system_a":
        named = summary[first].map(str) + ": " + named
    return named.tolist()


def _lengths(summary: pd.DataFrame) -> list[str]:
    """Return mean search lengths as text, the lower one starred where significantly so."""
    texts = []
    for a, b, ahead, sure in summary[["esl_a", "esl_b", "ranked", "ranked_significant"]].itertuples(
        index=False
    ):
        stars = ["*" if sure and ahead == side else "" for side in (-1, 1)]
        texts.append("none" if np.isnan(a) else f"{a:.2f}{stars[0]} → {b:.2f}{stars[1]}")
    return texts
