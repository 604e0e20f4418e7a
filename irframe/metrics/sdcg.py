"""Scaled discounted cumulated gain."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.positions import discounts
from irframe.metrics.reading import Stopping


@dataclass(frozen=True, kw_only=True, repr=False)
class SDCG(Stopping):
    """Gain for a rank read by users whose interest falls with the logarithm of the rank.

    Parameters
    ----------
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Where the user stops at the latest, usually written ``SDCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = log(i + 1) / log(i + 2)`` above the depth: discounted cumulated gain as a share of
    that of a list on which every document gains 1.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Bailey, Scholer, Thomas. Incorporating user expectations and behavior into the
       measurement of search effectiveness. ACM TOIS 35, 2017. doi:10.1145/3052768

    Examples
    --------
    >>> from irframe.metrics import SDCG
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(SDCG(), [1, 0, 1]).round(3)
    array([1.   , 0.613, 0.704])
    """

    additive = True
    linear = True
    order = "gain"

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return np.asarray(np.log(rank + 1) / np.log(rank + 2) + 0 * gain)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if unjudged and missing documents gained 1."""
        weight = discounts("log2", 2, len(rank))
        total = np.cumsum(weight)
        known = np.concatenate([[0.0], total])[seen.astype(int)]
        return np.asarray((np.cumsum(filled_gain * weight, axis=-1) + total - known) / total)
