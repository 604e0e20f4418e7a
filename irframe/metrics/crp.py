"""Cumulated relative position."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import ExpectedRanks, recall_base


@dataclass(frozen=True, kw_only=True, repr=False)
class CRP(Metric):
    """How far a ranking has strayed from the ideal one; 0 is not at all, or made up for.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1; grades below it are non-relevant.
    depth
        Fixed evaluation depth.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``CRP@k = sum_{i<=k} RP(i)``, RP the signed number of ranks by which the document at rank i
    misses the ranks [first, last] of its grade in the ideal ranking: ``i - first`` above them,
    ``i - last`` below them, 0 inside.

    Range: -R(R+1)/2 upwards; the farther from 0, the worse. Needs: grades, the recall base. No
    relevant documents: NaN. Unjudged: non-relevant.

    References
    ----------
    .. [1] Ferro, Silvello, Keskustalo, Pirkola, Jarvelin. The twist measure for IR evaluation:
       taking user's effort into account. JASIST 67, 2016. Definitions 1 and 2.
       doi:10.1002/asi.23416

    Examples
    --------
    Two relevant documents belong to ranks 1 and 2; the one at rank 4 stands 2 too low:

    >>> from irframe.metrics import CRP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(CRP(), [0, 1, 0, 1])
    array([-2., -2., -2.,  0.])
    """

    rel: int = parameter(1, low=1, high=127)

    needs_depth = True
    range = (-np.inf, np.inf)

    def kernel(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return the summed relative position down to each depth."""
        curve = np.cumsum(relative_position, axis=-1, dtype=np.float64)
        return np.where(recall_base(expected_ranks) > 0, curve, np.nan)

    def terms(self, *, relative_position: Array, expected_ranks: ExpectedRanks) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.where(recall_base(expected_ranks) > 0, relative_position, np.nan)
