"""Expected reciprocal rank."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.contributions import summed


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR(Metric):
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
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(ERR(), [1, 1])
    array([0.5  , 0.625])
    """

    gain: Gain = parameter("exp")
    rel: int = parameter(1, low=1, high=127)

    unit = True
    order = "gain"

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        reached = np.ones_like(gain)
        np.cumprod(1 - gain[..., :-1], axis=-1, out=reached[..., 1:])
        reached *= gain
        reached /= rank
        return reached

    kernel = summed(terms)

    def ceiling(self, *, filled_gain: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the value if unjudged documents and the next below were sure to satisfy."""
        reading_on: Floats = np.cumprod(1 - filled_gain, axis=-1) / (seen + 1)
        return self.kernel(gain=filled_gain, rank=rank) + reading_on
