"""Judgments joined to retrieved documents."""

from typing import cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from irframe.errors import IdError, InputError
from irframe.frames.documents import Side, code_documents
from irframe.frames.ids import Codes, same_kind, shown
from irframe.frames.ranking import refuse_duplicates
from irframe.frames.tables import (
    QrelsTable,
    RunTable,
    read_qrels_table,
    read_table,
    refuse_twice_judged,
)
from irframe.names import DOC, GRADE, TOPIC


def judge(runs: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """Add to every retrieved document the grade an assessor gave it.

    Parameters
    ----------
    runs
        Run frame: topic, doc, and score or rank; usually system.
    qrels
        Qrels frame: topic, doc, grade.

    Returns
    -------
    pandas.DataFrame
        The run frame with a column ``grade`` of dtype ``Int8``, ``<NA>`` where unjudged.

    Raises
    ------
    IdError
        If no topic or no document occurs on both sides, or one does twice on one side.

    Examples
    --------
    >>> import pandas as pd
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> qrels = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [3]})
    >>> judge(run, qrels)
      qid docno  score  grade
    0   1     a    2.0      3
    1   1     b    1.0   <NA>
    """
    table, judgments = read_table(runs), read_qrels_table(qrels)
    if GRADE in table.columns:
        found = repr(table.columns[GRADE])
        raise InputError("runs without a column of grades", found, "drop or rename it first")
    judged = locate(table, judgments, place_topics(table, judgments))
    refuse_empty_join(table, judgments, found=bool((judged >= 0).any()))
    grade = pd.array(judgments.grade[np.maximum(judged, 0)], dtype="Int8")
    grade[judged < 0] = pd.NA
    return runs.assign(**{GRADE: grade})


def place_topics(table: RunTable, judgments: QrelsTable) -> Codes:
    """Return for every topic of the runs its code in the qrels, -1 where it is not judged."""
    kinds = [pa.array(labels).type for labels in (table.topics, judgments.topics)]
    same_kind(kinds[0], kinds[1], TOPIC, ("the runs", "the qrels"))
    placed = judgments.topics.get_indexer(table.topics)
    if (placed < 0).all():
        raise IdError(
            "topics that occur in runs and qrels",
            f"none: the runs have {shown(table.topics)}, the qrels {shown(judgments.topics)}",
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
    topic = np.where(placed < 0, beyond, placed)[table.topic]
    retrieved, judged = code_documents(Side(topic, table.doc), Side(judgments.topic, judgments.doc))
    refuse_duplicates(table, retrieved)
    refuse_twice_judged(judgments, judged)
    found = pc.index_in(pa.array(retrieved), value_set=pa.array(judged))
    return cast("Codes", found.fill_null(-1).to_numpy(zero_copy_only=False))


def refuse_empty_join(table: RunTable, judgments: QrelsTable, *, found: bool) -> None:
    """Raise if no retrieved document is judged, showing identifiers of both sides."""
    if not found:
        docs = [shown(value.as_py() for value in side.doc[:3]) for side in (table, judgments)]
        raise IdError(
            "documents that occur in runs and qrels",
            f"none: the runs have {docs[0]}, the qrels {docs[1]}",
            "compare the identifiers",
        )
