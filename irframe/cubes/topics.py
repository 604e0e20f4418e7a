"""Which topics a cube holds, and the recall base of each."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.experiments.collections import Collections
from irframe.experiments.lists import Lists
from irframe.experiments.policy import Topics
from irframe.experiments.topics import choose_topics
from irframe.frames.ids import Codes
from irframe.frames.tables import QrelsTable


@dataclass(frozen=True, eq=False)
class Selection:
    """The topics of a cube among those of the runs and the qrels."""

    placed: Codes
    """Code in the qrels of each topic of the runs, -1 where it is not judged."""
    position: Codes
    """Place in the cube of each topic of the qrels, -1 where it is left out."""
    labels: pd.Index
    """Topics of the cube."""
    judged_topic: Codes
    """Topic code of every row of the qrels."""
    judged_grade: NDArray[np.int8]
    """Grade of every row of the qrels."""
    levels: NDArray[np.int8]
    """The grades that occur, ascending, over all judged topics."""
    collections: Collections
    """Which collection every topic of the qrels belongs to."""

    @cached_property
    def codes(self) -> Codes:
        """Code in the qrels of each topic of the cube."""
        return np.argsort(self.position, kind="stable")[len(self.position) - len(self.labels) :]

    @cached_property
    def chosen(self) -> NDArray[np.bool_]:
        """Whether each topic of the runs is in the cube."""
        return (self.placed >= 0) & (self.position[self.placed] >= 0)

    def in_order(self) -> "Selection":
        """Return the same topics in the order of the qrels."""
        codes = np.sort(self.codes)
        if np.array_equal(codes, self.codes):
            return self
        position = np.full_like(self.position, -1)
        position[codes] = np.arange(len(codes))
        labels = self.labels[np.argsort(self.codes)]
        return replace(self, position=position, labels=labels)

    @property
    def top(self) -> NDArray[np.int16]:
        """The highest grade of the whole collection of each topic of the cube, at least 1."""
        highest = self.collections.reduce(np.maximum, self.judged_topic, self.judged_grade, 1)
        return highest[self.codes].astype(np.int16)

    @cached_property
    def slot(self) -> Codes:
        """Position of every row of the qrels in the recall base of its topic."""
        order = np.argsort(self.judged_topic, kind="stable")
        topic = self.judged_topic[order]
        start = np.flatnonzero(np.diff(topic, prepend=-1))
        slot = np.empty(len(order), np.int32)
        lengths = np.diff(start, append=len(order))
        slot[order] = np.arange(len(order)) - np.repeat(start, lengths)
        return slot

    @cached_property
    def judged(self) -> Codes:
        """Rows of the qrels that are judgments of the topics of the cube, topic by topic."""
        place = self.position[self.judged_topic]
        order = np.argsort(place, kind="stable")
        return order[np.count_nonzero(place < 0) :]

    @property
    def judged_count(self) -> NDArray[np.int32]:
        """How many judgments each topic of the cube has."""
        place = self.position[self.judged_topic[self.judged]]
        return np.bincount(place, minlength=len(self.labels)).astype(np.int32)

    def longest(self, lengths: Codes) -> int:
        """Return the length of the longest list, at least 1."""
        return max(1, int(lengths[:, self.chosen].max(initial=0)))


def select_topics(lists: Lists, judgments: QrelsTable, topics: Topics) -> Selection:
    """Choose the topics of a cube; arguments, errors and warnings as for `choose_topics`."""
    codes = choose_topics(lists, judgments.topics, topics)
    position = np.full(len(judgments.topics), -1)
    position[codes] = np.arange(len(codes))
    return Selection(
        lists.placed,
        position,
        judgments.topics[codes],
        judgments.topic,
        judgments.grade,
        judgments.levels,
        lists.collections,
    )
