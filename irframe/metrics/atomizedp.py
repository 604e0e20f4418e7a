"""Atomized precision: what stands between average precision and atomized search length."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.asl import UNRETRIEVED, Unretrieved
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class AtomizedP(Metric):
    """Precision per relevant document, as if it were the only one, averaged over them.

    Parameters
    ----------
    mean
        How the documents of a topic are averaged: ``"arithmetic"``, the step "atomize P" from
        MAP to ASL; ``"harmonic"``, the step "aggregate documents within query" after it.
    unretrieved
        As for `ASL`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean of ``1 / SL(d)`` over the R relevant documents, arithmetic or harmonic, with the
    search length SL(d) of `ASL`; a search length of 0 counts as 1.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: NaN. Unjudged:
    irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Section 4.4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    Search lengths 1, 3 and 3:

    >>> from irframe.metrics import AtomizedP
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(AtomizedP(), [1, 0, None, 2, 0], judged=[1, 2, 1, 0, 0])[-1:].round(4)
    array([0.5556])
    >>> harmonic = AtomizedP(mean="harmonic")
    >>> score_ranking(harmonic, [1, 0, None, 2, 0], judged=[1, 2, 1, 0, 0])[-1:].round(4)
    array([0.4286])
    """

    mean: str = parameter("arithmetic", choices=("arithmetic", "harmonic"))
    unretrieved: Unretrieved = parameter("irrel", choices=UNRETRIEVED)
    rel: int = parameter(1, low=1, high=127)

    sees_length = True
    order = "relevance"

    def kernel(
        self,
        *,
        relevant: Array,
        found: Floats,
        search_length: Floats,
        missing_length: Floats,
        n_relevant: Array,
    ) -> Floats:
        """Return the mean over relevant documents, for the list cut at each depth."""
        n = np.where(n_relevant > 0, n_relevant, np.nan)
        power = 1 if self.mean == "harmonic" else -1
        inside = np.cumsum(search_length**power * relevant, axis=-1)
        total = inside + (n - found) * np.maximum(missing_length, 1) ** power
        return np.asarray(n / total if self.mean == "harmonic" else total / n)
