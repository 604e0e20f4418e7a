"""Intent-aware average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric, parameter
from irframe.metrics.evidence import positive
from irframe.metrics.subtopics import Hits


@dataclass(frozen=True, kw_only=True, repr=False)
class AP_IA(Metric):
    """Average precision, averaged over what users may have meant.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``AP_IA @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean of `AP` over the subtopics that have a relevant document, as `IA` of it.

    Range: 0 to 1. Needs: grades by subtopic, the recall base. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Agrawal, Gollapudi, Halverson, Ieong. Diversifying search results. WSDM 2009.
       doi:10.1145/1498759.1498766

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import AP_IA
    >>> from irframe.metrics.score_subtopics import score_subtopics
    >>> score_subtopics(AP_IA(), [{1}, {1}, {2}]).round(3)
    array([0.25 , 0.5  , 0.667])
    """

    rel: int = parameter(1, low=1, high=127)

    subtopics: ClassVar = True
    aliases: ClassVar = ("MAP_IA",)

    def kernel(self, *, hits: Hits, rank: Floats, n_subtopics: Array, by_subtopic: Array) -> Floats:
        """Return the mean over subtopics of average precision down to each depth."""
        worth = (hits.earlier + 1) / positive(hits.spread(by_subtopic))
        return np.asarray(np.cumsum(hits.total(worth) / rank, axis=-1) / positive(n_subtopics))

    def terms(self, *, hits: Hits, rank: Floats, n_subtopics: Array, by_subtopic: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        worth = (hits.earlier + 1) / positive(hits.spread(by_subtopic))
        return np.asarray(hits.total(worth) / rank / positive(n_subtopics))
