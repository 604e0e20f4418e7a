"""Diversity metrics, which read judgments by subtopic."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.metrics.base import Metric, Thresholded, parameter
from irframe.metrics.facts import added_by_rank, refuse_without_terms
from irframe.metrics.parse_metric import parse_metric
from irframe.quantities.evidence import Evidence
from irframe.quantities.positions import discounts, positive
from irframe.quantities.subtopics import NovelHits, stretch


@dataclass(frozen=True, kw_only=True, repr=False)
class Novelty(Thresholded, abstract=True):
    """Base class of metrics that discount repeated subtopics."""

    alpha: float = parameter(0.5, low=0, high=1)

    subtopics = True


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_DCG(Novelty):
    """alpha-DCG: novelty-biased DCG over subtopics.

    Parameters
    ----------
    alpha
        Share, 0 to 1, by which the gain of a subtopic falls with each document that covers it.
    bound
        Whether to divide by the score of a ranking in which every document covers every subtopic.
        ndeval (except at depth 1) and ir_measures divide by this score.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``alpha_DCG @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``sum_(i<=k) G_i / log2(i + 1)``, divided by ``S sum_(i<=k) (1 - alpha)^(i-1) / log2(i + 1)`` if
    `bound` is True. G_i is the sum of ``(1 - alpha)^n`` over the subtopics for which the document
    at rank i is relevant, where n is the number of documents above that are relevant for the same
    subtopic. S is the number of subtopics with a relevant document.

    Range: 0 to 1 if `bound` is True, otherwise 0 upwards. Needs: grades by subtopic, recall base.
    No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buttcher, MacKinnon. Novelty and diversity in
       information retrieval evaluation. SIGIR 2008. doi:10.1145/1390334.1390446

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the undivided contribution of each rank, and the divisor."""
        weights = discounts("log2", 2, len(rank))
        if not self.bound:
            return novelty * weights, np.ones(1)
        most = np.cumsum((1 - self.alpha) ** (rank - 1) * weights)
        return novelty * weights, positive(n_subtopics * most)


@dataclass(frozen=True, kw_only=True, repr=False)
class alpha_nDCG(Novelty):
    """alpha-nDCG: novelty-biased nDCG over subtopics.

    Parameters
    ----------
    alpha
        Share, 0 to 1, by which the gain of a subtopic falls with each document that covers it.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``alpha_nDCG @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``sum_(i<=k) G_i / log2(i + 1)``, divided by the same sum for the ideal ranking down to k. The
    ideal ranking is built greedily: every rank gets the document with the highest gain among the
    remaining documents. Among documents with equal gain, the one with the last name is used. The
    gains G_i are defined as for `alpha_DCG`.

    Range: 0 to 1, or slightly above 1 if the greedy ranking is not optimal. Needs: grades by
    subtopic, recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Cormack, Vechtomova, Ashkan, Buttcher, MacKinnon. Novelty and diversity in
       information retrieval evaluation. SIGIR 2008. doi:10.1145/1390334.1390446

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the undivided contribution of each rank, and the divisor."""
        weights = discounts("log2", 2, len(rank))
        ideal = np.cumsum(stretch(ideal_novelty, len(rank)) * weights, axis=-1)
        return novelty * weights, positive(ideal)


@dataclass(frozen=True, kw_only=True, repr=False)
class ERR_IA(Novelty):
    """Intent-aware expected reciprocal rank (ERR-IA).

    Parameters
    ----------
    alpha
        Share, 0 to 1, by which the gain of a subtopic falls with each document that covers it.
    bound
        Whether to divide by the score of a ranking in which every document covers every subtopic.
        ndeval (except at depth 1) and ir_measures divide by this score.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``ERR_IA @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``1/S sum_(i<=k) G_i / i``, divided by ``sum_(i<=k) (1 - alpha)^(i-1) / i`` if `bound` is True.
    The gains G_i and the number of subtopics S are those of `alpha_DCG`.

    Range: 0 to 1 if `bound` is True, otherwise 0 upwards. Needs: grades by subtopic, recall base.
    No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Chapelle, Ji, Liao, Velipasaoglu, Lai, Wu. Intent-based diversification of web search
       results: metrics and algorithms. Information Retrieval 14, 2011.
       doi:10.1007/s10791-011-9167-7

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the ERR-IA at each depth."""
        total = np.cumsum(novelty / rank, axis=-1) / positive(n_subtopics)
        if not self.bound:
            return np.asarray(total)
        return np.asarray(total / np.cumsum((1 - self.alpha) ** (rank - 1) / rank))

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        most = np.sum((1 - self.alpha) ** (rank - 1) / rank) if self.bound else 1.0
        return np.asarray(novelty / rank / positive(n_subtopics) / most)


@dataclass(frozen=True, kw_only=True, repr=False)
class nERR_IA(Novelty):
    """Normalised intent-aware expected reciprocal rank (nERR-IA).

    Parameters
    ----------
    alpha
        Share, 0 to 1, by which the gain of a subtopic falls with each document that covers it.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``nERR_IA @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``sum_(i<=k) G_i / i``, divided by the same sum for the ideal ranking. The gains G_i and the
    ideal ranking are those of `alpha_nDCG`.

    Range: 0 to 1, or slightly above 1 if the greedy ranking is not optimal. Needs: grades by
    subtopic, recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Chapelle, Ji, Liao, Velipasaoglu, Lai, Wu. Intent-based diversification of web search
       results: metrics and algorithms. Information Retrieval 14, 2011.
       doi:10.1007/s10791-011-9167-7

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the undivided contribution of each rank, and the divisor."""
        ideal = np.cumsum(stretch(ideal_novelty, len(rank)) / rank, axis=-1)
        return novelty / rank, positive(ideal)


@dataclass(frozen=True, kw_only=True, repr=False)
class NRBP(Novelty):
    """Novelty- and rank-biased precision (NRBP).

    Parameters
    ----------
    alpha
        Share, 0 to 1, by which the gain of a subtopic falls with each document that covers it.
    beta
        Patience, the probability that users go on to the next rank, between 0 and 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``NRBP @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``(1 - (1 - alpha) beta) / S sum_(i<=k) beta^(i-1) G_i``, which is 1 for an infinite ranking in
    which every document is relevant for every subtopic. The gains G_i and the number of subtopics S
    are those of `alpha_DCG`.

    Range: 0 to 1. Needs: grades by subtopic, recall base. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Vechtomova. An effectiveness measure for ambiguous and underspecified
       queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the NRBP at each depth."""
        scale = (1 - (1 - self.alpha) * self.beta) / positive(n_subtopics)
        return np.asarray(scale * np.cumsum(novelty * self.beta ** (rank - 1), axis=-1))

    def terms(self, *, novelty: Floats, rank: Floats, n_subtopics: Array) -> Floats:
        """Return the contribution of each rank to the score."""
        scale = (1 - (1 - self.alpha) * self.beta) / positive(n_subtopics)
        return np.asarray(scale * novelty * self.beta ** (rank - 1))


@dataclass(frozen=True, kw_only=True, repr=False)
class nNRBP(Novelty):
    """Normalised novelty- and rank-biased precision (nNRBP).

    Parameters
    ----------
    alpha
        Share, 0 to 1, by which the gain of a subtopic falls with each document that covers it.
    beta
        Patience, the probability that users go on to the next rank, between 0 and 1.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``nNRBP @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``sum_(i<=k) beta^(i-1) G_i``, divided by the same sum for the full ideal ranking. The gains G_i
    and the ideal ranking are those of `alpha_nDCG`.

    Range: 0 to 1, or slightly above 1 if the greedy ranking is not optimal. Needs: grades by
    subtopic, recall base. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Clarke, Kolla, Vechtomova. An effectiveness measure for ambiguous and underspecified
       queries. ICTIR 2009. doi:10.1007/978-3-642-04417-5_17

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the undivided contribution of each rank, and the divisor."""
        ideal = ideal_novelty @ self.beta ** np.arange(ideal_novelty.shape[-1])
        return novelty * self.beta ** (rank - 1), positive(ideal)[..., np.newaxis]


@dataclass(frozen=True, kw_only=True, repr=False)
class IA(Thresholded):
    """Intent-aware metric: mean of a metric over subtopics.

    Parameters
    ----------
    metric
        Metric or its name. With ``"AP"``, the metric is called AP-IA, and with ``"P"``, P-IA.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``IA(metric="nDCG") @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    For each subtopic with a relevant document, the list is scored with the judgments of that
    subtopic. The score is the mean of the scores by subtopic. A document without a judgment for a
    subtopic is unjudged for that subtopic.

    Range: as for `metric`. Needs: grades by subtopic, and the needs of `metric`. No relevant
    documents: 0. Unjudged: as for `metric`.

    References
    ----------
    .. [1] Agrawal, Gollapudi, Halverson, Ieong. Diversifying search results. WSDM 2009.
       doi:10.1145/1498759.1498766

    Examples
    --------
    The first relevant document is at rank 1 for one subtopic, and at rank 3 for the other:

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
        # IA takes rel and depth from its metric, so that IA(metric="P@5") equals IA(metric="P") @ 5
        parsed = parse_metric(self.metric)
        default: dict[str, Any] = {"rel": 1} if hasattr(parsed, "rel") else {}
        inner = replace(parsed, depth=None, **default)
        object.__setattr__(self, "metric", str(inner))
        object.__setattr__(self, "rel", getattr(parsed, "rel", 1) if self.rel == 1 else self.rel)
        object.__setattr__(self, "depth", parsed.depth if self.depth is None else self.depth)
        object.__setattr__(self, "range", inner.range)
        super().__post_init__()
        if self.rel > 1 and not default:
            raise MetricError("a metric with a parameter rel for IA(rel=...)", repr(self.metric))
        if inner.cost or inner.average != "mean" or inner.subtopics or inner.judged_only:
            expected = "a metric of gain for IA, with arithmetic means, without subtopics"
            raise MetricError(f"{expected} and without judged_only", repr(self.metric))

    @property
    def inner(self) -> Metric:
        """The metric that is averaged over subtopics."""
        rel: dict[str, Any] = {"rel": self.rel} if self.rel > 1 else {}
        return replace(parse_metric(self.metric), **rel)

    def uncut(self) -> "IA | None":
        """Return the metric without cutoff, or None if undefined."""
        uncut = self.inner.uncut()
        return None if uncut is None else replace(self, metric=str(uncut))

    def kernel(self, *, evidence_by_subtopic: list[Evidence]) -> Floats:
        """Return the mean score over subtopics at each depth."""
        inner = self.inner
        total: Floats = np.zeros(1)
        number: Floats = np.zeros(1)
        for evidence in evidence_by_subtopic:
            counts = evidence.n_relevant(self.rel) > 0  # scores of other subtopics may be NaN
            total = total + np.where(counts, inner.score(evidence), 0.0)
            number = number + counts
        return np.asarray(total / positive(number))

    def terms(self, *, evidence_by_subtopic: list[Evidence]) -> Floats:
        """Return the contribution of each rank to the score."""
        inner = self.inner
        refuse_without_terms([inner])
        counts = [evidence.n_relevant(self.rel) > 0 for evidence in evidence_by_subtopic]
        added = [added_by_rank(inner, evidence) for evidence in evidence_by_subtopic]
        total = np.sum([np.where(*pair, 0.0) for pair in zip(counts, added, strict=True)], axis=0)
        return np.asarray(total / positive(np.sum(counts, axis=0)))


@dataclass(frozen=True, kw_only=True, repr=False)
class StRecall(Thresholded):
    """Subtopic recall: share of subtopics covered.

    Parameters
    ----------
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``StRecall @ 10``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is the number of subtopics with a relevant document in the top k, divided by the
    number of subtopics with any relevant document.

    Range: 0 to 1. Needs: grades by subtopic, recall base. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Zhai, Cohen, Lafferty. Beyond independent relevance: methods and evaluation metrics for
       subtopic retrieval. SIGIR 2003. doi:10.1145/860435.860440

    Examples
    --------
    There are two subtopics. The second document repeats the subtopic of the first:

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
        """Return the undivided contribution of each rank, and the divisor."""
        return hits.total(hits.earlier == 0), positive(n_subtopics)
