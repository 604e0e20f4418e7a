"""The style of a figure in a paper."""

from typing import Any, Self

from irframe.errors import ParameterError
from irframe.plots.canvas import pyplot

SIZES = {1: (3.3, 2.4), 2: (6.9, 3.4)}
"""Columns of a page -> width and height of a figure, in inches."""
TYPE = 8
"""Size of the letters, in points."""


class Style(dict[str, Any]):
    """Settings of matplotlib that hold within ``with``; also a mapping of them, for rcParams."""

    def __enter__(self) -> Self:
        settings: Any = dict(self)
        self._before = pyplot().rc_context(settings)
        self._before.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._before.__exit__(None, None, None)


def paper(columns: int = 1) -> Style:
    """Set figures in the size and type of a paper of two columns.

    Parameters
    ----------
    columns
        Columns of the page that a figure takes: 1 for 3.3 inches, 2 for 6.9.

    Returns
    -------
    Style
        Settings of matplotlib, for ``with`` or ``matplotlib.rcParams.update``: type of 8 points,
        fonts that stay text in PDF and PostScript (Type 42, which publishers ask for), thin lines,
        and the size. Draw and save within it: fonts are chosen when a figure is saved. Figures
        that list systems show as many as there is room for, and say so.

    Raises
    ------
    ParameterError
        For other numbers of columns.

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
    return Style(
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
