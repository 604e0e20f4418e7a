"""Judgments joined to retrieved documents."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.arrays import in_threads
from irframe.errors import IdError, warn
from irframe.experiments import coded_tables
from irframe.experiments.coded_tables import (
    QrelsTable,
    RunTable,
    refuse_twice_judged,
    row_slices,
)
from irframe.experiments.documents import Side, in_batches
from irframe.experiments.fingerprints import Prints, fingerprints, with_number
from irframe.experiments.lists import ends_of_lists, slices_of_lists
from irframe.experiments.rank_table import listed_again, refuse_duplicates
from irframe.files.ids import Codes, is_text, repeated, same_kind, shown
from irframe.names import DOC, TOPIC

THREADS = 2
"""How many parts of the runs are joined at once."""
PARTS = 8
"""How many make up `coded_tables.ROWS`: a few arrays of so many rows fit the processor's cache."""

Named = tuple[Iterable[Any], Any]
"""Some identifiers, and the name of their column."""


def find_topics(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return for every topic of some runs its code in the qrels, -1 where it is not judged."""
    if len(table.topics):
        kinds = [pa.array(labels).type for labels in (table.topics, judgments.topics)]
        same_kind(kinds[0], kinds[1], TOPIC, ("the runs", "the qrels"))
    placed: Codes = judgments.topics.get_indexer(table.topics)
    return placed


def place_topics(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return the same for all runs.

    Raises
    ------
    IdError
        If none of their topics is judged, or types differ.
    """
    placed = find_topics(table, judgments)
    if len(placed) and (placed < 0).all():
        ours, theirs = (side.columns.get(TOPIC, TOPIC) for side in (table, judgments))
        raise IdError(
            "topics that occur in runs and qrels",
            f"none: the runs have {shown(table.topics)} in {ours!r}, the qrels "
            f"{shown(judgments.topics)} in {theirs!r}",
            "compare leading zeros and types",
        )
    return placed


def locate(table: RunTable, judgments: QrelsTable, placed: Codes) -> Codes:
    """Return for every row of the runs its row in the qrels, -1 where unjudged.

    Parameters
    ----------
    table, judgments
        The two frames.
    placed
        For every topic of the runs its code in the qrels, -1 where it is not judged.

    Raises
    ------
    IdError
        If a list, or a topic of the qrels, has a document twice, or ids differ in type.
    """
    if not len(table.doc):
        return np.zeros(0, np.int32)
    same_kind(table.doc.type, judgments.doc.type, DOC, ("the runs", "the qrels"))
    beyond = len(judgments.topics) + np.arange(len(placed))
    number = np.where(placed < 0, beyond, placed).astype(table.topic.dtype)
    found = _by_fingerprints(table, number, judgments)
    return _by_names(table, number[table.topic], judgments) if found is None else found


def _by_fingerprints(table: RunTable, number: Codes, judgments: QrelsTable) -> Codes | None:
    """Join by fingerprints; None where some are equal that must not be, or names are too long."""
    known = fingerprints(judgments.doc)
    if known is None:
        return None
    known = with_number(known, judgments.topic)
    if _repeats(known.copy()):
        return None
    matches = _Matches(known)
    rows, (ends, once) = len(table.topic), ends_of_lists(table.system, table.topic)
    prints, place = np.empty(0 if once else rows, np.uint64), np.empty(rows, np.int32)

    def join(some: slice) -> bool:
        """Join some rows, and return whether fingerprints were enough."""
        docs, topic = table.doc[some], number[table.topic[some]]
        listed = fingerprints(docs)
        if listed is None:
            return False
        listed = with_number(listed, topic)
        place[some] = matches.of(listed)
        if len(table.systems) > 1:
            listed = with_number(listed, table.system[some])
        if not once:
            prints[some] = listed
        return _are_alike(docs, topic, place[some], judgments) and not (once and _repeats(listed))

    most = max(1, coded_tables.ROWS // PARTS)
    parts = slices_of_lists(ends, most) if once else row_slices(rows, most)
    return place if all(in_threads(join, parts, THREADS)) and not _repeats(prints) else None


def _are_alike(docs: pa.ChunkedArray, topic: Codes, place: Codes, judgments: QrelsTable) -> bool:
    """Return whether documents, each with its topic, are those of the judgments at their places."""
    rows = np.flatnonzero(place >= 0)
    judged = place[rows]
    if (topic[rows] != judgments.topic[judged]).any():
        return False
    same = pc.equal(*_alike(docs.take(pa.array(rows)), judgments.doc.take(pa.array(judged))))
    return bool(pc.all(same, min_count=0).as_py())


def _alike(*columns: pa.ChunkedArray) -> list[pa.ChunkedArray]:
    """Return columns in one type."""
    text = is_text(columns[0].type)
    return [column.cast(pa.large_string() if text else pa.int64()) for column in columns]


class _Matches:
    """Where numbers stand among known ones.

    Most of those that are not known differ in their first bits already.
    """

    def __init__(self, known: Prints) -> None:
        self._known = pd.Index(known)
        self._known.get_indexer(self._known[:1])  # makes its table, which threads only read then
        self._bits = np.uint64(64 - 4 - max(12, len(known).bit_length()))
        self._begins = np.zeros(1 << (64 - int(self._bits)), bool)
        self._begins[known >> self._bits] = True

    def of(self, listed: Prints) -> Codes:
        """Return where each number stands among known ones, -1 for one that is not known."""
        place = np.full(len(listed), -1, np.int32)
        some = np.flatnonzero(self._begins[listed >> self._bits])
        place[some] = self._known.get_indexer(pd.Index(listed[some]))
        return place


def _repeats(prints: Prints) -> bool:
    """Return whether a number is there twice; they are sorted in place."""
    prints.sort()
    return bool((prints[1:] == prints[:-1]).any())


def _by_names(table: RunTable, topic: Codes, judgments: QrelsTable) -> Codes:
    """Join by names, refusing those that are there twice."""
    place = np.full(len(topic), -1, np.int32)
    listed_twice: list[Codes] = []
    judged_twice: list[Codes] = []

    def match(rows: list[Codes], codes: list[Codes]) -> None:
        (listed, judged), (retrieved, known) = rows, codes
        listed_twice.append(listed[listed_again(table.system[listed], retrieved)])
        judged_twice.append(judged[repeated(known)])
        found = pc.index_in(pa.array(retrieved), value_set=pa.array(known))
        row = found.fill_null(-1).to_numpy(zero_copy_only=False)
        place[listed] = np.append(judged, -1)[row]

    in_batches(match, Side(topic, table.doc), Side(judgments.topic, judgments.doc))
    refuse_duplicates(table, np.sort(np.concatenate(listed_twice)))
    refuse_twice_judged(judgments, np.sort(np.concatenate(judged_twice)))
    return place


def tell_unjudged(table: RunTable, judgments: QrelsTable, *, found: bool) -> None:
    """Warn if no retrieved document is judged, showing identifiers of both sides."""
    if not found and len(table.doc):
        sides = [
            (side.doc[:3].to_pylist(), side.columns.get(DOC, DOC)) for side in (table, judgments)
        ]
        tell_none_judged(*sides)


def tell_none_judged(runs: Named, qrels: Named) -> None:
    """Warn that no retrieved document is judged, given some documents of each and their column."""
    told = [f"{shown(docs)} in {name!r}" for docs, name in (runs, qrels)]
    warn(
        f"no retrieved document is judged: the runs have {told[0]}, the qrels {told[1]}; "
        "compare the identifiers"
    )
