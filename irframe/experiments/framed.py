"""Run frames, of any number of systems and any size, joined to judgments and ranked."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from irframe.checks import places
from irframe.experiments import coded_tables
from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.experiments.collections import Collections
from irframe.experiments.contributing import (
    CONTRIBUTING,
    contributing_systems,
    filed_rank,
    pooling_rank,
)
from irframe.experiments.hits import Hits
from irframe.experiments.joining import locate, place_topics
from irframe.experiments.lists import Lists, count_rows, ends_of_lists, slices_of_lists
from irframe.experiments.policy import Contributing, Policy
from irframe.experiments.rank_table import Ranking, rank_table
from irframe.files.ids import Codes, grouped, rows_of_ranges


@dataclass(frozen=True, eq=False)
class Part:
    """Some lists, and what they hold of the judgments."""

    lists: Codes
    """The number of each list, by system and judged topic."""
    hits: Hits
    """Their hits, by their places in `lists` and by rows of the qrels."""


@dataclass(frozen=True, eq=False)
class Framed:
    """A run frame and judgments, coded alike."""

    table: RunTable
    judgments: QrelsTable
    lists: Lists
    joined: Codes | None = None
    """For every row of the runs its row in the qrels, if that is known."""

    @classmethod
    def of(cls, table: RunTable, judgments: QrelsTable, collection: str | None) -> "Framed":
        """Put runs and judgments beside each other."""
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
        if self.joined is not None:
            return self.joined
        return locate(self.table, self.judgments, self.lists.placed)

    def ranked(
        self, policy: Policy, *, filed: bool = False
    ) -> Iterator[tuple[Part, Codes, Ranking]]:
        """Yield some lists after the other, with their rows and the ranking of these.

        Parameters
        ----------
        policy
            How rankings are decided.
        filed
            Whether it is wanted at which ranks pooling reads hits.
        """
        for rows in self._stretches():
            ranking = rank_table(
                self.table,
                ties=policy.ties,
                score_dtype=policy.score_dtype,
                seed=policy.seed,
                rows=rows,
            )
            yield self._part(rows, ranking, policy, filed=filed), rows, ranking

    def _part(self, rows: Codes, ranking: Ranking, policy: Policy, *, filed: bool) -> Part:
        """Return what ranked lists hold of the judgments."""
        table, order = self.table, ranking.order
        judged = self.judged[rows[order]]
        first, hit = np.flatnonzero(ranking.first), np.flatnonzero(judged >= 0)
        listed = rows[order[first]]
        topic = self.lists.placed[table.topic[listed]]
        lists = table.system[listed].astype(np.int64) * len(self.judgments.topics) + topic
        length = np.diff(first, append=len(rows))
        of = np.repeat(np.arange(len(lists), dtype=np.int32), length)[hit]
        pooled = None
        if filed:
            alike = policy.ties != "rank" and policy.score_dtype == "float64"
            rank = filed_rank(ranking) if alike else pooling_rank(table, rows)
            pooled = rank[order[hit]].astype(np.int32)
        rank = ranking.rank[hit].astype(np.int32)
        return Part(lists, Hits(length, of, rank, judged[hit], ranking.tied, pooled))

    def _stretches(self) -> Iterator[Codes]:
        """Yield the rows of whole lists for judged topics, `coded_tables.ROWS` at a time."""
        table, rows = self.table, cast("Codes | None", None)
        system, topic = table.system, table.topic
        inside = (self.lists.placed >= 0)[topic]
        if not inside.all():
            rows = np.flatnonzero(inside)
            system, topic = system[rows], topic[rows]
        ends, once = ends_of_lists(system, topic)
        if not once:
            order = grouped(system.astype(np.int64) * len(table.topics) + topic)
            ends, _ = ends_of_lists(system[order], topic[order])
            rows = order if rows is None else rows[order]
        for some in slices_of_lists(ends, coded_tables.ROWS):
            yield np.arange(some.start, some.stop) if rows is None else rows[some]

    def contributing(self, given: Contributing) -> tuple[NDArray[np.bool_], bool]:
        """Return which systems made the pool, and whether that is said; as for `irframe.cube`."""
        frame = self.table.frame
        stated = given is not None or CONTRIBUTING in frame.columns
        return contributing_systems(frame, self.table, given), stated


def put_together(parts: Sequence[Part], shape: tuple[int, int]) -> Hits:
    """Return what all lists hold, given some after the other, with their ties if all have them.

    Parameters
    ----------
    parts
        Some lists each.
    shape
        How many systems and judged topics there are.
    """
    length = np.zeros(shape, np.int64)
    lists, hits = [part.lists for part in parts], [part.hits for part in parts]
    for some, each in zip(lists, hits, strict=True):
        length.ravel()[some] = each.length
    of = _joined([some.astype(np.int32)[each.of] for some, each in zip(lists, hits, strict=True)])
    rank, row = _joined([each.rank for each in hits]), _joined([each.row for each in hits])
    filed = [each.filed for each in hits if each.filed is not None]
    pooled = _joined(filed) if filed else rank
    whole = Hits(length, of, rank, row, None, None if np.array_equal(rank, pooled) else pooled)
    ties = [each.tied for each in hits if each.tied is not None]
    if len(ties) < len(hits) or not hits:
        return whole
    size, order = _joined([each.length for each in hits]), np.argsort(_joined(lists))
    rows = rows_of_ranges((np.cumsum(size) - size)[order], size[order])
    return replace(whole, tied=_joined(ties)[rows])


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)
