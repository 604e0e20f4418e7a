"""Nearly expected reciprocal rank."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import parameter
from irframe.metrics.reading import InverseSquares, Reading, read_down

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
    >>> from irframe.metrics.contributions import score_ranking
    >>> for stop in ("satisfied", "rank", "RBP", "INSQ"):
    ...     print(score_ranking(NERR(stop=stop), [1, 2]).round(3))
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
