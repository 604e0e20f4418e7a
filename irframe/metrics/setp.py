"""Precision of the retrieved set."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.block import count_to
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SetP(Metric):
    """How much of what was retrieved is relevant.

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
    ``SetP@k = found(k) / min(k, length of the list)``; unlike `P`, a short list is not
    penalised.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    A list of two documents, looked at to depth 3:

    >>> from irframe.metrics import SetP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(SetP(), [1, 0], depth=3)
    array([1. , 0.5, 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    sees_length = True
    order = "relevance"

    def kernel(self, *, found: Floats, seen: Array) -> Floats:
        """Return the precision of the list cut at each depth."""
        return found / positive(seen)

    def terms(self, *, relevant: Array, seen: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant / positive(seen[..., -1:]))

    def ceiling(self, *, found: Floats, unjudged: Array, seen: Array) -> Floats:
        """Return the precision if unjudged documents were relevant."""
        return self.kernel(found=found + count_to(unjudged), seen=seen)
