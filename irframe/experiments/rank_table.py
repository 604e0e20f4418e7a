"""Rankings of run frames, and pools.

Verbs: rank, pool.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from irframe import names as words
from irframe.arrays import Array
from irframe.checks import check_int, positions_of, refuse_any
from irframe.errors import DepthError, IdError, ParameterError, RankingError
from irframe.experiments import coded_tables
from irframe.experiments.choices import Pool, Ties, TiesLike
from irframe.experiments.lists import rank_directions, refuse_falling, rising_systems, warn_rising
from irframe.experiments.policy import TIE_POLICIES, Policy, Tied, TiePolicy, as_key
from irframe.files.as_runs import Runs
from irframe.frames.ids import Codes, beginnings, grouped, repeated
from irframe.frames.likeness import ADVICE, about_duplicates, repeat_column
from irframe.frames.values import refuse_fractions
from irframe.record import recorded

UNEVEN = 4
"""The maximum size of a padded matrix of lists, divided by the number of rows. Lists are sorted
without the matrix if the ratio is higher."""


@dataclass(frozen=True)
class Ranking:
    """Rows of a run frame in evaluation order.

    Attributes
    ----------
    order
        Positions of rows, sorted by system, topic and rank.
    rank
        The rank of each row in `order`, counted from 1 in each list.
    tied
        Whether each row in `order` has the same score as the row ranked above it.
    filed
        The positions in `order`, except that rows with equal scores keep their order in the frame.
    direction
        Whether the scores of each list fall or rise along its ranks, as in `rank_directions`. None
        if scores or ranks are missing.
    """

    order: Codes
    rank: Codes
    tied: NDArray[np.bool_]
    filed: Codes
    direction: NDArray[np.int8] | None = None


def rank_table(table: coded_tables.RunTable, policy: Policy, rows: Codes | None = None) -> Ranking:
    """Rank all or selected lists of a coded run frame.

    Parameters
    ----------
    table
        The runs with coded ids.
    policy
        The rule for equal scores, and the precision of scores.
    rows
        The rows of the selected lists. The default is all rows. The positions in the result are
        positions in `rows`.
    """
    rule = TIE_POLICIES[policy.order]
    complete = rows is None
    rows = np.arange(len(table.system)) if rows is None else rows
    key = _keys(table, rule, policy.score_dtype, rows)
    group = table.system[rows].astype(np.int64) * len(table.topics) + table.topic[rows]
    order = _sort(group, key)
    first = beginnings(group[order])
    length = np.diff(first, append=len(order))
    rank = np.arange(1, len(order) + 1) - np.repeat(first, length)
    tied = np.zeros(len(order), dtype=bool)
    tied[1:] = (key[order][1:] == key[order][:-1]) & (rank[1:] > 1)
    direction = None
    if rule.column != words.RANK and {words.RANK, words.SCORE} <= table.columns.keys():
        direction = rank_directions(table, rows[order], key[order], first)
    if complete:
        refuse_falling(table, rule)
        warn_rising(rising_systems(table, table.system[rows[order[first]]], direction))
    # `filed` shares the array of `order`, so ties are later broken in a copy.
    filed = order
    equal = rows[order[tied & _by_rank(table, rule, rows[order])]]
    if len(equal):
        advice = "correct the ranks, or rank by scores"
        got = f"{len(equal)} rows with repeated ranks"
        raise RankingError("distinct ranks in every list", got, advice, table.describe(equal))
    if rule.keys is not None and tied.any():
        # `tied` is False for the first document of each tie, but the key of this document must be
        # compared, too.
        inside = tied.copy()
        inside[:-1] |= tied[1:]
        members = np.flatnonzero(inside)
        block = np.cumsum(~tied[members])
        member = rows[order[members]]
        columns = table.system[member], table.topic[member], coded_tables.take(table.doc, member)
        keys = rule.keys(Tied(table.systems, table.topics, *columns, policy.seed))
        if isinstance(keys, pa.Array):
            position = _name_positions(keys, descending=rule.descending)
        else:
            position = _inverse(np.argsort(keys, kind="stable"))
        order = order.copy()
        order[members] = order[members[np.argsort(block * np.int64(len(members)) + position)]]
    return Ranking(order, rank, tied, filed, direction)


def _by_rank(table: coded_tables.RunTable, policy: TiePolicy, rows: Codes) -> NDArray[np.bool_]:
    """Return which rows are ordered by the rank column."""
    if policy.column == words.RANK or not table.unscored.any():
        return np.full(len(rows), policy.column == words.RANK)
    return np.asarray(table.unscored[table.system[rows]])


def _keys(
    table: coded_tables.RunTable, policy: TiePolicy, score_dtype: words.ScoreDtype, rows: Codes
) -> Array:
    """Return sort keys of selected rows, ascending in evaluation order."""
    ranked = _by_rank(table, policy, rows)
    # Scores are read even if ranks decide, because text in their place is refused in every input.
    by_rank = table.score is None or bool(ranked.all())
    key: Array = ranked if by_rank else as_key(cast("Any", table.score)[rows], score_dtype)
    if ranked.any():
        if table.rank is None:
            expected = f"a column {words.RANK!r} for ties='rank'"
            raise RankingError(expected, "none", "choose another rule to rank by score")
        rank = table.rank[rows]
        used = rank[ranked]
        if (used != np.round(used)).any() and not np.isnan(used).any():
            refuse_fractions(used.astype(np.float64), pd.Series(used, name=words.RANK), words.RANK)
        key = rank if by_rank else np.where(ranked, rank, key)
    missing = np.flatnonzero(np.isnan(key))
    if len(missing):
        column = words.RANK if ranked[missing].any() else words.SCORE
        offenders = table.describe(rows[missing])
        got = f"{len(missing)} rows without a {column}"
        raise RankingError(f"a {column} in every row", got, "", offenders)
    return key


def _sort(group: Codes, key: Array) -> Codes:
    """Return the order of rows by group, key and position."""
    order = grouped(group)
    group = group[order]
    key = key[order]
    falls = np.zeros(len(key), bool)
    falls[1:] = (key[1:] < key[:-1]) & (group[1:] == group[:-1])
    # Most lists are already sorted in the input, so only the unsorted lists are sorted.
    if falls.any():
        first = beginnings(group)
        length = np.diff(first, append=len(group))
        unsorted = np.logical_or.reduceat(falls, first)
        rows = np.flatnonzero(np.repeat(unsorted, length))
        order[rows] = order[rows[_sort_lists(length[unsorted], key[rows])]]
    return order


def _sort_lists(length: Codes, key: Array) -> Codes:
    """Return the order of rows within contiguous lists.

    Rows are sorted by key and position. A padded matrix with a row per list is sorted several times
    as fast as one long array, unless a few lists are much longer than all other lists.
    """
    width = int(length.max())
    if width * len(length) > UNEVEN * len(key):
        return np.lexsort((key, np.repeat(np.arange(len(length)), length)))
    inside = np.arange(width) < length[:, np.newaxis]
    # A stable sort leaves padding behind the rows of a list, even if their keys are infinite, too.
    keys = np.full(inside.shape, np.inf, key.dtype)
    keys[inside] = key
    order: Codes = np.argsort(keys, axis=1, kind="stable")
    order += (np.cumsum(length) - length)[:, np.newaxis]
    return order[inside]


def _name_positions(doc: pa.Array, *, descending: bool) -> Codes:
    """Return the position of each document id in byte order."""
    coded = doc.cast(pa.large_string()).dictionary_encode()
    direction = "descending" if descending else "ascending"
    # Arrow compares strings byte by byte, as trec_eval does, and each distinct id is sorted once.
    ordered = pc.array_sort_indices(coded.dictionary, order=direction)
    return np.asarray(_inverse(ordered.to_numpy(zero_copy_only=False))[coded.indices.to_numpy()])


def _inverse(order: Codes) -> Codes:
    """Return the inverse of a permutation."""
    position = np.empty(len(order), np.int64)
    position[order] = np.arange(len(order))
    return position


def listed_again(system: Codes, codes: Codes) -> Codes:
    """Return the rows that repeat a document of their list.

    Parameters
    ----------
    system
        The system of each row.
    codes
        For each row, a code of its topic and document.
    """
    if not len(codes):
        return codes
    least = codes.min()
    spread = 1 + int(codes.max() - least)
    return repeated(system.astype(np.int64) * spread + (codes - least))


def refuse_duplicates(table: coded_tables.RunTable, repeated_rows: Codes) -> None:
    """Raise if rows repeat a document of their list."""
    if not len(repeated_rows):
        return
    offenders = table.describe(repeated_rows)
    repeat = repeat_column(table.frame, table.identity)
    if repeat is None:
        doc = table.columns.get(words.DOC, words.DOC)
        chunks = f"if rows are chunks, collapse them: units={doc!r}"
        drop = f"frame.drop_duplicates({table.identity})"
        advice = about_duplicates(table.system, table.group, repeated_rows, drop, chunks, ADVICE)
        got = f"{len(repeated_rows)} documents listed again"
        raise IdError("every document once in a list", got, advice, offenders)
    advice = (
        f"select one {repeat}, as in runs[runs[{repeat!r}] == ...]; evaluate, cube, report, scorer "
        f"and diagnose accept several"
    )
    got = f"{len(repeated_rows)} documents with several values of {repeat!r}"
    raise IdError(f"one {repeat} per system", got, advice, offenders)


@recorded
def rank(
    runs: Runs,
    ties: TiesLike = words.DEFAULT_TIES,
) -> pd.DataFrame:
    """Sort a run frame in evaluation order, and rank it.

    Parameters
    ----------
    runs
        A run frame with the columns topic, doc, and score or rank, and usually system.
    ties
        The rule that orders documents with equal scores, such as ``"trec"``, or an `irframe.Ties`.
        The page of `irframe.Ties` lists all rules. A frame without scores is ranked by its rank
        column.

    Returns
    -------
    pandas.DataFrame
        The rows of `runs`, sorted by system, topic and rank. The column ``rank`` contains ranks
        from 1 in each list. All other columns are unchanged.

    Raises
    ------
    RankingError
        If scores are missing or ranks are equal.
    IdError
        If a list contains a document twice.
    InputError
        If scores are not numbers, even if ranks decide the order.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.3. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import pandas as pd
    >>> run = pd.DataFrame({"topic": "1", "doc": ["a", "b", "c"], "score": [1.0, 2.0, 2.0]})
    >>> rank(run)
      topic doc  score  rank
    0     1   c    2.0     1
    1     1   b    2.0     2
    2     1   a    1.0     3
    """
    policy = Policy(**Ties.read(ties).plain)
    table = coded_tables.read_table(runs)
    ranking = rank_table(table, policy)
    (codes,) = coded_tables.code_documents(coded_tables.Side(table.topic, table.doc))
    refuse_duplicates(table, listed_again(table.system, codes))
    column = table.columns.get(words.RANK, words.RANK)
    ranked = table.frame.take(ranking.order).reset_index(drop=True)
    return ranked.assign(**{str(column): ranking.rank})


CONTRIBUTING = "contributing"
"""The name of the column that marks rows of contributing systems by default."""


def contributing_systems(
    table: coded_tables.RunTable, contributing: str | Sequence[Hashable] | None
) -> NDArray[np.bool_]:
    """Return whether each system contributes to the pool.

    The parameter `contributing` is described in `irframe.Pool`.

    Raises
    ------
    ParameterError
        If a system is unknown, no system contributes, or the column is not boolean or varies within
        a system.
    """
    if contributing is None and CONTRIBUTING not in table.frame.columns:
        return np.ones(len(table.systems), bool)
    if contributing is None or isinstance(contributing, str):
        flags = _from_column(table, contributing or CONTRIBUTING)
        if contributing is not None and not flags.any():
            got = f"no system with True in {contributing!r}"
            raise ParameterError("a system that contributes", got)
        return flags
    chosen = positions_of(f"contributing {words.SYSTEM}s", contributing, list(table.systems))
    if not chosen:
        raise ParameterError("a system that contributes", "an empty list")
    return np.isin(np.arange(len(table.systems)), chosen)


def pooling(table: coded_tables.RunTable, rows: Codes | None = None) -> Ranking:
    """Rank lists by score for pooling.

    Documents with equal scores keep the order of rows. If there are no scores, the rank column
    decides. The parameters are described in `rank_table`.
    """
    return rank_table(table, Policy(ties="order"), rows)


def filed_rank(ranking: Ranking) -> Codes:
    """Return the pooling rank of each row.

    Documents with equal scores are ranked in the order of rows.
    """
    rank = np.empty_like(ranking.rank)
    rank[ranking.filed] = ranking.rank
    return rank


def _from_column(table: coded_tables.RunTable, column: str) -> NDArray[np.bool_]:
    """Return which systems a boolean column marks as contributing."""
    values = coded_tables.column_of(table.frame, "contributing", column)
    if not pd.api.types.is_bool_dtype(values.dtype) or values.isna().any():
        got = f"{column!r} of dtype {values.dtype}"
        raise ParameterError("a boolean column without missing values", got)
    flags = values.to_numpy(bool)
    systems = len(table.systems)
    rows = coded_tables.counted(table.system, systems)
    flagged = rows if flags.all() else coded_tables.counted(table.system[flags], systems)
    mixed = table.systems[(flagged > 0) & (flagged < rows)]
    if len(mixed):
        got = f"{len(mixed)} systems with True and False"
        raise ParameterError(f"one value of {column!r} per system", got, "", mixed)
    return flagged > 0


@recorded
def pool(
    runs: Runs,
    pool: int | Pool,
    *,
    together: str | None = None,
) -> pd.DataFrame:
    """List the documents of a pool and their contributors.

    Parameters
    ----------
    runs
        A run frame with the columns topic, doc, and score or rank, and usually system.
    pool
        The number of documents that each list contributes, at least 1. An `irframe.Pool` also
        selects the contributing systems.
    together
        A column of `runs` with groups of systems, such as ``"team"``. The systems of a group count
        as one contributor.

    Returns
    -------
    pandas.DataFrame
        One row per contributing system and document that it contributes. The columns system, topic
        and doc are named as in `runs`. The column of `together` follows the system. The column
        ``rank`` contains the rank in the list. The column ``unique`` is True if no other system or
        group contributes the document. The distinct pairs of topic and doc form the pool.

    Raises
    ------
    DepthError
        If the depth is below 1.
    ParameterError
        If a contributing system or a column is unknown, if no system contributes, or if a system
        has no value in the column `together`.
    RankingError
        If scores are missing. If a frame without scores has missing or equal ranks.

    Notes
    -----
    Each list is sorted by descending score, and documents with equal scores keep the order of rows.
    Lists without scores are sorted by the rank column. To apply another rule to equal scores, call
    `rank` before `pool`.

    References
    ----------
    .. [1] Voorhees, Harman. TREC: experiment and evaluation in information retrieval. MIT Press,
       2005. ISBN 978-0-262-22073-6
    .. [2] Zobel. How reliable are the results of large-scale information retrieval experiments?
       SIGIR 1998. doi:10.1145/290941.291014

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame(
    ...     {"system": list("aabb"), "topic": "1", "doc": list("xyxz"), "score": [2, 1, 2, 1]}
    ... )
    >>> pool(runs, 2)
      system topic doc  rank  unique
    0      a     1   x     1   False
    1      a     1   y     2    True
    2      b     1   x     1   False
    3      b     1   z     2    True
    """
    described = Pool.read(pool)
    depth = check_int("pool_depth", described.depth, low=1, error=DepthError)
    table = coded_tables.read_table(runs)
    systems = contributing_systems(table, described.contributing)
    if not systems.any():
        raise ParameterError("a system that contributes", "none")
    rank = filed_rank(pooling(table))
    rows = np.flatnonzero(systems[table.system] & (rank <= depth))
    pooled = table.take(rows)
    document = coded_tables.code_documents(coded_tables.Side(pooled.topic, pooled.doc))[0]
    refuse_duplicates(pooled, listed_again(pooled.system, document))
    group = pooled.system
    if together is not None:
        group = pd.factorize(coded_tables.column_of(pooled.frame, "together", together))[0]
    missing = pooled.systems[np.unique(pooled.system[group < 0])]
    expected = f"a {together!r} for every system that contributes"
    refuse_any(ParameterError, missing, expected, "{} systems without a value")
    pairs = pd.DataFrame({"document": document, "group": group})
    groups = pairs.groupby("document")["group"].transform("nunique").to_numpy()
    names = table.identity
    if together is not None and together not in names:
        # Groups follow the system, or come first if there is no column of systems.
        names.insert(words.SYSTEM in table.columns, together)
    result = pooled.frame[names].reset_index(drop=True)
    return result.assign(**{words.RANK: rank[rows], "unique": groups == 1})
