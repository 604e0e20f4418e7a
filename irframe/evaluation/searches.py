"""Searches of an agent, merged per topic, and their costs.

An agent searches several times for a topic, and reads the result lists one after another. A
document has a gain only when it is seen for the first time.
"""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from irframe import names as words
from irframe.arrays import Array
from irframe.errors import InputError, ParameterError
from irframe.experiments.coded_tables import (
    RunTable,
    Side,
    code_documents,
    column_of,
    lengths_of,
    read_table,
)
from irframe.experiments.policy import Policy, shares_ranks
from irframe.experiments.rank_table import listed_again, rank_table, refuse_duplicates
from irframe.files.as_runs import by_role
from irframe.frames.ids import Codes, within
from irframe.frames.kinds import RUN, ByRole
from irframe.frames.values import in_rows, numbers

COSTS = SHOWN, AGAIN = "shown", "again"
"""Names of costs: the number of documents shown, and the number of documents shown again."""
MOST = 1 << 30
"""Search numbers must be below this limit."""
NUMBER = "number the searches: frame.groupby(['system', 'topic'])[time].rank(method='dense')"
"""Advice in errors about invalid numbers in the column of searches."""


def merged(runs: ByRole, policy: Policy, by: Hashable = None, *, chunks: bool) -> ByRole:
    """Merge the searches of each topic into one list.

    Parameters
    ----------
    runs
        The runs.
    policy
        The rules that rank documents, the column of searches, and the number of documents read per
        search.
    by
        The group column. The same topic name may occur in several groups.
    chunks
        Whether a search may return several chunks of a document.

    Returns
    -------
    ByRole
        Lists with ranks instead of scores, and with searches numbered from 1. If every topic has
        only one search, lists are unchanged. The cost of a document includes the cost of repeated
        documents that are shown after the previous document of the merged list.
    """
    table = _of_groups(read_table(runs), by)
    name = str(policy.search)
    number = _numbered(table, name)
    frame = table.frame.assign(**{name: number})
    if policy.each is None and pd.Series(number).groupby(table.group).nunique().max() <= 1:
        return by_role(frame, RUN)
    if shares_ranks(policy.ties) or policy.score is not None:
        got = "shared ranks" if policy.score is None else "a threshold"
        expected = "no threshold and no shared ranks, for runs with several searches"
        raise ParameterError(expected, got)
    if not chunks:
        searched = _by_search(table, number)
        refuse_duplicates(searched, listed_twice(searched))
    listed = _as_read(replace(table, frame=frame), number, policy)
    first = np.delete(np.arange(len(listed.doc)), listed_twice(listed))
    rank = str(table.columns.get(words.RANK, words.RANK))
    values: dict[str, Array] = {rank: within(listed.group[first]) + 1}
    if policy.length is not None:
        values[policy.length] = read_from_one_to_the_next(listed, policy.length, first)
    result = listed.frame.iloc[first].assign(**values)
    if words.SCORE in table.columns:
        result = result.drop(columns=table.columns[words.SCORE])
    return by_role(result.reset_index(drop=True), RUN)


def _by_search(table: RunTable, number: Codes) -> RunTable:
    """Return runs with pairs of topic and search as topics."""
    topics = len(table.topics)
    # search numbers are 32-bit integers, but their products with the number of topics may not fit
    # into 32 bits
    pairs, code = np.unique(number * np.int64(topics) + table.topic, return_inverse=True)
    return replace(table, topic=code, topics=table.topics.take(pairs % topics))


def _of_groups(table: RunTable, by: Hashable) -> RunTable:
    """Return runs with pairs of topic and group as topics."""
    return _by_search(table, pd.factorize(table.frame[by])[0]) if by in table.frame else table


def _as_read(table: RunTable, number: Codes, policy: Policy) -> RunTable:
    """Return the rows that an agent reads, in reading order."""
    # results are ranked as the search returned them, before chunks or copies become documents
    ranking = rank_table(_by_search(table, number), replace(policy, unit=None, copies=None))
    order = ranking.order[ranking.rank <= (policy.each or np.inf)]
    # the sort is stable, so results of one search keep their ranks
    return table.take(order[np.lexsort((number[order], table.group[order]))])


def shown(table: RunTable, policy: Policy) -> tuple[RunTable, Codes, Array]:
    """Return rows in reading order, their searches, and repeated rows."""
    name = str(policy.search)
    numbered = replace(table, frame=table.frame.assign(**{name: _numbered(table, name)}))
    listed = _as_read(numbered, numbered.frame[name].to_numpy(), policy)
    repeated = np.zeros(len(listed.doc), bool)
    repeated[listed_twice(listed)] = True
    return listed, listed.frame[name].to_numpy(), repeated


