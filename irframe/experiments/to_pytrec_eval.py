"""Frames as the dictionaries that pytrec_eval, ranx and BEIR take."""

from typing import Any

import pandas as pd

from irframe.errors import InputError
from irframe.experiments.coded_tables import read_qrels_table, refuse_twice_judged
from irframe.experiments.documents import Side, code_documents
from irframe.experiments.rank import rank
from irframe.files.foreign import columns_of
from irframe.files.formats import RUN
from irframe.files.ids import repeated
from irframe.files.role_columns import require_columns
from irframe.names import DOC, GRADE, RANK, SCORE, SUBTOPIC, SYSTEM, TOPIC, roles

__all__ = ["to_pytrec_eval"]


def to_pytrec_eval(frame: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Make the dictionaries of a run frame or a qrels frame that pytrec_eval, ranx and BEIR take.

    Parameters
    ----------
    frame
        A qrels frame, if it has grades; else a run frame. Without scores, minus the rank is the
        score, which keeps the order.

    Returns
    -------
    dict
        ``{topic: {doc: grade}}``, or ``{topic: {doc: score}}``; of several systems one of these
        for each, ``{system: {topic: {doc: score}}}``. Ids are text, as these tools need it.

    Raises
    ------
    InputError
        For a frame that is neither.
    IdError
        For a document that is listed or judged twice.

    Examples
    --------
    >>> run = pd.DataFrame({"qid": [1, 1], "docno": ["d7", "d3"], "score": [2.5, 0.5]})
    >>> to_pytrec_eval(run)
    {'1': {'d7': 2.5, 'd3': 0.5}}
    """
    known = columns_of(frame)
    table = frame if known is None else known
    if known is not None and GRADE in roles(known.columns):
        judged = read_qrels_table(table)
        columns = judged.columns
        if judged.subtopic_grade is not None:
            column = repr(columns[SUBTOPIC])
            raise InputError("judgments with one grade per document", f"subtopics in {column}")
        (codes,) = code_documents(Side(judged.topic, judged.doc))
        refuse_twice_judged(judged, repeated(codes))
        return _nested(table, columns, table[columns[GRADE]].astype(int))
    columns = require_columns(table, RUN)
    ranked = rank(table)
    values = ranked[columns[SCORE]].astype(float) if SCORE in columns else -ranked[columns[RANK]]
    if SYSTEM not in columns or len(ranked[columns[SYSTEM]].unique()) == 1:
        return _nested(ranked, columns, values)
    systems = ranked[columns[SYSTEM]]
    return {
        str(system): _nested(ranked.loc[rows], columns, values.loc[rows])
        for system, rows in systems.groupby(systems, sort=False).groups.items()
    }


def _nested(frame: pd.DataFrame, columns: Any, values: pd.Series) -> dict[str, dict[str, Any]]:
    """Return topic -> document -> value."""
    found: dict[str, dict[str, Any]] = {}
    ids = (frame[columns[role]].astype(str).tolist() for role in (TOPIC, DOC))
    for topic, doc, value in zip(*ids, values.tolist(), strict=True):
        found.setdefault(topic, {})[doc] = value
    return found
