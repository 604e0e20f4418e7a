"""Which system of a pair is ahead, and whether significantly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import level
from irframe.comparing.corrections import Family, adjust_p
from irframe.comparing.joint_corrections import (
    Adjust,
    Compared,
    correct,
    correction_told,
    parse_correction,
)
from irframe.metrics.facts import TIE
from irframe.paired import MaxT, PairedResult, PairedTest, Test, parse_test
from irframe.scores.scores import Arrays, Scores


def p_values(
    paired: Scores,
    row: int,
    depths: slice,
    *,
    test: PairedTest,
    pairs: Array,
    as_printed: bool = False,
) -> NDArray[np.float64]:
    """Give two-sided p-values of a metric, shape (pair, depth).

    Pairs without spread have none, see `PairedResult.decided`, unless `as_printed`.
    """

    def compute(values: Array, *weights: Array) -> Arrays:
        found: PairedResult = paired.tested(test, values, pairs, *weights)
        return (found.p if as_printed else found.decided().p,)

    return paired.over(row, depths, compute)[0]


def leads(paired: Scores, row: int, depths: slice, pairs: Array) -> NDArray[np.int8]:
    """Say who has the better mean: 1 the first, -1 the second, 0 neither, shape (pair, depth)."""
    means = paired.means[row, depths]
    difference = means[:, pairs[:, 0]] - means[:, pairs[:, 1]]
    ahead: NDArray[np.int8] = np.sign(np.round(difference, TIE)).astype(np.int8).T
    return ahead


class Pairing:
    """How pairs of systems are tested.

    Parameters
    ----------
    test
        A paired test or its name.
    adjust
        Correction for many comparisons, or None.
    alpha
        Significance level.
    family
        Which comparisons are corrected for each other.
    """

    def __init__(self, test: Test, adjust: Adjust, alpha: float, family: Family = "depth") -> None:
        self.test = parse_test(test)
        self.adjust = parse_correction(adjust, self.test, family)
        self.family = family
        self.alpha = level(alpha)
        self._found: dict[Scores, Array] = {}

    def p_values(self, paired: Scores, pairs: Array) -> Array:
        """Give corrected p-values, shape (metric, depth, pair)."""

        def compute(row: int, depths: slice) -> Array:
            return p_values(paired, row, depths, test=self.test, pairs=pairs).T

        compared = Compared(paired, pairs, paired.by_piece(len(pairs), compute))
        return correct([compared], self.adjust, family=self.family, alpha=self.alpha)[0]

    @property
    def piecewise(self) -> bool:
        """Whether p-values are corrected depth by depth, from these alone."""
        return self.adjust is None or (self.family == "depth" and not isinstance(self.adjust, MaxT))

    def piece(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Give corrected p-values of a metric at some depths, shape (pair, depth).

        Without a correction they are those of the literature, where differences that are the same
        on all topics have p = 0.
        """
        if self.piecewise:
            printed = self.adjust is None
            p = p_values(paired, row, depths, test=self.test, pairs=pairs, as_printed=printed)
            return p if printed else self._corrected(p)
        if paired not in self._found:
            self._found[paired] = self.p_values(paired, pairs)
        return self._found[paired][row, depths].T

    def _corrected(self, p: Array) -> Array:
        """Correct p-values (pair, depth) by depth."""
        adjust: Any = self.adjust
        (found,) = adjust_p([p.T[np.newaxis]], adjust, family="depth", alpha=self.alpha)
        return np.asarray(found[0].T)

    def verdicts(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Say who is significantly better: 1 the first, -1 the second, 0 neither."""
        significant = self.piece(paired, row, depths, pairs) < self.alpha
        return np.where(significant, leads(paired, row, depths, pairs), np.int8(0))

    def told(self) -> dict[str, Any]:
        """Return the attributes of a result that depends on it."""
        return correction_told(self.test, self.adjust, self.family, alpha=self.alpha)
