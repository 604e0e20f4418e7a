"""Effort and gain of one ranking, rank by rank, in one picture."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import xarray as xr

from irframe.cubes.score_arrays import to_scores
from irframe.errors import InputError, ParameterError
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.plots.canvas import COLOURS, new_axes, only_metric
from irframe.plots.misplaced import mark_recall_base, select_topic
from irframe.plots.room import fitting_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def crp_and_gain(
    misplaced: xr.Dataset,
    scores: xr.DataArray,
    *,
    system: Hashable,
    topic: Hashable,
    metric: Any = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the cumulated relative position of a ranking beside what it gains.

    Also called as ``misplaced.ireval.plot.crp_and_gain(scores, system=..., topic=...)``.

    Two rankings of like gain may differ in how long they make a user wait for it.

    Parameters
    ----------
    misplaced
        What `irframe.verbs.misplacement` returned.
    scores
        Scores by depth of the same system and topic, such as DCG.
    system, topic
        The ranking.
    metric
        Which metric of the scores; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes of the cumulated relative position; the gain is on a second axis, at the right.

    Raises
    ------
    ParameterError
        For an unknown system or topic.
    InputError
        For scores without depths.

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
    one = select_topic(misplaced, topic)
    gain = only_metric(to_scores(scores), metric)
    shared = set(one[SYSTEM].to_numpy()) & set(gain[SYSTEM].to_numpy())
    missing = [] if system in shared else [system]
    missing += [] if topic in gain[TOPIC].to_numpy() else [topic]
    if missing:
        raise ParameterError("a system and topic of both", "", "", map(repr, missing))
    if DEPTH not in gain.dims:
        raise InputError("scores with a dimension depth", ", ".join(map(str, gain.dims)))
    one, gain = one.sel({SYSTEM: system}), gain.sel({SYSTEM: system, TOPIC: topic})
    ax = new_axes(ax, figsize=figsize)
    ax.plot(one[DEPTH], one["crp"], color=COLOURS[1], linewidth=2, label="effort")
    mark_recall_base(ax, int(one["recall_base"]))
    ax.set(xlabel="rank", xlim=(1, float(one[DEPTH][-1])))
    ax.set_ylabel("cumulated relative position", color=COLOURS[1])
    (name,) = fitting_names(ax, [system], 0.5)
    ax.set_title(
        f"{name}, topic {topic}: Twist {one['twist'].item():.2f}, {one['archetype'].item()}",
        fontsize="medium",
    )
    right = ax.twinx()
    right.plot(gain[DEPTH], gain, color=COLOURS[0], linewidth=2, linestyle="--", label="gain")
    right.set_ylabel(f"{gain[METRIC].item()} (dashed)", color=COLOURS[0])
    right.set_ylim(bottom=0)
    return ax
