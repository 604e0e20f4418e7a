"""Runs joined to judgments and ranked: a frame at once, files a few at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from irframe.errors import StoreError
from irframe.experiments.coded_tables import QrelsTable, RunTable, read_table
from irframe.experiments.collections import Collections
from irframe.experiments.contributing import CONTRIBUTING
from irframe.experiments.framed import Framed, Part, put_together
from irframe.experiments.hits import Hits
from irframe.experiments.joining import find_topics, place_topics
from irframe.experiments.lists import Lists, count_rows
from irframe.experiments.policy import Policy
from irframe.experiments.ties import TIE_POLICIES
from irframe.experiments.top_documents import Listed, together, top_documents
from irframe.files.ids import Codes
from irframe.files.run_files import changed_files
from irframe.files.scanned_runs import ScannedRuns

FIRST = 3
"""Rows that are kept, to be shown where no document is judged."""


class Wanted(NamedTuple):
    """What is wanted of ranked runs beside their hits."""

    filed: bool = False
    """At which ranks pooling reads hits."""
    whole: bool = False
    """All ties, and the unjudged documents at the top by name."""


class Ranked(NamedTuple):
    """Runs after they were ranked."""

    runs: Framed
    """Their lists; of the rows of files the first ones alone."""
    hits: Hits
    """What lists hold of the judgments, by topics and rows of the qrels."""
    listing: Listed | None
    """The unjudged documents at the top of lists, likewise."""


def rank_framed(framed: Framed, policy: Policy, wanted: Wanted) -> Ranked:
    """Rank the lists of a frame."""
    shape = len(framed.table.systems), len(framed.judgments.topics)
    return _together(framed, [*_parts(framed, policy, wanted)], shape)


def rank_in_turn(
    runs: ScannedRuns, judgments: QrelsTable, policy: Policy, wanted: Wanted
) -> Ranked | None:
    """Join the runs of files to judgments and rank them, some files at a time.

    Returns
    -------
    Ranked or None
        None where a column of the runs counts: what it says of all has to be seen at once.
    """
    told = policy.collection
    elsewhere = told is not None and told not in judgments.frame.columns
    if elsewhere or isinstance(policy.contributing, str):
        return None
    tables, every = list[RunTable](), list[Lists]()
    parts = list[tuple[Part, Listed | None]]()
    states = runs.states()
    topics, systems, collections = len(judgments.topics), 0, Collections.of_qrels(judgments, told)
    for frame in runs.frames():
        if {CONTRIBUTING, told} & {*frame.columns}:
            return None
        table = read_table(frame)
        labels, placed = (table.systems, table.topics), find_topics(table, judgments)
        lists = Lists(*labels, placed, count_rows(table), collections)
        parts += _parts(Framed(table, judgments, lists), policy, wanted, systems * topics)
        tables.append(table.take(np.arange(min(len(frame), FIRST))))
        every.append(lists)
        systems += len(table.systems)
    changed = changed_files(states)
    if changed:
        kept = "files that stay as they are while they are read"
        raise StoreError(kept, f"{len(changed)} that changed", "read them again", changed)
    table = _labels_of_all(tables)
    placed, lengths = place_topics(table, judgments), _lengths_of_all(table, every)
    lists = Lists(table.systems, table.topics, placed, lengths, collections)
    return _together(Framed(table, judgments, lists), parts, (systems, topics))


def _parts(
    framed: Framed, policy: Policy, wanted: Wanted, before: int = 0
) -> Iterator[tuple[Part, Listed | None]]:
    """Yield some lists after the other, numbered after those of other runs."""
    ties = wanted.whole or TIE_POLICIES[policy.ties].shares
    for part, rows, ranking in framed.ranked(policy, filed=wanted.filed):
        hits = part.hits if ties else replace(part.hits, tied=None)
        listed = top_documents(framed, rows, ranking, before) if wanted.whole else None
        yield Part(before + part.lists, hits), listed


def _together(
    framed: Framed, parts: Sequence[tuple[Part, Listed | None]], shape: tuple[int, int]
) -> Ranked:
    hits, listing = put_together([part for part, _ in parts], shape), [each for _, each in parts]
    return Ranked(framed, hits, together(listing))


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
