"""Average precision and its variants."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.gains import Gain
from irframe.metrics.base import Average, Thresholded, parameter
from irframe.metrics.reading import Reading
from irframe.quantities.block import count_above
from irframe.quantities.evidence import Steps, shallow
from irframe.quantities.positions import ideal_sum, positive
from irframe.quantities.subtopics import EPSILON, LONGEST, Strata

Norm = Literal["R", "min", "pool"]
NORMS: tuple[Norm, ...] = get_args(Norm)


@dataclass(frozen=True, kw_only=True, repr=False)
class AP(Thresholded):
    """Average precision (MAP when averaged over topics).

    Average precision is the mean of the precision at the ranks of all relevant documents. The
    precision of a relevant document that was not retrieved is 0. A list scores high if all relevant
    documents are near the top.

    Parameters
    ----------
    norm
        Divisor N of the sum. ``"R"`` is the number of relevant judged documents (AP_a, as in
        trec_eval). ``"min"`` is the smaller of R and the depth (AP_b), so that a perfect list
        scores 1 at every depth. ``"pool"`` is the number of relevant documents in the pool of depth
        k (AP_c). If k is not below the pool depth of the collection, ``"pool"`` is R.
    rel
        Lowest relevant grade, at least 1.
    average
        How scores are averaged over topics: ``"mean"`` or ``"geometric"`` (GMAP). The geometric
        mean ``exp(mean of ln max(AP, 0.00001))`` gives low scores more weight. With
        ``"geometric"``, all functions and methods report geometric means and rank systems by them,
        and significance tests use the logarithms of the scores.
    depth
        Fixed evaluation depth, usually written ``AP @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``AP@k = (1/N) sum_{i<=k} b(i) P(i)``, where b(i) is 1 if the document at rank i is relevant
    and 0 otherwise, and P(i) is the precision at rank i.

    Range: 0 to 1, but scores of runs that did not contribute to the pool may exceed 1 with
    ``"pool"``. Needs: grades, number of relevant documents, and the contributing runs for
    ``"pool"``. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6
    .. [2] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630
    .. [3] Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000.
       doi:10.1145/345508.345543

    Examples
    --------
    Two of four relevant documents are retrieved, at ranks 1 and 3:

    >>> from irframe.metrics import AP
    >>> AP().curve([1, 0, 1, 1, 1], listed=[1, 1, 1, 0, 0])[:3].round(4)
    array([0.25  , 0.25  , 0.4167])
    >>> AP(norm="min").curve([1, 0, 1, 1, 1], listed=[1, 1, 1, 0, 0])[:3].round(4)
    array([1.    , 0.5   , 0.5556])

    The arithmetic and the geometric mean over topics for one system:

    >>> import irframe as ir
    >>> summary = ir.cube(*ir.example_track()).ireval.score("AP", "GMAP", at=50).ireval.summary()
    >>> summary["mean"].sel(system="bm25").round(3).values.tolist()
    [0.163, 0.14]
    """

    norm: Norm = parameter("R", choices=NORMS)
    average: Average = parameter("mean", choices=get_args(Average))  # type: ignore[misc]

    aliases = ("MAP", "mean_average_precision")
    order = "relevance"
    fillings = "cut"

    def uncut(self) -> "AP":
        """Return the variant whose normaliser is independent of depth."""
        return replace(self, norm="R")

    def parts(
        self, *, relevant: Array, precision: Floats, normaliser: Floats
    ) -> tuple[Array, Array]:
        """Return contributions of ranks before division, and their divisor."""
        return precision * relevant, normaliser

    def expected(self, *, expected_precision: Floats, normaliser: Floats) -> Floats:
        """Return the mean score over all orders of tied documents."""
        return np.asarray(np.cumsum(expected_precision, axis=-1) / normaliser)

    def reading(
        self, *, relevant: Array, precision: Floats, rank: Floats, normaliser: Floats
    ) -> Reading:
        """Return expected gain and cost; users stop at relevant documents.

        The probability that users stop at a relevant document is proportional to the reciprocal of
        its rank. A document that was not retrieved has an infinite rank. The expected gain per rank
        read therefore equals average precision.
        """
        reach = np.cumsum(relevant / rank, axis=-1)
        # 0 is replaced by NaN, because division by NaN raises no warning
        reach[reach == 0] = np.nan
        gained = np.cumsum(precision * relevant, axis=-1) / reach
        return Reading(np.nan_to_num(gained), normaliser / reach)


@dataclass(frozen=True, kw_only=True, repr=False)
class IPrec(Thresholded):
    """Interpolated precision: highest precision at or above a recall level.

    Parameters
    ----------
    recall
        Recall level, 0 to 1, usually written ``IPrec @ 0.1``.
    rounding
        How the recall level is converted to a number of relevant documents, n. With ``"up"``, n is
        int(recall R + 0.9), as in trec_eval 9. With ``"nearest"``, n is int(recall R + 0.5), as in
        trec_eval 10. R is the number of relevant judged documents.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``IPrec(x)@k = max of P(i) over the ranks i <= k with found(i) >= n``. Here P(i) is the
    precision and found(i) the number of relevant documents down to rank i. n is the number of
    relevant documents that recall x requires (see `rounding`). The score is 0 if no rank reaches n.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    At rank 2, one of the two relevant documents is retrieved:

    >>> from irframe.metrics import IPrec
    >>> IPrec(recall=0.5).curve([0, 1, 1, 0]).round(4)
    array([0.    , 0.5   , 0.6667, 0.6667])
    """

    recall: float = parameter(low=0, high=1)
    rounding: str = parameter("up", choices=("up", "nearest"))

    at = "recall"
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the interpolated precision at each depth."""
        needed = np.floor(self.recall * n_relevant + (0.9 if self.rounding == "up" else 0.5))
        return np.maximum.accumulate(precision * (found >= needed), axis=-1)


