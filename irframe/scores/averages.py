"""Means of scores over topics, with weights or resampling.

Values: Resampling.
"""

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, Self, cast

import numpy as np
import pandas as pd
import scipy
import xarray as xr

from irframe.arrays import Array
from irframe.checks import check_int, level, listed, room
from irframe.cubes.by_group import join_frames
from irframe.cubes.parse_scores import declared_labels_of, to_scores
from irframe.cubes.score import refuse_repeated_depths
from irframe.cubes.scores import Arrays, Scores, of_topics, patterns, summands
from irframe.errors import DepthError, listing, warn
from irframe.experiments.topic_design import drawn_topics
from irframe.metrics import facts as averaging
from irframe.metrics.base import Summary
from irframe.metrics.facts import TIE, average, averaged, facts, terms
from irframe.names import METRIC, TOPIC
from irframe.option_values import OptionValue
from irframe.paired.design import Design
from irframe.paired.pairs import count_drawn, draw_topics
from irframe.stops import axis_of

Moments = tuple[Array, Array, Array, Array, Array | None]
"""The type of the result of `moments`."""


def scores_at(array: xr.DataArray, at: object) -> xr.DataArray:
    """Select scores at one depth, by default the greatest."""
    dim = axis_of(array).dim
    if dim not in array.dims:
        if at is not None:
            raise DepthError("scores with a dimension depth for at=", "scores without depths")
        return array
    if at is None:
        return array.isel({dim: int(array[dim].to_numpy().argmax())})
    depths = array.indexes[dim].tolist()
    if isinstance(at, bool) or at not in depths:
        expected = f"at= to be one of the depths of the scores ({listing(map(str, depths))})"
        raise DepthError(expected, repr(at))
    return array.isel({dim: depths.index(at)})


def by_depth(
    function: Callable[[xr.DataArray], pd.DataFrame],
    scores: xr.DataArray | pd.DataFrame,
    at: Any,
) -> pd.DataFrame:
    """Apply a function to scores at one or several depths.

    If `at` is a list, the frame has a column of depths.

    Parameters
    ----------
    function
        A function that returns a frame for scores over (metric, system, topic).
    scores
        Scores.
    at
        A depth, or a list of different depths. The default is the greatest depth.

    Raises
    ------
    DepthError
        If depths were not scored, or the list is empty.
    """
    array = to_scores(scores)
    if np.ndim(at) == 0:
        return function(scores_at(array, at))
    depths = listed(at)
    if not depths:
        raise DepthError("at= to contain depths of the scores", "none")
    refuse_repeated_depths(depths, "different depths of the scores")
    frames = {depth: function(scores_at(array, depth)) for depth in depths}
    return join_frames(frames, axis_of(array).dim)


def averages(scores: xr.DataArray, summary: Summary | None = None) -> xr.DataArray:
    """Return the means of scores over topics, ignoring missing scores.

    The metric determines the kind of mean, such as arithmetic or geometric.

    Parameters
    ----------
    scores
        Scores over topics and any other dimensions. Scores of one metric need no dimension
        ``metric``. Declared labels of topics determine the weights of topics.
    summary
        The kind of mean. The default is the kind of mean that the metric defines.

    Returns
    -------
    xarray.DataArray
        The means, without the dimension of topics. A mean is NaN if there are no scores.
    """
    if METRIC in scores.dims:
        rows = [averages(row, summary) for row in scores.compute().transpose(METRIC, ...)]
        return xr.concat(rows, dim=METRIC).transpose(*(dim for dim in scores.dims if dim != TOPIC))
    summary = summary or facts(scores[METRIC].item()).summary
    loaded = scores.compute()
    dims = [[TOPIC]]
    drawn = drawn_topics(declared_labels_of(loaded), loaded.indexes[TOPIC])
    kernel = partial(average, summary=summary)
    if drawn is not None:
        loaded = loaded.isel({TOPIC: drawn.topics})
    if drawn is not None and not drawn.design.plain:
        kernel = partial(_average_under, summary=summary, design=drawn.design)
    means: xr.DataArray = xr.apply_ufunc(kernel, loaded, input_core_dims=dims, keep_attrs=True)
    return means


def _average_under(scores: Array, *, summary: Summary, design: Design) -> Array:
    """Average scores over topics (the last axis) with a design.

    The mean is NaN if a task has no scores.
    """
    rows = scores.reshape(-1, scores.shape[-1]).T
    means = np.full(rows.shape[1], np.nan)
    for scored, columns in patterns(~np.isnan(rows)):
        subset = design.take(scored)
        if subset.tasks == design.tasks and scored.any():
            means[columns] = of_topics(rows[scored][np.newaxis, :, columns], summary, subset)[0]
    return means.reshape(scores.shape[:-1])


