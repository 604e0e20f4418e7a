"""Results on the page, for all topics or one collection."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array, Ends
from irframe.cubes.by_group import groups
from irframe.cubes.groups import one_of_each
from irframe.cubes.score import score
from irframe.cubes.scores import Scores
from irframe.cubes.unjudged import SHARED, bounds, unjudged_shares
from irframe.cubes.view import experiment_of
from irframe.depth.volatility import volatility
from irframe.errors import MetricError
from irframe.experiments.choices import Budget
from irframe.metrics.facts import TIE, average
from irframe.names import DEPTH, METRIC, REPEAT, SYSTEM, TOPIC
from irframe.paired import Differences, all_pairs, describe_differences
from irframe.paired.design import Design
from irframe.ranks.first import DRAWS, FIRST, excess_of_first
from irframe.ranks.rank_intervals import first_shares, rank_intervals
from irframe.reports.setting import Setting
from irframe.reports.words import LARGE, fixed, texts
from irframe.scores.averages import Resamples
from irframe.scores.read_scores import read_scores, scores_to_compare
from irframe.scores.repeats import Repeats
from irframe.scores.summary import summary

DROPPED = 7
"""The number of bits of a float32 mantissa (23 bits) that rounding sets to 0.

The other bits represent five decimal digits.
"""


def rounded(values: Array, *, percents: bool = False) -> NDArray[np.float32]:
    """Return numbers rounded to five digits, which compress better.

    A number about halfway between two printed values moves towards the value that Python prints,
    because JavaScript rounds halves differently.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 0.5])).round(7).tolist()
    [0.33333..., 0.5]
    >>> fixed(0.0625), bool(rounded(np.array([0.0625]))[0] < 0.0625)
    ('0.062', True)
    """
    exact = np.ascontiguousarray(values, np.float64)
    bits = exact.astype(np.float32).view(np.uint32)
    # half of the lowest bit that is kept is added, which rounds to the nearest number
    shortened = ((bits + (1 << DROPPED - 1)) >> DROPPED << DROPPED).view(np.float32)
    size = abs(exact)
    off = size * 2.0 ** (DROPPED - 23)
    step = np.full_like(size, 0.01) if percents else np.where(size < LARGE, 0.001, 0.1)
    with np.errstate(invalid="ignore"):  # infinite numbers
        half = abs(size / step % 1 - 0.5) * step <= off
    spelled = [round(100 * x) / 100 if percents else float(fixed(x)) for x in exact[half].tolist()]
    room = (step[half] / 2 - off[half] / 32).clip(0)
    shortened[half] = np.clip(shortened[half], spelled - room, spelled + room)
    return np.where(np.isnan(exact), np.float32(np.nan), shortened)


def rounded_in_order(values: Array, axis: int) -> NDArray[np.float32]:
    """Round to five digits and keep the order.

    Rounded numbers are equal if and only if the exact numbers agree to 12 decimals. Comparisons
    between systems therefore have the same result as with the exact numbers.

    Examples
    --------
    >>> found = rounded_in_order(np.array([0.5000001, 0.5, 0.5 + 1e-15]), 0)
    >>> bool(found[0] > found[1]), bool(found[1] == found[2]), found.round(5).tolist()
    (True, True, [0.5, 0.5, 0.5])
    """
    first = np.moveaxis(np.asarray(values, np.float64), axis, 0)
    order = np.argsort(first, axis=0)
    rising = np.take_along_axis(first, order, axis=0)
    differ = np.diff(rising.round(TIE), axis=0) > 0
    ascending = rounded(rising)
    for i, above in enumerate(differ, start=1):
        # the next float32 is the smallest change that keeps two numbers distinct
        least = np.nextafter(ascending[i - 1], np.float32(np.inf))
        ascending[i] = np.where(above, np.maximum(ascending[i], least), ascending[i - 1])
    # the loop replaced the missing numbers, which are sorted last
    ascending[np.isnan(rising)] = np.nan
    restored = np.empty_like(ascending)
    np.put_along_axis(restored, order, ascending, axis=0)
    return np.moveaxis(restored, 0, axis)


FEW = 8
"""The minimum number of topics for naming a single first system. Some metrics need more topics."""
STEPS = (0.01, 0.001)
"""Significance levels that the matrix shows in addition to alpha."""


QUARTERS = {"low": 0, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 1}
"""Mapping from the name of a statistic to a quantile of the systems' scores on a topic."""


