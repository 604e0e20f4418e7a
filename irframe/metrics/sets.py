"""Set-based metrics: precision, F measure, utility and counts."""

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
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``SetP@k = found(k) / min(k, length of the list)``, where found(k) is the number of relevant
    documents in the top k. `P` divides by k instead, and thus penalises short lists.

    Range: 0 to 1. Needs: grades, list length. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    A list of two documents, scored down to depth 3:

    >>> from irframe.metrics import SetP
    >>> SetP().curve([1, 0, None], listed=[1, 1, 0])
    array([1. , 0.5, 0.5])
    """

    linear = True
    sees_length = True
    order = "relevance"

    def parts(self, *, relevant: Array, seen: Array) -> tuple[Array, Array]:
        """Return the undivided contribution of each rank, and the divisor."""
        return relevant, positive(seen)

    def ceiling(self, *, relevant: Array, unjudged: Array, seen: Array) -> Floats:
        """Return the precision if unjudged documents were relevant."""
        return self.kernel(relevant=relevant | unjudged, seen=seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetRelativeP(Thresholded):
    """Precision of the retrieved set, divided by its maximum.

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
    ``SetRelativeP@k = found(k) / min(n, R)`` where found(k) is the number of relevant documents in
    the top k, n the smaller of k and the length of the list, and R the number of relevant judged
    documents. `RelativeP` divides by min(k, R) instead, and thus penalises short lists.

    Range: 0 to 1. Needs: grades, number of relevant documents, list length. No relevant documents:
    0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    A list of two documents, scored down to depth 3, for a topic with three relevant documents:

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
        """Return the undivided contribution of each rank, and the divisor."""
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
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)``, with b = `beta`. P is the precision of `SetP`, and R is
    `Recall`. F is 0 if P and R are 0. The parameter of ``set_F`` in trec_eval is the square of b,
    so ``set_F_4`` is ``SetF(beta=2)``.

    Range: 0 to 1. Needs: grades, number of relevant documents, list length. No relevant documents:
    0. Unjudged: not relevant.

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

    linear = True  # F equals (1 + b^2) found / (b^2 R + n)
    sees_length = True
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return F of the top k at each depth."""
        return f_measure(found / positive(seen), found / positive(n_relevant), self.beta)


@dataclass(frozen=True, kw_only=True, repr=False)
class SetAP(Thresholded):
    """Precision times recall of the retrieved set.

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
    ``SetAP@k = found(k)^2 / (n R)`` where found(k) is the number of relevant documents in the top
    k, n the smaller of k and the length of the list, and R the number of relevant judged documents.
    Average precision would equal this score if the precision at each relevant document were the
    precision of the full set.

    Range: 0 to 1. Needs: grades, number of relevant documents, list length. No relevant documents:
    0. Unjudged: not relevant.

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
        Value of a retrieved relevant document, at least 0.
    b
        Value of a retrieved non-relevant document, at most 0.
    c
        Value of a relevant document that is not retrieved, at most 0.
    d
        Value of a non-relevant document that is not retrieved, at least 0.
    docs
        Number of documents in the collection. `docs` is required if `d` is not 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``Utility@k = a found + b (n - found) + c (R - found) + d (docs + found - n - R)``. Here found
    is the number of relevant documents in the top k, n the smaller of k and the length of the list,
    and R the number of relevant judged documents.

    Range: minus infinity to infinity. Needs: grades, number of relevant documents, list length. No
    relevant documents: the same formula. Unjudged: not relevant.

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
            raise MetricError("the number of documents, docs=, for Utility with d", "none")

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return the utility of the top k at each depth."""
        noise = seen - found
        missed = n_relevant - found
        left_out = self.docs - noise - n_relevant
        return np.asarray(self.a * found + self.b * noise + self.c * missed + self.d * left_out)


class Count(Metric, abstract=True):
    """Base class of counts, which are summed over topics."""

    average = "sum"
    range = (0.0, np.inf)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumQ(Count):
    """Number of scored topics.

    Parameters
    ----------
    depth
        Fixed evaluation depth, which has no effect.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is 1 for every topic. Summaries show the sum over topics.

    Range: 1. Needs: nothing. No relevant documents: 1. Unjudged: no effect.

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
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``NumRet@k = min(k, length of the list)``. Summaries show the sum over topics.

    Range: 0 to the depth. Needs: list length. No relevant documents: no effect. Unjudged: counted.

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
        Fixed evaluation depth, which has no effect.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is R, the number of relevant judged documents, at every depth. Summaries show the sum
    over topics.

    Range: 0 upwards. Needs: number of relevant documents. No relevant documents: 0. Unjudged: not
    counted.

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
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``NumRelRet@k = found(k)``, the number of relevant documents in the top k. Summaries show the
    sum over topics.

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
        """Return the count if unjudged documents were relevant."""
        return self.kernel(relevant=relevant | unjudged)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumNonrelJudgedRet(Count, Thresholded):
    """Number of judged non-relevant documents retrieved.

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
    Summaries show the sum over topics.

    Range: 0 upwards. Needs: grades. No relevant documents: no effect. Unjudged: not counted.
    Documents with negative grades are not counted, because negative grades mark pooled documents
    without a judgment in trec_eval.

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
