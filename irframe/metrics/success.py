"""Success: was anything relevant found."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.block import count_to


@dataclass(frozen=True, kw_only=True, repr=False)
class Success(Metric):
    """Whether the user has seen anything relevant; its mean is the hit rate.

    1 if there is a relevant document among the first k, else 0. How many there are does not count.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Success @ 5``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Success@k = [found(k) > 0]``.

    Range: 0 or 1. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Craswell. Success at n. Encyclopedia of Database Systems, 2009.
       doi:10.1007/978-0-387-39940-9_486

    Examples
    --------
    >>> from irframe.metrics import Success
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Success(), [0, 1, 0])
    array([0., 1., 1.])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases = ("HitRate",)
    order = "relevance"

    def kernel(self, *, found: Floats) -> Floats:
        """Return 1 from the first relevant document on."""
        return (found > 0).astype(np.float64)

    def terms(self, *, relevant: Array, found: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant & (found == 1), np.float64)

    def ceiling(self, *, found: Floats, unjudged: Array) -> Floats:
        """Return 1 from the first document on that is relevant or unjudged."""
        return self.kernel(found=found + count_to(unjudged))
