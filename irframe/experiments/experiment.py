"""The experiment: ranked runs that are joined to judgments."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from operator import itemgetter
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from irframe.arrays import Array, Grade, in_threads, low_to_high, tiles
from irframe.experiments import joining, rank_table, ranked_runs
from irframe.experiments.choices import PoolDepth
from irframe.experiments.group_columns import Groups
from irframe.experiments.hits import Hits, JudgedPool, TopUnjudged
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Collections, warn_missing, warn_rising
from irframe.experiments.policy import Policy, refuse_pool, shares_ranks
from irframe.frames.ids import Codes
from irframe.metrics import Block, Metric
from irframe.metrics.facts import facts
from irframe.names import DOC, GRADE, SYSTEM, TOPIC
from irframe.quantities.block import BY_TOPIC

LAST = "_last"
"""Name of the attribute that caches the last selection of systems and topics."""


@dataclass(frozen=True, eq=False)
class Experiment:
    """Ranked runs that are joined to judgments. Experiments are immutable."""

    judgments: Judgments
    systems: pd.Index
    hits: Hits
    """The judged documents in the ranked lists."""
    names: Sequence[Hashable] = (SYSTEM, TOPIC)
    """The caller's names for the columns of systems and topics."""
    took_part: NDArray[np.bool_] | None = None
    """Whether each system took part in each topic, shape (system, topic). None if all took part."""
    top: int | NDArray[np.integer[Any]] = 1
    """The highest grade, or an array with the highest grade of each topic's collection."""
    pool: JudgedPool | None = None
    """The pool of judged documents. None if no pool was requested."""
    collection: pd.CategoricalIndex | None = None
    """The collection of each topic. None if there are no collections."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of the experiment, which become attributes of results."""
    listing: TopUnjudged | None = None
    """The unjudged documents at the top of lists. None if document names were not kept."""
    units: Mapping[Hashable, str] = field(default_factory=dict)
    """Mapping from system to the unit of its lists. Empty if all systems have the same unit."""
    files: Sequence[Sequence[object]] = ()
    """Name, size and modification time of each source file."""
    origin: int = 0
    """If lists were removed, the `mark` of the original experiment. Otherwise 0."""

    @classmethod
    def of(
        cls,
        ranked: ranked_runs.Ranked,
        judgments: Judgments,
        policy: Policy,
        group: Array | None = None,
        *,
        pooled: bool = True,
    ) -> "Experiment":
        """Build an experiment from ranked runs; warn of missing lists.

        Parameters
        ----------
        ranked
            The ranked runs.
        judgments
            The judgments of the scored topics.
        policy
            The options that decided the ranking.
        group
            The group of each topic, as in `warn_missing`.
        pooled
            Whether to compute the pool of judged documents.
        """
        hits = ranked.hits
        lists = ranked.runs.lists
        runs = ranked.runs.table
        table = judgments.table
        units = joining.warn_unjudged(runs, table, np.asarray(hits.count.any(axis=1)))
        if ranked.contrary:
            warn_rising(ranked.contrary)
        warn_missing(lists, judgments.topics, judgments.code, judgments.relevant(1), group)
        took_part = lists.participated[:, judgments.code]
        collections = lists.collections
        listing = ranked.listing
        if listing is not None:
            first = np.arange(len(lists.systems))[:, np.newaxis] * len(judgments.code)
            position = judgments.position_of_code
            position = np.where(position < 0, -1, first + position)
            listing = listing.onto(position.ravel())
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
        self, pool: JudgedPool, depth: PoolDepth, collections: Collections
    ) -> "Experiment":
        """Return the experiment with a pool.

        Parameters
        ----------
        pool
            The pool without a depth.
        depth
            The depth of the pool that the caller passed, or None.
        collections
            The collections of the topics.
        """
        return replace(self, pool=pool.down_to(depth, self.judgments, collections, self.longest))

    # xarray copies attributes with every deep copy of a cube, and an experiment never changes.
    def __deepcopy__(self, memo: object) -> "Experiment":
        return self

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Experiment) and self.digest == other.digest
        return self is other or same

    def __hash__(self) -> int:
        return self.digest

    # Without a token of its own, dask would hash all arrays to tell experiments apart.
    def __dask_tokenize__(self) -> tuple[str, int]:
        return "irframe", self.digest

    def __repr__(self) -> str:
        levels = self.judgments.levels
        hits = int(self.hits.length.sum())
        grades = f"grades {low_to_high(levels)}, " if len(levels) else ""
        judged = 1 - self.unjudged.sum() / max(hits, 1)
        return f"<{grades}{judged:.0%} of {hits:,} hits judged; cube.ireval.save(path) writes it>"

    @cached_property
    def digest(self) -> int:
        """A 60-bit digest that is the same for equal experiments."""
        hits = self.hits
        judgments = self.judgments
        hasher = blake2b(digest_size=8)
        texts = self.options, self.names, self.systems.tolist(), judgments.topics.tolist()
        hasher.update(repr(texts).encode(errors="surrogatepass"))
        pool = () if self.pool is None else (self.pool.rank, self.pool.depth)
        if isinstance(hits, Hits):
            arrays = hits.length, hits.of, hits.rank, hits.row, hits.tied, hits.filed
        # The checksums of files identify hits without reading the files.
        else:
            arrays = hits.length, hits.systems, hits.topics
            hasher.update(repr((hits.folder, sorted(hits.files.items()))).encode())
        along = getattr(hits, "along", None) or {}
        further = judgments.grade, judgments.count, self.tops, self.participated, *pool
        for array in (*arrays, *along.values(), *further):
            if array is not None:
                hasher.update(np.ascontiguousarray(array).ravel())
        # All names are cast to one type, because equal names must have equal digests.
        names = judgments.table.doc.take(pa.array(judgments.row))
        docs = names.cast(pa.int64() if pa.types.is_integer(names.type) else pa.large_string())
        for buffer in pa.concat_arrays(docs.chunks).buffers() if docs.num_chunks else ():
            hasher.update(b"" if buffer is None else buffer)
        return int.from_bytes(hasher.digest(), "big") >> 4

    @property
    def loaded(self) -> "Experiment":
        """The experiment with all hits in memory."""
        # An experiment in memory is not cached, because a reference to itself would delay its
        # deletion.
        return self if type(self.hits) is Hits else self._loaded

    @cached_property
    def _loaded(self) -> "Experiment":
        return replace(self, hits=self.hits.load())

    @property
    def mark(self) -> int:
        """A 20-bit number that cubes use to identify experiments."""
        return self.origin or self.digest & ((1 << 20) - 1)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of systems and topics."""
        systems, topics = self.hits.length.shape
        return systems, topics

    @property
    def participated(self) -> NDArray[np.bool_]:
        """Whether each system took part, shape (system, topic)."""
        return np.ones(self.shape, bool) if self.took_part is None else self.took_part

    @property
    def tops(self) -> NDArray[np.int16]:
        """The highest grade of each topic's collection."""
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
        """The length of the longest list of a participating system."""
        participated = True if self.took_part is None else self.took_part
        return int(self.hits.length.max(initial=0, where=participated))

    @property
    def known_pool(self) -> JudgedPool:
        """The pool, for experiments that were built with a pool."""
        return cast("JudgedPool", self.pool)

    @property
    def pool_kind(self) -> str:
        """The kind of pool that `JudgedPool.kind` returns."""
        return str(self.options.get("pool") or self.known_pool.kind(self.judgments))

    def by_group(self, groups: Groups, *, stated: bool) -> Iterator[tuple[Hashable, "Experiment"]]:
        """Yield each group and its experiment.

        The parameter `stated` is described in `Groups.members`.
        """
        members = groups.members(
            self.systems, self.participated, self.hits.length > 0, stated=stated
        )
        for key, (systems, topics) in members.items():
            yield key, self.select(systems, topics)

    def select(self, systems: Codes, topics: Codes) -> "Experiment":
        """Return the experiment of selected systems and topics."""
        if all(map(_selects_all, (systems, topics), self.shape)):
            return self
        base = self.judgments
        judgments = Judgments.chosen(base.table, base.code[topics], base.levels)
        row = judgments.position_of_row[base.row]
        pool = self.pool
        listing = self.listing
        if pool is not None:
            rank = np.empty(len(judgments.row), np.int32)
            rank[row[row >= 0]] = pool.rank[row >= 0]
            contributing = pool.contributing[systems]
            pool = replace(pool, rank=rank, depth=pool.depth[topics], contributing=contributing)
        if listing is not None:
            position = np.full(self.shape, -1)
            size = len(systems) * len(topics)
            position[np.ix_(systems, topics)] = np.arange(size).reshape(len(systems), len(topics))
            listing = listing.onto(position.ravel())
        return replace(
            self,
            judgments=judgments,
            systems=self.systems[systems],
            hits=self.hits.select(systems, topics, row),
            took_part=None if self.took_part is None else self.took_part[np.ix_(systems, topics)],
            top=self.top[topics] if isinstance(self.top, np.ndarray) else self.top,
            pool=pool,
            collection=None if self.collection is None else self.collection[topics],
            listing=listing,
        )

    def without(self, missing: NDArray[np.bool_]) -> "Experiment":
        """Return the experiment without the lists in `missing`.

        Parameters
        ----------
        missing
            Whether to leave out each list, shape (system, topic).
        """
        if not missing.any():
            return self
        return replace(self, took_part=self.participated & ~missing, origin=self.mark)

    def select_cached(self, systems: Codes, topics: Codes) -> "Experiment":
        """Return the experiment of selected systems and topics, cached."""
        if all(map(_selects_all, (systems, topics), self.shape)):
            return self
        # The selection is cached, because public functions select the same systems and topics
        # several times.
        key = systems.tobytes(), topics.tobytes()
        last = self.__dict__.get(LAST)
        if last is None or last[0] != key:
            last = self.__dict__[LAST] = key, self.select(systems, topics)
        subset: Experiment = last[1]
        return subset

    def __getstate__(self) -> dict[str, object]:
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
        """Return the lists of a tile, formatted like `Hits.cells`.

        A tile is a slice of systems and a slice of topics. Lists of systems that did not take part
        in a topic are empty.
        """
        hits = self.hits.tile(tile, ties=ties)
        if self.took_part is not None and not self.took_part[tile].all():
            missing = ~self.took_part[tile]
            inside = ~missing.ravel()[hits.of]
            took_part = ~np.repeat(missing.ravel(), hits.length.ravel())
            tied = None if hits.tied is None else hits.tied[took_part]
            length = np.where(missing, 0, hits.length)
            along = hits.alongside(itemgetter(took_part))
            hits = replace(hits.take(inside), length=length, tied=tied, along=along)
        return hits.cells(self.judgments, depth, width or depth, doc=doc, text=text)

    def dense(self, depth: int, name: str) -> Array:
        """Return one array of `cells` for all lists.

        Parameters
        ----------
        depth
            The number of ranks.
        name
            The key of the array in the result of `cells`.
        """
        values = np.empty((*self.shape, depth), Grade if name == GRADE else np.int32)

        def fill(tile: tuple[slice, slice]) -> None:
            values[tile] = self.cells(tile, depth, doc=name == DOC, ties=False)[name]

        in_threads(fill, tiles(*self.shape, depth))
        return values

    def rows_at(self, depth: int) -> NDArray[np.int64]:
        """Return the judged document at each rank, or -1.

        Documents are positions in the arrays of `judgments`, shape (system, topic, depth).
        """
        slot = self.dense(depth, DOC)
        return np.where(slot >= 0, slot + self.judgments.start[:, np.newaxis], -1)

    def fields(self, metrics: Sequence[Metric], depth: int) -> dict[str, Any]:
        """Return the fields of a `Block` that the metrics need.

        The method returns only fields that do not depend on lists.
        """
        fields = self.judgments.fields(metrics) | {"top": self.top}
        if self.pool is not None:
            fields["pool_depth"] = self.pool.depth
        if any(facts(metric).pooled for metric in metrics):
            fields["pool_count"] = self.pool_count(metrics, depth)
        return fields

    def pool_count(self, metrics: Sequence[Metric], depth: int) -> Array:
        """Count pooled documents per depth; raise for an unknown pool."""
        if self.pool is None or self.pool_kind == "unknown":
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
        """Return lists as a `Block`, the input of metrics.

        Parameters
        ----------
        fields
            The fields that the method `fields` returns.
        depth
            The depth at which lists are cut.
        tile
            Slices that select systems and topics. The default is all lists.
        ties
            Whether to include the fields that describe ties even if tied documents do not share
            their gain.
        """
        tile = tile or (slice(0, self.shape[0]), slice(0, self.shape[1]))
        ties = ties or shares_ranks(self.options.get("ties"))
        cells = self.cells(tile, depth, doc="start" in fields, text="timed" in fields, ties=ties)
        leveled = self.options.get("ties") == "block"
        return Block(**topics_of(fields, tile[1]), **cells, leveled=leveled)


def topics_of(fields: Mapping[str, Any], topics: slice) -> dict[str, Any]:
    """Return the fields of a `Block` for selected topics."""
    return {
        name: value[topics] if name in BY_TOPIC and np.ndim(value) else value
        for name, value in fields.items()
    }


def _selects_all(chosen: Codes, size: int) -> bool:
    """Return whether all positions are selected in their order."""
    return len(chosen) == size and bool((np.asarray(chosen) == np.arange(size)).all())
