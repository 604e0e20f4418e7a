"""Runs joined to judgments and ranked, a frame at once or files in turn; what made the pool."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import places
from irframe.errors import InputError, StoreError
from irframe.experiments import coded_tables
from irframe.experiments.coded_tables import QrelsTable, RunTable, read_table
from irframe.experiments.hits import Hits
from irframe.experiments.joining import find_topics, locate, place_topics
from irframe.experiments.lists import Collections, Lists, count_rows, ends_of_lists, slices_of_lists
from irframe.experiments.policy import TIE_POLICIES, Contributing, Policy
from irframe.experiments.rank_table import (
    CONTRIBUTING,
    Ranking,
    contributing_systems,
    filed_rank,
    pooling_rank,
    rank_table,
)
from irframe.experiments.spans import Overlaps, named_by_span
from irframe.experiments.units import lengths_of
from irframe.files.ids import Codes, grouped, refuse_two_units, rows_of_ranges
from irframe.files.read_run import changed_files
from irframe.files.scan_runs import ScannedRuns
from irframe.names import LENGTH


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
        placed, table = place_topics(table, judgments), _of_units(table, judgments)
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
        if self.overlaps is not None:
            return self.overlaps.judged
        return locate(self.table, self.judgments, self.lists.placed)

    @cached_property
    def overlaps(self) -> Overlaps | None:
        """Which evidence every row of the runs holds, where judgments are spans."""
        if self.judgments.spans is None:
            return None
        return Overlaps.of(self.table, self.judgments, self.lists.placed)

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
                ties=policy.order,
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
            alike = policy.order != "rank" and policy.score_dtype == "float64"
            rank = filed_rank(ranking) if alike else pooling_rank(table, rows)
            pooled = rank[order[hit]].astype(np.int32)
        rank = ranking.rank[hit].astype(np.int32)
        along = self._along(rows[order], length, policy)
        return Part(lists, Hits(length, of, rank, judged[hit], ranking.tied, pooled, along))

    def _along(self, rows: Codes, length: Codes, policy: Policy) -> dict[str, NDArray[Any]] | None:
        """Return what is told of the documents of lists, given their rows in order."""
        found = (
            {} if policy.length is None else {LENGTH: lengths_of(self.table, policy.length, rows)}
        )
        if self.overlaps is not None:
            found |= self.overlaps.along(rows, length)
        return found or None

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


def _of_units(table: RunTable, judgments: QrelsTable) -> RunTable:
    """Return runs whose rows are called by what is judged, spans or documents."""
    if judgments.spans is not None:
        return named_by_span(table)
    refuse_two_units(table.frame, table.columns)
    return table


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
    told = [each.along for each in hits if each.along is not None]
    known = told[0].keys() if told else []
    if told and (len(told) < len(hits) or any(each.keys() != known for each in told)):
        raise InputError("lengths in every part, or in none", "some without", "give all length=")
    if not hits or not (told or len(ties) == len(hits)):
        return whole
    size, listed = _joined([each.length for each in hits]), _joined(lists)
    rows: Any = slice(None)
    if (listed[1:] < listed[:-1]).any():
        order = np.argsort(listed)
        rows = rows_of_ranges((np.cumsum(size) - size)[order], size[order])
    along = {name: _joined([each[name] for each in told])[rows] for name in known}
    tied = _joined(ties)[rows] if len(ties) == len(hits) else None
    return replace(whole, tied=tied, along=along or None)


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(arrays) if arrays else np.zeros(0, np.int32)


RANKS = 100
"""How many ranks of every list are named, as many as pools are deep."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Unjudged documents at the first ranks of lists, in no order."""

    of: Codes
    """The list of each document, by system and topic."""
    rank: Codes
    """From 0."""
    doc: pa.ChunkedArray

    def names(self, shape: tuple[int, int], depth: int) -> Array:
        """Return what is called so in lists; objects (system, topic, rank)."""
        found = np.full((*shape, depth), None, object)
        there = np.flatnonzero(self.rank < depth)
        names = self.doc.take(pa.array(there)).to_numpy(zero_copy_only=False)
        found.ravel()[self.of[there].astype(np.int64) * depth + self.rank[there]] = names
        return found

    def onto(self, place: Codes) -> "Listed":
        """Return the same by other numbers of the lists, without those at -1."""
        of = place[self.of]
        there = np.flatnonzero(of >= 0)
        if len(there) == len(of):
            return Listed(of, self.rank, self.doc)
        return Listed(of[there], self.rank[there], self.doc.take(pa.array(there)))


