"""Subtopic recall."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive
from irframe.metrics.subtopics import Hits


@dataclass(frozen=True, kw_only=True, repr=False)
class StRecall(Metric):
    """Share of the subtopics that some document covers.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``StRecall @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    Of the subtopics that have a relevant document, those that a document down to depth k covers.

    Range: 0 to 1. Needs: grades by subtopic, the recall base. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Zhai, Cohen, Lafferty. Beyond independent relevance: methods and evaluation metrics for
       subtopic retrieval. SIGIR 2003. doi:10.1145/860435.860440

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import StRecall
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(StRecall(), [{1}, {1}, {2}])
    array([0.5, 0.5, 1. ])
    """

    rel: int = parameter(1, low=1, high=127)

    subtopics = True
    aliases = ("strec",)

    def kernel(self, *, hits: Hits, n_subtopics: Array) -> Floats:
        """Return the share of the subtopics seen down to each depth."""
        return np.asarray(np.cumsum(hits.total(hits.earlier == 0), axis=-1) / positive(n_subtopics))

    def terms(self, *, hits: Hits, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(hits.total(hits.earlier == 0) / positive(n_subtopics))
