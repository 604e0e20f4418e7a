"""Inverse atomized search length."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.asl import UNRETRIEVED, Unretrieved
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class InverseASL(Metric):
    """One over the mean search length of a topic, averaged harmonically over topics.

    Parameters
    ----------
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
    ``R / sum_d SL(d)`` with the search length SL(d) of `ASL`; a search length of 0 counts as 1.
    A topic scores as under ``AtomizedP(mean="harmonic")``; what differs is the mean over
    topics, the step "aggregate rates across queries" from MAP to ASL. It is one over the mean
    ASL, wherever no search length is 0.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: NaN. Unjudged:
    irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022. Section 4.4.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    Search lengths 1, 3 and 3:

    >>> from irframe.metrics import InverseASL
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(InverseASL(), [1, 0, None, 2, 0], judged=[1, 2, 1, 0, 0])[-1:].round(4)
    array([0.4286])
    """

    unretrieved: Unretrieved = parameter("irrel", choices=UNRETRIEVED)
    rel: int = parameter(1, low=1, high=127)

    sees_length = True
    average = "harmonic"
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
        """Return one over the mean search length of the list cut at each depth."""
        n = np.where(n_relevant > 0, n_relevant, np.nan)
        total = np.cumsum(search_length * relevant, axis=-1)
        return n / (total + (n - found) * np.maximum(missing_length, 1))