@dataclass(frozen=True, eq=False)
class View:
    """Results for all topics, or for one collection.

    Parameters
    ----------
    name
        Name of the view on the page.
    setting
        Checked arguments of the report.
    full_cube
        Cube of the view with all repeats.
    """

    name: str
    setting: Setting
    full_cube: xr.Dataset

    @cached_property
    def cube(self) -> xr.Dataset:
        """Cube with one list per system, the first repeat."""
        return one_of_each(self.full_cube)

    @cached_property
    def is_single(self) -> bool:
        """Whether the view has only one system."""
        return self.cube.sizes[SYSTEM] < 2

    @cached_property
    def scored(self) -> xr.DataArray:
        """Scores and judged shares at all depths or budgets."""
        setting = self.setting
        dim = setting.axis.dim
        depths = [*setting.depths]
        options: Any = {"at": depths} if dim == DEPTH else {"stop": Budget(depths)}
        try:
            scores = score(self.full_cube, *dict.fromkeys([*setting.metrics, *SHARED]), **options)
        # With judgments by subtopic, or if tied documents share ranks, shares of unjudged documents
        # are undefined.
        except MetricError:
            scores = score(self.full_cube, *setting.metrics, **options)
        # all further code calls the axis of the page depth, even if it consists of budgets
        return scores.rename({} if dim == DEPTH else {dim: DEPTH})

    @cached_property
    def costs(self) -> xr.DataArray:
        """Scores of ASL (search length) and Twist (effort)."""
        depths = sorted({self.setting.rank, self.cube.sizes[DEPTH]})
        return score(self.full_cube, "ASL", "Twist", at=depths)

    @cached_property
    def every(self) -> xr.DataArray:
        """Scores over (metric, system, topic, depth), with repeats if any."""
        return self.scored.isel({METRIC: slice(len(self.setting.metrics))})

    @cached_property
    def all_scores(self) -> Scores:
        """Means over repeats, together with the scores of single repeats."""
        return read_scores(self.every, self.setting.pairing.over)

    @cached_property
    def repeats(self) -> Repeats | None:
        """Repeats, if any system has several."""
        repeats: Repeats | None = self.all_scores.repeats
        return repeats

    @cached_property
    def crossing(self) -> bool:
        """Whether intervals and tests include the variance of repeats."""
        return self.repeats is not None and self.repeats.crossing

    @cached_property
    def scores(self) -> xr.DataArray:
        """Mean scores of repeats over (metric, system, topic, depth)."""
        scores = self.every.transpose(METRIC, SYSTEM, TOPIC, DEPTH, ...)
        if REPEAT not in scores.dims:
            return scores
        return scores[..., 0].drop_vars(REPEAT).copy(data=self.all_scores.values)

    @cached_property
    def quarters(self) -> Array:
        """Quantiles `QUARTERS` of scores, indexed (metric, quantile, topic, depth)."""
        # `np.nanquantile` takes 0.7 s instead of 0.04 s on an array of shape (3, 143, 30, 48)
        rising = np.sort(self.scores.to_numpy(), axis=1)
        last = np.isfinite(rising).sum(axis=1, keepdims=True) - 1
        pos = np.reshape([*QUARTERS.values()], (-1, 1, 1)) * last.clip(0)
        below = np.floor(pos).astype(int)
        low = np.take_along_axis(rising, below, axis=1)
        high = np.take_along_axis(rising, np.ceil(pos).astype(int), axis=1)
        return np.asarray(low + (pos - below) * (high - low))

    @cached_property
    def by_repeat(self) -> Array:
        """Mean of every repeat, indexed (metric, depth, repeat)."""
        if self.repeats is None:
            return self.every_pair(0.0, 0)
        scored = np.where(self.all_scores.scored[:, np.newaxis], self.repeats.values, np.nan)
        rows = zip(scored, self.all_scores.summaries, strict=True)
        return np.stack([average(values, kind, axis=1).T for values, kind in rows])

    @cached_property
    def repeats_of(self) -> list[list[str]]:
        """Labels of each system's repeats, ordered as in `by_repeat`."""
        if self.repeats is None:
            return [[] for _ in self.systems]
        scored = self.every.notnull().any([METRIC, TOPIC, DEPTH]).transpose(SYSTEM, REPEAT)
        labels = self.every.indexes[REPEAT]
        mask = scored.to_numpy()
        # shared repeats enter the means only if all systems have them
        if self.repeats.layout == "shared":
            mask = mask & mask[mask.any(axis=1)].all(axis=0)
        return [texts(labels[row]) or ["-"] for row in mask]

    @cached_property
    def ranks(self) -> xr.Dataset:
        """Means, ranks, intervals, tiers and shares of first places."""
        setting = self.setting
        if self.is_single:
            ranks = summary(self.every, alpha=setting.alpha)
            ones = xr.ones_like(ranks["n"])
            columns = dict.fromkeys(("rank", "rank_low", "rank_high", "tier"), ones)
            columns["n_topics"] = ranks["n"].max(SYSTEM)
            return ranks.assign(columns | {"first": ones * np.nan})
        ranks = rank_intervals(self.every, test=setting.pairing.decided)
        # Resamples of topics would ignore the variance of repeats.
        if self.crossing:
            return ranks.assign(first=ranks["mean"] * np.nan)
        shares = first_shares(self.paired, self.resamples)
        return ranks.assign(first=((METRIC, DEPTH, SYSTEM), shares))

    @cached_property
    def resamples(self) -> Resamples:
        """Resamples of the topics."""
        return Resamples(self.setting.alpha, self.setting.samples, self.setting.seed)

    @cached_property
    def excess(self) -> Array:
        """Expected difference between the best mean and its true value."""
        size = len(self.systems) * min(self.setting.samples, DRAWS)
        excess = partial(excess_of_first, self.paired, self.resamples)
        return self.paired.by_piece(size, excess)

    @cached_property
    def means(self) -> Array:
        """Means, indexed (metric, depth, system)."""
        return self.ranks["mean"].transpose(METRIC, DEPTH, SYSTEM).to_numpy()

    @cached_property
    def topics_compared(self) -> Array:
        """Number of topics averaged, indexed (metric, depth)."""
        topics = self.ranks["n_topics"].transpose(METRIC, DEPTH, ...)
        return topics.max(topics.dims[2:]).to_numpy()

    @cached_property
    def ranked(self) -> dict[str, Array]:
        """Arrays of `ranks`, indexed (metric, depth, system).

        ``order`` contains the positions of the systems, the best first.
        """
        ranks = self.ranks.transpose(METRIC, DEPTH, SYSTEM).data_vars.items()
        values = {str(name): of.to_numpy() for name, of in ranks if of.ndim == 3}
        mean = np.nan_to_num(self.means * self.setting.signs)
        # Ranks decide first, because means that differ by rounding errors share a rank.
        values["order"] = np.lexsort([-mean.round(TIE), values["rank"]])
        # The test of first places does not support repeats, so intervals of ranks replace the test.
        values.setdefault(FIRST, values["rank_low"] == 1)
        if self.is_single:
            return values
        few = (self.topics_compared < self.enough) | self.tied
        systems = self.cube.sizes[SYSTEM]
        first, second = np.eye(systems)[all_pairs(systems).T]
        ahead = self.signed > 0
        behind = self.signed < 0
        # the products count the systems that are better than a system, and then those that are
        # worse
        values["rank_low"] = 1 + behind @ first + ahead @ second
        values["rank_high"] = systems - ahead @ first - behind @ second
        values["first"] = np.where(few[..., np.newaxis], np.nan, values["first"])
        return values

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Whether all systems share one mean, indexed (metric, depth)."""
        return (self.ranks["rank"] == 1).all(SYSTEM).transpose(METRIC, DEPTH).to_numpy()

    @cached_property
    def relevant(self) -> bool:
        """Whether any document is relevant."""
        return bool((experiment_of(self.cube).judgments.grade > 0).any())

    @cached_property
    def void(self) -> bool:
        """Whether nothing is relevant or no retrieved document is judged."""
        return not (self.relevant and experiment_of(self.full_cube).hits.count.any())

    @cached_property
    def enough(self) -> NDArray[np.int64]:
        """Minimum topics for naming a first system, indexed (metric, 1)."""
        return np.array([[max(FEW, fact.least_topics)] for fact in self.setting.facts])

    @cached_property
    def labels(self) -> NDArray[np.object_]:
        """Names of the systems as an array."""
        return np.array(texts(self.cube[SYSTEM].to_numpy()), object)

    @cached_property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.labels)

    @cached_property
    def topics(self) -> list[str]:
        """The names of the topics."""
        return texts(self.cube[TOPIC].to_numpy())

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """Significance levels of the matrix, descending."""
        return (self.setting.alpha, *(step for step in STEPS if step < self.setting.alpha))

    @cached_property
    def paired(self) -> Scores:
        """Scores on the topics on which all systems have scores."""
        return scores_to_compare(self.all_scores, quiet=True)

    @cached_property
    def averaged(self) -> NDArray[np.bool_]:
        """Whether a metric has arithmetic means, indexed (metric, 1)."""
        return np.array([[kind == "mean"] for kind in self.paired.summaries])

    def every_pair(self, value: float, *last: int) -> Array:
        """Return an array of one value, indexed (metric, depth, ...)."""
        return np.full((len(self.setting.metrics), len(self.setting.depths), *last), value)

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """Half width of an interval per unit of standard deviation.

        The interval is the one that `compare` computes. The result is NaN for a single topic, and
        for metrics that are not averaged.
        """
        if self.is_single:
            return self.every_pair(np.nan)
        topics = self.paired.scored.sum(axis=1)
        none = np.zeros((), int)
        unit = Differences(np.zeros(()), np.ones(()), none, none, none, topics, topics - 1)
        _, high = unit.interval(alpha=self.setting.alpha)
        return np.where(self.averaged, high, np.nan)

    @cached_property
    def half(self) -> Array:
        """Half width of each pair's interval, indexed (metric, depth, pair)."""
        repeats = self.repeats
        alpha = self.setting.alpha
        designed = not self.is_single and self.paired.design is not None
        if self.is_single or not (self.crossing or designed):
            return self.every_pair(0.0, 0)
        pairs = all_pairs(self.cube.sizes[SYSTEM])

        def ends(values: Array, *design: Design) -> Ends:
            return describe_differences(values, pairs, *design).interval(alpha=alpha)

        def compute(row: int, depths: slice) -> Array:
            if repeats is None or designed:
                low, high = self.paired.over_terms(row, depths, ends)
                return np.asarray((high - low).T / 2)
            low, high = repeats.crossed(self.paired, row, depths, pairs).interval(alpha=alpha)
            return np.asarray((high - low).T / 2)

        widths = self.paired.by_piece(len(pairs), compute)
        return np.where(self.averaged[..., np.newaxis], widths, np.nan)

    @cached_property
    def strength(self) -> NDArray[np.uint8]:
        """Number of `levels` above the p-value, indexed (metric, depth, pair)."""
        below = self.p[..., np.newaxis] < np.array(self.levels)
        # a difference from a system without judged documents is no evidence, whatever its p-value
        judged = self.is_single or self.paired.has_judged[all_pairs(len(self.systems))].all(axis=1)
        return np.asarray(below.sum(-1, np.uint8) * judged, np.uint8)

    @cached_property
    def p(self) -> Array:
        """Corrected p-values, indexed (metric, depth, pair)."""
        if self.is_single:
            return self.every_pair(1.0, 0)
        return self.setting.pairing.p_values(self.paired, all_pairs(self.cube.sizes[SYSTEM]))

    @cached_property
    def signed(self) -> NDArray[np.int8]:
        """`strength`, negative where the second system is better."""
        first, second = all_pairs(self.means.shape[-1]).T
        lead = np.nan_to_num(self.means[..., first] - self.means[..., second])
        return np.asarray(self.strength * np.sign(lead * self.setting.signs), np.int8)

    @cached_property
    def pair(self) -> tuple[int, int]:
        """Positions of the two opening systems, the better first.

        The pair is the best system and the baseline, or without a baseline the best two systems.
        Pairs with a difference on some topic are preferred.
        """
        at = self.setting.pos
        order = self.ranked["order"][0, at]
        if self.is_single:
            return int(order[0]), int(order[0])
        sides = all_pairs(len(order))
        ranks = np.argsort(order)
        scores = self.scores.to_numpy()[0, :, :, at]
        alike = (np.nan_to_num(scores[sides[:, 0]] - scores[sides[:, 1]]) == 0).all(axis=1)
        based = (self.cube[SYSTEM].to_numpy()[sides] == self.setting.baseline).any(axis=1)
        best, worst = np.sort(ranks[sides], axis=1).T
        # The last key of lexsort decides first. Pairs with a difference come first, then pairs with
        # the baseline, then pairs of the best systems.
        chosen = np.lexsort([worst, best, ~based, alike])[0]
        return int(order[best[chosen]]), int(order[worst[chosen]])

    @cached_property
    def bounded(self) -> xr.DataArray:
        """Bounds of scores, indexed (metric, bound, system, topic)."""
        metrics = self.setting.metrics
        # if no metric has bounds, the call for the last metric raises the error that the page
        # explains
        limits_by_metric = self._bounds(*metrics) or [
            bounds(self.full_cube, metrics[-1], at=self.setting.rank)
        ]
        limits = xr.concat([array.reset_coords(drop=True) for array in limits_by_metric], METRIC)
        limits = limits.isel({DEPTH: 0}, drop=True)
        return limits.mean(REPEAT) if REPEAT in limits.dims else limits

    def _bounds(self, *metrics: str) -> list[xr.DataArray]:
        """Return the bounds of scores by metrics that have bounds."""
        try:
            return [bounds(self.full_cube, *metrics, at=self.setting.rank)]
        except MetricError:
            # one metric without bounds makes the call for all metrics fail, so each metric is tried
            # alone
            several = metrics if len(metrics) > 1 else ()
            return [limits for metric in several for limits in self._bounds(metric)]

    @cached_property
    def differing(self) -> NDArray[np.float64]:
        """Share of significant pairs, indexed (metric, depth); NaN without pairs."""
        return self.every_pair(np.nan) if self.is_single else (self.strength > 0).mean(axis=-1)

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """Kendall's tau between depths, indexed (metric, depth, depth)."""
        if self.is_single:
            return self.every_pair(np.nan, len(self.setting.depths))
        return np.asarray(volatility(self.scores).transpose(METRIC, DEPTH, ...))

    @cached_property
    def unjudged(self) -> xr.DataArray:
        """Share of unjudged documents, indexed (system, depth)."""
        if not np.isin(SHARED, self.scored[METRIC]).all():
            return self.ranks["mean"].isel({METRIC: 0}, drop=True) * np.nan
        return unjudged_shares(self.scored)


