"""Precision and recall at a depth, and ordered pairs."""

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
    """Precision: the share of relevant documents among the first k.

    The order of the first k documents does not matter. Relevant documents below rank k do not
    count.

    Parameters
    ----------
    gain
        Gain map, gains at most 1. Binary gain gives precision as in trec_eval.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``P @ 5``.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``P@k = (1/k) sum_{i<=k} G(i)``, divided by k even where the list is shorter.

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
        """Return the reading of users who stop at each depth."""
        return Reading(cumulated_gain, np.broadcast_to(rank, cumulated_gain.shape))

    def ceiling(
        self, *, filled_gain: Floats, best_gain: float, rank: Floats, retrieved: Array
    ) -> Floats:
        """Return the highest mean gain that missing judgments allow."""
        missing = np.maximum(rank - retrieved, 0)
        return (np.cumsum(filled_gain, axis=-1) + best_gain * missing) / rank


@dataclass(frozen=True, kw_only=True, repr=False)
class Judged(Metric):
    """Share of judged documents among the first k.

    Parameters
    ----------
    depth
        Fixed evaluation depth, usually written ``Judged @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``Judged@k = judged documents in the top k / min(k, length of the list)``.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: scored as usual. Unjudged:
    lower the score. An empty list: 0.

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
        """Return the terms by rank and their divisor."""
        return judged, positive(seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class Recall(Thresholded):
    """Recall: the share of relevant documents found.

    Recall never decreases with k. It depends on how many relevant documents the judges found.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Recall @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``Recall@k = found(k) / R``, with R the number of relevant judged documents. Without a depth it
    is the recall of the retrieved set.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

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
    """Precision relative to the highest precision possible at the depth.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``RelativeP @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``RelativeP@k = found(k) / min(k, R)``, which is precision down to rank R and recall from there
    on. BEIR calls it capped recall.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Thakur, Reimers, Ruckle, Srivastava, Gurevych. BEIR: a heterogeneous benchmark for
       zero-shot evaluation of information retrieval models. NeurIPS 2021.
       doi:10.48550/arXiv.2104.08663

    Examples
    --------
    There are two relevant documents, the second one at rank 3:

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

    R is the number of relevant documents of the topic. A topic with three relevant documents is
    scored at rank 3, and a topic with 100 at rank 100.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The list is cut there first.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``Rprec@k = found(min(k, R)) / R``.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000.
       doi:10.1145/345508.345543

    Examples
    --------
    With R = 2, the second rank decides:

    >>> from irframe.metrics import Rprec
    >>> Rprec().curve([1, 0, 1])
    array([0.5, 0.5, 0.5])
    """

    linear = True
    aliases = ("RPrec", "RPrecision", "r_precision")
    order = "relevance"
    fillings = "list"

    def parts(self, *, relevant: Array, rank: Floats, n_relevant: Array) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        return relevant * (rank <= n_relevant), positive(n_relevant)


@dataclass(frozen=True, kw_only=True, repr=False)
class RprecMult(Thresholded):
    """Precision at a multiple of R.

    Parameters
    ----------
    multiple
        The multiple, above 0; usually written ``RprecMult @ 0.2``.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The list is cut there first.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``RprecMult(m)@k = found(min(k, K)) / K`` with ``K = int(m R + 0.9)``. With m = 1 it is `Rprec`.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    With R = 2, the first rank decides:

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
        """Return the terms by rank and their divisor."""
        cut = np.floor(self.multiple * n_relevant + 0.9)
        return relevant * (rank <= cut), positive(cut)


def f_measure(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the F measure of precision and recall.

    Other tools have beta squared as a parameter. The square of beta is rounded here, so that it
    equals that number exactly.

    Examples
    --------
    >>> import numpy as np
    >>> f_measure(np.array([0.5, 0.0]), np.array([1.0, 0.0]), 1.0).round(3)
    array([0.667, 0.   ])
    >>> f_measure(np.array([1.0]), np.array([1 / 3]), 2**0.5).tolist()
    [0.42857142857142855]
    """
    weight = float(f"{beta * beta:.15g}")
    return (1 + weight) * precision * recall / positive(weight * precision + recall)


@dataclass(frozen=True, kw_only=True, repr=False)
class F(Thresholded):
    """F measure of precision and recall at a depth.

    Parameters
    ----------
    beta
        Weight of recall relative to precision, above 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``F @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)``, with precision P and recall R at each depth. F is 0 if both
    are 0. Precision divides by the depth, whereas `SetF` divides by the length of the list.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

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

    linear = True
    needs_depth = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, precision: Floats, found: Floats, n_relevant: Array) -> Floats:
        """Return F at each depth."""
        return f_measure(precision, found / positive(n_relevant), self.beta)


@dataclass(frozen=True, kw_only=True, repr=False)
class Accuracy(Thresholded):
    """Share of retrieved pairs with the relevant document first.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    The pairs consist of a relevant and a non-relevant retrieved document. Documents that were not
    retrieved do not count. Cutting a list may therefore raise the score.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: NaN. The score is also NaN if
    all or none of the retrieved documents are relevant. Unjudged: not relevant.

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
        """Return the share of ordered pairs at each depth."""
        pairs = found * (seen - found)
        wrong = np.cumsum(relevant * (rank - found), axis=-1)
        return np.asarray(1 - wrong / np.where(pairs > 0, pairs, np.nan))


@dataclass(frozen=True, kw_only=True, repr=False)
class Bpref(Thresholded):
    """Binary preference of relevant over judged non-relevant documents.

    Each relevant document loses the share of judged non-relevant documents above it. Only judged
    documents count. Incomplete judgments therefore change this score less than the scores of other
    metrics.

    Parameters
    ----------
    variant
        ``"trec"`` as in trec_eval, or ``"2004"`` as first published, with R as the denominator.
    rel
        Lowest relevant grade, at least 1.
    average
        How scores are averaged over topics: ``"mean"``, or ``"geometric"`` (GMBpref), as for `AP`.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``bpref = (1/R) sum over retrieved relevant documents of 1 - min(n_above, R) / min(R, N)``. Here
    n_above is the number of judged non-relevant documents above, and N their number in the topic.
    ``"2004"`` divides by R instead of min(R, N).

    Range: 0 to 1. Needs: grades, R, N. No relevant documents: 0. Unjudged: ignored. Negative grades
    are ignored too, because trec_eval reads them as pooled but not judged.

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
    order = "relevance"

    def parts(
        self, *, relevant: Array, assessed: Array, n_relevant: Array, n_nonrelevant: Array
    ) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        above = count_to(assessed & ~relevant)
        limit = n_relevant if self.variant == "2004" else np.minimum(n_relevant, n_nonrelevant)
        credit = (1 - np.minimum(above, n_relevant) / positive(limit)) * relevant
        return credit, positive(n_relevant)
