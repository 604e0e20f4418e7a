"""The intent-aware mean of any metric."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from irframe.errors import MetricError
from irframe.metrics.base import Floats, Metric, parameter
from irframe.metrics.contributions import added_by_rank, refuse_without_terms
from irframe.metrics.evidence import Evidence, positive
from irframe.metrics.parse_metric import parse_metric


@dataclass(frozen=True, kw_only=True, repr=False)
class IA(Metric):
    """Any metric, averaged over what users may have meant.

    Parameters
    ----------
    metric
        The metric, or its name.
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
    >>> from irframe.metrics.score_subtopics import score_subtopics
    >>> score_subtopics(IA(metric="RR"), [{1}, {1}, {2}]).round(3)
    array([0.5  , 0.5  , 0.667])
    """

    metric: str = parameter("AP", shown=True)

    subtopics: ClassVar = True
    range: ClassVar = (-np.inf, np.inf)

    def __post_init__(self) -> None:
        given = self.inner
        inner = replace(given, depth=None)
        object.__setattr__(self, "metric", str(inner))
        object.__setattr__(self, "depth", given.depth if self.depth is None else self.depth)
        super().__post_init__()
        if inner.cost or inner.summary != "mean" or inner.subtopics or inner.judged_only:
            wanted = "a gain of plain judgments that is averaged over topics, of all documents"
            raise MetricError(f"{wanted}, for IA", repr(self.metric))

    @property
    def inner(self) -> Metric:
        """The metric that is averaged."""
        return parse_metric(self.metric)

    def uncut(self) -> "IA | None":
        """Return the mean of the metric of all that was retrieved, or None if it needs a depth."""
        uncut = self.inner.uncut()
        return None if uncut is None else replace(self, metric=str(uncut))

    def kernel(self, *, subtopics_apart: list[Evidence]) -> Floats:
        """Return the mean over subtopics of the score at each depth."""
        inner = self.inner
        rel = getattr(inner, "rel", 1)
        total: Floats = np.zeros(1)
        number: Floats = np.zeros(1)
        for evidence in subtopics_apart:
            there = evidence.n_relevant(rel) > 0
            total = total + np.where(there, inner.score(evidence), 0.0)
            number = number + there
        return np.asarray(total / positive(number))

    def terms(self, *, subtopics_apart: list[Evidence]) -> Floats:
        """Return what each rank adds to the score of the list."""
        inner = self.inner
        refuse_without_terms([inner])
        rel = getattr(inner, "rel", 1)
        there = [evidence.n_relevant(rel) > 0 for evidence in subtopics_apart]
        added = [added_by_rank(inner, evidence) for evidence in subtopics_apart]
        total = np.sum([np.where(*pair, 0.0) for pair in zip(there, added, strict=True)], axis=0)
        return np.asarray(total / positive(np.sum(there, axis=0)))
