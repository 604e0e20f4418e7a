"""Recovery ratio, the part of Twist that asks when."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import (
    CROSSINGS,
    Crossing,
    ExpectedRanks,
    balance_points,
    recall_base,
)


@dataclass(frozen=True, kw_only=True, repr=False)
class RecoveryRatio(Metric):
    """How soon a ranking has made up for its misplacements; 1 is as soon as the ideal could.

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
    ``rho = R / BalancePoint``, 0 if the list never recovers.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: NaN. Unjudged:
    non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definition 3. doi:10.1002/asi.23416

    Examples
    --------
    The only relevant document comes at rank 3; the balance point is 2:

    >>> from irframe.metrics import RecoveryRatio
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(RecoveryRatio(), [0, 0, 1])
    array([0. , 0. , 0.5])
    """

    crossing: Crossing = parameter("sign_change", choices=CROSSINGS)
    rel: int = parameter(1, low=1, high=127)

    needs_depth = True
    aliases = ("rho",)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return R over the balance point of the list cut at each depth."""
        balance = balance_points(relative_position, expected_ranks, self.crossing)
        return recall_base(expected_ranks) / balance
