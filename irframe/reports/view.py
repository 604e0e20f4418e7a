"""The numbers of one set of topics and its systems, and how they are packed for the page."""

import base64
import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
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
from irframe.ranks.first import FIRST
from irframe.ranks.rank_intervals import first_shares, rank_intervals
from irframe.reports.setting import LARGE, Setting, fixed, texts
from irframe.scores.averages import Resamples
from irframe.scores.read_scores import read_scores, scores_to_compare
from irframe.scores.repeats import Repeats
from irframe.scores.summary import summary

DROPPED = 7
"""Bits of a float32 that are left out, of 23; five decimal digits stay."""
ALIGNED = 4
"""Bytes; an array of a script begins at a multiple of the size of its numbers."""


def pack(arrays: Mapping[str, NDArray[Any]]) -> tuple[str, dict[str, dict[str, Any]]]:
    """Pack arrays into text.

    Parameters
    ----------
    arrays
        Arrays of whole numbers or of float32, by name.

    Returns
    -------
    text : str
        All of them one after the other, compressed by gzip, in base64.
    contents : dict
        For each the type in the script's words, the first byte, and the shape.

    Examples
    --------
    >>> packed, contents = pack({"a": np.array([1, 2], np.uint8), "b": np.zeros(3, np.float32)})
    >>> contents["b"]
    {'kind': 'Float32Array', 'start': 4, 'shape': [3]}
    """
    contents, parts, start = {}, [], 0
    for name, array in arrays.items():
        kind = f"{array.dtype.name.capitalize()}Array"
        contents[name] = {"kind": kind, "start": start, "shape": list(array.shape)}
        data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"))).tobytes()
        parts.append(data + bytes(-len(data) % ALIGNED))
        start += len(parts[-1])
    return pack_bytes(b"".join(parts)), contents


def rounded(values: NDArray[Any], *, percents: bool = False) -> NDArray[np.float32]:
    """Return numbers to five digits, which take less room when they are packed.

    Where a number is about halfway between two that a page spells, as a score or in percent, it
    moves to the side of the one that is spelled, since a script rounds halves otherwise.

    Examples
    --------
    >>> rounded(np.array([1 / 3, 0.5])).round(7).tolist()
    [0.33333..., 0.5]
    >>> fixed(0.0625), bool(rounded(np.array([0.0625]))[0] < 0.0625)
    ('0.062', True)
    """
    exact = np.ascontiguousarray(values, np.float64)
    bits = exact.astype(np.float32).view(np.uint32)
    kept = ((bits + (1 << DROPPED - 1)) >> DROPPED << DROPPED).view(np.float32)
    size = abs(exact)
    off, step = size * 2.0 ** (DROPPED - 23), np.where(size < LARGE, 0.001, 0.1)
    step = np.full_like(step, 0.01) if percents else step
    with np.errstate(invalid="ignore"):  # of what is infinite
        half = abs(size / step % 1 - 0.5) * step <= off
    said = [round(100 * x) / 100 if percents else float(fixed(x)) for x in exact[half].tolist()]
    room = (step[half] / 2 - off[half] / 32).clip(0)
    kept[half] = np.clip(kept[half], said - room, said + room)
    return np.where(np.isnan(exact), np.float32(np.nan), kept)


def rounded_apart(values: NDArray[Any], axis: int) -> NDArray[np.float32]:
    """Return numbers to five digits whose order along an axis is kept.

    Numbers are equal afterwards if and only if they agreed to 12 decimals; who is better than
    whom, and on how many topics, can be told from them as from the numbers themselves.

    Examples
    --------
    >>> found = rounded_apart(np.array([0.5000001, 0.5, 0.5 + 1e-15]), 0)
    >>> bool(found[0] > found[1]), bool(found[1] == found[2]), found.round(5).tolist()
    (True, True, [0.5, 0.5, 0.5])
    """
    first = np.moveaxis(np.asarray(values, np.float64), axis, 0)
    order = np.argsort(first, axis=0)
    rising = np.take_along_axis(first, order, axis=0)
    apart = np.diff(rising.round(TIE), axis=0) > 0
    kept = rounded(rising)
    for place, above in enumerate(apart, start=1):
        least = np.nextafter(kept[place - 1], np.float32(np.inf))
        kept[place] = np.where(above, np.maximum(kept[place], least), kept[place - 1])
    kept[np.isnan(rising)] = np.nan
    restored = np.empty_like(kept)
    np.put_along_axis(restored, order, kept, axis=0)
    return np.moveaxis(restored, 0, axis)


