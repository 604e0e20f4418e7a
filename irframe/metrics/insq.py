"""Inverse squares."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import parameter
from irframe.metrics.reading import InverseSquares, reached


@dataclass(frozen=True, kw_only=True, repr=False)
class INSQ(InverseSquares):
    """Gain for a rank read by users who expect a gain of `T` and are the more patient for it.

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
    ``C(i) = ((i + 2T - 1) / (i + 2T))^2``.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Scholer, Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012.
       doi:10.1145/2407085.2407092

    Examples
    --------
    >>> from irframe.metrics import INSQ
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(INSQ(T=1), [1, 0, 1]).round(3)
    array([0.388, 0.388, 0.485])
    """

    T: float = parameter(1.0, above=0, shown=True)

    additive = True
    linear = True
    order = "gain"

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return how far ahead the end is."""
        return np.asarray(rank + 2 * self.T + 0 * cumulated_gain)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if unjudged documents and all below the last rank gained 1."""
        nothing = np.zeros(len(rank))
        weight = reached(self.continuation(nothing, nothing, rank))
        weight *= rank <= (self.horizon or np.inf)
        weight /= self.reading(gain=nothing, cumulated_gain=nothing, rank=rank).read
        known = np.concatenate([[0.0], np.cumsum(weight)])[seen.astype(int)]
        return np.asarray(np.cumsum(filled_gain * weight, axis=-1) + 1 - known)
