"""Participation of systems, missing lists, and ranks that contradict scores."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import one_column, refuse_any
from irframe.errors import IdError, IrframeError, ParameterError, RankingError, listing, warn
from irframe.experiments.coded_tables import QrelsTable, RunTable, row_slices
from irframe.experiments.policy import TiePolicy, Topics
from irframe.frames.ids import Codes, grouped, rows_of_ranges, shown

LATE = 2
"""The highest rank at which a list may begin, because ranks are counted from 0, 1 or 2."""

LACKING = "lists that systems lack count as empty"
"""The first words of the warning about missing lists. Callers use these words to recognise the
warning."""
UNLISTED = "no system has a list"
"""The first words of the warning about topics for which no system has a list."""

EVERYTHING = pd.Index(["all"])
"""The label of the collection if all topics form one collection."""


@dataclass(frozen=True, eq=False)
class Collections:
    """The collections of the topics in a qrels frame."""

    of_topic: Codes
    """The position of each topic's collection in `labels`, -1 if unknown."""
    labels: pd.Index
    """The names of the collections."""
    name: str = ""
    """The column that contains the collections."""
    stated: NDArray[np.bool_] | None = None
    """Whether each system has rows in each collection, shape (system, collection).

    None if runs have no column with collections.
    """

    @classmethod
    def single(cls, topics: int) -> "Collections":
        """Return a single collection with this number of topics."""
        return cls(np.zeros(topics, np.intp), EVERYTHING)

    @classmethod
    def read(
        cls, judgments: QrelsTable, name: str | None, runs: tuple[RunTable, Codes] | None = None
    ) -> "Collections":
        """Read collections from a column of qrels or runs.

        Parameters
        ----------
        judgments
            The qrels.
        name
            The name of the column. If `name` is None, all topics form one collection.
        runs
            The runs, and for each topic of the runs its code in the qrels, or -1 if the topic is
            unjudged.

        Raises
        ------
        ParameterError
            If neither runs nor qrels have the column.
        IdError
            If a topic belongs to several collections.
        """
        if name is None:
            return cls.single(len(judgments.topics))
        one_column("collection", name)
        sides = [(judgments.frame, judgments.topic)]
        if runs:
            sides.append((runs[0].frame, runs[1][runs[0].topic]))
        columns = [(frame[name], topic) for frame, topic in sides if name in frame.columns]
        if not columns:
            names = [str(column) for frame, _ in sides[::-1] for column in frame.columns]
            got = f"{name!r}, and the columns"
            expected = "collection to be a column of runs or qrels"
            raise ParameterError(expected, got, "", names)
        codes, labels = pd.factorize(pd.concat([values for values, _ in columns]))
        topic = np.concatenate([of_rows for _, of_rows in columns])
        stated = None
        if runs and name in runs[0].frame.columns:
            system = runs[0].system
            stated = np.zeros((len(runs[0].systems), len(labels)), bool)
            # The rows of runs come last in `columns`, and so in `codes`.
            of_runs = codes[len(codes) - len(system) :]
            stated[system[of_runs >= 0], of_runs[of_runs >= 0]] = True
        labelled = (codes >= 0) & (topic >= 0)
        pairs = np.unique(np.stack([topic[labelled], codes[labelled]]), axis=1)
        in_several = judgments.topics[np.unique(pairs[0][1:][np.diff(pairs[0]) == 0])]
        advice = "make topic ids unique, for example with the collection as a prefix"
        expected = f"every topic in one collection ({name})"
        refuse_any(IdError, in_several, expected, "{} topics in several", advice)
        of_topic = np.full(len(judgments.topics), -1)
        of_topic[pairs[0]] = pairs[1]
        return cls(of_topic, pd.Index(labels), name, stated)

    def reduce(
        self, best: np.ufunc, topic: Codes, values: ArrayLike, start: int
    ) -> NDArray[np.int64]:
        """Return the maximum or minimum in each topic's collection.

        Parameters
        ----------
        best
            ``numpy.maximum`` or ``numpy.minimum``.
        topic
            The topic code of each value.
        values
            The values to reduce.
        start
            The value that is returned for a collection without values.
        """
        # Code -1 of an unknown collection selects the last item, which has no values.
        total = np.full(len(self.labels) + 1, start, np.int64)
        best.at(total, self.of_topic[topic], np.asarray(values, np.int64))
        total[-1] = start
        return total[self.of_topic]


