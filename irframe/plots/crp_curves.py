"""Figures of misplacement, effort and gain.

Figures: crp_curves, crp_and_gain, reference_runs, archetypes, effort_gain.
"""

from collections.abc import Hashable, Sequence

import numpy as np
import xarray as xr

from irframe.arrays import Array
from irframe.checks import holding, positions_of
from irframe.cubes.parse_scores import to_scores
from irframe.cubes.view import experiment_of, read_cube
from irframe.errors import ParameterError
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.plots import canvas, layout
from irframe.plots.layout import Axes, OneMetric, Size, Style
from irframe.quantities.positions import expected_ranks, relative_position


def select_topic(misplaced: xr.Dataset, topic: Hashable) -> xr.Dataset:
    """Return the misplacement of rankings for one topic."""
    holding("a result of misplacement", misplaced, {"crp", "recall_base"})
    holding("misplacement by system, topic and depth", misplaced, {SYSTEM, TOPIC, DEPTH}, "sizes")
    canvas.refuse_groups(misplaced)
    (pos,) = positions_of(
        "a topic that was measured", [topic], misplaced[TOPIC].to_numpy().tolist()
    )
    return misplaced.isel({TOPIC: pos})


def _twist_and_archetype(run: xr.Dataset, twist: str = "") -> str:
    """Return the Twist and archetype of a ranking as text."""
    if not run["recall_base"].item():
        return "no relevant documents"
    return f"{twist}{run['twist'].item():.2f}, {run['archetype'].item()}"


def mark_recall_base(ax: Axes, R: int) -> None:
    """Draw lines at zero and at the recall base."""
    ax.axhline(0, color=canvas.text_colour(ax), linewidth=0.8, label="_zero")
    # the axis begins at rank 1, and `mark_depth` draws no line at 0
    canvas.mark_depth(ax, max(R, 1), f"recall base, {R}")


