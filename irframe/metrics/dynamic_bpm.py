"""Dynamic bejeweled player model."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import parameter
from irframe.metrics.bpm import ROUNDING
from irframe.metrics.reading import ReadingOn


@dataclass(frozen=True, kw_only=True, repr=False)
class DynamicBPM(ReadingOn):
    """Gain for a rank read by users who want and bear the more the better the list is.

    Parameters
    ----------
    T
        The gain that users are after at first, above 0.
    K
        The ranks that they would read at first, at least 1.
    hb, hc
        How much a document that gains 1 more than `median` raises either.
    median
        The gain that users think usual, 0 to 1.
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    horizon
        Ranks down to which users are followed, 1000 as in cwl_eval.
    depth
        Fixed evaluation depth: the list is cut there, and users read on in vain.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = 1`` while the gain down to i is below ``T + hb e(i)`` and i below ``K + hc e(i)``,
    where e(i) adds up the gains above i less `median` each. cwl_eval leaves K as it is,
    which is ``hc=0``.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating web search with a bejeweled player model.
       SIGIR 2017. doi:10.1145/3077136.3080841

    Examples
    --------
    >>> from irframe.metrics import DynamicBPM
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(DynamicBPM(T=1, K=3), [0, 1, 1]).round(3)
    array([0. , 0.5, 0.5])
    """

    T: float = parameter(1.0, above=0, shown=True)
    K: float = parameter(10, low=1, shown=True)
    hb: float = parameter(1.0)
    hc: float = parameter(1.0)
    median: float = parameter(0.5, low=0, high=1)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return how likely users are to go on from each rank."""
        excess = cumulated_gain - gain - (rank - 1) * self.median
        wants = cumulated_gain < self.T + self.hb * excess - ROUNDING
        bears = rank < self.K + self.hc * excess - ROUNDING
        return np.where(wants & bears, 1.0, 0.0)