def moments(scores: Scores) -> Moments:
    """Return the statistics of each mean over topics.

    Parameters
    ----------
    scores
        Scores.

    Returns
    -------
    tuple of array
        Arrays of shape (metric, system, depth): the number of scores n, their mean, the variance of
        the mean times n (n - 1), the degrees of freedom, and the effective number of topics. The
        effective number is None if topics have no design.
    """
    design = scores.design
    if design is not None and not design.plain:
        return _under(scores, design)
    rows = zip(np.moveaxis(scores.values, 2, 3), scores.summaries, strict=True)
    columns = zip(*(averaging.moments(*row) for row in rows), strict=True)
    n, mean, squares = (np.stack(column) for column in columns)
    if scores.repeats is None or not scores.repeats.crossing:
        effective = None if design is None else n.astype(float)
        return n, mean, squares, np.where(n > 1, n - 1.0, np.nan), effective
    variance, freedom, _ = scores.repeats.variances(scores)
    return n, mean, variance * n * (n - 1.0), freedom, None


def _under(scores: Scores, design: Design) -> Moments:
    """Return `moments` of topics with a design.

    Values are NaN for systems without scores on a task.
    """
    shape = (*scores.values.shape[:2], scores.values.shape[3])
    mean, variance, freedom, topics = (np.full(shape, np.nan) for _ in range(4))
    n = np.count_nonzero(~np.isnan(scores.values), axis=2)
    for row, system in np.ndindex(shape[:2]):
        values = scores.values[row, system]
        summary = scores.summaries[row]
        for scored, depths in patterns(~np.isnan(values)):
            subset = design.take(scored)
            if subset.tasks < design.tasks or not scored.any():
                continue
            block = values[scored][:, depths]
            mean[row, system, depths] = of_topics(block[np.newaxis], summary, subset)[0]
            added = summands(block, summary).T
            with np.errstate(invalid="ignore"):  # NumPy would warn about infinite scores
                sure = subset.estimate(added, abs(added).max(axis=-1))
            variance[row, system, depths], freedom[row, system, depths] = sure[1:]
            topics[row, system, depths] = subset.effective
    return n, mean, np.where(n > 1, n * (n - 1) * variance, 0.0), freedom, topics


def metric_labels(scores: xr.DataArray) -> list[str]:
    """Return the names of the metrics."""
    return [str(label) for label in scores[METRIC].to_numpy()]


def tell_left_out(labels: list[str], counts: Iterable[int]) -> None:
    """Warn about topics that are left out, by metric."""
    omitted = "; ".join(f"{n} for {label}" for label, n in zip(labels, counts, strict=True) if n)
    if omitted:
        warn(f"topics on which some system has no score are left out: {omitted}")


