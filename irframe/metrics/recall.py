"""Recall."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class Recall(Metric):
    """How much of what is relevant the user has seen.

    The share of the relevant documents of the topic that are among the first k. It can only grow
    with k, and depends on how many relevant documents the judges found.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Recall @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Recall@k = found(k) / R``, with R the number of relevant judged documents. Without a depth
    that is the recall of the retrieved set.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    Two of four relevant documents are retrieved:

    >>> from irframe.metrics import Recall
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Recall(), [1, 0, 1], judged=[1, 1, 1, 1, 0])
    array([0.25, 0.25, 0.5 ])
    """

    rel: int = parameter(1, low=1, high=127)

    additive = True
    aliases = ("R", "SetR")
    linear = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, n_relevant: Array) -> Floats:
        """Return the share of the relevant documents found down to each depth."""
        return found / positive(n_relevant)

    def terms(self, *, relevant: Array, n_relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant / positive(n_relevant))
