"""Number of topics."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Floats, Metric


@dataclass(frozen=True, kw_only=True, repr=False)
class NumQ(Metric):
    """How many topics were scored.

    Parameters
    ----------
    depth
        Fixed evaluation depth; the number does not depend on it.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    1 for every topic; summaries add it up.

    Range: 1. Needs: nothing. No relevant documents: 1. Unjudged: no matter.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumQ
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NumQ(), [1, 0])
    array([1., 1.])
    """

    summary: ClassVar = "sum"

    def kernel(self, *, rank: Floats) -> Floats:
        """Return 1 at every depth."""
        return np.ones_like(rank)
