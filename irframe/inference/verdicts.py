"""Which system of a pair is ahead, and whether significantly."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.checks import level
from irframe.inference.corrections import Family
from irframe.inference.jointly import Adjust, Compared, correct, parse_correction
from irframe.inference.matched import Array, Matched
from irframe.metrics.averaging import TIE
from irframe.paired import PairedTest, Test, parse_test


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


class Pairing:
    """How pairs of systems are told apart.

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
        self._found: dict[Matched, Array] = {}

    def p_values(self, matched: Matched, pairs: Array) -> Array:
        """Give corrected p-values, shape (metric, depth, pair)."""

        def compute(row: int, depths: slice) -> Array:
            return p_values(matched, row, depths, test=self.test, pairs=pairs).T

        compared = Compared(matched, pairs, matched.by_piece(len(pairs), compute))
        return correct([compared], self.adjust, family=self.family, alpha=self.alpha)[0]

    def readable(self, matched: Matched) -> Matched:
        """Return scores as corrections need them, who look at all of a family at once."""
        return matched if self.adjust is None else matched.loaded()

    def piece(self, matched: Matched, row: int, depths: slice, pairs: Array) -> Array:
        """Give corrected p-values of a metric at some depths, shape (pair, depth)."""
        if self.adjust is None:
            return p_values(matched, row, depths, test=self.test, pairs=pairs)
        if matched not in self._found:
            self._found[matched] = self.p_values(matched, pairs)
        return self._found[matched][row, depths].T

    def verdicts(self, matched: Matched, row: int, depths: slice, pairs: Array) -> Array:
        """Say who is significantly better: 1 the first, -1 the second, 0 neither."""
        significant = self.piece(matched, row, depths, pairs) < self.alpha
        return np.where(significant, leads(matched, row, depths, pairs), np.int8(0))

    def told(self) -> dict[str, Any]:
        """Return the attributes of a result that depends on it."""
        corrected = {"adjust": str(self.adjust), "family": self.family} if self.adjust else {}
        return {"test": repr(self.test), **corrected, "alpha": self.alpha}
