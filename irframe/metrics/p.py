"""Precision, alone and combined with recall."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.gains import Gain
from irframe.metrics.base import Metric, Thresholded, parameter
from irframe.metrics.positions import positive
from irframe.metrics.reading import Reading


def f_measure(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the F measure of precision and recall.

    Other tools take beta squared. Squaring its root is rounded here to give that number exactly.

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
    ``F = (1 + b^2) P R / (b^2 P + R)`` of precision and recall at each depth, 0 where both
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
class SetAP(Thresholded):
    """Precision times recall of the retrieved set.

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
class SetF(Thresholded):
    """F measure of precision and recall of the retrieved set.

    Parameters
    ----------
    beta
        Weight of recall relative to precision, above 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth; the list is cut there.
    judged_only
        Whether to remove unjudged documents from the lists first.

    Notes
    -----
    ``F = (1 + b^2) P R / (b^2 P + R)`` of `SetP` and `Recall`, 0 where both are 0. trec_eval's
    parameter of ``set_F`` is b squared: ``set_F_4`` is ``SetF(beta=2)``.

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

    order = "judged"

    def parts(self, *, judged: Array, seen: Array) -> tuple[Array, Array]:
        """Return the terms by rank and their divisor."""
        return judged, positive(seen)


@dataclass(frozen=True, kw_only=True, repr=False)
class P(Thresholded):
    """Precision: the share of relevant documents among the first k.

    Neither the order of the first k documents nor the relevant documents elsewhere count.

    Parameters
    ----------
    gain
        Gain map. Binary gain gives precision as in trec_eval.
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

    additive = True
    needs_depth = True
    aliases = ("Precision",)
    linear = True
    order = "gain"

    def kernel(self, *, cumulated_gain: Floats, rank: Floats) -> Floats:
        """Return the mean gain down to each depth."""
        return cumulated_gain / rank

    def terms(self, *, gain: Floats, rank: Floats) -> Floats:
        """Return the contribution of each rank to the score."""
        return np.asarray(gain / rank[-1])

    def reading(self, *, cumulated_gain: Floats, rank: Floats) -> Reading:
        """Return how users read who stop at each depth."""
        return Reading(cumulated_gain, np.broadcast_to(rank, cumulated_gain.shape))

    def ceiling(
        self, *, filled_gain: Floats, best_gain: float, rank: Floats, retrieved: Array
    ) -> Floats:
        """Return the highest mean gain that missing judgments allow."""
        missing = np.maximum(rank - retrieved, 0)
        return (np.cumsum(filled_gain, axis=-1) + best_gain * missing) / rank


@dataclass(frozen=True, kw_only=True, repr=False)
class SetP(Thresholded):
    """Precision of the retrieved set.

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
class Accuracy(Thresholded):
    """Share of retrieved pairs with the relevant document first.

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
    The pairs consist of a relevant and a non-relevant retrieved document. Documents that were not
    retrieved do not count, so that cutting a list may raise the score.

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
