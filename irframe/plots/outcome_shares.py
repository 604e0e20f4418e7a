"""Figures of outcomes and search lengths.

Figures: outcome_shares, rank_scatter, length_histogram, difference_histogram.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from irframe.checks import holding
from irframe.errors import ParameterError
from irframe.metrics.facts import facts
from irframe.names import SYSTEM
from irframe.plots import canvas
from irframe.plots.room import NARROW, Axes, Size, fitting_names, name_ticks, of_all, room
from irframe.tables.captions import told_test

SEGMENTS = {
    "both": ("#56B4E9", "both"),
    "a_only": ("#D55E00", "a only"),
    "b_only": ("#009E73", "b only"),
    "neither": ("#D5DAE0", "neither"),
}
"""Outcome -> colour and label, in the order of the bars."""


def outcome_shares(summary: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the share of topics that both, one or neither of two systems answer, a bar per pair.

    Also called as ``summary.ireval.plot.outcome_shares()``.

    Beside each bar stands the mean ESL of a and of b over the topics both answer, or the mean RR if
    the verdicts are by that, with a star at the system that ranks answers significantly higher.

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
    needed = {"system_a", "share_both", "esl_a"}
    holding("the summary of what outcomes returned", summary, needed, "columns")
    count = len(summary)
    ax, fit = canvas.row_axes(ax, count, (8.0, 1.6, 0.32), figsize, chosen=False)
    summary = summary[:fit]
    rows = np.arange(fit)[::-1]
    left = np.zeros(fit)
    for name, (colour, label) in SEGMENTS.items():
        share = 100 * summary[f"share_{name}"].to_numpy()
        ax.barh(rows, share, 0.8, left=left, color=colour, label=label)
        left += share
    measure = str(summary.attrs.get("measure", ""))
    for row, text in zip(rows, _means(summary, measure), strict=True):
        ax.text(101, row, text, va="center", fontsize="small")
    ax.text(101, fit - 0.35, f"{measure or 'ESL'} a → b", va="bottom", fontsize="small")
    ax.set_yticks(rows, fitting_names(ax, _pair_labels(summary)), fontsize="small")
    test = told_test(summary.attrs)
    stars = (
        f"\n* significantly {facts(measure).better} {measure}: {test}" if test and measure else ""
    )
    shown = of_all(fit, count, "pairs")
    ax.set_xlabel("; ".join(filter(None, ["share of topics in percent", shown])) + stars)
    ax.set(xlim=(0, 100), ylim=(-0.6, fit - 0.4))
    ax.spines[["top", "right"]].set_visible(False)
    baselines = summary["system_a"].unique()
    title = f"a: {fitting_names(ax, baselines, 0.6)[0]}" if len(baselines) == 1 else None
    if room(ax)[0] < NARROW:
        canvas.legend_beside(ax, title, below=True)
    else:
        ax.legend(**canvas.LEGEND, title=title, ncols=4, loc="lower left", bbox_to_anchor=(0, 1))
    return ax


def _pair_labels(summary: pd.DataFrame) -> list[str]:
    a, b = summary["system_a"].map(str), summary["system_b"].map(str)
    named = b if len(a.unique()) == 1 else a + " → " + b
    first = summary.columns[0]
    if first != "system_a":
        named = summary[first].map(str) + ": " + named
    return named.tolist()


def _means(summary: pd.DataFrame, measure: str) -> list[str]:
    """Return the means that verdicts are by as text, the better one starred if significantly so.

    Where the measure is not known those of ESL, without stars.
    """
    texts, name = [], measure.lower() or "esl"
    columns = [f"{name}_a", f"{name}_b", "ranked", "ranked_significant"]
    for a, b, ahead, sure in summary[columns].itertuples(index=False):
        stars = ["*" if measure and sure and ahead == side else "" for side in (-1, 1)]
        texts.append("none" if np.isnan(a) else f"{a:.2f}{stars[0]} → {b:.2f}{stars[1]}")
    return texts


DARKER = {"neither": canvas.FAINT}
"""Colours of points where those of the bars are too pale."""
CLEAR = 0.88
"""Ranks nearer to the strips, as a share of the way there, have no tick."""
LEGEND_SHORT = "above: a ranks higher; topics answered by"
LEGEND = "above the line a ranks\nthe answer higher, below b\n\ntopics answered by"
STRIP = 0.18
"""Width of the strips of topics not answered, as a share of the axis before them."""


def rank_scatter(
    queries: pd.DataFrame,
    *,
    a: Hashable | None = None,
    b: Hashable | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the rank of every answer in system a against that in b, with the outcomes as regions.

    Also called as ``queries.ireval.plot.rank_scatter()``.

    Points below the diagonal are topics that b answers sooner; those in the strips are answered
    by one system only, or by neither. Ranks are on a logarithmic scale, and the area of a point
    grows with the number of topics.

    Parameters
    ----------
    queries
        The ``queries`` of what `irframe.verbs.outcomes` returned.
    a, b
        Which comparison; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one collection of points per outcome that occurs.

    Raises
    ------
    InputError
        For another frame.
    ParameterError
        If the choice of the comparison is unknown or open.

    References
    ----------
    .. [1] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? SIGIR 2021. Section 4. doi:10.1145/3404835.3463034

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> found = runs.ireval.outcomes(
    ...     qrels, baseline="bm25", systems="ance", relevant="first"
    ... )
    >>> found.queries.ireval.plot.rank_scatter().get_xlabel()
    'rank in bm25 (a)'
    """
    needed = {"system_a", "system_b", "outcome", "rank_a", "rank_b"}
    holding("the queries of what outcomes returned", queries, needed, "columns")
    chosen, names = _only_pair(queries, a, b)
    ranks = [chosen[name].astype("float64").to_numpy() for name in ("rank_a", "rank_b")]
    deepest = float(np.fmax.reduce(np.concatenate(ranks), initial=10))
    end = np.log10(deepest) * 1.04 + 0.02
    strip = end * (1 + STRIP / 2)
    x, y = (np.where(np.isnan(rank), strip, np.log10(rank)) for rank in ranks)
    cells = pd.DataFrame({"x": x, "y": y, "outcome": chosen["outcome"].to_numpy()})
    counts = cells.value_counts().reset_index()
    ax = canvas.new_axes(ax, (7.4, 5.2), figsize)
    _draw_regions(ax, end)
    _draw_points(ax, counts)
    _label_ranks(ax, deepest, strip)
    a, b = fitting_names(ax, names)
    ax.set(xlabel=f"rank in {a} (a)", ylabel=f"rank in {b} (b)")
    legend = canvas.legend_beside(ax, LEGEND if room(ax)[0] > NARROW else LEGEND_SHORT)
    for handle in legend.legend_handles:
        handle.set_sizes([40])
    return ax


