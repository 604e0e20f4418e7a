"""Figures of outcomes by topic, and of search lengths.

Figures: outcome_shares, length_histogram, difference_histogram.
"""

import numpy as np
import pandas as pd

from irframe.checks import holding
from irframe.metrics.facts import facts
from irframe.names import SYSTEM
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, Size, Style
from irframe.tables.captions import significance_text

SEGMENTS = {
    "both": ("#56B4E9", "both"),
    "a_only": ("#D55E00", "a only"),
    "b_only": ("#009E73", "b only"),
    "neither": ("#D5DAE0", "neither"),
}
"""Mapping from outcomes to colours and labels, in the order of the segments of a bar."""


def outcome_shares(summary: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the shares of topics by outcome and system pair.

    Also called as ``summary.ireval.plot.outcome_shares()``.

    Each bar represents a pair of systems. The text beside a bar contains the mean ESL (expected
    search length) of systems a and b over the topics that both systems answer. If the verdicts use
    RR, the text contains the mean RR instead. A star marks a system that ranks answers
    significantly higher.

    Parameters
    ----------
    summary
        The ``summary`` of a result of `irframe.verbs.outcomes`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with four stacked patches per comparison.

    Raises
    ------
    InputError
        If `summary` is not the summary of outcomes.

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
    needed = {"system_a", "share_both", "esl_a"}
    holding("the summary of a result of outcomes", summary, needed, "columns")
    count = len(summary)
    ax, fit = canvas.row_axes(ax, count, (8.0, 1.6, 0.32), figsize, chosen=False)
    summary = summary[:fit]
    rows = np.arange(fit)[::-1]
    starts = np.zeros(fit)
    for name, (colour, label) in SEGMENTS.items():
        share = 100 * summary[f"share_{name}"].to_numpy()
        ax.barh(rows, share, 0.8, left=starts, color=colour, label=label)
        starts += share
    measure = str(summary.attrs.get("measure", ""))
    texts = _means(summary, measure)
    for row, text in zip(rows, texts, strict=True):
        ax.text(101, row, text, va="center", fontsize="small")
    ax.text(101, fit - 0.35, f"{measure or 'ESL'} a → b", va="bottom", fontsize="small")
    ax.set_yticks(rows, _pair_labels(ax, summary), fontsize="small")
    test = significance_text(summary.attrs)
    better = test and "*" in "".join(texts) and facts(measure).better
    stars = f"\n* significantly {better} {measure}: {test}" if better else ""
    shown = layout.selection_text(fit, count, "pairs", "first")
    ax.set_xlabel("; ".join(filter(None, ["share of topics in percent", shown])) + stars)
    ax.set(xlim=(0, 100), ylim=(-0.6, fit - 0.4))
    ax.spines[["top", "right"]].set_visible(False)
    baselines = summary["system_a"].unique()
    title = f"a: {layout.fitting_names(ax, baselines, 0.6)[0]}" if len(baselines) == 1 else None
    if layout.size_in_points(ax)[0] < layout.NARROW:
        canvas.legend_beside(ax, title, below=True)
    else:
        ax.legend(**canvas.LEGEND, title=title, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    return ax


def _pair_labels(ax: Axes, summary: pd.DataFrame) -> list[str]:
    columns = [summary["system_b"]]
    template = "{}"
    if len(summary["system_a"].unique()) > 1:
        columns.insert(0, summary["system_a"])
        template = "{} → {}"
    if (first := summary.columns[0]) != "system_a":
        columns.insert(0, summary[first])
        template = "{}: " + template
    return layout.fitting_rows(ax, template, *columns)


def _means(summary: pd.DataFrame, measure: str) -> list[str]:
    """Return the two means of each pair as text.

    A star marks a significantly better mean. If the measure is unknown, the text contains the mean
    ESL without stars.
    """
    texts = []
    name = measure.lower() or "esl"
    columns = [f"{name}_a", f"{name}_b", "ranked", "ranked_significant"]
    for a, b, better, significant in summary[columns].itertuples(index=False):
        stars = ["*" if measure and significant and better == side else "" for side in (-1, 1)]
        texts.append("none" if np.isnan(a) else f"{a:.2f}{stars[0]} → {b:.2f}{stars[1]}")
    return texts


MOST = 4
"""Maximum number of systems in a histogram of search lengths."""


def length_histogram(
    histogram: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw a histogram of search lengths for each system.

    Also called as ``histogram.ireval.plot.length_histogram()``.

    Parameters
    ----------
    histogram
        Result of `irframe.verbs.length_histogram`. Only the first four systems are drawn. If there
        are more systems, the subtitle contains their number.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a bar per system and bin. The hatched bars of the last bin count the
        documents that were not retrieved.

    Raises
    ------
    InputError
        If `histogram` is not a result of `irframe.verbs.length_histogram`.

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
    needed = {SYSTEM, "low", "high", "documents"}
    holding("a result of length_histogram", histogram, needed, "columns")
    canvas.refuse_groups(histogram)
    systems_drawn = histogram[SYSTEM].unique().tolist()
    systems = systems_drawn[:MOST]
    first = histogram[histogram[SYSTEM] == systems[0]]
    positions = np.arange(len(first), dtype=float)
    positions[-1] += 0.6
    width = 0.85 / len(systems)
    ax = canvas.new_axes(ax, figsize=figsize)
    series = zip(
        systems,
        layout.fitting_names(ax, systems),
        canvas.system_colours(systems, systems_drawn),
        strict=True,
    )
    for number, (system, name, colour) in enumerate(series):
        counts = histogram.loc[histogram[SYSTEM] == system, "documents"].to_numpy()
        shift = (number - (len(systems) - 1) / 2) * width
        bars = ax.bar(positions + shift, counts, width, color=colour, label=name)
        bars[-1].set(hatch="///", edgecolor=canvas.background(ax))
    ax.axvline(positions[-1] - 0.8, color=canvas.FAINT, linewidth=1)
    ends = first[["low", "high"]].iloc[:-1].astype(int).to_numpy().tolist()
    labels = [f"{low}" if low == high else f"{low}-{high}" for low, high in ends]
    turn = 35 if len(labels) > 6 else 0
    layout.name_ticks(ax, positions, [*labels, "not\nretrieved"], rotation=turn, size="small")
    canvas.subtitle(ax, layout.selection_text(len(systems), len(systems_drawn), end=""))
    ax.set(xlabel="search length (1 + irrelevant documents above)", ylabel="relevant documents")
    ax.spines[["top", "right"]].set_visible(False)
    canvas.legend_beside(ax)
    return ax


def difference_histogram(
    histogram: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw a histogram of differences in search length.

    Also called as ``histogram.ireval.plot.difference_histogram()``.

    Parameters
    ----------
    histogram
        Result of `irframe.verbs.difference_histogram`.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with two stacked bars per bin. The lower bar counts documents that both systems
        retrieved, and documents that neither system retrieved. The upper, hatched bar counts
        documents that only one system retrieved.

    Raises
    ------
    InputError
        If `histogram` is not a result of `irframe.verbs.difference_histogram`.

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
    from matplotlib.patches import Patch  # noqa: PLC0415 - slow import

    needed = {"low", "high", "documents", "unretrieved"}
    holding("a result of difference_histogram", histogram, needed, "columns")
    systems = [str(histogram[f"system_{side}"].iloc[0]) for side in "ab"]
    ends = histogram[["low", "high"]].to_numpy()
    near, far = canvas.system_colours(systems)
    # the sum of both ends has the sign of the bin, even if one end is infinite
    sides = np.sign(ends.sum(axis=1)).astype(int)
    colours = [{-1: near, 0: canvas.FAINT, 1: far}[side] for side in sides]
    positions = np.arange(len(histogram))
    unretrieved = histogram["unretrieved"].to_numpy()
    retrieved = histogram["documents"].to_numpy() - unretrieved
    ax = canvas.new_axes(ax, (7.2, 4.2), figsize)
    ax.bar(positions, retrieved, 0.85, color=colours)
    # matplotlib draws hatches in the colour of the edge
    hatched: Style = {"hatch": "///", "edgecolor": canvas.background(ax)}
    ax.bar(positions, unretrieved, 0.85, bottom=retrieved, color=colours, lw=0, **hatched)
    names = layout.fitting_names(ax, systems, 0.3)
    layout.name_ticks(ax, positions, [_range(*pair) for pair in ends], rotation=35, size="small")
    ax.set(xlabel=f"search length in {names[0]} less that in {names[1]}")
    ax.set_ylabel("relevant documents")
    ax.spines[["top", "right"]].set_visible(False)
    colours_and_names = zip((near, far), names, strict=True)
    handles = [Patch(color=colour, label=f"nearer in {name}") for colour, name in colours_and_names]
    handles.append(Patch(facecolor=canvas.FAINT, label="retrieved by one only", **hatched))
    canvas.legend_beside(ax, handles=handles)
    return ax


def _range(low: float, high: float) -> str:
    if low == high:
        return f"{low:.0f}"
    if np.isinf(low):
        return f"≤ {high:.0f}"
    if np.isinf(high):
        return f"≥ {low:.0f}"
    return f"{low:.0f} to {high:.0f}"
