"""Lists of one run, ranked only where judged documents are."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, repeat
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.errors import IdError, ParameterError, RankingError
from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import Tied, TiePolicy, as_key
from irframe.files.ids import Codes, grouped, labels_in, labels_of_one_kind, rows_of_ranges
from irframe.names import DOC, ScoreDtype

Dictionaries = Sequence[Mapping[Any, Any]]
NAN = float("nan")
PADDING = float(np.finfo(np.float32).max) * 0.999
"""Scores from which on, up or down, a document at -1 is none: a search found fewer than asked."""


@dataclass(frozen=True, eq=False)
class Listed:
    """Lists by the judged topics, none of them ranked yet."""

    judgments: Judgments
    systems: pd.Index
    """The label of the run."""
    key: NDArray[np.floating[Any]]
    """What is sorted, the smaller the earlier, as filed; infinite past the end of a list, shape
    (topic, longest)."""
    length: NDArray[np.int64]
    """How long each list is, shape (topic,)."""
    row: Codes
    """The judged documents that were retrieved."""
    key_of_row: Array
    """The key of each of them."""
    documents: Callable[[NDArray[np.bool_]], NDArray[np.object_]]
    """Gives the documents of some lists, list by list as filed; None for one unnamed."""
    unnamed: bool = False
    """Whether there are documents without a name, which are the last of those of equal scores."""

    @property
    def of(self) -> Codes:
        """The list of every judged document."""
        return self.judgments.topic[self.row]


def read_lists(
    lists: Dictionaries,
    judgments: Judgments,
    dtype: ScoreDtype,
    systems: pd.Index,
    *,
    again: bool = False,
) -> Listed | None:
    """Read a dictionary of scores per topic; None if odd.

    Parameters
    ----------
    lists
        Document -> score, for every judged topic.
    judgments
        The judgments.
    dtype
        The precision in which scores are equal.
    systems
        The label of the run.
    again
        Whether runs were read before.
    """
    length = np.fromiter(map(len, lists), np.int64, len(lists))
    values = chain.from_iterable([scores.values() for scores in lists])
    try:
        score = np.fromiter(values, np.float64, int(length.sum()))
    except (TypeError, ValueError, OverflowError):
        return None
    if np.isnan(score.min(initial=np.inf)):
        return None
    key = as_matrix(as_key(score, dtype), length)
    row, of_row = _judged(lists, judgments, key, length, again=again)
    documents = partial(_documents, lists, length)
    return Listed(judgments, systems, key, length, row, of_row, documents)


def _documents(
    lists: Dictionaries, length: NDArray[np.int64], used: NDArray[np.bool_]
) -> NDArray[np.object_]:
    names = chain.from_iterable([lists[place] for place in np.flatnonzero(used).tolist()])
    return np.fromiter(names, object, int(length[used].sum()))


def _judged(
    lists: Dictionaries, judgments: Judgments, key: Array, length: NDArray[np.int64], *, again: bool
) -> tuple[Codes, Array]:
    """Return the retrieved judged documents and their keys.

    Lists are asked for the judged documents, unless there are so many more of these that it is
    less to number them, once for all runs, and to ask for those of the lists.
    """
    if again and len(judgments.row) > 2 * length.sum():
        code = judgments.rows_among(enumerate(lists), int(length.sum()))
        hit = code >= 0
        return code[hit], key[np.arange(key.shape[1]) < length[:, np.newaxis]][hit]
    pairs = zip(lists, judgments.lists, strict=True)
    scores = chain.from_iterable([map(docs.get, names, repeat(NAN)) for docs, names in pairs])
    score = np.fromiter(scores, np.float64, len(judgments.row))
    row = (score == score).nonzero()[0]  # noqa: PLR0124 - those that are a number
    return row, as_key(score[row], key.dtype)


def as_matrix(values: Array, length: NDArray[np.int64], past: float = np.inf) -> Array:
    """Return values as a matrix with a row per list."""
    longest = int(length.max(initial=0))
    if len(values) == longest * len(length):
        return values.reshape(len(length), longest)
    inside = np.arange(longest) < length[:, np.newaxis]
    matrix = np.full(inside.shape, past, values.dtype)
    matrix[inside] = values
    return matrix


@dataclass(frozen=True, eq=False)
class Positions:
    """The documents that positions stand for, and their judgments."""

    judgments: Judgments
    given: Iterable[Any]
    """Documents besides the judged ones."""

    @cached_property
    def docs(self) -> pd.Index:
        """The documents as passed, then the other judged ones.

        Raises
        ------
        IdError
            For documents that are given twice, which then have two positions.
        """
        given = labels_in(pd.Index([*self.given], dtype=object), DOC, "docs=")
        if given.has_duplicates:
            twice = given[given.duplicated()]
            raise IdError("every document of docs= once", f"{len(twice)} again", "", twice)
        given, judged = labels_of_one_kind(given, pd.Index(self.judgments.names))
        docs: pd.Index = pd.Index([*given, *judged]).unique()
        return docs

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """The same as an array."""
        return self.docs.to_numpy(object)

    @cached_property
    def _judged(self) -> pd.Index:
        """The topic and document of each judgment as one number."""
        _, judged = labels_of_one_kind(self.docs, pd.Index(self.judgments.names))
        doc = self.docs.get_indexer(judged)
        return pd.Index(self._pair(self.judgments.topic, doc))

    def _pair(self, topic: Codes, doc: Codes) -> NDArray[np.int64]:
        return topic.astype(np.int64) * len(self.docs) + doc

    def rows(self, topic: Codes, doc: Codes) -> Codes:
        """Return the judgment of each topic and document, or -1."""
        known = self._judged.get_indexer(pd.Index(self._pair(topic, doc)))
        return np.where(doc < 0, -1, known)


def read_positions(
    places: Positions, topic: Codes, doc: Codes, score: Array, dtype: ScoreDtype, systems: pd.Index
) -> Listed:
    """Read lists of positions.

    Parameters
    ----------
    places
        What positions mean.
    topic, doc, score
        Of each row, in any order; rows of topic -1 are left out, documents at -1 have no name.
    dtype
        The precision in which scores are equal.
    systems
        The label of the run.

    Raises
    ------
    ParameterError
        For positions of nothing.
    RankingError
        For missing scores.
    IdError
        For documents that a list has twice.
    """
    judgments = places.judgments
    refuse_beyond("topic", topic, len(judgments.topics))
    refuse_beyond("doc", doc, len(places.docs))
    if len(topic) and topic.min() < 0:
        kept = np.flatnonzero(topic >= 0)
        topic, doc, score = topic[kept], doc[kept], score[kept]
    if (topic[1:] < topic[:-1]).any():
        order = grouped(topic)
        topic, doc, score = topic[order], doc[order], score[order]
    # Searchers fill up short lists with no document and the least score there is; it is nothing
    # that was retrieved.
    padding = (doc < 0) & (np.abs(score) >= PADDING)
    if padding.any():
        topic, doc, score = topic[~padding], doc[~padding], score[~padding]
    missing = np.flatnonzero(np.isnan(score))
    if len(missing):
        named = _described(places, topic[missing], doc[missing])
        raise RankingError("a score in every row", f"{len(missing)} missing", "", named)
    length = np.bincount(topic, minlength=len(judgments.topics))
    _refuse_again(places, as_matrix(doc, length, -1))
    key = as_key(score, dtype)
    row = places.rows(topic, doc)
    hit = np.flatnonzero(row >= 0)

    def documents(used: NDArray[np.bool_]) -> NDArray[np.object_]:
        own = doc if used.all() else doc[np.repeat(used, length)]
        names = places.names[own]
        names[own < 0] = None
        return names

    sides = judgments, systems, as_matrix(key, length), length
    return Listed(*sides, row[hit], key[hit], documents, unnamed=True)


def refuse_beyond(role: str, place: Codes, size: int) -> None:
    """Raise for positions of nothing; -1 stands for any other."""
    beyond = place[(place < -1) | (place >= size)]
    if len(beyond):
        advice = "give -1 for any other" if role == "doc" else ""
        expected = f"{role} positions from -1 to {size - 1}, in {role}s of the scorer"
        raise ParameterError(expected, "", advice, beyond)


def _refuse_again(places: Positions, doc: Array) -> None:
    """Raise if a list has a document twice."""
    ordered = np.sort(doc, axis=1)
    again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if again.any():
        named = _described(places, np.nonzero(again)[0], ordered[:, 1:][again])
        found = f"{len(named)} listed again"
        raise IdError("every document once in a list", found, "drop the duplicates", named)


def _described(places: Positions, topic: Codes, doc: Codes) -> list[str]:
    """Return what identifies some rows, for messages."""
    names = np.append(places.names, "-1")[doc]
    return [f"{a} {b}" for a, b in zip(places.judgments.topics[topic], names, strict=True)]


FEW = 1 << 10
"""Keys that are counted one by one in less time than steps of a bisection take."""
CROWD = 4
"""Pairs of a judged document and another of its score, for each document of a run, from which it is
less to sort the names of all."""


def rank_hits(listed: Listed, policy: TiePolicy, seed: int, *, filed: bool = False) -> Hits | None:
    """Rank the judged documents; None if too many scores tie.

    Names are compared only among equal scores, and only where one of the documents is judged.

    Parameters
    ----------
    listed
        The lists.
    policy, seed
        What decides among equal scores.
    filed
        Whether it is wanted at which ranks pooling reads them.
    """
    longest = listed.key.shape[1]  # as many keys in each list as bisection goes through
    keys = np.full((len(listed.key), (1 << longest.bit_length()) - 1), np.inf, listed.key.dtype)
    keys[:, :longest] = listed.key
    keys[:, :longest].sort(axis=1)
    shared = _tied(keys, listed.length) if policy.shares else None
    past = np.maximum(keys.shape[1] - 1 - listed.length, 0).sum()  # equal ones past the ends
    are_tied = np.count_nonzero(keys[:, 1:] == keys[:, :-1]) > past
    if are_tied and not listed.unnamed:
        equal = _tied(keys, listed.length) if shared is None else shared
        if _is_crowded(listed, equal):
            return None
    of, key_of_row, length = listed.of, listed.key_of_row, listed.length[np.newaxis]
    before = _count(keys, of, key_of_row, equal=False)
    if not are_tied:
        rank = before + 1
        return Hits(length, of, rank, listed.row, shared, rank if filed else None)
    last = listed.length[of] - 1
    following = np.minimum(before + 1, last)
    tied = np.flatnonzero((before < last) & (keys[of, following] == key_of_row))
    pooled = before.copy() if filed else None
    if len(tied):
        upto = np.minimum(_count(keys, of[tied], key_of_row[tied], equal=True), last[tied] + 1)
        blocks = Blocks.of_hits(listed, tied, before[tied], upto)
        if pooled is not None:
            pooled[tied] += blocks.count(blocks.filed())
        before[tied] += blocks.count(blocks.before(policy, seed))
    return Hits(length, of, before + 1, listed.row, shared, None if pooled is None else pooled + 1)


def _count(keys: Array, of: Codes, limits: Array, *, equal: bool) -> Codes:
    """Count smaller (or equal) keys of sorted lists by bisection."""
    width, flat = keys.shape[1], keys.ravel()
    if len(of) * width <= FEW:
        own, limit = keys[of], limits[:, np.newaxis]
        return np.asarray((own <= limit if equal else own < limit).sum(axis=1))
    first = of * width - 1
    place = first.copy()
    step = (width + 1) >> 1
    while step:
        probe = place + step
        probed = flat.take(probe)
        np.copyto(place, probe, where=probed <= limits if equal else probed < limits)
        step >>= 1
    return np.asarray(place - first)


def _tied(keys: Array, length: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell per document whether it ties with the one above."""
    same = np.zeros(keys.shape, bool)
    same[:, 1:] = keys[:, 1:] == keys[:, :-1]
    return same[np.arange(keys.shape[1]) < length[:, np.newaxis]]


