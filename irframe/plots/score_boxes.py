"""Figures with the scores of systems at one depth.

Figures: score_boxes, system_ranking, best_so_far, topic_differences.
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np
import pandas as pd
import xarray as xr

from irframe.arrays import Array
from irframe.checks import check_int, positions_of
from irframe.cubes.parse_scores import to_scores
from irframe.errors import InputError, ParameterError, cautions_of, shortened
from irframe.metrics.facts import TIE, best_first, facts
from irframe.names import METRIC, REPEAT, SYSTEM, TOPIC, counted
from irframe.plots import canvas, layout
from irframe.plots.layout import Artist, Axes, OneMetric, Size, Style
from irframe.ranks.leaderboard import means_by_task
from irframe.scores.averages import averages
from irframe.scores.read_scores import read_scores
from irframe.scores.summary import summary
from irframe.tables.captions import design_text, repeats_text
from irframe.tables.quantities import topics_text


def only_layer(
    scores: xr.DataArray | pd.DataFrame,
    metric: OneMetric = None,
    depth: int | None = None,
    *,
    repeated: bool = False,
) -> tuple[xr.DataArray, str]:
    """Return scores over system and topic, and an axis label.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or a frame.
    metric
        The metric to draw, required if there are several metrics.
    depth
        The depth to draw. The default is the greatest depth.
    repeated
        Whether scores of repeats are accepted. The result then has a dimension for repeats between
        system and topic.

    Raises
    ------
    ParameterError
        If the metric is unknown, or if there are several metrics and none is selected.
    DepthError
        If there are no scores at the depth.
    """
    array = to_scores(scores, "" if repeated else "this figure")
    layer, label = canvas.at_one_depth(canvas.select_only(array, METRIC, metric), depth)
    return layer.transpose(SYSTEM, ..., TOPIC), label


def score_boxes(
    scores: xr.DataArray | pd.DataFrame,
    *,
    metric: OneMetric = None,
    depth: int | None = None,
    systems: Sequence[Hashable] | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw box plots of each system's scores over topics.

    Also called as ``scores.ireval.plot.score_boxes()``.

    Systems with similar means can differ in the number of topics with low scores.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    metric
        The metric to draw, required if there are several metrics.
    depth
        The depth to draw. The default is the greatest depth.
    systems
        The systems to draw. The default is all systems.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a box plot per system and the best system first. A box extends from the lower
        to the upper quartile. A line in the box is the median, and a diamond is the mean. Whiskers
        extend to the farthest scores within one and a half box lengths of the box. Points are
        scores beyond the whiskers. Topics without a score are left out.

    References
    ----------
    .. [1] Tukey. Exploratory data analysis. Addison-Wesley, 1977.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> ax = runs.ireval.evaluate(qrels, "AP").ireval.plot.score_boxes()
    >>> ax.get_yticklabels()[0].get_text()
    'monot5'
    """
    layer, label = only_layer(scores, metric, depth)
    means = averages(layer).to_numpy()
    names = layer.indexes[SYSTEM].tolist()
    order = best_first(means, facts(label).sign).tolist()
    chosen = canvas.chosen_systems(systems, names, order, len(names))
    rows = [row for row in order if row in chosen]
    ax, fit = canvas.row_axes(ax, len(rows), (6.4, 1.2, 0.26), figsize, chosen=systems is not None)
    rows = rows[:fit]
    values = layer.transpose(SYSTEM, TOPIC).to_numpy()
    _draw(ax, [values[row][~np.isnan(values[row])] for row in rows], [names[row] for row in rows])
    ax.plot(
        means[rows], range(len(rows)), "D", color=canvas.text_colour(ax), markersize=4, zorder=3
    )
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel(f"{label} of a topic; the diamond is the mean")
    end = "best" if systems is None else ""
    shown = layout.selection_text(len(rows), len(names), end=end)
    canvas.subtitle(ax, counted(layer.sizes[TOPIC], TOPIC), shown)
    return ax


