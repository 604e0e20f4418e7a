"""Runs joined to judgments and ranked, from frames or files."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from operator import is_
from typing import Any, NamedTuple, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import places
from irframe.errors import InputError, ParameterError, StoreError
from irframe.experiments import coded_tables, joining, rank_table
from irframe.experiments.coded_tables import QrelsTable, RunTable, lengths_of, read_table
from irframe.experiments.hits import Hits
from irframe.experiments.lists import (
    Collections,
    Lists,
    count_rows,
    ends_of_lists,
    refuse_falling,
    rising_systems,
    slices_of_lists,
)
from irframe.experiments.policy import TIE_POLICIES, Policy, in_precision, shares_ranks
from irframe.files.as_runs import by_role
from irframe.files.ids import Codes, give_back, grouped, of_ranges
from irframe.files.kinds import RUN, ByRole, refuse_two_units
from irframe.files.likeness import LIKE_SEARCHES
from irframe.files.read_runs import changed_files
from irframe.files.scan_runs import ScannedRuns
from irframe.files.traces import holds_searches
from irframe.names import LENGTH, SCORE, SEARCH, SYSTEM, TOPIC


class ListHits(NamedTuple):
    """Some lists, and what they hold of the judgments."""

    lists: Codes
    """The number of each list, by system and judged topic."""
    hits: Hits
    """Their hits, by their places in `lists` and by rows of the qrels."""
    direction: NDArray[np.int8] | None = None
    """Whether scores rise or fall along the ranks of each list; None without both columns."""


@dataclass(frozen=True, eq=False)
class Framed:
    """A run frame and judgments, coded alike."""

    table: RunTable
    judgments: QrelsTable
    lists: Lists

    @classmethod
    def of(cls, table: RunTable, judgments: QrelsTable, collection: str | None) -> "Framed":
        """Match the topics and collections of runs and judgments."""
        placed, table = joining.place_topics(table, judgments), _of_units(table, judgments)
        collections = Collections.read(judgments, collection, (table, placed))
        labels, lengths = (table.systems, table.topics), count_rows(table)
        return cls(table, judgments, Lists(*labels, placed, lengths, collections))

    def of_systems(self, systems: Sequence[Hashable]) -> "Framed":
        """Return the rows of some systems; others become empty."""
        expected = places("systems of the runs compared", systems, list(self.table.systems))
        inside = np.isin(self.table.system, expected)
        if inside.all():
            return self
        return replace(self, table=self.table.take(np.flatnonzero(inside)))

    @cached_property
    def overlaps(self) -> joining.Overlaps | None:
        """The evidence in each row, if judgments are spans."""
        if self.judgments.spans is None:
            return None
        return joining.Overlaps.of(self.table, self.judgments, self.lists.placed)

    def ranked(
        self, policy: Policy, expected: "Extras", before: int = 0
    ) -> Iterator[tuple[ListHits, "TopUnjudged | None"]]:
        """Yield ranked lists with their top unjudged documents.

        Parameters
        ----------
        policy
            The rules that decide rankings.
        expected
            Further results to compute.
        before
            The number of lists of earlier runs.
        """
        if self.overlaps is None:
            judged = joining.locate(self.table, self.judgments, self.lists.placed)
        else:
            judged = self.overlaps.judged
        refuse_falling(self.table, TIE_POLICIES[policy.order])
        for rows in self._stretches():
            ranking = rank_table.rank_table(self.table, policy, rows)
            row = judged[rows[ranking.order]]
            part = self._part(rows, row, ranking, policy, filed=expected.filed)
            listed = self._top_unjudged(rows, row, ranking, before) if expected.all_ties else None
            yield part._replace(lists=before + part.lists), listed

    def _top_unjudged(
        self, rows: Codes, row: Codes, ranking: rank_table.Ranking, before: int
    ) -> "TopUnjudged":
        """Return the top unjudged documents of lists."""
        kept = np.flatnonzero((ranking.rank <= RANKS) & (row < 0))
        rows, rank = rows[ranking.order[kept]], ranking.rank[kept].astype(np.int16) - np.int16(1)
        of = (before + self._lists_of(rows)).astype(np.int32)
        return TopUnjudged(of, rank, self.table.doc.take(pa.array(rows)))

    def _lists_of(self, rows: Codes) -> Codes:
        """Return the list number of each row."""
        topic = self.lists.placed[self.table.topic[rows]]
        return self.table.system[rows].astype(np.int64) * len(self.judgments.topics) + topic

    def _part(
        self, rows: Codes, row: Codes, ranking: rank_table.Ranking, policy: Policy, *, filed: bool
    ) -> ListHits:
        """Return the hits of ranked lists."""
        table, order = self.table, ranking.order
        first, hit = np.flatnonzero(ranking.rank == 1), np.flatnonzero(row >= 0)
        lists = self._lists_of(rows[order[first]])
        length = np.diff(first, append=len(rows))
        of = np.repeat(np.arange(len(lists), dtype=np.int32), length)[hit]
        pooled = None
        if filed:
            alike = policy.order != "rank" and policy.score_dtype == "float64"
            ranks = (
                rank_table.filed_rank(ranking) if alike else rank_table.pooling_rank(table, rows)
            )
            pooled = ranks[order[hit]].astype(np.int32)
        rank = ranking.rank[hit].astype(np.int32)
        if pooled is not None and np.array_equal(pooled, rank):
            pooled = rank  # one array in memory, because most are equal
        along: dict[str, Array] = {}
        if policy.length is not None:
            along[LENGTH] = lengths_of(table, policy.length, rows[order])
        if policy.score is not None:
            if table.kept_score is None:
                raise InputError("scores of what was retrieved", "ranks alone")
            along[SCORE] = in_precision(table.kept_score[rows[order]], policy.score_dtype)
        if policy.search is not None:
            along[SEARCH] = table.frame[policy.search].to_numpy()[rows[order]]
        if self.overlaps is not None:
            along |= self.overlaps.along(rows[order], length)
        hits = Hits(length, of, rank, row[hit], ranking.tied, pooled, along or None)
        return ListHits(lists, hits, ranking.direction)

    def _stretches(self) -> Iterator[Codes]:
        """Yield the rows of complete lists in blocks."""
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
        for stretch in slices_of_lists(ends, coded_tables.ROWS):
            yield np.arange(stretch.start, stretch.stop) if rows is None else rows[stretch]


def _of_units(table: RunTable, judgments: QrelsTable) -> RunTable:
    """Return runs whose documents are what is judged."""
    if judgments.spans is not None:
        return joining.named_by_span(table)
    refuse_two_units(table.frame, table.columns, judgments.doc.to_pylist)
    return table


class Gathered:
    """The fields of many lists, concatenated."""

    def __init__(self, parts: Iterable[ListHits] = ()) -> None:
        self._fields: dict[str, list[Any]] = defaultdict(list)
        for part in parts:
            self.add(part)

    def add(self, part: ListHits) -> None:
        """Add some lists."""
        hits = part.hits.by_list()
        fields: dict[str, Any] = {"lists": part.lists, "count": np.diff(hits.start)}
        fields |= {name: getattr(hits, name) for name in ("length", "rank", "row", "tied", "along")}
        fields["filed"] = hits.pool_rank
        if part.direction is not None:
            fields |= {"ranked": part.lists, "direction": part.direction}
        for name, values in fields.items():
            self._fields[name].append(values)

    def contrary_systems(self, table: RunTable, topics: int) -> list[str]:
        """Return the systems whose scores contradict ranks.

        See `rising_systems`; `topics` is the number of judged topics.
        """
        if not (direction := self._fields.pop("direction", [])):
            return []
        system = np.concatenate(self._fields.pop("ranked")) // topics
        return rising_systems(table, system, np.concatenate(direction))

    def hits(self, shape: tuple[int, int]) -> Hits:
        """Return the concatenated hits.

        `shape` is the number of systems and of judged topics.
        """
        fields, length = self._fields, np.zeros(shape, np.int64)
        heads = (_in_one(fields.pop(name, []), np.int64) for name in ("lists", "length", "count"))
        lists, size, count = heads
        length.ravel()[lists] = size
        put: Callable[[Array], Array] = np.asarray
        if (lists[1:] < lists[:-1]).any():
            order = np.argsort(lists)
            put = partial(of_ranges, start=(np.cumsum(size) - size)[order], length=size[order])
        tied, filed = fields.pop("tied", []), fields.pop("filed", [])
        as_ranked = all(map(is_, filed, fields["rank"]))
        rank, row = (_in_one(fields.pop(name, []), np.int32) for name in ("rank", "row"))
        pooled = rank if as_ranked else _in_one(filed, np.int32)
        of = np.repeat(lists.astype(np.int32), count)
        shared = put(np.concatenate(tied)) if tied and all(t is not None for t in tied) else None
        pool_ranks, along = (
            None if np.array_equal(pooled, rank) else pooled,
            fields.pop("along", []),
        )
        return Hits(length, of, rank, row, shared, pool_ranks, _joined_lengths(along, put))


def _in_one(arrays: Sequence[Codes], dtype: Any) -> Codes:
    return np.concatenate(arrays, dtype=dtype) if arrays else np.zeros(0, dtype)


def _joined_lengths(
    parts: Sequence[Mapping[str, NDArray[Any]] | None], put: Callable[[Array], Array]
) -> dict[str, NDArray[Any]] | None:
    """Concatenate per-document values; all groups must have them."""
    known = {frozenset(part or ()) for part in parts}
    if len(known) > 1:
        uneven = sorted(frozenset().union(*known).difference(*known))
        expected = f"{' and '.join(uneven)} of documents in every part, or in none"
        raise InputError(expected, "some without", "make all of them alike")
    names = sorted(frozenset().union(*known))
    return {
        name: put(np.concatenate([part[name] for part in parts if part])) for name in names
    } or None


RANKS = 100
"""The ranks of every list whose unjudged documents are kept by name; pools are rarely deeper."""


@dataclass(frozen=True, eq=False)
class TopUnjudged:
    """Unjudged documents at the top of lists, unordered."""

    of: Codes
    """The list of each document, by system and topic."""
    rank: Codes
    """From 0."""
    doc: pa.ChunkedArray

    def load(self) -> "TopUnjudged":
        """Return the documents in memory, where these are."""
        return self

    def names(self, shape: tuple[int, int], depth: int) -> Array:
        """Return document names by rank, shape (system, topic, rank)."""
        names_by_rank = np.full((*shape, depth), None, object)
        shallow = np.flatnonzero(self.rank < depth)
        names = self.take(shallow).doc.to_numpy(zero_copy_only=False)
        names_by_rank.ravel()[self.of[shallow].astype(np.int64) * depth + self.rank[shallow]] = (
            names
        )
        return names_by_rank

    def onto(self, place: Codes) -> "TopUnjudged":
        """Return the documents under other list numbers."""
        if np.array_equal(place, np.arange(len(place))):
            return self
        inside = (place >= 0)[self.of]
        kept = self if inside.all() else self.take(np.flatnonzero(inside))
        return replace(kept, of=place.astype(np.int32)[kept.of])

    def take(self, rows: Codes) -> "TopUnjudged":
        """Return some of the documents, in their order."""
        ends = np.cumsum([0, *map(len, self.doc.chunks)])
        parts = zip(self.doc.chunks, ends[:-1], pairwise(np.searchsorted(rows, ends)), strict=True)
        # Chunk by chunk, because Arrow would concatenate all chunks before it takes rows.
        doc = [chunk.take(pa.array(rows[slice(*some)] - start)) for chunk, start, some in parts]
        named = pa.chunked_array(doc, self.doc.type)
        return TopUnjudged(self.of[rows], self.rank[rows], named)


def concat_unjudged(parts: Sequence[TopUnjudged | None]) -> TopUnjudged | None:
    """Concatenate documents; None if a source lacks them."""
    known = [part.load() for part in parts if part is not None]
    if len(known) < len(parts) or len({part.doc.type for part in known}) != 1:
        return None
    of, rank = (np.concatenate([getattr(part, name) for part in known]) for name in ("of", "rank"))
    doc = [chunk for part in known for chunk in part.doc.chunks]
    return TopUnjudged(of, rank, pa.chunked_array(doc, known[0].doc.type))


FIRST = 3
"""Rows kept per file, for the warning that no document is judged."""


class Extras(NamedTuple):
    """Further results of ranking, beside hits."""

    filed: bool = False
    """Whether to compute the pooling rank of hits."""
    all_ties: bool = False
    """Whether to keep ties, and the names of unjudged documents at the top."""


class Ranked(NamedTuple):
    """Ranked runs."""

    runs: Framed
    """The lists; only the first rows of scanned files."""
    hits: Hits
    """The judged documents in the lists, by topics and rows of the qrels."""
    listing: TopUnjudged | None
    """The unjudged documents at the top of lists, by topics of the qrels."""
    contrary: list[str]
    """Systems whose scores rise along their ranks, for a warning."""


def rank_framed(framed: Framed, policy: Policy, expected: Extras) -> Ranked:
    """Rank the lists of a frame."""
    shape, gathered = (len(framed.table.systems), len(framed.judgments.topics)), Gathered()
    listing = [*_gather(gathered, framed, policy, expected)]
    rising = gathered.contrary_systems(framed.table, shape[1])
    return Ranked(framed, gathered.hits(shape), concat_unjudged(listing), rising)


def rank_scanned(
    runs: ScannedRuns, judgments: QrelsTable, policy: Policy, expected: Extras
) -> Ranked | None:
    """Join and rank the runs of files, in batches.

    Returns
    -------
    Ranked or None
        None if a column of the runs is needed, because its values must be read together.
    """
    collection = policy.collection
    elsewhere = collection is not None and collection not in judgments.frame.columns
    if elsewhere or isinstance(policy.contributing, str):
        return None
    tables, every = list[RunTable](), list[pd.DataFrame]()
    gathered, listing = Gathered(), list[TopUnjudged | None]()
    states = runs.states()
    topics, systems, collections = len(judgments.topics), 0, Collections.read(judgments, collection)
    for frame in runs.frames():
        refuse_unread_searches(frame)
        if {rank_table.CONTRIBUTING, collection} & {*frame.columns}:
            return None
        table = _of_units(read_table(frame), judgments)
        labels, placed = (table.systems, table.topics), joining.find_topics(table, judgments)
        lists = Lists(*labels, placed, count_rows(table), collections)
        framed = Framed(table, judgments, lists)
        listing += _gather(gathered, framed, policy, expected, systems * topics)
        # A few rows of each file are kept, for messages and column names.
        tables.append(table.take(np.arange(min(len(frame), FIRST))))
        every.append(pd.DataFrame(lists.lengths, columns=table.topics))
        systems += len(table.systems)
        size = int(frame.memory_usage().sum())
        del frame, table, framed  # to free memory before the next files are read
        give_back(size)
    changed = changed_files(states)
    if changed:
        kept = "files that do not change while they are read"
        raise StoreError(kept, f"{len(changed)} that changed", "read them again", changed)
    first, *others = tables
    names = first.topics.append([table.topics for table in others]).unique()
    runs_of = first.systems.append([table.systems for table in others])
    table = replace(first, systems=runs_of, topics=names)
    lengths = pd.concat(every).reindex(columns=names).fillna(0).to_numpy(np.int64)
    placed = joining.place_topics(table, judgments)
    rising = gathered.contrary_systems(table, topics)
    framed = Framed(table, judgments, Lists(runs_of, names, placed, lengths, collections))
    return Ranked(framed, gathered.hits((systems, topics)), concat_unjudged(listing), rising)


def refuse_unread_searches(runs: Any) -> None:
    """Raise if a column may number searches that nothing names."""
    if not any(map(_like_searches, _columns_in(runs))):
        return
    named = by_role(runs, RUN)
    for name in filter(_like_searches, named.frame.columns.difference([*named.columns.values()])):
        column = named.frame[name]  # of numbers, or of text that says some, as files have them
        plain = pd.api.types.is_numeric_dtype(column)
        is_number = plain or column.astype(str).str.fullmatch("[0-9]+").all()
        if is_number and list_differs(named, name):
            found = f"nothing of {name!r}, which differs within lists"
            advice = f"search={name!r} reads one after the other; else frame.drop(columns={name!r})"
            raise ParameterError("search=, the column that numbers searches", found, advice)


def _like_searches(name: Any) -> bool:
    return isinstance(name, str) and name.lower() in LIKE_SEARCHES


def _columns_in(runs: Any) -> Iterable[Any]:
    """Return names that may be of columns."""
    if isinstance(runs, list) and runs:
        return _columns_in(runs[0])
    if isinstance(runs, Mapping):
        searched = any(map(holds_searches, (runs, *runs.values())))
        systems = [x for x in runs.values() if isinstance(x, pd.DataFrame)]
        return chain(runs, [SEARCH] * searched, *map(_columns_in, systems))
    if isinstance(runs, pd.DataFrame):
        return [*runs.columns, *runs.index.names]
    names = getattr(runs, "column_names", getattr(runs, "columns", ()))  # streams are read once
    return chain(names, getattr(runs, "_fields", ()))


def list_differs(runs: ByRole, name: Any) -> bool:
    """Tell whether rows of one list differ in a column."""
    lists = [runs.columns[role] for role in (SYSTEM, TOPIC) if role in runs.columns]
    return bool(runs.frame.groupby(lists, observed=True)[name].nunique().max() > 1)


def _gather(
    gathered: Gathered, framed: Framed, policy: Policy, expected: Extras, before: int = 0
) -> Iterator[TopUnjudged | None]:
    """Add the lists of a frame; yield top unjudged documents."""
    # Only cubes and scores by shared ranks need to know which ranks are tied.
    ties = expected.all_ties or shares_ranks(policy.ties)
    for part, listed in framed.ranked(policy, expected, before):
        hits = part.hits if ties else replace(part.hits, tied=None)
        gathered.add(part._replace(hits=hits))
        yield listed
