"""Pools and judgments restricted to them."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import DepthError, IdError, InputError, ParameterError

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


def test_pool_by_hand():
    found = RUNS.ireval.pool(2)
    assert list(found.columns) == ["name", "qid", "docno", "rank", "unique"]
    rows = found.drop(columns="qid").to_records(index=False).tolist()
    assert rows[:4] == [
        ("a", "d1", 1, False),
        ("a", "d2", 2, False),
        ("b", "d2", 1, False),
        ("b", "d4", 2, False),
    ]
    assert rows[4:] == [("c", "d4", 1, False), ("c", "d1", 2, False), ("c", "d1", 1, True)]
    assert RUNS.ireval.pool(3)["unique"].sum() == 2


def test_rows_in_file_order_and_evaluation_order():
    filed = RUNS.ireval.pool(1)
    assert filed.loc[filed["name"] == "b", "docno"].tolist() == ["d2"]
    ranked = RUNS.ireval.rank().ireval.pool(1)
    assert ranked.loc[ranked["name"] == "b", "docno"].tolist() == ["d4"]


def test_unique_to_a_team():
    found = RUNS.ireval.pool(2, by="team")
    assert list(found.columns[:2]) == ["name", "team"]
    team = found[found["unique"]]
    assert team[["team", "docno", "qid"]].to_records(index=False).tolist() == [
        ("x", "d2", "1"),
        ("x", "d2", "1"),
        ("y", "d1", "2"),
    ]


def test_contributing_systems():
    assert set(RUNS.ireval.pool(1, contributing=["b"])["name"]) == {"b"}
    flagged = RUNS.assign(contributing=RUNS["team"] == "x")
    assert set(flagged.ireval.pool(1)["name"]) == {"a", "b"}
    assert set(RUNS.assign(in_=RUNS["name"] == "c").ireval.pool(1, contributing="in_")["name"]) == {
        "c"
    }
    alone = RUNS.drop(columns="name").iloc[:3].ireval.pool(2)
    assert alone["unique"].all()
    assert "name" not in alone


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
        kept = ir.restrict(qrels.assign(topic="t"), runs.ireval.pool(int(depth)))
        assert sorted(kept["doc"]) == docs


@pytest.mark.parametrize("depth", [0, -1, 1.5, True, None])
def test_depths_that_are_none(depth):
    with pytest.raises(DepthError, match="at least 1"):
        RUNS.ireval.pool(depth)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contributing": ["a", "z"]}, "1 that do not exist: 'z'"),
        ({"contributing": []}, "empty list"),
        ({"contributing": "team"}, "True and False"),
        ({"contributing": "who"}, "column of the runs"),
        ({"by": "who"}, "by to be a column"),
    ],
)
def test_refused_options(options, words):
    with pytest.raises(ParameterError, match=words):
        RUNS.ireval.pool(1, **options)


def test_nobody_contributes():
    with pytest.raises(ParameterError, match="contributes; found none"):
        RUNS.assign(contributing=False).ireval.pool(1)


def test_documents_listed_twice():
    twice = pd.concat([RUNS, RUNS.iloc[[0]]], ignore_index=True)
    with pytest.raises(IdError, match="1 listed again: a 1 d1"):
        twice.ireval.pool(9)


def test_restricting_to_nothing():
    with pytest.raises(InputError, match="topic and doc"):
        ir.restrict(QRELS, RUNS[["name", "qid"]])
    with pytest.raises(InputError, match="empty one"):
        ir.restrict(QRELS, RUNS.iloc[:0])
    with pytest.raises(IdError, match="none: the qrels have 'd1'.*'zd1'"):
        ir.restrict(QRELS, RUNS.assign(docno="z" + RUNS["docno"]))
    with pytest.raises(IdError, match="one type"):
        ir.restrict(QRELS, RUNS.assign(docno=np.arange(len(RUNS))))
