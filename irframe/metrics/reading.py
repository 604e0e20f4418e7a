"""How users read a ranking: from whether they go on at every rank to what they gain and spend.

And users who read on until they have gained enough, or too slowly.

In the C/W/L framework a metric is a continuation, the probability of going on from a rank to the
next. What a user reads, gains and spends follows from it, here and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy

from irframe.arrays import Floats
from irframe.checks import whole
from irframe.errors import MetricError
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.names import HIGHEST_GRADE

HORIZON = 1000
"""Ranks down to which users are followed, as in cwl_eval."""


class Reading(NamedTuple):
    """What users do with a list cut at each depth; arrays of shape (..., depth).

    Attributes
    ----------
    gained
        Expected gain of the ranks read.
    read
        Expected number of ranks read.
    lost
        The part of `gained` of those who read past the horizon, who are never seen to stop.
    spent
        The part of `read` of the same.
    """

    gained: Floats
    read: Floats
    lost: Floats | float = 0.0
    spent: Floats | float = 0.0

    @property
    def utility(self) -> Floats:
        """Gain for a rank read."""
        nothing = np.zeros(np.broadcast_shapes(self.gained.shape, self.read.shape))
        return np.divide(self.gained, self.read, out=nothing, where=self.gained > 0)

    @property
    def terms(self) -> Floats:
        """What each rank adds to the gain for a rank read, down to the last rank."""
        return np.asarray(np.diff(self.gained, axis=-1, prepend=0) / self.read[..., -1:])

    def quantities(self) -> dict[str, Floats]:
        """Return the five quantities of the framework by name; every rank costs 1."""
        return {
            "expected_utility": self.utility,
            "expected_total_utility": self.gained - self.lost,
            "expected_cost": np.ones_like(self.utility),
            "expected_total_cost": self.read - self.spent,
            "expected_depth": self.read,
        }


QUANTITIES = tuple(Reading(np.zeros(1), np.ones(1)).quantities())
"""Names of the five quantities."""


def reached(continuation: Floats) -> Floats:
    """Return how likely each rank is reached.

    Examples
    --------
    >>> reached(np.array([0.5, 0.5, 0.0, 1.0]))
    array([1.  , 0.5 , 0.25, 0.  ])
    """
    first = np.ones_like(continuation[..., :1])
    return np.concatenate([first, np.cumprod(continuation[..., :-1], axis=-1)], axis=-1)


def read_down(continuation: Floats, gain: Floats) -> Reading:
    """Return what users do who go on so likely from each rank, and stop at each depth.

    Examples
    --------
    >>> read_down(np.array([0.5, 1.0]), np.array([0.0, 1.0])).utility.round(3)
    array([0.   , 0.333])
    """
    weight = reached(continuation)
    return Reading(np.cumsum(weight * gain, axis=-1), np.cumsum(weight, axis=-1))


@dataclass(frozen=True, kw_only=True, repr=False)
class Stopping(Metric, abstract=True):
    """A user who goes on as `continuation` has it, and stops at the depth at the latest."""

    gain: Gain = parameter("linear")
    rel: int = parameter(1, low=1, high=HIGHEST_GRADE)

    by_gain = True
    unit = True
    needs_depth = True
    continuation: ClassVar[Callable[..., Floats]]

    def kernel(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the gain for a rank read of the list cut at each depth."""
        return self.reading(gain=gain, cumulated_gain=cumulated_gain, rank=rank).utility

    def terms(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return self.reading(gain=gain, cumulated_gain=cumulated_gain, rank=rank).terms

    def reading(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return what users do who stop at each depth."""
        return read_down(self.continuation(gain, cumulated_gain, rank), gain)


@dataclass(frozen=True, kw_only=True, repr=False)
class ReadingOn(Stopping, abstract=True):
    """A user who goes on as `continuation` has it, past the end of the list too.

    Where a list is cut no rank gains any more, so that what is done there follows from the depth
    and the gain so far. `endless` says how many ranks are read there without a horizon, and may be
    missing.
    """

    horizon: int | None = HORIZON

    needs_depth = False
    endless: ClassVar[Callable[..., Floats] | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        name = f"horizon of {type(self).__name__}"
        if self.horizon is not None:
            whole(name, self.horizon, low=1, error=MetricError)
        elif self.endless is None:
            raise MetricError(f"{name}, as there is no sum of all ranks", "None")

    @property
    def by_prefix(self) -> bool:
        """Whether the score at a depth is that of lists cut there: if a horizon ends it."""
        return self.horizon is not None and super().by_prefix

    def reading(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return what users do with the list cut at each depth."""
        last = self.horizon or len(rank)
        shown = slice(min(last, len(rank)))
        gain, cumulated, ranks = gain[..., shown], cumulated_gain[..., shown], rank[shown]
        goes_on = self.continuation(gain, cumulated, ranks)
        weight = reached(goes_on)
        further, left = self._past(cumulated, last)
        onwards = weight * goes_on
        gained = np.cumsum(weight * gain, axis=-1)
        read = np.cumsum(weight, axis=-1) + onwards * further
        parts = gained, read, onwards * left * cumulated, onwards * left * last
        held = np.minimum(np.arange(len(rank)), len(ranks) - 1)
        return Reading(*(part[..., held] for part in parts))

    def _past(self, cumulated: Floats, last: int) -> tuple[Floats, Floats]:
        """Return how many ranks are read below each depth, and how likely all of them are."""
        values, place = np.unique(cumulated, return_inverse=True)
        place = place.reshape(cumulated.shape)
        further, left = np.zeros(cumulated.shape), np.zeros(cumulated.shape)
        more, all_read = np.zeros(len(values)), np.ones(len(values))
        if self.horizon is None:
            more, all_read = getattr(self, "endless")(values, last), all_read * 0  # noqa: B009
        for rank in range(last, 0, -1):
            if rank <= cumulated.shape[-1]:
                further[..., rank - 1] = more[place[..., rank - 1]]
                left[..., rank - 1] = all_read[place[..., rank - 1]]
            goes_on = self.continuation(0.0, np.minimum(values, rank), float(rank))
            more, all_read = 1 + goes_on * more, goes_on * all_read
        return further, left


@dataclass(frozen=True, kw_only=True, repr=False)
class InverseSquares(ReadingOn, abstract=True):
    """A user who reads on the more surely the further ahead the end is, as `ahead` has it."""

    ahead: ClassVar[Callable[..., Floats]]

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        ahead = self.ahead(cumulated_gain, rank)
        return ((ahead - 1) / ahead) ** 2

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:
        """Return how many ranks are read past one, if there are no end of them."""
        ahead = self.ahead(cumulated_gain, rank)
        return np.asarray(ahead**2 * scipy.special.zeta(2, ahead))


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
