"""Precision of the retrieved set relative to the best for its size."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SetRelativeP(Metric):
    """How much of the relevant documents that the retrieved set has room for are in it.

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
    ``SetRelativeP@k = found(k) / min(n, R)`` with n the smaller of k and the length of the list;
    unlike `RelativeP`, a short list is not penalised.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    A list of two documents, of R = 3, looked at to depth 3:

    >>> from irframe.metrics import SetRelativeP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(SetRelativeP(), [1, 0], judged=[1, 1, 1], depth=3)
    array([1. , 0.5, 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases = ("SetRelP",)
    sees_length = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return the relative precision of the list cut at each depth."""
        return found / positive(np.minimum(seen, n_relevant))

    def terms(self, *, relevant: Array, seen: Array, n_relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant / positive(np.minimum(seen[..., -1:], n_relevant)))
