"""Normalised intent-aware expected reciprocal rank."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive
from irframe.metrics.subtopics import stretch


@dataclass(frozen=True, kw_only=True, repr=False)
class nERR_IA(Metric):
    """Intent-aware expected reciprocal rank, as a share of what the best ranking would have.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``nERR_IA @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) G_i / i``, divided by the same of the ideal ranking of `alpha_nDCG`, with its
    gains G.

    Range: 0 to 1, or a little more where the greedy ideal is not the best. Needs: grades by
    subtopic, the recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Chapelle, Ji, Liao, Velipasaoglu, Lai, Wu. Intent-based diversification of web search
       results: metrics and algorithms. Information Retrieval 14, 2011.
       doi:10.1007/s10791-011-9167-7

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import nERR_IA
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(nERR_IA(), [{1}, {1}, {2}]).round(3)
    array([1.   , 0.833, 0.95 ])
    """

    alpha: float = parameter(0.5, low=0, high=1)
    rel: int = parameter(1, low=1, high=127)

    subtopics = True
    needs_depth = True
    aliases = ()

    def kernel(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> Floats:
        """Return the share of the ideal ranking's at each depth."""
        ideal = np.cumsum(stretch(ideal_novelty, len(rank)) / rank, axis=-1)
        return np.asarray(np.cumsum(novelty / rank, axis=-1) / positive(ideal))

    def terms(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        ideal = stretch(ideal_novelty, len(rank)) @ (1 / rank)
        return np.asarray(novelty / rank / positive(ideal)[..., np.newaxis])
