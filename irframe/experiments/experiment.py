"""Ranked runs joined to judgments, and with changed judgments."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from operator import itemgetter
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array, Grade, in_threads, tiles
from irframe.errors import InputError
from irframe.experiments import joining, rank_table, ranked_runs
from irframe.experiments.choices import PoolDepth
from irframe.experiments.coded_tables import Side, code_documents
from irframe.experiments.group_columns import Groups
from irframe.experiments.hits import Hits, JudgedPool
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections, warn_missing, warn_rising
from irframe.experiments.policy import Policy, refuse_marks, refuse_pool, shares_ranks
from irframe.files.ids import Codes, all_of_one_kind, within
from irframe.metrics import Block, Metric
from irframe.metrics.facts import facts
from irframe.names import DOC, GRADE, SYSTEM, TOPIC, low_to_high
from irframe.quantities.block import BY_TOPIC

LAST = "_last"
"""Where an experiment keeps the part of it that was asked for last."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Ranked runs joined to judgments; never written to."""

    judgments: Judgments
    systems: pd.Index
    hits: Hits
    """What lists hold of the judgments."""
    names: Sequence[Any] = (SYSTEM, TOPIC)
    """What the caller calls systems and topics."""
    took_part: NDArray[np.bool_] | None = None
    """Whether each system took part in each topic, shape (system, topic); None for everywhere."""
    top: Any = 1
    """The highest grade, by topic where there are several collections of them."""
    pool: JudgedPool | None = None
    """What the pool was made of, where that is asked for."""
    collection: pd.CategoricalIndex | None = None
    """The collection of each topic, among all that there are, where they are told."""
    made: Mapping[str, Any] = field(default_factory=dict)
    """What decided all this, as results say it."""
    listing: ranked_runs.TopUnjudged | None = None
    """The unjudged documents at the top of lists by name, where these are known."""
    units: Mapping[Any, str] = field(default_factory=dict)
    """Of what the lists of systems are, where it is not the same for all."""
    files: Sequence[Any] = ()
    """Name, size and time of change of the files that it was made of."""
    origin: int = 0
    """The mark of what this is but for lists that are not there."""

    @classmethod
    def of(
        cls,
        ranked: ranked_runs.Ranked,
        judgments: Judgments,
        policy: Policy,
        group: Any = None,
        *,
        pooled: bool = True,
    ) -> "Experiment":
        """Join ranked runs and judgments; warn of what is missing.

        Judgments are those of the topics that are scored; `group` is as for `warn_missing`;
        `pooled` says whether it is asked what the pool was made of.
        """
        framed, hits = ranked.runs, ranked.hits
        lists, table, runs = framed.lists, judgments.table, framed.table
        units = joining.warn_unjudged(runs, table, np.asarray(hits.count.any(axis=1)))
        warn_rising(ranked.contrary)
        relevant = judgments.relevant(1)
        warn_missing(lists, judgments.topics, judgments.code, relevant, group)
        took_part = lists.participated[:, judgments.code]
        collections, listing = lists.collections, ranked.listing
        if listing is not None:
            place = np.arange(len(lists.systems))[:, np.newaxis] * len(judgments.code)
            place = np.where(judgments.place_of < 0, -1, place + judgments.place_of)
            listing = listing.onto(place.ravel())
        of_topic = collections.of_topic[judgments.code]
        collection = pd.CategoricalIndex(pd.Categorical.from_codes(of_topic, collections.labels))
        experiment = cls(
            judgments,
            lists.systems,
            hits.onto(judgments),
            [runs.columns.get(role, role) for role in (SYSTEM, TOPIC)],
            None if took_part.all() else took_part,
            collections.reduce(np.maximum, table.topic, table.grade, 1)[judgments.code],
            collection=collection if collections.name else None,
            listing=listing,
            units=units,
        )
        if not pooled:
            return experiment
        stated = policy.contributing is not None or rank_table.CONTRIBUTING in runs.frame.columns
        contributing = rank_table.contributing_systems(runs, policy.contributing)
        pool = JudgedPool.of(hits, len(table.topic), contributing, stated=stated)
        return experiment.with_pool(pool, policy.pool_depth, collections)

    def with_pool(
        self, pool: JudgedPool, given: PoolDepth, collections: Collections
    ) -> "Experiment":
        """Return the experiment with a pool; see `JudgedPool.down_to`."""
        return replace(self, pool=pool.down_to(given, self.judgments, collections, self.longest))

    def __deepcopy__(self, memo: Any) -> "Experiment":
        return self

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Experiment) and self.digest == other.digest
        return self is other or same

    def __hash__(self) -> int:
        return self.digest

    def __dask_tokenize__(self) -> Any:
        return "irframe", self.digest

    def __repr__(self) -> str:
        levels, hits = self.judgments.levels, int(self.hits.length.sum())
        grades = f"grades {low_to_high(levels.min(), levels.max())}, " if len(levels) else ""
        judged = 1 - self.unjudged.sum() / max(hits, 1)
        return f"<{grades}{judged:.0%} of {hits:,} hits judged; cube.ireval.save(path) writes it>"

    @cached_property
    def digest(self) -> int:
        """A digest of 60 bits of this experiment."""
        hits, judgments, hasher = self.hits, self.judgments, blake2b(digest_size=8)
        texts = self.made, self.names, self.systems.tolist(), judgments.topics.tolist()
        hasher.update(repr(texts).encode(errors="surrogatepass"))
        pool = () if self.pool is None else (self.pool.rank, self.pool.depth)
        if isinstance(hits, Hits):
            arrays = hits.length, hits.of, hits.rank, hits.row, hits.tied, hits.filed
        else:  # in files, which their checksums tell from others
            arrays = hits.length, hits.systems, hits.topics
            hasher.update(repr((hits.folder, sorted(hits.files.items()))).encode())
        along = getattr(hits, "along", None) or {}
        others = judgments.grade, judgments.count, self.tops, self.participated, *pool
        for array in (*arrays, *along.values(), *others):
            if array is not None:
                hasher.update(np.ascontiguousarray(array).tobytes())
        # As buffers of one kind, whatever Arrow read them as: equal names give equal digests.
        names = judgments.table.doc.take(pa.array(judgments.row))
        plain = names.cast(pa.int64() if pa.types.is_integer(names.type) else pa.large_string())
        for buffer in pa.concat_arrays(plain.chunks).buffers() if plain.num_chunks else ():
            hasher.update(b"" if buffer is None else buffer)
        return int.from_bytes(hasher.digest(), "big") >> 4

    @property
    def loaded(self) -> "Experiment":
        """The same with all of its hits in memory."""
        # Nothing that is in memory keeps itself: it would stay there until garbage is collected.
        return self if type(self.hits) is Hits else self._loaded

    @cached_property
    def _loaded(self) -> "Experiment":
        return replace(self, hits=self.hits.load())

    @property
    def mark(self) -> int:
        """A number of 20 bits that identifies this experiment."""
        return self.origin or self.digest & ((1 << 20) - 1)

    @property
    def shape(self) -> tuple[int, int]:
        """How many systems and topics there are."""
        systems, topics = self.hits.length.shape
        return systems, topics

    @property
    def participated(self) -> NDArray[np.bool_]:
        """Whether each system took part, shape (system, topic)."""
        return np.ones(self.shape, bool) if self.took_part is None else self.took_part

    @property
    def tops(self) -> NDArray[np.int16]:
        """The highest grade of the collection of each topic."""
        return np.broadcast_to(np.asarray(self.top, np.int16), self.shape[1])

    @cached_property
    def unjudged(self) -> NDArray[np.int32]:
        """The number of unjudged documents per list, shape (system, topic)."""
        return np.asarray(self.hits.length - self.hits.count, np.int32)

    @property
    def unknown(self) -> list[str]:
        """The systems that retrieved no judged document."""
        judged = np.asarray(self.hits.count.any(axis=1))
        return [] if judged.all() else self.systems[~judged].astype(str).tolist()

    @property
    def longest(self) -> int:
        """The length of the longest list that is there."""
        participated = True if self.took_part is None else self.took_part
        return int(self.hits.length.max(initial=0, where=participated))

    @property
    def known_pool(self) -> JudgedPool:
        """The pool; raises if it is unknown."""
        return cast("JudgedPool", self.pool)

    @property
    def pool_word(self) -> str:
        """What is known of the pool; see `JudgedPool.word`."""
        return str(self.made.get("pool") or self.known_pool.word(self.judgments))

    def parts(self, groups: Groups, *, stated: bool) -> Iterator[tuple[Any, "Experiment"]]:
        """Yield the part of each group; `told` as for `Groups.parts`."""
        parts = groups.parts(self.systems, self.participated, self.hits.length > 0, stated=stated)
        for key, (systems, topics) in parts.items():
            yield key, self.part(systems, topics)

    def part(self, systems: Codes, topics: Codes) -> "Experiment":
        """Return the same of some systems and topics."""
        if all(map(_every, (systems, topics), self.shape)):
            return self
        before, pool, listing = self.judgments, self.pool, self.listing
        judgments = Judgments.chosen(before.table, before.code[topics], before.levels)
        row = judgments.here[before.row]
        if pool is not None:
            rank = np.empty(len(judgments.row), np.int32)
            rank[row[row >= 0]] = pool.rank[row >= 0]
            helps = pool.contributing[systems]
            pool = replace(pool, rank=rank, depth=pool.depth[topics], contributing=helps)
        if listing is not None:
            place = np.full(self.shape, -1)
            shape = len(systems), len(topics)
            place[np.ix_(systems, topics)] = np.arange(shape[0] * shape[1]).reshape(shape)
            listing = listing.onto(place.ravel())
        return replace(
            self,
            judgments=judgments,
            systems=self.systems[systems],
            hits=self.hits.part(systems, topics, row),
            took_part=None if self.took_part is None else self.took_part[np.ix_(systems, topics)],
            top=self.top if np.ndim(self.top) == 0 else self.top[topics],
            pool=pool,
            collection=None if self.collection is None else self.collection[topics],
            listing=listing,
        )

    def without(self, missing: NDArray[np.bool_]) -> "Experiment":
        """Return the experiment without some lists."""
        if not missing.any():
            return self
        return replace(self, took_part=self.participated & ~missing, origin=self.mark)

    def seen(self, systems: Codes, topics: Codes) -> "Experiment":
        """Return some systems and topics, cached."""
        if all(map(_every, (systems, topics), self.shape)):
            return self
        # One part is kept, as verbs ask a selected cube for the same several times.
        key = systems.tobytes(), topics.tobytes()
        last = self.__dict__.get(LAST)
        if last is None or last[0] != key:
            last = self.__dict__[LAST] = key, self.part(systems, topics)
        part: Experiment = last[1]
        return part

    def __getstate__(self) -> dict[str, Any]:
        return {n: value for n, value in self.__dict__.items() if n not in {LAST, "_loaded"}}

    def named(self, systems: pd.Index, topics: pd.Index) -> "Experiment":
        """Return the experiment with other system and topic labels."""
        if self.systems.equals(systems) and self.judgments.topics.equals(topics):
            return self
        return replace(self, systems=systems, judgments=self.judgments.named(topics))

    def cells(
        self,
        tile: tuple[slice, slice],
        depth: int,
        width: int | None = None,
        *,
        doc: bool = False,
        ties: bool = True,
        text: bool = False,
    ) -> dict[str, Array]:
        """Return lists by rank, absent ones as empty; see `Hits.cells`."""
        hits = self.hits.tile(tile, ties=ties)
        if self.took_part is not None and not self.took_part[tile].all():
            missing = ~self.took_part[tile]
            inside = ~missing.ravel()[hits.of]
            kept = ~np.repeat(missing.ravel(), hits.length.ravel())
            tied = None if hits.tied is None else hits.tied[kept]
            along, length = hits.alongside(itemgetter(kept)), np.where(missing, 0, hits.length)
            hits = replace(hits.take(inside), length=length, tied=tied, along=along)
        return hits.cells(self.judgments, depth, width or depth, doc=doc, text=text)

    def dense(self, depth: int, name: str) -> Array:
        """Return one dense array of `cells`, made tile by tile."""
        values = np.empty((*self.shape, depth), Grade if name == GRADE else np.int32)

        def fill(tile: tuple[slice, slice]) -> None:
            values[tile] = self.cells(tile, depth, doc=name == DOC, ties=False)[name]

        in_threads(fill, tiles(*self.shape, depth))
        return values

    def rows_at(self, depth: int) -> NDArray[np.int64]:
        """Return the judgment at each rank, -1 for none."""
        slot = self.dense(depth, DOC)
        return np.where(slot >= 0, slot + self.judgments.start[:, np.newaxis], -1)

    def fields(self, metrics: Sequence[Metric], depth: int) -> dict[str, Any]:
        """Return what metrics read, as fields of a `Block`."""
        fields = self.judgments.fields(metrics) | {"top": self.top}
        if self.pool is not None:
            fields["pool_depth"] = self.pool.depth
        if any(facts(metric).pooled for metric in metrics):
            fields["pool_count"] = self.pool_count(metrics, depth)
        return fields

    def pool_count(self, metrics: Sequence[Metric], depth: int) -> Array:
        """Count pooled documents per depth; raise if unknown."""
        if self.pool is None or self.pool_word == "unknown":
            refuse_pool(metrics)
        return self.pool.count(self.judgments, depth)

    def block(
        self,
        fields: Mapping[str, Any],
        depth: int,
        tile: tuple[slice, slice] | None = None,
        *,
        ties: bool = False,
    ) -> Block:
        """Return some lists as a block for metrics.

        Parameters
        ----------
        fields
            What `fields` gives.
        depth
            Where lists are cut.
        tile
            A tile of lists, by default all of them.
        ties
            Whether ties are wanted though the experiment does not share gain over them.
        """
        tile = tile or (slice(0, self.shape[0]), slice(0, self.shape[1]))
        ties = ties or shares_ranks(self.made.get("ties"))
        options = {"doc": "start" in fields, "text": "timed" in fields}
        cells = self.cells(tile, depth, **options, ties=ties)
        leveled = self.made.get("ties") == "block"
        return Block(**topics_of(fields, tile[1]), **cells, leveled=leveled)


