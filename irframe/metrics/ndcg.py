"""Normalised discounted cumulated gain."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, parameter
from irframe.metrics.contributions import divided
from irframe.metrics.positions import DISCOUNTS

Ideal = Literal["judged", "pool", "full"]
"""What an ideal ranking is made of."""


@dataclass(frozen=True, kw_only=True, repr=False)
class nDCG(Metric):
    """Discounted gain as a share of what the best possible ranking would have collected.

    A document gains by its grade, and the less the further down it stands. The sum is divided by
    that of the judged documents in their best order, so that 1 is perfect on every topic.

    Parameters
    ----------
    gain
        Gain map; its scale cancels.
    discount
        ``"log2"``: gain divided by log2(1 + i). ``"zipf"``: by i. ``"jk"``: from rank `base`
        on by log_base(i), undiscounted above.
    base
        Base of ``"jk"``, above 1.
    ideal
        The ranking to divide by: ``"judged"``, all judged documents, cut at the same depth
        (NDCG_a, trec_eval); ``"pool"``, the documents of the pool as deep as the evaluation,
        all judged ones from the pool depth on (NDCG_b); ``"full"``, all judged documents,
        never cut.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth, usually written ``nDCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``nDCG@k = DCG@k / iDCG@k``.

    Range: 0 to 1; with ``"pool"`` above 1 for some runs that did not contribute. Needs: grades,
    the recall base; for ``"pool"`` the contributing runs. No relevant documents: 0. Unjudged:
    gain 0.

    References
    ----------
    .. [1] Jarvelin, Kekalainen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20,
       2002. doi:10.1145/582415.582418
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    The best document first, the second best missed:

    >>> from irframe.metrics import nDCG
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(nDCG(discount="zipf"), [2, 0], judged=[2, 1])
    array([1. , 0.8])
    """

    gain: Gain = parameter("linear")
    discount: str = parameter("log2", choices=DISCOUNTS)
    base: float = parameter(2, above=1)
    ideal: Ideal = parameter("judged", choices=get_args(Ideal))
    rel: int = parameter(1, low=1, high=127)

    additive = True
    aliases = ("NDCG", "ndcg", "normalized_dcg")
    order = "gain"
    fillings = "cut"
    graded = "ratios"

    def uncut(self) -> "nDCG":
        """Return the metric by all that is relevant, whatever the depth."""
        return replace(self, ideal="full")

    def parts(self, *, gain: Floats, weights: Floats, ideal_gain: Floats) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        return gain * weights, ideal_gain

    kernel, terms = divided(parts)
