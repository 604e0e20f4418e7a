"""Metrics of users who read on with some probability."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Thresholded, parameter
from irframe.metrics.reading import InverseSquares, Reading, Stopping, reached, read_down
from irframe.quantities.positions import discounts


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR(Thresholded):
    """Expected reciprocal rank of the document that satisfies the user.

    Users read from the top and stop at the first document that satisfies them. A document with a
    high grade satisfies users with high probability, so documents below it add little to the score.

    Parameters
    ----------
    gain
        Gain map with gains of at most 1. The gain is the probability that the document satisfies
        the user.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, usually written ``ERR @ 20``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``ERR@k = sum_{i<=k} (1/i) G(i) prod_{j<i} (1 - G(j))``. With binary gain, ERR equals `RR`.

    By default, gains are scaled by the highest grade in all judgments of the collection, even if
    only some topics are scored. gdeval and ir_measures always use 4 as the highest grade, as
    ``ERR(gain=Exponential(top=4))`` does.

    Range: 0 to 1. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Chapelle, Metlzer, Zhang, Grinspan. Expected reciprocal rank for graded relevance.
       CIKM 2009. doi:10.1145/1645953.1646033

    Examples
    --------
    If the highest grade is 1, a relevant document satisfies users with probability 1/2:

    >>> from irframe.metrics import ERR
    >>> ERR().curve([1, 1])
    array([0.5  , 0.625])
    """

    gain: Gain = parameter("exp")

    unit = True
    order = "gain"

    def expected(self, *, stop_chance: Floats, rank: Floats) -> Floats:
        """Return the mean score over all orders of tied documents."""
        return np.asarray(np.cumsum(stop_chance / rank, axis=-1))

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        reached = np.ones_like(gain)
        # products in place avoid three more arrays of the size of the rankings
        np.cumprod(1 - gain[..., :-1], axis=-1, out=reached[..., 1:])
        reached *= gain
        reached /= rank
        return reached

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the highest ERR that unjudged and unread documents allow."""
        reading_on: Floats = np.cumprod(1 - filled_gain, axis=-1) / (seen + 1)
        return self.kernel(gain=filled_gain, rank=rank) + reading_on


@dataclass(frozen=True, kw_only=True, repr=False)
class INSQ(InverseSquares):
    """INSQ: expected gain per rank for target gain `T`.

    The probability of going on to the next rank increases with the rank and with the target gain.
    Users with a higher target gain therefore read further.

    Parameters
    ----------
    T
        Gain that users want to find, above 0.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    horizon
        Last rank that users can read. The default, 1000, is the same as in cwl_eval. None means an
        infinite list.
    depth
        Fixed evaluation depth. Users may read past the depth, but ranks past the depth have gain 0.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. The continuation probability is ``C(i) = ((i +
    2T - 1) / (i + 2T))^2``.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Scholer, Thomas. Models and metrics: IR evaluation as a user process. ADCS 2012.
       doi:10.1145/2407085.2407092

    Examples
    --------
    >>> from irframe.metrics import INSQ
    >>> INSQ(T=1).curve([1, 0, 1]).round(3)
    array([0.388, 0.388, 0.485])
    """

    T: float = parameter(1.0, above=0, shown=True)

    linear = True
    order = "gain"

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return ``ahead`` in ``C(i) = ((ahead - 1) / ahead)^2``."""
        # adding 0 gives the result the shape of the rankings
        return np.asarray(rank + 2 * self.T + 0 * cumulated_gain)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if all unjudged documents had gain 1."""
        # the continuation probability ignores gain, so the weights are those of a list without gain
        nothing = np.zeros(len(rank))
        weight = reached(self.continuation(nothing, nothing, rank))
        weight *= rank <= (self.horizon or np.inf)
        weight /= self.reading(gain=nothing, cumulated_gain=nothing, rank=rank).read
        weight_read = np.concatenate([[0.0], np.cumsum(weight)])[seen.astype(int)]
        return np.asarray(np.cumsum(filled_gain * weight, axis=-1) + 1 - weight_read)


