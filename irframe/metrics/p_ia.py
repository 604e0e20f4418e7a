"""Intent-aware precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric, parameter
from irframe.metrics.evidence import positive
from irframe.metrics.subtopics import Hits


@dataclass(frozen=True, kw_only=True, repr=False)
class P_IA(Metric):
    """Share of relevant documents, averaged over what users may have meant.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``P_IA @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean of `P` over the subtopics that have a relevant document, as `IA` of it.

    Range: 0 to 1. Needs: grades by subtopic, the recall base. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Agrawal, Gollapudi, Halverson, Ieong. Diversifying search results. WSDM 2009.
       doi:10.1145/1498759.1498766

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import P_IA
    >>> from irframe.metrics.score_subtopics import score_subtopics
    >>> score_subtopics(P_IA(), [{1}, {1}, {2}])
    array([0.5, 0.5, 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    subtopics: ClassVar = True
    needs_depth: ClassVar = True
    aliases: ClassVar = ()

    def kernel(self, *, hits: Hits, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the mean over subtopics of precision at each depth."""
        covered = np.cumsum(hits.total(hits.covers), axis=-1)
        return np.asarray(covered / rank / positive(n_subtopics))

    def terms(self, *, hits: Hits, rank: Floats, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(hits.total(hits.covers) / rank[-1] / positive(n_subtopics))
