"""How users read a ranking: from whether they go on at every rank to what they gain and spend.

In the C/W/L framework a metric is a continuation, the probability of going on from a rank to the
next. What a user reads, gains and spends follows from it, here and nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

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
