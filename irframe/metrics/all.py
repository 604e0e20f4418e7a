"""All evidence found."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Floats
from irframe.metrics.base import Metric, parameter

ROUNDING = 1e-9
"""How much less than a share is taken for it."""


@dataclass(frozen=True, kw_only=True, repr=False)
class All(Metric):
    """Whether all that is needed together has been read.

    1 where the first k documents hold the whole evidence of the topic, for questions that a part of
    it does not answer.

    Parameters
    ----------
    share
        The share of the evidence that is enough, above 0 to 1.
    rel
        Lowest relevant grade, at least 1; of documents.
    depth
        Fixed evaluation depth, usually written ``All @ 5``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``All@k = [found(k) >= share R]``, with R the number of relevant judged documents. Of judgments
    by spans all text that is evidence is wanted, and `share` is a share of it. Where judgments have
    a column ``set``, one document or one whole span of each set is.

    Range: 0 or 1. Needs: grades, R. No relevant documents: NaN. Unjudged: not relevant.

    References
    ----------
    .. [1] Yang, Qi, Zhang, Bengio, Cohen, Salakhutdinov, Manning. HotpotQA: a dataset for diverse,
       explainable multi-hop question answering. EMNLP 2018. doi:10.18653/v1/D18-1259

    Examples
    --------
    Two relevant documents, both found at rank 3:

    >>> from irframe.metrics import All
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(All(), [1, 0, 1], judged=[1, 1, 0])
    array([0., 0., 1.])
    """

    share: float = parameter(1.0, above=0, high=1)
    rel: int = parameter(1, low=1, high=127)

    subtopics = None
    spans = None
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found_share: Floats) -> Floats:
        """Return 1 from the depth on at which enough is found."""
        enough = (found_share >= self.share - ROUNDING).astype(float)
        return np.where(np.isnan(found_share), np.nan, enough)
