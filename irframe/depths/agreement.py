"""How alike metrics and depths order the systems."""

from functools import partial
from typing import Literal, overload

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from irframe.agreements import RBO, Agreement, Kendall, Method, Spearman, TauAP, parse_agreement
from irframe.cubes.verb import verb
from irframe.depths.agreement_intervals import (
    Asked,
    Of,
    between_metrics,
    with_ends,
    with_reference,
)
from irframe.metrics.facts import TIE
from irframe.names import METRIC
from irframe.scores.read_scores import Depths, scores_to_compare
from irframe.scores.reference import Reference, match_reference
from irframe.scores.resampled import Resamples
from irframe.scores.scores import Scores

METRIC_OTHER = "metric_other"
"""Dimension of the metrics on the other side."""
ORDERINGS = (Kendall, RBO, Spearman, TauAP)
"""Methods that see only the order of the systems."""


@overload
def agreement(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    method: Method = "kendall",
    *,
    at: Depths = None,
    interval: Literal[False] = False,
    of: Of = "expected",
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    by: str | None = None,
) -> xr.DataArray: ...
@overload
def agreement(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    method: Method = "kendall",
    *,
    at: Depths = None,
    interval: Literal[True],
    of: Of = "expected",
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    by: str | None = None,
) -> xr.Dataset: ...
@verb
def agreement(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    method: Method = "kendall",
    *,
    at: Depths = None,
    interval: bool = False,
    of: Of = "expected",
    alpha: float = 0.05,
    samples: int = 1000,
    seed: int = 0,
    by: str | None = None,
) -> xr.DataArray | xr.Dataset:
    """Rank correlation of the systems' orderings between metrics, or with a reference, by depth.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    reference
        As for `coverage`: a depth, a metric, or other scores of the same systems. By default
        every metric of the scores, at the same depth.
    method
        A method of agreement such as `RBO`, or its name: ``"kendall"`` or ``"tau_b"``,
        ``"tau_a"``, ``"tau_ap"``, ``"tau_ap_b"``, ``"rbo"``, ``"rbo_a"``, ``"rbo_b"``,
        ``"spearman"``, ``"pearson"``, ``"rmse"``. They differ in what systems that tie count for,
        as `Kendall`, `TauAP` and `RBO` say.
    at
        Depths of the scores to look at; by default all there are.
    interval
        Whether to give intervals too.
    of
        What the intervals are of: ``"expected"``, the agreement that is to be expected of as many
        topics like these; or ``"averages"``, for correlations, that by the averages over all
        topics there might be, which is higher, as averages are then free of noise.
    alpha, samples, seed
        Of the intervals: one minus their level, above 0 and below 1; how many resamples of the
        topics, at least 1; and the seed of their generator, at least 0.
    by
        A coordinate or index level such as ``"track"``: one result per group. Reference scores
        are split alike.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Agreement over (metric, depth), the group first if `by` is given; without a reference
        over (metric, metric_other, depth). NaN where it is undefined, as a correlation of
        systems that all tie. The attribute ``method`` names the method. With `interval` a
        dataset with the same under ``agreement``, and ``ci_low`` and ``ci_high``; these are NaN
        where the agreement of too many resamples is undefined. The attribute ``interval_of`` says
        what they are of.

    Raises
    ------
    IrframeError
        As `coverage`, and for an unknown method, or one without intervals of the kind asked for.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, and for intervals by
        averages over all topics from fewer than 20.

    Notes
    -----
    A system's score is its mean over the topics on which every system has a score, by all metrics
    or on both sides. Where only the order counts (Kendall, tau_ap, RBO,
    Spearman), means are rounded to 12 decimals, so that means equal in exact arithmetic tie
    whatever order they were added up in, and those of a metric that counts a cost change sign.
    RMSE takes means as they are; Pearson changes the sign of a cost. For tau_ap the reference is
    the true ordering (without one, ``metric``).

    For intervals topics are drawn with replacement, the same on both sides, for all systems,
    metrics and depths, and the systems are compared anew. That of the expected agreement is the
    expanded percentile interval [3]_, between the quantiles of the resamples at
    ``a = Phi(-t sqrt(n / (n - 1)))`` and ``1 - a``, t that of Student with n - 1 degrees of freedom
    at ``1 - alpha / 2``. An agreement of noisy averages is lower than that of exact ones, and more
    so in resamples, so that both ends are rather low, and the agreement itself may lie above them.

    For ``of="averages"``, s is the larger of the standard deviation of the resamples times
    ``sqrt(n / (n - 1))`` and the jackknife's standard error, and b the mean of the resamples less
    the agreement: the interval is from ``-t s`` below it to ``max(0, -b) + t s`` above, within -1
    and 1. Intervals are cautious: topics drawn from real ones, 95% intervals of Kendall's tau held
    what they are of 97 to 100 times in 100 with 5 to 50 topics, of either kind. Plain percentiles
    are shorter, and do not hold the agreement by averages over all at any number of topics.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 3.2. doi:10.1007/s10791-016-9282-6
    .. [2] Yilmaz, Aslam, Robertson. A new rank correlation coefficient for information
       retrieval. SIGIR 2008. doi:10.1145/1390334.1390435
    .. [3] Hesterberg. What teachers should know about the bootstrap: resampling in the
       undergraduate statistics curriculum. American Statistician 69, 2015.
       doi:10.1080/00031305.2015.1089789

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> scores = runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RBP(p=0.95)")
    >>> scores.ireval.agreement(10, at=[1, 10, 50]).round(2).to_pandas()
    depth             1    10    50
    metric
    AP(norm='min')  0.74  1.0  1.00
    RBP(p=0.95)     0.59  1.0  0.86
    """
    chosen, asked = parse_agreement(method), Asked(Resamples(alpha, samples, seed), of)
    if reference is None:
        paired = _common_topics(scores_to_compare(scores, at))
        values = _between_metrics(paired, chosen)
        ends = partial(between_metrics, paired)
    else:
        paired, held = match_reference(scores, reference, at)
        values = _with_reference(paired, held, chosen)
        ends = partial(with_reference, paired, held)
    return with_ends(values, ends(asked, chosen), asked, paired) if interval else values


