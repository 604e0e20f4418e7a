"""Nearly expected reciprocal rank, equation 11."""

from dataclasses import dataclass

import numpy as np

from irframe.metrics.base import Floats, parameter
from irframe.metrics.reading import InverseSquares


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR11(InverseSquares):
    """Gain for a rank read by users who stop when satisfied, or else as those of `INSQ`.

    Parameters
    ----------
    T
        The gain that users are after, above 0.
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
    ``C(i) = (1 - g(i)) ((i + 2T - 1) / (i + 2T))^2``.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Mackenzie, Moffat. ERR is not C/W/L: exploring the relationship between
       expected reciprocal rank and other metrics. ICTIR 2021. doi:10.1145/3471158.3472239

    Examples
    --------
    >>> from irframe.metrics import NERR11
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NERR11(T=1), [1, 2]).round(3)
    array([0.28 , 0.591])
    """

    T: float = parameter(1.0, above=0, shown=True)

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return how far ahead the end is."""
        return np.asarray(rank + 2 * self.T + 0 * cumulated_gain)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return how likely users are to go on from each rank."""
        return super().continuation(gain, cumulated_gain, rank) * (1 - gain)
