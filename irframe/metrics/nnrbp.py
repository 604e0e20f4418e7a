"""Normalised novelty- and rank-biased precision."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class nNRBP(Metric):
    """Novelty- and rank-biased precision, as a share of what the best ranking would have.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    beta
        Patience: the chance that users go on to the next rank, between 0 and 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``nNRBP @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) beta^(i-1) G_i``, divided by the same of the whole ideal ranking of `alpha_nDCG`,
    with its gains G.

    Range: 0 to 1, or a little more where the greedy ideal is not the best. Needs: grades by
    subtopic, the recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Vechtomova. An effectiveness measure for ambiguous and underspecified
       queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import nNRBP
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(nNRBP(), [{1}, {1}, {2}]).round(3)
    array([0.615, 0.769, 0.923])
    """

    alpha: float = parameter(0.5, low=0, high=1)
    beta: float = parameter(0.5, above=0, below=1)
    rel: int = parameter(1, low=1, high=127)

    subtopics = True
    aliases = ()

    def kernel(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> Floats:
        """Return the share of what the whole ideal ranking collects."""
        ideal = ideal_novelty @ self.beta ** np.arange(ideal_novelty.shape[-1])
        total = np.cumsum(novelty * self.beta ** (rank - 1), axis=-1)
        return np.asarray(total / positive(ideal)[..., np.newaxis])

    def terms(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        ideal = ideal_novelty @ self.beta ** np.arange(ideal_novelty.shape[-1])
        return np.asarray(novelty * self.beta ** (rank - 1) / positive(ideal)[..., np.newaxis])
