"""One figure of several parts side by side: collections, metrics, tests, quantities."""

import textwrap
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import whole
from irframe.cubes.splitting import groups
from irframe.errors import ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTERS = 13
"""Characters of a line above a pane, by inches of its width."""


def panes(
    data: pd.DataFrame | xr.Dataset | xr.DataArray | Mapping[str, Any],
    draw: Callable[..., Any],
    *,
    by: str | None = None,
    columns: int = 3,
    figsize: tuple[float, float] | None = None,
) -> NDArray[Any]:
    r"""Draw the same figure of several collections, metrics, tests or quantities side by side.

    Also called as ``data.ireval.plot.panes(draw, by=...)``.

    Parameters
    ----------
    data
        What to draw, or the parts themselves by their names.
    draw
        Draws a part on axes, as all figures do: called as ``draw(part, ax=ax)``.
    by
        What tells the parts apart: a dimension, a coordinate of systems or topics, or a column,
        such as ``"track"``. Only for parts given by name it is left out.
    columns
        Panes side by side, at least 1.
    figsize
        Width and height of the figure, in inches.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        The axes of the parts, each under its name. Their legends are joined into one at the
        right.

    Raises
    ------
    ParameterError
        If there is nothing to tell parts apart by.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Fig. 4. doi:10.1007/s10791-016-9282-6
    .. [2] Moffat, Mackenzie. How much freedom does an effectiveness metric really have? JASIST
       75, 2024. Fig. 7. doi:10.1002/asi.24874

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.cube(*ir.example_track()).ireval.score("AP", "P")
    >>> parts = {"a": scores.ireval.discrimination(), "b": scores.ireval.median_p()}
    >>> [ax.get_title(loc="left") for ax in ir.plots.panes(parts, ir.plots.ratio_curves)]
    ['a\npaired t-test, alpha = 0.05', 'b\npaired t-test, alpha = 0.05']
    """
    parts = dict(data) if by is None and _is_named(data) else dict(_parts(data, by))
    import matplotlib.pyplot as plt  # noqa: PLC0415 - costs time at import

    across = min(whole("columns", columns, low=1), len(parts))
    down = -(-len(parts) // across)
    size = figsize or (3.6 * across + 1.6, 3.1 * down)
    figure, axes = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    found: dict[str, Any] = {}
    for ax, (name, part) in zip(axes.flat, parts.items(), strict=False):
        draw(part, ax=ax)
        _name(ax, str(name), int(LETTERS * size[0] / across))
        found |= _taken_legend(ax)
    for ax in axes.flat[len(parts) :]:
        ax.set_axis_off()
    if found:
        look: dict[str, Any] = {"frameon": False, "fontsize": "small"}
        figure.legend([*found.values()], [*found], loc="outside right center", **look)
    return np.array(axes.flat[: len(parts)], dtype=object)


def _is_named(data: Any) -> bool:
    return isinstance(data, Mapping) and not isinstance(data, xr.Dataset)


def _parts(data: Any, by: str | None) -> list[tuple[Hashable, Any]]:
    if by is None:
        raise ParameterError("by=, what tells the parts apart", "none")
    if isinstance(data, xr.Dataset | xr.DataArray) and by in data.dims:
        return [(name, data.isel({by: [place]})) for place, name in enumerate(data[by].to_numpy())]
    if isinstance(data, pd.DataFrame) and by in data.columns:
        return [(name, data[data[by] == name].drop(columns=by)) for name in data[by].unique()]
    return list(groups(data, by))


def _name(ax: "Axes", name: str, wide: int) -> None:
    """Write the name of a part above what its figure says of itself."""
    told = " ".join(ax.get_title(loc="left").split())
    ax.set_title("\n".join([name, *textwrap.wrap(told, wide)]), loc="left", fontsize="small")


def _taken_legend(ax: "Axes") -> dict[str, Any]:
    """Take the legend off axes, and return what it names."""
    legend = ax.get_legend()
    if legend is None:
        return {}
    legend.remove()
    names = [text.get_text() for text in legend.get_texts()]
    return dict(zip(names, legend.legend_handles, strict=True))
