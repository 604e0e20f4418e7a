"""Expected search length."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class ESL(Metric):
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

    rel: int = parameter(1, low=1, high=127)

    cost = True
    order = "relevance"
    range = (1.0, np.inf)

    def kernel(self, *, relevant: Array, rank: Floats) -> Floats:
        """Return the rank of the first relevant document from there on, NaN above it."""
        first = 1 + np.argmax(relevant, axis=-1, keepdims=True)
        reached = (rank >= first) & relevant.any(axis=-1, keepdims=True)
        return np.where(reached, first, np.nan)
