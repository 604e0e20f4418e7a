"""Novelty- and rank-biased precision."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class NRBP(Metric):
    """Gain of covered subtopics that patient users collect, who like no repetition.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    beta
        Patience: the chance that users go on to the next rank, between 0 and 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``NRBP @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``(1 - (1 - alpha) beta) / S sum_(i<=k) beta^(i-1) G_i``, which is 1 for an endless ranking
    whose documents all cover all subtopics. G is the number of subtopics that a document covers,
    each earlier document that covers a subtopic leaving 1 - alpha of it, and S the number of
    subtopics that have a relevant document.

    Range: 0 to 1. Needs: grades by subtopic, the recall base. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Vechtomova. An effectiveness measure for ambiguous and underspecified
       queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import NRBP
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(NRBP(), [{1}, {1}, {2}]).round(3)
    array([0.375, 0.469, 0.562])
    """

    alpha: float = parameter(0.5, low=0, high=1)
    beta: float = parameter(0.5, above=0, below=1)
    rel: int = parameter(1, low=1, high=127)

    subtopics = True
    aliases = ()

    def kernel(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the gain collected down to each depth."""
        scale = (1 - (1 - self.alpha) * self.beta) / positive(n_subtopics)
        return np.asarray(scale * np.cumsum(novelty * self.beta ** (rank - 1), axis=-1))

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        scale = (1 - (1 - self.alpha) * self.beta) / positive(n_subtopics)
        return np.asarray(scale * novelty * self.beta ** (rank - 1))
