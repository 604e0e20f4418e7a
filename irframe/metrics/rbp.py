"""Rank-biased precision."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.reading import Reading


@dataclass(frozen=True, kw_only=True, repr=False)
class RBP(Metric):
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
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(RBP(p=0.5), [1, 0, 1])
    array([0.5  , 0.5  , 0.625])
    """

    p: float = parameter(0.8, above=0, below=1, shown=True)
    gain: Gain = parameter("binary")
    rel: int = parameter(1, low=1, high=127)

    additive = True
    linear = True
    unit = True
    order = "gain"

    def kernel(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return the expected rate of gain at each depth."""
        return np.cumsum(gain * ((1 - self.p) * self.p ** (rank - 1)), axis=-1)

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
