"""Normalised discounted gain of covered subtopics."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive
from irframe.metrics.subtopics import stretch


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_nDCG(Metric):
    """Discounted gain of covered subtopics, as a share of what the best ranking would have.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``alpha_nDCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) G_i / log2(i + 1)``, divided by the same of the ideal ranking, which takes at
    every rank the document that gains the most, the last one by its name where several do. G is
    the number of subtopics that a document covers, each earlier document that covers a subtopic
    leaving 1 - alpha of it.

    Range: 0 to 1, or a little more where the greedy ideal is not the best. Needs: grades by
    subtopic, the recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buttcher, MacKinnon. Novelty and diversity in
       information retrieval evaluation. SIGIR 2008. doi:10.1145/1390334.1390446

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import alpha_nDCG
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(alpha_nDCG(), [{1}, {1}, {2}]).round(3)
    array([1.   , 0.807, 0.965])
    """

    alpha: float = parameter(0.5, low=0, high=1)
    rel: int = parameter(1, low=1, high=127)

    subtopics = True
    needs_depth = True
    aliases = ("\u03b1_nDCG",)

    def kernel(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> Floats:
        """Return the share of the ideal discounted gain at each depth."""
        weights = 1 / np.log2(1 + rank)
        ideal = np.cumsum(stretch(ideal_novelty, len(rank)) * weights, axis=-1)
        return np.asarray(np.cumsum(novelty * weights, axis=-1) / positive(ideal))

    def terms(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> Floats:
        """Return what each rank adds to the score of the list."""
        weights = 1 / np.log2(1 + rank)
        ideal = stretch(ideal_novelty, len(rank)) @ weights
        return np.asarray(novelty * weights / positive(ideal)[..., np.newaxis])
