"""Nearly expected reciprocal rank, equation 9."""

from dataclasses import dataclass

from irframe.metrics.base import Floats
from irframe.metrics.reading import Stopping


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR9(Stopping):
    """Gain for a rank read by users who stop when satisfied or, high in the list, anyway.

    Parameters
    ----------
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Where the user stops at the latest, usually written ``NERR9 @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = (1 - g(i)) i / (i + 1)`` above the depth.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Mackenzie, Moffat. ERR is not C/W/L: exploring the relationship between
       expected reciprocal rank and other metrics. ICTIR 2021. doi:10.1145/3471158.3472239

    Examples
    --------
    >>> from irframe.metrics import NERR9
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NERR9(), [1, 2]).round(3)
    array([0.5, 0.6])
    """

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return rank / (rank + 1) * (1 - gain)
