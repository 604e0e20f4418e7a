"""Judgments joined to retrieved documents."""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import IdError, warn
from irframe.frames.documents import Side, in_batches
from irframe.frames.ids import Codes, repeated, same_kind, shown
from irframe.frames.ranking import listed_again, refuse_duplicates
from irframe.frames.tables import (
    QrelsTable,
    RunTable,
    refuse_twice_judged,
)
from irframe.names import DOC, TOPIC


def place_topics(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return for every topic of the runs its code in the qrels, -1 where it is not judged."""
    kinds = [pa.array(labels).type for labels in (table.topics, judgments.topics)]
    same_kind(kinds[0], kinds[1], TOPIC, ("the runs", "the qrels"))
    placed = judgments.topics.get_indexer(table.topics)
    if (placed < 0).all():
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
    """
    same_kind(table.doc.type, judgments.doc.type, DOC, ("the runs", "the qrels"))
    beyond = len(judgments.topics) + np.arange(len(placed))
    topic = np.where(placed < 0, beyond, placed).astype(table.topic.dtype)[table.topic]
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
    if not found:
        told = [
            f"{shown(value.as_py() for value in side.doc[:3])} in {side.columns.get(DOC, DOC)!r}"
            for side in (table, judgments)
        ]
        warn(
            f"no retrieved document is judged: the runs have {told[0]}, the qrels {told[1]}; "
            "compare the identifiers"
        )
