"""Users who read on from rank to rank: the likelier the earlier, or the less they have found."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Thresholded, parameter
from irframe.metrics.positions import discounts
from irframe.metrics.reading import InverseSquares, Reading, Stopping, reached, read_down


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR(Thresholded):
    """How soon a user who stops when satisfied is expected to stop.

    One over the rank at which users stop, on average: the better a document, the more likely it
    satisfies them, and what stands below a good document therefore counts little.

    Parameters
    ----------
    gain
        Gain map; a gain is the probability of being satisfied, at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth, usually written ``ERR @ 20``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``ERR@k = sum_{i<=k} (1/i) G(i) prod_{j<i} (1 - G(j))``. With binary gain it equals RR.

    Gains are scaled by the top grade of the collection, the highest of its judgments whatever
    topics are scored. gdeval, and ir_measures with it, has a top grade of its own, 4 for any
    judgments: ``ERR(gain=Exponential(top=4))``.

    Range: 0 to 1. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Chapelle, Metlzer, Zhang, Grinspan. Expected reciprocal rank for graded relevance.
       CIKM 2009. doi:10.1145/1645953.1646033

    Examples
    --------
    With top grade 1 a relevant document satisfies with probability 1/2:

    >>> from irframe.metrics import ERR
    >>> ERR().curve([1, 1])
    array([0.5  , 0.625])
    """

    gain: Gain = parameter("exp")

    unit = True
    by_gain = True
    order = "gain"

    def expected(self, *, stop_chance: Floats, rank: Floats) -> Floats:
        """Return the mean over all orders of ties."""
        return np.asarray(np.cumsum(stop_chance / rank, axis=-1))

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        reached = np.ones_like(gain)
        np.cumprod(1 - gain[..., :-1], axis=-1, out=reached[..., 1:])
        reached *= gain
        reached /= rank
        return reached

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the value if unjudged documents and the next below were sure to satisfy."""
        reading_on: Floats = np.cumprod(1 - filled_gain, axis=-1) / (seen + 1)
        return self.kernel(gain=filled_gain, rank=rank) + reading_on


