"""Discounted gain of covered subtopics."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_DCG(Metric):
    """Discounted gain of documents that cover subtopics, repetition counting ever less.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    bound
        Whether to divide by what a ranking would score whose documents all cover all subtopics, as
        ndeval and ir_measures do, though ndeval not at depth 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``alpha_DCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) G_i / log2(i + 1)``, divided by ``S sum_(i<=k) (1 - alpha)^(i-1) / log2(i + 1)``
    if bound. G is the number of subtopics that a document covers, each earlier document that
    covers a subtopic leaving 1 - alpha of it, and S the number of subtopics that have a relevant
    document.

    Range: 0 to 1, without an end unless bound. Needs: grades by subtopic, the recall base. No
    relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buttcher, MacKinnon. Novelty and diversity in
       information retrieval evaluation. SIGIR 2008. doi:10.1145/1390334.1390446

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import alpha_DCG
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(alpha_DCG(bound=False), [{1}, {1}, {2}]).round(3)
    array([1.   , 1.315, 1.815])
    """

    alpha: float = parameter(0.5, low=0, high=1)
    bound: bool = parameter(True)  # noqa: FBT003
    rel: int = parameter(1, low=1, high=127)

    range = (0.0, np.inf)
    subtopics = True
    needs_depth = True
    aliases = ("\u03b1_DCG",)

    def kernel(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the discounted gain down to each depth."""
        weights = 1 / np.log2(1 + rank)
        total: Floats = np.cumsum(novelty * weights, axis=-1)
        if not self.bound:
            return total
        most = n_subtopics * np.cumsum((1 - self.alpha) ** (rank - 1) * weights)
        return total / positive(most)

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        weights = 1 / np.log2(1 + rank)
        if not self.bound:
            return novelty * weights
        most = n_subtopics * np.sum((1 - self.alpha) ** (rank - 1) * weights)
        return np.asarray(novelty * weights / positive(most))
