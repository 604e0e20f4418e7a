"""The first relevant document: how soon it comes, and whether."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Graded
from irframe.metrics.block import count_to
from irframe.metrics.reading import HORIZON, Reading


@dataclass(frozen=True, kw_only=True, repr=False)
class ESL(Graded):
    """How far down the list the first relevant document is: the documents a user reads.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``ESL @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``ESL@k = rank of the first relevant document``, undefined (NaN) if that is deeper than k.
    What not finding anything costs is left open, so means are over the topics with an answer
    and two systems are comparable only on topics both answer: see `irframe.verbs.outcomes`.

    Range: 1 to the depth, lower is better. Needs: grades. No relevant documents: NaN. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Cooper. Expected search length: a single measure of retrieval effectiveness based on
       the weak ordering action of retrieval systems. American Documentation 19, 1968.
       doi:10.1002/asi.5090190108
    .. [2] Lin, Campos, Craswell, Mitra, Yilmaz. Significant improvements over the state of the
       art? SIGIR 2021. Section 4. doi:10.1145/3404835.3463034

    Examples
    --------
    >>> from irframe.metrics import ESL
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(ESL(), [0, 1, 1])
    array([nan,  2.,  2.])
    """

    cost = True
    order = "relevance"
    range = (1.0, np.inf)

    def kernel(self, *, relevant: Array, rank: Floats) -> Floats:
        """Return the rank of the first relevant document from there on, NaN above it."""
        first = 1 + np.argmax(relevant, axis=-1, keepdims=True)
        reached = (rank >= first) & relevant.any(axis=-1, keepdims=True)
        return np.where(reached, first, np.nan)


@dataclass(frozen=True, kw_only=True, repr=False)
class RR(Graded):
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


@dataclass(frozen=True, kw_only=True, repr=False)
class Success(Graded):
    """Whether the user has seen anything relevant; its mean is the hit rate.

    1 if there is a relevant document among the first k, else 0. How many there are does not count.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Success @ 5``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Success@k = [found(k) > 0]``.

    Range: 0 or 1. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Craswell. Success at n. Encyclopedia of Database Systems, 2009.
       doi:10.1007/978-0-387-39940-9_486

    Examples
    --------
    >>> from irframe.metrics import Success
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Success(), [0, 1, 0])
    array([0., 1., 1.])
    """

    aliases = ("HitRate",)
    order = "relevance"

    def kernel(self, *, found: Floats) -> Floats:
        """Return 1 from the first relevant document on."""
        return (found > 0).astype(np.float64)

    def terms(self, *, relevant: Array, found: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant & (found == 1), np.float64)

    def ceiling(self, *, found: Floats, unjudged: Array) -> Floats:
        """Return 1 from the first document on that is relevant or unjudged."""
        return self.kernel(found=found + count_to(unjudged))