def topics_of(fields: Mapping[str, Any], topics: slice) -> dict[str, Any]:
    """Return the fields of a `Block` for some topics."""
    return {
        name: value[topics] if name in BY_TOPIC and np.ndim(value) else value
        for name, value in fields.items()
    }


def _every(chosen: Codes, size: int) -> bool:
    return len(chosen) == size and bool((np.asarray(chosen) == np.arange(size)).all())


def fewer_judged(
    experiment: Experiment, kept: NDArray[np.bool_], depth: int | None = None
) -> Experiment:
    """Return the experiment with fewer judgments."""
    judgments, hits, pool = experiment.judgments, experiment.hits, experiment.known_pool
    refuse_marks(judgments.grade)
    new = np.where(kept, np.cumsum(kept) - 1, -1)
    judged = kept[hits.row]
    depths = pool.depth if depth is None else np.full_like(pool.depth, depth)
    remaining = hits.take(judged)
    return replace(
        experiment,
        judgments=judgments.only(np.flatnonzero(kept)),
        hits=replace(remaining, row=new[remaining.row].astype(np.int32)),
        pool=replace(pool, rank=pool.rank[kept], depth=depths),
        listing=ranked_runs.concat_unjudged([experiment.listing, _hidden(experiment, judged)]),
    )


