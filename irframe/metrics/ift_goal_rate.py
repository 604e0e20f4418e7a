"""Information foraging by goal and rate."""

from dataclasses import dataclass

from irframe.metrics.base import Floats, parameter
from irframe.metrics.ift_goal import unmet
from irframe.metrics.reading import ReadingOn


@dataclass(frozen=True, kw_only=True, repr=False)
class IFTGoalRate(ReadingOn):
    """Gain for a rank read by foragers who stop for having enough or getting too little.

    Parameters
    ----------
    T
        The gain that users are after, above 0.
    b1, R1
        How likely users are to go on at their goal, and how much the goal matters to them; above 0
        and at least 0.
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
    C(i) is the product of those of `IFTGoal` and `IFTRate`.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Thomas, Craswell. Measuring the utility of search engine result pages: an
       information foraging based measure. SIGIR 2018. doi:10.1145/3209978.3210027

    Examples
    --------
    >>> from irframe.metrics import IFTGoalRate
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(IFTGoalRate(T=1, b1=0.9, R1=10, A=0.2, b2=0.9, R2=10), [1, 0, 1]).round(3)
    array([0.554, 0.554, 0.72 ])
    """

    T: float = parameter(above=0)
    b1: float = parameter(above=0)
    R1: float = parameter(low=0)
    A: float = parameter(low=0)
    b2: float = parameter(above=0)
    R2: float = parameter(low=0)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        goal = unmet(cumulated_gain, self.T, self.b1, self.R1)
        return goal * (1 - unmet(cumulated_gain / rank, self.A, self.b2, self.R2))
