"""Recall and its variants."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Thresholded, parameter
from irframe.metrics.positions import positive

ROUNDING = 1e-9
"""Tolerance for rounding errors in shares."""


@dataclass(frozen=True, kw_only=True, repr=False)
class All(Thresholded):
    """Whether all evidence of the topic has been found.

    The score is 1 if the first k documents contain all evidence of the topic, else 0. It suits
    questions that only the complete evidence answers.

    Parameters
    ----------
    share
        The share of the evidence that suffices, above 0 and at most 1.
    rel
        Lowest relevant grade of documents, at least 1.
    depth
        Fixed evaluation depth, usually written ``All @ 5``.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``All@k = [found(k) >= share R]``, with R the number of relevant judged documents. For judgments
    by spans, the evidence is the text of all spans, and `share` is a share of that text. If
    judgments have a column ``set``, one document or one complete span of each set is required.

    Range: 0 or 1. Needs: grades, R. No relevant documents: NaN. Unjudged: not relevant.

    References
    ----------
    .. [1] Yang, Qi, Zhang, Bengio, Cohen, Salakhutdinov, Manning. HotpotQA: a dataset for diverse,
       explainable multi-hop question answering. EMNLP 2018. doi:10.18653/v1/D18-1259

    Examples
    --------
    There are two relevant documents, and both are found down to rank 3:

    >>> from irframe.metrics import All
    >>> All().curve([1, 0, 1])
    array([0., 0., 1.])
    """

    share: float = parameter(1.0, above=0, high=1)

    subtopics = None
    spans = None
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found_share: Floats) -> Floats:
        """Return 1 from the first depth with sufficient evidence on."""
        enough = (found_share >= self.share - ROUNDING).astype(float)
        return np.where(np.isnan(found_share), np.nan, enough)


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

    additive = True
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
        Fixed evaluation depth; the list is cut there first.
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
        Fixed evaluation depth; the list is cut there first.
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


@dataclass(frozen=True, kw_only=True, repr=False)
class SetRelativeP(Thresholded):
    """Precision of the retrieved set relative to the highest possible.

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
    ``SetRelativeP@k = found(k) / min(n, R)`` with n the smaller of k and the length of the list.
    Unlike `RelativeP`, it does not penalise a short list.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    A list of two documents, scored to depth 3, for a topic with R = 3:

    >>> from irframe.metrics import SetRelativeP
    >>> SetRelativeP().curve([1, 0, 1, 1], listed=[1, 1, 0, 0])[:3]
    array([1. , 0.5, 0.5])
    """

    linear = True
    aliases = ("SetRelP",)
    sees_length = True
    order = "relevance"
    fillings = "cut"

    def parts(self, *, relevant: Array, seen: Array, n_relevant: Array) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        return relevant, positive(np.minimum(seen, n_relevant))
