"""Lists as callers have them, by name or by position, read into keys to be sorted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, compress, repeat
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.errors import IdError, ParameterError, RankingError
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import as_key
from irframe.files.ids import Codes, grouped
from irframe.names import ScoreDtype

Dictionaries = Sequence[Mapping[Any, Any]]
NAN = float("nan")


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

    @property
    def of(self) -> Codes:
        """The list of every judged document."""
        return self.judgments.topic[self.row]

    unnamed: ClassVar = False
    """Whether there are documents without a name, which are the last of those of equal scores."""

    def documents(self, used: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the documents of some lists, list by list as filed; None for one unnamed."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class Named(Listed):
    """Lists of names: a dictionary document -> score for each topic."""

    lists: Dictionaries

    def documents(self, used: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the documents of some lists; see `Listed`."""
        names = chain.from_iterable([self.lists[place] for place in np.flatnonzero(used).tolist()])
        return np.fromiter(names, object, int(self.length[used].sum()))


def read_lists(
    lists: Dictionaries,
    judgments: Judgments,
    dtype: ScoreDtype,
    systems: pd.Index,
    *,
    again: bool = False,
) -> Named | None:
    """Read a dictionary of scores for each topic; None if something in them is not as it should be.

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
    return Named(judgments, systems, key, length, row, of_row, lists)


def _judged(
    lists: Dictionaries,
    judgments: Judgments,
    key: Array,
    length: NDArray[np.int64],
    *,
    again: bool,
) -> tuple[Codes, Array]:
    """Return the judged documents that were retrieved, and the key of each of them.

    A list is asked for the judged documents, unless there are so many more of these that it is
    less to number them, once for all runs, and to ask for those of the list.
    """
    short = (judgments.count > 2 * length) & again
    if not short.any():
        return _asked(lists, judgments, key.dtype)
    pairs = ((place, lists[place]) for place in np.flatnonzero(short).tolist())
    code = judgments.rows_among(pairs, int(length[short].sum()))
    hit = code >= 0
    mine = key[np.arange(key.shape[1]) < (length * short)[:, np.newaxis]][hit]
    if short.all():
        return code[hit], mine
    row, others = _asked(lists, judgments, key.dtype, ~short)
    return np.concatenate([row, code[hit]]), np.concatenate([others, mine])


def as_matrix(values: Array, length: NDArray[np.int64], past: float = np.inf) -> Array:
    """Return values with a row for every list, and what stands past the end of one."""
    longest = int(length.max(initial=0))
    if len(values) == longest * len(length):
        return values.reshape(len(length), longest)
    inside = np.arange(longest) < length[:, np.newaxis]
    matrix = np.full(inside.shape, past, values.dtype)
    matrix[inside] = values
    return matrix


def _asked(
    lists: Dictionaries, judgments: Judgments, dtype: Any, chosen: NDArray[np.bool_] | None = None
) -> tuple[Codes, Array]:
    """Ask lists for their judged documents, all or those chosen."""
    pairs: Iterable[tuple[Mapping[Any, Any], list[Any]]]
    pairs, size = zip(lists, judgments.lists, strict=True), len(judgments.row)
    if chosen is not None:
        pairs, size = compress(pairs, chosen.tolist()), int(judgments.count[chosen].sum())
    scores = chain.from_iterable([map(docs.get, names, repeat(NAN)) for docs, names in pairs])
    score = np.fromiter(scores, np.float64, size)
    there = (score == score).nonzero()[0]  # noqa: PLR0124 - those that are a number
    row = there if chosen is None else np.flatnonzero(chosen[judgments.topic])[there]
    return row, as_key(score[there], dtype)


@dataclass(frozen=True, eq=False)
class Places:
    """What positions of documents mean, and which of them are judged for which topic."""

    judgments: Judgments
    given: Iterable[Any]
    """Documents besides the judged ones."""

    @cached_property
    def docs(self) -> pd.Index:
        """The documents, judged ones first."""
        docs: pd.Index = pd.Index([*self.judgments.names, *self.given]).unique()
        return docs

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """The same as an array."""
        return self.docs.to_numpy(object)

    @cached_property
    def _of_row(self) -> Codes:
        """The document of each judgment."""
        return np.asarray(self.docs.get_indexer(pd.Index(self.judgments.names)), np.int32)

    @cached_property
    def _first(self) -> Codes:
        """The first judgment of each document, -1 for those that have none, and for no document."""
        first = np.full(len(self.docs) + 1, -1, np.int32)
        first[self._of_row[::-1]] = np.arange(len(self._of_row), dtype=np.int32)[::-1]
        return first

    @cached_property
    def _several(self) -> NDArray[np.bool_]:
        """Whether each document is judged for several topics."""
        return np.bincount(self._of_row, minlength=len(self.docs) + 1) > 1

    @cached_property
    def _ordered(self) -> tuple[NDArray[np.int64], Codes]:
        """Documents and topics of judgments as one number, ascending, and the row of each."""
        pair = self._pair(self.judgments.topic, self._of_row)
        order = np.argsort(pair)
        return pair[order], order

    def _pair(self, topic: Codes, doc: Codes) -> NDArray[np.int64]:
        return topic.astype(np.int64) * len(self.docs) + doc

    def rows(self, topic: Codes, doc: Codes) -> Codes:
        """Return the judgments of topics and documents, -1 where there is none."""
        row = self._first[doc]
        wrong = np.flatnonzero(self.judgments.topic[row] != topic)
        others = wrong[self._several[doc[wrong]]]
        row[wrong] = -1
        if len(others):
            known, judged = self._ordered
            pair = self._pair(topic[others], doc[others])
            place = np.minimum(np.searchsorted(known, pair), len(known) - 1)
            row[others] = np.where(known[place] == pair, judged[place], -1)
        return row


@dataclass(frozen=True, eq=False)
class Placed(Listed):
    """Lists of positions."""

    places: Places
    doc: Codes
    """The document of each row, list by list, as filed; -1 for one that has no name."""

    unnamed: ClassVar = True

    def documents(self, used: NDArray[np.bool_]) -> NDArray[np.object_]:
        """Return the documents of some lists; see `Listed`."""
        doc = self.doc if used.all() else self.doc[np.repeat(used, self.length)]
        names = self.places.names[doc]
        names[doc < 0] = None
        return names


def read_places(
    places: Places, topic: Codes, doc: Codes, score: Array, dtype: ScoreDtype, systems: pd.Index
) -> Placed:
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
    missing = np.flatnonzero(np.isnan(score))
    if len(missing):
        named = _described(places, topic[missing], doc[missing])
        raise RankingError("a score in every row", f"{len(missing)} missing", "", named)
    length = np.bincount(topic, minlength=len(judgments.topics))
    _refuse_again(places, as_matrix(doc, length, -1))
    key = as_key(score, dtype)
    row = places.rows(topic, doc)
    hit = np.flatnonzero(row >= 0)
    keys = as_matrix(key, length)
    return Placed(judgments, systems, keys, length, row[hit], key[hit], places, doc)


def refuse_beyond(role: str, place: Codes, size: int) -> None:
    """Raise for positions of nothing; -1 stands for any other."""
    beyond = place[(place < -1) | (place >= size)]
    if len(beyond):
        advice = "give -1 for any other" if role == "doc" else ""
        wanted = f"{role} positions from -1 to {size - 1}, in {role}s of the scorer"
        raise ParameterError(wanted, "", advice, beyond)


def _refuse_again(places: Places, doc: Array) -> None:
    """Raise if there is a document twice in a list, given the documents by lists."""
    ordered = np.sort(doc, axis=1)
    again = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if again.any():
        named = _described(places, np.nonzero(again)[0], ordered[:, 1:][again])
        found = f"{len(named)} listed again"
        raise IdError("every document once in a list", found, "drop the duplicates", named)


def _described(places: Places, topic: Codes, doc: Codes) -> list[str]:
    """Return what identifies some rows, for messages."""
    names = np.append(places.names, "-1")[doc]
    return [f"{a} {b}" for a, b in zip(places.judgments.topics[topic], names, strict=True)]
