"""Precision relative to the best that a depth allows."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class RelativeP(Metric):
    """How much of the relevant documents that could be among the first the user has seen.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``RelativeP @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``RelativeP@k = found(k) / min(k, R)``: precision down to rank R, recall from there on. BEIR
    calls it capped recall.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Thakur, Reimers, Ruckle, Srivastava, Gurevych. BEIR: a heterogeneous benchmark for
       zero-shot evaluation of information retrieval models. NeurIPS 2021.
       doi:10.48550/arXiv.2104.08663

    Examples
    --------
    Two relevant documents, the second at rank 3:

    >>> from irframe.metrics import RelativeP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(RelativeP(), [1, 0, 1])
    array([1. , 0.5, 1. ])
    """

    rel: int = parameter(1, low=1, high=127)

    needs_depth = True
    aliases = ("R_cap", "RCap")
    linear = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, rank: Floats, n_relevant: Array) -> Floats:
        """Return the share of the relevant documents there might be down to each depth."""
        return found / positive(np.minimum(rank, n_relevant))

    def terms(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(relevant / positive(np.minimum(rank[-1], n_relevant)))
