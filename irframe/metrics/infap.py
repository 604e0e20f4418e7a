"""Inferred average precision."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric, parameter
from irframe.metrics.evidence import positive

POOLED_UNJUDGED = -1
"""The grade that marks a document as pooled and not judged."""

EPSILON = 0.00001
"""Smoothing of the inferred precision, as in trec_eval."""


@dataclass(frozen=True, kw_only=True, repr=False)
class InfAP(Metric):
    """Average precision as inferred from a random sample of the pool.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    For a relevant document at rank i the precision above it is estimated as
    ``(pooled above / (i-1)) * (relevant above + e) / (judged above + 2e)`` with e = 0.00001.
    Grades below 0 mark documents that were pooled and left out of the sample; unlisted documents
    were not pooled. On complete judgments of the whole list it is close to AP.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: outside the pool.

    References
    ----------
    .. [1] Yilmaz, Aslam. Estimating average precision with incomplete and imperfect judgments.
       CIKM 2006. doi:10.1145/1183614.1183633

    Examples
    --------
    >>> from irframe.metrics import InfAP
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(InfAP(), [1, -1, 1]).round(4)
    array([0.5, 0.5, 1. ])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases: ClassVar = ("infAP",)

    def kernel(
        self, *, relevant: Array, judged: Array, assessed: Array, rank: Floats, n_relevant: Array
    ) -> Floats:
        """Return inferred average precision of the list cut at each depth."""
        words = {"judged": judged, "assessed": assessed, "n_relevant": n_relevant}
        return np.cumsum(self.terms(relevant=relevant, rank=rank, **words), axis=-1)

    def terms(
        self, *, relevant: Array, judged: Array, assessed: Array, rank: Floats, n_relevant: Array
    ) -> Floats:
        """Return what each rank adds to the score of the list."""
        pooled = np.cumsum(judged, axis=-1, dtype=np.float64) - judged
        seen = np.cumsum(assessed, axis=-1, dtype=np.float64) - assessed
        found = np.cumsum(relevant, axis=-1, dtype=np.float64) - relevant
        precision_above = pooled * (found + EPSILON) / (seen + 2 * EPSILON)
        return np.asarray((1 + precision_above) / rank * relevant / positive(n_relevant))
