"""Bejeweled player model."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import parameter
from irframe.metrics.reading import Stopping

ROUNDING = 1e-9
"""By how much a sum of gains may miss what it would be without rounding errors."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BPM(Stopping):
    """Gain for a rank read by users who stop once they have gained enough.

    Parameters
    ----------
    T
        The gain that users are after, above 0.
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Where the user stops at the latest, usually written ``BPM @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = 1`` while the gain down to i is below T, above the depth. This is the static model;
    `DynamicBPM` has the other.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating web search with a bejeweled player model.
       SIGIR 2017. doi:10.1145/3077136.3080841

    Examples
    --------
    >>> from irframe.metrics import BPM
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(BPM(T=1), [0, 1, 1]).round(3)
    array([0. , 0.5, 0.5])
    """

    T: float = parameter(1.0, above=0, shown=True)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return np.where(cumulated_gain < self.T - ROUNDING, 1.0, 0.0)
