"""Judgments restricted to the documents of a pool."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IdError, InputError

RUNS = pd.DataFrame(
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


QRELS = pd.DataFrame(
    {"qid": ["1", "1", "1", "2"], "docno": ["d1", "d3", "d9", "d1"], "label": [1, 0, 2, 1]}
)


def pooled_docs(runs, qrels, depth, contributing):
    """Walk through the runs row by row."""
    pool, ranks = set(), {}
    for row in runs.itertuples():
        key = row.system, row.topic
        ranks[key] = ranks.get(key, 0) + 1
        if ranks[key] <= depth and row.system in contributing:
            pool.add((row.topic, row.doc))
    return [(row.topic, row.doc) in pool for row in qrels.itertuples()]


def test_restricted_judgments():
    assert QRELS.ireval.restrict(RUNS.ireval.pool(1)).index.tolist() == [0, 3]
    assert QRELS.ireval.restrict(RUNS.ireval.pool(3)).index.tolist() == [0, 1, 3]
    runs, qrels = ir.example_track()
    contributing = set(runs.loc[runs["contributing"], "system"])
    for depth in (1, 4, 10):
        kept = qrels.ireval.restrict(runs.ireval.pool(depth))
        expected = qrels[pooled_docs(runs, qrels, depth, contributing)]
        pd.testing.assert_frame_equal(kept, expected)
    pd.testing.assert_frame_equal(qrels, qrels.ireval.restrict(runs.ireval.pool(10)))


def test_worked_pool(golden):
    case = golden["002-pool"]
    rows = [(s, "t", d) for s, docs in case["input"]["runs"].items() for d in docs]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc"]).assign(score=1.0)
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    for depth, docs in case["expected"]["judged_at_depth"].items():
        kept = ir.verbs.restrict(qrels.assign(topic="t"), runs.ireval.pool(int(depth)))
        assert sorted(kept["doc"]) == docs


def test_restricting_to_nothing():
    with pytest.raises(InputError, match="documents with a column for doc; found .*: name, qid"):
        ir.verbs.restrict(QRELS, RUNS[["name", "qid"]])
    with pytest.raises(InputError, match="documents, a pandas DataFrame; found list"):
        ir.verbs.restrict(QRELS, ["d1"])
    with pytest.raises(InputError, match="empty one"):
        ir.verbs.restrict(QRELS, RUNS.iloc[:0])
    with pytest.raises(IdError, match="none: the qrels have 'd1'.*'zd1'"):
        ir.verbs.restrict(QRELS, RUNS.assign(docno="z" + RUNS["docno"]))
    with pytest.raises(IdError, match="one type"):
        ir.verbs.restrict(QRELS, RUNS.assign(docno=np.arange(len(RUNS))))
