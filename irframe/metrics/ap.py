"""Precision averaged over relevant documents or levels of recall."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.errors import MetricError
from irframe.gains import Gain
from irframe.metrics.base import Average, Thresholded, parameter
from irframe.metrics.evidence import Steps, shallow
from irframe.metrics.positions import ideal_sum
from irframe.metrics.reading import Reading

Norm = Literal["R", "min", "pool"]
NORMS: tuple[Norm, ...] = get_args(Norm)


@dataclass(frozen=True, kw_only=True, repr=False)
class AP(Thresholded):
    """Precision averaged over the relevant documents; its mean is MAP.

    At the rank of every relevant document, the share of documents down to there that are relevant;
    0 for those that were not retrieved. It rewards finding all of them, and finding them early.

    Parameters
    ----------
    norm
        What the sum is divided by: ``"R"``, the relevant judged documents (AP_a, trec_eval);
        ``"min"``, the smaller of R and the depth (AP_b), so that a perfect list scores 1 at
        every depth; ``"pool"``, the relevant documents of the pool as deep as the evaluation,
        R from the pool depth on (AP_c).
    rel
        Lowest relevant grade, at least 1.
    average
        How topics are averaged: ``"mean"``, or ``"geometric"``, by which low scores weigh most
        (GMAP). Means, and with them the order of systems, are then geometric in `summary`,
        `compare` and all ratios: ``exp(mean of ln max(AP, 0.00001))``. Tests are of the scores by
        topic, which are the same.
    depth
        Fixed evaluation depth, usually written ``AP @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``AP@k = (1/N) sum_{i<=k} b(i) P(i)`` with b(i) = 1 where rank i is relevant, else 0.

    Range: 0 to 1; with ``"pool"`` above 1 for some runs that did not contribute. Needs: grades, R;
    for ``"pool"`` the contributing runs. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Table 2. doi:10.1007/s10791-016-9282-6
    .. [2] Robertson. On GMAP: and other transformations. CIKM 2006. doi:10.1145/1183614.1183630
    .. [3] Buckley, Voorhees. Evaluating evaluation measure stability. SIGIR 2000.
       doi:10.1145/345508.345543

    Examples
    --------
    Relevant at ranks 1 and 3, of R = 4:

    >>> from irframe.metrics import AP
    >>> AP().curve([1, 0, 1, 1, 1], listed=[1, 1, 1, 0, 0])[:3].round(4)
    array([0.25  , 0.25  , 0.4167])
    >>> AP(norm="min").curve([1, 0, 1, 1, 1], listed=[1, 1, 1, 0, 0])[:3].round(4)
    array([1.    , 0.5   , 0.5556])

    The geometric mean of systems over topics:

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
        """Return the metric by all that is relevant, whatever the depth."""
        return replace(self, norm="R")

    def parts(
        self, *, relevant: Array, precision: Floats, normaliser: Floats
    ) -> tuple[Array, Array]:
        """Return what each rank adds, and by what the sum is divided."""
        return precision * relevant, normaliser

    def expected(self, *, expected_precision: Floats, normaliser: Floats) -> Floats:
        """Return the mean over all orders of ties."""
        return np.asarray(np.cumsum(expected_precision, axis=-1) / normaliser)

    def reading(
        self, *, relevant: Array, precision: Floats, rank: Floats, normaliser: Floats
    ) -> Reading:
        """Return what users do who stop at relevant documents, the likelier the higher these are.

        What was not retrieved is thought infinitely deep, so that the gain for a rank read is the
        metric.
        """
        reach = np.cumsum(relevant / rank, axis=-1)
        reach[reach == 0] = np.nan
        gained = np.cumsum(precision * relevant, axis=-1) / reach
        return Reading(np.nan_to_num(gained), normaliser / reach)