def together(parts: Sequence[Listed | None]) -> Listed | None:
    """Return documents of several sources as one, None where one of them does not know its own."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts) or len({part.doc.type for part in known}) != 1:
        return None
    of, rank = (np.concatenate([getattr(part, name) for part in known]) for name in ("of", "rank"))
    doc = [chunk for part in known for chunk in part.doc.chunks]
    return Listed(of, rank, pa.chunked_array(doc, known[0].doc.type))


def top_documents(framed: Framed, rows: Codes, ranking: Ranking, lists: int = 0) -> Listed:
    """Return the unjudged documents at the top of some lists, by system and topic of the qrels.

    Parameters
    ----------
    framed
        Runs and judgments.
    rows
        The rows of the lists.
    ranking
        The ranking of these.
    lists
        How many lists of other runs come first.
    """
    top = np.flatnonzero(ranking.rank <= RANKS)
    rows, rank = rows[ranking.order[top]], ranking.rank[top].astype(np.int16) - np.int16(1)
    kept = np.flatnonzero(framed.judged[rows] < 0)
    rows = rows[kept]
    topic = framed.lists.placed[framed.table.topic[rows]]
    of = lists + framed.table.system[rows].astype(np.int64) * len(framed.judgments.topics) + topic
    return Listed(of, rank[kept], framed.table.doc.take(pa.array(rows)))


FIRST = 3
"""Rows that are kept, to be shown where no document is judged."""


class Wanted(NamedTuple):
    """What is wanted of ranked runs beside their hits."""

    filed: bool = False
    """At which ranks pooling reads hits."""
    whole: bool = False
    """All ties, and the unjudged documents at the top by name."""


class Ranked(NamedTuple):
    """Runs after they were ranked."""

    runs: Framed
    """Their lists; of the rows of files the first ones alone."""
    hits: Hits
    """What lists hold of the judgments, by topics and rows of the qrels."""
    listing: Listed | None
    """The unjudged documents at the top of lists, likewise."""


def rank_framed(framed: Framed, policy: Policy, wanted: Wanted) -> Ranked:
    """Rank the lists of a frame."""
    shape = len(framed.table.systems), len(framed.judgments.topics)
    return _together(framed, [*_parts(framed, policy, wanted)], shape)


def rank_in_turn(
    runs: ScannedRuns, judgments: QrelsTable, policy: Policy, wanted: Wanted
) -> Ranked | None:
    """Join the runs of files to judgments and rank them, some files at a time.

    Returns
    -------
    Ranked or None
        None where a column of the runs counts: what it says of all has to be seen at once.
    """
    told = policy.collection
    elsewhere = told is not None and told not in judgments.frame.columns
    if elsewhere or isinstance(policy.contributing, str):
        return None
    tables, every = list[RunTable](), list[Lists]()
    parts = list[tuple[Part, Listed | None]]()
    states = runs.states()
    topics, systems, collections = len(judgments.topics), 0, Collections.of_qrels(judgments, told)
    for frame in runs.frames():
        if {CONTRIBUTING, told} & {*frame.columns}:
            return None
        table = _of_units(read_table(frame), judgments)
        labels, placed = (table.systems, table.topics), find_topics(table, judgments)
        lists = Lists(*labels, placed, count_rows(table), collections)
        parts += _parts(Framed(table, judgments, lists), policy, wanted, systems * topics)
        tables.append(table.take(np.arange(min(len(frame), FIRST))))
        every.append(lists)
        systems += len(table.systems)
    changed = changed_files(states)
    if changed:
        kept = "files that stay as they are while they are read"
        raise StoreError(kept, f"{len(changed)} that changed", "read them again", changed)
    table = _labels_of_all(tables)
    placed, lengths = place_topics(table, judgments), _lengths_of_all(table, every)
    lists = Lists(table.systems, table.topics, placed, lengths, collections)
    return _together(Framed(table, judgments, lists), parts, (systems, topics))


def _parts(
    framed: Framed, policy: Policy, wanted: Wanted, before: int = 0
) -> Iterator[tuple[Part, Listed | None]]:
    """Yield some lists after the other, numbered after those of other runs."""
    ties = wanted.whole or TIE_POLICIES[policy.ties].shares
    for part, rows, ranking in framed.ranked(policy, filed=wanted.filed):
        hits = part.hits if ties else replace(part.hits, tied=None)
        listed = top_documents(framed, rows, ranking, before) if wanted.whole else None
        yield Part(before + part.lists, hits), listed


def _together(
    framed: Framed, parts: Sequence[tuple[Part, Listed | None]], shape: tuple[int, int]
) -> Ranked:
    hits, listing = put_together([part for part, _ in parts], shape), [each for _, each in parts]
    return Ranked(framed, hits, together(listing))


def _labels_of_all(tables: Sequence[RunTable]) -> RunTable:
    """Return the first table with the systems and topics of all of them."""
    first, *others = tables
    return replace(
        first,
        systems=first.systems.append([table.systems for table in others]),
        topics=first.topics.append([table.topics for table in others]).unique(),
    )


def _lengths_of_all(table: RunTable, every: Sequence[Lists]) -> Codes:
    """Return the length of every list, given the lists of some systems after the other."""
    lengths, start = np.zeros((len(table.systems), len(table.topics)), np.int64), 0
    for lists in every:
        rows = slice(start, start + len(lists.systems))
        lengths[rows, table.topics.get_indexer(lists.topics)] = lists.lengths
        start = rows.stop
    return lengths
