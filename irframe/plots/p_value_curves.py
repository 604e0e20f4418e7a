"""Curves of sorted p-values over the pairs of systems."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import xarray as xr

from irframe.checks import level
from irframe.errors import InputError
from irframe.names import DEPTH, METRIC, PAIR
from irframe.plots.canvas import ink, legend_beside, new_axes, series_style, subtitle
from irframe.tables.captions import told_test

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def p_value_curves(
    data: xr.Dataset | pd.DataFrame,
    *,
    alpha: float | None = None,
    ax: "Axes | None" = None,
    figsize: tuple[float, float] | None = None,
) -> "Axes":
    """Draw the pairs' p-values in falling order: the more to the left, the more discriminating.

    Also called as ``data.ireval.plot.p_value_curves()``.

    Parameters
    ----------
    data
        What `irframe.verbs.bootstrap_sensitivity` gives (achieved significance levels), or a
        comparison frame (its unadjusted p-values).
    alpha
        Significance level, marked by a dotted line; the axis ends at three times alpha. By
        default that of `data`, else 0.05.
    ax
        Axes to draw on; by default those of a new figure.
    figsize
        Width and height of a new figure, in inches.

    Returns
    -------
    matplotlib.axes.Axes
        The axes, one curve per metric and depth. The legend has the share of pairs below alpha
        and, after a bootstrap, the difference of means that suffices.

    References
    ----------
    .. [1] Sakai. Evaluating evaluation metrics based on the bootstrap. SIGIR 2006.
       doi:10.1145/1148170.1148261
    .. [2] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Fig. 14. doi:10.1002/asi.23416

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.evaluate(qrels, ["AP", "RR"])
    >>> ax = scores.ireval.bootstrap_sensitivity(samples=200).ireval.plot.p_value_curves()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['AP: 75% of pairs, difference 0.130', 'RR: 32% of pairs, difference 0.255', 'alpha = 0.05']
    """
    if alpha is None:
        alpha = float(data.attrs.get("alpha", 0.05))
    level(alpha)
    bootstrap = isinstance(data, xr.Dataset)
    curves = list(_of_power(data) if isinstance(data, xr.Dataset) else _of_frame(data))
    ax = new_axes(ax, (8.4, 4.2), figsize)
    for number, (label, values, delta) in enumerate(curves):
        falling = np.sort(values)[::-1]
        share = f"{label}: {(values < alpha).mean():.0%} of pairs"
        ax.plot(
            np.arange(1, len(falling) + 1),
            falling,
            **series_style(number),
            linewidth=1.8,
            label=share if delta is None else f"{share}, difference {delta:.3f}",
        )
    ax.axhline(alpha, color=ink(ax), linestyle=":", linewidth=1, label=f"alpha = {alpha:g}")
    what = "achieved significance level" if bootstrap else "p-value"
    ax.set(xlabel="pairs of systems, sorted", ylabel=what)
    ax.set(ylim=(0, min(1, 3 * alpha)), xlim=(0, max(len(values) for _, values, _ in curves)))
    test = "bootstrap" if bootstrap else data.attrs.get("test", "")
    subtitle(ax, told_test({"test": test, "adjust": "none", "alpha": alpha}))
    legend_beside(ax)
    return ax


def _of_power(data: xr.Dataset) -> Iterator[tuple[str, Any, float | None]]:
    if "asl" not in data or "delta" not in data:
        raise InputError("what bootstrap_sensitivity gives", ", ".join(map(str, data.data_vars)))
    asl = data["asl"]
    others = [str(dim) for dim in asl.dims if dim != PAIR]
    for place in np.ndindex(*(asl.sizes[dim] for dim in others)):
        where = dict(zip(others, place, strict=True))
        values = asl.isel(where).to_numpy()
        parts = {dim: str(asl[dim].isel({dim: at}).item()) for dim, at in where.items()}
        yield _label(parts), values[~np.isnan(values)], float(data["delta"].isel(where))


def _of_frame(data: pd.DataFrame) -> Iterator[tuple[str, Any, float | None]]:
    if not {METRIC, DEPTH, "p"} <= set(data.columns):
        raise InputError("a comparison frame", "one without metric, depth and p")
    depth = data[DEPTH].astype("string").fillna("")
    for (metric, k), p in data["p"].groupby([data[METRIC], depth], sort=False):
        yield _label({METRIC: str(metric), DEPTH: str(k)}), p.to_numpy(), None


def _label(parts: dict[str, str]) -> str:
    depth = parts.pop(DEPTH, "")
    name = parts.pop(METRIC)
    return ", ".join([*parts.values(), f"{name}@{depth}" if depth and "@" not in name else name])
