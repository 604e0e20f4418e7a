"""nDCG averaged over the relevant documents."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.evidence import Steps
from irframe.metrics.positions import discounts, ideal_sum, positive


@dataclass(frozen=True, kw_only=True, repr=False)
class nDCGRel(Metric):
    """Share of the ideal discounted gain, averaged over the documents that gain anything.

    Parameters
    ----------
    gain
        Gain map; its scale cancels.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean over all judged documents with gain of `nDCG` at the rank of each; for one that was
    not retrieved down to k, the discounted gain of the list by that of the whole ideal ranking.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    One of two found, at the top: (1 + 1/1.631) / 2.

    >>> from irframe.metrics import nDCGRel
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(nDCGRel(), [1, 0], judged=[1, 1]).round(3)
    array([0.807, 0.807])
    """

    gain: Gain = parameter("linear")
    rel: int = parameter(1, low=1, high=127)

    aliases = ("ndcg_rel",)
    order = "gain"

    def kernel(self, *, gain: Floats, rank: Floats, ideal_steps: Steps) -> Floats:
        """Return the mean share of the ideal gain of the list cut at each depth."""
        falls, counts = ideal_steps
        gaining = counts[..., -1] if len(falls) else np.zeros(counts.shape[:-1])
        weights = discounts("log2", 2, max(len(rank), int(gaining.max(initial=0))))
        cumulated = np.concatenate([[0.0], np.cumsum(weights)])
        own = np.cumsum(gain * weights[: len(rank)], axis=-1)
        there = gain > 0
        shares = own / positive(ideal_sum(falls, counts, cumulated, rank))
        summed = np.cumsum(shares * there, axis=-1)
        whole = own / positive(ideal_sum(falls, counts, cumulated, np.full(1, np.inf)))
        missing = gaining - np.cumsum(there, axis=-1)
        return np.asarray((summed + missing * whole) / positive(gaining))
