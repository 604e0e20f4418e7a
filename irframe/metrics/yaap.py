"""Yet another average precision."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class YAAP(Metric):
    """Average precision on a scale on which topics average well: log-odds, smoothed.

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
    ``YAAP@k = ln((1 + S) / (1 + R - S))`` with S the sum of the precisions at the relevant
    documents down to k, which is R times average precision.

    Range: minus infinity to infinity. Needs: grades, R. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Robertson. On smoothing average precision. ECIR 2012. doi:10.1007/978-3-642-28997-2_14

    Examples
    --------
    Relevant at rank 1, of R = 2: the logarithm of 2/2.

    >>> from irframe.metrics import YAAP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(YAAP(), [1, 0, 1]).round(3)
    array([0.   , 0.   , 0.693])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases = ("yaap",)
    range = (-np.inf, np.inf)
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, relevant: Array, precision: Floats, n_relevant: Array) -> Floats:
        """Return the log-odds of the list cut at each depth."""
        total = np.cumsum(precision * relevant, axis=-1)
        return np.asarray(np.log1p(total) - np.log1p(n_relevant - total))
