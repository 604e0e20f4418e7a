"""Utility of the retrieved set."""

from dataclasses import dataclass

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.base import Metric, parameter


@dataclass(frozen=True, kw_only=True, repr=False)
class Utility(Metric):
    """What the retrieved set is worth, if every hit and every mistake has its price.

    Parameters
    ----------
    a
        Worth of a relevant document that is retrieved, at least 0.
    b
        Worth of one that is retrieved and not relevant, at most 0.
    c
        Worth of a relevant document that is missed, at most 0.
    d
        Worth of one that is not relevant and left out, at least 0.
    docs
        How many documents the collection has, wanted where `d` is not 0.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Utility@k = a found + b (n - found) + c (R - found) + d (docs + found - n - R)`` with n the
    smaller of k and the length of the list.

    Range: minus infinity to infinity. Needs: grades, R, list length. No relevant documents: what
    the list costs. Unjudged: not relevant.

    References
    ----------
    .. [1] trec_eval, the standard tool of TREC. https://github.com/usnistgov/trec_eval

    Examples
    --------
    >>> from irframe.metrics import Utility
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(Utility(a=2.0), [1, 0, 0, 0])
    array([ 2.,  1.,  0., -1.])
    """

    a: float = parameter(1.0, low=0)
    b: float = parameter(-1.0, high=0)
    c: float = parameter(0.0, high=0)
    d: float = parameter(0.0, low=0)
    docs: int = parameter(0, low=0)
    rel: int = parameter(1, low=1, high=127)

    sees_length = True
    range = (-np.inf, np.inf)
    order = "relevance"
    fillings = "cut"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.d and not self.docs:
            raise MetricError("docs, the size of the collection, for Utility with d", "none")

    def kernel(self, *, found: Floats, seen: Array, n_relevant: Array) -> Floats:
        """Return the worth of the list cut at each depth."""
        noise, missed = seen - found, n_relevant - found
        left_out = self.docs - noise - n_relevant
        return np.asarray(self.a * found + self.b * noise + self.c * missed + self.d * left_out)
