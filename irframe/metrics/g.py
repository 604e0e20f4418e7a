"""Gain that counts what was missed before."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain, Linear
from irframe.metrics.base import Metric, parameter
from irframe.metrics.contributions import divided
from irframe.metrics.evidence import Steps
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class G(Metric):
    """Gain as a share of all there is, the less the more was missed before it.

    Parameters
    ----------
    gain
        Gain map, by default the grades themselves. The scale of gains matters.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``G@k = (1 / sum of all gains) sum_{i<=k} g(i) / log2(2 + cg*(i) - cg(i))``, where cg cumulates
    gain and cg* that of the ideal ranking, which is taken to gain at least 1 at every rank. With
    binary gain it is `BinG`.

    Range: 0 to 1. Needs: grades, the recall base. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    Grade 2 is found one rank late, where 2 + 3 - 2 has the logarithm 1.585:

    >>> from irframe.metrics import G
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(G(), [0, 2, 1]).round(3)
    array([0.   , 0.421, 0.631])
    """

    gain: Gain = parameter(Linear(top=1))
    rel: int = parameter(1, low=1, high=127)

    def parts(
        self, *, gain: Floats, cumulated_gain: Floats, rank: Floats, ideal_steps: Steps
    ) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        falls, counts = ideal_steps
        ideal = np.zeros((*counts.shape[:-2], len(rank)))
        for step, fall in enumerate(falls):
            ideal += fall * (rank <= counts[..., step])
        missed = np.cumsum(np.maximum(ideal, 1), axis=-1) - cumulated_gain
        return gain / np.log2(2 + missed), positive(counts @ falls)

    kernel, terms = divided(parts)
