"""Number of relevant documents retrieved."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRelRet(Metric):
    """How many relevant documents were retrieved.

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
    ``NumRelRet@k = found(k)``; summaries add it up over topics.

    Range: 0 to R. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRelRet
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NumRelRet(), [1, 0, 1])
    array([1., 1., 2.])
    """

    rel: int = parameter(1, low=1, high=127)

    summary: ClassVar = "sum"
    range: ClassVar = (0.0, np.inf)
    order: ClassVar = "relevance"

    def kernel(self, *, found: Floats) -> Floats:
        """Return the relevant documents down to each depth."""
        return found

    def terms(self, *, relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return relevant.astype(np.float64)

    def ceiling(self, *, found: Floats, unjudged: Array) -> Floats:
        """Return the relevant and unjudged documents down to each depth."""
        return np.asarray(found + np.cumsum(unjudged, axis=-1))
