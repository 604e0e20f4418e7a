"""Atomized search length."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.checks import whole
from irframe.errors import MetricError
from irframe.metrics.base import Metric, parameter

Unretrieved = Literal["irrel", "irrel+1"]
UNRETRIEVED: tuple[Unretrieved, ...] = get_args(Unretrieved)
"""Search length of a document that was not retrieved: the irrelevant documents, or one more."""


@dataclass(frozen=True, kw_only=True, repr=False)
class ASL(Metric):
    """How many documents a user reads per relevant document, as if it were the only one.

    Parameters
    ----------
    first
        How many relevant documents to average over, in rank order and retrieved before
        unretrieved, at least 1; by default all. ``ASL(first=10)`` is the paper's ASL@g1-10.
    unretrieved
        Search length of a relevant document that was not retrieved: ``"irrel"``, the number of
        irrelevant documents retrieved, as published; ``"irrel+1"``, one more, so that being
        last beats not being retrieved.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``ASL@k = (1/n) sum_d SL(d)`` over the n = R relevant documents, or the first n = min(R,
    `first`) of them, with SL(d) = 1 + irrelevant documents above d.

    Range: 0 upwards, lower is better, 1 is perfect; 0 only where nothing irrelevant was
    retrieved and relevant documents are missing, and never with ``"irrel+1"``. Needs: grades, R,
    list length. No relevant documents: NaN. Unjudged: irrelevant.

    References
    ----------
    .. [1] Alex, Hall, Metzler. Atomized search length: beyond user models. 2022.
       doi:10.48550/arXiv.2201.01745

    Examples
    --------
    Search lengths 1 and 3, and 3 for the relevant document that is missing:

    >>> from irframe.metrics import ASL
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(ASL(), [1, 0, None, 2, 0], judged=[1, 2, 1, 0, 0]).round(4)
    array([0.3333, 1.    , 1.6667, 2.    , 2.3333])
    >>> score_ranking(ASL(first=2), [1, 0, None, 2, 0], judged=[1, 2, 1, 0, 0])
    array([0.5, 1. , 1.5, 2. , 2. ])
    """

    first: int | None = None
    unretrieved: Unretrieved = parameter("irrel", choices=UNRETRIEVED)
    rel: int = parameter(1, low=1, high=127)

    sees_length = True
    aliases = ("AtomizedSearchLength",)
    cost = True
    order = "relevance"
    range = (0.0, np.inf)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.first is not None:
            whole("first", self.first, low=1, error=MetricError)

    def kernel(
        self,
        *,
        relevant: Array,
        found: Floats,
        search_length: Floats,
        missing_length: Floats,
        n_relevant: Array,
    ) -> Floats:
        """Return the mean search length of the list cut at each depth."""
        wanted = np.where(n_relevant > 0, n_relevant, np.nan)
        if self.first is not None:
            relevant = relevant & (found <= self.first)
            wanted = np.minimum(wanted, self.first)
        total = np.cumsum(search_length * relevant, axis=-1)
        return (total + np.maximum(wanted - found, 0) * missing_length) / wanted