def _draw_points(ax: Axes, counts: pd.DataFrame) -> None:
    """Draw a point per pair of ranks, given with the number of its topics."""
    scale = min(40.0, 400 / counts.loc[counts["outcome"] != "neither", "count"].max())
    for name, (colour, label) in SEGMENTS.items():
        part = counts[counts["outcome"] == name]
        if len(part):
            look: dict[str, Any] = {"color": DARKER.get(name, colour), "alpha": 0.75, "lw": 0}
            look["label"] = f"{label}: {part['count'].sum()}"
            ax.scatter(part["x"], part["y"], np.clip(part["count"] * scale, 3, 400), **look)


def _draw_regions(ax: Axes, end: float) -> None:
    from matplotlib.patches import Rectangle  # noqa: PLC0415 - costs time at import

    far = end * (1 + STRIP)
    for name, corner in {"a_only": (-1, end), "b_only": (end, -1), "neither": (end, end)}.items():
        width, height = (far - end if start == end else end + 1 for start in corner)
        look: dict[str, Any] = {"color": SEGMENTS[name][0], "alpha": 0.15, "lw": 0, "zorder": 0}
        ax.add_patch(Rectangle(corner, width, height, **look))
    ax.plot([0, end], [0, end], color=canvas.FAINT, linewidth=1, zorder=0)
    ax.set(xlim=(-0.08 * end, far), ylim=(-0.08 * end, far), aspect="equal")


def _label_ranks(ax: Axes, deepest: float, strip: float) -> None:
    ticks = [rank for power in (1, 10, 100, 1000) for rank in (power, 2 * power, 5 * power)]
    shown = [rank for rank in ticks if rank <= deepest and np.log10(rank) < CLEAR * strip]
    places = [*np.log10(shown), strip]
    name_ticks(ax, places, [*shown, "none"])
    ax.set_yticks(places, [*map(str, shown), "none"])


