"""Information foraging by rate."""

from dataclasses import dataclass

from irframe.metrics.base import Floats, parameter
from irframe.metrics.ift_goal import unmet
from irframe.metrics.reading import ReadingOn


@dataclass(frozen=True, kw_only=True, repr=False)
class IFTRate(ReadingOn):
    """Gain for a rank read by foragers who stop when the list yields less than others would.

    Parameters
    ----------
    A
        The rate of gain that users expect, at least 0.
    b2, R2
        How likely users are to stop at that rate, and how much the rate matters to them; above 0
        and at least 0.
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
    ``C(i) = 1 / (1 + b2 e^((A - y/i) R2))``, where y is the gain down to i.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Thomas, Craswell. Measuring the utility of search engine result pages: an
       information foraging based measure. SIGIR 2018. doi:10.1145/3209978.3210027

    Examples
    --------
    >>> from irframe.metrics import IFTRate
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(IFTRate(A=0.2, b2=0.9, R2=10), [1, 0, 1]).round(3)
    array([0.214, 0.214, 0.264])
    """

    A: float = parameter(low=0)
    b2: float = parameter(above=0)
    R2: float = parameter(low=0)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return 1 - unmet(cumulated_gain / rank, self.A, self.b2, self.R2)
