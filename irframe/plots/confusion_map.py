"""Which grades one judge gives where another gives another."""

from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from irframe.errors import InputError, ParameterError
from irframe.names import JUDGES, PAIR
from irframe.plots.canvas import new_axes, readable

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def confusion_map(
    compared: xr.Dataset,
    *,
    pair: tuple[Any, Any] | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw how many documents of each grade by one judge get which grade by the other.

    Also called as ``compared.ireval.plot.confusion_map()``. A row adds up to 100 %.

    Parameters
    ----------
    compared
        What `irframe.compare_judges` gives.
    pair
        Which pair of judges, as there named; may be left out where there is only one.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, a cell per pair of grades: the share of the row, and the number of documents.

    Raises
    ------
    InputError
        For another dataset, or one by topic.
    ParameterError
        If the choice of the pair is unknown or open.

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> slips = np.resize([0, 0, 1, 0, -1], len(qrels))
    >>> model = qrels.assign(grade=(qrels["grade"] + slips).clip(0, 3))
    >>> compared = ir.compare_judges({"people": qrels, "model": model})
    >>> compared.ireval.plot.confusion_map().get_ylabel()
    'grade by people'
    """
    needed = {"confusion", "grade_a", "grade_b", *JUDGES}
    if needed - set(compared.variables) or {"grade_a", "grade_b"} - set(compared["confusion"].dims):
        raise InputError("what compare_judges gives", "another dataset")
    counts, names = _only_pair(compared["confusion"], pair)
    if counts.ndim > 2:
        raise InputError("counts over all topics", "some by topic", "choose with .sel(topic=...)")
    values = counts.transpose("grade_a", "grade_b").to_numpy()
    shares = values / np.maximum(values.sum(axis=1, keepdims=True), 1)
    grades = counts["grade_a"].to_numpy()
    ax = new_axes(ax, (4.6, 3.8), figsize)
    mesh = ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    for (row, column), share in np.ndenumerate(shares):
        text = f"{share:.0%}\n{values[row, column]:,}"
        colour = readable(ax, mesh.to_rgba(share))
        ax.text(column, row, text, ha="center", va="center", fontsize="small", color=colour)
    places = range(len(grades))
    ax.set_xticks(places, map(str, grades))
    ax.set_yticks(places, map(str, grades))
    ax.set(xlabel=f"grade by {names[1]}", ylabel=f"grade by {names[0]}")
    scale = ax.get_figure().colorbar(mesh, ax=ax)  # type: ignore[union-attr]
    scale.set_label(f"share of the grade by {names[0]}")
    scale.ax.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    return ax


def _only_pair(
    counts: xr.DataArray, pair: tuple[Any, Any] | None
) -> tuple[xr.DataArray, tuple[Any, Any]]:
    """Return the counts of one pair of judges, and what these are called."""
    sides = (np.atleast_1d(counts[name]).tolist() for name in JUDGES)
    known = list(zip(*sides, strict=True))
    if PAIR not in counts.dims:
        return counts, known[0]
    if pair is None and len(known) == 1:
        return counts.isel({PAIR: 0}), known[0]
    wanted = None if pair is None else tuple(pair)
    if wanted not in known:
        found = "none chosen" if pair is None else repr(pair)
        raise ParameterError("pair= to be one of those compared", found, "", known)
    place = known.index(wanted)
    return counts.isel({PAIR: place}), known[place]
