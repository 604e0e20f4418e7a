"""Average precision."""

from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from irframe.arrays import Array, Floats
from irframe.metrics.base import Average, Metric, parameter
from irframe.metrics.contributions import divided
from irframe.metrics.reading import Reading

Norm = Literal["R", "min", "pool"]
NORMS: tuple[Norm, ...] = get_args(Norm)


@dataclass(frozen=True, kw_only=True, repr=False)
class AP(Metric):
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
    >>> from irframe.metrics.contributions import score_ranking
    >>> score_ranking(AP(), [1, 0, 1], judged=[1, 1, 1, 1]).round(4)
    array([0.25  , 0.25  , 0.4167])
    >>> score_ranking(AP(norm="min"), [1, 0, 1], judged=[1, 1, 1, 1]).round(4)
    array([1.    , 0.5   , 0.5556])

    The geometric mean of systems over topics:

    >>> import irframe as ir
    >>> summary = ir.cube(*ir.example_track()).ireval.score("AP", "GMAP", at=50).ireval.summary()
    >>> summary["mean"].sel(system="bm25", depth=50).round(3).values.tolist()
    [0.163, 0.14]
    """

    norm: Norm = parameter("R", choices=NORMS)
    rel: int = parameter(1, low=1, high=127)
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

    kernel, terms = divided(parts)

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
