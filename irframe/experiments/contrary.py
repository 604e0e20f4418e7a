"""Scores that contradict ranks, and ranks that look like scores."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from irframe import names as words
from irframe.errors import IrframeError, RankingError, listing, warn
from irframe.experiments.coded_tables import RunTable
from irframe.experiments.policy import TiePolicy
from irframe.files.ids import Codes, grouped, rows_of_ranges
from irframe.files.text import LATE

FALLS, RISES, SHUFFLED = 1, 2, 3
"""Which way most scores of a list go along its ranks; the last, where its rows are not by rank."""


def directions(table: RunTable, rows: Codes, key: NDArray[Any], first: Codes) -> NDArray[np.int8]:
    """Return whether scores rise or fall along each list's ranks.

    Parameters
    ----------
    table
        The runs.
    rows, key
        Rows by descending score, and the numbers by which they are ordered.
    first
        Where lists begin.
    """
    length = np.diff(first, append=len(rows))
    direction = np.asarray(key[first] != key[first + length - 1], np.int8) * np.int8(FALLS)
    try:
        rank = np.asarray(table.rank)[rows]
    except IrframeError:
        return direction  # ranks that are no numbers decide nothing
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
    rises, falls = key[1:] < key[:-1], key[1:] > key[:-1]  # scores, whose sign keys have turned
    step = np.where(same, rises.astype(np.int8) - falls, 0)
    more = np.bincount(number[1:], step, len(doubtful)) > 0
    moved = np.bincount(number[1:], same & (rows[1:] < rows[:-1]), len(doubtful)) > 0
    direction[doubtful[more]] = RISES
    direction[doubtful[more & moved]] = SHUFFLED
    return direction


def systems(table: RunTable, system: Codes, direction: NDArray[np.int8] | None) -> list[str]:
    """Count per system the lists whose scores rise with ranks.

    Parameters
    ----------
    table
        The runs.
    system, direction
        The system of each list, and which way its scores go; None where nobody asked.

    Raises
    ------
    RankingError
        If scores rise with the ranks, and with the rows, of all lists of a system.
    """
    if direction is None or not (direction >= RISES).any():
        return []
    ways = pd.crosstab(system, direction).reindex(columns=[FALLS, RISES, SHUFFLED], fill_value=0)
    number, rising = ways.sum(axis=1), ways[RISES]
    reverse = ways.index[(rising == number) & (number > 0)]
    if len(reverse):
        rank, score = (table.columns[role] for role in (words.RANK, words.SCORE))
        expected, found = (
            "scores that fall from rank to rank",
            f"scores in {score!r} that rise with",
        )
        drop = f"if the scores are, frame.drop(columns={rank!r})"
        advice = f"if the ranks are meant, pass ties='rank'; {drop}"
        found = f"{found} the ranks in {rank!r} in every list of"
        raise RankingError(expected, found, advice, table.systems[reverse])
    rising = number - ways[FALLS]
    codes = ways.index[rising > 0]
    return [f"{table.systems[code]} in {rising[code]} of {number[code]} lists" for code in codes]


def warn_rising(contrary: Sequence[str]) -> None:
    """Warn of what `systems` returns."""
    if contrary:
        text = (
            f"scores rise with the ranks, and decide the order as in trec_eval: {listing(contrary)}"
        )
        warn(f"{text}; if the ranks are meant, pass ties='rank'")


def refuse_falling(table: RunTable, policy: TiePolicy) -> None:
    """Raise if ranks fall in all lists, like scores."""
    if words.RANK not in table.columns or policy.column == words.RANK or not table.unscored.any():
        return
    order = grouped(table.group)
    order = order[table.unscored[table.system[order]]]
    ranks, system = np.asarray(table.rank)[order], table.system[order]
    inside = np.diff(table.group[order]) == 0
    step, number = np.diff(ranks)[inside], len(table.systems)
    falls, others = (
        np.bincount(system[1:][inside][way], minlength=number) for way in (step < 0, ~(step < 0))
    )
    for code in np.flatnonzero((falls > 0) & (others == 0)):
        own, longest = ranks[system == code], np.bincount(table.topic[table.system == code]).max()
        if 0 <= own.min() <= LATE and np.ptp(own) < 2 * longest:
            continue
        name = table.columns[words.RANK]
        found = f"ranks {own.min():g} to {own.max():g}, which fall from row to row in {name!r}"
        advice = f"call scores so: frame.rename(columns={{{name!r}: 'score'}}), or sort the rows"
        raise RankingError(f"ranks from 0 to {LATE} on", found, advice)
