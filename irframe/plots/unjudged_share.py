"""Share of unjudged documents by evaluation depth."""

from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.cubes.score import score
from irframe.cubes.view import experiment_of, read_cube
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.plots.canvas import COLOURS, legend_beside, log_depths, mark_depth, new_axes, subtitle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def unjudged_share(
    cube: xr.Dataset,
    *,
    pool_depth: int | None = None,
    log: bool = True,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw which share of the documents down to every depth was never judged, run by run.

    Also called as ``cube.ireval.plot.unjudged_share()``.

    Parameters
    ----------
    cube
        A cube made by `irframe.cube`.
    pool_depth
        Depth of the pool, marked by a dotted line; by default the cube's.
    log
        Whether depth has a logarithmic scale.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes: a line per system, the mean over the topics that it has a list for, by colour
        those that contributed to the pool and the others.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 2.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> cube = ir.cube(*ir.example_track())
    >>> ax = cube.ireval.plot.unjudged_share()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['contributing (5)', 'not contributing (3)', 'pool depth']
    """
    cube = read_cube(cube)
    judged = score(cube, "Judged").isel({METRIC: 0}).where(cube["retrieved"] > 0)
    shares = 100 * (1 - judged.mean(TOPIC).transpose(SYSTEM, DEPTH))
    depths = shares[DEPTH].to_numpy()
    inside = experiment_of(cube).known_pool.contributing
    ax = new_axes(ax, figsize=figsize)
    for number, (chosen, name) in enumerate(
        ((inside, "contributing"), (~inside, "not contributing"))
    ):
        for place, row in enumerate(np.flatnonzero(chosen)):
            label = f"{name} ({chosen.sum()})" if not place else f"_{shares.indexes[SYSTEM][row]}"
            alpha = 0.9 if len(inside) < 20 else 0.35
            ax.plot(depths, shares[row], color=COLOURS[number], alpha=alpha, lw=1.2, label=label)
    pool_depth = (
        int(experiment_of(cube).known_pool.depth.min()) if pool_depth is None else pool_depth
    )
    mark_depth(ax, max(pool_depth, 0))
    ax.set(xlabel="evaluation depth k", ylabel="unjudged documents down to k, %")
    log_depths(ax, depths, log=log)
    subtitle(ax, f"{cube.sizes[TOPIC]} topics")
    ax.set_ylim(0, 100)
    legend = legend_beside(ax)
    for line in legend.get_lines():
        line.set_alpha(1)
    return ax
