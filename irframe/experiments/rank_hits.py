"""Ranks of the judged documents of lists, found without looking at the names of the others."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from irframe.arrays import Array
from irframe.experiments.hits import Hits
from irframe.experiments.listed import Listed, Named
from irframe.experiments.ties import Tied, TiePolicy, by_name
from irframe.files.ids import Codes, rows_of_ranges

CROWD = 4
"""Pairs of a judged document and another of its score, for each document of a run, from which it is
less to sort the names of all."""


def rank_hits(listed: Listed, policy: TiePolicy, seed: int, *, filed: bool = False) -> Hits:
    """Rank the judged documents of lists.

    Names are compared only among equal scores, and only where one of the documents is judged; if
    many scores are equal it is less to order whole lists and to look for judged documents there.

    Parameters
    ----------
    listed
        The lists.
    policy, seed
        What decides among equal scores.
    filed
        Whether it is wanted at which ranks pooling reads them.
    """
    keys = _sorted(listed.key)
    shared = _tied(keys, listed.length) if policy.shares else None
    are_tied = _has_ties(keys, listed.length)
    by_names = policy.keys is by_name and not (policy.shares or filed)
    if are_tied and by_names and isinstance(listed, Named):
        equal = _tied(keys, listed.length)
        if _is_crowded(listed, equal):
            return _rank_all(listed, equal, policy)
    of, mine, length = listed.of, listed.key_of_row, listed.length[np.newaxis]
    before = _count(keys, of, mine, equal=False)
    if not are_tied:
        rank = before + 1
        return Hits(length, of, rank, listed.row, shared, rank if filed else None)
    last = listed.length[of] - 1
    following = np.minimum(before + 1, last)
    tied = np.flatnonzero((before < last) & (keys[of, following] == mine))
    pooled = before.copy() if filed else None
    if len(tied):
        upto = np.minimum(_count(keys, of[tied], mine[tied], equal=True), last[tied] + 1)
        blocks = Blocks.of_hits(listed, tied, before[tied], upto)
        if pooled is not None:
            pooled[tied] += blocks.count(blocks.filed())
        before[tied] += blocks.count(blocks.before(policy, seed))
    return Hits(length, of, before + 1, listed.row, shared, None if pooled is None else pooled + 1)


def _sorted(key: Array) -> Array:
    """Sort keys by lists, as many in each as bisection goes through: a power of 2, less 1."""
    longest = key.shape[1]
    keys = np.full((len(key), (1 << longest.bit_length()) - 1), np.inf, key.dtype)
    keys[:, :longest] = key
    keys[:, :longest].sort(axis=1)
    return keys


def _count(keys: Array, of: Codes, mine: Array, *, equal: bool) -> Codes:
    """Count the keys of a sorted list that are smaller than one, or equal too, by bisection."""
    width, flat = keys.shape[1], keys.ravel()
    first = of * width - 1
    place = first.copy()
    step = (width + 1) >> 1
    while step:
        probe = place + step
        there = flat.take(probe)
        np.copyto(place, probe, where=there <= mine if equal else there < mine)
        step >>= 1
    return np.asarray(place - first)


def _has_ties(keys: Array, length: NDArray[np.int64]) -> bool:
    """Return whether more of the sorted keys are equal than those past the ends of lists."""
    past = np.maximum(keys.shape[1] - 1 - length, 0).sum()
    return bool(np.count_nonzero(keys[:, 1:] == keys[:, :-1]) > past)


def _tied(keys: Array, length: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether documents have the key of the one above, list by list."""
    same = np.zeros(keys.shape, bool)
    same[:, 1:] = keys[:, 1:] == keys[:, :-1]
    return same[np.arange(keys.shape[1]) < length[:, np.newaxis]]


def _is_crowded(listed: Listed, tied: NDArray[np.bool_]) -> bool:
    """Return whether judged documents may share their scores with many others."""
    size = np.diff(np.flatnonzero(~tied), append=len(tied))
    others = (size * (size - 1)).sum() / len(tied)
    judged = np.minimum(listed.judgments.count, listed.length).sum()
    return bool(judged * others > CROWD * len(tied))


