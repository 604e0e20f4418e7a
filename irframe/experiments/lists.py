"""Which lists there are when runs meet judgments, and where systems take part."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.experiments.coded_tables import RunTable, row_slices
from irframe.experiments.collections import Collections
from irframe.files.ids import Codes


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


def count_rows(table: RunTable) -> Codes:
    """Return the length of the list of every system and topic of the runs."""
    topics = len(table.topics)
    lengths = np.zeros((len(table.systems), topics), np.int64)
    for rows in row_slices(len(table.system)):
        pair = table.system[rows].astype(np.int64) * topics + table.topic[rows]
        lengths += np.bincount(pair, minlength=lengths.size).reshape(lengths.shape)
    return lengths
