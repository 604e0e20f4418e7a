"""Inverse squares that adapt to what was found."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import parameter
from irframe.metrics.reading import InverseSquares


@dataclass(frozen=True, kw_only=True, repr=False)
class INST(InverseSquares):
    """Gain for a rank read by users who expect a gain of `T` and stop once they are near.

    Parameters
    ----------
    T
        The gain that users are after, at least 0.5.
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
    ``C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2``, where ``T_i`` is T less the gain down to i.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Bailey, Scholer, Thomas. INST: an adaptive metric for information retrieval
       evaluation. ADCS 2015. doi:10.1145/2838931.2838938

    Examples
    --------
    >>> from irframe.metrics import INST
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(INST(T=1), [1, 0, 1]).round(3)
    array([0.608, 0.608, 0.723])
    """

    T: float = parameter(1.0, low=0.5, shown=True)

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return how far ahead the end is."""
        return np.asarray(rank + 2 * self.T - cumulated_gain)
