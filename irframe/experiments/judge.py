"""Runs with the grades of their documents."""

import numpy as np
import pandas as pd

from irframe.errors import InputError
from irframe.experiments.coded_tables import (
    read_qrels_table,
    read_table,
)
from irframe.experiments.joining import locate, place_topics, tell_unjudged
from irframe.files.as_qrels import Qrels
from irframe.files.as_runs import Runs
from irframe.names import GRADE, roles
from irframe.record import recorded


@recorded
def judge(runs: Runs, qrels: Qrels) -> pd.DataFrame:
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
        If no topic occurs on both sides, or a document occurs twice on one side.

    Warns
    -----
    IrframeWarning
        If no retrieved document is judged.

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
    known = roles(table.frame.columns)
    if GRADE in known:
        found = repr(known[GRADE])
        raise InputError("runs without a column of grades", found, "drop or rename it first")
    judged = locate(table, judgments, place_topics(table, judgments))
    tell_unjudged(table, judgments, found=bool((judged >= 0).any()))
    grade = pd.array(judgments.grade[np.maximum(judged, 0)], dtype="Int8")
    grade[judged < 0] = pd.NA
    return table.frame.assign(**{GRADE: grade})
