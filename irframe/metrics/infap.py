"""Metrics for incomplete judgments: bpref and inferred metrics."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Average, Thresholded, parameter
from irframe.metrics.block import count_above, count_to
from irframe.metrics.positions import positive
from irframe.metrics.subtopics import EPSILON, LONGEST, Strata


@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(Thresholded):
    """Binary preference of relevant over judged non-relevant documents.

    Each relevant document loses the share of judged non-relevant documents above it. Only judged
    documents count, so that incomplete judgments change the score less than that of other metrics.

    Parameters
    ----------
    variant
        ``"trec"`` as in trec_eval, or ``"2004"`` as first published, with R as the denominator.
    rel
        Lowest relevant grade, at least 1.
    average
        How scores are averaged over topics: ``"mean"``, or ``"geometric"`` (GMBpref), as for `AP`.
    depth
        Fixed evaluation depth; the list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``bpref = (1/R) sum over retrieved relevant documents of
    1 - min(n_above, R) / min(R, N)``. Here n_above and N are the numbers of judged non-relevant
    documents above and in the topic. ``"2004"`` divides by R instead of min(R, N).

    Range: 0 to 1. Needs: grades, R, N. No relevant documents: 0. Unjudged: ignored, as are negative
    grades, which trec_eval reads as pooled but not judged.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630

    Examples
    --------
    The unjudged document (None) does not count, but the judged non-relevant one does:

    >>> from irframe.metrics import Bpref
    >>> Bpref().curve([1, None, 0, 1])
    array([0.5, 0.5, 0.5, 0.5])
    >>> Bpref().curve([1, None, 1])
    array([0.5, 0.5, 1. ])
    """

    variant: Literal["trec", "2004"] = parameter("trec", choices=("trec", "2004"))
    average: Average = parameter("mean", choices=get_args(Average))  # type: ignore[misc]

    aliases = ("BPref", "bpref")
    order = "preference"

    def parts(
        self, *, relevant: Array, assessed: Array, n_relevant: Array, n_nonrelevant: Array
    ) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        above = count_to(assessed & ~relevant)
        limit = n_relevant if self.variant == "2004" else np.minimum(n_relevant, n_nonrelevant)
        credit = (1 - np.minimum(above, n_relevant) / positive(limit)) * relevant
        return credit, positive(n_relevant)


POOLED_UNJUDGED = -1
"""The grade that marks a document as pooled and not judged."""


@dataclass(frozen=True, kw_only=True, repr=False)
class InfAP(Thresholded):
    """Inferred AP, estimated from random samples of the pool.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth; the list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    The precision above a relevant document at rank i is estimated as
    ``(pooled above / (i-1)) * (relevant above + e) / (judged above + 2e)`` with e = 0.00001, as in
    trec_eval. Negative grades mark pooled documents that were not sampled. Documents without a
    grade were not pooled. If all retrieved documents are judged, the score is close to AP.

    If judgments have a column `stratum`, the metric is xinfAP, the ``infAP`` of NIST's
    sample_eval.pl. The precision at rank i is estimated as
    ``1/i + sum over strata c of (c above / i) * (relevant of c above + e) / (judged of c above +
    3e)``. It is averaged over the judged relevant documents. A document of stratum c weighs N_c /
    n_c, the number of pooled documents over the number of judged documents of c. Lists are read to
    rank 1000. The divisor is the estimated number of relevant documents, but at most 1000, as in
    the script since 2012. A stratum without judged documents is left out, with a warning. With
    complete judgments the score is AP.

    Range: 0 to 1, rarely above with strata. Needs: grades, R. No relevant documents: 0. Unjudged:
    outside the pool.

    References
    ----------
    .. [1] Yilmaz, Aslam. Estimating average precision with incomplete and imperfect judgments.
       CIKM 2006. doi:10.1145/1183614.1183633
    .. [2] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437

    Examples
    --------
    >>> import irframe as ir
    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": -1, "c": 1}}
    >>> ir.cube(run, qrels).ireval.score("InfAP").to_numpy().ravel().round(4)
    array([0.5, 0.5, 1. ])
    """

    aliases = ("infAP", "xinfAP")

    def parts(
        self,
        *,
        relevant: Array,
        judged: Array,
        assessed: Array,
        rank: Floats,
        n_relevant: Array,
        strata: Strata,
    ) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        if strata.stratified:
            expected = strata.relevant_above(relevant, assessed)
            weight = strata.at_rank(strata.weight) * relevant
            total = np.minimum(strata.estimated_relevant(self.rel), LONGEST)
            return (1 + expected) / rank * weight, positive(total)
        share = (count_above(relevant) + EPSILON) / (count_above(assessed) + 2 * EPSILON)
        return (1 + count_above(judged) * share) / rank * relevant, positive(n_relevant)


@dataclass(frozen=True, kw_only=True, repr=False)
class InfNDCG(Thresholded):
    """Inferred nDCG, estimated from random samples of pool strata.

    Parameters
    ----------
    gain
        Gain map.
    ideal
        Length of the ideal ranking: ``"full"`` for the estimated number of documents with gain, as
        in NIST's sample_eval.pl, or ``"judged"`` to cut it at the depth, as in `nDCG`.
    rel
        Lowest relevant grade, at least 1; read by the binary gain only.
    depth
        Fixed evaluation depth; the list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``DCG@k = sum over strata c of (c within k) / (judged of c within k) * sum of G(i) / log2(1+i)``
    over the judged documents of c. It is divided by the DCG of the ideal ranking for the estimated
    number of documents per grade, ``N_g = sum over strata of (judged at the grade) N_c / n_c``.
    These numbers are not rounded: a grade that follows on s documents takes the ranks s + 1, s + 2,
    ... up to s + N_g. Lists and the ideal ranking are read to rank 1000. This is NIST's script as
    TRECVID has used it since 2012; an edition of 2011 rounds N_g.

    The strata are those of a column `stratum` of the judgments. Without that column the pool of a
    topic is a single stratum. A stratum without judged documents is left out, with a warning.
    Negative grades mark pooled documents that were not sampled. Documents without a grade were not
    pooled. With complete judgments the score is nDCG with the same `ideal`.

    Range: 0 upwards, rarely above 1. Needs: grades, the recall base. No relevant documents: 0.
    Unjudged: outside the pool.

    References
    ----------
    .. [1] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437

    Examples
    --------
    The second document was pooled but not sampled, so that its relevance is estimated:

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
        """Return the variant that is normalised independently of the depth."""
        return replace(self, ideal="full")

    def kernel(
        self, *, gain: Floats, assessed: Array, rank: Floats, strata: Strata, estimated_ideal: Array
    ) -> Floats:
        """Return the share of the ideal DCG at each depth."""
        return strata.inflated(gain * assessed / np.log2(1 + rank), assessed) / estimated_ideal
