"""Precision, recall and their variants, and metrics of document pairs."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Average, Metric, Thresholded, parameter
from irframe.metrics.reading import Reading
from irframe.quantities.block import count_to
from irframe.quantities.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class P(Thresholded):
    """Precision: the share of relevant documents in the top k.

    The order of the first k documents does not matter. Documents below rank k have no effect.

    Parameters
    ----------
    gain
        Gain map with gains of at most 1. With the default, binary gain, the score is precision as
        in trec_eval.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``P @ 5``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``P@k = (1/k) sum_{i<=k} G(i)``, where G(i) is the gain of the document at rank i. The sum is
    divided by k even if the list is shorter.

    Range: 0 to 1. Needs: grades. No relevant documents: 0. Unjudged: gain 0.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    The relevant documents are at ranks 1 and 3:

    >>> from irframe.metrics import P
    >>> P().curve([1, 0, 1, 0])
    array([1.        , 0.5       , 0.66666667, 0.5       ])
    """

    gain: Gain = parameter("binary")

    needs_depth = True
    aliases = ("Precision",)
    unit = True
    linear = True
    order = "gain"

    def kernel(self, *, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the mean gain down to each depth."""
        return cumulated_gain / rank

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(gain / rank[-1])

    def reading(self, *, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return expected gain and cost down to each depth."""
        return Reading(cumulated_gain, np.broadcast_to(rank, cumulated_gain.shape))

    def ceiling(
        self, *, filled_gain: Floats, best_gain: float, rank: Floats, retrieved: Array
    ) -> Floats:
        """Return the precision if unjudged documents had the highest gain."""
        missing = np.maximum(rank - retrieved, 0)
        return (np.cumsum(filled_gain, axis=-1) + best_gain * missing) / rank


@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Metric):
    """Share of judged documents in the top k.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``Judged @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``Judged@k = judged documents in the top k / min(k, length of the list)``. The score of an empty
    list is 0.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: no effect. Unjudged: lower the
    score.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 2.4. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.metrics import Judged
    >>> Judged().curve([1, None, 0, None])
    array([1.        , 0.5       , 0.66666667, 0.5       ])
    """

    sees_length = True
    order = "judged"

    def parts(self, *, judged: Array, seen: Array) -> tuple[Array, Array]:
        """Return the unnormalised contribution of each rank, and the divisor."""
        return judged, positive(seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class Recall(Thresholded):
    """Recall: the share of relevant documents in the top k.

    Recall never decreases with k. Relevant documents that were never judged are not counted, so
    incomplete judgments usually raise the recall.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Recall @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``Recall@k = found(k) / R``, where found(k) is the number of relevant documents in the top k,
    and R the number of relevant judged documents. Without a depth, k is the length of the list.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    Two of four relevant documents are retrieved:

    >>> from irframe.metrics import Recall
    >>> Recall().curve([1, 0, 1, 1, 1], listed=[1, 1, 1, 0, 0])[:3]
    array([0.25, 0.25, 0.5 ])
    """

    aliases = ("R", "SetR")
    linear = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, n_relevant: Array) -> Floats:
        """Return the recall at each depth."""
        return found / positive(n_relevant)

    def terms(self, *, relevant: Array, n_relevant: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(relevant / positive(n_relevant))


@dataclass(frozen=True, kw_only=True, repr=False)
class RelativeP(Thresholded):
    """Precision divided by the highest possible precision (capped recall).

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``RelativeP @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``RelativeP@k = found(k) / min(k, R)``, where found(k) is the number of relevant documents in
    the top k, and R the number of relevant judged documents. The score equals `P` for k up to R,
    and `Recall` for larger k. BEIR calls the metric capped recall.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Thakur, Reimers, Ruckle, Srivastava, Gurevych. BEIR: a heterogeneous benchmark for
       zero-shot evaluation of information retrieval models. NeurIPS 2021.
       doi:10.48550/arXiv.2104.08663

    Examples
    --------
    The two relevant documents are at ranks 1 and 3:

    >>> from irframe.metrics import RelativeP
    >>> RelativeP().curve([1, 0, 1])
    array([1. , 0.5, 1. ])
    """

    needs_depth = True
    aliases = ("R_cap", "RCap")
    linear = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, rank: Floats, n_relevant: Array) -> Floats:
        """Return precision relative to the highest possible precision."""
        return found / positive(np.minimum(rank, n_relevant))

    def terms(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(relevant / positive(np.minimum(rank[-1], n_relevant)))


@dataclass(frozen=True, kw_only=True, repr=False)
class Rprec(Thresholded):
    """R-precision: precision at rank R.

    R is the number of relevant judged documents of the topic. With three relevant documents, the
    score is the precision at rank 3. With 100 relevant documents, the score is the precision at
    rank 100.

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
    ``Rprec@k = found(min(k, R)) / R``, where found(i) is the number of relevant documents in the
    top i.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000.
       doi:10.1145/345508.345543

    Examples
    --------
    There are R = 2 relevant documents, so the score is the precision at rank 2:

    >>> from irframe.metrics import Rprec
    >>> Rprec().curve([1, 0, 1])
    array([0.5, 0.5, 0.5])
    """

    linear = True
    aliases = ("RPrec", "RPrecision", "r_precision")
    order = "relevance"
    fillings = "list"

    def parts(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> tuple[Array, Array]:
        """Return the unnormalised contribution of each rank, and the divisor."""
        return relevant * (rank <= n_relevant), positive(n_relevant)


@dataclass(frozen=True, kw_only=True, repr=False)
class RprecMult(Thresholded):
    """Precision at a multiple of R.

    Parameters
    ----------
    multiple
        Multiple of R, above 0, usually written ``RprecMult @ 0.2``.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``RprecMult(m)@k = found(min(k, K)) / K`` with ``K = int(m R + 0.9)``. Here m is the multiple, R
    the number of relevant judged documents, and found(i) the number of relevant documents in the
    top i. With m = 1 the metric is `Rprec`.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    There are R = 2 relevant documents, so the score is the precision at rank 1:

    >>> from irframe.metrics import RprecMult
    >>> RprecMult(multiple=0.5).curve([1, 0, 1])
    array([1., 1., 1.])
    """

    multiple: float = parameter(above=0)

    linear = True
    at = "multiple"
    order = "relevance"
    fillings = "list"

    def parts(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> tuple[Array, Array]:
        """Return the unnormalised contribution of each rank, and the divisor."""
        cut = np.floor(self.multiple * n_relevant + 0.9)
        return relevant * (rank <= cut), positive(cut)


def f_measure(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the F measure of precision and recall.

    Examples
    --------
    >>> f_measure(np.array([0.5, 0.0]), np.array([1.0, 0.0]), 1.0).round(3)
    array([0.667, 0.   ])
    >>> f_measure(np.array([1.0]), np.array([1 / 3]), 2**0.5).tolist()
    [0.42857142857142855]
    """
    # rounding makes the square of sqrt(b2) equal to b2, which is the parameter of some tools
    weight = float(f"{beta * beta:.15g}")
    return (1 + weight) * precision * recall / positive(weight * precision + recall)


@dataclass(frozen=True, kw_only=True, repr=False)
class F(Thresholded):
    """F measure of precision and recall at a depth.

    Parameters
    ----------
    beta
        Weight of recall relative to precision, above 0. With ``beta=2``, recall counts twice as
        much.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``F @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)``, with b = `beta`, precision P and recall R at depth k. F is
    0 if P and R are 0. The precision is divided by the depth, as in `P`. `SetF` divides by the
    length of the list instead.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] van Rijsbergen. Information Retrieval, chapter 7. Butterworths, 1979.
       doi:10.1002/asi.4630300621

    Examples
    --------
    Precision is 1/2 and recall is 1/4 at depth 2:

    >>> from irframe.metrics import F
    >>> F().curve([1, 0, 1, 1, 1], listed=[1, 1, 0, 0, 0])[:2].round(4)
    array([0.4   , 0.3333])
    """

    beta: float = parameter(1.0, above=0)

    linear = True  # F equals (1 + b^2) found / (b^2 R + k)
    needs_depth = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, precision: Floats, found: Floats, n_relevant: Array) -> Floats:
        """Return F at each depth."""
        return f_measure(precision, found / positive(n_relevant), self.beta)


