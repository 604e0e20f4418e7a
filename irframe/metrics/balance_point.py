"""Balance point: the rank at which a ranking has recovered."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import CROSSINGS, Crossing, ExpectedRanks, balance_points


@dataclass(frozen=True, kw_only=True, repr=False)
class BalancePoint(Metric):
    """At which rank a ranking has made up for its misplacements, infinite if it never does.

    Parameters
    ----------
    crossing
        When it has recovered, as for `Twist`.
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The first rank at which `CRP` crosses 0, and at least R, where the ideal ranking has found
    everything. Lower is better.

    Range: R upwards, or infinite. Needs: grades, the recall base. No relevant documents: NaN.
    Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 3. doi:10.1002/asi.23416

    Examples
    --------
    The cumulated relative position is -1, -1, 1:

    >>> from irframe.metrics import BalancePoint
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(BalancePoint(), [0, 0, 1])
    array([inf, inf,  2.])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)
    rel: int = parameter(1, low=1, high=127)

    needs_depth = True
    cost = True
    range = (1.0, np.inf)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the balance point of the list cut at each depth."""
        return balance_points(relative_position, expected_ranks, self.crossing)