def _draw(ax: Axes, values: list[Array], names: list[Hashable]) -> None:
    """Draw a box plot per system, from lists of scores."""
    from matplotlib.cbook import boxplot_stats  # noqa: PLC0415 - slow import

    positions = np.arange(len(names))
    # `Axes.boxplot` is not used: matplotlib 3.8 lacks `orientation=`, and 3.11 deprecates `vert=`
    stats = pd.DataFrame(boxplot_stats(values))
    height = 0.6
    dark: Style = {"color": canvas.text_colour(ax), "linewidth": 1}
    for inner, outer in (("q1", "whislo"), ("q3", "whishi")):
        ax.hlines(positions, stats[outer], stats[inner], **dark)
        ax.vlines(stats[outer], positions - height / 4, positions + height / 4, **dark)
    few = len(names) <= len(canvas.COLOURS)
    colours = canvas.system_colours(names) if few else len(names) * [canvas.COLOURS[0]]
    box: Style = {"edgecolor": canvas.text_colour(ax), "color": colours, "alpha": 0.6}
    ax.barh(positions, stats["q3"] - stats["q1"], height, stats["q1"], **box)
    ax.use_sticky_edges = False  # otherwise the lowest box is cut if all boxes have zero width
    ax.vlines(stats["med"], positions - height / 2, positions + height / 2, **dark)
    for row, points in enumerate(stats["fliers"]):
        ax.plot(points, np.full(len(points), row), ".", color=canvas.text_colour(ax))
    ax.set_yticks(positions, layout.fitting_names(ax, names))


