"""Interpolated precision at a level of recall."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class IPrec(Metric):
    """Best precision to be had at or beyond a level of recall.

    Parameters
    ----------
    recall
        Level of recall, 0 to 1; usually written ``IPrec @ 0.1``.
    rounding
        How the level becomes a number of documents: ``"up"``, int(recall R + 0.9), as
        trec_eval 9, or ``"nearest"``, as trec_eval 10.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``IPrec(x)@k = max of P(i) over the ranks i <= k where found(i) has reached the level``, 0 if
    none has.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    Half of the relevant documents are found at rank 2:

    >>> from irframe.metrics import IPrec
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(IPrec(recall=0.5), [0, 1, 1, 0], judged=[1, 1]).round(4)
    array([0.    , 0.5   , 0.6667, 0.6667])
    """

    recall: float = parameter(low=0, high=1)
    rounding: str = parameter("up", choices=("up", "nearest"))
    rel: int = parameter(1, low=1, high=127)

    at = "recall"
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the interpolated precision of the list cut at each depth."""
        return np.maximum.accumulate(self._reached(found, precision, n_relevant), axis=-1)

    def last(self, *, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the interpolated precision of the list cut at the last depth."""
        return np.asarray(self._reached(found, precision, n_relevant).max(axis=-1, keepdims=True))

    def _reached(self, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the precision at the ranks where the level is reached, 0 at others."""
        needed = np.floor(self.recall * n_relevant + (0.9 if self.rounding == "up" else 0.5))
        return np.asarray(precision * (found >= needed))
