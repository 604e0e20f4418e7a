"""Which lists there are when runs meet judgments, and where systems take part."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.experiments.coded_tables import RunTable, row_slices
from irframe.experiments.collections import Collections
from irframe.files.ids import Codes, repeated


@dataclass(frozen=True, eq=False)
class Lists:
    """The lists of every system, for topics of the runs and of the qrels."""

    systems: pd.Index
    """The systems."""
    topics: pd.Index
    """The topics of the runs."""
    placed: Codes
    """Code in the qrels of each topic of the runs, -1 where it is not judged."""
    lengths: Codes
    """Length of every list, shape (system, topic of the runs)."""
    collections: Collections
    """Which collection every topic of the qrels belongs to."""

    @cached_property
    def listed(self) -> NDArray[np.bool_]:
        """Whether every system has a list for every topic of the qrels."""
        judged = self.placed >= 0
        listed = np.zeros((len(self.lengths), len(self.collections.of_topic)), bool)
        listed[:, self.placed[judged]] = self.lengths[:, judged] > 0
        return listed

    @cached_property
    def attended(self) -> NDArray[np.bool_]:
        """Whether every system takes part on every topic of the qrels: in its collection.

        It does if it has a list there, or if rows of the runs say that they are of it, judged or
        not. A system of which neither says where it takes part does so everywhere.
        """
        found = np.zeros((len(self.lengths), len(self.collections.labels) + 1), bool)
        system, topic = np.nonzero(self.listed)
        found[system, self.collections.of_topic[topic]] = True
        if self.collections.told is not None:
            found[:, :-1] |= self.collections.told
        found[~found.any(axis=1)] = True
        return np.asarray(found[:, self.collections.of_topic])

    def longest(self, topics: Codes) -> int:
        """Return the length of the longest list for some topics of the qrels, at least 1."""
        return max(1, int(self.lengths[:, np.isin(self.placed, topics)].max(initial=0)))


def ends_of_lists(system: Codes, topic: Codes) -> tuple[Codes, bool]:
    """Return where, going through rows, lists end, and whether each does so once.

    Examples
    --------
    >>> ends_of_lists(np.array([0, 0, 0, 1]), np.array([2, 2, 0, 0]))
    (array([2, 3, 4]), True)
    """
    changes = (system[1:] != system[:-1]) | (topic[1:] != topic[:-1])
    ends = np.append(np.flatnonzero(changes) + 1, len(system))[: len(system)]
    last = system[ends - 1].astype(np.int64) * (1 + topic.max(initial=0)) + topic[ends - 1]
    return ends, not len(repeated(last))


def slices_of_lists(ends: Codes, most: int) -> Iterator[slice]:
    """Yield slices of rows that hold whole lists, so many rows at most unless one list has more.

    Examples
    --------
    >>> [*slices_of_lists(np.array([2, 3, 9]), 4)]
    [slice(0, 3, None), slice(3, 9, None)]
    """
    start, rows = 0, int(ends[-1]) if len(ends) else 0
    while start < rows:
        fits, least = np.searchsorted(ends, [start + most, start], side="right").tolist()
        stop = int(ends[max(fits - 1, least)])
        yield slice(start, stop)
        start = stop


def count_rows(table: RunTable) -> Codes:
    """Return the length of the list of every system and topic of the runs."""
    topics = len(table.topics)
    lengths = np.zeros((len(table.systems), topics), np.int64)
    for rows in row_slices(len(table.system)):
        pair = table.system[rows].astype(np.int64) * topics + table.topic[rows]
        lengths += np.bincount(pair, minlength=lengths.size).reshape(lengths.shape)
    return lengths
