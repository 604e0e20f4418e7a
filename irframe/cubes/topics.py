"""Which topics a cube holds, and the recall base of each."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.cubes.collections import Collections
from irframe.errors import IdError, ParameterError, warn
from irframe.frames.ids import Codes
from irframe.frames.joining import place_topics
from irframe.frames.tables import QrelsTable, RunTable, row_slices
from irframe.names import EMPTY, TOPIC


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

    def took_part(self, lengths: Codes) -> NDArray[np.bool_]:
        """Say of every system and topic of the cube whether the system took part there."""
        part = self.collections.of_topic
        listed = np.zeros((len(lengths), len(self.collections.labels)), bool)
        system, topic = np.nonzero(lengths[:, self.placed >= 0])
        listed[system, part[self.placed[self.placed >= 0][topic]]] = True
        return listed[:, part[self.codes]]

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


def count_rows(table: RunTable) -> Codes:
    """Return the length of the list of every system and topic of the runs."""
    topics = len(table.topics)
    lengths = np.zeros((len(table.systems), topics), np.int64)
    for rows in row_slices(len(table.system)):
        pair = table.system[rows].astype(np.int64) * topics + table.topic[rows]
        lengths += np.bincount(pair, minlength=lengths.size).reshape(lengths.shape)
    return lengths


def select_topics(
    table: RunTable,
    judgments: QrelsTable,
    topics: str | Sequence[Hashable],
    collections: Collections | None = None,
) -> Selection:
    """Choose the topics of a cube.

    Parameters
    ----------
    table, judgments
        The two frames.
    topics
        ``"qrels"``, ``"both"`` or a list of judged topics.
    collections
        Which collection every topic of the qrels belongs to; by default all to one.

    Returns
    -------
    Selection
        The choice.

    Raises
    ------
    ParameterError
        For a listed topic that is not judged, or a chosen one of no known collection.

    Warns
    -----
    IrframeWarning
        If topics of the runs are not judged, and so left out.
    """
    placed = place_topics(table, judgments)
    unjudged = int((placed < 0).sum())
    if unjudged and isinstance(topics, str) and topics == "qrels":
        listed = ", ".join(map(str, table.topics[placed < 0][:5]))
        message = f"{unjudged} topics of the runs have no judgments and are left out: {listed}"
        warn(message)
    if isinstance(topics, str):
        if topics not in {"qrels", "both"}:
            raise ParameterError("topics 'qrels', 'both' or a list of topics", repr(topics))
        codes: Codes = np.arange(len(judgments.topics))
        if topics == "both":
            codes = np.intersect1d(codes, placed)
    else:
        codes = _listed(judgments, topics)
    position = np.full(len(judgments.topics), -1)
    position[codes] = np.arange(len(codes))
    labels = judgments.topics[codes]
    one = collections or Collections.one(len(judgments.topics))
    one.refuse_unknown(labels, codes)
    levels = np.unique(judgments.grade)
    if judgments.subtopic_grade is not None:  # one that is nobody's best is a level all the same
        levels = np.setdiff1d(judgments.subtopic_grade, EMPTY)
    return Selection(placed, position, labels, judgments.topic, judgments.grade, levels, one)


def _listed(judgments: QrelsTable, topics: Sequence[Hashable]) -> Codes:
    if not isinstance(topics, Iterable):
        raise ParameterError("topics 'qrels', 'both' or a list of topics", repr(topics))
    wanted = pd.Index(list(topics))
    codes = judgments.topics.get_indexer(wanted)
    unknown = wanted[codes < 0]
    if len(unknown):
        raise ParameterError("judged topics", f"{len(unknown)} others", "", map(repr, unknown))
    if wanted.has_duplicates or not len(wanted):
        twice = wanted[wanted.duplicated()]
        raise IdError(f"every {TOPIC} once, at least one", f"{len(twice)} again", "", twice)
    return codes
