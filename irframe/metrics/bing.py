"""Binary G."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.contributions import divided
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class BinG(Metric):
    """How few documents that are not relevant stand above the relevant ones.

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
    ``BinG@k = (1/R) sum over the relevant documents down to k of 1 / log2(2 + n_above)``, with
    n_above the documents above that are not relevant: `G` with binary gain.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import BinG
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(BinG(), [1, 0, 1]).round(3)
    array([0.5  , 0.5  , 0.815])
    """

    rel: int = parameter(1, low=1, high=127)

    order = "relevance"
    fillings = "cut"

    def parts(
        self, *, relevant: Array, found: Floats, rank: Floats, n_relevant: Array
    ) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        return relevant / np.log2(2 + rank - found), positive(n_relevant)

    kernel, terms = divided(parts)
