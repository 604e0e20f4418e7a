"""Precision."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.reading import Reading


@dataclass(frozen=True, kw_only=True, repr=False)
class P(Metric):
    """How much of what the user looks at is relevant.

    The share of relevant documents among the first k. Their order within the k does not count, nor
    does how many relevant documents there are elsewhere.

    Parameters
    ----------
    gain
        Gain map; binary gives precision as trec_eval has it.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``P @ 5``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``P@k = (1/k) sum_{i<=k} G(i)``, divided by k even where the list is shorter.

    Range: 0 to 1. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    Relevant documents at ranks 1 and 3:

    >>> from irframe.metrics import P
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(P(), [1, 0, 1, 0])
    array([1.        , 0.5       , 0.66666667, 0.5       ])
    """

    gain: Gain = parameter("binary")
    rel: int = parameter(1, low=1, high=127)

    additive = True
    needs_depth = True
    aliases = ("Precision",)
    linear = True
    order = "gain"

    def kernel(self, *, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the mean gain down to each depth."""
        return cumulated_gain / rank

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(gain / rank[-1])

    def reading(self, *, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return what users do who stop at each depth."""
        return Reading(cumulated_gain, np.broadcast_to(rank, cumulated_gain.shape))

    def ceiling(
        self, *, filled_gain: Floats, best_gain: float, rank: Floats, retrieved: Array
    ) -> Floats:
        """Return the mean gain if unjudged and missing documents gained the most."""
        missing = np.maximum(rank - retrieved, 0)
        return (np.cumsum(filled_gain, axis=-1) + best_gain * missing) / rank
