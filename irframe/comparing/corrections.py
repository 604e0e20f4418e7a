"""Corrections of p-values for the number of comparisons."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from irframe.checks import choice

Correction = Literal[
    "bonferroni",
    "sidak",
    "holm-sidak",
    "holm",
    "simes-hochberg",
    "hommel",
    "fdr_bh",
    "fdr_by",
    "fdr_tsbh",
    "fdr_tsbky",
]
CORRECTIONS: tuple[Correction, ...] = get_args(Correction)
"""The corrections of statsmodels' `multipletests`."""

Family = Literal["depth", "metric", "all"]
FAMILIES: tuple[Family, ...] = get_args(Family)
"""Which comparisons are corrected for each other."""


def refuse_correction(adjust: Correction | None, family: Family) -> None:
    """Raise for an unknown correction or family."""
    if adjust is not None:
        choice("adjust", adjust, CORRECTIONS)
    choice("family", family, FAMILIES)


def adjust_p(
    groups: Sequence[NDArray[Any]], adjust: Correction | None, *, family: Family, alpha: float
) -> list[NDArray[Any]]:
    """Correct p-values for the number of comparisons.

    Parameters
    ----------
    groups
        p-values of each group, shape (metric, depth, pair).
    adjust
        One of `CORRECTIONS`, or None.
    family
        ``"depth"``: the pairs of a metric at a depth; ``"metric"``: those of a metric at all its
        depths; ``"all"``: every p-value of every group.
    alpha
        Significance level, which the two-stage corrections (``fdr_ts...``) depend on.

    Returns
    -------
    list of numpy.ndarray
        Adjusted p-values, shaped as `groups`.

    Examples
    --------
    >>> adjust_p([np.array([[[0.01, 0.02]]])], "bonferroni", family="depth", alpha=0.05)
    [array([[[0.02, 0.04]]])]
    """
    if adjust is None:
        return [p.copy() for p in groups]
    if family == "all":
        flat = np.concatenate([p.ravel() for p in groups])
        ends = np.cumsum([p.size for p in groups])[:-1]
        parts = np.split(_adjust(flat[np.newaxis], adjust, alpha)[0], ends)
        return [part.reshape(p.shape) for part, p in zip(parts, groups, strict=True)]
    kept = 2 if family == "depth" else 1
    return [_adjust(p.reshape(*p.shape[:kept], -1), adjust, alpha).reshape(p.shape) for p in groups]


def _adjust(p: NDArray[Any], adjust: str, alpha: float) -> NDArray[Any]:
    """Correct the p-values of every row together, rows along the last axis."""
    compute = IN_ORDER.get(adjust) or partial(_by_statsmodels, method=adjust, alpha=alpha)
    missing = np.isnan(p)  # which count as comparisons
    filled = np.where(missing, 1, p)
    order = filled.argsort(axis=-1)
    found = np.empty(p.shape)
    np.put_along_axis(found, order, compute(np.take_along_axis(filled, order, axis=-1)), axis=-1)
    return np.where(missing, np.nan, np.minimum(found, 1))


def _by_statsmodels(p: NDArray[Any], *, method: str, alpha: float) -> NDArray[Any]:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - slow to import

    rows = p.reshape(-1, p.shape[-1])
    with np.errstate(divide="ignore"):  # Sidak's takes the logarithm of 1 - p
        found = [multipletests(row, alpha, method, is_sorted=True)[1] for row in rows]
    return np.array(found).reshape(p.shape)


def _left(p: NDArray[Any]) -> NDArray[Any]:
    """Return of rising p-values how many are not smaller than each, with itself."""
    return np.arange(p.shape[-1], 0, -1)


def _rising(p: NDArray[Any]) -> NDArray[Any]:
    """Return the highest up to each."""
    return np.maximum.accumulate(p, axis=-1)


def _falling(p: NDArray[Any]) -> NDArray[Any]:
    """Return the lowest from each on."""
    found: NDArray[Any] = np.minimum.accumulate(p[..., ::-1], axis=-1)[..., ::-1]
    return found


def _sidak(p: NDArray[Any], n: Any) -> NDArray[Any]:
    with np.errstate(divide="ignore"):
        found: NDArray[Any] = -np.expm1(n * np.log1p(-p))
    return found


def _share(p: NDArray[Any]) -> NDArray[Any]:
    """Return of rising p-values the share of those that are not larger than each."""
    n = p.shape[-1]
    found: NDArray[Any] = np.arange(1, n + 1) / n
    return found


def _harmonic(n: int) -> float:
    return float((1 / np.arange(1, n + 1)).sum())


IN_ORDER: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "bonferroni": lambda p: p * p.shape[-1],
    "sidak": lambda p: _sidak(p, p.shape[-1]),
    "holm-sidak": lambda p: _rising(_sidak(p, _left(p))),
    "holm": lambda p: _rising(p * _left(p)),
    "simes-hochberg": lambda p: _falling(p * _left(p)),
    "fdr_bh": lambda p: _falling(p / _share(p)),
    "fdr_by": lambda p: _falling(p / (_share(p) / _harmonic(p.shape[-1]))),
}
"""Corrections of p-values that rise along the last axis; what is above 1 stands for 1."""
