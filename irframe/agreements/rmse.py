"""Root mean squared error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.agreements.base import Agreement, Floats
from irframe.agreements.blocks import over_rows


@dataclass(frozen=True, kw_only=True)
class RMSE(Agreement):
    """How far apart the two scores of a system typically are, in units of the scores.

    Notes
    -----
    ``RMSE = sqrt(sum (x - y)**2 / S)`` over the systems. A distance: 0 for equal scores, and
    larger is less alike. From the differences themselves, which loses no digits.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.agreements import RMSE
    >>> RMSE().kernel([[0, 0]], [[0, 0], [3, 3], [1, 7]])
    array([[0., 3., 5.]])
    """

    distance: ClassVar[bool] = True

    def compare(self, x: Floats, y: Floats) -> Floats:
        """Return the root mean squared difference of every row of `x` and every row of `y`."""
        return np.sqrt(over_rows(x, y, _mean_square))


def _mean_square(x: Floats, y: Floats) -> Floats:
    difference = x - y
    total: Floats = np.einsum("...s,...s->...", difference, difference) / x.shape[-1]
    return total
