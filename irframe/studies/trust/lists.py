"""What is odd about the lists of runs, found on frames that need not be fit to be scored."""

import numpy as np
from numpy.typing import NDArray

from irframe.frames.ids import Codes
from irframe.frames.tables import QrelsTable, RunTable


def without_score(table: RunTable) -> Codes:
    """Return the rows without a score; none, where no row is to have one."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isnan(table.score))


def contradicting(table: RunTable) -> Codes:
    """Return the lists, numbered as in `RunTable.group`, where a lower rank has a higher score."""
    if table.score is None or table.rank is None:
        return np.arange(0)
    order = np.lexsort((table.rank, table.group))
    group, score = table.group[order], table.score[order]
    return np.unique(group[1:][(np.diff(score) > 0) & (np.diff(group) == 0)])


def equally_ranked(table: RunTable) -> Codes:
    """Return the lists, numbered alike, that have a rank twice, or rows without one."""
    if table.rank is None:
        return np.arange(0)
    order = np.lexsort((table.rank, table.group))
    group, rank = table.group[order], table.rank[order]
    twice = group[1:][(np.diff(rank) == 0) & (np.diff(group) == 0)]
    return np.unique(np.append(twice, group[np.isnan(rank)]))


def list_lengths(table: RunTable, judgments: QrelsTable) -> NDArray[np.integer]:
    """Return how many rows every system has for every judged topic, shape (system, topic)."""
    topics = judgments.topics.get_indexer(table.topics)
    shape = (len(table.systems), len(judgments.topics))
    known = topics[table.topic] >= 0
    place = table.system[known].astype(np.int64) * shape[1] + topics[table.topic][known]
    return np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)


def topics_of_both(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return the code of every row's topic in the qrels, one beyond those where it is unknown."""
    placed = judgments.topics.get_indexer(table.topics)
    beyond = len(judgments.topics) + np.arange(len(placed))
    return np.where(placed < 0, beyond, placed)[table.topic]
