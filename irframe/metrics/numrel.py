"""Number of relevant documents."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from irframe.metrics.base import Array, Floats, Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRel(Metric):
    """How many judged documents are relevant.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth; the number does not depend on it.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    R, the same at every depth; summaries add it up over topics.

    Range: 0 upwards. Needs: R. No relevant documents: 0. Unjudged: not counted.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRel
    >>> from irframe.metrics.score_ranking import score_ranking
    >>> score_ranking(NumRel(), [1, 0], judged=[1, 1, 1])
    array([3., 3.])
    """

    rel: int = parameter(1, low=1, high=127)

    summary: ClassVar = "sum"
    range: ClassVar = (0.0, np.inf)

    def kernel(self, *, n_relevant: Array) -> Floats:
        """Return R at every depth."""
        return n_relevant.astype(np.float64)