@dataclass(frozen=True, kw_only=True, repr=False)
class INSQ(InverseSquares):
    """Gain for a rank read by users who expect a gain of `T` and are the more patient for it.

    Parameters
    ----------
    T
        The gain that users are after, above 0.
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
    ``C(i) = ((i + 2T - 1) / (i + 2T))^2``.

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

    additive = True
    linear = True
    order = "gain"

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return how far ahead the end is."""
        return np.asarray(rank + 2 * self.T + 0 * cumulated_gain)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if unjudged documents and all below the last rank gained 1."""
        nothing = np.zeros(len(rank))
        weight = reached(self.continuation(nothing, nothing, rank))
        weight *= rank <= (self.horizon or np.inf)
        weight /= self.reading(gain=nothing, cumulated_gain=nothing, rank=rank).read
        known = np.concatenate([[0.0], np.cumsum(weight)])[seen.astype(int)]
        return np.asarray(np.cumsum(filled_gain * weight, axis=-1) + 1 - known)


@dataclass(frozen=True, kw_only=True, repr=False)
class INST(InverseSquares):
    """Gain for a rank read by users who expect a gain of `T` and stop once they are near.

    Parameters
    ----------
    T
        The gain that users are after, at least 0.5.
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
    ``C(i) = ((i + T + T_i - 1) / (i + T + T_i))^2``, where ``T_i`` is T less the gain down to i.

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

    T: float = parameter(1.0, low=0.5, shown=True)

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return how far ahead the end is."""
        return np.asarray(rank + 2 * self.T - cumulated_gain)


Stop = Literal["satisfied", "rank", "RBP", "INSQ"]
STOPS: tuple[Stop, ...] = get_args(Stop)


@dataclass(frozen=True, kw_only=True, repr=False)
class NERR(InverseSquares):
    """Gain for a rank read by users who stop as likely as a document satisfies them, or sooner.

    Parameters
    ----------
    stop
        What else makes users stop: ``"satisfied"``, nothing (NERR8); ``"rank"``, being high in
        the list (NERR9); ``"RBP"``, what makes those of `RBP` (NERR10); ``"INSQ"``, what makes
        those of `INSQ` (NERR11). The first two stop at the depth at the latest.
    p
        Persistence, between 0 and 1; read by ``"RBP"`` only.
    T
        The gain that users are after, above 0; read by ``"INSQ"`` only.
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    horizon
        Ranks down to which users of ``"RBP"`` and ``"INSQ"`` are followed, 1000 as in cwl_eval;
        None for no end.
    depth
        Fixed evaluation depth, usually written ``NERR8 @ 10``: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = (1 - g(i)) S(i)``, where S(i) is 1; ``i / (i + 1)``; `p`; or
    ``((i + 2T - 1) / (i + 2T))^2``: equations 8 to 11, by whose numbers these are known.

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

    @property
    def _stops_at_depth(self) -> bool:
        return self.stop in {"satisfied", "rank"}

    def uncut(self) -> "NERR | None":
        """Return the metric of all that was retrieved, or None if users stop at the depth."""
        return None if self._stops_at_depth else self

    @property
    def by_prefix(self) -> bool:
        """Whether the score at a depth is that of lists cut there."""
        return super().by_prefix or (self._stops_at_depth and not self.judged_only)

    def reading(self, *, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return what users do with the list cut at each depth."""
        if self._stops_at_depth:
            return read_down(self.continuation(gain, cumulated_gain, rank), gain)
        return super().reading(gain=gain, cumulated_gain=cumulated_gain, rank=rank)

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return how likely users are to go on from each rank."""
        if self.stop == "INSQ":
            return super().continuation(gain, cumulated_gain, rank) * (1 - gain)
        others: Any = {"satisfied": 1.0, "rank": rank / (rank + 1), "RBP": self.p}[self.stop]
        return np.asarray(others * (1 - gain) + 0 * cumulated_gain)

    def ahead(self, cumulated_gain: Floats, rank: Floats | float) -> Floats:
        """Return how far ahead the end is."""
        return np.asarray(rank + 2 * self.T + 0 * cumulated_gain)

    def endless(self, cumulated_gain: Floats, rank: float) -> Floats:
        """Return how many ranks are read past one, if there are no end of them."""
        if self.stop == "RBP":
            return np.full(cumulated_gain.shape, 1 / (1 - self.p))
        return super().endless(cumulated_gain, rank)


@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Thresholded):
    """Rate of gain for a user who goes on to the next rank with probability `p`.

    The first rank counts 1 - p, each further one p times as much as the one before: with p = 0.5
    two ranks make up three quarters of the score, with p = 0.95 users read twenty on average.

    Parameters
    ----------
    p
        Persistence, between 0 and 1; the expected depth of the user is 1/(1 - p).
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth, usually written ``RBP(p=0.8) @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``RBP@k = (1 - p) sum_{i<=k} G(i) p**(i-1)``.

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

    additive = True
    linear = True
    unit = True
    order = "gain"

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(gain * ((1 - self.p) * self.p ** (rank - 1)))

    def reading(self, *, gain: Floats, rank: Floats) -> Reading:
        """Return what users do with the list cut at each depth."""
        gained = np.cumsum(gain * self.p ** (rank - 1), axis=-1)
        return Reading(gained, np.full(gained.shape, 1 / (1 - self.p)))

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the rate if unjudged documents and all below the last rank gained 1."""
        return np.asarray(self.kernel(gain=filled_gain, rank=rank) + self.p**seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class SDCG(Stopping):
    """Gain for a rank read by users whose interest falls with the logarithm of the rank.

    Parameters
    ----------
    gain
        Gain map, gains at most 1.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Where the user stops at the latest, usually written ``SDCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The score is ``sum_i W(i) g(i)`` with W(i) in proportion to ``prod_(j<i) C(j)``, and
    ``C(i) = log(i + 1) / log(i + 2)`` above the depth: discounted cumulated gain as a share of
    that of a list on which every document gains 1.

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

    additive = True
    linear = True
    order = "gain"

    def continuation(self, gain: Floats, cumulated_gain: Floats, rank: Floats) -> Floats:  # noqa: ARG002
        """Return how likely users are to go on from each rank."""
        return np.asarray(np.log(rank + 1) / np.log(rank + 2) + 0 * gain)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the score if unjudged and missing documents gained 1."""
        weight = discounts("log2", 2, len(rank))
        total = np.cumsum(weight)
        known = np.concatenate([[0.0], total])[seen.astype(int)]
        return np.asarray((np.cumsum(filled_gain * weight, axis=-1) + total - known) / total)
