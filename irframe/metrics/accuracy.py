"""Accuracy of pairs."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class Accuracy(Metric):
    """How often a relevant document stands above one that is not, of those retrieved.

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
    The share of the pairs of a relevant document and one that is not, both retrieved, in which the
    relevant one is first. It says nothing of what was missed: cutting a list may raise it.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: NaN, as where all or none of
    the documents retrieved are relevant. Unjudged: not relevant.

    References
    ----------
    .. [1] MacAvaney, Macdonald, Ounis. Streamlining evaluation with ir-measures. ECIR 2022.
       doi:10.1007/978-3-030-99739-7_38

    Examples
    --------
    >>> from irframe.metrics import Accuracy
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Accuracy(), [1, 0, 1])
    array([nan, 1. , 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    sees_length = True

    def kernel(self, *, relevant: Array, found: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the share of pairs in order down to each depth."""
        pairs = found * (seen - found)
        wrong = np.cumsum(relevant * (rank - found), axis=-1)
        return np.asarray(1 - wrong / np.where(pairs > 0, pairs, np.nan))
