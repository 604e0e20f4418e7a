"""Fast ranking of the judged documents in one run."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain, repeat
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.checks import refuse_any
from irframe.errors import IdError, ParameterError, RankingError
from irframe.experiments.hits import Hits
from irframe.experiments.judgments import Judgments
from irframe.experiments.policy import Tied, TiePolicy, as_key
from irframe.frames.ids import Codes, grouped, labels_in, labels_of_one_kind, rows_of_ranges
from irframe.names import DOC, ScoreDtype

Dictionaries = Sequence[Mapping[Hashable, object]]
NAN = float("nan")
PADDING = float(np.finfo(np.float32).max) * 0.999
"""Minimum absolute score of padding. A row at position -1 is padding if its score is at least this
high, and otherwise an unjudged document without an id."""


@dataclass(frozen=True, eq=False)
class Listed:
    """The unranked lists of one run, one per judged topic."""

    judgments: Judgments
    systems: pd.Index
    """The label of the run."""
    key: NDArray[np.floating[Any]]
    """Sort keys in the order of the run, shape (topic, longest list).

    Documents with smaller keys rank higher. Keys past the end of a list are infinite.
    """
    length: NDArray[np.int64]
    """The length of each list, shape (topic,)."""
    row: Codes
    """The position in `judgments` of each retrieved judged document."""
    key_of_row: Array
    """The key of each retrieved judged document."""
    documents: Callable[[NDArray[np.bool_]], NDArray[np.object_]]
    """Function that returns the document ids in selected lists, in the order of the run. The id of
    an unnamed document is None."""
    unnamed: bool = False
    """Whether documents may have no id. Documents without an id rank last among equal scores."""

    @property
    def of(self) -> Codes:
        """The list of every retrieved judged document."""
        return self.judgments.topic[self.row]


def read_lists(
    lists: Dictionaries,
    judgments: Judgments,
    dtype: ScoreDtype,
    systems: pd.Index,
    *,
    later: bool = False,
) -> Listed | None:
    """Read dictionaries of scores; return None for invalid scores.

    Parameters
    ----------
    lists
        For every judged topic, a dictionary that maps documents to scores.
    judgments
        The judgments.
    dtype
        The precision in which scores are compared.
    systems
        The label of the run.
    later
        Whether the scorer has already read a run. If so, the scorer has built dictionaries of the
        judged documents.
    """
    length = np.fromiter(map(len, lists), np.int64, len(lists))
    values = chain.from_iterable([scores.values() for scores in lists])
    try:
        score = np.fromiter(values, np.float64, int(length.sum()))
    except (TypeError, ValueError, OverflowError):
        return None
    # the minimum is NaN if any score is NaN, so no boolean array is needed
    if np.isnan(score.min(initial=np.inf)):
        return None
    key = as_matrix(as_key(score, dtype), length)
    row, of_row = _judged(lists, judgments, key, length, later=later)
    documents = partial(_documents, lists, length)
    return Listed(judgments, systems, key, length, row, of_row, documents)


def _documents(
    lists: Dictionaries, length: NDArray[np.int64], used: NDArray[np.bool_]
) -> NDArray[np.object_]:
    names = chain.from_iterable([lists[pos] for pos in np.flatnonzero(used).tolist()])
    return np.fromiter(names, object, int(length[used].sum()))


def _judged(
    lists: Dictionaries, judgments: Judgments, key: Array, length: NDArray[np.int64], *, later: bool
) -> tuple[Codes, Array]:
    """Return the retrieved judged documents and their sort keys.

    Usually judged documents are looked up in the lists. If there are far more judged documents than
    retrieved documents, retrieved documents are looked up among the judged documents.
    """
    if later and len(judgments.row) > 2 * length.sum():
        code = judgments.rows_among(enumerate(lists), int(length.sum()))
        hit = code >= 0
        return code[hit], key[np.arange(key.shape[1]) < length[:, np.newaxis]][hit]
    pairs = zip(lists, judgments.lists, strict=True)
    # documents that are not in the list get NaN, because no score is NaN at this point
    scores = chain.from_iterable([map(docs.get, names, repeat(NAN)) for docs, names in pairs])
    score = np.fromiter(scores, np.float64, len(judgments.row))
    row = (score == score).nonzero()[0]  # noqa: PLR0124 - the listed documents, without NaN
    return row, as_key(score[row], key.dtype)


def as_matrix(values: Array, length: NDArray[np.int64], past: float = np.inf) -> Array:
    """Return values as a padded matrix, one row per list."""
    longest = int(length.max(initial=0))
    if len(values) == longest * len(length):
        return values.reshape(len(length), longest)
    inside = np.arange(longest) < length[:, np.newaxis]
    matrix = np.full(inside.shape, past, values.dtype)
    matrix[inside] = values
    return matrix


@dataclass(frozen=True, eq=False)
class Positions:
    """The documents to which integers in arrays refer by position."""

    judgments: Judgments
    passed: Sequence[Hashable]
    """The documents that the caller passed as `docs`."""

    @cached_property
    def docs(self) -> pd.Index:
        """The documents in `passed`, then all other judged documents.

        Raises
        ------
        IdError
            If a document is passed twice and therefore has two positions.
        """
        passed = labels_in(pd.Index([*self.passed], dtype=object), DOC, "docs=")
        twice = passed[passed.duplicated()]
        refuse_any(IdError, twice, "every document of docs= once", "{} documents again")
        passed, judged = labels_of_one_kind(passed, pd.Index(self.judgments.names))
        docs: pd.Index = pd.Index([*passed, *judged]).unique()
        return docs

    @cached_property
    def names(self) -> NDArray[np.object_]:
        """The documents in `docs` as an array of Python objects."""
        return self.docs.to_numpy(object)

    @cached_property
    def _judged(self) -> pd.Index:
        """A code for the topic and document of each judgment."""
        _, judged = labels_of_one_kind(self.docs, pd.Index(self.judgments.names))
        doc = self.docs.get_indexer(judged)
        return pd.Index(self._pair(self.judgments.topic, doc))

    def _pair(self, topic: Codes, doc: Codes) -> NDArray[np.int64]:
        return topic.astype(np.int64) * len(self.docs) + doc

    def rows(self, topic: Codes, doc: Codes) -> Codes:
        """Return the judgment of each pair of positions, or -1."""
        row = self._judged.get_indexer(pd.Index(self._pair(topic, doc)))
        return np.where(doc < 0, -1, row)


def read_positions(
    index: Positions, topic: Codes, doc: Codes, score: Array, dtype: ScoreDtype, systems: pd.Index
) -> Listed:
    """Read lists of document positions.

    Parameters
    ----------
    index
        The documents that positions refer to.
    topic, doc, score
        The topic position, document position and score of each row, in any order. Rows with topic
        -1 are left out. Document -1 has no id.
    dtype
        The precision in which scores are compared.
    systems
        The label of the run.

    Raises
    ------
    ParameterError
        If a position is invalid.
    RankingError
        If a score is missing.
    IdError
        If a list contains a document twice.
    """
    judgments = index.judgments
    refuse_beyond("topic", topic, len(judgments.topics))
    refuse_beyond("doc", doc, len(index.docs))
    # Nearest-neighbour searches pad short lists with position -1 and an extreme score.
    padding = (doc < 0) & (np.abs(score) >= PADDING)
    if padding.any() or topic.min(initial=0) < 0 or (topic[1:] < topic[:-1]).any():
        rows = grouped(topic)
        rows = rows[(topic[rows] >= 0) & ~padding[rows]]
        topic, doc, score = topic[rows], doc[rows], score[rows]
    missing = np.flatnonzero(np.isnan(score))
    if len(missing):
        named = _described(index, topic[missing], doc[missing])
        got = f"{len(missing)} rows without a score"
        raise RankingError("a score in every row", got, "", named)
    length = np.bincount(topic, minlength=len(judgments.topics))
    _refuse_again(index, as_matrix(doc, length, -1))
    key = as_key(score, dtype)
    row = index.rows(topic, doc)
    hit = np.flatnonzero(row >= 0)

    def documents(used: NDArray[np.bool_]) -> NDArray[np.object_]:
        chosen = doc if used.all() else doc[np.repeat(used, length)]
        names = index.names[chosen]
        names[chosen < 0] = None
        return names

    sides = judgments, systems, as_matrix(key, length), length
    return Listed(*sides, row[hit], key[hit], documents, unnamed=True)


def refuse_beyond(role: str, positions: Codes, size: int) -> None:
    """Raise for invalid positions; -1 stands for an unnamed document."""
    beyond = positions[(positions < -1) | (positions >= size)]
    if len(beyond):
        advice = "pass -1 for documents that are not in docs" if role == "doc" else ""
        expected = f"{role} to be positions from -1 to {size - 1} in {role}s of the scorer"
        raise ParameterError(expected, "", advice, beyond)


def _refuse_again(index: Positions, doc: Array) -> None:
    """Raise if a list contains a document twice."""
    ordered = np.sort(doc, axis=1)
    # -1 stands for any document without an id, so it may occur several times
    is_repeated = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if is_repeated.any():
        named = _described(index, np.nonzero(is_repeated)[0], ordered[:, 1:][is_repeated])
        got = f"{len(named)} documents listed again"
        raise IdError("every document once in a list", got, "drop the repeated rows", named)


def _described(index: Positions, topic: Codes, doc: Codes) -> list[str]:
    """Return the topics and documents of rows, for messages."""
    # Index -1 of an unnamed document selects the appended text.
    names = np.append(index.names, "-1")[doc]
    return [f"{a} {b}" for a, b in zip(index.judgments.topics[topic], names, strict=True)]


FEW = 1 << 10
"""Maximum number of keys per list for which counting keys is faster than bisection."""
CROWD = 4
"""Maximum number of pairs of a judged document and a tied document, per retrieved document. Above
this number, `rank_table` is faster than `rank_hits`."""


def rank_hits(listed: Listed, policy: TiePolicy, seed: int, *, filed: bool = False) -> Hits | None:
    """Rank judged documents; None if too many scores tie.

    Document ids are compared only within groups of equal scores that contain a judged document.

    Parameters
    ----------
    listed
        The lists.
    policy, seed
        The rule for equal scores, and the seed of random tie-breaking.
    filed
        Whether to compute pooling ranks.
    """
    # Rows are padded, because bisection without branches needs 2**n - 1 keys per row.
    longest = listed.key.shape[1]
    keys = np.full((len(listed.key), (1 << longest.bit_length()) - 1), np.inf, listed.key.dtype)
    keys[:, :longest] = listed.key
    keys[:, :longest].sort(axis=1)
    tied_documents = _tied(keys, listed.length) if policy.shares else None
    # Equal keys of the padding are not ties, so they are not counted.
    past = np.maximum(keys.shape[1] - 1 - listed.length, 0).sum()
    are_tied = np.count_nonzero(keys[:, 1:] == keys[:, :-1]) > past
    if are_tied and not listed.unnamed:
        equal = _tied(keys, listed.length) if tied_documents is None else tied_documents
        if _is_crowded(listed, equal):
            return None
    of = listed.of
    key_of_row = listed.key_of_row
    length = listed.length[np.newaxis]
    before = _count(keys, of, key_of_row, equal=False)
    if not are_tied:
        rank = before + 1
        return Hits(length, of, rank, listed.row, tied_documents, rank if filed else None)
    last = listed.length[of] - 1
    # equal keys are adjacent, so a document is tied if the first of its equal keys is followed by
    # an equal key
    following = np.minimum(before + 1, last)
    tied = np.flatnonzero((before < last) & (keys[of, following] == key_of_row))
    pooled = before.copy() if filed else None
    if len(tied):
        # a score of minus infinity has the key of the padding, which lies past the end of the list
        upto = np.minimum(_count(keys, of[tied], key_of_row[tied], equal=True), last[tied] + 1)
        blocks = Blocks.of_hits(listed, tied, before[tied], upto)
        if pooled is not None:
            pooled[tied] += blocks.count(blocks.filed())
        before[tied] += blocks.count(blocks.before(policy, seed))
    return Hits(
        length, of, before + 1, listed.row, tied_documents, None if pooled is None else pooled + 1
    )


def _count(keys: Array, of: Codes, limits: Array, *, equal: bool) -> Codes:
    """Count the keys of a row below each limit.

    If `equal` is true, keys that equal the limit are also counted. Large inputs use bisection.
    """
    width = keys.shape[1]
    smaller = np.less_equal if equal else np.less
    if len(of) * width <= FEW:
        return np.asarray(smaller(keys[of], limits[:, np.newaxis]).sum(axis=1))
    flat = keys.ravel()
    first = of * width - 1
    # all limits are bisected in the same steps, because a loop over limits would be slow in Python
    position = first.copy()
    step = (width + 1) >> 1
    while step:
        probe = position + step
        np.copyto(position, probe, where=smaller(flat.take(probe), limits))
        step >>= 1
    return np.asarray(position - first)


def _tied(keys: Array, length: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether each document ties with the document above it."""
    same = np.zeros(keys.shape, bool)
    same[:, 1:] = keys[:, 1:] == keys[:, :-1]
    return same[np.arange(keys.shape[1]) < length[:, np.newaxis]]


