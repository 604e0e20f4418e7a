"""Which system of a pair is ahead, and whether significantly."""

import numpy as np
from numpy.typing import NDArray

from irframe.inference.corrections import adjust_p
from irframe.inference.matched import Array, Matched
from irframe.metrics.averaging import TIE
from irframe.paired import PairedTest, all_pairs


def p_values(
    matched: Matched, row: int, depths: slice, *, test: PairedTest, pairs: Array
) -> NDArray[np.float64]:
    """Give two-sided p-values of a metric, shape (pair, depth)."""
    return matched.p_values(row, depths, test=test, pairs=pairs)


def leads(matched: Matched, row: int, depths: slice, pairs: Array) -> NDArray[np.int8]:
    """Say who has the better mean: 1 the first, -1 the second, 0 neither, shape (pair, depth)."""
    means = matched.means[row, depths]
    difference = means[:, pairs[:, 0]] - means[:, pairs[:, 1]]
    return np.sign(np.round(difference, TIE)).astype(np.int8).T


def verdicts(
    matched: Matched, row: int, depths: slice, *, test: PairedTest, pairs: Array, alpha: float
) -> NDArray[np.int8]:
    """Say who is significantly better: 1 the first, -1 the second, 0 neither."""
    significant = p_values(matched, row, depths, test=test, pairs=pairs) < alpha
    return np.where(significant, leads(matched, row, depths, pairs), np.int8(0))


def told_apart(
    matched: Matched, row: int, depths: slice, *, test: PairedTest, adjust: str | None, alpha: float
) -> NDArray[np.bool_]:
    """Say which of all pairs differ after correction at each depth, shape (depth, pair)."""
    pairs = all_pairs(len(matched.systems))
    p = p_values(matched, row, depths, test=test, pairs=pairs).T
    (adjusted,) = adjust_p([p[np.newaxis]], adjust, family="depth", alpha=alpha)
    found: NDArray[np.bool_] = adjusted[0] < alpha
    return found
