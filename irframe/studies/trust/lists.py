"""What is odd about the lists of runs, found on frames that need not be fit to be scored."""

import numpy as np
from numpy.typing import NDArray

from irframe.experiments.coded_tables import QrelsTable, RunTable
from irframe.files.ids import Codes, beginnings


def without_score(table: RunTable) -> Codes:
    """Return the rows without a score; none, where no row is to have one."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isnan(table.score))


def with_infinite_score(table: RunTable) -> Codes:
    """Return the rows whose score is infinite."""
    return np.arange(0) if table.score is None else np.flatnonzero(np.isinf(table.score))


def contradicting(table: RunTable) -> Codes:
    """Return the lists, numbered as in `RunTable.group`, where a lower rank has a higher score."""
    if table.score is None or table.rank is None:
        return np.arange(0)
    order = np.lexsort((table.rank, table.group))
    group, score = table.group[order], table.score[order]
    return np.unique(group[1:][(score[1:] > score[:-1]) & (np.diff(group) == 0)])


def equally_ranked(table: RunTable) -> Codes:
    """Return the lists, numbered alike, that have a rank twice, or rows without one."""
    if table.rank is None:
        return np.arange(0)
    order = np.lexsort((table.rank, table.group))
    group, rank = table.group[order], table.rank[order]
    twice = group[1:][(np.diff(rank) == 0) & (np.diff(group) == 0)]
    return np.unique(np.append(twice, group[np.isnan(rank)]))


def gapped(table: RunTable) -> Codes:
    """Return the lists, numbered alike, whose ranks leave some out, or begin beyond 2."""
    if table.rank is None:
        return np.arange(0)
    order = np.lexsort((table.rank, table.group))
    group, rank = table.group[order], table.rank[order]
    skipped = group[1:][(np.diff(rank) > 1) & (np.diff(group) == 0)]
    first = beginnings(group)
    return np.unique(np.append(skipped, group[first[rank[first] > 2]]))


def undecided(table: RunTable) -> Codes:
    """Return the lists of several documents of systems all of whose lists have one score."""
    if table.score is None:
        return np.arange(0)
    order = np.lexsort((table.score, table.group))
    group, score = table.group[order], table.score[order]
    first = beginnings(group)
    last = np.append(first[1:], len(group)) - 1
    several, equal = last > first, score[first] == score[last]
    systems = group[first] // len(table.topics)
    decided = np.unique(systems[several & ~equal])
    return group[first[several & ~np.isin(systems, decided)]]


def all_lengths(table: RunTable) -> tuple[Codes, NDArray[np.integer]]:
    """Return the lists there are, numbered alike, and how many rows each has."""
    return np.unique(table.group, return_counts=True)


def usual_length(lengths: NDArray[np.integer]) -> int:
    """Return the most frequent of some lengths, the greatest where several are.

    Examples
    --------
    >>> usual_length(np.array([50, 1000, 1000, 2000]))
    1000
    """
    known, counts = np.unique(lengths, return_counts=True)
    return int(known[counts == counts.max()].max(initial=0))


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