@dataclass(frozen=True, kw_only=True, repr=False)
class IPrec(Thresholded):
    """Best precision to be had at or beyond a level of recall.

    Parameters
    ----------
    recall
        Level of recall, 0 to 1; usually written ``IPrec @ 0.1``.
    rounding
        How the level becomes a number of documents: ``"up"``, int(recall R + 0.9), as
        trec_eval 9, or ``"nearest"``, as trec_eval 10.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``IPrec(x)@k = max of P(i) over the ranks i <= k where found(i) has reached the level``, 0 if
    none has.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    Half of the relevant documents are found at rank 2:

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
        """Return the interpolated precision of the list cut at each depth."""
        needed = np.floor(self.recall * n_relevant + (0.9 if self.rounding == "up" else 0.5))
        return np.maximum.accumulate(precision * (found >= needed), axis=-1)


@dataclass(frozen=True, kw_only=True, repr=False)
class InterpolatedAP(Thresholded):
    """Interpolated precision averaged over levels of recall, by default eleven.

    Parameters
    ----------
    levels
        Levels of recall, each 0 to 1.
    rounding
        How a level becomes a number of documents, as for `IPrec`.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth: the list is cut there.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    The mean of `IPrec` at 0, 0.1, ..., 1; ``levels=(0.2, 0.5, 0.8)`` is the average over three
    points of early TRECs.

    Range: 0 to 1. Needs: grades, R. No relevant documents: 0. Unjudged: not relevant.

    References
    ----------
    .. [1] Manning, Raghavan, Schutze. Introduction to Information Retrieval, chapter 8.
       Cambridge University Press, 2008. doi:10.1017/CBO9780511809071

    Examples
    --------
    Half of the relevant documents are found, at rank 2: six of eleven levels are reached.

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
            raise MetricError("levels of InterpolatedAP, a tuple of numbers", repr(self.levels))
        object.__setattr__(self, "levels", tuple(IPrec(recall=x).recall for x in self.levels))

    def kernel(self, *, found: Floats, precision: Floats, n_relevant: Array) -> Floats:
        """Return the mean interpolated precision of the list cut at each depth."""
        words = {"found": found, "precision": precision, "n_relevant": n_relevant}
        total: Floats = sum(point.kernel(**words) for point in self._points())  # type: ignore[assignment]
        return total / len(self.levels)

    def _points(self) -> list[IPrec]:
        """Return precision at every level, from the highest down as trec_eval adds them up."""
        return [IPrec(recall=level, rounding=self.rounding) for level in sorted(self.levels)[::-1]]


@dataclass(frozen=True, kw_only=True, repr=False)
class YAAP(Thresholded):
    """Average precision on a scale on which topics average well: log-odds, smoothed.

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
    ``YAAP@k = ln((1 + S) / (1 + R - S))`` with S the sum of the precisions at the relevant
    documents down to k, which is R times average precision.

    Range: minus infinity to infinity. Needs: grades, R. No relevant documents: 0. Unjudged: not
    relevant.

    References
    ----------
    .. [1] Robertson. On smoothing average precision. ECIR 2012. doi:10.1007/978-3-642-28997-2_14

    Examples
    --------
    Relevant at rank 1, of R = 2: the logarithm of 2/2.

    >>> from irframe.metrics import YAAP
    >>> YAAP().curve([1, 0, 1]).round(3)
    array([0.   , 0.   , 0.693])
    """

    aliases = ("yaap",)
    range = (-np.inf, np.inf)
    order = "relevance"
    fillings = "cut"

    def kernel(self, *, relevant: Array, precision: Floats, n_relevant: Array) -> Floats:
        """Return the log-odds of the list cut at each depth."""
        total = np.cumsum(precision * relevant, axis=-1)
        return np.asarray(np.log1p(total) - np.log1p(n_relevant - total))


@dataclass(frozen=True, kw_only=True, repr=False)
class Q(Thresholded):
    """Average precision that also counts how much was gained on the way.

    Parameters
    ----------
    beta
        Weight of gain against count, at least 0; 0 gives AP. Not free of the gains' scale.
    gain
        Gain map.
    norm
        What the sum is divided by: ``"R"``, ``"min"`` or ``"pool"``, as for `AP`.
    ideal
        Where the ideal gain comes from: ``"judged"``, all judged documents, or ``"pool"``,
        those of the pool as deep as the evaluation. The latter takes time in proportion to
        the square of the pool depth.
    rel
        Lowest relevant grade, at least 1.
    depth
        Fixed evaluation depth, usually written ``Q @ 100``.
    judged_only
        Whether unjudged documents are taken out of lists first.

    Notes
    -----
    ``Q@k = (1/N) sum_{i<=k} b(i) (cb(i) + beta cg(i)) / (i + beta cg*(i))``, where cb counts
    relevant documents, cg cumulates gain, and cg* the gain of the ideal ranking, constant past
    the last judged document.

    Range: 0 to 1; with ``norm="pool"`` above 1 for some runs that did not contribute. Needs:
    grades, the recall base; for ``"pool"`` the contributing runs. No relevant documents: 0.
    Unjudged: gain 0, not relevant.

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
        """Return the metric by all that is relevant, whatever the depth."""
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
        """Return what each rank adds to the score of the list."""
        gains, counts = ideal_steps if pool_steps is None else pool_steps
        effort = self._effort(gains, counts[..., -1:, :], rank)
        reward = (found + self.beta * cumulated_gain) * relevant
        return np.asarray(reward / effort / normaliser[..., -1:])

    def _effort(self, gains: Floats, counts: Array, rank: Floats) -> Floats:
        return rank + self.beta * ideal_sum(gains, counts, rank, "none")
