"""Subtopics: gain of covered ones, repetition counting ever less, and the mean over them."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.base import Metric, Thresholded, parameter
from irframe.metrics.evidence import Evidence
from irframe.metrics.facts import added_by_rank, refuse_without_terms
from irframe.metrics.parse_metric import parse_metric
from irframe.metrics.positions import discounts, positive
from irframe.metrics.subtopics import NovelHits, stretch


@dataclass(frozen=True, kw_only=True, repr=False)
class Novelty(Thresholded, abstract=True):
    """Gain of covered subtopics, a document with `alpha` less for each that was covered above."""

    alpha: float = parameter(0.5, low=0, high=1)

    subtopics = True


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_DCG(Novelty):
    """Discounted gain of documents that cover subtopics, repetition counting ever less.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    bound
        Whether to divide by what a ranking would score whose documents all cover all subtopics, as
        ndeval and ir_measures do, though ndeval not at depth 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``alpha_DCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) G_i / log2(i + 1)``, divided by ``S sum_(i<=k) (1 - alpha)^(i-1) / log2(i + 1)``
    if bound. G is the number of subtopics that a document covers, each earlier document that
    covers a subtopic leaving 1 - alpha of it, and S the number of subtopics that have a relevant
    document.

    Range: 0 to 1, without an end unless bound. Needs: grades by subtopic, the recall base. No
    relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buttcher, MacKinnon. Novelty and diversity in
       information retrieval evaluation. SIGIR 2008. doi:10.1145/1390334.1390446

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("alpha_DCG(bound=False)").to_numpy().ravel().round(3)
    array([1.   , 1.315, 1.815])
    """

    bound: bool = parameter(True)  # noqa: FBT003

    range = (0.0, np.inf)
    needs_depth = True
    aliases = ("\u03b1_DCG",)

    def parts(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        weights = discounts("log2", 2, len(rank))
        if not self.bound:
            return novelty * weights, np.ones(1)
        most = np.cumsum((1 - self.alpha) ** (rank - 1) * weights)
        return novelty * weights, positive(n_subtopics * most)


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_nDCG(Novelty):
    """Discounted gain of covered subtopics, as a share of what the best ranking would have.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``alpha_nDCG @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) G_i / log2(i + 1)``, divided by the same of the ideal ranking, which takes at
    every rank the document that gains the most, the last one by its name where several do. G is
    the number of subtopics that a document covers, each earlier document that covers a subtopic
    leaving 1 - alpha of it.

    Range: 0 to 1, or a little more where the greedy ideal is not the best. Needs: grades by
    subtopic, the recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buttcher, MacKinnon. Novelty and diversity in
       information retrieval evaluation. SIGIR 2008. doi:10.1145/1390334.1390446

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("alpha_nDCG").to_numpy().ravel().round(3)
    array([1.   , 0.807, 0.965])
    """

    needs_depth = True
    aliases = ("\u03b1_nDCG",)

    def parts(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        weights = discounts("log2", 2, len(rank))
        ideal = np.cumsum(stretch(ideal_novelty, len(rank)) * weights, axis=-1)
        return novelty * weights, positive(ideal)


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR_IA(Novelty):
    """Expected reciprocal rank at which users stop, averaged over what they may have meant.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    bound
        Whether to divide by what a ranking would score whose documents all cover all subtopics, as
        ndeval and ir_measures do, though ndeval not at depth 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``ERR_IA @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``1/S sum_(i<=k) G_i / i``, divided by ``sum_(i<=k) (1 - alpha)^(i-1) / i`` if bound. G is the
    number of subtopics that a document covers, each earlier document that covers a subtopic
    leaving 1 - alpha of it, and S the number of subtopics that have a relevant document.

    Range: 0 to 1, without an end unless bound. Needs: grades by subtopic, the recall base. No
    relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Chapelle, Ji, Liao, Velipasaoglu, Lai, Wu. Intent-based diversification of web search
       results: metrics and algorithms. Information Retrieval 14, 2011.
       doi:10.1007/s10791-011-9167-7

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("ERR_IA(bound=False)").to_numpy().ravel().round(3)
    array([0.5  , 0.625, 0.792])
    """

    bound: bool = parameter(True)  # noqa: FBT003

    range = (0.0, np.inf)
    needs_depth = True

    def kernel(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the expected reciprocal rank down to each depth."""
        total = np.cumsum(novelty / rank, axis=-1) / positive(n_subtopics)
        if not self.bound:
            return np.asarray(total)
        return np.asarray(total / np.cumsum((1 - self.alpha) ** (rank - 1) / rank))

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        most = np.sum((1 - self.alpha) ** (rank - 1) / rank) if self.bound else 1.0
        return np.asarray(novelty / rank / positive(n_subtopics) / most)


