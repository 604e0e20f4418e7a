"""Judged and unjudged documents in ranked lists, and pools."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array, Grade
from irframe.checks import memory, refuse_any, room
from irframe.errors import DepthError, ParameterError
from irframe.experiments.choices import PoolDepth
from irframe.experiments.coded_tables import counted, row_slices
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections
from irframe.frames.ids import Codes, give_back, of_ranges, rows_of_ranges
from irframe.names import EMPTY, LENGTH, UNJUDGED

NEVER = np.iinfo(np.int32).max
"""A rank beyond the end of every list, which stands for a missing rank."""
SPANS = {"shown", "covered", "completed"}
PER_DOCUMENT = SPANS | {LENGTH}
"""Names of the arrays with a value per retrieved document that metrics use."""
CELLS = 1 << 21
"""The number of ranks, summed over lists, that are processed at once to limit memory."""
CELL = 7
"""Number of bytes per rank of a list, for the grade of the document, the position of its judgment,
and whether it is tied."""


@dataclass(frozen=True, eq=False)
class Hits:
    """The judged documents in ranked lists.

    Lists are numbered by system, then by judged topic.
    """

    length: NDArray[np.integer[Any]]
    """The length of each list, shape (system, topic)."""
    of: Codes
    """The list number of every hit."""
    rank: Codes
    """The rank of every hit, from 1."""
    row: Codes
    """The position of every hit among the judged documents."""
    tied: NDArray[np.bool_] | None = None
    """Whether each retrieved document ties with the document above it.

    Documents are in the order of lists, and within a list in ranked order. The value is None if
    ties do not matter.
    """
    filed: Codes | None = None
    """The pooling rank of every hit, for which documents with equal scores keep the order of the
    run. None if all pooling ranks equal `rank`, or if they are not needed."""
    along: Mapping[str, Array] | None = None
    """Mapping from name to an array with a value per retrieved document, in the order of `tied`.

    The values are lengths, scores, searches and evidence.
    """

    @property
    def count(self) -> Codes:
        """The number of hits per list, shape (system, topic)."""
        return counted(self.of, self.length.size).reshape(self.length.shape)

    @cached_property
    def start(self) -> Codes:
        """Positions of lists' first hits, then the number of hits.

        Hits must be in the order of their lists.
        """
        # NumPy copies all of `self.of` if the types differ.
        return np.searchsorted(self.of, np.arange(self.length.size + 1, dtype=self.of.dtype))

    @cached_property
    def first(self) -> Codes:
        """The position of each list's first document among all documents."""
        length = self.length.ravel()
        return np.asarray(np.cumsum(length) - length)

    @property
    def list_of(self) -> Codes:
        """The list number of every retrieved document."""
        return np.repeat(np.arange(self.length.size), self.length.ravel())

    def down_to(self, values: Array) -> Array:
        """Return the running sum of values within each list."""
        total = np.cumsum(values)
        before = np.append(np.zeros(1, total.dtype), total)[self.first]
        return np.asarray(total - np.repeat(before, self.length.ravel()))

    def load(self) -> "Hits":
        """Return the hits unchanged, because they are in memory."""
        return self

    def by_list(self) -> "Hits":
        """Return the hits sorted by list."""
        if (self.of[1:] >= self.of[:-1]).all():
            return self
        return self.take(np.argsort(self.of, kind="stable"))

    def take(self, chosen: Codes | NDArray[np.bool_] | slice) -> "Hits":
        """Return the selected hits, with unchanged numbers of lists."""
        filed = None if self.filed is None else self.filed[chosen]
        return replace(
            self, of=self.of[chosen], rank=self.rank[chosen], row=self.row[chosen], filed=filed
        )

    def alongside(self, take: Callable[[Array], Array]) -> Mapping[str, Array] | None:
        """Apply a function to all values per document."""
        along = self.along
        return None if along is None else {name: take(values) for name, values in along.items()}

    def onto(self, judgments: Judgments) -> "Hits":
        """Return the hits for the topics of `judgments`."""
        if np.array_equal(judgments.code, np.arange(self.length.shape[1])):
            return replace(self, row=judgments.position_of_row[self.row])
        return self.select(np.arange(len(self.length)), judgments.code, judgments.position_of_row)

    def select(self, systems: Codes, topics: Codes, row: Codes) -> "Hits":
        """Return the hits of selected lists, sorted by list."""
        by_list = self.by_list()
        chosen = np.ix_(systems, topics)
        length = self.length[chosen]
        lists = np.arange(self.length.size).reshape(self.length.shape)[chosen].ravel()
        count = by_list.start[lists + 1] - by_list.start[lists]
        ranges = self.first[lists], length.ravel()
        hits = by_list.take(rows_of_ranges(by_list.start[lists], count))
        return replace(
            hits,
            length=length,
            of=np.repeat(np.arange(len(lists), dtype=np.int32), count),
            row=row[hits.row].astype(np.int32),
            tied=None if self.tied is None else of_ranges(self.tied, *ranges),
            along=self.alongside(partial(of_ranges, start=ranges[0], length=ranges[1])),
        )

    def tile(self, tile: tuple[slice, slice], *, ties: bool = True) -> "Hits":
        """Return the hits of a tile (consecutive systems and topics)."""
        length = self.length[tile]
        if length.size == self.length.size:
            return self if ties else replace(self, tied=None)
        low = tile[0].start * self.length.shape[1] + tile[1].start
        hits = self.take(slice(*self.start[[low, low + length.size]]))
        begin = int(self.first[low])
        documents = itemgetter(slice(begin, begin + int(length.sum())))
        tied = documents(self.tied) if ties and self.tied is not None else None
        along = self.alongside(documents)
        return replace(hits, length=length, of=hits.of - np.int32(low), tied=tied, along=along)

    def gap(self) -> NDArray[np.int64]:
        """Return each list's first pooling rank without judgment, or `NEVER`."""
        hits = self.by_list()
        start = hits.start
        pool_rank = hits.pool_rank
        # The last column is never filled, so `argmin` finds the rank after a list without gaps.
        width = int(self.length.max(initial=0)) + 1
        gap = np.zeros(self.length.size, np.int64)
        for lists in row_slices(len(gap), max(1, CELLS // width)):
            rows = slice(*start[[lists.start, lists.stop]])
            filled = np.zeros((lists.stop - lists.start, width), bool)
            filled[hits.of[rows] - lists.start, pool_rank[rows] - 1] = True
            gap[lists] = np.argmin(filled, axis=1)
        first = gap.reshape(self.length.shape)
        return np.where(first < self.length, first + 1, NEVER)

    def best(self, judged: int, systems: NDArray[np.bool_]) -> NDArray[np.int32]:
        """Return each judged document's best pooling rank, or 0."""
        ranks = np.full(judged, NEVER, np.int32)
        pool_rank = self.pool_rank
        for rows in row_slices(len(self.of)):
            contributes = systems[self.of[rows] // self.length.shape[1]]
            rank = pool_rank[rows][contributes].astype(np.int32)
            np.minimum.at(ranks, self.row[rows][contributes], rank)
        ranks[ranks == NEVER] = 0
        return ranks

    @property
    def pool_rank(self) -> Codes:
        """The pooling rank of every hit."""
        return self.rank if self.filed is None else self.filed

    def cells(
        self, judgments: Judgments, depth: int, width: int, *, doc: bool, text: bool = False
    ) -> dict[str, Array]:
        """Return ranked lists as fields of an `irframe.metrics.Block`.

        Parameters
        ----------
        judgments
            The judgments.
        depth
            The depth at which lists are cut.
        width
            The number of ranks in the result, at least `depth`. Ranks after `depth` are empty.
        doc
            Whether to include the document at each rank.
        text
            Whether to include lengths.
        """
        retrieved = self.length
        hits = self
        if int(retrieved.max(initial=0)) > depth:
            retrieved = np.minimum(retrieved, depth)
            hits = self.take(self.rank <= depth)
        # List numbers are 32-bit integers, which cannot number all ranks of large cubes.
        cell = hits.of.astype(np.int64) * width + (hits.rank - 1)
        grade = np.full((*self.length.shape, width), UNJUDGED, Grade)
        if int(retrieved.min(initial=width)) < width:
            np.copyto(grade, EMPTY, where=np.arange(width) >= retrieved[..., np.newaxis])
        grade.ravel()[cell] = judgments.grade[hits.row]
        fields = {"grade": grade, "retrieved": retrieved}
        if doc:
            fields["doc"] = np.full(grade.shape, -1, np.int32)
            fields["doc"].ravel()[cell] = judgments.slot[hits.row]
        names = (PER_DOCUMENT if text else SPANS) & (self.along or {}).keys()
        fields |= {name: self.dense(name, depth, width) for name in names}
        return fields if self.tied is None else fields | self._sharing(judgments, depth, width)

    def dense(self, name: str, depth: int, width: int) -> Array:
        """Return values per document by rank, shape (system, topic, width)."""
        return self._by_rank(np.asarray((self.along or {})[name]), depth, width)

    def _by_rank(self, values: Array, depth: int, width: int) -> Array:
        """Return values of documents by rank, padded with 0."""
        length = self.length.ravel()
        dense = np.zeros((len(length), width), values.dtype)
        if int(length.max(initial=0)) > depth:
            values = values[np.arange(len(values)) - np.repeat(self.first, length) < depth]
        dense[np.arange(width) < np.minimum(length, depth)[:, np.newaxis]] = values
        return dense.reshape(*self.length.shape, width)

    def _sharing(self, judgments: Judgments, depth: int, width: int) -> dict[str, Array]:
        """Return the fields of a block that describe ties."""
        tied = np.asarray(self.tied, bool)
        length = self.length.ravel()
        size = np.zeros(len(length), np.int32)
        tail = np.zeros((len(length), len(judgments.levels)), np.int32)
        long = np.flatnonzero(length > depth)
        # Documents at the depth may tie with documents below the depth. Metrics need only the
        # number and the grades of documents below the depth.
        if len(long):
            below = self.first[long] + depth
            ends = np.append(np.flatnonzero(~tied), len(tied))
            size[long] = ends[np.searchsorted(ends, below)] - below
            beyond = (self.rank > depth) & (self.rank <= depth + size[self.of])
            level = np.searchsorted(judgments.levels, judgments.grade[self.row[beyond]])
            np.add.at(tail, (self.of[beyond], level), 1)
        if width > depth and size.any():
            got = "documents with the same score above and below the depth"
            raise DepthError(
                "a depth that does not separate ties", got, "omit depth=, or choose another depth"
            )
        return {
            "tied": self._by_rank(tied, depth, width),
            "tail": tail.reshape(*self.length.shape, -1),
            "tail_size": size.reshape(self.length.shape),
        }


@dataclass(frozen=True, eq=False)
class JudgedPool:
    """The pool of judged documents, with its depth per topic."""

    rank: NDArray[np.int32]
    """The best pooling rank of each judged document over contributing runs, 0 if not retrieved."""
    gap: NDArray[np.int64]
    """For each topic, the first pooling rank at which a contributing run has an unjudged document,
    or `NEVER`."""
    contributing: NDArray[np.bool_]
    """Whether each system contributes."""
    stated: bool
    """Whether the caller passed a depth or contributing systems of the pool."""
    depth: NDArray[np.int32]
    """The depth of the pool for each topic."""

    @classmethod
    def of(
        cls, hits: Hits, judged: int, contributing: NDArray[np.bool_], *, stated: bool
    ) -> "JudgedPool":
        """Return the pool of runs, without its depth.

        Parameters
        ----------
        hits
            The hits for all judged topics.
        judged
            The number of judgments.
        contributing, stated
            The fields of the pool with the same names.
        """
        gap = hits.gap()[contributing].min(axis=0, initial=NEVER)
        rank = hits.best(judged, contributing)
        return cls(rank, gap, contributing, stated, depth=np.zeros(0, np.int32))

    def down_to(
        self, pool_depth: PoolDepth, judgments: Judgments, collections: Collections, longest: int
    ) -> "JudgedPool":
        """Return the pool of selected topics, with its depth.

        Parameters
        ----------
        pool_depth
            The depth of the pool, as for `irframe.Pool`. None stands for the greatest depth down to
            which all contributing runs are judged for all topics of the collection.
        judgments
            The judgments of the topics.
        collections
            The collection of every topic of the qrels.
        longest
            The length of the longest list. If all retrieved documents are judged, the pool has this
            depth.

        Raises
        ------
        ParameterError
            If a collection has no depth.
        """
        depth = np.zeros(len(judgments.code), np.int32)
        if isinstance(pool_depth, Mapping):
            code = collections.of_topic[judgments.code]
            labels = collections.labels
            missing = [str(label) for label in labels[np.unique(code)] if label not in pool_depth]
            refuse_any(
                ParameterError, missing, "a depth of the pool for every collection", "none for"
            )
            depth += np.array([pool_depth.get(label, 0) for label in labels], np.int32)[code]
        elif pool_depth is not None:
            depth += pool_depth
        elif self.contributing.any():
            complete = np.minimum(self.gap - 1, longest)
            least = collections.reduce(np.minimum, np.arange(len(complete)), complete, longest)
            depth += least[judgments.code].astype(np.int32)
        stated = self.stated or pool_depth is not None
        return replace(self, rank=self.rank[judgments.row], stated=stated, depth=depth)

    def kind(self, judgments: Judgments) -> str:
        """Return the kind of pool: "stated", "complete" or "unknown".

        A pool is "stated" if the caller passed its depth or its contributing systems, and
        "complete" if all judged documents are in the pool.
        """
        if self.stated:
            return "stated"
        deepest = self.depth[judgments.topic]
        return "complete" if ((self.rank > 0) & (self.rank <= deepest)).all() else "unknown"

    def count(self, judgments: Judgments, depth: int) -> NDArray[np.int64]:
        """Count pooled documents per topic, depth and grade."""
        # From the depth of the pool on, all judged documents count, retrieved or not.
        deepest = np.minimum(self.depth - 1, depth)
        rows = np.flatnonzero((self.rank > 0) & (self.rank <= deepest[judgments.topic]))
        level = np.searchsorted(judgments.levels, judgments.grade[rows])
        count = judgments.levels_of
        description = (
            f"pools of {len(count):,} topics at {depth:,} depths by {count.shape[1]:,} grades"
        )
        room(description, 8 * count.size * depth, "choose smaller depths, or fewer grades")
        pooled = np.repeat(count[:, np.newaxis, :], depth, axis=1)
        first = np.zeros((len(count), max(0, deepest.max(initial=0)), count.shape[1]), np.int64)
        np.add.at(first, (judgments.topic[rows], self.rank[rows] - 1, level), 1)
        inside = np.arange(1, first.shape[1] + 1) <= deepest[:, np.newaxis]
        shallow = pooled[:, : first.shape[1]]
        np.copyto(shallow, np.cumsum(first, axis=1), where=inside[..., np.newaxis])
        return pooled


def refuse_large(systems: int, topics: int, depth: int) -> None:
    """Raise if dense rankings would not fit into memory.

    Parameters
    ----------
    systems, topics, depth
        Numbers of systems and topics, and the depth.
    """
    description = f"a cube of {systems:,} systems, {topics:,} topics and depth {depth:,}"
    advice = "choose a smaller depth, or scan the files: irframe.scan_runs(paths)"
    room(description, systems * topics * depth * CELL, advice, most=memory())


def refuse_open(longest: int, depth: int) -> None:
    """Raise if lists were cut before unjudged documents are removed."""
    if longest > depth:
        advice = "build the cube without depth=, and choose depths when scoring"
        got = f"depth {depth} for lists of up to {longest} documents"
        raise DepthError("a cube as deep as its lists", got, advice)


RANKS = 100
"""The depth to which ids of unjudged documents are kept, because pools are rarely deeper."""


@dataclass(frozen=True, eq=False)
class TopUnjudged:
    """Unjudged documents on the first ranks of lists, unsorted."""

    of: Codes
    """The list of each document, by system and topic."""
    rank: Codes
    """The rank of each document, from 0."""
    code: Codes
    """The position of each document's name in `docs`."""
    docs: pa.Array
    """The distinct names of the documents."""

    @classmethod
    def named(cls, of: Codes, rank: Codes, doc: pa.ChunkedArray) -> "TopUnjudged":
        """Build an instance from lists, ranks and ids of documents."""
        coded = doc.combine_chunks().dictionary_encode()
        # Ranks are below 100, so one byte each suffices.
        return cls(of, rank.astype(np.int8), coded.indices.to_numpy(), coded.dictionary)

    @property
    def doc(self) -> pa.ChunkedArray:
        """The name of each document."""
        return pa.chunked_array([self.docs.take(pa.array(self.code))])

    def load(self) -> "TopUnjudged":
        """Return the documents unchanged, because they are in memory."""
        return self

    def names(self, shape: tuple[int, int], depth: int) -> Array:
        """Return document names by rank, shape (system, topic, rank)."""
        names_by_rank = np.full((*shape, depth), None, object)
        shallow = self.take(np.flatnonzero(self.rank < depth))
        cell = shallow.of.astype(np.int64) * depth + shallow.rank
        names_by_rank.ravel()[cell] = shallow.doc.to_numpy(zero_copy_only=False)
        return names_by_rank

    def onto(self, position: Codes) -> "TopUnjudged":
        """Return the documents with new list numbers."""
        if np.array_equal(position, np.arange(len(position))):
            return self
        selected = self.take(np.flatnonzero((position >= 0)[self.of]))
        return replace(selected, of=position.astype(np.int32)[selected.of])

    def take(self, rows: Codes) -> "TopUnjudged":
        """Return the documents at the given positions."""
        return TopUnjudged(self.of[rows], self.rank[rows], self.code[rows], self.docs)


class JoinedUnjudged:
    """A collector that concatenates blocks of unjudged documents."""

    def __init__(self, blocks: Iterable[TopUnjudged | None] = ()) -> None:
        self._fields: dict[str, list[Codes]] = {"of": [], "rank": [], "code": []}
        self._docs: pa.Array = None
        self._waiting: list[TopUnjudged] = []
        self._names = 0
        self._is_complete = True
        for block in blocks:
            self.add(block)

    def add(self, block: TopUnjudged | None) -> None:
        """Add a block; None stands for unknown names."""
        loaded = None if block is None else block.load()
        if loaded is not None and self._docs is None:
            self._docs = loaded.docs[:0]
        self._is_complete &= loaded is not None and loaded.docs.type == self._docs.type
        if loaded is None or not self._is_complete:
            return
        self._waiting.append(loaded)
        self._names += len(loaded.docs)
        # Each step hashes all known names. The method therefore waits until there are as many new
        # names as known names, so that the total time is proportional to the number of names.
        if self._names > max(len(self._docs), CELLS >> 3):
            self._code()

    def _code(self) -> None:
        """Code the names of waiting blocks."""
        names = [self._docs, *(block.docs for block in self._waiting)]
        coded = pa.concat_arrays(names).dictionary_encode()
        _, *positions = np.split(coded.indices.to_numpy(), np.cumsum([*map(len, names)])[:-1])
        for block, position in zip(self._waiting, positions, strict=True):
            self._fields["of"].append(block.of)
            self._fields["rank"].append(block.rank)
            self._fields["code"].append(position[block.code])
        self._docs = coded.dictionary
        self._waiting = []
        self._names = 0

    def joined(self) -> TopUnjudged | None:
        """Return all documents; None if a block lacks them."""
        if self._docs is None or not self._is_complete:
            return None
        self._code()
        fields: dict[str, Codes] = {}
        for name in [*self._fields]:
            fields[name] = np.concatenate(self._fields.pop(name))
            give_back(fields[name].nbytes)  # frees the blocks before the next field needs memory
        return TopUnjudged(**fields, docs=self._docs)
