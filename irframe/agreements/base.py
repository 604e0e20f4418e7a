"""What every method of agreement shares: a frozen value that compares many orderings at once."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from irframe.arrays import Floats
from irframe.errors import ParameterError
from irframe.names import as_html


@dataclass(frozen=True, kw_only=True)
class Agreement(ABC):
    """How alike the orderings or the scores are that two measurements give the same systems.

    A method is a frozen value whose parameters are its fields. A new one defines `compare`.

    Notes
    -----
    Scores are compared as given, never rounded: scores that would be equal in exact arithmetic
    but differ in the last bits, as sums taken in another order do, are different scores. Where
    such noise should count as a tie, pass ``numpy.round(scores, 12)``.

    Examples
    --------
    >>> from irframe.agreements import RMSE, Kendall
    >>> Kendall().distance, RMSE().distance
    (False, True)
    """

    distance: ClassVar[bool] = False
    """Whether the value is a distance, 0 for identical rows, rather than a correlation."""

    _repr_html_ = as_html

    def kernel(self, x: ArrayLike, y: ArrayLike) -> Floats:
        """Compare every row of `x` with every row of `y`.

        Parameters
        ----------
        x
            Scores of S systems in K1 orderings (depths, say), higher is better, shape
            (..., K1, S). A method that tells the two sides apart reads these as the reference.
        y
            The same systems in K2 orderings, shape (..., K2, S); leading dimensions broadcast.

        Returns
        -------
        numpy.ndarray
            Agreement of row k1 of `x` with row k2 of `y`, shape (..., K1, K2). NaN where a row
            holds a NaN or the method is undefined.

        Examples
        --------
        >>> from irframe.agreements import Kendall
        >>> Kendall().kernel([[1, 2, 3]], [[1, 2, 3], [2, 1, 3], [5, 5, 5]])
        array([[1.        , 0.33333333,        nan]])
        """
        left = np.asarray(x, dtype=np.float64)
        right = left if y is x else np.asarray(y, dtype=np.float64)
        _refuse_shapes(left.shape, right.shape)
        first, first_blank = _fill(left)
        second, second_blank = (first, first_blank) if right is left else _fill(right)
        with np.errstate(all="ignore"):
            values = self.compare(first, second)
        return np.where(first_blank[..., :, None] | second_blank[..., None, :], np.nan, values)

    @abstractmethod
    def compare(self, x: Floats, y: Floats) -> Floats:
        """Compare rows free of NaN; shapes as in `kernel`, which is what users call."""


def _fill(scores: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Blank out the rows that hold a NaN, so that no method has to think of them."""
    blank: NDArray[np.bool_] = np.asarray(np.isnan(scores).any(axis=-1))
    return (np.where(blank[..., None], 0.0, scores) if blank.any() else scores), blank


def _refuse_shapes(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    problems = [
        f"{name} of shape {shape}"
        for name, shape in (("x", x), ("y", y))
        if len(shape) < 2 or shape[-1] < 1
    ]
    if not problems and x[-1] != y[-1]:
        problems.append(f"{x[-1]} systems in x and {y[-1]} in y")
    if not problems and not _broadcast(x[:-2], y[:-2]):
        problems.append(f"leading dimensions {x[:-2]} in x and {y[:-2]} in y")
    if problems:
        wanted = "scores of the same systems, shapes (..., K1, S) and (..., K2, S), S at least 1"
        advice = "put the systems last and the orderings before them, a single one as a row"
        raise ParameterError(wanted, "; ".join(problems), advice)


def _broadcast(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    sizes = zip(reversed(x), reversed(y), strict=False)
    return all(a == b or 1 in (a, b) for a, b in sizes)