@dataclass(frozen=True, kw_only=True, repr=False)
class nERR_IA(Novelty):
    """Intent-aware expected reciprocal rank, as a share of what the best ranking would have.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``nERR_IA @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) G_i / i``, divided by the same of the ideal ranking of `alpha_nDCG`, with its
    gains G.

    Range: 0 to 1, or a little more where the greedy ideal is not the best. Needs: grades by
    subtopic, the recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Chapelle, Ji, Liao, Velipasaoglu, Lai, Wu. Intent-based diversification of web search
       results: metrics and algorithms. Information Retrieval 14, 2011.
       doi:10.1007/s10791-011-9167-7

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("nERR_IA").to_numpy().ravel().round(3)
    array([1.   , 0.833, 0.95 ])
    """

    needs_depth = True

    def parts(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        ideal = np.cumsum(stretch(ideal_novelty, len(rank)) / rank, axis=-1)
        return novelty / rank, positive(ideal)


@dataclass(frozen=True, kw_only=True, repr=False)
class NRBP(Novelty):
    """Gain of covered subtopics that patient users collect, who like no repetition.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    beta
        Patience: the chance that users go on to the next rank, between 0 and 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``NRBP @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``(1 - (1 - alpha) beta) / S sum_(i<=k) beta^(i-1) G_i``, which is 1 for an endless ranking
    whose documents all cover all subtopics. G is the number of subtopics that a document covers,
    each earlier document that covers a subtopic leaving 1 - alpha of it, and S the number of
    subtopics that have a relevant document.

    Range: 0 to 1. Needs: grades by subtopic, the recall base. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Vechtomova. An effectiveness measure for ambiguous and underspecified
       queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("NRBP").to_numpy().ravel().round(3)
    array([0.375, 0.469, 0.562])
    """

    beta: float = parameter(0.5, above=0, below=1)

    def kernel(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the gain collected down to each depth."""
        scale = (1 - (1 - self.alpha) * self.beta) / positive(n_subtopics)
        return np.asarray(scale * np.cumsum(novelty * self.beta ** (rank - 1), axis=-1))

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return what each rank adds to the score of the list."""
        scale = (1 - (1 - self.alpha) * self.beta) / positive(n_subtopics)
        return np.asarray(scale * novelty * self.beta ** (rank - 1))


@dataclass(frozen=True, kw_only=True, repr=False)
class nNRBP(Novelty):
    """Novelty- and rank-biased precision, as a share of what the best ranking would have.

    Parameters
    ----------
    alpha
        What a subtopic loses of its gain with every document that covers it, 0 to 1.
    beta
        Patience: the chance that users go on to the next rank, between 0 and 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``nNRBP @ 10``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``sum_(i<=k) beta^(i-1) G_i``, divided by the same of the whole ideal ranking of `alpha_nDCG`,
    with its gains G.

    Range: 0 to 1, or a little more where the greedy ideal is not the best. Needs: grades by
    subtopic, the recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Vechtomova. An effectiveness measure for ambiguous and underspecified
       queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17

    Examples
    --------
    Two subtopics, of which the second document repeats the first one's:

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("nNRBP").to_numpy().ravel().round(3)
    array([0.615, 0.769, 0.923])
    """

    beta: float = parameter(0.5, above=0, below=1)

    def parts(self, *, novelty: Floats, rank: Floats, ideal_novelty: Floats) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        ideal = ideal_novelty @ self.beta ** np.arange(ideal_novelty.shape[-1])
        return novelty * self.beta ** (rank - 1), positive(ideal)[..., np.newaxis]


@dataclass(frozen=True, kw_only=True, repr=False)
class IA(Thresholded):
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

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("IA(metric='RR')").to_numpy().ravel().round(3)
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
class StRecall(Thresholded):
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

    >>> import pandas as pd
    >>> import irframe as ir
    >>> judged = [("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)]
    >>> qrels = pd.DataFrame(judged, columns=["topic", "subtopic", "doc", "grade"])
    >>> cube = ir.cube({"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, qrels)
    >>> cube.ireval.score("StRecall").to_numpy().ravel()
    array([0.5, 0.5, 1. ])
    """

    subtopics = True
    aliases = ("strec",)

    def parts(self, *, hits: NovelHits, n_subtopics: Array) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        return hits.total(hits.earlier == 0), positive(n_subtopics)
