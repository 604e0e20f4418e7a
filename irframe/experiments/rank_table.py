"""One order for every ranking, decided before anything is scored."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe.errors import IdError, RankingError
from irframe.experiments.coded_tables import RunTable
from irframe.experiments.documents import take
from irframe.experiments.ties import TIE_POLICIES, Keys, Tied, TiePolicy, as_key
from irframe.files.ids import Codes, beginnings, grouped, repeated
from irframe.names import DEFAULT_DTYPE, RANK, SCORE, ScoreDtype, Ties

UNEVEN = 4
"""How many times the rows there are a matrix of lists may have cells, to be sorted as one."""


@dataclass(frozen=True)
class Ranking:
    """Rows of a run frame in evaluation order.

    Attributes
    ----------
    order
        Row positions, system by system and topic by topic, best document first.
    first
        Whether the row is the first of its list; aligned with `order`.
    rank
        1, 2, ... within the list; aligned with `order`.
    tied
        Whether the row's score equals that of the row ranked above it; aligned with `order`.
    filed
        Row positions as `order`, but equal scores in the order of rows.
    """

    order: Codes
    first: NDArray[np.bool_]
    rank: Codes
    tied: NDArray[np.bool_]
    filed: Codes


def rank_table(
    table: RunTable,
    *,
    ties: Ties,
    score_dtype: ScoreDtype = DEFAULT_DTYPE,
    seed: int = 0,
    rows: Codes | None = None,
) -> Ranking:
    """Decide the order of a coded run frame, or of some whole lists of it.

    Parameters
    ----------
    table
        The frame.
    ties, score_dtype, seed
        As for `rank`.
    rows
        The rows of some lists, by whose positions here the ranking then goes.
    """
    policy, rows = TIE_POLICIES[ties], np.arange(len(table.system)) if rows is None else rows
    key = _keys(table, policy, score_dtype, rows)
    group = table.system[rows].astype(np.int64) * len(table.topics) + table.topic[rows]
    order = _sort(group, key)
    rank = _places(group[order])
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] = (key[order][1:] == key[order][:-1]) & (rank[1:] > 1)
    filed = order
    if _by_rank(table, policy):
        _refuse_equal_ranks(table, rows[order[tied]])
    elif policy.keys is not None and tied.any():
        order = order.copy()
        _break_ties(table, rows, order, tied, policy, seed)
    return Ranking(order, rank == 1, rank, tied, filed)


def _places(group: Codes) -> Codes:
    """Return each row's place in its group, from 1, where groups stand one after the other."""
    first = beginnings(group)
    lengths = np.diff(first, append=len(group))
    return np.arange(1, len(group) + 1) - np.repeat(first, lengths)


def _by_rank(table: RunTable, policy: TiePolicy) -> bool:
    """Return whether the rank column decides: where that is wanted, or there are no scores."""
    return policy.column == RANK or table.score is None


def _keys(table: RunTable, policy: TiePolicy, score_dtype: ScoreDtype, rows: Codes) -> NDArray[Any]:
    """Return numbers of some rows whose ascending order is the evaluation order."""
    if _by_rank(table, policy) or table.score is None:
        if table.rank is None:
            raise RankingError(f"a column {RANK!r} for ties='rank'", "none", "rank by score")
        key, column = table.rank[rows], RANK
    else:
        key, column = as_key(table.score[rows], score_dtype), SCORE
    missing = np.flatnonzero(np.isnan(key))
    if len(missing):
        found, offenders = f"{len(missing)} missing", table.describe(rows[missing])
        raise RankingError(f"a {column} in every row", found, "", offenders)
    return key


def _sort(group: Codes, key: NDArray[Any]) -> Codes:
    """Order rows by group, then key, then position, sorting only lists that are not in order."""
    order = grouped(group)
    group, key = group[order], key[order]
    falls = np.zeros(len(key), bool)
    falls[1:] = (key[1:] < key[:-1]) & (group[1:] == group[:-1])
    if falls.any():
        first = beginnings(group)
        length = np.diff(first, append=len(group))
        wrong = np.logical_or.reduceat(falls, first)
        rows = np.flatnonzero(np.repeat(wrong, length))
        order[rows] = order[rows[_sort_lists(length[wrong], key[rows])]]
    return order


def _sort_lists(length: Codes, key: NDArray[Any]) -> Codes:
    """Order rows of lists that stand one after the other by key, then position.

    As a matrix with a row for every list, which is several times as fast as one long sort, unless
    a few of them are much longer than the others.
    """
    width = int(length.max())
    if width * len(length) > UNEVEN * len(key):
        return np.lexsort((key, np.repeat(np.arange(len(length)), length)))
    inside = np.arange(width) < length[:, np.newaxis]
    keys = np.full(inside.shape, np.inf, key.dtype)
    keys[inside] = key
    place: Codes = np.argsort(keys, axis=1, kind="stable")
    place += (np.cumsum(length) - length)[:, np.newaxis]
    return place[inside]


def _break_ties(
    table: RunTable,
    rows: Codes,
    order: Codes,
    tied: NDArray[np.bool_],
    policy: TiePolicy,
    seed: int,
) -> None:
    """Reorder the rows of tied blocks in place."""
    inside = tied.copy()
    inside[:-1] |= tied[1:]
    some = np.flatnonzero(inside)
    block = np.cumsum(~tied[some])
    position = _positions(policy, _tied(table, rows[order[some]], seed))
    order[some] = order[some[np.argsort(block * np.int64(len(some)) + position)]]


def _tied(table: RunTable, rows: Codes, seed: int) -> Tied:
    system, topic, doc = table.system[rows], table.topic[rows], take(table.doc, rows)
    return Tied(table.systems, table.topics, system, topic, doc, seed)


def _positions(policy: TiePolicy, tied: Tied) -> Codes:
    """Return each document's position among all of them, by what a policy compares."""
    keys: Keys = policy.keys(tied) if policy.keys is not None else np.arange(len(tied.doc))
    if isinstance(keys, pa.Array):
        return _name_positions(keys, descending=policy.descending)
    return _inverse(np.argsort(keys, kind="stable"))


def _name_positions(doc: pa.Array, *, descending: bool) -> Codes:
    """Return each name's position among all of them in the order of bytes."""
    coded = doc.cast(pa.large_string()).dictionary_encode()
    direction = "descending" if descending else "ascending"
    ordered = pc.array_sort_indices(coded.dictionary, order=direction)
    position: Codes = _inverse(ordered.to_numpy(zero_copy_only=False))[coded.indices.to_numpy()]
    return position


def _inverse(order: Codes) -> Codes:
    """Return where each item stands, given which item stands where."""
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    return position


def _refuse_equal_ranks(table: RunTable, rows: Codes) -> None:
    if len(rows):
        found, advice = f"{len(rows)} equal", "rank by score, or ties='order' after adding scores"
        raise RankingError("distinct ranks in every list", found, advice, table.describe(rows))


def listed_again(system: Codes, codes: Codes) -> Codes:
    """Return the rows whose system lists a document that it has listed, given document codes."""
    if not len(codes):
        return codes
    least = codes.min()
    spread = 1 + int(codes.max() - least)
    return repeated(system.astype(np.int64) * spread + (codes - least))


def refuse_duplicates(table: RunTable, again: Codes) -> None:
    """Raise if there are rows that list a document again."""
    if len(again):
        found, offenders = f"{len(again)} listed again", table.describe(again)
        raise IdError("every document once in a list", found, "drop the duplicates", offenders)