@dataclass(frozen=True, eq=False)
class Lists:
    """The lengths of lists by system and topic, without documents."""

    systems: pd.Index
    """The names of the systems."""
    topics: pd.Index
    """The topics of the runs."""
    placed: Codes
    """For each topic of the runs, its code in the qrels, or -1 if it is unjudged."""
    lengths: Codes
    """The length of every list, shape (system, run topic)."""
    collections: Collections
    """The collections to which the topics of the qrels belong."""

    @cached_property
    def listed(self) -> NDArray[np.bool_]:
        """Whether each system has a list for each judged topic."""
        judged = self.placed >= 0
        listed = np.zeros((len(self.lengths), len(self.collections.of_topic)), bool)
        listed[:, self.placed[judged]] = self.lengths[:, judged] > 0
        return listed

    @cached_property
    def participated(self) -> NDArray[np.bool_]:
        """Whether each system takes part in each judged topic.

        A system takes part in a collection if it has a list for one of the collection's topics, or
        if its rows name the collection, even for an unjudged topic. A system whose
        rows name no collection takes part in all collections.
        """
        # The last column stands for unknown collections, which have code -1.
        participated = np.zeros((len(self.lengths), len(self.collections.labels) + 1), bool)
        system, topic = np.nonzero(self.listed)
        participated[system, self.collections.of_topic[topic]] = True
        if self.collections.stated is not None:
            participated[:, :-1] |= self.collections.stated
        participated[~participated.any(axis=1)] = True
        return np.asarray(participated[:, self.collections.of_topic])

    def longest(self, topics: Codes) -> int:
        """Return the length of the longest list for these topics."""
        return max(1, int(self.lengths[:, np.isin(self.placed, topics)].max(initial=0)))


def slices_of_lists(ends: Codes, most: int) -> Iterator[slice]:
    """Yield slices of rows that contain complete lists.

    Parameters
    ----------
    ends
        The row after each list, in ascending order.
    most
        The maximum number of rows per slice. Only a slice with a single longer list exceeds this
        maximum.

    Examples
    --------
    >>> [*slices_of_lists(np.array([2, 3, 9]), 4)]
    [slice(0, 3, None), slice(3, 9, None)]
    """
    start = 0
    while start < ends.max(initial=0):
        fits, least = np.searchsorted(ends, [start + most, start], side="right").tolist()
        stop = int(ends[max(fits - 1, least)])
        yield slice(start, stop)
        start = stop


def count_rows(table: RunTable) -> Codes:
    """Return the length of each list, shape (system, run topic)."""
    topics = len(table.topics)
    lengths = np.zeros((len(table.systems), topics), np.int64)
    for rows in row_slices(len(table.system)):
        pair = table.system[rows].astype(np.int64) * topics + table.topic[rows]
        lengths += np.bincount(pair, minlength=lengths.size).reshape(lengths.shape)
    return lengths


def warn_missing(
    lists: Lists,
    topics: pd.Index,
    codes: Codes,
    answered: NDArray[np.bool_],
    group: ArrayLike | None = None,
) -> None:
    """Warn of missing lists, which count as empty.

    Parameters
    ----------
    lists
        The lists of the runs.
    topics
        The labels of the scored topics.
    codes
        The codes in the qrels of the scored topics.
    answered
        Whether each topic has a relevant document. Missing lists for other topics are not reported,
        because their scores are 0 for every list.
    group
        The group of each topic. If given, a system without a list in a group is not expected to
        have lists for the topics of this group.

    Warns
    -----
    IrframeWarning
        If no system has a list for a topic, if a system has no list for any judged topic, or if a
        system lacks lists that other systems have.
    """
    listed = lists.listed[:, codes]
    expected = lists.participated[:, codes] & answered
    present = np.asarray(listed.any(axis=0))
    has_participants = np.asarray(expected.any(axis=0))
    unlisted = topics[np.flatnonzero(has_participants & ~present)]
    if len(unlisted):
        warn(
            f"{UNLISTED} for {len(unlisted)} of {has_participants.sum()} judged topics: "
            f"{listing(unlisted)}; topics='runs' leaves them out"
        )
    stray = ~np.asarray(lists.listed.any(axis=1))
    inside = np.asarray(lists.participated.any(axis=1))
    if (stray & inside).any():
        unmatched = np.flatnonzero(stray & inside)
        theirs = lists.topics[np.flatnonzero((lists.lengths[unmatched] > 0).any(axis=0))]
        remark = f"these systems have the topics {shown(theirs)}, " if len(theirs) else ""
        warn(
            "systems without a list for any judged topic score 0 on all judged topics: "
            f"{listing(lists.systems[unmatched])}; {remark}the judged topics are {shown(topics)}"
        )
    if not inside.all():
        name = lists.collections.name
        unscored = f"systems without a judged collection ({name}) have no score"
        warn(f"{unscored}: {listing(lists.systems[~inside])}")
    expected &= present & ~stray[:, np.newaxis]
    if group is not None:
        of_group, keys = pd.factorize(np.asarray(group))
        inside = of_group[:, np.newaxis] == np.arange(len(keys))
        expected &= (listed @ inside)[:, of_group]
    missing = (expected & ~listed).sum(axis=1)
    total = expected.sum(axis=1)
    order = np.argsort(-missing, kind="stable")[: np.count_nonzero(missing)]
    if len(order):
        lacking = [f"{lists.systems[row]} {missing[row]} of {total[row]} topics" for row in order]
        warn(f"{LACKING}: {listing(lacking)}; topics='common' leaves out topics with missing lists")


