"""The numbers of one set of topics and of the systems that took part in them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.cubes.by_group import groups
from irframe.cubes.score import score
from irframe.depths.volatility import volatility
from irframe.errors import MetricError
from irframe.metrics.facts import facts
from irframe.names import DEPTH, METRIC, SYSTEM, TOPIC
from irframe.paired import Differences, all_pairs
from irframe.ranks.rank_intervals import first_shares, rank_intervals
from irframe.reports.packing import rounded
from irframe.reports.setting import Setting, text
from irframe.scores.cautions import cautions_of
from irframe.scores.read_scores import scores_to_compare
from irframe.scores.resampled import Resamples
from irframe.scores.scores import Scores
from irframe.scores.summary import summary

EVERY = "all topics"
"""Name of the view of all topics."""
STEPS = (0.01, 0.001)
"""Levels besides alpha by which the page tells p-values apart."""


@dataclass(frozen=True, eq=False)
class View:
    """All topics, or those of one collection, and the systems that took part.

    Parameters
    ----------
    name
        What the page calls it.
    setting
        What is asked.
    cube
        The part of the cube.
    """

    name: str
    setting: Setting
    cube: xr.Dataset

    @property
    def alone(self) -> bool:
        """Whether there is but one system, so that nothing is compared."""
        return self.cube.sizes[SYSTEM] < 2

    @cached_property
    def scores(self) -> xr.DataArray:
        """Scores, (metric, system, topic, depth)."""
        return score(self.cube, *self.setting.metrics, at=self.setting.depths)

    @cached_property
    def ranks(self) -> xr.Dataset:
        """Means, ranks, their intervals, tiers and shares of first places, by metric and depth."""
        asked = self.setting
        pairing = asked.pairing
        if self.alone:
            found = summary(self.scores, alpha=asked.alpha)
            one = xr.ones_like(found["n"])
            places = dict.fromkeys(("rank", "rank_low", "rank_high", "tier"), one)
            places["n_topics"] = found["n"].max(SYSTEM)
            return found.assign(places | {"first": one * np.nan})
        found = rank_intervals(
            self.scores, test=pairing.test, adjust=pairing.adjust, alpha=asked.alpha
        )
        drawn = Resamples(asked.alpha, asked.samples, asked.seed)
        shares = first_shares(self.paired.load(), drawn)
        return found.assign(first=((METRIC, DEPTH, SYSTEM), shares))

    @property
    def cautions(self) -> list[str]:
        """What its means and ranks are to be read with."""
        return cautions_of(self.ranks.attrs)

    @cached_property
    def ranked(self) -> dict[str, Array]:
        """The same as arrays by name, (metric, depth, system)."""
        ranks = self.ranks.transpose(METRIC, DEPTH, SYSTEM)
        return {
            str(name): ranks[name].to_numpy() for name in ranks.data_vars if ranks[name].ndim == 3
        }

    @cached_property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return [text(label) for label in self.cube[SYSTEM].to_numpy()]

    @cached_property
    def deepest(self) -> int:
        """Rank of the last document of its longest list."""
        return int(self.cube["retrieved"].max())

    @cached_property
    def topics(self) -> list[str]:
        """The names of the topics."""
        return [text(label) for label in self.cube[TOPIC].to_numpy()]

    @cached_property
    def levels(self) -> tuple[float, ...]:
        """Levels that p-values may be below, falling."""
        return levels(self.setting.alpha)

    @cached_property
    def paired(self) -> Scores:
        """The scores, and the topics on which every system has one."""
        return scores_to_compare(self.scores, quiet=True)

    @cached_property
    def reach(self) -> NDArray[np.float64]:
        """Half the width of a difference's interval for a spread of 1, (metric, depth).

        It is that of `compare`; NaN for one topic, and where a mean is none of single scores.
        """
        if self.alone:
            return np.full((len(self.setting.metrics), len(self.setting.depths)), np.nan)
        topics = self.paired.scored.sum(axis=1)
        single = np.array([how == "mean" for how in self.paired.summaries])
        none = np.zeros((), int)
        unit = Differences(np.zeros(()), np.ones(()), none, none, none, topics)
        _, high = unit.interval(alpha=self.setting.alpha)
        return np.where(single[:, np.newaxis], high, np.nan)

    @cached_property
    def strength(self) -> NDArray[np.uint8]:
        """Below how many of the levels a pair's corrected p-value is, (metric, depth, pair)."""
        pairs = all_pairs(self.cube.sizes[SYSTEM])
        if self.alone:
            shape = len(self.setting.metrics), len(self.setting.depths), 0
            return np.zeros(shape, np.uint8)
        p = self.setting.pairing.p_values(self.paired, pairs)
        found: NDArray[np.uint8] = (p[..., np.newaxis] < np.array(self.levels)).sum(-1, np.uint8)
        return found

    @cached_property
    def told(self) -> NDArray[np.float64]:
        """Share of the pairs that differ significantly, (metric, depth); NaN without pairs."""
        if self.alone:
            return np.full(self.strength.shape[:2], np.nan)
        found: NDArray[np.float64] = (self.strength > 0).mean(axis=-1)
        return found

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """Kendall's tau between the orders at two depths, (metric, depth, depth)."""
        if self.alone:
            return np.full((*self.strength.shape[:2], len(self.setting.depths)), np.nan)
        return volatility(self.scores).transpose(METRIC, DEPTH, ...).to_numpy()

    @cached_property
    def unjudged(self) -> xr.DataArray:
        """What `unjudged_shares` says; NaN where that cannot be told."""
        try:
            return unjudged_shares(self)
        except MetricError:
            return self.ranks["mean"].isel({METRIC: 0}, drop=True) * np.nan

    def order(self, metric: int, depth: int) -> Array:
        """Return the positions of the systems, the best first, as the ladder has them."""
        mean = self.ranked["mean"][metric, depth] * facts(self.setting.metrics[metric]).sign
        return np.lexsort([-np.nan_to_num(mean), self.ranked["rank"][metric, depth]])


