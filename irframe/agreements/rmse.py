"""Root mean squared error."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import scipy

from irframe.agreements.base import Agreement
from irframe.arrays import Floats


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
        batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        left, right = (np.broadcast_to(side, (*batch, *side.shape[-2:])) for side in (x, y))
        distance = np.empty((*batch, x.shape[-2], y.shape[-2]))
        for place in np.ndindex(batch):
            distance[place] = scipy.spatial.distance.cdist(left[place], right[place])
        return np.asarray(distance / np.sqrt(x.shape[-1]))