CHOICES = ("qrels", "runs", "common")
"""Names of choices of topics: all judged topics, topics for which at least one run has a list, and
topics for which every run has a list."""


def choose_topics(lists: Lists, labels: pd.Index, topics: Topics) -> Codes:
    """Return the codes of the topics that are scored.

    Parameters
    ----------
    lists
        The lists of the runs.
    labels
        The topics of the qrels.
    topics
        One of `CHOICES`, or a list of judged topics, as in `irframe.cube`.

    Returns
    -------
    numpy.ndarray
        The codes in the qrels of the chosen topics.

    Raises
    ------
    ParameterError
        If a listed topic is not judged, or the collection of a chosen topic is unknown.
    IdError
        If no topic has a list of every run, and `topics` is ``"common"``.

    Warns
    -----
    IrframeWarning
        If topics of the runs are not judged. The topics that are not judged are left out.
    """
    codes = judged_topics(labels, topics)
    if isinstance(topics, str):
        codes = codes[_chosen(lists, topics)]
        unjudged = lists.topics[lists.placed < 0]
        if len(unjudged):
            remark = f"{len(unjudged)} topics of the runs have no judgments and are left out"
            warn(f"{remark}: {listing(unjudged)}")
    unknown = labels[codes[lists.collections.of_topic[codes] < 0]]
    if len(unknown):
        name = lists.collections.name
        expected = f"a collection ({name}) for every topic"
        advice = f"add the column {name!r} to the qrels"
        raise ParameterError(expected, f"none for {len(unknown)} topics", advice, unknown)
    return codes


def judged_topics(labels: pd.Index, topics: object) -> Codes:
    """Return the codes of requested topics; raise if unjudged.

    Parameters
    ----------
    labels
        The topics of the qrels.
    topics
        One of `CHOICES`, which stands for all topics here, or a list of judged topics.
    """
    if isinstance(topics, str) and topics in CHOICES:
        return np.arange(len(labels))
    if isinstance(topics, str) or not isinstance(topics, Iterable):
        expected = f"topics to be {', '.join(map(repr, CHOICES))} or a list of topics"
        raise ParameterError(expected, repr(topics))
    listed: pd.Index = pd.Index(list(topics))
    codes: Codes = labels.get_indexer(listed)
    unknown = listed[codes < 0]
    refuse_any(ParameterError, map(repr, unknown), "judged topics")
    if listed.has_duplicates or not len(listed):
        twice = listed[listed.duplicated()]
        got = f"{len(twice)} repeated topics"
        raise IdError("at least one topic, each once", got, "", twice)
    return codes


def _chosen(lists: Lists, topics: str) -> NDArray[np.bool_]:
    """Return which judged topics one of `CHOICES` selects."""
    chosen = np.asarray(lists.listed.any(axis=0))
    if topics == "common":
        chosen &= (lists.listed | ~lists.participated).all(axis=0)
    if topics == "qrels":
        return np.ones(len(chosen), bool)
    if not chosen.any():
        counts = lists.listed.sum(axis=1)
        order = np.argsort(counts, kind="stable")
        texts = [f"{lists.systems[row]} {counts[row]} topics" for row in order]
        expected = "topics for which every run has a list"
        got = "no such topic; the runs have lists for"
        raise IdError(expected, got, "pass topics='runs', or leave runs out", texts)
    return chosen


FALLS = 1
RISES = 2
SHUFFLED = 3
"""Directions of scores along ranks. `SHUFFLED` means that scores rise in rows out of rank order."""