def _is_crowded(listed: Listed, tied: NDArray[np.bool_]) -> bool:
    """Tell whether judged documents may tie with many others."""
    size = np.diff(np.flatnonzero(~tied), append=len(tied))
    others = (size * (size - 1)).sum() / len(tied)
    judged = np.minimum(listed.judgments.count, listed.length).sum()
    return bool(judged * others > CROWD * len(tied))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Judged documents paired with all documents tied with them."""

    listed: Listed
    of: Codes
    """The list, by pairs of a judged document and another of its block."""
    row: Codes
    """Where the other one is filed."""
    other: Array
    """Its name."""
    own: Array
    """The name of the judged one."""
    size: Codes
    """How many pairs there are for each judged document."""

    @classmethod
    def of_hits(cls, listed: Listed, hit: Codes, first: Codes, upto: Codes) -> "Blocks":
        """Find the blocks of some judged documents.

        Parameters
        ----------
        listed
            The lists.
        hit
            The judged documents, by their place in `listed.row`.
        first, upto
            Where, in order, those of the same score begin and end.
        """
        of, size = listed.of[hit], upto - first
        used = np.zeros(len(listed.key), bool)
        used[of] = True
        length = listed.length[used]
        key = listed.key if used.all() else listed.key[used]
        endless = np.count_nonzero(key == np.inf) > key.size - length.sum()  # as past the ends
        order: Codes = np.argsort(key, axis=1, kind="stable" if endless else None)
        order += (np.cumsum(length) - length)[:, np.newaxis]
        ranges = (np.cumsum(used) - 1)[of] * order.shape[1] + first
        row = order.ravel().take(rows_of_ranges(ranges, size))
        own = np.repeat(listed.judgments.names[listed.row[hit]], size)
        return cls(listed, np.repeat(of, size), row, listed.documents(used)[row], own, size)

    def count(self, before: NDArray[np.bool_]) -> Codes:
        """Count the selected pairs of each judged document."""
        return np.add.reduceat(before, np.cumsum(self.size) - self.size, dtype=np.int64)

    def filed(self) -> NDArray[np.bool_]:
        """Return which tied documents come earlier in the run."""
        return np.asarray(self.row < np.repeat(self.row[self.other == self.own], self.size))

    def before(self, policy: TiePolicy, seed: int) -> NDArray[np.bool_]:
        """Return which tied documents come first."""
        listed, other = self.listed, self.other
        if policy.keys is None:
            return self.filed()
        named = np.flatnonzero(other != None) if listed.unnamed else slice(None)  # noqa: E711
        topics = listed.judgments.topics
        known = listed.systems, topics, 0, self.of[named]
        sides = (_as_text(names[named]) for names in (other, self.own))
        keys, limit = (policy.keys(Tied(*known, names, seed)) for names in sides)
        before = np.zeros(len(other), bool)
        if keys.dtype == object:
            before[named] = keys > limit if policy.descending else keys < limit
            return before
        same = before.copy()
        before[named], same[named] = keys < limit, keys == limit
        return np.asarray(before | (same & self.filed()))


def _as_text(names: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return names as text, by which they are compared."""
    if not len(names) or isinstance(names[0], str):
        return names
    return np.array([str(name) for name in names], object)
