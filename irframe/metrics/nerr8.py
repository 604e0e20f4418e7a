"""Nearly expected reciprocal rank, equation 8."""

from dataclasses import dataclass

from irframe.metrics.base import Floats
from irframe.metrics.reading import Stopping


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR8(Stopping):
    """Gain for a rank read by users who stop as likely as a document satisfies them.

    Parameters
    ----------
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Where the user stops at the latest, usually written ``NERR8 @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = 1 - g(i)`` above the depth.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Mackenzie, Moffat. ERR is not C/W/L: exploring the relationship between
       expected reciprocal rank and other metrics. ICTIR 2021. doi:10.1145/3471158.3472239

    Examples
    --------
    >>> from irframe.metrics import NERR8
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NERR8(), [1, 2]).round(3)
    array([0.5  , 0.667])
    """

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return 1 - gain
