"""Number of retrieved documents."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRet(Metric):
    """How many documents were retrieved.

    Parameters
    ----------
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``NumRet@k = min(k, length of the list)``; summaries add it up over topics.

    Range: 0 to the depth. Needs: list length. No relevant documents: no matter. Unjudged:
    counted.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRet
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NumRet(), [1, None], depth=3)
    array([1., 2., 2.])
    """

    summary: ClassVar = "sum"
    range: ClassVar = (0.0, np.inf)

    def kernel(self, *, seen: Array) -> Floats:
        """Return the length of the list cut at each depth."""
        return seen.astype(np.float64)

    def terms(self, *, rank: Floats, retrieved: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(rank <= retrieved, np.float64)