@dataclass(frozen=True, repr=False)
class Resampling(OptionValue):
    """The number of resamples, and the seed of the generator.

    Functions accept a `Resampling`, or only the number of resamples, as ``resamples=``. Tests that
    resample have their own options `samples` and `seed`.

    Parameters
    ----------
    samples
        Number of resamples, at least 1. The default depends on the function.
    seed
        Seed of the generator, at least 0. The same seed gives the same result.

    Raises
    ------
    ParameterError
        If a number is out of range.

    Examples
    --------
    >>> Resampling(5000, seed=3)
    Resampling(5000, seed=3)
    """

    samples: int | None = None
    _: KW_ONLY
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the number of samples and the seed."""
        if self.samples is not None:
            check_int("samples", self.samples, low=1)
        check_int("seed", self.seed, low=0)


@dataclass(frozen=True)
class Resamples:
    """A resampling of topics, and the confidence level of intervals.

    Parameters
    ----------
    alpha
        One minus the confidence level of the intervals, above 0 and below 1.
    samples
        Number of resamples, at least 1.
    seed
        Seed of the random number generator, at least 0.
    """

    alpha: float
    samples: int
    seed: int

    def __post_init__(self) -> None:
        level(self.alpha)
        check_int("samples", self.samples, low=1)
        check_int("seed", self.seed, low=0)

    @classmethod
    def of(cls, alpha: float, resamples: Resampling | int) -> Self:
        """Read the option ``resamples=`` of a verb."""
        drawn = Resampling.read(resamples, 1000)
        return cls(alpha, cast("int", drawn.samples), drawn.seed)

    def counts(self, topics: int) -> Array:
        """Return how often each resample contains each topic."""
        return count_drawn(draw_topics(topics, samples=self.samples, seed=self.seed))

    def means(
        self, scores: Array, summary: Summary, sign: int = 1, design: Design | None = None
    ) -> Array:
        """Return means over resampled topics.

        Means are rounded, so that equal means are ties.

        Parameters
        ----------
        scores
            Scores without NaN, shape (system, topic, depth).
        summary
            The kind of mean of the metric.
        sign
            1, or -1 for costs, so that higher values are better.
        design
            The sampling design of topics. Clusters are resampled within tasks, and topics keep
            their weights.

        Returns
        -------
        numpy.ndarray
            Means times `sign`, shape (sample, depth, system). Means are NaN if there is a single
            topic, which cannot be resampled.
        """
        systems, topics, depths = scores.shape
        size = 8 * systems * depths * self.samples
        label = f"means of {systems} systems by depth over {self.samples:,} resamples"
        room(label, size, "ask for fewer resamples=, or select depths")
        if topics < 2:
            return np.full((self.samples, depths, systems), np.nan)
        if design is None:
            counts = self.counts(topics)
        else:
            # shares add up to 1, but `means_of_draws` divides by the number of topics
            counts = design.drawn(samples=self.samples, seed=self.seed) * np.float64(topics)
        return means_of_draws(counts, scores, summary, sign)

    def ends(self, values: Array, beyond: Array | float) -> Arrays:
        """Return the limits of percentile intervals.

        Parameters
        ----------
        values
            Resampled values, shape (..., sample).
        beyond
            The tail probability on either side, as one number or as one number per row.

        Returns
        -------
        tuple of numpy.ndarray
            The lower and upper limits. Both limits are NaN if the share of NaN values exceeds
            `beyond`.
        """
        # the product is rounded, because (1 - 0.95) / 2 * 1000 is above 25 in floating point
        rank = np.floor(np.round(np.nan_to_num(beyond) * self.samples, 9)).astype(int)
        low = np.broadcast_to(rank, values.shape[:-1])[..., np.newaxis]
        high = self.samples - 1 - low
        parted = np.partition(values, np.union1d(rank, self.samples - 1 - rank), axis=-1)
        lowest, highest = (np.take_along_axis(parted, end, axis=-1)[..., 0] for end in (low, high))
        # `np.partition` puts NaN last, so the upper limit is NaN if there are too many NaN
        return np.where(np.isnan(highest), np.nan, lowest), highest

    def expanded(self, topics: Array | int) -> Array:
        """Return the tail probability of an expanded percentile interval.

        The probability is NaN for a single topic.

        Examples
        --------
        >>> Resamples(0.05, 1000, 0).expanded(np.array([5, 50])).round(4)
        array([0.001 , 0.0212])
        """
        n = np.asarray(topics, dtype=np.float64)
        several = np.where(n > 1, n, np.nan)
        # Hesterberg (2015): Student's quantile replaces the normal quantile, and the square root
        # corrects the bootstrap variance, which divides by n instead of n - 1.
        t = scipy.special.stdtrit(several - 1, 1 - self.alpha / 2)
        return np.asarray(scipy.special.ndtr(-t * np.sqrt(several / (several - 1))))


def means_of_draws(counts: Array, scores: Array, summary: Summary, sign: int = 1) -> Array:
    """Return means in which topics may count several times.

    The counts have the shape (sample, topic). The result has the shape of `Resamples.means`.
    """
    systems, topics, depths = scores.shape
    summands = terms(scores, summary).transpose(1, 2, 0).reshape(topics, -1)
    total = _weighted(counts, summands).reshape(-1, depths, systems)
    return np.asarray(np.round(sign * averaged(np.float64(topics), total, summary), TIE))


def without_each(scores: Array, summary: Summary, sign: int = 1) -> Array:
    """Return the means after leaving out each topic in turn.

    Means are rounded, so that equal means are ties.

    Parameters
    ----------
    scores
        Scores, shape (system, topic, depth). Topics with NaN are ignored.
    summary, sign
        See `Resamples.means`.

    Returns
    -------
    numpy.ndarray
        Means times `sign`, shape (topic, depth, system). The first dimension is the omitted topic.
        A mean is NaN if no topic remains.
    """
    systems, topics, depths = scores.shape
    scored = ~np.isnan(scores).any(axis=0)
    summands = terms(scores, summary).transpose(1, 2, 0).reshape(topics, -1)
    total = _weighted(1 - np.eye(topics), summands).reshape(topics, depths, systems)
    # topics with NaN are not counted, so leaving one out does not change the number of the others
    counted = (scored.sum(axis=0) - scored)[..., np.newaxis].astype(np.float64)
    return np.asarray(np.round(sign * averaged(counted, total, summary), TIE))


def _weighted(counts: Array, summands: Array) -> Array:
    """Return sums weighted by counts. Terms may be infinite."""
    # 0 times infinity is NaN, so infinite terms are counted separately
    infinite = np.isinf(summands)
    if not infinite.any():
        return counts @ summands
    total = counts @ np.where(infinite, 0, summands)
    return np.where(counts @ infinite > 0, np.inf, total)
