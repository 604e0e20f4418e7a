"""Runs and judgments coded once: what everything else starts from."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.experiments.collections import Collections
from irframe.experiments.group_columns import Groups
from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.lists import Lists
from irframe.experiments.policy import PoolDepth
from irframe.experiments.pool_sources import Pool
from irframe.files.ids import Codes


@dataclass(frozen=True, eq=False)
class Experiment:
    """Runs, ranked and joined to the judgments of the topics that are scored."""

    judgments: Judgments
    systems: pd.Index
    hits: Hits
    """What lists hold of the judgments."""
    names: Sequence[Any]
    """What the caller calls systems and topics."""
    took_part: NDArray[np.bool_] | None = None
    """Whether each system took part in each topic, shape (system, topic); None for everywhere."""
    top: Any = 1
    """The highest grade, by topic where there are several collections of them."""
    pool: Pool | None = None
    """What the pool was made of, where that is asked for."""
    collection: pd.CategoricalIndex | None = None
    """The collection of each topic, among all that there are, where they are told."""

    @classmethod
    def of(
        cls, judgments: Judgments, hits: Hits, lists: Lists, names: Sequence[Any]
    ) -> "Experiment":
        """Put hits and judgments together, given all lists that there are."""
        took_part: NDArray[np.bool_] | None = lists.attended[:, judgments.code]
        if took_part is not None and took_part.all():
            took_part = None
        collections, table = lists.collections, judgments.table
        top: Any = judgments.top
        if len(collections.labels) > 1:
            top = collections.reduce(np.maximum, table.topic, table.grade, 1)[judgments.code]
        of_topic = collections.of_topic[judgments.code]
        told = None
        if collections.name:
            told = pd.CategoricalIndex(pd.Categorical.from_codes(of_topic, collections.labels))
        return cls(judgments, lists.systems, hits, names, took_part, top, collection=told)

    def with_pool(self, pool: Pool, given: PoolDepth, collections: Collections) -> "Experiment":
        """Return the same with what the pool was made of; see `Pool.down_to`."""
        longest = int(self.hits.length.max(initial=0))
        return replace(self, pool=pool.down_to(given, self.judgments, collections, longest))

    def parts(self, groups: Groups, *, told: bool) -> Iterator[tuple[Any, "Experiment"]]:
        """Yield the part of each group; `told` as for `Groups.parts`."""
        listed, everywhere = self.hits.length > 0, np.ones(self.hits.length.shape, bool)
        took_part = everywhere if self.took_part is None else self.took_part
        parts = groups.parts(self.systems, took_part, listed, told=told)
        for key, (systems, topics) in parts.items():
            yield key, self._part(systems, topics)

    def _part(self, systems: Codes, topics: Codes) -> "Experiment":
        """Return the same of some systems and topics."""
        before, pool = self.judgments, self.pool
        judgments = Judgments.chosen(before.table, before.code[topics])
        row = judgments.here[before.row]
        if pool is not None:
            rank = pool.rank[np.flatnonzero(row >= 0)[np.argsort(row[row >= 0])]]
            pool = replace(pool, rank=rank, depth=pool.depth[topics])
        took_part, top = self.took_part, self.top
        return Experiment(
            judgments,
            self.systems[systems],
            self.hits.part(systems, topics, row),
            self.names,
            None if took_part is None else took_part[systems][:, topics],
            top if np.ndim(top) == 0 else top[topics],
            pool,
            None if self.collection is None else self.collection[topics],
        )
