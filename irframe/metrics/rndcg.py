"""nDCG averaged over the levels of the ideal ranking."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.evidence import Steps
from irframe.metrics.positions import discounts, ideal_sum, positive


@dataclass(frozen=True, kw_only=True, repr=False)
class RnDCG(Metric):
    """Share of the ideal discounted gain, averaged over the depths where the ideal gain falls.

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
    The mean of `nDCG` at the ranks down to which the ideal ranking has documents of each gain or
    a higher one, and of that of the whole list if this has at least two documents more than gain
    anything.

    Range: 0 to 1. Needs: grades, the recall base, list length. No relevant documents: 0.
    Unjudged: gain 0.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    Grade 2 ends at rank 1, where nothing is found, and grade 1 at rank 2, with 1.262 of 2.631:

    >>> from irframe.metrics import RnDCG
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(RnDCG(), [0, 2, 1]).round(3)
    array([0.  , 0.24, 0.24])
    """

    gain: Gain = parameter("linear")
    rel: int = parameter(1, low=1, high=127)

    aliases = ("Rndcg",)
    sees_length = True
    order = "gain"

    def kernel(self, *, gain: Floats, rank: Floats, seen: Array, ideal_steps: Steps) -> Floats:
        """Return the mean over the levels of the list cut at each depth."""
        falls, counts = ideal_steps
        if not len(falls):
            return np.zeros(gain.shape)
        longest = max(len(rank), int(counts.max(initial=0)))
        weights = discounts("log2", 2, longest)
        cumulated = np.concatenate([[0.0], np.cumsum(weights)])
        own = np.cumsum(gain * weights[: len(rank)], axis=-1)
        total, points = np.zeros(own.shape), np.zeros(own.shape)
        for step in range(len(falls)):
            end = counts[..., step]
            new = end > (counts[..., step - 1] if step else 0)
            total += new * _upto(own, end) / positive(ideal_sum(falls, counts, cumulated, end))
            points += new
        more = seen > end + 1
        total += more * own / positive(ideal_sum(falls, counts, cumulated, end))
        return total / positive(points + more)


def _upto(cumulated: Floats, end: Array) -> Floats:
    """Return sums down to each depth or to a rank, whatever comes first."""
    last = np.clip(end, 1, cumulated.shape[-1]) - 1
    at_end = np.take_along_axis(cumulated, np.broadcast_to(last, (*cumulated.shape[:-1], 1)), -1)
    return np.minimum(cumulated, at_end)