def _only_pair(
    queries: pd.DataFrame, a: Hashable | None, b: Hashable | None
) -> tuple[pd.DataFrame, tuple[Any, Any]]:
    """Return the rows and the names of one comparison."""
    if a is not None:
        queries = queries[queries["system_a"] == a]
    if b is not None:
        queries = queries[queries["system_b"] == b]
    pairs = queries[["system_a", "system_b"]].drop_duplicates()
    if len(pairs) != 1:
        listed = [f"{first} and {second}" for first, second in pairs.itertuples(index=False)]
        raise ParameterError("a= and b= to name one comparison", f"{len(pairs)}", "", listed)
    return queries, tuple(pairs.iloc[0])


MOST = 4
"""How many systems can be distinguished side by side."""


def length_histogram(
    histogram: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
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
    needed = {SYSTEM, "low", "high", "documents"}
    holding("what length_histogram returned", histogram, needed, "columns")
    systems = histogram[SYSTEM].unique().tolist()
    if len(systems) > MOST:
        advice = "select some of them by the column system"
        raise ParameterError(f"at most {MOST} systems", str(len(systems)), advice)
    first = histogram[histogram[SYSTEM] == systems[0]]
    places = np.arange(len(first), dtype=float)
    places[-1] += 0.6
    width = 0.85 / len(systems)
    ax = canvas.new_axes(ax, figsize=figsize)
    series = zip(systems, fitting_names(ax, systems), canvas.system_colours(systems), strict=True)
    for number, (system, name, colour) in enumerate(series):
        counts = histogram.loc[histogram[SYSTEM] == system, "documents"].to_numpy()
        shift = (number - (len(systems) - 1) / 2) * width
        bars = ax.bar(places + shift, counts, width, color=colour, label=name)
        bars[-1].set(hatch="///", edgecolor=canvas.ground(ax))
    ax.axvline(places[-1] - 0.8, color=canvas.FAINT, linewidth=1)
    ends = first[["low", "high"]].iloc[:-1].astype(int).to_numpy().tolist()
    labels = [f"{low}" if low == high else f"{low}-{high}" for low, high in ends]
    turn = 35 if len(labels) > 6 else 0
    name_ticks(ax, places, [*labels, "not\nretrieved"], rotation=turn, size="small")
    ax.set(xlabel="search length (1 + irrelevant documents above)", ylabel="relevant documents")
    ax.spines[["top", "right"]].set_visible(False)
    canvas.legend_beside(ax)
    return ax


def difference_histogram(
    histogram: pd.DataFrame, *, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw how many relevant documents a system wins and loses against another, by how much.

    Also called as ``histogram.ireval.plot.difference_histogram()``.

    Parameters
    ----------
    histogram
        What `irframe.verbs.difference_histogram` returned.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, two patches per bin: documents that both systems retrieved (or neither) below,
        those that only one did above, hatched.

    Raises
    ------
    InputError
        For another frame.

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
    from matplotlib.patches import Patch  # noqa: PLC0415 - costs time at import

    needed = {"low", "high", "documents", "unretrieved"}
    holding("what difference_histogram returned", histogram, needed, "columns")
    systems = [str(histogram[f"system_{side}"].iloc[0]) for side in "ab"]
    ends = histogram[["low", "high"]].to_numpy()
    near, far = canvas.system_colours(systems)
    sides = np.sign(ends.sum(axis=1)).astype(int)
    colours = [{-1: near, 0: canvas.FAINT, 1: far}[side] for side in sides]
    places = np.arange(len(histogram))
    one = histogram["unretrieved"].to_numpy()
    rest = histogram["documents"].to_numpy() - one
    ax = canvas.new_axes(ax, (7.2, 4.2), figsize)
    ax.bar(places, rest, 0.85, color=colours)
    hatched: dict[str, Any] = {"hatch": "///", "edgecolor": canvas.ground(ax)}
    ax.bar(places, one, 0.85, bottom=rest, color=colours, lw=0, **hatched)
    names = fitting_names(ax, systems, 0.3)
    name_ticks(ax, places, [_range(*pair) for pair in ends], rotation=35, size="small")
    ax.set(xlabel=f"search length in {names[0]} less that in {names[1]}")
    ax.set_ylabel("relevant documents")
    ax.spines[["top", "right"]].set_visible(False)
    known = zip((near, far), names, strict=True)
    handles = [Patch(color=colour, label=f"nearer in {name}") for colour, name in known]
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
