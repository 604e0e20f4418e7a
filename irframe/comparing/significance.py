"""Which system of a pair is ahead, and whether significantly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import level
from irframe.comparing.corrections import Family
from irframe.comparing.joint_corrections import Adjust, Compared, correct, parse_correction
from irframe.metrics.averaging import TIE
from irframe.paired import PairedTest, Test, parse_test
from irframe.scores.scores import Arrays, Measure, Scores


def p_values(
    paired: Scores, row: int, depths: slice, *, test: PairedTest, pairs: Array
) -> NDArray[np.float64]:
    """Give two-sided p-values of a metric, shape (pair, depth)."""

    def whole(scores: Scores, values: Array, pairs: Array, weights: Any = None) -> Arrays:
        return (scores.tested(test, values, pairs, weights).p,)

    def folded(state: Array) -> Arrays:
        return (test.conclude(state).p,)

    measure = Measure(whole=whole)
    if test.fold is not None:
        measure = Measure(whole=whole, folds=(test.fold,), folded=folded)
    return paired.pairs(row, depths, measure, pairs)[0]


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

    def readable(self, paired: Scores) -> Scores:
        """Return scores as corrections need them, who look at all of a family at once."""
        return paired if self.adjust is None else paired.load()

    def piece(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Give corrected p-values of a metric at some depths, shape (pair, depth)."""
        if self.adjust is None:
            return p_values(paired, row, depths, test=self.test, pairs=pairs)
        if paired not in self._found:
            self._found[paired] = self.p_values(paired, pairs)
        return self._found[paired][row, depths].T

    def verdicts(self, paired: Scores, row: int, depths: slice, pairs: Array) -> Array:
        """Say who is significantly better: 1 the first, -1 the second, 0 neither."""
        significant = self.piece(paired, row, depths, pairs) < self.alpha
        return np.where(significant, leads(paired, row, depths, pairs), np.int8(0))

    def told(self) -> dict[str, Any]:
        """Return the attributes of a result that depends on it."""
        corrected = {"adjust": str(self.adjust), "family": self.family} if self.adjust else {}
        return {"test": repr(self.test), **corrected, "alpha": self.alpha}