def crp_curves(
    misplaced: xr.Dataset,
    *,
    topic: Hashable,
    systems: Sequence[Hashable] | None = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the cumulated relative position of systems on a topic.

    Also called as ``misplaced.ireval.plot.crp_curves(topic=...)``.

    A curve falls at a rank if only the ideal ranking has a relevant document there. A curve rises
    if relevant documents come late. Where a curve crosses 0, the ranking has recovered. The dotted
    line is at the recall base, the rank at which the ideal ranking has retrieved all relevant
    documents.

    Parameters
    ----------
    misplaced
        Result of `irframe.verbs.misplacement`.
    topic
        The topic to draw.
    systems
        The systems to draw in colour. All other systems are drawn in the background. The default is
        five systems: the best, the worst and the quartiles by Twist.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a line for each system, a vertical line at the recall base, and a horizontal
        line at 0.

    Raises
    ------
    ParameterError
        If the topic or a system is unknown.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 11. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> moved = ir.cube(*ir.example_track()).ireval.misplacement()
    >>> moved.ireval.plot.crp_curves(topic="101").get_ylabel()
    'cumulated relative position'
    """
    on_topic = select_topic(misplaced, topic)
    names = on_topic[SYSTEM].to_numpy().tolist()
    # five systems from best to worst Twist show the spread without covering the figure
    if systems is None:
        order = np.argsort(-on_topic["twist"].to_numpy(), kind="stable")
        rows = order[np.round(np.linspace(0, len(order) - 1, min(5, len(order)))).astype(int)]
    else:
        rows = positions_of("systems that were measured", systems, names)
    ax = canvas.new_axes(ax, (7.0, 4.2), figsize)
    depths = on_topic[DEPTH].to_numpy()
    curves = dict(zip(names, on_topic["crp"].transpose(SYSTEM, DEPTH).to_numpy(), strict=True))
    notes = {names[row]: _twist_and_archetype(on_topic.isel({SYSTEM: row})) for row in rows}
    canvas.draw_systems(ax, depths, curves, [*notes], notes)
    mark_recall_base(ax, int(on_topic["recall_base"]))
    ax.set(xlabel="rank", ylabel="cumulated relative position", xlim=(1, depths[-1]))
    canvas.subtitle(ax, f"topic {topic}")
    canvas.legend_beside(ax, "Twist, kind of curve")
    return ax


def crp_and_gain(
    misplaced: xr.Dataset,
    scores: xr.DataArray,
    *,
    system: Hashable,
    topic: Hashable,
    metric: OneMetric = None,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the cumulated relative position and gain of a ranking.

    Also called as ``misplaced.ireval.plot.crp_and_gain(scores, system=..., topic=...)``.

    Two rankings with similar gain may require different effort from a user.

    Parameters
    ----------
    misplaced
        Result of `irframe.verbs.misplacement`.
    scores
        Scores by depth that include the system and the topic, such as DCG.
    system, topic
        System and topic of the ranking.
    metric
        The metric of the scores to draw, required if there are several metrics.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes with the cumulated relative position. A second vertical axis at the right shows the
        gain.

    Raises
    ------
    ParameterError
        If the system or topic is unknown.
    InputError
        If the scores have no depths.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 11. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = crp_and_gain(cube.ireval.misplacement(), cube.ireval.score("DCG"),
    ...                   system="bm25", topic="101")
    >>> len(ax.figure.axes)
    2
    """
    run = select_topic(misplaced, topic)
    gain = canvas.select_only(to_scores(scores, "this figure"), METRIC, metric)
    common = set(run[SYSTEM].to_numpy()) & set(gain[SYSTEM].to_numpy())
    missing = [] if system in common else [system]
    missing += [] if topic in gain[TOPIC].to_numpy() else [topic]
    if missing:
        expected = "a system and topic of both the misplacement and the scores"
        raise ParameterError(
            expected, "labels that the misplacement or the scores lack", "", map(repr, missing)
        )
    holding("scores with a dimension depth", gain, {DEPTH}, "sizes")
    run = run.sel({SYSTEM: system})
    gain = gain.sel({SYSTEM: system, TOPIC: topic})
    near, far = canvas.COLOURS[:2]
    ax = canvas.new_axes(ax, figsize=figsize)
    ax.plot(run[DEPTH], run["crp"], color=far, linewidth=2, label="effort")
    mark_recall_base(ax, int(run["recall_base"]))
    ax.set(xlabel="rank", xlim=(1, float(run[DEPTH][-1])))
    ax.set_ylabel("cumulated relative position", color=far)
    (name,) = layout.fitting_names(ax, [system], 0.5)
    ax.set_title(f"{name}, topic {topic}: {_twist_and_archetype(run, 'Twist ')}", fontsize="medium")
    right = ax.twinx()
    right.plot(gain[DEPTH], gain, color=near, linewidth=2, linestyle="--", label="gain")
    right.set_ylabel(f"{gain[METRIC].item()} (dashed)", color=near)
    right.set_ylim(bottom=0)
    return ax


def reference_runs(
    misplaced: xr.Dataset,
    cube: xr.Dataset,
    *,
    system: Hashable,
    topic: Hashable,
    ax: Axes | None = None,
    figsize: Size = None,
) -> Axes:
    """Draw the cumulated relative position beside reference rankings.

    Also called as ``misplaced.ireval.plot.reference_runs(cube, system=..., topic=...)``.

    A ranking wastes little effort if its curve stays near 0, or soon returns to 0. The full-scale
    ranking wastes the most effort.

    Parameters
    ----------
    misplaced
        Result of `irframe.verbs.misplacement`.
    cube
        The cube from which `misplaced` was computed.
    system, topic
        System and topic of the ranking.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with four curves over the ranks of the topic. The first curve is the ranking of
        the system. The curve of the ideal ranking stays at 0. The full-scale ranking is the
        reversed ideal ranking. The worst ranking has no relevant documents.

    Raises
    ------
    ParameterError
        If the system or topic is unknown, or the topic has no relevant documents.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 2. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.misplacement().ireval.plot.reference_runs(
    ...     cube, system="bm25", topic="101")
    >>> [line.get_label() for line in ax.lines[:3]]
    ['ideal', 'full scale', 'worst']
    """
    run = select_topic(misplaced, topic)
    names = run[SYSTEM].to_numpy().tolist()
    positions_of("a system that was measured", [system], names)
    run = run.sel({SYSTEM: system})
    curves = _references(read_cube(cube).sel({TOPIC: [topic]}), run, misplaced.attrs["rel"])
    ax = canvas.new_axes(ax, figsize=figsize)
    for (name, curve), dashes in zip(curves.items(), ("-", "--", ":"), strict=True):
        ranks = np.arange(1, 1 + len(curve))
        ax.plot(ranks, curve, color=canvas.FAINT, linestyle=dashes, linewidth=1.6, label=name)
    (style,) = canvas.system_style([system], names)
    (name,) = layout.fitting_names(ax, [system])
    ax.plot(run[DEPTH], run["crp"], linewidth=2, label=name, **style)
    mark_recall_base(ax, int(run["recall_base"]))
    ax.set(xlabel="rank", ylabel="cumulated relative position", xlim=(1, int(run["length"])))
    ratios = {"recovery": "rho", "space": "sigma", "Twist": "twist"}
    notes = [f"{label} {run[name].item():.2f}" for label, name in ratios.items()]
    canvas.subtitle(ax, f"topic {topic}", ", ".join(notes))
    canvas.legend_beside(ax)
    return ax


def _references(cube: xr.Dataset, run: xr.Dataset, rel: int) -> dict[str, Array]:
    """Return the curves of the ideal, full-scale and worst rankings."""
    judgments = experiment_of(cube).judgments
    levels = judgments.levels
    count = judgments.levels_of
    length = int(run["length"])
    R = int(run["recall_base"])
    if not R:
        raise ParameterError("a topic with relevant documents", repr(run[TOPIC].item()))
    # levels are in ascending order, but an ideal ranking begins with the highest grades
    relevant = np.repeat(levels, np.where(levels >= rel, count[0], 0))[::-1]
    ideal = np.concatenate([relevant, np.zeros(length - R, dtype=relevant.dtype)])
    rankings = {"ideal": ideal, "full scale": ideal[::-1], "worst": np.zeros_like(ideal)}
    expected = expected_ranks(levels, count, rel)
    return {
        name: np.cumsum(relative_position(ranking, expected).ravel())
        for name, ranking in rankings.items()
    }


KINDS = (
    *("ideal", "worst", "full scale", "excellent A"),
    *("excellent B", "ups-and-downs", "typical A", "typical B"),
)
LOW = 300
"""Height that two rows of panels need, in points. In a lower figure, panels are smaller."""


def archetypes(misplaced: xr.Dataset, *, ax: Axes | None = None, figsize: Size = None) -> Axes:
    """Draw the cumulated relative position of one ranking per archetype.

    Also called as ``misplaced.ireval.plot.archetypes()``.

    Parameters
    ----------
    misplaced
        Result of `irframe.verbs.misplacement`.
    ax
        Axes inside which the panels are drawn. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with eight panels as child axes. Each panel shows a ranking of one archetype. If
        an archetype has several rankings, the ranking on the topic with the most relevant documents
        is shown. The panel of an archetype without rankings is empty.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 3. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> track = ir.simulate_track(
    ...     systems=40, topics=30, docs=40, depth=20, grades=[0.97, 0.02, 0.01])
    >>> moved = ir.cube(*track).ireval.misplacement()
    >>> len(moved.ireval.plot.archetypes().child_axes)
    8
    """
    holding("a result of misplacement", misplaced, {"crp", "archetype", "excellent"})
    holding("a result of misplacement by depth", misplaced, {SYSTEM, TOPIC, DEPTH}, "sizes")
    canvas.refuse_groups(misplaced)
    ax = canvas.new_axes(ax, (11.0, 5.4), figsize)
    ax.set_axis_off()
    columns = 2 if layout.size_in_points(ax)[0] < layout.NARROW else 4
    if columns == 2:
        layout.grow_figure(ax, 2 * layout.size_in_points(ax)[1])
    width = 0.8 / columns
    pitch = columns / len(KINDS)
    names = (misplaced[name].transpose(SYSTEM, TOPIC) for name in ("archetype", "excellent"))
    archetype, excellent = (name.to_numpy() for name in names)
    # Fig. 3 of the paper shows excellent curves of type A, of type B and ups-and-downs separately
    kind = np.where(excellent == "", archetype, excellent)
    base = misplaced["recall_base"].to_numpy()
    height = pitch * (0.6 if layout.size_in_points(ax)[1] * 2 * pitch < LOW else 0.7)
    for number, name in enumerate(KINDS):
        down, across = divmod(number, columns)
        left = (across + 0.16) / columns
        bottom = 1 - pitch * (down + 0.16) - height
        panel = ax.inset_axes((left, bottom, width, height))
        rankings = np.argwhere(kind == name)
        share = len(rankings) / max(int((kind != "").sum()), 1)
        panel.set_title(f"{name} ({share:.1%})", fontsize="small" if columns == 2 else "medium")
        if len(rankings):
            system, topic = rankings[np.argmax(base[rankings[:, 1]])]
            _curve(ax, panel, misplaced.isel({SYSTEM: system, TOPIC: topic}))
        else:
            panel.set(xticks=[], yticks=[])
            panel.text(0.5, 0.5, "none", **canvas.CENTRED, transform=panel.transAxes)
    return ax


def _curve(ax: Axes, panel: Axes, run: xr.Dataset) -> None:
    depths = run[DEPTH].to_numpy()
    panel.axhline(0, color=canvas.text_colour(panel), linewidth=0.8)
    canvas.mark_depth(panel, run["recall_base"].item())
    panel.plot(depths, run["crp"], color=canvas.COLOURS[0], linewidth=2)
    panel.set_xlim(1, depths[-1])
    panel.tick_params(labelsize="x-small")
    panel.locator_params(nbins=5, integer=True)
    (name,) = layout.fitting_names(ax, [run[SYSTEM].item()], 0.21)
    text = f"{name}\ntopic {run[TOPIC].item()}: Twist {run['twist'].item():.2f}"
    panel.set_xlabel(text, fontsize="x-small")


REGION_COLOURS = {
    "diagonal": canvas.COLOURS[0],
    "high-high": canvas.COLOURS[1],
    "grey": canvas.FAINT,
    "other": canvas.COLOURS[2],
}


def effort_gain(
    cells: xr.Dataset, *, metric: OneMetric = None, ax: Axes | None = None, figsize: Size = None
) -> Axes:
    """Draw the gain of rankings against the effort.

    Also called as ``cells.ireval.plot.effort_gain()``.

    Lines divide the figure into four rows by gain and four columns by effort. On the diagonal, the
    classes of gain and effort are equal. Rankings at the upper left, in the region *high-high*,
    have high gain but require high effort.

    Parameters
    ----------
    cells
        Result of `irframe.verbs.effort_gain`.
    metric
        The metric that measures gain, required if there are several metrics.
    ax
        Axes to draw on. The default is a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with a dot per ranking, coloured by region, and the share of rankings in every
        cell.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Figs. 7-10. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.cube(*ir.example_track()).ireval.score("Twist", "AP", at=50)
    >>> scores.ireval.effort_gain().ireval.plot.effort_gain().get_ylabel()
    'AP'
    """
    holding("a result of effort_gain", cells, {"cell", "quadrant", "border"})
    canvas.refuse_groups(cells)
    quadrant = canvas.select_only(cells["quadrant"], METRIC, metric)
    selected = cells.sel({METRIC: quadrant[METRIC].item()}) if METRIC in cells.dims else cells
    gain = selected["gain_score"].to_numpy()
    effort = selected["effort_score"].to_numpy()
    ax = canvas.new_axes(ax, (6.6, 5.0), figsize)
    size = float(np.clip(20_000 / max(gain.size, 1), 3, 25))
    for code, (region, colour) in enumerate(REGION_COLOURS.items()):
        chosen = quadrant.to_numpy() == region
        style: Style = {"color": colour, "alpha": 0.6, "linewidths": 0}
        style["label"] = f"{region} ({selected['share'][code].item():.0%})"
        ax.scatter(effort[chosen], gain[chosen], size, **style)
    borders = selected["border"].to_numpy()
    for draw, lines in ((ax.axvline, (0.25, 0.5, 0.75)), (ax.axhline, borders)):
        for border in lines:
            draw(border, color=canvas.text_colour(ax), linewidth=0.6)
    ends = 1.08 * np.array([min(0, np.nanmin(gain), *borders), max(0, np.nanmax(gain), *borders)])
    # the axis of a cost metric is reversed, so that the best scores are always at the top
    ax.set(xlim=(0, 1), ylim=ends[:: facts(selected[METRIC].item()).sign])
    tops = [*borders, ax.get_ylim()[1]]
    box = {"facecolor": canvas.background(ax), "alpha": 0.7, "pad": 0.5, "edgecolor": "none"}
    look: Style = {"ha": "right", "va": "top", "fontsize": "x-small", "weight": "bold"}
    look |= {"xytext": (0, -3), "textcoords": "offset points", "bbox": box}
    for (row, column), share in np.ndenumerate(selected["cell"].to_numpy()):
        ax.annotate(f"{share:.0%}", (0.25 * (column + 1) - 0.01, tops[row]), **look)
    name = cells.attrs.get("effort", "effort")
    ax.set(xlabel=f"{name}: 1 wastes no effort", ylabel=str(selected[METRIC].item()))
    canvas.legend_beside(ax, markerscale=(36 / size) ** 0.5)
    return ax
