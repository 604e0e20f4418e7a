"""Runs in files, joined to judgments and ranked some files at a time: only hits are kept."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irframe.experiments.coded_tables import QrelsTable, RunTable, read_table
from irframe.experiments.collections import Collections
from irframe.experiments.contributing import CONTRIBUTING
from irframe.experiments.framed import Framed, Part, put_together
from irframe.experiments.hits import Hits
from irframe.experiments.joining import find_topics, place_topics
from irframe.experiments.lists import Lists, count_rows
from irframe.experiments.policy import Policy
from irframe.files.ids import Codes
from irframe.files.scanned_runs import ScannedRuns

FIRST = 3
"""Rows that are kept, to be shown where no document is judged."""


class InTurn(NamedTuple):
    """The runs of files after they were ranked."""

    runs: Framed
    """Their lists; of their rows the first ones alone."""
    hits: Hits
    """What lists hold of the judgments, by topics and rows of the qrels."""


def rank_in_turn(
    runs: ScannedRuns, judgments: QrelsTable, policy: Policy, *, filed: bool
) -> InTurn | None:
    """Join runs to judgments and rank them, some files at a time.

    Parameters
    ----------
    runs, judgments
        The runs, and the judgments.
    policy, filed
        As for `Framed.hits`.

    Returns
    -------
    InTurn or None
        None where a column of the runs counts: what it says of all has to be seen at once.
    """
    if policy.collection is not None or isinstance(policy.contributing, str):
        return None
    tables, every, parts = list[RunTable](), list[Lists](), list[Part]()
    topics, systems = len(judgments.topics), 0
    together = Collections.one(topics)
    for frame in runs.frames():
        if CONTRIBUTING in frame.columns:
            return None
        table = read_table(frame)
        labels, placed = (table.systems, table.topics), find_topics(table, judgments)
        lists = Lists(*labels, placed, count_rows(table), together)
        parts += Framed(table, judgments, lists).parts(policy, filed=filed, systems=systems)
        tables.append(table.take(np.arange(min(len(frame), FIRST))))
        every.append(lists)
        systems += len(table.systems)
    table = _labels_of_all(tables)
    placed, lengths = place_topics(table, judgments), _lengths_of_all(table, every)
    lists = Lists(table.systems, table.topics, placed, lengths, together)
    return InTurn(Framed(table, judgments, lists), put_together(parts, (systems, topics)))


def _labels_of_all(tables: Sequence[RunTable]) -> RunTable:
    """Return the first table with the systems and topics of all of them."""
    first, *others = tables
    return replace(
        first,
        systems=first.systems.append([table.systems for table in others]),
        topics=first.topics.append([table.topics for table in others]).unique(),
    )


def _lengths_of_all(table: RunTable, every: Sequence[Lists]) -> Codes:
    """Return the length of every list, given the lists of some systems after the other."""
    lengths, start = np.zeros((len(table.systems), len(table.topics)), np.int64), 0
    for lists in every:
        rows = slice(start, start + len(lists.systems))
        lengths[rows, table.topics.get_indexer(lists.topics)] = lists.lengths
        start = rows.stop
    return lengths
