"""Nearly expected reciprocal rank, equation 10."""

from dataclasses import dataclass

import numpy as np

from irframe.metrics.base import Floats, parameter
from irframe.metrics.reading import ReadingOn


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR10(ReadingOn):
    """Gain for a rank read by users who stop when satisfied, or else with probability 1 - `p`.

    Parameters
    ----------
    p
        Persistence, between 0 and 1.
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    horizon
        Ranks down to which users are followed, 1000 as in cwl_eval; None for no end.
    depth
        Fixed evaluation depth: the list is cut there, and users read on in vain.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = p (1 - g(i))``.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Mackenzie, Moffat. ERR is not C/W/L: exploring the relationship between
       expected reciprocal rank and other metrics. ICTIR 2021. doi:10.1145/3471158.3472239

    Examples
    --------
    >>> from irframe.metrics import NERR10
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NERR10(p=0.9), [1, 2]).round(3)
    array([0.091, 0.655])
    """

    p: float = parameter(0.9, above=0, below=1, shown=True)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return self.p * (1 - gain) + 0 * cumulated_gain

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:  # noqa: ARG002
        """Return how many ranks are read past one, if there are no end of them."""
        return np.full(cumulated_gain.shape, 1 / (1 - self.p))
