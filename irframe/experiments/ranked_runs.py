"""Ranking of runs, and their join to judgments."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from operator import is_
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import positions_of, refuse_any
from irframe.errors import InputError, ParameterError, StoreError
from irframe.experiments import coded_tables, joining, rank_table
from irframe.experiments.coded_tables import QrelsTable, RunTable, lengths_of, read_table
from irframe.experiments.hits import RANKS, Hits, JoinedUnjudged, TopUnjudged
from irframe.experiments.lists import (
    Collections,
    Lists,
    count_rows,
    refuse_falling,
    rising_systems,
    slices_of_lists,
)
from irframe.experiments.policy import TIE_POLICIES, Policy, in_precision, shares_ranks
from irframe.files.as_runs import Runs, by_role
from irframe.files.read_runs import State, changed_files
from irframe.files.scan_runs import ScannedRuns
from irframe.files.traces import holds_searches
from irframe.frames.ids import Codes, give_back, grouped, of_ranges
from irframe.frames.kinds import RUN, ByRole, refuse_two_units
from irframe.frames.likeness import LIKE_SEARCHES
from irframe.names import LENGTH, SCORE, SEARCH, SYSTEM, TOPIC


class ListHits(NamedTuple):
    """A block of lists and their hits."""

    lists: Codes
    """The number of each list, counted by system and judged topic."""
    hits: Hits
    """The hits. Their list numbers are positions in `lists`, and their judgments are rows of the
    qrels."""
    direction: NDArray[np.int8] | None = None
    """The direction of each list's scores along its ranks, as in `rank_directions`.

    None if scores or ranks are missing.
    """


@dataclass(frozen=True, eq=False)
class Framed:
    """A run frame and judgments with matched topics."""

    table: RunTable
    judgments: QrelsTable
    lists: Lists

    @classmethod
    def of(cls, table: RunTable, judgments: QrelsTable, collection: str | None) -> "Framed":
        """Find the judgments of each run topic; read the collections."""
        placed = joining.place_topics(table, judgments)
        table = _of_units(table, judgments)
        collections = Collections.read(judgments, collection, (table, placed))
        lists = Lists(table.systems, table.topics, placed, count_rows(table), collections)
        return cls(table, judgments, lists)

    def of_systems(self, systems: Sequence[Hashable]) -> "Framed":
        """Empty the lists of all systems that are not given."""
        chosen = positions_of("systems of the compared runs", systems, list(self.table.systems))
        inside = np.isin(self.table.system, chosen)
        if inside.all():
            return self
        return replace(self, table=self.table.take(np.flatnonzero(inside)))

    @cached_property
    def overlaps(self) -> joining.Overlaps | None:
        """The evidence in each row; None without judged spans."""
        if self.judgments.spans is None:
            return None
        return joining.Overlaps.of(self.table, self.judgments, self.lists.placed)

    def ranked(
        self, policy: Policy, extras: "Extras", before: int = 0
    ) -> Iterator[tuple[ListHits, TopUnjudged | None]]:
        """Yield blocks of ranked lists with their top unjudged documents.

        Parameters
        ----------
        policy
            The options that decide rankings.
        extras
            The values to compute in addition to hits.
        before
            The number of lists in files that were read earlier. The lists of this frame are
            numbered from this number upwards.
        """
        if self.overlaps is None:
            judged = joining.locate(self.table, self.judgments, self.lists.placed)
        else:
            judged = self.overlaps.judged
        refuse_falling(self.table, TIE_POLICIES[policy.order])
        for rows in self._blocks():
            ranking = rank_table.rank_table(self.table, policy, rows)
            row = judged[rows[ranking.order]]
            ranked = self._hits(rows, row, ranking, policy, filed=extras.filed)
            unjudged = self._top_unjudged(rows, row, ranking, before) if extras.all_ties else None
            yield ranked._replace(lists=before + ranked.lists), unjudged

    def _top_unjudged(
        self, rows: Codes, row: Codes, ranking: rank_table.Ranking, before: int
    ) -> TopUnjudged:
        """Return the unjudged documents on the first ranks of lists.

        Parameters
        ----------
        rows
            The rows of the lists.
        row
            The judgment of each ranked document, or -1.
        ranking
            The ranking of `rows`.
        before
            As in `ranked`.
        """
        at_top = np.flatnonzero((ranking.rank <= RANKS) & (row < 0))
        rows = rows[ranking.order[at_top]]
        of = (before + self._lists_of(rows)).astype(np.int32)
        rank = ranking.rank[at_top] - 1
        return TopUnjudged.named(of, rank, self.table.doc.take(pa.array(rows)))

    def _lists_of(self, rows: Codes) -> Codes:
        """Return the list number of each row."""
        topic = self.lists.placed[self.table.topic[rows]]
        return self.table.system[rows].astype(np.int64) * len(self.judgments.topics) + topic

    def _hits(
        self, rows: Codes, row: Codes, ranking: rank_table.Ranking, policy: Policy, *, filed: bool
    ) -> ListHits:
        """Return the hits of ranked lists.

        The parameters are described in `ranked` and `_top_unjudged`.
        """
        ordered = rows[ranking.order]
        first = np.flatnonzero(ranking.rank == 1)
        length = np.diff(first, append=len(rows))
        hit = np.flatnonzero(row >= 0)
        of = np.repeat(np.arange(len(first), dtype=np.int32), length)[hit]
        rank = ranking.rank[hit].astype(np.int32)
        pooled = None
        if filed:
            # Pools are formed by float64 scores, so other scores or ranks need a second ranking.
            is_pooling_order = policy.order != "rank" and policy.score_dtype == "float64"
            by_score = ranking if is_pooling_order else rank_table.pooling(self.table, rows)
            pooled = rank_table.filed_rank(by_score)[ranking.order[hit]].astype(np.int32)
            if np.array_equal(pooled, rank):
                # Pooling ranks usually equal ranks, and sharing one array saves memory.
                pooled = rank
        along = self._along(ordered, length, policy) or None
        hits = Hits(length, of, rank, row[hit], ranking.tied, pooled, along)
        return ListHits(self._lists_of(ordered[first]), hits, ranking.direction)

    def _along(self, rows: Codes, length: Codes, policy: Policy) -> dict[str, Array]:
        """Return values per retrieved document, such as lengths or scores."""
        along: dict[str, Array] = {}
        if policy.length is not None:
            along[LENGTH] = lengths_of(self.table, policy.length, rows)
        if policy.score is not None:
            if self.table.kept_score is None:
                raise InputError("scores of the retrieved documents", "ranks without scores")
            along[SCORE] = in_precision(self.table.kept_score[rows], policy.score_dtype)
        if policy.search is not None:
            along[SEARCH] = self.table.frame[policy.search].to_numpy()[rows]
        return along if self.overlaps is None else along | self.overlaps.along(rows, length)

    def _blocks(self) -> Iterator[Codes]:
        """Yield rows of judged topics in blocks of complete lists."""
        rows: Codes | None = None
        table = self.table
        inside = (self.lists.placed >= 0)[table.topic]
        if not inside.all():
            rows = np.flatnonzero(inside)
            table = replace(table, system=table.system[rows], topic=table.topic[rows])
        ends, contiguous = table.ends
        if not contiguous:
            order = grouped(table.group)
            table = replace(table, system=table.system[order], topic=table.topic[order])
            ends, _ = table.ends
            rows = order if rows is None else rows[order]
        for block in slices_of_lists(ends, coded_tables.ROWS):
            yield np.arange(block.start, block.stop) if rows is None else rows[block]


def _of_units(table: RunTable, judgments: QrelsTable) -> RunTable:
    """Return runs whose ids name the judged units.

    The units are documents, or spans of documents.
    """
    if judgments.spans is not None:
        return joining.named_by_span(table)
    refuse_two_units(table.frame, table.columns, judgments.doc.to_pylist)
    return table


class Gathered:
    """A collector that concatenates blocks of ranked lists."""

    def __init__(self, blocks: Iterable[ListHits] = ()) -> None:
        self._fields: dict[str, list[Any]] = defaultdict(list)
        for block in blocks:
            self.add(block)

    def add(self, block: ListHits) -> None:
        """Add a block of lists."""
        hits = block.hits.by_list()
        fields: dict[str, Any] = {"lists": block.lists, "count": np.diff(hits.start)}
        fields["filed"] = hits.pool_rank
        fields |= {name: getattr(hits, name) for name in ("length", "rank", "row", "along")}
        # Ties of all retrieved documents are kept, so they are packed to one bit per document.
        fields["tied"] = None if hits.tied is None else (np.packbits(hits.tied), len(hits.tied))
        if block.direction is not None:
            fields |= {"ranked": block.lists, "direction": block.direction}
        for name, values in fields.items():
            self._fields[name].append(values)

    def contrary_systems(self, table: RunTable, topics: int) -> list[str]:
        """Describe the systems whose scores rise along their ranks.

        The parameter `topics` is the number of judged topics.
        """
        if not (direction := self._fields.pop("direction", [])):
            return []
        system = np.concatenate(self._fields.pop("ranked")) // topics
        return rising_systems(table, system, np.concatenate(direction))

    def hits(self, shape: tuple[int, int]) -> Hits:
        """Return the hits of all lists and clear the collector.

        The parameter `shape` contains the numbers of systems and of judged topics.
        """
        # Each field is removed before it is concatenated, so that its blocks are freed early.
        fields = self._fields
        heads = (_in_one(fields.pop(name, []), np.int64) for name in ("lists", "length", "count"))
        lists, size, count = heads
        length = np.zeros(shape, np.int64)
        length.ravel()[lists] = size
        sort: Callable[[Array], Array] = np.asarray
        if (lists[1:] < lists[:-1]).any():
            order = np.argsort(lists)
            sort = partial(of_ranges, start=(np.cumsum(size) - size)[order], length=size[order])
        tied, filed, along = (fields.pop(name, []) for name in ("tied", "filed", "along"))
        as_ranked = all(map(is_, filed, fields["rank"]))
        rank, row = (_in_one(fields.pop(name, []), np.int32) for name in ("rank", "row"))
        pooled = rank if as_ranked else _in_one(filed, np.int32)
        of = np.repeat(lists.astype(np.int32), count)
        all_ties = sort(_unpacked(tied)) if tied and None not in tied else None
        pool_rank = None if np.array_equal(pooled, rank) else pooled
        return Hits(length, of, rank, row, all_ties, pool_rank, _joined_along(along, sort))


def _in_one(arrays: Sequence[Codes], dtype: type[np.integer[Any]]) -> Codes:
    """Return concatenated arrays; an empty array if there are none."""
    return np.concatenate(arrays, dtype=dtype) if arrays else np.zeros(0, dtype)


def _unpacked(blocks: Sequence[tuple[NDArray[np.uint8], int]]) -> NDArray[np.bool_]:
    """Return concatenated boolean arrays from packed bits and sizes."""
    # Ties are rare, and memory pages of zeros are not allocated until a value is written, so only
    # true values are written.
    bits = np.zeros(sum(size for _, size in blocks), bool)
    start = 0
    for packed, size in blocks:
        bits[start + np.flatnonzero(np.unpackbits(packed, count=size))] = True
        start += size
    return bits


def _joined_along(
    blocks: Sequence[Mapping[str, Array] | None], sort: Callable[[Array], Array]
) -> dict[str, Array] | None:
    """Concatenate values per document; raise if a block lacks values.

    Parameters
    ----------
    blocks
        For each block, a mapping from names to values.
    sort
        A function that sorts concatenated values by list.
    """
    names = {frozenset(block or ()) for block in blocks}
    if len(names) > 1:
        uneven = sorted(frozenset().union(*names).difference(*names))
        expected = f"cubes that all have {' and '.join(uneven)} of documents, or all have none"
        got = "some cubes without"
        raise InputError(expected, got, "build all cubes with the same units", uneven)
    joined = {
        name: sort(np.concatenate([block[name] for block in blocks if block]))
        for name in sorted(frozenset().union(*names))
    }
    return joined or None


FIRST = 3
"""The number of rows of each file that are kept as examples for messages."""


class Extras(NamedTuple):
    """The values that ranking computes in addition to hits."""

    filed: bool = False
    """Whether to compute the pooling ranks of hits."""
    all_ties: bool = False
    """Whether to keep ties and the names of unjudged documents at the first ranks."""


class Ranked(NamedTuple):
    """Ranked runs that are joined to judgments."""

    runs: Framed
    """The runs and judgments. If the runs are files, only the first rows of each file are kept."""
    hits: Hits
    """The judged documents in the lists, with topics and rows as in the qrels."""
    listing: TopUnjudged | None
    """The unjudged documents on the first ranks, with topics as in the qrels; None if dropped."""
    contrary: list[str]
    """Descriptions of systems with scores that rise along ranks, for a warning."""


def rank_framed(framed: Framed, policy: Policy, extras: Extras) -> Ranked:
    """Rank the lists of a frame."""
    shape = len(framed.table.systems), len(framed.judgments.topics)
    gathered = Gathered()
    blocks = [*_gather(gathered, framed, policy, extras)]
    listing = JoinedUnjudged(blocks).joined() if extras.all_ties else None
    rising = gathered.contrary_systems(framed.table, shape[1])
    return Ranked(framed, gathered.hits(shape), listing, rising)


def rank_scanned(
    runs: ScannedRuns, judgments: QrelsTable, policy: Policy, extras: Extras
) -> Ranked | None:
    """Join and rank runs, a few files at a time.

    Returns
    -------
    Ranked or None
        The ranked runs. None if an option needs a complete column of all runs.
    """
    collection = policy.collection
    if isinstance(policy.contributing, str) or collection not in {None, *judgments.frame}:
        return None
    tables: list[RunTable] = []
    lengths_of_files: list[pd.DataFrame] = []
    listing = JoinedUnjudged()
    gathered = Gathered()
    states = runs.states()
    topics = len(judgments.topics)
    collections = Collections.read(judgments, collection)
    systems = 0
    for frame in runs.frames():
        refuse_unread_searches(frame)
        if {rank_table.CONTRIBUTING, collection} & {*frame.columns}:
            return None
        table = _of_units(read_table(frame), judgments)
        placed = joining.find_topics(table, judgments)
        lists = Lists(table.systems, table.topics, placed, count_rows(table), collections)
        framed = Framed(table, judgments, lists)
        for unjudged in _gather(gathered, framed, policy, extras, systems * topics):
            listing.add(unjudged)
        # Messages need a few rows of each file and the names of its columns.
        tables.append(table.take(np.arange(min(len(frame), FIRST))))
        lengths_of_files.append(pd.DataFrame(lists.lengths, columns=table.topics))
        systems += len(table.systems)
        size = int(frame.memory_usage().sum())
        # The reference to the frame is deleted to free memory before the next files are read.
        del frame, table, framed
        give_back(size)
    _refuse_changed(states)
    first, *further = tables
    names = first.systems.append([table.systems for table in further])
    ids = first.topics.append([table.topics for table in further]).unique()
    table = replace(first, systems=names, topics=ids)
    lengths = pd.concat(lengths_of_files).reindex(columns=table.topics).fillna(0)
    placed = joining.place_topics(table, judgments)
    counts = lengths.to_numpy(np.int64)
    lists = Lists(table.systems, table.topics, placed, counts, collections)
    rising = gathered.contrary_systems(table, topics)
    hits = gathered.hits((systems, topics))
    return Ranked(Framed(table, judgments, lists), hits, listing.joined(), rising)


def refuse_unread_searches(runs: Runs) -> None:
    """Raise if a column probably numbers searches."""
    if not _like_searches(_columns_in(runs)):
        return
    named = by_role(runs, RUN)
    for name in _like_searches(named.frame.columns.difference([*named.columns.values()])):
        column = named.frame[name]
        # Readers of files return numbers in additional columns as strings.
        is_numeric = pd.api.types.is_numeric_dtype(column)
        is_number = is_numeric or column.astype(str).str.fullmatch("[0-9]+").all()
        if is_number and list_differs(named, name):
            got = f"no search=, although {name!r} varies within lists"
            advice = f"pass search={name!r} to read the searches in order, or drop the column to "
            advice += f"read one list per topic: frame.drop(columns={name!r})"
            expected = "search to be the name of the column that numbers searches"
            raise ParameterError(expected, got, advice)


def _like_searches(names: Iterable[object]) -> list[str]:
    """Return the names of columns that usually number searches."""
    return [name for name in names if isinstance(name, str) and name.lower() in LIKE_SEARCHES]


def _columns_in(runs: Runs) -> Iterable[object]:
    """Return the names of columns of runs in any format."""
    if isinstance(runs, list) and runs:
        return _columns_in(runs[0])
    if isinstance(runs, Mapping):
        searched = any(map(holds_searches, (runs, *runs.values())))
        systems = [x for x in runs.values() if isinstance(x, pd.DataFrame)]
        return chain(runs, [SEARCH] * searched, *map(_columns_in, systems))
    if isinstance(runs, pd.DataFrame):
        return [*runs.columns, *runs.index.names]
    # A stream can be read only once, so its rows are not read here.
    names = getattr(runs, "column_names", getattr(runs, "columns", ()))
    return chain(names, getattr(runs, "_fields", ()))


def list_differs(runs: ByRole, name: str) -> bool:
    """Return whether a column varies within any list."""
    lists = [runs.columns[role] for role in (SYSTEM, TOPIC) if role in runs.columns]
    return bool(runs.frame.groupby(lists, observed=True)[name].nunique().max() > 1)


def _refuse_changed(states: Iterable[State]) -> None:
    """Raise if files changed since their states were recorded."""
    expected = "files that do not change while they are read"
    changed = changed_files(states)
    refuse_any(StoreError, changed, expected, "{} changed files", "read the files again")


def _gather(
    gathered: Gathered, framed: Framed, policy: Policy, extras: Extras, before: int = 0
) -> Iterator[TopUnjudged | None]:
    """Add the lists of a frame to a collector.

    Yields
    ------
    TopUnjudged or None
        The unjudged documents on the first ranks of each block of lists.
    """
    # Only cubes, and scores of lists with shared ranks, depend on which documents are tied.
    ties = extras.all_ties or shares_ranks(policy.ties)
    for ranked, unjudged in framed.ranked(policy, extras, before):
        hits = ranked.hits if ties else replace(ranked.hits, tied=None)
        gathered.add(ranked._replace(hits=hits))
        yield unjudged
