"""The retrieved set: precision, recall, utility and counts."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.base import Metric, Thresholded, parameter
from irframe.metrics.p import f_measure
from irframe.quantities.positions import positive


@dataclass(frozen=True, kw_only=True, repr=False)
class SetP(Thresholded):
    """Precision of the retrieved set.

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
    ``SetP@k = found(k) / min(k, length of the list)``. Unlike `P`, it does not penalise a short
    list.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    A list of two documents, scored to depth 3:

    >>> from irframe.metrics import SetP
    >>> SetP().curve([1, 0, None], listed=[1, 1, 0])
    array([1. , 0.5, 0.5])
    """

    linear = True
    sees_length = True
    order = "relevance"

    def parts(self, *, relevant: Array, seen: Array) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        return relevant, positive(seen)

    def ceiling(self, *, relevant: Array, unjudged: Array, seen: Array) -> Floats:
        """Return the precision if unjudged documents were relevant."""
        return self.kernel(relevant=relevant | unjudged, seen=seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetRelativeP(Thresholded):
    """Precision of the retrieved set relative to the highest possible.

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


@dataclass(frozen=True, kw_only=True, repr=False)
class SetF(Thresholded):
    """F measure of precision and recall of the retrieved set.

    Parameters
    ----------
    beta
        Weight of recall relative to precision, above 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)``, with P by `SetP` and R by `Recall`. F is 0 if both are 0.
    trec_eval's parameter of ``set_F`` is b squared: ``set_F_4`` is ``SetF(beta=2)``.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] van Rijsbergen. Information Retrieval, chapter 7. Butterworths, 1979.
       doi:10.1002/asi.4630300621

    Examples
    --------
    Recall is 1/3, and precision is 1 at depth 1 and 1/2 at depth 2:

    >>> from irframe.metrics import SetF
    >>> SetF().curve([1, 0, 1, 1], listed=[1, 1, 0, 0])[:2]
    array([0.5, 0.4])
    """

    beta: float = parameter(1.0, above=0)

    linear = True
    sees_length = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return F of the list cut at each depth."""
        return f_measure(found / positive(seen), found / positive(n_relevant), self.beta)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetAP(Thresholded):
    """Precision times recall of the retrieved set.

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
    ``SetAP@k = found(k)^2 / (n R)`` with n the smaller of k and the length of the list. This is
    average precision if every relevant document found had the precision of the full set.

    Range: 0 to 1. Needs: grades, R, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    Precision is 1/2 and recall is 1/3:

    >>> from irframe.metrics import SetAP
    >>> SetAP().curve([1, 0, 1, 1], listed=[1, 1, 0, 0])[:2].round(3)
    array([0.333, 0.167])
    """

    aliases = ("SetMAP",)
    sees_length = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return precision times recall at each depth."""
        return found**2 / positive(seen * n_relevant)


@dataclass(frozen=True, kw_only=True, repr=False)
class Utility(Thresholded):
    """Linear utility of the retrieved set.

    Parameters
    ----------
    a
        Value of a relevant document that is retrieved, at least 0.
    b
        Value of a non-relevant document that is retrieved, at most 0.
    c
        Value of a relevant document that is not retrieved, at most 0.
    d
        Value of a non-relevant document that is not retrieved, at least 0.
    docs
        Number of documents in the collection, required if `d` is not 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``Utility@k = a found + b (n - found) + c (R - found) + d (docs + found - n - R)``. Here n is
    the smaller of k and the length of the list.

    Range: minus infinity to infinity. Needs: grades, R, list length. No relevant documents: the
    sum for the documents retrieved and not retrieved. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import Utility
    >>> Utility(a=2.0).curve([1, 0, 0, 0])
    array([ 2.,  1.,  0., -1.])
    """

    a: float = parameter(1.0, low=0)
    b: float = parameter(-1.0, high=0)
    c: float = parameter(0.0, high=0)
    d: float = parameter(0.0, low=0)
    docs: int = parameter(0, low=0)

    linear = True
    sees_length = True
    range = (-np.inf, np.inf)
    order = "relevance"
    fillings = "cut"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d and not self.docs:
            raise MetricError("docs, the size of the collection, for Utility with d", "none")

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return the utility of the list cut at each depth."""
        noise = seen - found
        missed = n_relevant - found
        left_out = self.docs - noise - n_relevant
        return np.asarray(self.a * found + self.b * noise + self.c * missed + self.d * left_out)


class Count(Metric, abstract=True):
    """Base class of counts, which summaries add up over topics."""

    average = "sum"
    range = (0.0, np.inf)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumQ(Count):
    """Number of topics scored.

    Parameters
    ----------
    depth
        Fixed evaluation depth. The number does not depend on it.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    The score is 1 for every topic. Summaries add up the scores.

    Range: 1. Needs: nothing. No relevant documents: 1. Unjudged: irrelevant to the score.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumQ
    >>> NumQ().curve([1, 0])
    array([1., 1.])
    """

    linear = True
    order = "relevance"
    range = (0.0, 1.0)

    def kernel(self, *, rank: Floats) -> Floats:
        """Return 1 at every depth."""
        return np.ones_like(rank)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRet(Count):
    """Number of retrieved documents.

    Parameters
    ----------
    depth
        Fixed evaluation depth. The list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``NumRet@k = min(k, length of the list)``. Summaries add up the scores of topics.

    Range: 0 to the depth. Needs: list length. No relevant documents: scored as usual. Unjudged:
    counted.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRet
    >>> NumRet().curve([1, None, None], listed=[1, 1, 0])
    array([1., 2., 2.])
    """

    linear = True
    order = "relevance"
    sees_length = True

    def terms(self, *, rank: Floats, retrieved: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(rank <= retrieved, np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRel(Count, Thresholded):
    """Number of relevant judged documents.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth. The number does not depend on it.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    The score is R at every depth. Summaries add up the scores of topics.

    Range: 0 upwards. Needs: R. No relevant documents: 0. Unjudged: not counted.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRel
    >>> NumRel().curve([1, 0, 1, 1], listed=[1, 1, 0, 0])[:2]
    array([3., 3.])
    """

    linear = True
    order = "relevance"
    fillings = "list"

    def kernel(self, *, n_relevant: Array) -> Floats:
        """Return R at every depth."""
        return n_relevant.astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRelRet(Count, Thresholded):
    """Number of relevant documents retrieved.

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
    ``NumRelRet@k = found(k)``. Summaries add up the scores of topics.

    Range: 0 to R. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRelRet
    >>> NumRelRet().curve([1, 0, 1])
    array([1., 1., 2.])
    """

    linear = True
    order = "relevance"

    def terms(self, *, relevant: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        return relevant.astype(np.float64)

    def ceiling(self, *, relevant: Array, unjudged: Array) -> Floats:
        """Return the number of relevant and unjudged documents."""
        return self.kernel(relevant=relevant | unjudged)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumNonrelJudgedRet(Count, Thresholded):
    """Number of judged non-relevant documents retrieved.

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
    Summaries add up the scores of topics.

    Range: 0 upwards. Needs: grades. No relevant documents: counted as usual. Unjudged: not counted.
    Negative grades are not counted either, because trec_eval reads them as pooled but not judged.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumNonrelJudgedRet
    >>> NumNonrelJudgedRet().curve([0, None, 1, 0])
    array([1., 1., 1., 2.])
    """

    def terms(self, *, relevant: Array, assessed: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(assessed & ~relevant, np.float64)
