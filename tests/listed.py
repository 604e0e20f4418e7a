"""Run and qrels frames of rankings of documents by name, for tests."""

import pandas as pd


def frames_of_docs(runs, qrels):
    """Lay worked runs and qrels of one or several topics out as frames, rows in file order."""
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
