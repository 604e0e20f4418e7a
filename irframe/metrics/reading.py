"""User models of the C/W/L framework, and their metrics.

In the C/W/L framework, a metric is defined by the continuation probability: the probability that
users go on from a rank to the next. The continuation probability determines the ranks that users
read, and the gain and cost of reading.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import scipy

from irframe.arrays import Floats
from irframe.checks import check_int
from irframe.errors import MetricError
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.names import HIGHEST_GRADE

HORIZON = 1000
"""Default value of the last rank that users can read, as in cwl_eval."""


class Reading(NamedTuple):
    """Expected gain and cost of reading down to each depth.

    All arrays have the shape (..., depth).

    Attributes
    ----------
    gained
        Expected gain of the ranks read.
    read
        Expected number of ranks read.
    lost
        Part of `gained` that comes from users who reach the horizon.
    spent
        Part of `read` that comes from users who reach the horizon.
    """

    gained: Floats
    read: Floats
    lost: Floats | float = 0.0
    spent: Floats | float = 0.0

    @property
    def utility(self) -> Floats:
        """Expected gain per rank read."""
        nothing = np.zeros(np.broadcast_shapes(self.gained.shape, self.read.shape))
        return np.divide(self.gained, self.read, out=nothing, where=self.gained > 0)

    @property
    def terms(self) -> Floats:
        """Contribution of each rank to the gain per rank read."""
        return np.asarray(np.diff(self.gained, axis=-1, prepend=0) / self.read[..., -1:])

    def quantities(self) -> dict[str, Floats]:
        """Return the five C/W/L quantities by name.

        The cost of reading a rank is 1.
        """
        return {
            "expected_utility": self.utility,
            "expected_total_utility": self.gained - self.lost,
            "expected_cost": np.ones_like(self.utility),
            "expected_total_cost": self.read - self.spent,
            "expected_depth": self.read,
        }


QUANTITIES = tuple(Reading(np.zeros(1), np.ones(1)).quantities())
"""Names of the five quantities of the C/W/L framework."""


def reached(continuation: Floats) -> Floats:
    """Return the probability that users reach each rank.

    Examples
    --------
    >>> reached(np.array([0.5, 0.5, 0.0, 1.0]))
    array([1.  , 0.5 , 0.25, 0.  ])
    """
    first = np.ones_like(continuation[..., :1])
    return np.concatenate([first, np.cumprod(continuation[..., :-1], axis=-1)], axis=-1)


def read_down(continuation: Floats, gain: Floats) -> Reading:
    """Return expected gain and cost if users stop at depths.

    Examples
    --------
    >>> read_down(np.array([0.5, 1.0]), np.array([0.0, 1.0])).utility.round(3)
    array([0.   , 0.333])
    """
    weight = reached(continuation)
    return Reading(np.cumsum(weight * gain, axis=-1), np.cumsum(weight, axis=-1))


@dataclass(frozen=True, kw_only=True, repr=False)
class Stopping(Metric, abstract=True):
    """Base class of models that exclude reading past the depth."""

    gain: Gain = parameter("linear")
    rel: int = parameter(1, low=1, high=HIGHEST_GRADE)

    unit = True
    needs_depth = True
    continuation: ClassVar[Callable[..., Floats]]

    def kernel(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the gain per rank read at each depth."""
        return self.reading(gain=gain, cumulated_gain=cumulated_gain, rank=rank).utility

    def terms(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return self.reading(gain=gain, cumulated_gain=cumulated_gain, rank=rank).terms

    def reading(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return expected gain and cost if users stop at depths."""
        return read_down(self.continuation(gain, cumulated_gain, rank), gain)


@dataclass(frozen=True, kw_only=True, repr=False)
class ReadingOn(Stopping, abstract=True):
    """Base class of models whose users read past the depth.

    The gain of ranks past the depth is 0. The number of ranks read past the depth therefore depends
    only on the depth and on the cumulated gain. `endless` returns the expected number of ranks read
    past a rank of an infinite list. A class without `endless` requires a horizon.
    """

    horizon: int | None = HORIZON

    needs_depth = False
    endless: ClassVar[Callable[..., Floats] | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        name = f"horizon of {type(self).__name__}"
        if self.horizon is not None:
            check_int(name, self.horizon, low=1, error=MetricError)
        elif self.endless is None:
            raise MetricError(f"a number for the {name} (no closed form exists)", "None")

    @property
    def by_prefix(self) -> bool:
        """Whether cutting lists leaves scores down to the cut unchanged."""
        return self.horizon is not None and super().by_prefix

    def reading(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return gain and cost if lists end at each depth."""
        last = self.horizon or len(rank)
        inside = slice(min(last, len(rank)))
        cumulated = cumulated_gain[..., inside]
        goes_on = self.continuation(gain[..., inside], cumulated, rank[inside])
        weight = reached(goes_on)
        further, to_horizon = self._past(cumulated, last)
        onwards = weight * goes_on
        gained = np.cumsum(weight * gain[..., inside], axis=-1)
        read = np.cumsum(weight, axis=-1) + onwards * further
        quantities = gained, read, onwards * to_horizon * cumulated, onwards * to_horizon * last
        # nothing is read past the horizon, so the values at later depths are those at the horizon
        column = np.minimum(np.arange(len(rank)), cumulated.shape[-1] - 1)
        return Reading(*(quantity[..., column] for quantity in quantities))

    def _past(self, cumulated: Floats, last: int) -> tuple[Floats, Floats]:
        """Return how far users read past each depth.

        The first array is the expected number of ranks read past the depth. The second array is the
        probability that users read down to the horizon.
        """
        # usually few different gains occur, so the recursion below runs only once per distinct gain
        values, index = np.unique(cumulated, return_inverse=True)
        index = index.reshape(cumulated.shape)
        further, to_horizon = np.zeros((2, *cumulated.shape))
        ranks_past = np.zeros(len(values))
        reach_horizon = np.ones(len(values))
        if self.horizon is None:
            ranks_past = getattr(self, "endless")(values, last)  # noqa: B009
            reach_horizon = np.zeros(len(values))
        # the loop runs backwards, because the expectation at a rank needs the one at the next rank
        for rank in range(last, 0, -1):
            if rank <= cumulated.shape[-1]:
                further[..., rank - 1] = ranks_past[index[..., rank - 1]]
                to_horizon[..., rank - 1] = reach_horizon[index[..., rank - 1]]
            # each rank adds a gain of at most 1, so sums above the rank cannot occur
            goes_on = self.continuation(0.0, np.minimum(values, rank), float(rank))
            ranks_past = 1 + goes_on * ranks_past
            reach_horizon = goes_on * reach_horizon
        return further, to_horizon


@dataclass(frozen=True, kw_only=True, repr=False)
class InverseSquares(ReadingOn, abstract=True):
    """Base class of continuation probabilities ``((ahead - 1) / ahead)^2``."""

    ahead: ClassVar[Callable[..., Floats]]

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return the continuation probability at each rank."""
        ahead = self.ahead(cumulated_gain, rank)
        return ((ahead - 1) / ahead) ** 2

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:
        """Return the expected number of further ranks without a horizon."""
        ahead = self.ahead(cumulated_gain, rank)
        # the products of probabilities, (ahead / (ahead + n))^2, sum to a zeta function
        return np.asarray(ahead**2 * scipy.special.zeta(2, ahead))


ROUNDING = 1e-9
"""Tolerance for rounding errors when sums of gains are compared with a target."""


@dataclass(frozen=True, kw_only=True, repr=False)
class BPM(Stopping):
    """Bejeweled player model (static): expected gain per rank.

    Parameters
    ----------
    T
        Gain at which users stop, above 0.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Last rank that users read, usually written ``BPM @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. The continuation probability C(i) is 1 if i is
    less than the depth and the cumulated gain is below T, and 0 otherwise. BPM is the static model.
    For the dynamic model, see `DynamicBPM`.

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
        """Return the continuation probability at each rank."""
        return np.where(cumulated_gain < self.T - ROUNDING, 1.0, 0.0)


@dataclass(frozen=True, kw_only=True, repr=False)
class DynamicBPM(ReadingOn):
    """Bejeweled player model (dynamic): expected gain per rank.

    Users stop when they reach a target gain or a maximum number of ranks. Good documents raise the
    target and the maximum, and poor documents lower them.

    Parameters
    ----------
    T
        Initial target gain, above 0.
    K
        Initial maximum number of ranks, at least 1.
    hb, hc
        Change of the target gain (`hb`) and of the maximum number of ranks (`hc`) per unit of gain
        above `median`.
    median
        Gain that changes neither the target nor the maximum, 0 to 1.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    horizon
        Last rank that users can read. The default, 1000, is the same as in cwl_eval.
    depth
        Fixed evaluation depth. Users may read past the depth, but ranks past the depth have gain 0.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. The continuation probability C(i) is 1 if the
    cumulated gain is below ``T + hb e(i)`` and i is below ``K + hc e(i)``, and 0 otherwise. Here
    e(i) is the sum of ``g(j) - median`` over the ranks j above i. cwl_eval keeps the maximum number
    of ranks constant, as ``hc=0`` does.

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
        """Return the continuation probability at each rank."""
        excess = cumulated_gain - gain - (rank - 1) * self.median
        unsatisfied = cumulated_gain < self.T + self.hb * excess - ROUNDING
        patient = rank < self.K + self.hc * excess - ROUNDING
        return np.where(unsatisfied & patient, 1.0, 0.0)


GOAL = ("T", "b1", "R1")
"""Names of the parameters of `IFT` that describe the goal."""
RATE = ("A", "b2", "R2")
"""Names of the parameters of `IFT` that describe the rate of gain."""


@dataclass(frozen=True, kw_only=True, repr=False)
class IFT(ReadingOn):
    """Information foraging: expected gain per rank.

    Users stop when they reach a goal (enough gain) or when their rate of gain is too low.

    Parameters
    ----------
    T
        Target gain, above 0. None means that users have no goal.
    b1, R1
        Parameters of the goal. A higher `b1`, above 0, makes it more likely that users go on. A
        higher `R1`, at least 0, makes users more sensitive to the goal.
    A
        Expected gain per rank, at least 0. None means that users have no expected rate.
    b2, R2
        Parameters of the rate. A higher `b2`, above 0, makes it more likely that users stop. A
        higher `R2`, at least 0, makes users more sensitive to the rate.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    horizon
        Last rank that users can read. The default, 1000, is the same as in cwl_eval. None means an
        infinite list, and is allowed only without a rate.
    depth
        Fixed evaluation depth. Users may read past the depth, but ranks past the depth have gain 0.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. Let y be the cumulated gain down to rank i.
    The continuation probability is ``C(i) = 1 - 1 / (1 + b1 e^((T - y) R1))`` for a goal (IFTGoal),
    and ``C(i) = 1 / (1 + b2 e^((A - y/i) R2))`` for a rate (IFTRate). With a goal and a rate, C(i)
    is the product of these two probabilities (IFTGoalRate).

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
        goal, rate = (self._values(names) for names in (GOAL, RATE))
        names = {name for name in (*GOAL, *RATE) if getattr(self, name) is not None}
        if not names or len(names) != 3 * (bool(goal) + bool(rate)):
            expected = "IFT to have T, b1 and R1, or A, b2 and R2, or all six parameters"
            raise MetricError(expected, ", ".join(sorted(names)) or "no parameters")
        if rate and self.horizon is None:
            expected = "a number for the horizon of IFT with a rate (no closed form exists)"
            raise MetricError(expected, "None")

    def _values(self, names: tuple[str, ...]) -> tuple[float, ...]:
        """Return parameter values, or () if any value is None."""
        values = tuple(getattr(self, name) for name in names)
        return () if None in values else values

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return the continuation probability at each rank."""
        goes_on = np.ones(np.broadcast_shapes(np.shape(cumulated_gain), np.shape(rank)))
        if goal := self._values(GOAL):
            goes_on *= _unmet(cumulated_gain, *goal)
        if rate := self._values(RATE):
            goes_on *= 1 - _unmet(cumulated_gain / rank, *rate)
        return goes_on

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:  # noqa: ARG002
        """Return the expected number of further ranks without a horizon."""
        return 1 / (1 - _unmet(cumulated_gain, *self._values(GOAL)))


def _unmet(value: Floats, target: float, ease: float, weight: float) -> Floats:
    """Return ``1 - 1/(1 + ease e^((target - value) weight))``."""
    # logaddexp does not overflow if the value is far from the target
    return np.asarray(np.exp(-np.logaddexp(0, (value - target) * weight - np.log(ease))))