def rank_directions(table: RunTable, rows: Codes, key: Array, first: Codes) -> NDArray[np.int8]:
    """Return the direction of each list's scores along its ranks.

    Parameters
    ----------
    table
        The runs.
    rows
        The rows of lists, sorted by list and descending score.
    key
        The sort keys of `rows`.
    first
        The position in `rows` of each list's first row.

    Returns
    -------
    numpy.ndarray
        `FALLS`, `RISES` or `SHUFFLED` for each list, and 0 if all its scores are equal.
    """
    length = np.diff(first, append=len(rows))
    # Keys are sorted within a list, so equal keys at both ends mean that all scores are equal.
    direction = np.asarray(key[first] != key[first + length - 1], np.int8) * np.int8(FALLS)
    try:
        rank = np.asarray(table.rank)[rows]
    except IrframeError:
        # The rank column does not decide the order here, so the column may contain values other
        # than ranks.
        return direction
    falls = rank[1:] < rank[:-1]
    falls[first[1:] - 1] = False
    if not falls.any():
        return direction
    doubtful = np.unique(np.searchsorted(first, np.flatnonzero(falls), "right") - 1)
    number = np.repeat(np.arange(len(doubtful)), length[doubtful])
    inside = rows_of_ranges(first[doubtful], length[doubtful])
    inside = inside[np.lexsort((rank[inside], number))]
    rank, key, rows = rank[inside], key[inside], rows[inside]
    same = (number[1:] == number[:-1]) & (rank[1:] > rank[:-1])
    # A score rises where its key falls, because a key is minus the score.
    step = np.where(same, (key[1:] < key[:-1]).astype(np.int8) - (key[1:] > key[:-1]), 0)
    rises = np.bincount(number[1:], step, len(doubtful)) > 0
    moved = np.bincount(number[1:], same & (rows[1:] < rows[:-1]), len(doubtful)) > 0
    direction[doubtful[rises]] = RISES
    direction[doubtful[rises & moved]] = SHUFFLED
    return direction


def rising_systems(table: RunTable, system: Codes, direction: NDArray[np.int8] | None) -> list[str]:
    """Return descriptions of systems with scores that rise along ranks.

    Parameters
    ----------
    table
        The runs.
    system
        The system of each list.
    direction
        The direction of each list's scores. None if scores or ranks are missing.

    Raises
    ------
    RankingError
        If scores rise along the ranks in all lists of a system, and rows are in rank order.
    """
    if direction is None or not (direction >= RISES).any():
        return []
    counts = pd.crosstab(system, direction).reindex(columns=[FALLS, RISES, SHUFFLED], fill_value=0)
    number = counts.sum(axis=1)
    reverse = counts.index[(counts[RISES] == number) & (number > 0)]
    if len(reverse):
        rank, score = (table.columns[role] for role in (words.RANK, words.SCORE))
        got = f"scores in {score!r} that rise with the ranks in {rank!r} in every list of"
        drop = f"to rank by score, drop the ranks: frame.drop(columns={rank!r})"
        advice = f"to rank by the ranks, pass ties='rank'; {drop}"
        offenders = table.systems[reverse]
        raise RankingError("scores that fall from rank to rank", got, advice, offenders)
    rising = number - counts[FALLS]
    codes = counts.index[rising > 0]
    return [f"{table.systems[code]} in {rising[code]} of {number[code]} lists" for code in codes]


def warn_rising(contrary: Sequence[str]) -> None:
    """Warn of the systems that `rising_systems` returns."""
    if contrary:
        text = (
            "scores rise with the ranks, and the scores decide the order as in trec_eval: "
            f"{listing(contrary)}"
        )
        warn(f"{text}; to rank by the ranks, pass ties='rank'")


def refuse_falling(table: RunTable, policy: TiePolicy) -> None:
    """Raise if a system's ranks fall from row to row.

    Ranks that always fall are probably scores.
    """
    if words.RANK not in table.columns or policy.column == words.RANK or not table.unscored.any():
        return
    order = grouped(table.group)
    order = order[table.unscored[table.system[order]]]
    ranks = np.asarray(table.rank)[order]
    system = table.system[order]
    inside = np.diff(table.group[order]) == 0
    falls = np.diff(ranks)[inside] < 0
    of_step = system[1:][inside]
    # Numbers from 0, 1 or 2 on with few gaps are ranks whose rows are in reverse order, and not
    # scores.
    for code in np.setdiff1d(of_step[falls], of_step[~falls]):
        of_system = ranks[system == code]
        least, most = of_system.min(), of_system.max()
        longest = np.bincount(table.topic[table.system == code]).max()
        if 0 <= least <= LATE and most - least < 2 * longest:
            continue
        name = table.columns[words.RANK]
        got = f"ranks {least:g} to {most:g}, which fall from row to row in {name!r}"
        rename = f"frame.rename(columns={{{name!r}: 'score'}})"
        advice = f"if these are scores, rename the column: {rename}; else sort the rows"
        raise RankingError(f"lists that begin at a rank from 0 to {LATE}", got, advice)