def add_costs(
    scores: pd.DataFrame,
    runs: ByRole,
    policy: Policy,
    stops: Any,
    by: Hashable,
    costs: Sequence[str],
) -> pd.DataFrame:
    """Add the costs of searches to scores as columns.

    Parameters
    ----------
    scores
        Scores by system and topic, and by group if there are groups.
    runs, policy
        As in `merged`.
    stops
        The numbers of searches after which reading stops. None if all searches are read.
    by
        The group column.
    costs
        `SHOWN`, `AGAIN`, or the name of the column of lengths.
    """
    if stops is not None and stops.axis.along != words.SEARCH:
        expected = f"ir.AfterSearches or no stop, for the cost {costs[0]!r}"
        raise ParameterError(expected, f"a {stops.axis.dim}")
    listed, number, repeated = shown(_of_groups(read_table(runs), by), policy)
    keys: list[pd.Series | pd.Index] = [] if by is None else [listed.frame[by]]
    keys += [listed.systems.take(listed.system), listed.topics.take(listed.topic)]
    rows = pd.DataFrame({SHOWN: 1.0, AGAIN: repeated}, pd.MultiIndex.from_arrays(keys), dtype=float)
    if policy.length is not None:
        rows[policy.length] = lengths_of(listed, policy.length, np.arange(len(rows)))
    added = {}
    for cost in costs:
        for stop in (None,) if stops is None else stops.of:
            label = cost if stop is None else stops.axis.named(cost, stop)
            costs_read = rows.loc[number <= (stop or MOST), cost]
            sums = costs_read.groupby(level=[*range(len(keys))], observed=True).sum()
            added[label] = sums.reindex(scores.index).fillna(0.0)
    table = scores.assign(**added)
    attributes = {words.METRICS: [*scores.attrs[words.METRICS], *added], words.LOWER: [*added]}
    table.attrs = scores.attrs | attributes
    return table


def listed_twice(table: RunTable, search: str | None = None) -> Codes:
    """Return the rows that repeat a document of their list.

    If `search` names a column, the lists of different searches are compared separately.
    """
    if search is not None:
        table = _by_search(table, _numbered(table, search))
    (codes,) = code_documents(Side(table.topic, table.doc))
    return listed_again(table.system, codes)


def _numbered(table: RunTable, name: str) -> Codes:
    """Return the search of each row, numbered from 1."""
    column = column_of(table.frame, "search", name)
    number = numbers(column)
    if (missing := np.isnan(number)).any():
        advice = "write 1 in every row of a run with one search"
        expected = f"the number of a search in every row of {name!r}"
        systems = table.systems[np.unique(table.system[missing])]
        raise InputError(expected, f"{missing.sum()} rows without a number in", advice, systems)
    wrong = np.flatnonzero((number != np.round(number)) | (np.abs(number) >= MOST))
    if len(wrong):
        expected = f"whole numbers in the column of searches {name!r}"
        raise InputError(expected, "", NUMBER, in_rows(column, wrong))
    least = pd.Series(number).groupby(table.system).min()
    base = least.iloc[0] if len(least) and least.iloc[0] in {0, 1} else 1
    # If irframe numbered the searches, the first search of a system may have found nothing, so the
    # lowest number need not be 1.
    counted = table.frame.attrs.get(words.SEARCH) == name
    if not counted and (elsewhere := np.flatnonzero(least != base)).size:
        offenders = [f"{table.systems[row]} from {least.iloc[row]:g}" for row in elsewhere.tolist()]
        expected = f"searches in {name!r} that start at 1 in all systems, or at 0 in all systems"
        raise InputError(
            expected, f"{len(offenders)} systems with another start", NUMBER, offenders
        )
    return (number + (1 - base)).astype(np.int32)


def read_from_one_to_the_next(table: RunTable, cost: str, first: Codes) -> Array:
    """Return the cost of reading on to each selected row.

    The cost is the sum over all rows after the previous selected row, up to the selected row.
    """
    lengths = lengths_of(table, cost, np.arange(len(table.group)))
    lists = table.group[first]
    inside = lists[1:] == lists[:-1]
    # the first row of a list is always selected, so its cost is its own length
    costs = lengths[first]
    costs[1:][inside] = np.diff(np.cumsum(lengths)[first])[inside]
    return costs