@dataclass(frozen=True, kw_only=True, repr=False)
class Accuracy(Thresholded):
    """Share of document pairs with the relevant document ranked first.

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
    Each pair consists of a relevant and a non-relevant document of the list. The score is the share
    of pairs in which the relevant document has the higher rank. The score is NaN if the list
    contains only relevant or only non-relevant documents. Documents that were not retrieved are
    ignored, so cutting a list may raise the score.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: NaN. Unjudged: not relevant.

    References
    ----------
    .. [1] MacAvaney, Macdonald, Ounis. Streamlining evaluation with ir-measures. ECIR 2022.
       doi:10.1007/978-3-030-99739-7_38

    Examples
    --------
    >>> from irframe.metrics import Accuracy
    >>> Accuracy().curve([1, 0, 1])
    array([nan, 1. , 0.5])
    """

    sees_length = True

    def kernel(self, *, relevant: Array, found: Floats, rank: Floats, seen: Array) -> Floats:
        """Return the share of correctly ordered pairs at each depth."""
        pairs = found * (seen - found)
        wrong_pairs = np.cumsum(relevant * (rank - found), axis=-1)
        return np.asarray(1 - wrong_pairs / np.where(pairs > 0, pairs, np.nan))


@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(Thresholded):
    """Binary preference: relevant documents before judged non-relevant ones.

    The contribution of a relevant document falls with the number of judged non-relevant documents
    above it. Unjudged documents are ignored, so bpref is less sensitive to incomplete judgments
    than most metrics.

    Parameters
    ----------
    variant
        ``"trec"`` is the formula of trec_eval. ``"2004"`` is the formula of the paper, with the
        denominator R.
    rel
        Lowest relevant grade, at least 1.
    average
        How scores are averaged over topics: ``"mean"``, or ``"geometric"`` (GMBpref), as for `AP`.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``bpref = (1/R) sum over retrieved relevant documents of 1 - min(n_above, R) / min(R, N)``. R
    and N are the numbers of judged relevant and judged non-relevant documents of the topic. n_above
    is the number of judged non-relevant documents above the relevant document. ``"2004"`` divides
    by R instead of min(R, N).

    Range: 0 to 1. Needs: grades, numbers of relevant and non-relevant documents. No relevant
    documents: 0. Unjudged: ignored. Documents with negative grades are also ignored, because
    negative grades mark pooled documents without a judgment in trec_eval.

    References
    ----------
    .. [1] Buckley, Voorhees. Retrieval evaluation with incomplete information. SIGIR 2004.
       doi:10.1145/1008992.1009000
    .. [2] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630

    Examples
    --------
    The judged non-relevant document lowers the score, but the unjudged document (None) does not:

    >>> from irframe.metrics import Bpref
    >>> Bpref().curve([1, None, 0, 1])
    array([0.5, 0.5, 0.5, 0.5])
    >>> Bpref().curve([1, None, 1])
    array([0.5, 0.5, 1. ])
    """

    variant: Literal["trec", "2004"] = parameter("trec", choices=("trec", "2004"))
    average: Average = parameter("mean", choices=get_args(Average))  # type: ignore[misc]

    aliases = ("BPref", "bpref")
    order = "relevance"

    def parts(
        self, *, relevant: Array, assessed: Array, n_relevant: Array, n_nonrelevant: Array
    ) -> tuple[Array, Array]:
        """Return the unnormalised contribution of each rank, and the divisor."""
        above = count_to(assessed & ~relevant)
        # if N is 0, min(R, N) is 0, and the contribution of every relevant document is 1
        limit = n_relevant if self.variant == "2004" else np.minimum(n_relevant, n_nonrelevant)
        credit = (1 - np.minimum(above, n_relevant) / positive(limit)) * relevant
        return credit, positive(n_relevant)