@dataclass(frozen=True, kw_only=True, repr=False)
class InterpolatedAP(Thresholded):
    """Mean interpolated precision over eleven recall levels.

    Parameters
    ----------
    levels
        Recall levels, each from 0 to 1.
    rounding
        How a recall level is converted to a number of relevant documents, as for `IPrec`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, at which lists are cut.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    The score is the mean of `IPrec` at the recall levels, by default 0, 0.1, ..., 1. Early TRECs
    used the 3-point average, which is ``levels=(0.2, 0.5, 0.8)``.

    Range: 0 to 1. Needs: grades, number of relevant documents. No relevant documents: 0. Unjudged:
    not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    One of the two relevant documents is retrieved, at rank 2. The recall of 1/2 reaches six of the
    eleven levels:

    >>> from irframe.metrics import InterpolatedAP
    >>> InterpolatedAP().curve([0, 1, 1], listed=[1, 1, 0])[:2].round(4)
    array([0.    , 0.2727])
    """

    levels: tuple[float, ...] = parameter(tuple(tenth / 10 for tenth in range(11)))
    rounding: str = parameter("up", choices=("up", "nearest"))

    order = "relevance"
    fillings = "cut"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.levels, tuple) or not self.levels:
            expected = "levels of InterpolatedAP to be a tuple of numbers"
            raise MetricError(expected, repr(self.levels))
        object.__setattr__(self, "levels", tuple(IPrec(recall=x).recall for x in self.levels))

    def kernel(self, *, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the mean interpolated precision at each depth."""
        args = {"found": found, "precision": precision, "n_relevant": n_relevant}
        # the points are added one by one, because the order changes the last digits: see `_points`
        total: Floats = sum(point.kernel(**args) for point in self._points())  # type: ignore[assignment]
        return total / len(self.levels)

    def _points(self) -> list[IPrec]:
        """Return `IPrec` at every level, highest level first.

        trec_eval adds the precisions from the highest to the lowest level, and the order of a sum
        changes its last digits.
        """
        return [IPrec(recall=level, rounding=self.rounding) for level in sorted(self.levels)[::-1]]


@dataclass(frozen=True, kw_only=True, repr=False)
class YAAP(Thresholded):
    """Smoothed log-odds of average precision.

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
    ``YAAP@k = ln((1 + S) / (1 + R - S))``, where R is the number of relevant judged documents, and
    S is the sum of the precisions at the relevant documents down to rank k. S equals R times the
    average precision. Log-odds have no bounds and are better suited to arithmetic means over topics
    than average precision.

    Range: minus infinity to infinity. Needs: grades, number of relevant documents. No relevant
    documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Robertson. On smoothing average precision. ECIR 2012. doi:10.1007/978-3-642-28997-2_14

    Examples
    --------
    One of two relevant documents is at rank 1. The score there is the logarithm of (1 + 1) / (1 + 2
    - 1) = 1:

    >>> from irframe.metrics import YAAP
    >>> YAAP().curve([1, 0, 1]).round(3)
    array([0.   , 0.   , 0.693])
    """

    aliases = ("yaap",)
    range = (-np.inf, np.inf)
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, relevant: Array, precision: Floats, n_relevant: Array) -> Floats:
        """Return the smoothed log-odds of average precision at each depth."""
        total = np.cumsum(precision * relevant, axis=-1)
        return np.asarray(np.log1p(total) - np.log1p(n_relevant - total))


@dataclass(frozen=True, kw_only=True, repr=False)
class Q(Thresholded):
    """Q-measure: average precision with graded gain.

    Parameters
    ----------
    beta
        Weight of gain relative to the count of relevant documents, at least 0. With ``beta=0`` the
        score equals `AP`. For any other value the score depends on the scale of the gains.
    gain
        Gain map.
    norm
        Divisor N of the sum: ``"R"``, ``"min"`` or ``"pool"``, as for `AP`.
    ideal
        Documents of the ideal ranking: ``"judged"`` for all judged documents, or ``"pool"`` for the
        judged documents in the pool of depth k. With ``"pool"`` the computing time grows with the
        square of the pool depth.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Q @ 100``.
    judged_only
        Whether to remove unjudged documents from the lists before scoring.

    Notes
    -----
    ``Q@k = (1/N) sum_{i<=k} b(i) (cb(i) + beta cg(i)) / (i + beta cg*(i))``. At rank i, b(i) is 1
    if the document is relevant and 0 otherwise, cb(i) is the number of relevant documents down to
    i, and cg(i) is the cumulated gain. cg*(i) is the cumulated gain of the ideal ranking, which is
    constant past the last judged document.

    Range: 0 to 1, but scores of runs that did not contribute to the pool may exceed 1 with
    ``norm="pool"``. Needs: grades, recall base, and the contributing runs for ``"pool"``. No
    relevant documents: 0. Unjudged: gain 0, not relevant.

    References
    ----------
    .. [1] Sakai. New performance metrics based on multigrade relevance: their application to
       question answering. NTCIR-4, 2004.
    .. [2] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> from irframe.metrics import Q
    >>> Q().curve([2, 0, 1]).round(4)
    array([0.5   , 0.5   , 0.8889])
    """

    beta: float = parameter(1.0, low=0)
    gain: Gain = parameter("linear")
    norm: Norm = parameter("R", choices=NORMS)
    ideal: Literal["judged", "pool"] = parameter("judged", choices=("judged", "pool"))

    aliases = ("QM", "QMeasure")
    order = "reward"
    fillings = "cut"
    graded = "labelings"

    def uncut(self) -> "Q":
        """Return the variant whose normaliser is independent of depth."""
        return replace(self, norm="R", ideal="judged")

    def kernel(
        self,
        *,
        relevant: Array,
        found: Floats,
        cumulated_gain: Floats,
        rank: Floats,
        normaliser: Floats,
        ideal_steps: Steps,
        pool_steps: Steps | None,
    ) -> Floats:
        """Return the Q-measure at each depth."""
        reward = (found + self.beta * cumulated_gain) * relevant
        total = np.cumsum(reward / self._effort(*ideal_steps, rank), axis=-1)
        for depth, at_depth in shallow(pool_steps, ideal_steps):
            effort = self._effort(*at_depth, rank[:depth])
            # the pool of this depth lacks some relevant documents, so its ideal ranking differs
            total[..., depth - 1] = np.cumsum(reward[..., :depth] / effort, axis=-1)[..., -1]
        return total / normaliser

    def terms(
        self,
        *,
        relevant: Array,
        found: Floats,
        cumulated_gain: Floats,
        rank: Floats,
        normaliser: Floats,
        ideal_steps: Steps,
        pool_steps: Steps | None,
    ) -> Floats:
        """Return the contribution of each rank to the score."""
        gains, counts = ideal_steps if pool_steps is None else pool_steps
        # terms explain the score at the last depth, and therefore use the pool of the last depth
        effort = self._effort(gains, counts[..., -1:, :], rank)
        reward = (found + self.beta * cumulated_gain) * relevant
        return np.asarray(reward / effort / normaliser[..., -1:])

    def _effort(self, gains: Floats, counts: Array, rank: Floats) -> Floats:
        return rank + self.beta * ideal_sum(gains, counts, rank, "none")


@dataclass(frozen=True, kw_only=True, repr=False)
class InfAP(Thresholded):
    """Inferred AP, estimated from random samples of the pool.

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
    If a relevant document is at rank i, the precision at rank i is estimated as ``(1 + pooled above
    * share) / i`` with ``share = (relevant above + e) / (judged above + 2e)`` and e = 0.00001, as
    in trec_eval. Negative grades mark pooled documents that were not sampled. Documents without a
    grade were not pooled. If all retrieved documents are judged, the score is close to AP.

    If the judgments have a column `stratum`, the metric is xinfAP, called ``infAP`` in NIST's
    script sample_eval.pl. The precision at rank i is estimated as ``1/i + sum over strata c of (c
    above / i) * (relevant of c above + e) / (judged of c above + 3e)``, where "c above" is the
    number of documents of c above rank i. The score is the weighted sum of these estimates over the
    judged relevant documents. A document of stratum c has the weight N_c / n_c, the number of
    pooled documents divided by the number of judged documents of c. The divisor is the estimated
    number of relevant documents, but at most 1000, as in sample_eval.pl since 2012. Lists are cut
    at rank 1000. Strata without judged documents are ignored, with a warning. With complete
    judgments the score equals AP.

    Range: 0 to 1, but scores with strata may exceed 1. Needs: grades, number of relevant documents.
    No relevant documents: 0. Unjudged: treated as outside the pool.

    References
    ----------
    .. [1] Yilmaz, Aslam. Estimating average precision with incomplete and imperfect judgments.
       CIKM 2006. doi:10.1145/1183614.1183633
    .. [2] Yilmaz, Kanoulas, Aslam. A simple and efficient sampling method for estimating AP and
       NDCG. SIGIR 2008. doi:10.1145/1390334.1390437

    Examples
    --------
    >>> import irframe as ir
    >>> run, qrels = {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}, {"q": {"a": 1, "b": -1, "c": 1}}
    >>> ir.cube(run, qrels).ireval.score("InfAP").to_numpy().ravel().round(4)
    array([0.5, 0.5, 1. ])
    """

    aliases = ("infAP", "xinfAP")

    def parts(
        self,
        *,
        relevant: Array,
        judged: Array,
        assessed: Array,
        rank: Floats,
        n_relevant: Array,
        strata: Strata,
    ) -> tuple[Array, Array]:
        """Return contributions of ranks before division, and their divisor."""
        # documents of grade -1 are pooled: `judged` includes them, and `assessed` excludes them
        if strata.stratified:
            expected = strata.relevant_above(relevant, assessed)
            weight = strata.at_rank(strata.weight) * relevant
            total = np.minimum(strata.estimated_relevant(self.rel), LONGEST)
            return (1 + expected) / rank * weight, positive(total)
        share = (count_above(relevant) + EPSILON) / (count_above(assessed) + 2 * EPSILON)
        return (1 + count_above(judged) * share) / rank * relevant, positive(n_relevant)