@dataclass(frozen=True, kw_only=True, repr=False)
class INST(InverseSquares):
    """INST: expected gain per rank; found gain changes users' patience.

    Parameters
    ----------
    T
        Gain that users want to find, at least 0.5.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    horizon
        Last rank that users can read. The default, 1000, is the same as in cwl_eval. None means an
        infinite list.
    depth
        Fixed evaluation depth. Users may read past the depth, but ranks past the depth have gain 0.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. The continuation probability is ``C(i) = ((i +
    T + T_i - 1) / (i + T + T_i))^2``, where ``T_i`` is T minus the cumulated gain down to rank i.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Bailey, Scholer, Thomas. INST: an adaptive metric for information retrieval
       evaluation. ADCS 2015. doi:10.1145/2838931.2838938

    Examples
    --------
    >>> from irframe.metrics import INST
    >>> INST(T=1).curve([1, 0, 1]).round(3)
    array([0.608, 0.608, 0.723])
    """

    # `ahead` is at least 2T, because gains are at most 1, and C(i) would rise for `ahead` below 1
    T: float = parameter(1.0, low=0.5, shown=True)

    order = "gain"

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return ``ahead`` in ``C(i) = ((ahead - 1) / ahead)^2``."""
        return np.asarray(rank + 2 * self.T - cumulated_gain)


Stop = Literal["satisfied", "rank", "RBP", "INSQ"]
STOPS: tuple[Stop, ...] = get_args(Stop)


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR(InverseSquares):
    """NERR: expected gain per rank, if satisfied users stop.

    As in `ERR`, users stop at a document that satisfies them. The gain of a document is the
    probability that the document satisfies a user.

    Parameters
    ----------
    stop
        Stopping rule of unsatisfied users. With ``"satisfied"``, unsatisfied users never stop
        (NERR8). With ``"rank"``, the probability of stopping decreases with the rank (NERR9).
        ``"RBP"`` uses the stopping probability of `RBP` (NERR10). ``"INSQ"`` uses the stopping
        probability of `INSQ` (NERR11). With ``"satisfied"`` and ``"rank"``, the evaluation depth is
        the last rank that users read.
    p
        Persistence, between 0 and 1. Only used with ``stop="RBP"``.
    T
        Gain that users want to find, above 0. Only used with ``stop="INSQ"``.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    horizon
        Last rank that users can read with ``"RBP"`` and ``"INSQ"``. The default, 1000, is the same
        as in cwl_eval. None means an infinite list.
    depth
        Fixed evaluation depth, at which lists are cut, usually written ``NERR8 @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. The continuation probability is ``C(i) = (1 -
    g(i)) S(i)``. S(i) is 1 for ``"satisfied"``, ``i / (i + 1)`` for ``"rank"``, `p` for ``"RBP"``,
    and ``((i + 2T - 1) / (i + 2T))^2`` for ``"INSQ"``. NERR8 to NERR11 are named after equations 8
    to 11 of the paper.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Azzopardi, Mackenzie, Moffat. ERR is not C/W/L: exploring the relationship between
       expected reciprocal rank and other metrics. ICTIR 2021. doi:10.1145/3471158.3472239

    Examples
    --------
    >>> from irframe.metrics import NERR
    >>> for stop in ("satisfied", "rank", "RBP", "INSQ"):
    ...     print(NERR(stop=stop).curve([1, 2]).round(3))
    [0.5   0.667]
    [0.5 0.6]
    [0.091 0.655]
    [0.28  0.591]
    """

    stop: Stop = parameter("satisfied", choices=STOPS, shown=True)
    p: float = parameter(0.9, above=0, below=1)
    T: float = parameter(1.0, above=0)

    order = "gain"

    @property
    def _stops_at_depth(self) -> bool:
        return self.stop in {"satisfied", "rank"}

    def uncut(self) -> "NERR | None":
        """Return the metric without cutoff, or None if undefined."""
        return None if self._stops_at_depth else self

    @property
    def by_prefix(self) -> bool:
        """Whether cutting lists leaves scores down to the cut unchanged."""
        return super().by_prefix or (self._stops_at_depth and not self.judged_only)

    def reading(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return gain and cost if lists end at each depth."""
        if self._stops_at_depth:
            return read_down(self.continuation(gain, cumulated_gain, rank), gain)
        return super().reading(gain=gain, cumulated_gain=cumulated_gain, rank=rank)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the continuation probability at each rank."""
        if self.stop == "INSQ":
            return super().continuation(gain, cumulated_gain, rank) * (1 - gain)
        goes_on: dict[Stop, Floats | float]
        goes_on = {"satisfied": 1.0, "rank": rank / (rank + 1), "RBP": self.p}
        return np.asarray(goes_on[self.stop] * (1 - gain) + 0 * cumulated_gain)

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return ``ahead`` in ``C(i) = ((ahead - 1) / ahead)^2``."""
        return np.asarray(rank + 2 * self.T + 0 * cumulated_gain)

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:
        """Return how many further ranks users read without a horizon."""
        if self.stop == "RBP":
            return np.full(cumulated_gain.shape, 1 / (1 - self.p))
        return super().endless(cumulated_gain, rank)