def system_means(paired: Scores, method: Agreement) -> NDArray[np.float64]:
    """Return what a method compares: mean scores, shape (metric, depth, system)."""
    if isinstance(method, ORDERINGS):
        rounded: NDArray[np.float64] = np.round(paired.means, TIE)
        return rounded
    towards = np.array(paired.towards if method.distance else [1.0])
    means: NDArray[np.float64] = paired.means * towards[:, np.newaxis, np.newaxis]
    return means


def _with_reference(paired: Scores, held: Scores, method: Agreement) -> xr.DataArray:
    new, old = system_means(paired, method), system_means(held, method)
    result = np.empty(new.shape[:2])
    for row in range(len(new)):
        left, right = old[min(row, len(old) - 1)], new[row]
        if len(left) == 1:
            result[row] = method.kernel(left, right)[0]
        else:
            result[row] = method.kernel(left[:, np.newaxis], right[:, np.newaxis])[:, 0, 0]
    return paired.labelled(result, "agreement").assign_attrs(method=repr(method))


def _common_topics(paired: Scores) -> Scores:
    """Return scores on the topics that every metric and system has."""
    common = np.asarray(paired.scored.all(axis=0))
    if (common == paired.scored).all():
        return paired
    return scores_to_compare(paired.where(common[np.newaxis]))


def _between_metrics(paired: Scores, method: Agreement) -> xr.DataArray:
    by_depth = np.moveaxis(system_means(paired, method), 0, 1)
    values = np.moveaxis(method.kernel(by_depth, by_depth), 0, -1)
    values = values[..., 0] if paired.depths is None else values
    coordinates = {METRIC: paired.metrics, METRIC_OTHER: paired.metrics, **paired.labels()}
    attributes = {**paired.attrs, "method": repr(method)}
    return xr.DataArray(values, coordinates, tuple(coordinates), name="agreement", attrs=attributes)