def system_ranking(
    scores: xr.DataArray | pd.DataFrame,
    *,
    metric: OneMetric = None,
    depth: int | None = None,
    alpha: float = 0.05,
    top: int | None = None,
    systems: Sequence[Hashable] | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the means of systems with confidence intervals, best first.

    Also called as ``scores.ireval.plot.system_ranking()``.

    Two systems with overlapping intervals may still differ significantly, because their scores are
    paired by topic. Use `irframe.verbs.compare` to test differences.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    metric
        The metric to draw, required if there are several metrics.
    depth
        The depth to draw. The default is the greatest depth.
    alpha
        One minus the confidence level, above 0 and below 1.
    top
        Number of best systems to draw. The default is all systems.
    systems
        The systems to draw. The default is all systems.
    ax
        Axes to draw on. The default is a new figure that is tall enough for the systems.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with the best system at the top. If systems have repeats, such as seeds, the
        intervals include the variance over repeats, and small dots are the means of single repeats.
        If topics belong to several tasks, the mean of a system is the mean of its task means, and
        small marks are the means of single tasks.

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
    top = None if top is None else check_int("top", top, low=1)
    layer, label = only_layer(scores, metric, depth, repeated=True)
    summed = summary(layer.rename(label).drop_vars(METRIC), alpha=alpha).isel({METRIC: 0})
    names = layer.indexes[SYSTEM].tolist()
    ranked = best_first(summed["mean"].to_numpy(), facts(label).sign).tolist()
    rows = canvas.chosen_systems(systems, names, ranked, len(ranked))
    order = [row for row in ranked if row in rows][:top]
    chosen = top is not None or systems is not None
    ax, fit = canvas.row_axes(ax, len(order), (6.4, 1.1, 0.23), figsize, chosen=chosen)
    order = order[:fit]
    _task_dots(ax, layer.rename(label).drop_vars(METRIC), order)
    _dots(ax, summed, layer, order)
    ax.set_yticks(range(len(order)), layout.fitting_names(ax, [names[row] for row in order]))
    ax.set_ylim(len(order) - 0.5, -0.5)
    ax.grid(visible=True, axis="y", color=canvas.FAINT, alpha=0.25, linewidth=0.6, zorder=0)
    end = "best" if systems is None else ""
    shown = layout.selection_text(len(order), len(names), end=end)
    notes = (
        topics_text(summed["n"]),
        repeats_text(summed.attrs),
        design_text(summed.attrs),
        shown,
        *cautions_of(summed.attrs),
    )
    canvas.subtitle(ax, *notes)
    ax.set_xlabel(f"mean {label} with {1 - alpha:.0%} confidence interval")
    return ax


MARKS = "s^DvP*X<>"
"""Markers of the means of single tasks."""


def _task_dots(ax: Axes, scores: xr.DataArray, order: list[int]) -> None:
    """Draw the means of single tasks, if topics have tasks."""
    tasks = means_by_task(read_scores(scores))
    if tasks is None:
        return
    means = tasks.means.iloc[order]
    for number, (name, values) in enumerate(means.items()):
        # the first colour is used for the means over all tasks
        colour = canvas.COLOURS[1 + number % (len(canvas.COLOURS) - 1)]
        look: Style = {"markersize": 4, "color": colour, "alpha": 0.8, "zorder": 1}
        mark = MARKS[number % len(MARKS)]
        ax.plot(values, range(len(means)), mark, linestyle="", label=str(name), **look)
    if len(means.columns) <= len(MARKS):
        ax.legend(loc="best", fontsize="small", frameon=False)


def _dots(ax: Axes, summed: xr.Dataset, layer: xr.DataArray, order: list[int]) -> None:
    """Draw means with intervals, and the means of single repeats.

    The mean of a repeat uses the topics on which all repeats of the system have a score.
    """
    if REPEAT in layer.dims:
        present = layer.notnull()
        complete = (present | ~present.any(TOPIC)).all(REPEAT)
        means = layer.where(complete).mean(TOPIC).transpose(SYSTEM, REPEAT).to_numpy()[order]
        rows = np.arange(len(order)).repeat(means.shape[1])
        ax.plot(means.ravel(), rows, ".", markersize=4, color=canvas.COLOURS[1], zorder=3)
    middle = summed["mean"].to_numpy()
    sides = [abs(summed[side].to_numpy() - middle)[order] for side in ("ci_low", "ci_high")]
    look: Style = {"color": canvas.COLOURS[0], "ecolor": canvas.FAINT, "elinewidth": 2}
    rows = np.arange(len(order))
    ax.errorbar(middle[order], rows, xerr=np.nan_to_num(sides), fmt="o", markersize=4, **look)


def best_so_far(
    scores: xr.DataArray | pd.DataFrame,
    dates: Mapping[Hashable, object],
    *,
    metric: OneMetric = None,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw systems by date, with the best mean so far.

    Also called as ``scores.ireval.plot.best_so_far(dates)``.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    dates
        A dictionary or Series that maps systems to dates, in any form that `pandas.to_datetime`
        reads.
    metric
        The metric to draw, required if there are several metrics.
    depth
        The depth to draw. The default is the greatest depth.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a point at the date and the mean of each system, and a step line for the best
        mean so far. Filled points mark systems that are better than all earlier systems. Among
        systems of the same day, only the best can be a filled point.

    Raises
    ------
    ParameterError
        If a system has no date.

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
    if not isinstance(dates, Mapping | pd.Series):
        raise ParameterError("a mapping from systems to dates in dates=", shortened(dates))
    days = pd.to_datetime(pd.Series([dates.get(name) for name in names]))
    missing = names[days.isna().to_numpy()]
    if len(missing):
        raise ParameterError("a date for every system in dates=", "no date for", "", missing)
    means = np.round(averages(layer).to_numpy(), TIE)
    signed = facts(label).sign * means
    # the best system of a day comes first, so that no other system of the day takes the lead
    order = np.lexsort([-signed, days.to_numpy()])
    # unlike `np.maximum`, `np.fmax` skips systems without a mean
    ahead = np.fmax.accumulate(np.append(-np.inf, signed[order]))
    leads = order[ahead[1:] > ahead[:-1]]
    ax = canvas.new_axes(ax, (7.4, 4.2), figsize)
    faint: Style = {"color": canvas.FAINT, "markersize": 5, "fillstyle": "none"}
    others_label = "others" if leads.size < np.isfinite(means).sum() else None
    ax.plot(days, means, "o", label=others_label, **faint)
    steps: Style = {"drawstyle": "steps-post", "linewidth": 1.5, "label": "best so far"}
    # the last step extends to the day of the latest system, even if it does not lead
    drawn = np.append(leads, leads[-1:])
    ends = [*days[leads], days.max()][: len(drawn)]
    ax.plot(ends, means[drawn], color=canvas.COLOURS[1], **steps)
    ax.plot(days[leads], means[leads], "o", color=canvas.COLOURS[1], label="took the lead")
    ax.margins(0.08, 0.15)
    ax.set(xlabel="day", ylabel=f"mean {label}")
    ax.tick_params(axis="x", rotation=30)
    canvas.subtitle(ax, f"{counted(len(names), SYSTEM)}, {counted(layer.sizes[TOPIC], TOPIC)}")
    canvas.legend_beside(ax)
    layout.thin_dates(ax)
    look: Style = {"textcoords": "offset points", "fontsize": "x-small"}
    shown = layout.fitting_names(ax, names[leads], 0.3)
    points = zip(shown, days[leads], means[leads], strict=True)
    texts = [ax.annotate(name, (day, mean), (3, 4), **look) for name, day, mean in points]
    # names are kept in this order: if not all names fit, the latest systems are named
    layout.drop_overlapping(texts[::-1])
    return ax


def topic_differences(
    scores: xr.DataArray | pd.DataFrame,
    a: Hashable,
    b: Hashable,
    *,
    metric: OneMetric = None,
    depth: int | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the difference between two systems on every topic.

    Also called as ``scores.ireval.plot.topic_differences(a, b)``.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    a, b
        The two systems to compare.
    metric
        The metric to draw, required if there are several metrics.
    depth
        The depth to draw. The default is the greatest depth.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with one bar per topic on which both systems have a score. Bars are sorted from
        the largest difference a - b to the smallest. A bar has the colour of the better system. A
        dot is a topic on which the two scores are equal. The dashed line is the mean difference.
        The subtitle contains the number of topics.

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
    from matplotlib.patches import Patch  # noqa: PLC0415 - slow import

    layer, label = only_layer(scores, metric, depth)
    rows = positions_of("systems of the scores", [a, b], layer.indexes[SYSTEM].tolist())
    left, right = (layer.isel({SYSTEM: row}) for row in rows)
    gaps = (left - right).dropna(TOPIC)
    if not gaps.size:
        raise InputError(f"topics on which {a} and {b} both have a score", "no such topic")
    gaps = gaps.isel({TOPIC: best_first(gaps.to_numpy())})
    values = np.round(gaps.to_numpy(), TIE)
    ax = canvas.new_axes(ax, (7.2, 3.6), figsize)
    names = layout.fitting_names(ax, [a, b], 0.3)
    colours = canvas.system_colours([a, b], layer.indexes[SYSTEM])
    handles: list[Artist] = []
    counts = []
    for system, colour, side in zip(names, colours, (1, -1), strict=True):
        bars = np.sign(values) == side * facts(label).sign
        counts.append(f"{system} better on {bars.sum()}")
        ax.bar(np.flatnonzero(bars), values[bars], color=colour)
        handles.append(Patch(color=colour, label=f"{system} better"))
    equal = np.flatnonzero(values == 0)
    if len(equal):
        counts.append(f"equal on {len(equal)}")
        handles += ax.plot(equal, 0 * equal, ".", color=canvas.text_colour(ax), label="equal")
    middle = averages(gaps.assign_attrs(layer.attrs), "mean").item()
    look: Style = {"linestyle": "--", "linewidth": 1, "label": "mean"}
    handles.append(ax.axhline(middle, color=canvas.text_colour(ax), **look))
    ax.axhline(0, color=canvas.text_colour(ax), linewidth=0.6)
    layout.name_topics(ax, gaps[TOPIC].to_numpy())
    ax.set(xlabel="topic", ylabel=f"difference of {label}", xlim=(-0.8, len(values) - 0.2))
    canvas.legend_beside(ax, handles=handles)
    canvas.subtitle(ax, f"{counted(len(values), TOPIC)}: {', '.join(counts)}")
    return ax