@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Thresholded):
    """Rank-biased precision.

    Users go on from each rank to the next with probability `p`. The weight of rank 1 is therefore
    1 - p, and the weight of every other rank is p times that of the rank above. With p = 0.5, the
    first two ranks have 75 % of the weight. With p = 0.95, users read 20 ranks on average.

    Parameters
    ----------
    p
        Persistence, between 0 and 1. Users read 1/(1 - p) ranks on average.
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, usually written ``RBP(p=0.8) @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``RBP@k = (1 - p) sum_{i<=k} G(i) p**(i-1)``, where G(i) is the gain at rank i.

    Range: 0 to 1 - p**k. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Zobel. Rank-biased precision for measurement of retrieval effectiveness. ACM
       TOIS 27, 2008. doi:10.1145/1416950.1416952

    Examples
    --------
    >>> from irframe.metrics import RBP
    >>> RBP(p=0.5).curve([1, 0, 1])
    array([0.5  , 0.5  , 0.625])
    """

    p: float = parameter(0.8, above=0, below=1, shown=True)
    gain: Gain = parameter("binary")

    linear = True
    unit = True
    order = "gain"

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(gain * ((1 - self.p) * self.p ** (rank - 1)))

    def reading(self, *, gain: Floats, rank: Floats) -> Reading:
        """Return gain and cost if lists end at each depth."""
        gained = np.cumsum(gain * self.p ** (rank - 1), axis=-1)
        return Reading(gained, np.full(gained.shape, 1 / (1 - self.p)))

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if all unjudged documents had gain 1."""
        return np.asarray(self.kernel(gain=filled_gain, rank=rank) + self.p**seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class SDCG(Stopping):
    """Scaled DCG: weighted mean gain with logarithmic discount.

    Parameters
    ----------
    gain
        Gain map with gains of at most 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Last rank that users read, usually written ``SDCG @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is ``sum_i W(i) g(i)``, where g(i) is the gain at rank i. The weights W(i) are
    proportional to ``prod_(j<i) C(j)`` and sum to 1. The continuation probability is ``C(i) = log(i
    + 1) / log(i + 2)`` if i is less than the depth. The score equals the DCG, divided by the DCG of
    a list in which every document has gain 1.

    Range: 0 to 1. Needs: gains. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Moffat, Bailey, Scholer, Thomas. Incorporating user expectations and behavior into the
       measurement of search effectiveness. ACM TOIS 35, 2017. doi:10.1145/3052768

    Examples
    --------
    >>> from irframe.metrics import SDCG
    >>> SDCG().curve([1, 0, 1]).round(3)
    array([1.   , 0.613, 0.704])
    """

    linear = True
    order = "gain"

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return the continuation probability at each rank."""
        return np.asarray(np.log(rank + 1) / np.log(rank + 2) + 0 * gain)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if all unjudged documents had gain 1."""
        weight = discounts("log2", 2, len(rank))
        total = np.cumsum(weight)
        weight_read = np.concatenate([[0.0], total])[seen.astype(int)]
        return np.asarray((np.cumsum(filled_gain * weight, axis=-1) + total - weight_read) / total)
