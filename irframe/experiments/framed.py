"""Run frames, of any number of systems and any size, joined to judgments and ranked."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from irframe.checks import places
from irframe.experiments.collections import Collections
from irframe.experiments.hits import Hits
from irframe.experiments.lists import Lists, count_rows
from irframe.experiments.policy import Contributing, Policy
from irframe.experiments.pool import Pool
from irframe.frames import tables
from irframe.frames.as_runs import Runs
from irframe.frames.contributing import (
    CONTRIBUTING,
    contributing_systems,
    filed_rank,
    pooling_rank,
)
from irframe.frames.ids import Codes, grouped, rows_of_ranges
from irframe.frames.joining import locate, place_topics
from irframe.frames.ranking import rank_table
from irframe.frames.tables import QrelsTable, RunTable, read_table
from irframe.frames.ties import TIE_POLICIES


class Part(NamedTuple):
    """Some lists: which, how long, and for each of their hits what `Hits` has of it."""

    lists: Codes
    length: Codes
    of: Codes
    rank: Codes
    row: Codes
    filed: Codes
    tied: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Framed:
    """A run frame and judgments, coded alike."""

    table: RunTable
    judgments: QrelsTable
    lists: Lists

    @classmethod
    def of(cls, runs: Runs, judgments: QrelsTable, collection: str | None) -> "Framed":
        """Read a run frame."""
        table = read_table(runs)
        placed = place_topics(table, judgments)
        frames = table.frame, judgments.frame
        collections = Collections.read(*frames, table, judgments, placed, collection)
        lengths = count_rows(table)
        return cls(
            table, judgments, Lists(table.systems, table.topics, placed, lengths, collections)
        )

    def of_systems(self, systems: Sequence[Hashable]) -> "Framed":
        """Return the rows of some systems, which the others then have none of."""
        wanted = places("systems of the runs compared", systems, list(self.table.systems))
        inside = np.isin(self.table.system, wanted)
        if inside.all():
            return self
        return replace(self, table=self.table.take(np.flatnonzero(inside)))

    @cached_property
    def judged(self) -> Codes:
        """For every row of the runs its row in the qrels, -1 where it is unjudged."""
        return locate(self.table, self.judgments, self.lists.placed)

    def hits(self, policy: Policy, *, filed: bool = False, ties: bool = False) -> Hits:
        """Rank lists, and return what they hold of the judgments, by topics and rows of the qrels.

        Parameters
        ----------
        policy
            How rankings are decided.
        filed, ties
            Whether it is wanted at which ranks pooling reads hits, and which documents are tied.
        """
        shape = len(self.table.systems), len(self.judgments.topics)
        parts = [self._part(rows, policy, filed=filed) for rows in self._stretches()]
        whole = Part(*(_joined(arrays) for arrays in zip(*parts, strict=True)))
        length = np.zeros(shape, np.int64)
        length.ravel()[whole.lists] = whole.length
        tied = None
        if ties or TIE_POLICIES[policy.ties].shares:
            order, start = np.argsort(whole.lists), np.cumsum(whole.length) - whole.length
            tied = whole.tied[rows_of_ranges(start[order], whole.length[order])]
        return Hits(length, whole.of, whole.rank, whole.row, tied, whole.filed if filed else None)

    def _part(self, rows: Codes, policy: Policy, *, filed: bool) -> Part:
        """Rank some whole lists."""
        table, places = self.table, self.lists.placed
        ranking = rank_table(
            table, ties=policy.ties, score_dtype=policy.score_dtype, seed=policy.seed, rows=rows
        )
        judged = self.judged[rows[ranking.order]]
        first, hit = np.flatnonzero(ranking.first), np.flatnonzero(judged >= 0)
        listed, found = (rows[ranking.order[some]] for some in (first, hit))
        lists, of = (
            table.system[some].astype(np.int64) * len(self.judgments.topics)
            + places[table.topic[some]]
            for some in (listed, found)
        )
        pooled = np.zeros(0, np.int32)
        if filed:
            alike = policy.ties != "rank" and policy.score_dtype == "float64"
            rank = filed_rank(ranking) if alike else pooling_rank(table, rows)
            pooled = rank[ranking.order[hit]].astype(np.int32)
        length = np.diff(first, append=len(rows))
        rank = ranking.rank[hit].astype(np.int32)
        return Part(lists, length, of, rank, judged[hit], pooled, ranking.tied)

    def _stretches(self) -> Iterator[Codes]:
        """Yield the rows of whole lists for judged topics, `irframe.frames.tables.ROWS` a time."""
        table = self.table
        rows = np.flatnonzero((self.lists.placed >= 0)[table.topic])
        listed = table.system[rows].astype(np.int64) * len(table.topics) + table.topic[rows]
        ends = _ends(listed)
        if len(np.unique(listed[ends - 1])) < len(ends):
            order = grouped(listed)
            rows, listed = rows[order], listed[order]
            ends = _ends(listed)
        start = 0
        while start < len(rows):
            fits, least = np.searchsorted(ends, [start + tables.ROWS, start], side="right").tolist()
            stop = int(ends[max(fits - 1, least)])
            yield rows[start:stop]
            start = stop

    def pool(self, hits: Hits, contributing: Contributing) -> Pool:
        """Return what contributing runs put into the pool; argument as for `irframe.cube`."""
        frame = self.table.frame
        systems = contributing_systems(frame, self.table, contributing)
        stated = contributing is not None or CONTRIBUTING in frame.columns
        return Pool.of(hits, len(self.judgments.topic), systems, stated=stated)


def _ends(listed: Codes) -> Codes:
    """Return where, going through rows, one list ends and the next one begins."""
    return np.append(np.flatnonzero(listed[1:] != listed[:-1]) + 1, len(listed))


def _joined(arrays: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
