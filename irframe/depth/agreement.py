"""Agreement between orderings of systems, with confidence intervals.

Verbs: agreement.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple, Self, overload

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe import agreements
from irframe.arrays import Array, low_to_high
from irframe.checks import choice
from irframe.cubes.scores import Arrays, Scores
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.metrics.base import Summary
from irframe.metrics.facts import TIE
from irframe.names import METRIC
from irframe.paired.design import Design
from irframe.paired.pairs import fitting, groups
from irframe.scores.averages import Resamples, Resampling, without_each
from irframe.scores.read_scores import (
    Reference,
    Sides,
    match_reference,
    refuse_unshared,
    scores_to_compare,
)
from irframe.scores.repeats import refuse_design

Of = Literal["expected", "averages"]
"""Type of ``interval_of=``, the quantity that a confidence interval estimates."""
QUANTITIES = {
    "expected": "to be expected on {} topics like these",
    "averages": "by the averages over all topics",
}
CORRELATIONS = (agreements.Kendall, agreements.TauAP, agreements.Spearman, agreements.Pearson)
"""Measures of agreement for which ``interval_of="averages"`` is available."""
LEAST_TOPICS = 20
"""Minimum number of topics for which intervals with ``interval_of="averages"`` are reliable."""
BLOCK_BYTES = 2**26
"""Approximate memory in bytes for the agreements of one block of vectors in all resamples."""


@dataclass(frozen=True)
class Intervals:
    """Options of confidence intervals: resamples, level and quantity.

    Parameters
    ----------
    resamples
        The bootstrap samples of topics and the confidence level.
    of
        The quantity that the intervals estimate, a key of `QUANTITIES`.
    """

    resamples: Resamples
    of: Of = "expected"

    def __post_init__(self) -> None:
        choice("interval_of", self.of, QUANTITIES)

    def refuse(self, method: agreements.Agreement) -> None:
        """Raise if the measure has no intervals for `of`."""
        if self.of == "averages" and not isinstance(method, CORRELATIONS):
            expected = "kendall, tau_ap, spearman or pearson with interval_of='averages'"
            raise ParameterError(expected, repr(method))

    def described(self, result: xr.Dataset, topics: Array) -> xr.Dataset:
        """Add attributes that describe intervals, and warn if unreliable."""
        least = int(np.min(topics))
        most = int(np.max(topics))
        counted = low_to_high(topics)
        drawn = {"alpha": self.resamples.alpha, "samples": self.resamples.samples}
        result = result.assign_attrs(drawn, interval_of=QUANTITIES[self.of].format(counted))
        cautions = []
        if self.of == "averages" and least < LEAST_TOPICS:
            noun = "intervals of an agreement by the averages over all topics"
            cautions.append(f"{noun} are unreliable with fewer than {LEAST_TOPICS} topics: {least}")
        low = result["ci_low"] if "ci_low" in result else result["agreement_interval"][..., 0]
        without = np.isnan(low.to_numpy()) & ~np.isnan(result["agreement"].to_numpy())
        # with a single topic, no interval exists, and another warning says so
        if without.any() and most > 1:
            noun = "agreements without an interval, because resamples do not vary"
            cautions.append(f"{noun} or are undefined: {without.sum()} of {without.size}")
        warn(*cautions)
        return result


class OneSide(NamedTuple):
    """Mean scores of systems on one side of a comparison.

    A vector contains one mean per system. A side has K vectors, for example one per depth. Each
    vector is compared with all vectors of the other side.

    Parameters
    ----------
    means
        Means over all topics, shape (..., K, system).
    drawn
        Means over the topics of each resample, shape (sample, ..., K, system).
    without
        Means over all topics except one, shape (topic, ..., K, system). The first dimension is the
        topic that is left out. The array is empty if the interval does not need these means.
    scored
        True for topics on which all systems have scores, shape (topic, ..., K, 1).
    """

    means: Array
    drawn: Array
    without: Array
    scored: Array

    @property
    def topics(self) -> Array:
        """Number of topics that all systems share, shape (..., K)."""
        return np.asarray(self.scored[..., 0].sum(axis=0))

    def at(self, block: slice) -> Self:
        """Return a side with only the vectors in `block`."""
        return type(self)(*(array[..., block, :] for array in self))

    def separate(self) -> Self:
        """Make K a leading dimension, with one vector per side."""
        return type(self)(*(array[..., np.newaxis, :] for array in self))

    @classmethod
    def stacked(cls, sides: Sequence[Self]) -> Self:
        """Stack sides along a new last dimension K."""
        return cls(*(np.stack(arrays, axis=-2) for arrays in zip(*sides, strict=True)))


def read_sides(paired: Scores, options: Intervals, method: agreements.Agreement) -> list[OneSide]:
    """Return one side per metric, with one vector per depth."""
    sides = []
    every_mean = np.round(system_means(paired, method), TIE)
    for row, summary in enumerate(paired.summaries):
        sign = 1 if method.distance else paired.signs[row]

        def draw(
            scores: Array, *design: Design, summary: Summary = summary, sign: int = sign
        ) -> Arrays:
            return (np.moveaxis(options.resamples.means(scores, summary, sign, *design), 1, -1),)

        (drawn,) = paired.over(row, slice(None), draw)
        scored = paired.scored[row]
        values = np.where(scored, paired.values[row], np.nan)
        means = every_mean[row]
        empty = np.empty((0, *means.shape))
        if options.of == "averages":
            refuse_design(paired, "interval_of='averages'")
        without = without_each(values, summary, sign) if options.of == "averages" else empty
        sides.append(OneSide(means, np.moveaxis(drawn, -1, 1), without, scored[..., np.newaxis]))
    return sides


def with_reference(
    paired: Scores, reference: Scores, options: Intervals, method: agreements.Agreement
) -> Array:
    """Return confidence limits of agreements with a reference.

    The shape is (2, metric, depth), with lower limits first.
    """
    refuse_other_topics(paired, reference)
    new, old = (read_sides(side, options, method) for side in (paired, reference))
    # a reference with one metric is compared with every metric
    references = [old[min(row, len(old) - 1)].separate() for row in range(len(new))]
    sides = zip(references, (side.separate() for side in new), strict=True)
    ends = [ends_of(left, right, options, method)[..., 0, 0] for left, right in sides]
    return np.stack(ends, axis=1)


def between_metrics(paired: Scores, options: Intervals, method: agreements.Agreement) -> Array:
    """Return confidence limits of agreements between metrics.

    The shape is (2, metric, metric, depth), with lower limits first.
    """
    by_depth = OneSide.stacked(read_sides(paired, options, method))
    return np.moveaxis(ends_of(by_depth, by_depth, options, method), 1, -1)


def between_depths(
    rows: Scores, columns: Scores, options: Intervals, method: agreements.Agreement
) -> Array:
    """Return confidence limits of agreements between depths.

    The shape is (2, metric, depth, depth), with lower limits first.
    """
    refuse_other_topics(rows, columns)
    left = read_sides(rows, options, method)
    right = left if columns is rows else read_sides(columns, options, method)
    longer = max(len(left), len(right))
    sides = zip(left * (longer // len(left)), right * (longer // len(right)), strict=True)
    return np.stack([ends_of(*pair, options, method) for pair in sides], axis=1)


def refuse_other_topics(paired: Scores, reference: Scores) -> None:
    """Raise if two sides have different topics.

    Intervals need equal topics, because each resample draws the same topics for both sides.
    """
    differing = paired.topics.symmetric_difference(reference.topics)
    advice = "select the topics that both sides have"
    refuse_unshared("the same topics on both sides for an interval", differing, advice)


def beware_of_ties(values: xr.DataArray) -> None:
    """Warn if agreements are undefined because all systems tie."""
    if undefined := int(np.isnan(values.to_numpy()).sum()):
        number = f"{undefined} of {values.size} agreements"
        warn(f"{number} are undefined, because all systems tie in one of the two orderings")


def with_ends(values: xr.DataArray, ends: Array, options: Intervals, paired: Scores) -> xr.Dataset:
    """Return a dataset with agreements and their confidence limits."""
    low, high = (values.copy(data=end.reshape(values.shape)) for end in ends)
    result = xr.Dataset({"agreement": values, "ci_low": low, "ci_high": high}, attrs=values.attrs)
    return options.described(result, paired.scored.sum(axis=1))


def ends_of(
    left: OneSide, right: OneSide, options: Intervals, method: agreements.Agreement
) -> Array:
    """Return the confidence limits of agreements.

    Parameters
    ----------
    left, right
        The two sides. The left side has K1 vectors, and the right side has K2 vectors.
    options
        Resamples, level and quantity of the intervals.
    method
        The measure of agreement.

    Returns
    -------
    numpy.ndarray
        Lower and upper limits, shape (2, ..., K1, K2). Limits are NaN if the agreement is undefined
        for too many resamples. Limits are also NaN if all resamples have the same agreement,
        although the means of the two sides differ.
    """
    options.refuse(method)
    ends = _of_averages if options.of == "averages" else _expanded
    width = fitting(max(right.drawn[..., 0].size, right.without[..., 0].size), BLOCK_BYTES)
    blocks = []
    for positions in groups(left.means.shape[-2], width):
        block = left.at(positions)
        limits = ends(block, right, options.resamples, method.kernel)
        differ = (block.means[..., :, np.newaxis, :] != right.means[..., np.newaxis, :, :]).any(-1)
        limits[:, differ & (limits[0] == limits[1])] = np.nan
        blocks.append(limits)
    return np.concatenate(blocks, axis=-2)


Kernel = Callable[[Array, Array], Array]


def _fewest(left: OneSide, right: OneSide) -> Array:
    """Return the smaller number of topics per pair of vectors."""
    return np.minimum(left.topics[..., :, np.newaxis], right.topics[..., np.newaxis, :])


def _expanded(left: OneSide, right: OneSide, resamples: Resamples, kernel: Kernel) -> Array:
    """Return expanded percentile intervals, shape (2, ..., K1, K2)."""
    values = np.moveaxis(kernel(left.drawn, right.drawn), 0, -1)
    return np.stack(resamples.ends(values, resamples.expanded(_fewest(left, right))))


def _of_averages(left: OneSide, right: OneSide, resamples: Resamples, kernel: Kernel) -> Array:
    """Return limits of intervals for ``interval_of="averages"``.

    The notes of `agreement` define the intervals. The shape is (2, ..., K1, K2).
    """
    estimate = kernel(left.means, right.means)
    drawn = kernel(left.drawn, right.drawn)
    counted = left.scored & right.scored[..., 0][..., np.newaxis, :]
    topics = _fewest(left, right).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        inflation = np.sqrt(topics / np.where(topics > 1, topics - 1, np.nan))
        one_less = np.where(counted, kernel(left.without, right.without), 0)
        deviations = np.where(counted, one_less - one_less.sum(axis=0) / topics, 0)
        # the inflation is sqrt(n / (n - 1)), and the jackknife variance has the factor (n - 1) / n
        jackknife = np.sqrt((deviations**2).sum(axis=0)) / inflation
        error = np.maximum(drawn.std(axis=0, ddof=1) * inflation, jackknife)
        width = scipy.special.stdtrit(topics - 1, 1 - resamples.alpha / 2) * error
    # averages over resamples agree less than averages over topics, so only the upper limit moves
    bias = np.maximum(0, estimate - drawn.mean(axis=0))
    return np.stack([np.maximum(estimate - width, -1), np.minimum(estimate + bias + width, 1)])


METRIC_OTHER = "metric_other"
"""Name of the dimension or coordinate with the metrics on the second side of a comparison."""
ORDERINGS = (agreements.Kendall, agreements.RBO, agreements.Spearman, agreements.TauAP)
"""Measures of agreement that use only the order of the systems."""


@overload
def agreement(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    coefficient: agreements.Method = "kendall",
    *,
    topics: Sides | None = None,
    interval_of: None = None,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.DataArray: ...
@overload
def agreement(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    coefficient: agreements.Method = "kendall",
    *,
    topics: Sides | None = None,
    interval_of: Of,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.Dataset: ...
@verb
def agreement(
    scores: xr.DataArray | pd.DataFrame,
    reference: Reference | None = None,
    coefficient: agreements.Method = "kendall",
    *,
    topics: Sides | None = None,
    interval_of: Of | None = None,
    alpha: float = 0.05,
    resamples: Resampling | int = 1000,
) -> xr.DataArray | xr.Dataset:
    """Correlate orderings of systems between metrics or with a reference.

    Parameters
    ----------
    scores
        Scores by system and topic, as an array or as a wide or long frame.
    reference
        A depth, a metric, or other scores of the same systems, as for `coverage`. By default, the
        metrics of `scores` are compared with each other at equal depths.
    coefficient
        A measure of agreement such as `RBO`, or the name of a measure: ``"kendall"`` or
        ``"tau_b"``, ``"tau_a"``, ``"tau_ap"``, ``"tau_ap_b"``, ``"rbo"``, ``"rbo_a"``, ``"rbo_b"``,
        ``"spearman"``, ``"pearson"``, ``"rmse"``. See `Kendall`, `TauAP` and `RBO` for the
        treatment of tied systems.
    topics
        The topics to use if the reference has different topics, as for `coverage`.
    interval_of
        The quantity that confidence intervals estimate. By default, no intervals are computed.
        ``"expected"`` is the expected agreement on another sample with the same number of topics.
        ``"averages"`` is the agreement of averages over the whole population of topics, and is only
        available for correlations. The agreement of averages is higher than the expected agreement,
        because averages over the population have no sampling error. For Kendall's tau, p-values
        are also returned.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    resamples
        Resamples of the topics for the intervals: an `irframe.Resampling`, or the number of
        resamples.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Agreement over (metric, depth), or over (metric, metric_other, depth) without a reference.
        After `groupby`, the group is the first dimension. Undefined agreements are NaN, for example
        the correlation if all systems tie. The attribute ``coefficient`` names the measure.

        With `interval_of`, the result is a dataset with ``agreement``, ``ci_low`` and ``ci_high``.
        For Kendall's tau, the dataset also has ``p``, the p-value for the null hypothesis of no
        association. Limits are NaN if the agreement is undefined for too many resamples. The
        attribute ``interval_of`` describes the quantity that the intervals estimate.

    Raises
    ------
    IrframeError
        For the same reasons as in `coverage`. An error is also raised if the measure is unknown, or
        if `interval_of` is not available for the measure.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, or if intervals with
        ``interval_of="averages"`` are based on fewer than 20 topics.

    Notes
    -----
    Systems are ordered by their means over the topics on which every system has scores of all
    metrics. The scores and the reference must have the same topics, unless `topics` allows
    different topics. Kendall, tau_ap, RBO and Spearman use only the order of the means. To find
    the order, means are rounded to 12 decimals, so that means that are equal in exact arithmetic
    tie. For all measures except RMSE, the means of cost metrics change sign. For tau_ap, the
    ordering by the reference is the true ordering. Without a reference, the ordering by ``metric``
    is the true ordering, and not the ordering by ``metric_other``.

    Intervals use bootstrap samples of the topics. A sample has the same topics on both sides, and
    for all systems, metrics and depths. The interval of the expected agreement is the expanded
    percentile interval [3]_. The limits are the quantiles of the bootstrap distribution at
    ``a = Phi(-t sqrt(n / (n - 1)))`` and ``1 - a``. Here, t is the quantile of Student's t with
    n - 1 degrees of freedom at ``1 - alpha / 2``. Averages over bootstrap samples contain more
    noise than averages over the topics, and therefore agree less. Thus, both limits of the interval
    of the expected agreement are rather low, and the observed agreement may lie above the interval.

    For ``interval_of="averages"``, s is the larger of two standard errors: the standard deviation
    of the bootstrap distribution times ``sqrt(n / (n - 1))``, and the jackknife standard error. b
    is the mean of the bootstrap distribution minus the observed agreement. The interval reaches
    from ``t s`` below the observed agreement to ``max(0, -b) + t s`` above it, within -1 and 1.
    Both kinds of intervals are conservative. In samples of 5 to 50 real topics, 95% intervals for
    Kendall's tau contained the estimated quantity in 97 to 100% of the samples. Plain percentile
    intervals are shorter, and do not contain the agreement of averages at any sample size.

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
    >>> cube = ir.cube(*ir.example_track())
    >>> scores = cube.ireval.score("AP(norm='min')", "RBP(p=0.95)", at=[1, 10, 50])
    >>> scores.ireval.agreement(10).round(2).to_pandas()
    depth             1    10    50
    metric
    AP(norm='min')  0.74  1.0  1.00
    RBP(p=0.95)     0.59  1.0  0.86
    """
    method = agreements.parse_agreement(coefficient)
    options = Intervals(Resamples.of(alpha, resamples), interval_of or "expected")
    if reference is None:
        paired = scores_to_compare(scores)
        # metrics need the same topics, so a topic that one metric lacks is left out for all metrics
        common = np.asarray(paired.scored.all(axis=0))
        if (common != paired.scored).any():
            paired = scores_to_compare(paired.where(common[np.newaxis]))
        by_depth = np.moveaxis(system_means(paired, method), 0, 1)

        def compared(kernel: Kernel) -> xr.DataArray:
            values = np.moveaxis(kernel(by_depth, by_depth), 0, -1)
            labels = {METRIC: paired.metrics, METRIC_OTHER: paired.metrics, **paired.labels()}
            values = values[..., 0] if paired.depths is None else values
            return xr.DataArray(values, labels, tuple(labels), name="agreement", attrs=paired.attrs)

        ends = partial(between_metrics, paired)
    else:
        sides = match_reference(scores, reference, topics)
        paired = sides[0]
        compared = partial(_with_reference, *sides, method)
        ends = partial(with_reference, *sides)
    values = compared(method.kernel).assign_attrs(coefficient=repr(method))
    beware_of_ties(values)
    if interval_of is None:
        return values
    result = with_ends(values, ends(options, method), options, paired)
    if isinstance(method, agreements.Kendall):
        result = result.assign(p=compared(method.p_values).rename("p"))
    return result


def system_means(paired: Scores, method: agreements.Agreement) -> Array:
    """Return the means to compare, shape (metric, depth, system)."""
    if isinstance(method, ORDERINGS):
        return np.round(paired.means, TIE)
    # `means` negates the means of costs, and a distance undoes it to compare the scores themselves
    signs = np.array(paired.signs if method.distance else [1.0])
    return np.asarray(paired.means * signs[:, np.newaxis, np.newaxis])


def _with_reference(
    paired: Scores, reference: Scores, method: agreements.Agreement, kernel: Kernel
) -> xr.DataArray:
    new = system_means(paired, method)
    old = system_means(reference, method)
    result = np.empty(new.shape[:2])
    for row in range(len(new)):
        left = old[min(row, len(old) - 1)]
        right = new[row]
        # one reference depth is compared with all depths, and several only with the same depth
        if len(left) == 1:
            result[row] = kernel(left, right)[0]
        else:
            result[row] = kernel(left[:, np.newaxis], right[:, np.newaxis])[:, 0, 0]
    return paired.labelled(result, "agreement")
