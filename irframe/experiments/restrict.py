"""Judgments of some documents."""

import numpy as np
import pandas as pd

from irframe.errors import IdError
from irframe.experiments.coded_tables import read_qrels_table
from irframe.experiments.documents import Side, code_documents
from irframe.files.as_qrels import Qrels
from irframe.files.formats import DOCUMENTS
from irframe.files.ids import code_labels, identifiers, same_kind, shown
from irframe.files.role_columns import require_columns
from irframe.names import DOC, TOPIC
from irframe.record import recorded


@recorded
def restrict(qrels: Qrels, documents: pd.DataFrame) -> pd.DataFrame:
    """Keep the judgments of some documents, such as those of a simulated pool.

    Parameters
    ----------
    qrels
        Qrels frame: topic, doc, grade.
    documents
        A frame with columns for topic and doc, such as `pool` returns.

    Returns
    -------
    pandas.DataFrame
        The rows of `qrels` whose topic and document occur in `documents`, as they were.

    Raises
    ------
    InputError
        If a frame lacks a column.
    IdError
        If no document occurs in both.

    References
    ----------
    .. [1] Lu, Moffat, Culpepper. The effect of pooling and evaluation depth on IR metrics.
       Information Retrieval Journal 19, 2016. Section 4.1. doi:10.1007/s10791-016-9282-6

    Examples
    --------
    >>> import irframe as ir
    >>> runs, qrels = ir.example_track()
    >>> len(qrels), len(restrict(qrels, ir.verbs.pool(runs, 2)))
    (523, 132)
    """
    table = read_qrels_table(qrels)
    columns = require_columns(documents, DOCUMENTS)
    topic, topics = code_labels(documents[columns[TOPIC]], TOPIC)
    doc = identifiers(documents[columns[DOC]], DOC)
    same_kind(doc.type, table.doc.type, DOC, ("the documents", "the qrels"))
    beyond = len(table.topics) + np.arange(len(topics))
    placed = table.topics.get_indexer(topics)
    shared = np.where(placed < 0, beyond, placed)[topic]
    judged, listed = code_documents(Side(table.topic, table.doc), Side(shared, doc))
    kept = np.isin(judged, listed)
    if not kept.any():
        sides = [shown(value.as_py() for value in side[:3]) for side in (table.doc, doc)]
        found = f"none: the qrels have {sides[0]}, the documents {sides[1]}"
        raise IdError("documents that occur in both frames", found, "compare the identifiers")
    return table.judging(kept)
