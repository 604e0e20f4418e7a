"""Frames of runs and judgments from lists of document ids."""

import pandas as pd

RUNS = pd.DataFrame(
    [
        ("a", "1", "d1", 3.0),
        ("a", "1", "d2", 2.0),
        ("a", "1", "d9", 1.0),
        ("a", "2", "d1", 1.0),
        ("b", "1", "d3", 5.0),
        ("b", "3", "d3", 5.0),
    ],
    columns=["system", "topic", "doc", "score"],
)
QRELS = pd.DataFrame(
    [("1", "d2", 2), ("1", "d1", 0), ("1", "d3", -1), ("2", "d4", 1), ("4", "d1", 1)],
    columns=["topic", "doc", "grade"],
)
"""Judgments for `RUNS`. Some topics and documents are not judged."""

TEAMED = pd.DataFrame(
    [
        ("a", "x", "1", "d1", 9.0),
        ("a", "x", "1", "d2", 8.0),
        ("a", "x", "1", "d3", 7.0),
        ("b", "x", "1", "d2", 1.0),
        ("b", "x", "1", "d4", 2.0),
        ("c", "y", "1", "d4", 5.0),
        ("c", "y", "1", "d1", 4.0),
        ("c", "y", "2", "d1", 4.0),
    ],
    columns=["name", "team", "qid", "docno", "score"],
)
"""Runs of three systems from two teams."""


def frames_of_docs(runs, qrels):
    """Return frames of runs and judgments, in the given order."""
    rows = [
        (system, topic, doc, 100 - rank)
        for system, lists in runs.items()
        for topic, docs in (lists.items() if isinstance(lists, dict) else [("t", lists)])
        for rank, doc in enumerate(docs)
    ]
    judged = qrels if isinstance(next(iter(qrels.values())), dict) else {"t": qrels}
    grades = [(t, doc, grade) for t, docs in judged.items() for doc, grade in docs.items()]
    return (
        pd.DataFrame(rows, columns=["system", "topic", "doc", "score"]),
        pd.DataFrame(grades, columns=["topic", "doc", "grade"]),
    )
