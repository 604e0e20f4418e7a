"""Users who read on until they have gained enough, or too slowly."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from irframe.arrays import Floats
from irframe.errors import MetricError
from irframe.metrics.base import parameter
from irframe.metrics.reading import ReadingOn, Stopping

ROUNDING = 1e-9
"""By how much a sum of gains may miss what it would be without rounding errors."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BPM(Stopping):
    """Gain for a rank read by users who stop once they have gained enough.

    Parameters
    ----------
    T
        The gain that users are after, above 0.
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Where the user stops at the latest, usually written ``BPM @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = 1`` while the gain down to i is below T, above the depth. This is the static model;
    `DynamicBPM` has the other.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating web search with a bejeweled player model.
       SIGIR 2017. doi:10.1145/3077136.3080841

    Examples
    --------
    >>> from irframe.metrics import BPM
    >>> BPM(T=1).curve([0, 1, 1]).round(3)
    array([0. , 0.5, 0.5])
    """

    T: float = parameter(1.0, above=0, shown=True)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return np.where(cumulated_gain < self.T - ROUNDING, 1.0, 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class DynamicBPM(ReadingOn):
    """Gain for a rank read by users who want and bear the more the better the list is.

    Parameters
    ----------
    T
        The gain that users are after at first, above 0.
    K
        The ranks that they would read at first, at least 1.
    hb, hc
        How much a document that gains 1 more than `median` raises either.
    median
        The gain that users think usual, 0 to 1.
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
    ``C(i) = 1`` while the gain down to i is below ``T + hb e(i)`` and i below ``K + hc e(i)``,
    where e(i) adds up the gains above i less `median` each. cwl_eval leaves K as it is,
    which is ``hc=0``.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Zhang, Liu, Li, Zhang, Xu, Ma. Evaluating web search with a bejeweled player model.
       SIGIR 2017. doi:10.1145/3077136.3080841

    Examples
    --------
    >>> from irframe.metrics import DynamicBPM
    >>> DynamicBPM(T=1, K=3).curve([0, 1, 1]).round(3)
    array([0. , 0.5, 0.5])
    """

    T: float = parameter(1.0, above=0, shown=True)
    K: float = parameter(10, low=1, shown=True)
    hb: float = parameter(1.0)
    hc: float = parameter(1.0)
    median: float = parameter(0.5, low=0, high=1)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return how likely users are to go on from each rank."""
        excess = cumulated_gain - gain - (rank - 1) * self.median
        wants = cumulated_gain < self.T + self.hb * excess - ROUNDING
        bears = rank < self.K + self.hc * excess - ROUNDING
        return np.where(wants & bears, 1.0, 0.0)


GOAL, RATE = ("T", "b1", "R1"), ("A", "b2", "R2")
"""What describes users who have a goal, and those who expect a rate of gain."""


@dataclass(frozen=True, kw_only=True, repr=False)
class IFT(ReadingOn):
    """Gain for a rank read by foragers who stop for having enough or getting too little.

    Parameters
    ----------
    T
        The gain that users are after, above 0; without a goal they only watch the rate.
    b1, R1
        How likely users are to go on at their goal, and how much the goal matters to them; above 0
        and at least 0.
    A
        The rate of gain that users expect, at least 0; without one they only have a goal.
    b2, R2
        How likely users are to stop at that rate, and how much the rate matters to them; above 0
        and at least 0.
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    horizon
        Ranks down to which users are followed, 1000 as in cwl_eval; with a goal alone None for no
        end.
    depth
        Fixed evaluation depth: the list is cut there, and users read on in vain.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``. With y the
    gain down to i, ``C(i) = 1 - 1 / (1 + b1 e^((T - y) R1))`` for a goal (IFTGoal),
    ``C(i) = 1 / (1 + b2 e^((A - y/i) R2))`` for a rate (IFTRate), and the product of these for both
    (IFTGoalRate).

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Thomas, Craswell. Measuring the utility of search engine result pages: an
       information foraging based measure. SIGIR 2018. doi:10.1145/3209978.3210027

    Examples
    --------
    >>> from irframe.metrics import IFT
    >>> IFT(T=1, b1=0.9, R1=10).curve([1, 0, 1]).round(3)
    array([0.526, 0.526, 0.721])
    >>> IFT(A=0.2, b2=0.9, R2=10).curve([1, 0, 1]).round(3)
    array([0.214, 0.214, 0.264])
    """

    T: float | None = parameter(None, above=0)
    b1: float | None = parameter(None, above=0)
    R1: float | None = parameter(None, low=0)
    A: float | None = parameter(None, low=0)
    b2: float | None = parameter(None, above=0)
    R2: float | None = parameter(None, low=0)

    def __post_init__(self) -> None:
        super().__post_init__()
        goal, rate = (self._of(names) for names in (GOAL, RATE))
        given = {
            name for names in (GOAL, RATE) for name in names if getattr(self, name) is not None
        }
        if not given or len(given) != 3 * (bool(goal) + bool(rate)):
            wanted = "T, b1 and R1 of a goal, A, b2 and R2 of a rate, or all six, for IFT"
            raise MetricError(wanted, ", ".join(sorted(given)) or "none")
        if rate and self.horizon is None:
            raise MetricError("horizon of IFT with a rate, as there is no sum of all ranks", "None")

    def _of(self, names: tuple[str, ...]) -> tuple[Any, ...]:
        """Return some parameters, nothing if one of them lacks."""
        values = tuple(getattr(self, name) for name in names)
        return () if None in values else values

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        goes_on = np.ones(np.broadcast_shapes(np.shape(cumulated_gain), np.shape(rank)))
        if goal := self._of(GOAL):
            goes_on *= _unmet(cumulated_gain, *goal)
        if rate := self._of(RATE):
            goes_on *= 1 - _unmet(cumulated_gain / rank, *rate)
        return goes_on

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:  # noqa: ARG002
        """Return how many ranks are read past one, if there are no end of them."""
        return 1 / (1 - _unmet(cumulated_gain, *self._of(GOAL)))


def _unmet(have: Floats, wanted: float, ease: float, weight: float) -> Floats:
    """Return ``1 - 1 / (1 + ease e^((wanted - have) weight))``, how open a wish still is."""
    return np.asarray(np.exp(-np.logaddexp(0, (have - wanted) * weight - np.log(ease))))
