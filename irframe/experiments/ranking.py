"""Ranks of the judged documents of lists, found without looking at the names of the others."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from irframe.experiments.hits import Hits
from irframe.experiments.listed import Listed
from irframe.frames.ids import Codes, rows_of_ranges
from irframe.frames.ties import TiePolicy

Array = NDArray[Any]


def rank_hits(listed: Listed, policy: TiePolicy, seed: int) -> Hits:
    """Rank the judged documents of lists.

    Names are compared only among equal scores, and only where one of the documents is judged.

    Parameters
    ----------
    listed
        The lists.
    policy, seed
        What decides among equal scores.
    """
    keys = np.sort(listed.key, axis=1)
    of, mine = listed.of, listed.key_of_row
    before = _count(keys, of, mine, equal=False)
    last = listed.length[of] - 1
    following = np.minimum(before + 1, last)
    tied = np.flatnonzero((before < last) & (keys[of, following] == mine))
    if len(tied):
        upto = np.minimum(_count(keys, of[tied], mine[tied], equal=True), last[tied] + 1)
        before[tied] += _earlier(listed, policy, seed, tied, before[tied], upto)
    shared = _tied(keys, listed.length) if policy.shares else None
    length = listed.length[np.newaxis]
    return Hits(length, of, before + 1, listed.row, tied=shared)


def _tied(keys: Array, length: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether documents have the key of the one above, list by list."""
    same = np.zeros(keys.shape, bool)
    same[:, 1:] = keys[:, 1:] == keys[:, :-1]
    return same[np.arange(keys.shape[1]) < length[:, np.newaxis]]


def _earlier(
    listed: Listed, policy: TiePolicy, seed: int, hit: Codes, first: Codes, upto: Codes
) -> Codes:
    """Count the documents that go before judged ones among those of the same score.

    Parameters
    ----------
    listed, policy, seed
        As for `rank_hits`.
    hit
        The judged documents, by their place in `listed.row`.
    first, upto
        Where, in order, those of the same score begin and end.
    """
    of = listed.of[hit]
    used = np.zeros(len(listed.key), bool)
    used[of] = True
    place = np.cumsum(used) - 1
    order = np.argsort(listed.key[used], axis=1, kind="stable" if _endless(listed) else None)
    size = upto - first
    each = np.repeat(np.arange(len(hit)), size)
    lists = of[each]
    position = order[place[lists], rows_of_ranges(first, size)]
    before = listed.earlier(policy, seed, hit[each], lists, position)
    return np.bincount(each, before, minlength=len(hit)).astype(np.int64)


def _endless(listed: Listed) -> bool:
    """Return whether judged documents have the key that stands past the ends of lists."""
    return bool(np.isinf(listed.key_of_row.max(initial=-np.inf)))


def _count(keys: Array, of: Codes, mine: Array, *, equal: bool) -> Codes:
    """Count the keys of a sorted list that are smaller than one, or equal too, by bisection."""
    width, flat = keys.shape[1], keys.ravel()
    found, start = np.zeros(len(mine), np.int64), of * width - 1
    step = 1 << width.bit_length() >> 1
    while step:
        probe = found + step
        there = flat[start + np.minimum(probe, width)]
        goes = (there <= mine if equal else there < mine) & (probe <= width)
        found += step * goes
        step >>= 1
    return found
