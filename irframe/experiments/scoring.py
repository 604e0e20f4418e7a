"""Metrics prepared for judgments, and hits scored by them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.errors import DepthError
from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.metrics import at_depth, deepest, needed_depth, refuse
from irframe.experiments.policy import Policy
from irframe.experiments.pool import Pool
from irframe.experiments.subtopics import refuse as refuse_subtopics
from irframe.frames.ties import TIE_POLICIES
from irframe.metrics import Block, Evidence, Metric
from irframe.metrics.averaging import average
from irframe.metrics.facts import facts
from irframe.names import SUBTOPIC

CELLS = 1 << 17
"""Cells scored at a time: a few arrays of that size fit the processor's cache."""

BY_TOPIC = ("count", "start", "subtopic_count", "stratum_count", "ideal", "pool_count")
"""Fields of a block with a value for every topic."""

Array = NDArray[Any]
Floats = NDArray[np.float64]
Tile = tuple[Any, Any]


class Scoring:
    """Metrics, each at its depth, with what is known of judgments before there are runs.

    Parameters
    ----------
    judgments
        The judgments.
    metrics
        The metrics, as asked for.
    policy
        How rankings are decided.
    """

    def __init__(self, judgments: Judgments, metrics: Sequence[Metric], policy: Policy) -> None:
        wanted = [at_depth(metric, policy.depth) for metric in metrics]
        self.metrics = list(dict.fromkeys(wanted))
        self.place = [self.metrics.index(metric) for metric in wanted]
        """Which of `metrics` each one that was asked for is."""
        self.judgments, self.policy = judgments, policy
        self._depth, self._deepest = policy.depth or needed_depth(wanted), deepest(wanted)
        self._refuse(pooled=True)
        self._fields = judgments.fields(self.metrics)
        self._prepared: dict[tuple[int, Any], dict[tuple[Any, ...], Any]] = {}
        self._plan = self._planned()
        self._summaries: dict[Any, list[int]] = {}
        for row, metric in enumerate(self.metrics):
            self._summaries.setdefault(facts(metric).summary, []).append(row)

    @property
    def pooled(self) -> bool:
        """Whether a metric asks what the pool was made of."""
        return any(facts(metric).pooled for metric in self.metrics)

    def _refuse(self, *, pooled: bool) -> None:
        columns = self.judgments.table.columns
        refuse_subtopics(self.metrics, str(columns[SUBTOPIC]) if SUBTOPIC in columns else None)
        refuse(self.metrics, self.judgments.levels, ties=self.policy.ties, pooled=pooled)

    def _planned(self) -> dict[tuple[int | None, bool], list[tuple[int, Metric]]]:
        """Return which metrics need how many ranks, None for all, and which of them the pool."""
        plan: dict[tuple[int | None, bool], list[tuple[int, Metric]]] = {}
        shares = TIE_POLICIES[self.policy.ties].shares
        for row, metric in enumerate(self.metrics):
            own = metric.depth if metric.by_prefix and not shares else None
            free = metric if own is None else replace(metric, depth=None)
            plan.setdefault((own, facts(metric).pooled), []).append((row, free))
        return plan

    def values(self, hits: Hits, pool: Pool | None = None) -> Floats:
        """Score lists.

        Parameters
        ----------
        hits
            What they hold of the judgments.
        pool
            What the pool was made of, where metrics ask for it.

        Returns
        -------
        numpy.ndarray
            Scores at the depth of each metric, shape (metric, system, topic).
        """
        longest = max(1, int(hits.length.max(initial=0)))
        depth = self._depth or longest
        self._refuse_cut(longest, depth)
        width = max(depth, self._deepest)
        cells = hits.cells(self.judgments, depth, width, doc="start" in self._fields)
        found = np.empty((len(self.metrics), *hits.length.shape))
        for (own, pooled), metrics in self._plan.items():
            fields = _cut(cells, own or width)
            if pooled and pool is not None:
                fields["pool_count"] = pool.count(self.judgments, own or width)
            for tile in _tiles(hits.length.shape, own or width):
                evidence = self._evidence(fields, tile, own or width, lasting=not pooled)
                for row, metric in metrics:
                    found[(row, *tile)] = metric.score(evidence)[..., -1]
        return found

    def averages(self, values: Floats) -> list[float]:
        """Average scores over topics, shape (metric, topic), as each metric asked for is."""
        found = np.empty(len(values))
        for summary, rows in self._summaries.items():
            found[rows] = average(values[rows], summary)
        means: list[float] = found[self.place].tolist()
        return means

    def _refuse_cut(self, longest: int, depth: int) -> None:
        if longest > depth and any(metric.judged_only for metric in self.metrics):
            found = f"depth {depth} of {longest}"
            raise DepthError("lists that are not cut, for metrics of judged documents", found)

    def _evidence(
        self, fields: dict[str, Array], tile: Tile, width: int, *, lasting: bool
    ) -> Evidence:
        topics = tile[1]
        known = {
            name: part[topics] if name in BY_TOPIC else part for name, part in self._fields.items()
        }
        mine = {
            name: part[topics] if name in BY_TOPIC else part[tile] for name, part in fields.items()
        }
        memory = self._prepared.setdefault((width, topics.start), {}) if lasting else None
        return Evidence(Block(**known, **mine), memory)


def _cut(cells: dict[str, Array], width: int) -> dict[str, Array]:
    """Return cells without the ranks past the first ones."""
    if width == cells["grade"].shape[-1]:
        return dict(cells)
    cut = {
        name: np.ascontiguousarray(part[..., :width])
        for name, part in cells.items()
        if name in {"grade", "doc"}
    }
    return cut | {"retrieved": np.minimum(cells["retrieved"], width)}


def _tiles(lists: tuple[int, ...], width: int) -> Iterator[Tile]:
    """Yield which systems and topics are scored together."""
    systems, topics = lists
    some = max(1, CELLS // (width * topics))
    inner = topics if some > 1 else max(1, CELLS // width)
    for system in range(0, systems, some):
        for topic in range(0, topics, inner):
            yield slice(system, system + some), slice(topic, topic + inner)
