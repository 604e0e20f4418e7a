"""Figures of who differs from whom.

Figures: differences, critical_difference.
"""

import re
from typing import Any

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.checks import holding
from irframe.errors import InputError, listing
from irframe.metrics.facts import TIE, facts
from irframe.names import METRIC
from irframe.plots import canvas
from irframe.plots.layout import Axes, Size, fitting_names, fitting_rows, selection_text
from irframe.ranks.leaderboard import TASK_MEANS
from irframe.stops import axis_of
from irframe.tables.captions import design_text, interval_label, significance_text

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
        panel each by ``compared.ireval.groupby("metric").plot.differences()``.
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
    >>> len(compared.ireval.groupby("metric").plot.differences())
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
        f"difference in {label}{base}, {interval_label({'alpha': compared.attrs['alpha']})}"
    )
    told = f"filled: significant by {significance_text(compared.attrs)}"
    canvas.subtitle(ax, told, selection_text(len(shown), len(rows), "pairs"))
    return ax


BAR = 0.45
"""How far bars of groups are apart, in rows."""


def critical_difference(
    board: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw systems along their mean or mean rank, with bars over those that do not differ.

    Also called as ``board.ireval.plot.critical_difference()``.

    Systems stand where the order of the board has them: at their mean, with ``order="win_rate"`` at
    their win rate, and with ``order="borda"`` at their mean rank over tasks, ties by halves.
    A bar joins systems no two of which differ significantly, by the test and the correction of the
    board, of means: the groups of its ``letters``. Systems under a bar without a dot are not of its
    group.

    Parameters
    ----------
    board
        What `irframe.verbs.leaderboard` returned, of one group.
    ax
        Axes to draw on; by default those of a new figure, tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a line from each system's place to its name, and below the axis a bar per group of
        two systems and more, with a dot for each. Where there is no room for all systems, those of
        the best ranks.

    Raises
    ------
    InputError
        For another frame, and one in which fewer than two systems have a mean.

    References
    ----------
    .. [1] Demsar. Statistical comparisons of classifiers over multiple data sets. Journal of
       Machine Learning Research 7, 2006. https://jmlr.org/papers/v7/demsar06a.html
    .. [2] Piepho. An algorithm for a letter-based representation of all-pairwise comparisons.
       Journal of Computational and Graphical Statistics 13, 2004. doi:10.1198/1061860043515

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> board = runs.ireval.evaluate(qrels, "nDCG@10").ireval.leaderboard()
    >>> ax = board.ireval.plot.critical_difference()
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['bm25', 'colbert', 'ance', 'bm25+rm3']
    """
    holding(
        "what leaderboard returned, of one group", board, {"rank", "letters", "ci_low"}, "columns"
    )
    canvas.one_group(board)
    mean = [*board][[*board].index("ci_low") - 1]
    lacking = board[mean].isna()
    without, board = board.index[lacking].astype(str).tolist(), board[~lacking]
    if len(board) < 2:
        raise InputError("a board in which two systems have a mean", f"{len(board)}", "", without)
    where, label = _standing(board, mean)
    there = np.arange(len(board))
    there = there[np.argsort(board["rank"].to_numpy(float)[there], kind="stable")]
    groups = _groups(board["letters"].iloc[there])
    rows = _rows_of(groups, len(there))
    ax, fit = canvas.row_axes(ax, rows, (6.4, 1.1, 0.23), figsize, chosen=False)
    while len(there) > 2 and _rows_of(groups, len(there)) > fit:
        there = there[:-1]
        groups = _groups(board["letters"].iloc[there])
    x = where[there]
    below = _draw_groups(ax, x, groups)
    _draw_names(ax, x, board.index[there].astype(str), below)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel(label)
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    test = significance_text(board.attrs)
    joined = "bars join groups without significant differences of means"
    joined = joined if groups else "all differences of means are significant"
    shown = selection_text(len(there), len(board))
    left_out = f"without {listing(without)}, which lack tasks" if without else ""
    said = f"{joined}: {test}" if test else joined, design_text(board.attrs), shown, left_out
    canvas.subtitle(ax, *said)
    return ax


def _standing(board: pd.DataFrame, mean: str) -> tuple[Array, str]:
    """Return where systems stand, and what that is."""
    order, tasks = board.attrs.get("order_by"), board.attrs.get(TASK_MEANS, [])
    if order == "borda" and tasks:
        ranks = board.rename(columns=str)[tasks].round(TIE).rank(ascending=facts(mean).sign < 0)
        return ranks.mean(axis=1).to_numpy(), "mean rank over tasks"
    if order == "win_rate" and "win_rate" in board:
        return board["win_rate"].to_numpy(float), "win rate over tasks"
    return board[mean].to_numpy(float), f"mean {mean}"


def _rows_of(groups: list[Array], systems: int) -> int:
    """Return how many rows the bars of groups and the names of systems take."""
    return int(np.ceil(BAR * len(groups))) + 1 + (systems + 1) // 2


def _groups(letters: pd.Series) -> list[Array]:
    """Return the systems that share a letter, as positions, of groups of two and more."""
    own = [{*re.findall(r"[A-Za-z]\d*", text)} for text in letters.fillna("").astype(str)]
    every = sorted(set().union(*own), key=lambda one: [one in each for each in own], reverse=True)
    found = [np.flatnonzero([one in each for each in own]) for one in every]
    return [group for group in found if len(group) > 1]


def _draw_groups(ax: Axes, x: Array, groups: list[Array]) -> float:
    """Draw a bar for each group, under one another, and return where the last one is."""
    for number, group in enumerate(groups, 1):
        height, ends = number * BAR, (x[group].min(), x[group].max())
        look: dict[str, Any] = {"color": canvas.COLOURS[0], "zorder": 3}
        ax.plot(ends, (height, height), linewidth=3, solid_capstyle="round", **look)
        ax.plot(x[group], np.full(len(group), height), "o", markersize=4.5, **look)
    return BAR * len(groups)


def _draw_names(ax: Axes, x: Array, names: Any, below: float) -> None:
    """Draw a line from the axis to each name, the lower half at the left, the rest at the right."""
    order = np.argsort(x, kind="stable")
    half = (len(x) + 1) // 2
    margin = 0.04 * (np.ptp(x) or 1)
    ends = x.min() - margin, x.max() + margin
    look: dict[str, Any] = {"color": canvas.ink(ax), "linewidth": 0.8, "zorder": 1}
    texts = fitting_names(ax, names[order], 0.22)
    rows = below + 1 + np.arange(half)
    places = np.concatenate([rows, rows[: len(x) - half][::-1]])
    for place, (system, row) in enumerate(zip(order, places, strict=True)):
        ax.plot([x[system]] * 2 + [ends[place >= half]], [0, row, row], **look)
    for row, text in zip(places[half:], texts[half:], strict=True):
        ax.text(1.01, row, text, va="center", transform=ax.get_yaxis_transform())
    ax.set_yticks(rows, texts[:half])
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=ends, ylim=(rows[-1] + 0.5, 0))
