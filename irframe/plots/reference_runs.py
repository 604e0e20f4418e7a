"""A ranking between the best and the worst that there might have been."""

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import places
from irframe.cubes.view import experiment_of, read_cube
from irframe.errors import ParameterError
from irframe.metrics.positions import expected_ranks, relative_position
from irframe.names import DEPTH, SYSTEM, TOPIC
from irframe.plots.canvas import FAINT, legend_beside, new_axes, subtitle, system_style
from irframe.plots.misplaced import mark_recall_base, select_topic
from irframe.plots.room import fitting_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def reference_runs(
    misplaced: xr.Dataset,
    cube: xr.Dataset,
    *,
    system: Hashable,
    topic: Hashable,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the cumulated relative position of a ranking beside those of the reference rankings.

    Also called as ``misplaced.ireval.plot.reference_runs(cube, system=..., topic=...)``.

    The nearer to 0 a curve stays, and the sooner it comes back there, the less effort is wasted;
    the full-scale ranking wastes as much as can be.

    Parameters
    ----------
    misplaced
        What `irframe.verbs.misplacement` returned.
    cube
        The cube that it was made of.
    system, topic
        The ranking.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, four curves down to the nominal length of the topic: the ranking, as far as it
        was measured; the ideal one, which stays at 0; the full-scale one, the ideal reversed; and
        the worst, without a relevant document.

    Raises
    ------
    ParameterError
        For an unknown system or topic, or a topic without relevant documents.

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
    one = select_topic(misplaced, topic)
    places("a system that was measured", [system], one[SYSTEM].to_numpy().tolist())
    one = one.sel({SYSTEM: system})
    curves = _references(read_cube(cube).sel({TOPIC: [topic]}), one, misplaced.attrs["rel"])
    ax = new_axes(ax, figsize=figsize)
    for (name, curve), dashes in zip(curves.items(), ("-", "--", ":"), strict=True):
        ranks = np.arange(1, 1 + len(curve))
        ax.plot(ranks, curve, color=FAINT, linestyle=dashes, linewidth=1.6, label=name)
    (style,), (name,) = system_style([system]), fitting_names(ax, [system])
    ax.plot(one[DEPTH], one["crp"], linewidth=2, label=name, **style)
    mark_recall_base(ax, int(one["recall_base"]))
    ax.set(xlabel="rank", ylabel="cumulated relative position", xlim=(1, int(one["length"])))
    ratios = {"recovery": "rho", "space": "sigma", "Twist": "twist"}
    told = [f"{word} {one[name].item():.2f}" for word, name in ratios.items()]
    subtitle(ax, f"topic {topic}", ", ".join(told))
    legend_beside(ax)
    return ax


def _references(cube: xr.Dataset, one: xr.Dataset, rel: int) -> dict[str, NDArray[Any]]:
    """Return the curves of the ideal, the full-scale and the worst ranking of a topic."""
    base = experiment_of(cube).judgments
    levels, count = base.levels, base.levels_of
    expected = expected_ranks(levels, count, rel)
    length, R = int(one["length"]), int(one["recall_base"])
    if not R:
        raise ParameterError("a topic with relevant documents", repr(one[TOPIC].item()))
    relevant = np.repeat(levels, np.where(levels >= rel, count[0], 0))[::-1]
    ideal = np.concatenate([relevant, np.zeros(length - R, dtype=relevant.dtype)])
    rankings = {"ideal": ideal, "full scale": ideal[::-1], "worst": np.zeros_like(ideal)}
    return {
        name: np.cumsum(relative_position(ranking, expected).ravel())
        for name, ranking in rankings.items()
    }
