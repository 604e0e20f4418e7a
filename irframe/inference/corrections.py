"""Corrections of p-values for the number of comparisons."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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


@contextmanager
def _little_garbage() -> Iterator[None]:
    """Hide what there is from the garbage collector, which Holm's correction calls every time."""
    if gc.get_freeze_count():
        yield
        return
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _adjust(p: NDArray[Any], adjust: str, alpha: float) -> NDArray[Any]:
    from statsmodels.stats.multitest import multipletests  # noqa: PLC0415 - slow to import

    rows = p.reshape(-1, p.shape[-1])
    with np.errstate(divide="ignore"), _little_garbage():  # Sidak's takes the logarithm of 1 - p
        result = [multipletests(row, alpha=alpha, method=adjust)[1] for row in rows]
    return np.array(result).reshape(p.shape)