def pack_bytes(data: bytes) -> str:
    """Compress bytes by gzip, and spell them in base64.

    Examples
    --------
    >>> gzip.decompress(base64.b64decode(pack_bytes(b"abc")))
    b'abc'
    """
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode("ascii")


FEW = 8
"""Below so many topics, or those that the metric needs, nobody is said to be the sole first."""
STEPS = (0.01, 0.001)
"""Levels besides alpha by which the page tells p-values apart."""


QUARTERS = {"low": 0, "q1": 0.25, "median": 0.5, "q3": 0.75, "high": 1}
"""What is told of the scores of the systems on a topic."""


@dataclass(frozen=True, eq=False)
class View:
    """All topics, or those of one collection, and the systems that took part.

    Parameters
    ----------
    name
        What the page calls it.
    setting
        What is asked.
    whole
        The part of the cube.
    """

    name: str
    setting: Setting
    whole: xr.Dataset

    @cached_property
    def cube(self) -> xr.Dataset:
        """The same with one list of every system, of those with repeats the first."""
        return one_of_each(self.whole)

    @cached_property
    def alone(self) -> bool:
        """Whether there is but one system, so that nothing is compared."""
        return self.cube.sizes[SYSTEM] < 2

    @cached_property
    def scored(self) -> xr.DataArray:
        """Scores at what the page calls depths; and what is judged, if that can be told."""
        setting = self.setting
        dim = setting.axis.dim
        places = [*setting.depths]
        named: Any = {"at": places} if dim == DEPTH else {"stop": Budget(places)}
        try:
            scores = score(self.whole, *dict.fromkeys([*setting.metrics, *SHARED]), **named)
        except MetricError:  # it differs by subtopic, or ranks are shared
            scores = score(self.whole, *setting.metrics, **named)
        return scores.rename({} if dim == DEPTH else {dim: DEPTH})

    @cached_property
    def every(self) -> xr.DataArray:
        """Scores, (metric, system, topic, depth); with repeats these after the system."""
        return self.scored.isel({METRIC: slice(len(self.setting.metrics))})

    @cached_property
    def read(self) -> Scores:
        """The same as means over repeats, which are kept beside."""
        return read_scores(self.every, self.setting.over)

    @cached_property
    def repeats(self) -> Repeats | None:
        """The repeats, if any system has several."""
        known: Repeats | None = self.read.repeats
        return known

    @cached_property
    def crossing(self) -> bool:
        """Whether intervals and tests count repeats."""
        return self.repeats is not None and self.repeats.crossing

    @cached_property
    def scores(self) -> xr.DataArray:
        """Scores, (metric, system, topic, depth), of repeats their mean."""
        whole = self.every.transpose(METRIC, SYSTEM, TOPIC, DEPTH, ...)
        if REPEAT not in whole.dims:
            return whole
        return whole[..., 0].drop_vars(REPEAT).copy(data=self.read.values)

    @cached_property
    def quarters(self) -> Array:
        """`QUARTERS` of the scores of the systems, (metric, quarter, topic, depth)."""
        rising = np.sort(self.scores.to_numpy(), axis=1)
        last = np.isfinite(rising).sum(axis=1, keepdims=True) - 1
        place = np.reshape([*QUARTERS.values()], (-1, 1, 1)) * last.clip(0)
        below, above = np.floor(place).astype(int), np.ceil(place).astype(int)
        low, high = (np.take_along_axis(rising, at, axis=1) for at in (below, above))
        return np.asarray(low + (place - below) * (high - low))

    @cached_property
    def by_repeat(self) -> Array:
        """The mean of every repeat over the topics compared, (metric, depth, repeat)."""
        if self.repeats is None:
            return self.every_pair(0.0, 0)
        known = np.where(self.read.scored[:, np.newaxis], self.repeats.values, np.nan)
        rows = zip(known, self.read.summaries, strict=True)
        return np.stack([average(values, how, axis=1).T for values, how in rows])

    @cached_property
    def repeats_of(self) -> list[list[str]]:
        """What the repeats of every system are called, in the order of `by_repeat`."""
        if self.repeats is None:
            return [[] for _ in self.systems]
        there = self.every.notnull().any([METRIC, TOPIC, DEPTH]).transpose(SYSTEM, REPEAT)
        labels = self.every.indexes[REPEAT]
        kept = there.to_numpy()
        if self.repeats.layout == "shared":
            kept = kept & kept[kept.any(axis=1)].all(axis=0)
        return [texts(labels[row]) or ["-"] for row in kept]

    @cached_property
    def ranks(self) -> xr.Dataset:
        """Means, ranks, their intervals, tiers and shares of first places, by metric and depth."""
        setting = self.setting
        if self.alone:
            ranks = summary(self.every, alpha=setting.alpha)
            one = xr.ones_like(ranks["n"])
            places = dict.fromkeys(("rank", "rank_low", "rank_high", "tier"), one)
            places["n_topics"] = ranks["n"].max(SYSTEM)
            return ranks.assign(places | {"first": one * np.nan})
        ranks = rank_intervals(self.every, test=setting.pairing.decided, over=setting.over)
        if self.crossing:  # resamples of the topics alone would say too little
            return ranks.assign(first=ranks["mean"] * np.nan)
        drawn = Resamples(setting.alpha, setting.samples, setting.seed)
        shares = first_shares(self.paired, drawn)
        return ranks.assign(first=((METRIC, DEPTH, SYSTEM), shares))

    @cached_property
    def means(self) -> Array:
        """Means, (metric, depth, system)."""
        return self.ranks["mean"].transpose(METRIC, DEPTH, SYSTEM).to_numpy()

    @cached_property
    def topics_compared(self) -> Array:
        """How many topics means are over, (metric, depth)."""
        topics = self.ranks["n_topics"].transpose(METRIC, DEPTH, ...)
        return topics.max(topics.dims[2:]).to_numpy()

    @cached_property
    def ranked(self) -> dict[str, Array]:
        """The same as arrays by name, (metric, depth, system); ranks as the pairs have them.

        ``order`` is that of the ladder, positions of systems with the best first.
        """
        ranks = self.ranks.transpose(METRIC, DEPTH, SYSTEM).data_vars.items()
        values = {str(name): of.to_numpy() for name, of in ranks if of.ndim == 3}
        mean = np.nan_to_num(self.means * self.setting.signs)
        values["order"] = np.lexsort([-mean, values["rank"]])
        values.setdefault(FIRST, values["rank_low"] == 1)  # of repeats, which the test has not
        if self.alone:
            return values
        few = (self.topics_compared < self.enough) | self.tied
        systems = self.cube.sizes[SYSTEM]
        one, other = np.eye(systems)[all_pairs(systems).T]
        ahead, behind = self.signed > 0, self.signed < 0
        values["rank_low"] = 1 + behind @ one + ahead @ other
        values["rank_high"] = systems - ahead @ one - behind @ other
        values["first"] = np.where(few[..., np.newaxis], np.nan, values["first"])
        return values

    @cached_property
    def tied(self) -> NDArray[np.bool_]:
        """Whether no system has a better mean than another, (metric, depth)."""
        return (self.ranks["rank"] == 1).all(SYSTEM).transpose(METRIC, DEPTH).to_numpy()

    @cached_property
    def relevant(self) -> bool:
        """Whether any document is relevant."""
        return bool((experiment_of(self.cube).judgments.grade > 0).any())

    @cached_property
    def void(self) -> bool:
        """Whether scores say nothing, as nothing is relevant or no retrieved document judged."""
        return not (self.relevant and experiment_of(self.whole).hits.count.any())

    @cached_property
    def enough(self) -> NDArray[np.int64]:
        """From how many topics on a first is named, (metric, 1)."""
        return np.array([[max(FEW, fact.least_topics)] for fact in self.setting.facts])

    @cached_property
    def labels(self) -> NDArray[np.object_]:
        """The names of the systems, to be chosen from by their positions."""
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
        """Levels that p-values may be below, falling."""
        return (self.setting.alpha, *(step for step in STEPS if step < self.setting.alpha))

    @cached_property
    def paired(self) -> Scores:
        """The scores, and the topics on which every system has one."""
        return scores_to_compare(self.read, quiet=True)

    @cached_property
    def averaged(self) -> NDArray[np.bool_]:
        """Whether means are those of single scores, (metric, 1)."""
        return np.array([[how == "mean"] for how in self.paired.summaries])

    def every_pair(self, value: float, *last: int) -> Array:
        """Return one value over (metric, depth, ...), where there is nothing to compare."""
        return np.full((len(self.setting.metrics), len(self.setting.depths), *last), value)

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """Half the width of a difference's interval for a spread of 1, (metric, depth).

        It is that of `compare`; NaN for one topic, and where a mean is none of single scores.
        """
        if self.alone:
            return self.every_pair(np.nan)
        topics = self.paired.scored.sum(axis=1)
        none = np.zeros((), int)
        unit = Differences(np.zeros(()), np.ones(()), none, none, none, topics, topics - 1)
        _, high = unit.interval(alpha=self.setting.alpha)
        return np.where(self.averaged, high, np.nan)

    @cached_property
    def half(self) -> Array:
        """Half the width of the interval of every pair, (metric, depth, pair), if repeats count."""
        repeats, alpha = self.repeats, self.setting.alpha
        drawn = not self.alone and self.paired.design is not None
        if self.alone or not (self.crossing or drawn):
            return self.every_pair(0.0, 0)
        pairs = all_pairs(self.cube.sizes[SYSTEM])

        def ends(values: Array, *design: Design) -> Ends:
            return describe_differences(values, pairs, *design).interval(alpha=alpha)

        def compute(row: int, depths: slice) -> Array:
            if repeats is None or drawn:
                low, high = self.paired.given(row, depths, ends)
                return np.asarray((high - low).T / 2)
            low, high = repeats.crossed(self.paired, row, depths, pairs).interval(alpha=alpha)
            return np.asarray((high - low).T / 2)

        widths = self.paired.by_piece(len(pairs), compute)
        return np.where(self.averaged[..., np.newaxis], widths, np.nan)

    @cached_property
    def strength(self) -> NDArray[np.uint8]:
        """Below how many of the levels a pair's corrected p-value is, (metric, depth, pair).

        Of a system no retrieved document of which is judged there is nothing to tell.
        """
        below = self.p[..., np.newaxis] < np.array(self.levels)
        known = self.alone or self.paired.known[all_pairs(len(self.systems))].all(axis=1)
        return np.asarray(below.sum(-1, np.uint8) * known, np.uint8)

    @cached_property
    def p(self) -> Array:
        """Corrected p-values, (metric, depth, pair)."""
        if self.alone:
            return self.every_pair(1.0, 0)
        return self.setting.pairing.p_values(self.paired, all_pairs(self.cube.sizes[SYSTEM]))

    @cached_property
    def signed(self) -> NDArray[np.int8]:
        """The same as `strength`, negative where the second system of a pair is better."""
        first, second = all_pairs(self.means.shape[-1]).T
        lead = np.nan_to_num(self.means[..., first] - self.means[..., second])
        return np.asarray(self.strength * np.sign(lead * self.setting.signs), np.int8)

    @cached_property
    def pair(self) -> tuple[int, int]:
        """Positions of the two systems that the page opens with, the better first.

        The best and the baseline, or else the best two; of pairs that differ on some topic, if
        any does.
        """
        at = self.setting.place
        order = self.ranked["order"][0, at]
        if self.alone:
            return int(order[0]), int(order[0])
        sides, place = all_pairs(len(order)), np.argsort(order)
        scores = self.scores.to_numpy()[0, :, :, at]
        alike = (np.nan_to_num(scores[sides[:, 0]] - scores[sides[:, 1]]) == 0).all(axis=1)
        based = (self.cube[SYSTEM].to_numpy()[sides] == self.setting.baseline).any(axis=1)
        best, worst = np.sort(place[sides], axis=1).T
        chosen = np.lexsort([worst, best, ~based, alike])[0]
        return int(order[best[chosen]]), int(order[worst[chosen]])

    @cached_property
    def bounded(self) -> xr.DataArray:
        """Bounds by (metric, bound, system, topic) of metrics that have them; refuses if none."""
        bounded = []
        for metric in self.setting.metrics:
            try:
                limits = bounds(self.whole, metric, at=self.setting.rank).isel(
                    {DEPTH: 0}, drop=True
                )
                bounded.append(limits.mean(REPEAT) if REPEAT in limits.dims else limits)
            except MetricError as error:
                reason = error
        if not bounded:
            raise reason
        return xr.concat([part.reset_coords(drop=True) for part in bounded], METRIC)

    @cached_property
    def told(self) -> NDArray[np.float64]:
        """Share of the pairs that differ significantly, (metric, depth); NaN without pairs."""
        return self.every_pair(np.nan) if self.alone else (self.strength > 0).mean(axis=-1)

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """Kendall's tau between the orders at two depths, (metric, depth, depth)."""
        if self.alone:
            return self.every_pair(np.nan, len(self.setting.depths))
        return np.asarray(volatility(self.scores).transpose(METRIC, DEPTH, ...))

    @cached_property
    def unjudged(self) -> xr.DataArray:
        """The share of the documents down to a depth that are unjudged, (system, depth).

        NaN where it is not known, or nothing is retrieved.
        """
        if not np.isin(SHARED, self.scored[METRIC]).all():
            return self.ranks["mean"].isel({METRIC: 0}, drop=True) * np.nan
        return unjudged_shares(self.scored)


