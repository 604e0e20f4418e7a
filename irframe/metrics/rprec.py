"""R-precision."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class Rprec(Metric):
    """Precision at the depth where a perfect ranking would have listed everything relevant.

    With R relevant documents, the share of relevant ones among the first R: a topic with three
    relevant documents is looked at to rank 3, one with a hundred to rank 100.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there first.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Rprec@k = found(min(k, R)) / R``.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000.
       doi:10.1145/345508.345543

    Examples
    --------
    With R = 2, the second rank decides:

    >>> from irframe.metrics import Rprec
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Rprec(), [1, 0, 1])
    array([0.5, 0.5, 0.5])
    """

    rel: int = parameter(1, low=1, high=127)

    aliases = ("RPrec", "RPrecision", "r_precision")
    order = "relevance"
    fillings = "list"

    def kernel(self, *, found: Floats, n_relevant: Array) -> Floats:
        """Return precision at R of the list cut at each depth."""
        shape = (*found.shape[:-1], 1)
        last = np.clip(n_relevant, 1, found.shape[-1]) - 1
        at_r = np.take_along_axis(found, np.broadcast_to(last, shape), axis=-1)
        return np.minimum(found, at_r) / positive(n_relevant)

    def terms(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant * (rank <= n_relevant) / positive(n_relevant))