def views(setting: Setting) -> Iterator[View]:
    """Yield a view of all topics and of each collection.

    The view of all topics is left out if some system did not take part in every collection.
    Collections with a single system come last, so that the page does not open with one.
    """
    by = setting.cube.attrs.get("collection")
    subsets = dict(groups(setting.full_cube, by)) if by else {}
    if len(subsets) < 2 or experiment_of(setting.full_cube).participated.all():
        yield View("all topics", setting, setting.full_cube)
    if len(subsets) > 1:
        of_groups = (View(f"{by} {key}", setting, subset) for key, subset in subsets.items())
        yield from sorted(of_groups, key=lambda view: view.is_single)


SHARES = ("first", "unjudged")
"""Arrays that the page shows in percent."""


def arrays(view: View) -> dict[str, Array]:
    """Return a view's arrays over (metric, depth, system)."""
    values = {name: view.ranked[name] for name in ("mean", "ci_low", "ci_high", "first")}
    values |= {"told": view.differing, "agreement": view.agreement, "reach": view.reach}
    if view.repeats is not None:
        values["repeats"] = view.by_repeat
    if view.half.size:
        values["half"] = view.half
    values["unjudged"] = view.unjudged.transpose(DEPTH, SYSTEM).to_numpy()
    values = {name: rounded(array, percents=name in SHARES) for name, array in values.items()}
    for name in ("rank", "rank_low", "rank_high", "tier", FIRST):
        values[name] = np.nan_to_num(view.ranked[name]).astype(np.int16)
    return values | {"strength": view.strength}