def _rank_all(listed: Named, tied: NDArray[np.bool_], policy: TiePolicy) -> Hits:
    """Rank all documents, and look for the judged ones among them."""
    length = listed.length
    everyone = np.ones(len(length), bool)
    order = _order(listed, everyone)
    filed = order[np.arange(order.shape[1]) < length[:, np.newaxis]]
    names = listed.documents(everyone)[filed].tolist()
    text = None if isinstance(names[0], str) else str
    first = np.flatnonzero(~tied)
    size = np.diff(first, append=len(names))
    some = size > 1
    for start, end in zip(first[some].tolist(), (first + size)[some].tolist(), strict=True):
        names[start:end] = sorted(names[start:end], key=text, reverse=policy.descending)
    ends = np.append(0, np.cumsum(length))
    lists = ((place, names[slice(*part)]) for place, part in enumerate(pairwise(ends.tolist())))
    row = listed.judgments.rows_among(lists, len(names))
    hit = np.flatnonzero(row >= 0)
    of = np.repeat(np.arange(len(length)), length)[hit]
    return Hits(length[np.newaxis], of, hit - ends[of] + 1, row[hit])


@dataclass(frozen=True, eq=False)
class Blocks:
    """Judged documents, each beside every document of its list that has the same score."""

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
        order = _order(listed, used)
        ranges = (np.cumsum(used) - 1)[of] * order.shape[1] + first
        row = order.ravel().take(rows_of_ranges(ranges, size))
        own = np.repeat(listed.judgments.names[listed.row[hit]], size)
        return cls(listed, np.repeat(of, size), row, listed.documents(used)[row], own, size)

    def count(self, before: NDArray[np.bool_]) -> Codes:
        """Count the pairs of each judged document of which something holds."""
        return np.add.reduceat(before, np.cumsum(self.size) - self.size, dtype=np.int64)

    def filed(self) -> NDArray[np.bool_]:
        """Return which of the others are filed before the judged document."""
        return np.asarray(self.row < np.repeat(self.row[self.other == self.own], self.size))

    def before(self, policy: TiePolicy, seed: int) -> NDArray[np.bool_]:
        """Return which of the others go before it."""
        found = _before(self.listed, policy, seed, self.of, self.other, self.own)
        if found is None:
            return self.filed()
        if found.dtype == bool:
            return found
        return np.asarray((found < 0) | ((found == 0) & self.filed()))


def _order(listed: Listed, used: NDArray[np.bool_]) -> Codes:
    """Return the rows of some lists in order, numbered as filed through all of them."""
    length = listed.length[used]
    key = listed.key if used.all() else listed.key[used]
    endless = np.count_nonzero(key == np.inf) > key.size - length.sum()  # as past the ends
    order: Codes = np.argsort(key, axis=1, kind="stable" if endless else None)
    order += (np.cumsum(length) - length)[:, np.newaxis]
    return order


def _before(
    listed: Listed, policy: TiePolicy, seed: int, of: Codes, other: Array, own: Array
) -> Array | None:
    """Compare documents with others of the same score and list.

    Returns
    -------
    numpy.ndarray or None
        Whether each goes before the other, by names, of which a list has none twice; or whether a
        number goes before, -1, is the same, 0, or not, 1. None where rows decide by themselves.
    """
    if policy.keys is None:
        return None
    named = np.flatnonzero(other != None) if listed.unnamed else slice(None)  # noqa: E711
    topics = listed.judgments.topics
    keys, limit = (
        policy.keys(Tied(listed.systems, topics, 0, of[named], _as_text(names[named]), seed))
        for names in (other, own)
    )
    text = keys.dtype == object
    found = np.zeros(len(other), bool) if text else np.ones(len(other), np.int8)
    if text:
        found[named] = keys > limit if policy.descending else keys < limit
    else:
        found[named] = (keys > limit).astype(np.int8) - (keys < limit)
    return found


def _as_text(names: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return names as text, by which they are compared."""
    if not len(names) or isinstance(names[0], str):
        return names
    return np.array([str(name) for name in names], object)
