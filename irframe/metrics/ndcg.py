"""Discounted cumulated gain and its normalised variants."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain, Linear
from irframe.metrics.base import Thresholded, parameter
from irframe.quantities.evidence import Steps
from irframe.quantities.positions import DISCOUNTS, discounts, ideal_ranking, ideal_sum, positive
from irframe.quantities.subtopics import Strata


@dataclass(frozen=True, kw_only=True, repr=False)
class BinG(Thresholded):
    """Binary G: recall discounted by the non-relevant documents above.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``BinG@k = (1/R) sum over the relevant documents down to k of 1 / log2(2 + n_above)``, where
    n_above is the number of non-relevant documents above the document, and R the number of relevant
    judged documents. The score equals the score of `G` with binary gain.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import BinG
    >>> BinG().curve([1, 0, 1]).round(3)
    array([0.5  , 0.5  , 0.815])
    """

    order = "relevance"
    fillings = "cut"

    def parts(
        self, *, relevant: Array, found: Floats, rank: Floats, n_relevant: Array
    ) -> tuple[Array, Array]:
        """Return the undivided contribution of each rank, and the divisor."""
        return relevant / np.log2(2 + rank - found), positive(n_relevant)


@dataclass(frozen=True, kw_only=True, repr=False)
class G(Thresholded):
    """Normalised gain, discounted by the gain missed above.

    Parameters
    ----------
    gain
        Gain map. By default the gain of a document is its grade. The score depends on the scale of
        the gains.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``G@k = (1 / sum of all gains) sum_{i<=k} g(i) / log2(2 + cg*(i) - cg(i))``. Here g(i) is the
    gain at rank i. cg(i) and cg*(i) are the cumulated gains of the list and of the ideal ranking
    down to i. For cg*, every rank of the ideal ranking has a gain of at least 1. With binary gain
    the metric is `BinG`.

    Range: 0 to 1. Needs: grades, recall base. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    The document with grade 2 is at rank 2, where the discount is log2(2 + 3 - 2) = 1.585:

    >>> from irframe.metrics import G
    >>> G().curve([0, 2, 1]).round(3)
    array([0.   , 0.421, 0.631])
    """

    gain: Gain = parameter(Linear(top=1))

    def parts(
        self, *, gain: Floats, cumulated_gain: Floats, rank: Floats, ideal_steps: Steps
    ) -> tuple[Array, Array]:
        """Return the undivided contribution of each rank, and the divisor."""
        gains, counts = ideal_steps
        ideal = ideal_ranking(gains, counts[..., 0, :], len(rank))
        missed = np.cumsum(np.maximum(ideal, 1), axis=-1) - cumulated_gain
        total = ideal_sum(gains, counts, np.full(1, np.inf), "none")
        return gain / np.log2(2 + missed), positive(total)


@dataclass(frozen=True, kw_only=True, repr=False)
class DCG(Thresholded):
    """Discounted cumulated gain.

    The gain of a document is its grade, divided by a discount that grows with the logarithm of the
    rank. The score is the sum of these discounted gains. DCG has no upper bound, so topics with
    many relevant documents have more weight in means than with `nDCG`.

    Parameters
    ----------
    gain
        Gain map. By default the gain of a document is its grade, as in ranx and scikit-learn. With
        ``"linear"``, the gain is the grade divided by the highest grade of the collection.
    discount
        Discount at rank i. ``"log2"`` divides the gain by log2(1 + i), and ``"zipf"`` divides the
        gain by i. ``"jk"`` divides the gain by log_base(i) if i is at least `base`, and does not
        discount the gain otherwise.
    base
        Base of the logarithm with ``"jk"``, above 1.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, usually written ``DCG @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``DCG@k = sum_{i<=k} G(i) D(i)``, where G(i) is the gain and D(i) the discount factor at rank i.

    Range: 0 upwards. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Jarvelin, Kekalainen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20,
       2002. doi:10.1145/582415.582418

    Examples
    --------
    >>> from irframe.metrics import DCG
    >>> DCG(discount="zipf").curve([2, 0, 1])
    array([2.        , 2.        , 2.33333333])
    """

    gain: Gain = parameter(Linear(top=1))
    discount: str = parameter("log2", choices=DISCOUNTS)
    base: float = parameter(2, above=1)

    linear = True
    range = (0.0, np.inf)
    order = "gain"

    def terms(self, *, gain: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return gain * discounts(self.discount, self.base, gain.shape[-1])

    def ceiling(self, *, filled_gain: Floats) -> Floats:
        """Return the DCG if unjudged documents had the highest gain."""
        return self.kernel(gain=filled_gain)


Ideal = Literal["judged", "pool", "full"]
"""Values of the parameter `ideal` of `nDCG`."""


@dataclass(frozen=True, kw_only=True, repr=False)
class nDCG(Thresholded):
    """Normalised discounted cumulated gain.

    The DCG of the list is divided by the DCG of the ideal ranking, which contains the judged
    documents in order of decreasing gain. A perfect list therefore scores 1 on every topic.

    Parameters
    ----------
    gain
        Gain map. The scale of the gains has no effect.
    discount
        Discount at rank i. ``"log2"`` divides the gain by log2(1 + i), and ``"zipf"`` divides the
        gain by i. ``"jk"`` divides the gain by log_base(i) if i is at least `base`, and does not
        discount the gain otherwise.
    base
        Base of the logarithm with ``"jk"``, above 1.
    ideal
        Ideal ranking in the denominator. ``"judged"`` is the ranking of all judged documents, cut
        at depth k (NDCG_a, as in trec_eval). ``"pool"`` is the ranking of the documents in the pool
        of depth k, for any k below the pool depth of the collection (NDCG_b). For any other k,
        ``"pool"`` equals ``"judged"``. ``"full"`` is the ranking of all judged documents without a
        cut.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, usually written ``nDCG @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``nDCG@k = DCG@k / iDCG@k``, where iDCG is the DCG of the ideal ranking.

    Range: 0 to 1, but runs that did not contribute to the pool may exceed 1 with ``"pool"``. Needs:
    grades, recall base, and the contributing runs for ``"pool"``. No relevant documents: 0.
    Unjudged: gain 0.

    References
    ----------
    .. [1] Jarvelin, Kekalainen. Cumulated gain-based evaluation of IR techniques. ACM TOIS 20,
       2002. doi:10.1145/582415.582418
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    The document with grade 2 is at rank 1, and the one with grade 1 is not retrieved:

    >>> from irframe.metrics import nDCG
    >>> nDCG(discount="zipf").curve([2, 0, 1], listed=[1, 1, 0])[:2]
    array([1. , 0.8])
    """

    gain: Gain = parameter("linear")
    discount: str = parameter("log2", choices=DISCOUNTS)
    base: float = parameter(2, above=1)
    ideal: Ideal = parameter("judged", choices=get_args(Ideal))

    linear = True
    aliases = ("NDCG", "ndcg", "normalized_dcg")
    order = "gain"
    fillings = "cut"
    graded = "ratios"

    def uncut(self) -> "nDCG":
        """Return the variant whose normaliser is independent of depth."""
        return replace(self, ideal="full")

    def parts(self, *, gain: Floats, weights: Floats, ideal_gain: Floats) -> tuple[Array, Array]:
        """Return the undivided contribution of each rank, and the divisor."""
        return gain * weights, ideal_gain


@dataclass(frozen=True, kw_only=True, repr=False)
class nDCGRel(Thresholded):
    """Mean nDCG at the ranks of documents with gain.

    Parameters
    ----------
    gain
        Gain map. The scale of the gains has no effect.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is the mean of the values of all judged documents with a gain above 0. The value of a
    retrieved document is the `nDCG` at its rank. The value of a document that is not in the top k
    is DCG@k divided by the DCG of the full ideal ranking.

    Range: 0 to 1. Needs: grades, recall base. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    One of two relevant documents is retrieved, at rank 1. The score is (1 + 1/1.631) / 2:

    >>> from irframe.metrics import nDCGRel
    >>> nDCGRel().curve([1, 0, 1], listed=[1, 1, 0])[:2].round(3)
    array([0.807, 0.807])
    """

    gain: Gain = parameter("linear")

    aliases = ("ndcg_rel",)
    order = "gain"

    def kernel(self, *, gain: Floats, rank: Floats, ideal_steps: Steps) -> Floats:
        """Return the mean nDCG at each depth."""
        gains, counts = ideal_steps
        # without any grade with gain, the ideal ranking has no steps
        gaining = counts[..., -1] if len(gains) else np.zeros(counts.shape[:-1])
        dcg = np.cumsum(gain * discounts("log2", 2, len(rank)), axis=-1)
        gains_here = gain > 0
        retrieved = np.cumsum(dcg / positive(ideal_sum(gains, counts, rank)) * gains_here, axis=-1)
        uncut = dcg / positive(ideal_sum(gains, counts, np.full(1, np.inf)))
        missing = gaining - np.cumsum(gains_here, axis=-1)
        return np.asarray((retrieved + missing * uncut) / positive(gaining))


@dataclass(frozen=True, kw_only=True, repr=False)
class RnDCG(Thresholded):
    """Mean nDCG over the depths where the ideal gain drops.

    Parameters
    ----------
    gain
        Gain map. The scale of the gains has no effect.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is the mean `nDCG` over several depths. For each gain above 0, the depth is the last
    rank with that gain in the ideal ranking. The nDCG of the full list is included if the list has
    at least two more documents than the topic has judged documents with gain.

    Range: 0 to 1. Needs: grades, recall base, list length. No relevant documents: 0. Unjudged: gain
    0.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    The ideal ranking has grade 2 at rank 1 and grade 1 at rank 2. The nDCG of the list is 0 at rank
    1, and 1.262 / 2.631 at rank 2:

    >>> from irframe.metrics import RnDCG
    >>> RnDCG().curve([0, 2, 1]).round(3)
    array([0.  , 0.24, 0.24])
    """

    gain: Gain = parameter("linear")

    linear = True
    aliases = ("Rndcg",)
    sees_length = True
    order = "gain"

    def kernel(self, *, gain: Floats, rank: Floats, seen: Array, ideal_steps: Steps) -> Floats:
        """Return the mean nDCG at each depth."""
        gains, counts = ideal_steps
        if not len(gains):
            return np.zeros(gain.shape)
        dcg = np.cumsum(gain * discounts("log2", 2, len(rank)), axis=-1)
        total, points = np.zeros((2, *dcg.shape))
        for step in range(len(gains)):
            end = counts[..., step]
            # a gain that no document of the topic has adds no depth
            is_new = end > (counts[..., step - 1] if step else 0)
            total += is_new * _upto(dcg, end) / positive(ideal_sum(gains, counts, end))
            points += is_new
        # after the loop, `end` is the number of documents with gain
        is_longer = seen > end + 1
        total += is_longer * dcg / positive(ideal_sum(gains, counts, end))
        return np.asarray(total / positive(points + is_longer))


def _upto(cumulated: Floats, end: Array) -> Floats:
    """Return cumulated sums that stay constant past rank `end`."""
    last = np.clip(end, 1, cumulated.shape[-1]) - 1
    at_end = np.take_along_axis(cumulated, np.broadcast_to(last, (*cumulated.shape[:-1], 1)), -1)
    # cumulated sums never fall, so only values past `end` exceed the value at `end`
    return np.minimum(cumulated, at_end)


@dataclass(frozen=True, kw_only=True, repr=False)
class InfNDCG(Thresholded):
    """Inferred nDCG, estimated from random samples of the pool.

    Parameters
    ----------
    gain
        Gain map.
    ideal
        Length of the ideal ranking. ``"full"`` is the estimated number of documents with gain, as
        in NIST's script sample_eval.pl. ``"judged"`` cuts the ideal ranking at depth k, as in
        `nDCG`.
    rel
        Lowest relevant grade, at least 1. Only used with ``gain="binary"``.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``DCG@k = sum over strata c of (c within k) / (judged of c within k) * sum of G(i) / log2(1+i)``
    over the judged documents of c. The DCG is divided by the DCG of the ideal ranking, which is
    built from the estimated number of documents per grade, ``N_g = sum over strata of (judged at
    the grade) N_c / n_c``. N_c is the number of pooled documents of stratum c, and n_c the number
    of judged documents of c. N_g is not rounded. In the ideal ranking, a grade has the ranks s + 1,
    s + 2, ... up to s + N_g, where s is the estimated number of documents with higher grades. Lists
    and the ideal ranking are cut at rank 1000. TRECVID has used the version of NIST's script that
    does not round N_g since 2012. The version of the script from 2011 rounds N_g.

    The strata are read from the column `stratum` of the judgments. Without that column, the pool of
    a topic is a single stratum. Strata without judged documents are ignored, with a warning.
    Negative grades mark pooled documents that were not sampled. Documents without a grade were not
    pooled. With complete judgments the score equals nDCG with the same `ideal`.

    Range: 0 upwards, rarely above 1. Needs: grades, recall base. No relevant documents: 0.
    Unjudged: outside the pool.

    References
    ----------
    .. [1] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437

    Examples
    --------
    The second document was pooled but not sampled, so its gain is estimated:

    >>> import irframe as ir
    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": -1, "c": 0}}
    >>> ir.cube(run, qrels).ireval.score("InfNDCG").to_numpy().ravel()
    array([1. , 2. , 1.5])
    """

    gain: Gain = parameter("linear")
    ideal: Literal["full", "judged"] = parameter("full", choices=("full", "judged"))

    range = (0.0, np.inf)
    aliases = ("infNDCG",)

    def uncut(self) -> "InfNDCG":
        """Return the variant whose normaliser is independent of depth."""
        return replace(self, ideal="full")

    def kernel(
        self, *, gain: Floats, assessed: Array, rank: Floats, strata: Strata, estimated_ideal: Array
    ) -> Floats:
        """Return the inferred nDCG at each depth."""
        return strata.inflated(gain * assessed / np.log2(1 + rank), assessed) / estimated_ideal
