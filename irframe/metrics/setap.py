"""Average precision of the retrieved set."""

from dataclasses import dataclass

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SetAP(Metric):
    """Precision times recall of what was retrieved, whatever its order.

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
    ``SetAP@k = found(k)^2 / (n R)`` with n the smaller of k and the length of the list: average
    precision as if every relevant document found had the precision of the whole set.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    Precision 1/2 and recall 1/3:

    >>> from irframe.metrics import SetAP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(SetAP(), [1, 0], judged=[1, 1, 1]).round(3)
    array([0.333, 0.167])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases = ("SetMAP",)
    sees_length = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return precision times recall of the list cut at each depth."""
        return found**2 / positive(seen * n_relevant)