def condensed(experiment: Experiment) -> Experiment:
    """Return the lists without their unjudged documents."""
    hits, length = experiment.hits.by_list(), experiment.hits.length
    judged = np.flatnonzero(experiment.judgments.grade[hits.row] >= 0)
    order = judged[np.lexsort((hits.rank[judged], hits.of[judged]))]
    of = hits.of[order]
    count = np.bincount(of, minlength=length.size)
    rank = within(of) + 1
    tied = None
    if hits.tied is not None:
        block = np.cumsum(~hits.tied)[hits.first[of] + hits.rank[order] - 1]
        tied = (np.diff(block, prepend=-1) == 0) & (rank > 1)
    participated = hits.alongside(itemgetter(hits.first[of] + hits.rank[order] - 1))
    filed, ranks = hits.pool_rank[order], rank.astype(np.int32)
    closed = replace(hits.take(order), rank=ranks, tied=tied, filed=filed, along=participated)
    closed = replace(closed, length=count.reshape(length.shape))
    return replace(experiment, hits=closed, listing=None)


def judged_anew(
    experiment: Experiment, judgments: Judgments, *, given: bool, all_judged: bool
) -> Experiment:
    """Return the same lists by other judgments of their topics.

    Parameters
    ----------
    experiment
        The lists, in memory.
    judgments
        Those of the same topics, in the same order.
    given
        Whether the depth of the pool was given, and so stays.
    all_judged
        Whether all that is judged is of these topics.

    Raises
    ------
    InputError
        If documents are judged that were not before, and are not found in a list which is known by
        name down to rank `ranked_runs.RANKS` alone, naming system and topic.
    """
    before, hits, listing = experiment.judgments, experiment.hits, experiment.listing
    old, new = (side.table.doc.take(pa.array(side.row)) for side in (before, judgments))
    nothing = ranked_runs.TopUnjudged(np.zeros(0, np.int64), np.zeros(0, np.int16), old[:0])
    listed = nothing if listing is None else listing.load()
    topics = before.topic, judgments.topic, listed.of % len(before.count)
    docs = all_of_one_kind([old, new, listed.doc])
    codes = code_documents(*map(Side, topics, docs))
    known = pd.Index(codes[1])
    row, listed_row = (known.get_indexer(pd.Index(coded)) for coded in (codes[0], codes[2]))
    fresh = ~np.isin(codes[1], codes[0])
    _refuse_ranks_unknown(experiment, judgments.topic[fresh], listed.of[listed_row >= 0])
    kept, is_new = row[hits.row] >= 0, listed_row >= 0
    rank = [hits.rank[kept], listed.rank[is_new].astype(np.int32) + 1]
    filed = None if hits.filed is None else np.concatenate([hits.filed[kept], rank[1]])
    of = np.concatenate([hits.of[kept], listed.of[is_new]])
    rows = np.concatenate([row[hits.row[kept]], listed_row[is_new]]).astype(np.int32)
    anew = Hits(hits.length, of, np.concatenate(rank), rows, hits.tied, filed, hits.along).by_list()
    collections, collection = Collections.one(len(judgments.count)), experiment.collection
    top: Any = np.full(len(judgments.count), judgments.top)
    if collection is not None:  # else all judgments count, those of other topics, too
        of_topic = np.asarray(collection.codes, np.intp)
        collections = Collections(of_topic, collection.categories, "collection")
        top = collections.reduce(np.maximum, judgments.topic, judgments.grade, 1)
    base = judgments.only(np.arange(len(judgments.row)))
    old_pool = experiment.known_pool
    pool = JudgedPool.of(anew, len(base.row), old_pool.contributing, stated=old_pool.stated)
    if given:
        pool = replace(pool, depth=old_pool.depth)
    elif all_judged and not is_new.any():
        pool = pool.down_to(None, base, collections, experiment.longest)
    else:  # nobody knows
        pool = replace(pool, depth=np.zeros_like(old_pool.depth), stated=False)
    left = None
    if listing is not None:
        others = listed.take(np.flatnonzero(~is_new))
        left = ranked_runs.concat_unjudged([others, _hidden(experiment, kept)])
    made = {**experiment.made, "pool": pool.word(base)}
    return replace(
        experiment, judgments=base, hits=anew, pool=pool, listing=left, top=top, made=made
    )


