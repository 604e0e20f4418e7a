"""Counts: what trec_eval adds up over topics."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Metric, parameter
from irframe.metrics.block import count_to


class Count(Metric, abstract=True):
    """A number of documents or topics, which summaries add up."""

    average = "sum"
    range = (0.0, np.inf)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumQ(Count):
    """How many topics were scored.

    Parameters
    ----------
    depth
        Fixed evaluation depth; the number does not depend on it.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    1 for every topic; summaries add it up.

    Range: 1. Needs: nothing. No relevant documents: 1. Unjudged: no matter.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumQ
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(NumQ(), [1, 0])
    array([1., 1.])
    """

    range = (0.0, 1.0)

    def kernel(self, *, rank: Floats) -> Floats:
        """Return 1 at every depth."""
        return np.ones_like(rank)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRet(Count):
    """How many documents were retrieved.

    Parameters
    ----------
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``NumRet@k = min(k, length of the list)``; summaries add it up over topics.

    Range: 0 to the depth. Needs: list length. No relevant documents: no matter. Unjudged:
    counted.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRet
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(NumRet(), [1, None], depth=3)
    array([1., 2., 2.])
    """

    def kernel(self, *, seen: Array) -> Floats:
        """Return the length of the list cut at each depth."""
        return seen.astype(np.float64)

    def terms(self, *, rank: Floats, retrieved: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(rank <= retrieved, np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRel(Count):
    """How many judged documents are relevant.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth; the number does not depend on it.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    R, the same at every depth; summaries add it up over topics.

    Range: 0 upwards. Needs: R. No relevant documents: 0. Unjudged: not counted.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRel
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(NumRel(), [1, 0], judged=[1, 1, 1])
    array([3., 3.])
    """

    rel: int = parameter(1, low=1, high=127)

    def kernel(self, *, n_relevant: Array) -> Floats:
        """Return R at every depth."""
        return n_relevant.astype(np.float64)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumRelRet(Count):
    """How many relevant documents were retrieved.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``NumRelRet@k = found(k)``; summaries add it up over topics.

    Range: 0 to R. Needs: grades. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumRelRet
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(NumRelRet(), [1, 0, 1])
    array([1., 1., 2.])
    """

    rel: int = parameter(1, low=1, high=127)

    order = "relevance"

    def kernel(self, *, found: Floats) -> Floats:
        """Return the relevant documents down to each depth."""
        return found

    def terms(self, *, relevant: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return relevant.astype(np.float64)

    def ceiling(self, *, found: Floats, unjudged: Array) -> Floats:
        """Return the relevant and unjudged documents down to each depth."""
        return found + count_to(unjudged)


@dataclass(frozen=True, kw_only=True, repr=False)
class NumNonrelJudgedRet(Count):
    """How many documents that are judged and not relevant were retrieved.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    Summaries add it up over topics.

    Range: 0 upwards. Needs: grades. No relevant documents: no matter. Unjudged: not counted, nor
    are grades below 0, which trec_eval takes for pooled but not judged.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import NumNonrelJudgedRet
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(NumNonrelJudgedRet(), [0, None, 1, 0])
    array([1., 1., 1., 2.])
    """

    rel: int = parameter(1, low=1, high=127)

    def kernel(self, *, relevant: Array, assessed: Array) -> Floats:
        """Return the judged non-relevant documents down to each depth."""
        return count_to(assessed & ~relevant)

    def terms(self, *, relevant: Array, assessed: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        return np.asarray(assessed & ~relevant, np.float64)
