"""Number of documents retrieved that are judged and not relevant."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class NumNonrelJudgedRet(Metric):
    """How many documents that are judged and not relevant were retrieved.

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
    Summaries add it up over topics.

    Range: 0 upwards. Needs: grades. No relevant documents: no matter. Unjudged: not counted, nor
    are grades below 0, which trec_eval takes for pooled but not judged.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumNonrelJudgedRet
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NumNonrelJudgedRet(), [0, None, 1, 0])
    array([1., 1., 1., 2.])
    """

    rel: int = parameter(1, low=1, high=127)

    summary: ClassVar = "sum"
    range: ClassVar = (0.0, np.inf)

    def kernel(self, *, relevant: Array, assessed: Array) -> Floats:
        """Return the judged non-relevant documents down to each depth."""
        return np.cumsum(assessed & ~relevant, axis=-1, dtype=np.float64)

    def terms(self, *, relevant: Array, assessed: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(assessed & ~relevant, np.float64)