def _hidden(experiment: Experiment, kept: NDArray[np.bool_]) -> ranked_runs.TopUnjudged:
    """Return the top hits that are dropped, by name."""
    judgments, hits = experiment.judgments, experiment.hits
    hidden = np.flatnonzero(~kept & (hits.rank <= ranked_runs.RANKS))
    doc = judgments.table.doc.take(pa.array(judgments.row[hits.row[hidden]]))
    return ranked_runs.TopUnjudged(hits.of[hidden], (hits.rank[hidden] - 1).astype(np.int16), doc)


def _refuse_ranks_unknown(experiment: Experiment, topic: Codes, lists: Codes) -> None:
    """Raise if newly judged documents may rank below named ones.

    Given the topic of each document that was not judged before, and the list of each one found.
    """
    shape = experiment.shape
    count = np.bincount(lists, minlength=shape[0] * shape[1]).reshape(shape)
    fresh = np.bincount(topic, minlength=shape[1])
    known = 0 if experiment.listing is None else ranked_runs.RANKS
    deeper = experiment.participated & (count < fresh) & (experiment.hits.length > known)
    if deeper.any():
        systems, topics = experiment.systems, experiment.judgments.topics
        pairs = [f"{systems[s]} on {topics[t]}" for s, t in np.argwhere(deeper)]
        expected = f"lists known by name, for {len(topic)} documents that were not judged before"
        known_to = f"{len(pairs)} lists known to rank {known} alone"
        advice = "build the cube anew: irframe.cube(runs, qrels)"
        raise InputError(expected, known_to, advice, pairs)
