"""Q-measure."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.ap import NORMS, Norm
from irframe.metrics.base import Metric, parameter
from irframe.metrics.evidence import Steps
from irframe.metrics.positions import ideal_sum


@dataclass(frozen=True, kw_only=True, repr=False)
class Q(Metric):
    """Average precision that also counts how much was gained on the way.

    Parameters
    ----------
    beta
        Weight of gain against count, at least 0; 0 gives AP. Not free of the gains' scale.
    gain
        Gain map.
    norm
        What the sum is divided by: ``"R"``, ``"min"`` or ``"pool"``, as for `AP`.
    ideal
        Where the ideal gain comes from: ``"judged"``, all judged documents, or ``"pool"``,
        those of the pool as deep as the evaluation. The latter takes time in proportion to
        the square of the pool depth.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Q @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Q@k = (1/N) sum_{i<=k} b(i) (cb(i) + beta cg(i)) / (i + beta cg*(i))``, where cb counts
    relevant documents, cg cumulates gain, and cg* the gain of the ideal ranking, constant past
    the last judged document.

    Range: 0 to 1; with ``norm="pool"`` above 1 for some runs that did not contribute. Needs:
    grades, the recall base; for ``"pool"`` the contributing runs. No relevant documents: 0.
    Unjudged: gain 0, not relevant.

    References
    ----------
    .. [1] Sakai. New performance metrics based on multigrade relevance: their application to
       question answering. NTCIR-4, 2004.
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.metrics import Q
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Q(), [2, 0, 1]).round(4)
    array([0.5   , 0.5   , 0.8889])
    """

    beta: float = parameter(1.0, low=0)
    gain: Gain = parameter("linear")
    norm: Norm = parameter("R", choices=NORMS)
    ideal: Literal["judged", "pool"] = parameter("judged", choices=("judged", "pool"))
    rel: int = parameter(1, low=1, high=127)

    aliases = ("QM", "QMeasure")
    order = "reward"
    fillings = "cut"
    graded = "labelings"

    def uncut(self) -> "Q":
        """Return the metric by all that is relevant, whatever the depth."""
        return replace(self, norm="R", ideal="judged")

    def kernel(
        self,
        *,
        relevant: Array,
        found: Floats,
        cumulated_gain: Floats,
        rank: Floats,
        normaliser: Floats,
        ideal_steps: Steps,
        pool_steps: Steps | None,
    ) -> Floats:
        """Return the Q-measure at each depth."""
        reward = (found + self.beta * cumulated_gain) * relevant
        total = np.cumsum(reward / self._effort(*ideal_steps, rank), axis=-1)
        if pool_steps is not None:
            falls, counts = pool_steps
            for depth in _shallow(counts, ideal_steps[1]):
                at_depth = counts[..., depth - 1 : depth, :]
                effort = self._effort(falls, at_depth, rank[:depth])
                total[..., depth - 1] = np.cumsum(reward[..., :depth] / effort, axis=-1)[..., -1]
        return total / normaliser

    def terms(
        self,
        *,
        relevant: Array,
        found: Floats,
        cumulated_gain: Floats,
        rank: Floats,
        normaliser: Floats,
        ideal_steps: Steps,
        pool_steps: Steps | None,
    ) -> Floats:
        """Return what each rank adds to the score of the list."""
        falls, counts = ideal_steps if pool_steps is None else pool_steps
        effort = self._effort(falls, counts[..., -1:, :], rank)
        reward = (found + self.beta * cumulated_gain) * relevant
        return np.asarray(reward / effort / normaliser[..., -1:])

    def _effort(self, falls: Floats, counts: Array, rank: Floats) -> Floats:
        ranks = np.arange(len(rank) + 1.0)
        return rank + self.beta * ideal_sum(falls, counts, ranks, rank)


def _shallow(pooled: Array, full: Array) -> list[int]:
    differs = (pooled != full).any(axis=-1)
    shallow = differs.any(axis=tuple(range(differs.ndim - 1)))
    return [int(depth) for depth in 1 + np.flatnonzero(shallow)]
