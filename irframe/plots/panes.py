"""Style of figures for papers, and figures with several panes.

Figures: paper, panes.
"""

from collections.abc import Callable, Hashable, Mapping
from contextlib import AbstractContextManager

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.checks import check_int
from irframe.errors import InputError, ParameterError, shortened
from irframe.plots.canvas import LEGEND, pyplot, rcparams_size
from irframe.plots.layout import NARROW, Axes, Size, Style, in_columns, small_font

SIZES = {1: (3.3, 2.4), 2: (6.9, 3.4)}
"""Mapping from the number of columns that a figure spans to the figure's width and height, in
inches.
"""
TYPE = 8
"""Font size of figures for papers, in points."""


def paper(columns: int = 1) -> AbstractContextManager[None]:
    """Set the size and font of figures for two-column papers.

    Parameters
    ----------
    columns
        Number of columns that a figure spans: 1 for 3.3 inches, or 2 for 6.9 inches.

    Returns
    -------
    contextlib.AbstractContextManager
        A context manager for a ``with`` block, which sets the size of figures, fonts of 8 points,
        and thin lines. PDF and PostScript files contain Type 42 fonts, which many publishers
        require. Save figures inside the block, because matplotlib selects fonts when a figure is
        saved. Figures with one row per system show as many systems as fit. The subtitle then
        contains the number of systems that are shown.

    Raises
    ------
    ParameterError
        If `columns` is neither 1 nor 2.

    Examples
    --------
    >>> import irframe as ir
    >>> scores = ir.cube(*ir.example_track()).ireval.score("nDCG")
    >>> with ir.plots.paper(columns=1):
    ...     ax = scores.ireval.plot.depth_curves()
    >>> ax.figure.get_size_inches().tolist()
    [3.3, 2.4]
    """
    if columns not in SIZES:
        raise ParameterError("columns=1 or columns=2", repr(columns))
    thin = ("axes.linewidth", "xtick.major.width", "ytick.major.width")
    context: AbstractContextManager[None] = pyplot().rc_context(
        {
            "figure.figsize": SIZES[columns],
            "font.size": TYPE,
            "axes.titlesize": TYPE,
            "pdf.fonttype": 42,
            "ps.fonttype": 42,
            "savefig.dpi": 300,
            **dict.fromkeys(thin, 0.6),
        }
    )
    return context


NARROWEST = 2.6
"""Minimum width of a pane, in inches."""


def panes(
    parts: Mapping[Hashable, object],
    draw: Callable[..., object],
    *,
    columns: int = 3,
    figsize: Size = None,
) -> NDArray[np.object_]:
    r"""Draw a figure of several objects side by side.

    To draw the groups of one object, use ``x.ireval.groupby("track").plot`` instead.

    Parameters
    ----------
    parts
        Mapping from names to the objects to draw, such as results by collection, metric or test.
    draw
        Function that draws an object, called as ``draw(part, ax=ax)``. To pass other options, use
        ``functools.partial``.
    columns
        Number of panes in a row, at least 1.
    figsize
        Width and height of the whole figure, in inches.

    Returns
    -------
    numpy.ndarray of matplotlib.axes.Axes
        One axes per object, with the name of the object as title. A single legend at the right of
        the figure replaces the legends of the panes.

    Raises
    ------
    ParameterError
        If `draw` is not callable.
    InputError
        If `parts` is one object instead of a dictionary.

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
    ['a\npaired t-test, Holm per metric and depth, alpha = 0.05',
     'b\npaired t-test, uncorrected, alpha = 0.05']
    """
    # an xarray.Dataset is a Mapping from names to variables
    if not isinstance(parts, Mapping) or isinstance(parts, xr.Dataset):
        advice = "call x.ireval.groupby(...).plot to draw the groups of one object"
        raise InputError("a dictionary from names to objects", type(parts).__name__, advice)
    if not callable(draw):
        expected = "a function that draws a figure, such as ir.plots.ladder, in draw="
        raise ParameterError(expected, shortened(draw))
    plt = pyplot()
    across = min(check_int("columns", columns, low=1), len(parts))
    row_size = figsize or rcparams_size((3.6 * across + 1.6, 3.1))
    across = min(across, max(1, int(row_size[0] / NARROWEST)))
    down = -(-len(parts) // across)
    size = figsize or (row_size[0], row_size[1] * down)
    figure, axes = plt.subplots(down, across, figsize=size, layout="constrained", squeeze=False)
    legend: Style = {}
    for ax, (name, subject) in zip(axes.flat, parts.items(), strict=False):
        draw(subject, ax=ax)
        _name(ax, str(name))
        legend |= _taken_legend(ax)
    for ax in axes.flat[len(parts) :]:
        ax.set_axis_off()
    if legend:
        labels = list(legend)
        where: Style = {"loc": "outside right center"}
        if 72 * size[0] < NARROW:
            labels, columns_of = in_columns(labels, 72 * size[0], small_font(axes.flat[0]))
            where = {"loc": "outside lower center", **columns_of}
        figure.legend(list(legend.values()), labels, **where, **LEGEND)
    return np.array(axes.flat[: len(parts)], dtype=object)


def _name(ax: Axes, name: str) -> None:
    """Write the name of an object above a subtitle."""
    title = " ".join(ax.get_title(loc="left").split())
    ax.set_title("\n".join(filter(None, [name, title])), loc="left", fontsize="small")


def _taken_legend(ax: Axes) -> Style:
    """Remove a legend, and return its labels and symbols."""
    legend = ax.get_legend()
    if legend is None:
        return {}
    legend.remove()
    names = (text.get_text() for text in legend.get_texts())
    return dict(zip(names, legend.legend_handles, strict=True))