def views(setting: Setting) -> Iterator[View]:
    """Yield a view of all topics, if all systems took part in them, and one of each collection.

    A collection in which one system alone took part comes last, and so opens no page of several.
    """
    by = setting.cube.attrs.get("collection")
    parts = dict(groups(setting.whole, by)) if by else {}
    if len(parts) < 2 or experiment_of(setting.whole).participated.all():
        yield View("all topics", setting, setting.whole)
    if len(parts) > 1:
        of_parts = (View(f"{by} {key}", setting, part) for key, part in parts.items())
        yield from sorted(of_parts, key=lambda view: view.alone)


SHARES = ("first", "unjudged")
"""What is spelled in percent."""


def arrays(view: View) -> dict[str, Array]:
    """Return the numbers of a view as the page holds them, over (metric, depth, system)."""
    held = {name: view.ranked[name] for name in ("mean", "ci_low", "ci_high", "first")}
    held |= {"told": view.told, "agreement": view.agreement, "reach": view.reach}
    if view.repeats is not None:
        held["repeats"] = view.by_repeat
    if view.half.size:
        held["half"] = view.half
    held["unjudged"] = view.unjudged.transpose(DEPTH, SYSTEM).to_numpy()
    held = {name: rounded(values, percents=name in SHARES) for name, values in held.items()}
    for name in ("rank", "rank_low", "rank_high", "tier", FIRST):
        held[name] = np.nan_to_num(view.ranked[name]).astype(np.int16)
    return held | {"strength": view.strength}
