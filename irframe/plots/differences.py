"""Figures of differences between systems.

Figures: differences, critical_difference.
"""

import re

import numpy as np
import pandas as pd

from irframe.arrays import Array
from irframe.checks import holding
from irframe.errors import InputError, listing
from irframe.metrics.facts import TIE, best_first, facts
from irframe.names import METRIC
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, OneMetric, Size, Style
from irframe.ranks.leaderboard import TASK_MEANS
from irframe.stops import axis_of
from irframe.tables.captions import design_text, interval_label, significance_text

NEEDED = {METRIC, "system_a", "system_b", "difference", "ci_low", "ci_high", "significant"}


def differences(
    compared: pd.DataFrame,
    *,
    metric: OneMetric = None,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the difference and its interval for pairs of systems.

    Also called as ``compared.ireval.plot.differences()``.

    Parameters
    ----------
    compared
        Result of `irframe.verbs.compare`, for one group. To draw a panel per metric, call
        ``compared.ireval.groupby("metric").plot.differences()``. Use the name of the groups in
        place of ``"metric"`` to draw a panel per group.
    metric
        The metric to draw, required if there are several metrics.
    depth
        The depth or budget to draw. The default is the greatest depth or budget.
    ax
        Axes to draw on. The default is a new figure that is tall enough for the pairs.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a dot and an interval per pair. The largest improvement is at the top. Filled
        dots mark significant differences. Dashed lines mark zero and, in a test with a margin, the
        margin. If there is one baseline, each pair is labelled with the system that is compared
        with the baseline.

    Raises
    ------
    InputError
        If `compared` is not a result of `irframe.verbs.compare`.
    ParameterError
        If the metric or depth is unknown, or if there are several metrics and none is selected.

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
    holding("a result of compare", compared, NEEDED, "columns")
    canvas.refuse_groups(compared)
    metrics = compared[METRIC].unique().tolist()
    metric = metrics[canvas.only_index(METRIC, metric if metric is None else str(metric), metrics)]
    compared = compared[compared[METRIC] == metric]
    dim = axis_of(compared).dim
    stops = compared[dim].dropna().unique().tolist() if dim in compared else []
    label = metric
    if stops or depth is not None:
        depth = stops[canvas.only_index(dim, max(stops) if depth is None else depth, stops)]
        label = axis_of(compared).named(label, depth)
        compared = compared[compared[dim] == depth]
    sign = facts(metric).sign
    order = best_first(compared["difference"].to_numpy(), sign)
    rows = compared.iloc[order]
    baselines = compared["system_b"].unique()
    one_baseline = len(baselines) == 1
    ax, fit = canvas.row_axes(ax, len(rows), (6.4, 1.1, 0.23), figsize, chosen=False)
    shown = rows.iloc[:fit]
    positions = np.arange(len(shown))
    sides = [shown["system_a"]] if one_baseline else [shown["system_a"], shown["system_b"]]
    names = layout.fitting_rows(ax, " - ".join(["{}"] * len(sides)), *sides)
    low, high, middle = (shown[name].to_numpy() for name in ("ci_low", "ci_high", "difference"))
    ax.hlines(positions, low, high, color=canvas.FAINT, linewidth=2)
    for significant, face in ((True, canvas.COLOURS[0]), (False, canvas.background(ax))):
        chosen = shown["significant"].to_numpy(bool) == significant
        look: Style = {"markerfacecolor": face, "markersize": 4, "zorder": 3}
        ax.plot(middle[chosen], positions[chosen], "o", color=canvas.COLOURS[0], **look)
    ax.axvline(0, color=canvas.text_colour(ax), linestyle="--", linewidth=0.8)
    # a margin in the attributes applies to all metrics, so one line marks it
    if isinstance(margin := compared.attrs.get("margin"), float):
        ax.axvline(-sign * margin, color=canvas.FAINT, linestyle="--", linewidth=0.8)
    ax.set_yticks(positions, names)
    ax.set_ylim(len(positions) - 0.5, -0.5)
    base = f" from {layout.fitting_names(ax, baselines, 0.5)[0]}" if one_baseline else ""
    ax.set_xlabel(
        f"difference in {label}{base}, {interval_label({'alpha': compared.attrs['alpha']})}"
    )
    filled = f"filled: significant by {significance_text(compared.attrs)}"
    canvas.subtitle(ax, filled, layout.selection_text(len(shown), len(rows), "pairs", "top"))
    return ax


BAR = 0.45
"""Vertical distance between bars of a critical difference diagram, relative to a row of names."""


def critical_difference(
    board: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw a critical difference diagram of a leaderboard.

    Also called as ``board.ireval.plot.critical_difference()``.

    The position of a system on the axis is its mean. For a leaderboard with ``order="win_rate"``,
    the position is the win rate. With ``order="borda"``, the position is the mean rank over tasks,
    where tied systems share ranks. A bar joins systems whose means do not differ significantly,
    according to the column ``letters`` of the leaderboard. A system belongs to the group of a bar
    only if the bar has a dot for the system.

    Parameters
    ----------
    board
        Result of `irframe.verbs.leaderboard`, for one group.
    ax
        Axes to draw on. The default is a new figure that is tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a line from the position of each system to its name. Below the axis is a bar
        per group of at least two systems, with a dot for each system. If not all systems fit, the
        systems with the best ranks are drawn.

    Raises
    ------
    InputError
        If `board` is not a result of `irframe.verbs.leaderboard`, or if fewer than two systems have
        a mean.

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
        "a result of leaderboard for one group", board, {"rank", "letters", "ci_low"}, "columns"
    )
    canvas.refuse_groups(board)
    # the column of means is named after the metric, and precedes the interval
    mean = [*board][[*board].index("ci_low") - 1]
    lacking = board[mean].isna()
    without = board.index[lacking].astype(str).tolist()
    board = board[~lacking]
    if len(board) < 2:
        expected = "a leaderboard in which at least two systems have a mean"
        got = f"{len(board)} systems with a mean. The systems without a mean are"
        raise InputError(expected, got, "", without)
    positions, label = _positions(board, mean)
    shown = np.argsort(board["rank"].to_numpy(float), kind="stable")
    groups = _groups(board["letters"].iloc[shown])
    rows = _rows_of(groups, len(shown))
    ax, fit = canvas.row_axes(ax, rows, (6.4, 1.1, 0.23), figsize, chosen=False)
    # if the worst system is dropped, bars may disappear too, so the height is computed again
    while len(shown) > 2 and _rows_of(groups, len(shown)) > fit:
        shown = shown[:-1]
        groups = _groups(board["letters"].iloc[shown])
    x = positions[shown]
    below = _draw_groups(ax, x, groups)
    _draw_names(ax, x, board.index[shown].astype(str), below)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.set_xlabel(label)
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    test = significance_text(board.attrs)
    bars = "bars join groups without significant differences of means"
    bars = bars if groups else "all differences of means are significant"
    selection = layout.selection_text(len(shown), len(board))
    left_out = f"without {listing(without)}, which lack tasks" if without else ""
    notes = [f"{bars}: {test}" if test else bars, design_text(board.attrs), selection, left_out]
    canvas.subtitle(ax, *notes)
    return ax


def _positions(board: pd.DataFrame, mean: str) -> tuple[Array, str]:
    """Return the positions of systems, and the axis label."""
    order = board.attrs.get("order_by")
    tasks = board.attrs.get(TASK_MEANS, [])
    if order == "borda" and tasks:
        # means that differ only by rounding errors share a rank
        ranks = board.rename(columns=str)[tasks].round(TIE).rank(ascending=facts(mean).sign < 0)
        return ranks.mean(axis=1).to_numpy(), "mean rank over tasks"
    if order == "win_rate" and "win_rate" in board:
        return board["win_rate"].to_numpy(float), "win rate over tasks"
    return board[mean].to_numpy(float), f"mean {mean}"


def _rows_of(groups: list[Array], systems: int) -> int:
    """Return the number of rows that bars and names need."""
    return int(np.ceil(BAR * len(groups))) + 1 + (systems + 1) // 2


def _groups(letters: pd.Series) -> list[Array]:
    """Return the positions of the systems that share each letter."""
    # after z and Z, letters continue with a2, b2 and so on
    marks = [{*re.findall(r"[A-Za-z]\d*", text)} for text in letters.fillna("").astype(str)]
    members = [[letter in mark for mark in marks] for letter in set().union(*marks)]
    groups = map(np.flatnonzero, sorted(members, reverse=True))
    return [group for group in groups if len(group) > 1]


def _draw_groups(ax: Axes, x: Array, groups: list[Array]) -> float:
    """Draw a bar per group, and return their total height."""
    for number, group in enumerate(groups, 1):
        height = number * BAR
        ends = x[group].min(), x[group].max()
        look: Style = {"color": canvas.COLOURS[0], "zorder": 3}
        ax.plot(ends, (height, height), linewidth=3, solid_capstyle="round", **look)
        ax.plot(x[group], np.full(len(group), height), "o", markersize=4.5, **look)
    return BAR * len(groups)


def _draw_names(ax: Axes, x: Array, names: pd.Index, below: float) -> None:
    """Draw a line from the axis to each name.

    Names of the left half of the systems are at the left, and all other names at the right.
    """
    order = best_first(x, -1)
    half = (len(x) + 1) // 2
    margin = 0.04 * (np.ptp(x) or 1)
    ends = x.min() - margin, x.max() + margin
    look: Style = {"color": canvas.text_colour(ax), "linewidth": 0.8, "zorder": 1}
    texts = layout.fitting_names(ax, names[order], 0.22)
    rows = below + 1 + np.arange(half)
    # the outermost system of each side has the top row, so that no two lines cross
    heights = np.concatenate([rows, rows[: len(x) - half][::-1]])
    for n, (system, row) in enumerate(zip(order, heights, strict=True)):
        ax.plot([x[system], x[system], ends[n >= half]], [0, row, row], **look)
    for row, text in zip(heights[half:], texts[half:], strict=True):
        ax.text(1.01, row, text, va="center", transform=ax.get_yaxis_transform())
    ax.set_yticks(rows, texts[:half])
    ax.tick_params(axis="y", length=0)
    ax.set(xlim=ends, ylim=(rows[-1] + 0.5, 0))
