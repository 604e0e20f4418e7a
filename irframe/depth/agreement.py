"""How alike metrics and depths order the systems, with intervals.

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
from irframe.arrays import Array
from irframe.checks import choice
from irframe.cubes.scores import Arrays, Scores
from irframe.cubes.verb import verb
from irframe.errors import ParameterError, warn
from irframe.metrics.facts import TIE
from irframe.names import METRIC
from irframe.paired.design import Design
from irframe.paired.pairs import fitting, groups
from irframe.scores.averages import Resamples, without_each
from irframe.scores.read_scores import (
    Reference,
    Sides,
    match_reference,
    refuse_unshared,
    scores_to_compare,
)
from irframe.scores.repeats import refuse_design
from irframe.scores.resampling import Resampling

Of = Literal["expected", "averages"]
"""What an interval is of."""
QUANTITIES = {
    "expected": "to be expected on {} topics like these",
    "averages": "by the averages over all topics",
}
CORRELATIONS = (agreements.Kendall, agreements.TauAP, agreements.Spearman, agreements.Pearson)
"""Methods with an interval of the agreement by averages over all topics."""
LEAST_TOPICS = 20
"""Topics from which on that is to be relied on."""
BLOCK_BYTES = 2**26
"""Target size of the agreements of all resamples that are held at a time."""


@dataclass(frozen=True)
class Intervals:
    """Which intervals are asked for.

    Parameters
    ----------
    resamples
        The draws, and one minus the level.
    of
        A word of `QUANTITIES`.
    """

    resamples: Resamples
    of: Of = "expected"

    def __post_init__(self) -> None:
        choice("interval_of", self.of, QUANTITIES)

    def refuse(self, method: agreements.Agreement) -> None:
        """Raise for a method that has no such interval."""
        if self.of == "averages" and not isinstance(method, CORRELATIONS):
            wanted = (
                "a correlation, as kendall, tau_ap, spearman or pearson, for interval_of='averages'"
            )
            raise ParameterError(wanted, repr(method))

    def told(self, result: xr.Dataset, topics: Array) -> xr.Dataset:
        """Say in attributes what intervals are of, and warn where they are not to be relied on."""
        few, most = int(np.min(topics)), int(np.max(topics))
        counted = f"{few}" if few == most else f"{few} to {most}"
        drawn = {"alpha": self.resamples.alpha, "samples": self.resamples.samples}
        result = result.assign_attrs(drawn, interval_of=QUANTITIES[self.of].format(counted))
        cautions = []
        if self.of == "averages" and few < LEAST_TOPICS:
            what = "intervals of an agreement by the averages over all topics"
            cautions.append(f"{what} are not to be relied on below {LEAST_TOPICS} topics: {few}")
        low = result["ci_low"] if "ci_low" in result else result["agreement_interval"][..., 0]
        without = np.isnan(low.to_numpy()) & ~np.isnan(result["agreement"].to_numpy())
        if without.any() and most > 1:  # of one topic all verbs say that it is a single one
            what = "agreements without an interval, which over resamples do not vary"
            cautions.append(f"{what} or are undefined: {without.sum()} of {without.size}")
        warn(*cautions)
        return result


class OneSide(NamedTuple):
    """What a method compares, K of it to be held against each other.

    Parameters
    ----------
    means
        On all topics, shape (..., K, system).
    drawn
        Of the resamples, shape (sample, ..., K, system).
    without
        Without each topic, shape (topic, ..., K, system); empty where that is not asked for.
    scored
        Which topics count, shape (topic, ..., K).
    """

    means: Array
    drawn: Array
    without: Array
    scored: Array

    @property
    def topics(self) -> Array:
        """How many topics count, shape (..., K)."""
        return np.asarray(self.scored[..., 0].sum(axis=0))

    def at(self, block: slice) -> Self:
        """Return some of what is to be compared."""
        return type(self)(*(part[..., block, :] for part in self))

    def alone(self) -> Self:
        """Return each of what is to be compared for itself, K being 1."""
        return type(self)(*(part[..., np.newaxis, :] for part in self))

    @classmethod
    def stacked(cls, sides: Sequence[Self]) -> Self:
        """Return several to be held against each other, by what each has several of."""
        return cls(*(np.stack(part, axis=-2) for part in zip(*sides, strict=True)))


def read_sides(paired: Scores, options: Intervals, method: agreements.Agreement) -> list[OneSide]:
    """Return what a method compares, of each metric, K being its depths."""
    sides = []
    for row, summary in enumerate(paired.summaries):
        sign = 1 if method.distance else paired.towards[row]

        def draw(
            scores: Array, *design: Design, summary: str = summary, sign: int = sign
        ) -> Arrays:
            return (np.moveaxis(options.resamples.means(scores, summary, sign, *design), 1, -1),)

        (drawn,) = paired.over(row, slice(None), draw)
        scored = paired.scored[row]
        values = np.where(scored, paired.values[row], np.nan)
        means = np.round(paired.means[row], TIE)
        none = np.empty((0, *means.shape))
        if options.of == "averages":
            refuse_design(paired, "interval_of='averages'")
        without = without_each(values, summary, sign) if options.of == "averages" else none
        sides.append(OneSide(means, np.moveaxis(drawn, -1, 1), without, scored[..., np.newaxis]))
    return sides


def with_reference(
    paired: Scores, held: Scores, options: Intervals, method: agreements.Agreement
) -> Array:
    """Return the ends of agreements with a reference, shape (2, metric, depth)."""
    refuse_other_topics(paired, held)
    new, old = (read_sides(side, options, method) for side in (paired, held))
    alone = [old[min(row, len(old) - 1)].alone() for row in range(len(new))]
    sides = zip(alone, (side.alone() for side in new), strict=True)
    ends = [ends_of(left, right, options, method)[..., 0, 0] for left, right in sides]
    return np.stack(ends, axis=1)


def between_metrics(paired: Scores, options: Intervals, method: agreements.Agreement) -> Array:
    """Return the ends of agreements of metrics, shape (2, metric, metric, depth)."""
    by_depth = OneSide.stacked(read_sides(paired, options, method))
    return np.moveaxis(ends_of(by_depth, by_depth, options, method), 1, -1)


def between_depths(
    rows: Scores, columns: Scores, options: Intervals, method: agreements.Agreement
) -> Array:
    """Return the ends of agreements of depths, shape (2, metric, depth, depth)."""
    refuse_other_topics(rows, columns)
    left = read_sides(rows, options, method)
    right = left if columns is rows else read_sides(columns, options, method)
    longer = max(len(left), len(right))
    sides = zip(left * (longer // len(left)), right * (longer // len(right)), strict=True)
    return np.stack([ends_of(one, other, options, method) for one, other in sides], axis=1)


def refuse_other_topics(paired: Scores, held: Scores) -> None:
    """Raise if two sides have different topics, as resamples draw the same for both."""
    differing, advice = paired.topics.symmetric_difference(held.topics), "choose those of both"
    refuse_unshared("the same topics on both sides, for an interval", differing, advice)


def beware_of_ties(values: xr.DataArray) -> None:
    """Say how many agreements are undefined."""
    if undefined := int(np.isnan(values.to_numpy()).sum()):
        warn(f"agreements that are undefined, as systems all tie: {undefined} of {values.size}")


def with_ends(values: xr.DataArray, ends: Array, options: Intervals, paired: Scores) -> xr.Dataset:
    """Return agreements with the ends of their intervals."""
    low, high = (values.copy(data=end.reshape(values.shape)) for end in ends)
    result = xr.Dataset({"agreement": values, "ci_low": low, "ci_high": high}, attrs=values.attrs)
    return options.told(result, paired.scored.sum(axis=1))


def ends_of(
    left: OneSide, right: OneSide, options: Intervals, method: agreements.Agreement
) -> Array:
    """Return between which values agreements may be.

    Parameters
    ----------
    left, right
        What is held against each other, K1 and K2 of it.
    options
        Which intervals.
    method
        The method of agreement.

    Returns
    -------
    numpy.ndarray
        Lower and upper ends, shape (2, ..., K1, K2); NaN where more resamples than may be beyond
        an end have no agreement, and where it does not vary, unless the two sides are the same.
    """
    options.refuse(method)
    ends = _of_averages if options.of == "averages" else _expanded
    width = fitting(max(right.drawn[..., 0].size, right.without[..., 0].size), BLOCK_BYTES)
    blocks = []
    for places in groups(left.means.shape[-2], width):
        block = left.at(places)
        limits = ends(block, right, options.resamples, method.kernel)
        apart = (block.means[..., :, np.newaxis, :] != right.means[..., np.newaxis, :, :]).any(-1)
        limits[:, apart & (limits[0] == limits[1])] = np.nan
        blocks.append(limits)
    return np.concatenate(blocks, axis=-2)


Kernel = Callable[[Array, Array], Array]


def _fewest(left: OneSide, right: OneSide) -> Array:
    """Return how many topics an agreement rests on, shape (..., K1, K2)."""
    return np.minimum(left.topics[..., :, np.newaxis], right.topics[..., np.newaxis, :])


def _expanded(left: OneSide, right: OneSide, resamples: Resamples, kernel: Kernel) -> Array:
    """Return the expanded percentile interval, shape (2, ..., K1, K2)."""
    values = np.moveaxis(kernel(left.drawn, right.drawn), 0, -1)
    return np.stack(resamples.ends(values, resamples.expanded(_fewest(left, right))))


def _of_averages(left: OneSide, right: OneSide, resamples: Resamples, kernel: Kernel) -> Array:
    """Return the interval of the agreement by averages over all topics, shape (2, ..., K1, K2)."""
    estimate, drawn = kernel(left.means, right.means), kernel(left.drawn, right.drawn)
    counted = left.scored & right.scored[..., 0][..., np.newaxis, :]
    topics = _fewest(left, right).astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        more = np.sqrt(topics / np.where(topics > 1, topics - 1, np.nan))
        one_less = np.where(counted, kernel(left.without, right.without), 0)
        about = np.where(counted, one_less - one_less.sum(axis=0) / topics, 0)
        jackknife = np.sqrt((about**2).sum(axis=0)) / more
        error = np.maximum(drawn.std(axis=0, ddof=1) * more, jackknife)
        reach = scipy.special.stdtrit(topics - 1, 1 - resamples.alpha / 2) * error
    upwards = np.maximum(0, estimate - drawn.mean(axis=0))
    return np.stack([np.maximum(estimate - reach, -1), np.minimum(estimate + upwards + reach, 1)])


METRIC_OTHER = "metric_other"
"""Dimension of the metrics on the other side."""
ORDERINGS = (agreements.Kendall, agreements.RBO, agreements.Spearman, agreements.TauAP)
"""Methods that see only the order of the systems."""


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
    """Rank correlation of the systems' orderings between metrics, or with a reference, by depth.

    Parameters
    ----------
    scores
        Scores per system and topic: an array, or a frame, wide or long.
    reference
        As for `coverage`: a depth, a metric, or other scores of the same systems. By default
        every metric of the scores, at the same depth.
    coefficient
        A measure of agreement such as `RBO`, or its name: ``"kendall"`` or ``"tau_b"``,
        ``"tau_a"``, ``"tau_ap"``, ``"tau_ap_b"``, ``"rbo"``, ``"rbo_a"``, ``"rbo_b"``,
        ``"spearman"``, ``"pearson"``, ``"rmse"``. They differ in what systems that tie count for,
        as `Kendall`, `TauAP` and `RBO` say.
    topics
        Which topics count of reference scores with other ones, as for `coverage`.
    interval_of
        What to give intervals of, with p-values of Kendall's tau; by default no intervals.
        ``"expected"``: the agreement that is to be expected on as many topics like these.
        ``"averages"``, for correlations: the agreement of the averages over all topics there might
        be, which is higher, as averages are then free of noise.
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    resamples
        Resamples of the topics, for the intervals: an `irframe.Resampling`, or their number.

    Returns
    -------
    xarray.DataArray or xarray.Dataset
        Agreement over (metric, depth), the group first if `by` is given; without a reference
        over (metric, metric_other, depth). NaN where it is undefined, as a correlation of
        systems that all tie. The attribute ``coefficient`` names the measure. With `interval_of` a
        dataset with the same under ``agreement``, and ``ci_low`` and ``ci_high``; these are NaN
        where the agreement of too many resamples is undefined; and for Kendall's tau ``p``, the
        p-value of no association between the two orders of the systems. The attribute
        ``interval_of`` says what the intervals are of.

    Raises
    ------
    IrframeError
        As `coverage`, and for an unknown measure, or one without intervals of the kind asked for.

    Warns
    -----
    IrframeWarning
        If topics are left out because some system has no score on them, and for intervals by
        averages over all topics from fewer than 20.

    Notes
    -----
    A system's score is its mean over the topics on which every system has a score, by all metrics
    or on both sides, or on its own side where `topics` says so. Where only the order counts
    (Kendall, tau_ap, RBO, Spearman), means are rounded to 12 decimals, so that means equal in exact
    arithmetic tie whatever order they were added up in, and those of a metric that counts a cost
    change sign.
    RMSE takes means as they are; Pearson changes the sign of a cost. For tau_ap the reference is
    the true ordering (without one, ``metric``).

    For intervals topics are drawn with replacement, the same on both sides, for all systems,
    metrics and depths, and the systems are compared anew. That of the expected agreement is the
    expanded percentile interval [3]_, between the quantiles of the resamples at
    ``a = Phi(-t sqrt(n / (n - 1)))`` and ``1 - a``, t that of Student with n - 1 degrees of freedom
    at ``1 - alpha / 2``. An agreement of noisy averages is lower than that of exact ones, and more
    so in resamples, so that both ends are rather low, and the agreement itself may lie above them.

    For ``interval_of="averages"``, s is the larger of the standard deviation of the resamples times
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
    >>> cube = ir.cube(*ir.example_track())
    >>> scores = cube.ireval.score("AP(norm='min')", "RBP(p=0.95)", at=[1, 10, 50])
    >>> scores.ireval.agreement(10).round(2).to_pandas()
    depth             1    10    50
    metric
    AP(norm='min')  0.74  1.0  1.00
    RBP(p=0.95)     0.59  1.0  0.86
    """
    chosen = agreements.parse_agreement(coefficient)
    options = Intervals(Resamples.of(alpha, resamples), interval_of or "expected")
    if reference is None:
        paired = scores_to_compare(scores)
        common = np.asarray(paired.scored.all(axis=0))  # topics that every metric and system has
        if (common != paired.scored).any():
            paired = scores_to_compare(paired.where(common[np.newaxis]))
        by_depth = np.moveaxis(system_means(paired, chosen), 0, 1)

        def compared(kernel: Kernel) -> xr.DataArray:
            found = np.moveaxis(kernel(by_depth, by_depth), 0, -1)
            labels = {METRIC: paired.metrics, METRIC_OTHER: paired.metrics, **paired.labels()}
            found = found[..., 0] if paired.depths is None else found
            return xr.DataArray(found, labels, tuple(labels), name="agreement", attrs=paired.attrs)

        ends = partial(between_metrics, paired)
    else:
        paired, held = match_reference(scores, reference, topics)
        compared = partial(_with_reference, paired, held, chosen)
        ends = partial(with_reference, paired, held)
    values = compared(chosen.kernel).assign_attrs(coefficient=repr(chosen))
    beware_of_ties(values)
    if interval_of is None:
        return values
    result = with_ends(values, ends(options, chosen), options, paired)
    if isinstance(chosen, agreements.Kendall):
        result = result.assign(p=compared(chosen.p_values).rename("p"))
    return result


def system_means(paired: Scores, method: agreements.Agreement) -> Array:
    """Return what a method compares: mean scores, shape (metric, depth, system)."""
    if isinstance(method, ORDERINGS):
        return np.round(paired.means, TIE)
    towards = np.array(paired.towards if method.distance else [1.0])
    return np.asarray(paired.means * towards[:, np.newaxis, np.newaxis])


def _with_reference(
    paired: Scores, held: Scores, method: agreements.Agreement, kernel: Kernel
) -> xr.DataArray:
    new, old = system_means(paired, method), system_means(held, method)
    result = np.empty(new.shape[:2])
    for row in range(len(new)):
        left, right = old[min(row, len(old) - 1)], new[row]
        if len(left) == 1:
            result[row] = kernel(left, right)[0]
        else:
            result[row] = kernel(left[:, np.newaxis], right[:, np.newaxis])[:, 0, 0]
    return paired.labelled(result, "agreement")
