"""Intent-aware expected reciprocal rank."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR_IA(Metric):
    """Expected reciprocal rank at which users stop, averaged over what they may have meant.

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
        Fixed evaluation depth, usually written ``ERR_IA @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``1/S sum_(i<=k) G_i / i``, divided by ``sum_(i<=k) (1 - alpha)^(i-1) / i`` if bound. G is the
    number of subtopics that a document covers, each earlier document that covers a subtopic
    leaving 1 - alpha of it, and S the number of subtopics that have a relevant document.

    Range: 0 to 1, without an end unless bound. Needs: grades by subtopic, the recall base. No
    relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Chapelle, Ji, Liao, Velipasaoglu, Lai, Wu. Intent-based diversification of web search
       results: metrics and algorithms. Information Retrieval 14, 2011.
       doi:10.1007/s10791-011-9167-7

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import ERR_IA
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(ERR_IA(bound=False), [{1}, {1}, {2}]).round(3)
    array([0.5  , 0.625, 0.792])
    """

    alpha: float = parameter(0.5, low=0, high=1)
    bound: bool = parameter(True)  # noqa: FBT003
    rel: int = parameter(1, low=1, high=127)

    range = (0.0, np.inf)
    subtopics = True
    needs_depth = True
    aliases = ()

    def kernel(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the expected reciprocal rank down to each depth."""
        total = np.cumsum(novelty / rank, axis=-1) / positive(n_subtopics)
        if not self.bound:
            return np.asarray(total)
        return np.asarray(total / np.cumsum((1 - self.alpha) ** (rank - 1) / rank))

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        most = np.sum((1 - self.alpha) ** (rank - 1) / rank) if self.bound else 1.0
        return np.asarray(novelty / rank / positive(n_subtopics) / most)
