"""Precision at a multiple of R."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class RprecMult(Metric):
    """Precision at a depth that is a multiple of the number of relevant documents.

    Parameters
    ----------
    multiple
        The multiple, above 0; usually written ``RprecMult @ 0.2``.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there first.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``RprecMult(m)@k = found(min(k, K)) / K`` with ``K = int(m R + 0.9)``; with m = 1 it is
    `Rprec`.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    With R = 2, the first rank decides:

    >>> from irframe.metrics import RprecMult
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(RprecMult(multiple=0.5), [1, 0, 1])
    array([1., 1., 1.])
    """

    multiple: float = parameter(above=0)
    rel: int = parameter(1, low=1, high=127)

    at = "multiple"
    order = "relevance"
    fillings = "list"

    def kernel(self, *, found: Floats, n_relevant: Array) -> Floats:
        """Return precision at the multiple of R, of the list cut at each depth."""
        cut = np.floor(self.multiple * n_relevant + 0.9).astype(np.intp)
        last = np.broadcast_to(np.clip(cut, 1, found.shape[-1]) - 1, (*found.shape[:-1], 1))
        return np.minimum(found, np.take_along_axis(found, last, axis=-1)) / positive(cut)

    def terms(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        cut = np.floor(self.multiple * n_relevant + 0.9)
        return np.asarray(relevant * (rank <= cut) / positive(cut))
