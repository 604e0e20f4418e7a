"""Information foraging by goal."""

from dataclasses import dataclass

import numpy as np

from irframe.metrics.base import Floats, parameter
from irframe.metrics.reading import ReadingOn


def unmet(have: Floats, wanted: float, ease: float, weight: float) -> Floats:
    """Return ``1 - 1 / (1 + ease e^((wanted - have) weight))``, how open a wish still is."""
    return np.asarray(np.exp(-np.logaddexp(0, (have - wanted) * weight - np.log(ease))))


@dataclass(frozen=True, kw_only=True, repr=False)
class IFTGoal(ReadingOn):
    """Gain for a rank read by foragers who stop when they have what they want.

    Parameters
    ----------
    T
        The gain that users are after, above 0.
    b1, R1
        How likely users are to go on at their goal, and how much the goal matters to them; above 0
        and at least 0.
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
    ``C(i) = 1 - 1 / (1 + b1 e^((T - y) R1))``, where y is the gain down to i.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Thomas, Craswell. Measuring the utility of search engine result pages: an
       information foraging based measure. SIGIR 2018. doi:10.1145/3209978.3210027

    Examples
    --------
    >>> from irframe.metrics import IFTGoal
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(IFTGoal(T=1, b1=0.9, R1=10), [1, 0, 1]).round(3)
    array([0.526, 0.526, 0.721])
    """

    T: float = parameter(above=0)
    b1: float = parameter(above=0)
    R1: float = parameter(low=0)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return unmet(cumulated_gain, self.T, self.b1, self.R1) + 0 * rank

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:  # noqa: ARG002
        """Return how many ranks are read past one, if there are no end of them."""
        return 1 / (1 - unmet(cumulated_gain, self.T, self.b1, self.R1))
