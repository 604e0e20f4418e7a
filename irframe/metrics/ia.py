"""What is found of every subtopic: subtopic recall, and the intent-aware mean of any metric."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.base import Graded, Metric, parameter
from irframe.metrics.contributions import added_by_rank, refuse_without_terms
from irframe.metrics.evidence import Evidence
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.positions import positive
from irframe.metrics.subtopics import Hits


@dataclass(frozen=True, kw_only=True, repr=False)
class IA(Graded):
    """Any metric, averaged over what users may have meant.

    Parameters
    ----------
    metric
        The metric, or its name; by ``"AP"`` this is AP_IA, by ``"P"`` P_IA.
    rel
        Lowest relevant grade, at least 1, of the metric.
    depth
        Fixed evaluation depth, usually written ``IA(metric="nDCG") @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean, over the subtopics that have a relevant document, of the score by the judgments of
    this subtopic alone: documents that are not judged for a subtopic are unjudged there.

    Range: that of the metric. Needs: grades by subtopic, and what the metric needs. No relevant
    documents: 0. Unjudged: as the metric.

    References
    ----------
    .. [1] Agrawal, Gollapudi, Halverson, Ieong. Diversifying search results. WSDM 2009.
       doi:10.1145/1498759.1498766

    Examples
    --------
    The first subtopic is found at once, the second one at rank 3:

    >>> from irframe.metrics import IA
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(IA(metric="RR"), [{1}, {1}, {2}]).round(3)
    array([0.5  , 0.5  , 0.667])
    """

    metric: str = parameter("AP", shown=True)

    subtopics = True

    def __post_init__(self) -> None:
        given = parse_metric(self.metric)
        own: dict[str, Any] = {"rel": 1} if hasattr(given, "rel") else {}
        inner = replace(given, depth=None, **own)
        object.__setattr__(self, "metric", str(inner))
        object.__setattr__(self, "rel", getattr(given, "rel", 1) if self.rel == 1 else self.rel)
        object.__setattr__(self, "depth", given.depth if self.depth is None else self.depth)
        object.__setattr__(self, "range", inner.range)
        super().__post_init__()
        if self.rel > 1 and not own:
            raise MetricError("a metric that reads rel, for IA with it", repr(self.metric))
        if inner.cost or inner.average != "mean" or inner.subtopics or inner.judged_only:
            wanted = "a gain of plain judgments that is averaged over topics, of all documents"
            raise MetricError(f"{wanted}, for IA", repr(self.metric))

    @property
    def inner(self) -> Metric:
        """The metric that is averaged."""
        given = parse_metric(self.metric)
        own: dict[str, Any] = {"rel": self.rel} if self.rel > 1 else {}
        return replace(given, **own)

    def uncut(self) -> "IA | None":
        """Return the mean of the metric of all that was retrieved, or None if it needs a depth."""
        uncut = self.inner.uncut()
        return None if uncut is None else replace(self, metric=str(uncut))

    def kernel(self, *, subtopics_apart: list[Evidence]) -> Floats:
        """Return the mean over subtopics of the score at each depth."""
        inner = self.inner
        total: Floats = np.zeros(1)
        number: Floats = np.zeros(1)
        for evidence in subtopics_apart:
            there = evidence.n_relevant(self.rel) > 0
            total = total + np.where(there, inner.score(evidence), 0.0)
            number = number + there
        return np.asarray(total / positive(number))

    def terms(self, *, subtopics_apart: list[Evidence]) -> Floats:
        """Return what each rank adds to the score of the list."""
        inner = self.inner
        refuse_without_terms([inner])
        there = [evidence.n_relevant(self.rel) > 0 for evidence in subtopics_apart]
        added = [added_by_rank(inner, evidence) for evidence in subtopics_apart]
        total = np.sum([np.where(*pair, 0.0) for pair in zip(there, added, strict=True)], axis=0)
        return np.asarray(total / positive(np.sum(there, axis=0)))


@dataclass(frozen=True, kw_only=True, repr=False)
class StRecall(Graded):
    """Share of the subtopics that some document covers.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``StRecall @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    Of the subtopics that have a relevant document, those that a document down to depth k covers.

    Range: 0 to 1. Needs: grades by subtopic, the recall base. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Zhai, Cohen, Lafferty. Beyond independent relevance: methods and evaluation metrics for
       subtopic retrieval. SIGIR 2003. doi:10.1145/860435.860440

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> from irframe.metrics import StRecall
    >>> from irframe.metrics.contributions import score_subtopics
    >>> score_subtopics(StRecall(), [{1}, {1}, {2}])
    array([0.5, 0.5, 1. ])
    """

    subtopics = True
    aliases = ("strec",)

    def parts(self, *, hits: Hits, n_subtopics: Array) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        return hits.total(hits.earlier == 0), positive(n_subtopics)
