"""Map of the correlations between metrics."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import xarray as xr

from irframe.errors import InputError
from irframe.names import DEPTH, METRIC
from irframe.plots.canvas import new_axes, readable
from irframe.plots.heat_map import LEVELS, add_scale, bins, only_matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OTHER = "metric_other"


def agreement_map(
    matrix: xr.DataArray,
    *,
    depth: int | None = None,
    levels: Sequence[float] = LEVELS,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw how alike metrics order the systems: blue where they are equivalent.

    Also called as ``matrix.ireval.plot.agreement_map()``.

    Parameters
    ----------
    matrix
        Agreement between metrics, from `irframe.verbs.agreement` without a reference.
    depth
        Which depth; may be left out where there is only one.
    levels
        Borders of the bins of colour, ascending. Bins from 0.9 on are blue, those below brown
        to pale orange; undefined correlations are grey.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, with the value written into every cell.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.8. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "nDCG@10", "RBP(p=0.8)", "P@10", "RR"])
    >>> ax = scores.ireval.agreement().ireval.plot.agreement_map()
    >>> [text.get_text() for text in ax.texts][:5]
    ['1.00', '1.00', '0.93', '0.84', '0.79']
    """
    if depth is not None:
        if DEPTH not in matrix.dims or depth not in matrix.indexes[DEPTH]:
            raise InputError("depth= to be one of the matrix", repr(depth))
        matrix = matrix.sel({DEPTH: depth})
    values = only_matrix(matrix, METRIC, OTHER)
    colourmap, norm = bins(levels)
    labels = [str(label) for label in values[METRIC].to_numpy()]
    ax = new_axes(ax, (2.4 + 0.75 * len(labels), 1.4 + 0.62 * len(labels)), figsize)
    mesh = ax.imshow(np.ma.masked_invalid(values.to_numpy()), cmap=colourmap, norm=norm)
    add_scale(ax, mesh, values, levels)
    for (row, column), value in np.ndenumerate(values.to_numpy()):
        text = f"{value:.2f}" if np.isfinite(value) else ""
        ax.text(
            *(column, row, text),
            ha="center",
            va="center",
            color=readable(ax, colourmap(norm(value))),
        )
    ax.set_xticks(range(len(labels)), labels, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_yticks(range(len(labels)), labels)
    return ax
