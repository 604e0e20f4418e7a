"""Share of judged documents."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric
from irframe.metrics.block import count_to
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Metric):
    """How much of what the user looks at has been judged at all.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``Judged @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Judged@k = judged documents in the top k / min(k, length of the list)``.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: no matter. Unjudged: what
    it counts. An empty list: 0.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 2.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.metrics import Judged
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Judged(), [1, None, 0, None])
    array([1.        , 0.5       , 0.66666667, 0.5       ])
    """

    order = "judged"

    def kernel(self, *, judged: Array, seen: Array) -> Floats:
        """Return the share of judged documents down to each depth."""
        return count_to(judged) / positive(seen)

    def terms(self, *, judged: Array, seen: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(judged / positive(seen[..., -1:]))