def _is_crowded(listed: Listed, tied: NDArray[np.bool_]) -> bool:
    """Return whether too many documents may tie with judged documents."""
    size = np.diff(np.flatnonzero(~tied), append=len(tied))
    pairs_per_document = (size * (size - 1)).sum() / len(tied)
    # judged documents are assumed to be tied with as many documents as other retrieved documents
    judged = np.minimum(listed.judgments.count, listed.length).sum()
    return bool(judged * pairs_per_document > CROWD * len(tied))


@dataclass(frozen=True, eq=False)
class Blocks:
    """Pairs of one judged and one tied document."""

    listed: Listed
    of: Codes
    """The list of each pair of a judged document and a tied document."""
    row: Codes
    """The position of each pair's tied document in the run."""
    tied_id: Array
    """The id of each pair's tied document."""
    judged_id: Array
    """The id of each pair's judged document."""
    size: Codes
    """The number of pairs per judged document."""

    @classmethod
    def of_hits(cls, listed: Listed, hit: Codes, first: Codes, upto: Codes) -> "Blocks":
        """Pair judged documents with documents that have equal scores.

        Parameters
        ----------
        listed
            The lists.
        hit
            The judged documents, as positions in `listed.row`.
        first, upto
            The first rank of the documents that tie with each judged document, counted from 0, and
            the rank after the last of them.
        """
        of = listed.of[hit]
        size = upto - first
        used = np.zeros(len(listed.key), bool)
        used[of] = True
        length = listed.length[used]
        key = listed.key if used.all() else listed.key[used]
        # If scores are infinite, only a stable sort keeps them in front of the padding.
        endless = np.count_nonzero(key == np.inf) > key.size - length.sum()
        order: Codes = np.argsort(key, axis=1, kind="stable" if endless else None)
        # positions in a list are converted to positions among the documents of all used lists
        order += (np.cumsum(length) - length)[:, np.newaxis]
        ranges = (np.cumsum(used) - 1)[of] * order.shape[1] + first
        row = order.ravel().take(rows_of_ranges(ranges, size))
        names = np.repeat(listed.judgments.names[listed.row[hit]], size)
        return cls(listed, np.repeat(of, size), row, listed.documents(used)[row], names, size)

    def count(self, before: NDArray[np.bool_]) -> Codes:
        """Count the true values of `before` per judged document."""
        return np.add.reduceat(before, np.cumsum(self.size) - self.size, dtype=np.int64)

    def filed(self) -> NDArray[np.bool_]:
        """Return which tied documents precede the judged one in runs."""
        return np.asarray(self.row < np.repeat(self.row[self.tied_id == self.judged_id], self.size))

    def before(self, policy: TiePolicy, seed: int) -> NDArray[np.bool_]:
        """Return which tied documents rank above the judged document."""
        if policy.keys is None:
            return self.filed()
        listed = self.listed
        tied_id = self.tied_id
        named = np.flatnonzero(tied_id != None) if listed.unnamed else slice(None)  # noqa: E711
        topics = listed.judgments.topics
        labels = listed.systems, topics, 0, self.of[named]
        sides = (_as_text(names[named]) for names in (tied_id, self.judged_id))
        keys, limit = (policy.keys(Tied(*labels, names, seed)) for names in sides)
        before = np.zeros(len(tied_id), bool)
        if keys.dtype == object:
            before[named] = keys > limit if policy.descending else keys < limit
            return before
        # unlike ids, random keys may be equal, and then the order of rows decides
        same = before.copy()
        before[named] = keys < limit
        same[named] = keys == limit
        return np.asarray(before | (same & self.filed()))


def _as_text(names: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return document ids as text, which orders tied documents."""
    if not len(names) or isinstance(names[0], str):
        return names
    return np.array([str(name) for name in names], object)