def unjudged_shares(view: View) -> xr.DataArray:
    """Return the mean share of the documents down to a depth that are unjudged, (system, depth).

    Raises
    ------
    MetricError
        If it differs by subtopic, or ranks are shared.
    """
    judged = score(view.cube, "Judged", at=view.setting.depths)
    return 1 - judged.isel({METRIC: 0}, drop=True).mean(TOPIC)


def levels(alpha: float) -> tuple[float, ...]:
    """Return the levels that a page tells p-values apart by, falling.

    Examples
    --------
    >>> levels(0.05), levels(0.005)
    ((0.05, 0.01, 0.001), (0.005, 0.001))
    """
    return (alpha, *(step for step in STEPS if step < alpha))


def views(setting: Setting) -> Iterator[View]:
    """Yield a view of all topics, if all systems took part in them, and one of each collection.

    A collection in which one system alone took part comes last, and so opens no page of several.
    """
    by = setting.cube.attrs.get("collection")
    parts = dict(groups(setting.cube, by)) if by else {}
    if len(parts) < 2 or setting.cube["took_part"].to_numpy().all():
        yield View(EVERY, setting, setting.cube)
    if len(parts) > 1:
        found = [View(f"{by} {key}", setting, part) for key, part in parts.items()]
        yield from sorted(found, key=lambda view: view.alone)


def arrays(view: View) -> dict[str, Array]:
    """Return the numbers of a view as the page holds them, over (metric, depth, system)."""
    whole = {name: view.ranked[name] for name in ("rank", "rank_low", "rank_high", "tier")}
    real = {name: view.ranked[name] for name in ("mean", "ci_low", "ci_high", "first")}
    real |= {"told": view.told, "agreement": view.agreement, "reach": view.reach}
    real["unjudged"] = view.unjudged.transpose(DEPTH, SYSTEM).to_numpy()
    marks = {name: np.nan_to_num(values).astype(np.int16) for name, values in whole.items()}
    return {
        **{name: rounded(values) for name, values in real.items()},
        **marks,
        "strength": view.strength,
    }
