"""Reciprocal rank."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.reading import HORIZON, Reading


@dataclass(frozen=True, kw_only=True, repr=False)
class RR(Metric):
    """How near the top the first relevant document is; its mean is MRR.

    1 if the first document is relevant, 1/2 if it is the second, 1/3 if it is the third. Whatever
    comes after the first relevant document does not count.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``RR @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``RR@k = 1 / rank of the first relevant document``, 0 if that is deeper than k.

    Range: 0 to 1. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Voorhees. The TREC-8 question answering track report. TREC 1999.
       doi:10.6028/NIST.SP.500-246.qa-overview

    Examples
    --------
    >>> from irframe.metrics import RR
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(RR(), [0, 1, 1])
    array([0. , 0.5, 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases = ("MRR", "mean_reciprocal_rank")
    least_topics = 8
    order = "relevance"

    def kernel(self, *, relevant: Array, rank: Floats) -> Floats:
        """Return the reciprocal rank of the first relevant document from there on."""
        first = 1 + relevant.argmax(axis=-1, keepdims=True)
        reached = (rank >= first) & relevant.any(axis=-1, keepdims=True)
        return np.where(reached, 1 / first, 0.0)

    def terms(self, *, relevant: Array, found: Floats, rank: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray((relevant & (found == 1)) / rank)

    def reading(self, *, found: Floats, relevant: Array, rank: Floats) -> Reading:
        """Return what users do who stop at the first relevant document, or never."""
        stops = np.minimum(found, 1)
        first = 1.0 + np.argmax(relevant, axis=-1, keepdims=True)
        horizon = np.maximum(rank, HORIZON)
        return Reading(stops, np.where(found > 0, first, horizon), 0.0, (1 - stops) * horizon)

    def ceiling(self, *, relevant: Array, unjudged: Array, rank: Floats) -> Floats:
        """Return the reciprocal rank if unjudged documents were relevant."""
        return self.kernel(relevant=relevant | unjudged, rank=rank)
