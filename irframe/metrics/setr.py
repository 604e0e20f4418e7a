"""Recall of the retrieved set."""

from dataclasses import dataclass
from typing import ClassVar

from irframe.metrics.base import Array, Floats, Metric, parameter
from irframe.metrics.evidence import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SetR(Metric):
    """How much of what is relevant was retrieved.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.

    Notes
    -----
    ``SetR@k = found(k) / R``, the same number as `Recall`.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    >>> from irframe.metrics import SetR, score_ranking
    >>> score_ranking(SetR(), [1, 0], judged=[1, 1])
    array([0.5, 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    order: ClassVar = "relevance"
    fillings: ClassVar = "cut"

    def kernel(self, *, found: Floats, n_relevant: Array) -> Floats:
        """Return the recall of the list cut at each depth."""
        return found / positive(n_relevant)
