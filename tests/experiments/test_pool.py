"""Pools: which documents, who contributed them, in which order."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.errors import DepthError, IdError, ParameterError, RankingError

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


def test_pool_by_hand():
    found = RUNS.ireval.pool(2)
    assert list(found.columns) == ["name", "qid", "docno", "rank", "unique"]
    rows = found.drop(columns="qid").to_records(index=False).tolist()
    assert rows[:4] == [
        ("a", "d1", 1, False),
        ("a", "d2", 2, False),
        ("b", "d2", 2, False),
        ("b", "d4", 1, False),
    ]
    assert rows[4:] == [("c", "d4", 1, False), ("c", "d1", 2, False), ("c", "d1", 1, True)]
    assert RUNS.ireval.pool(3)["unique"].sum() == 2


def contributed(runs, depth):
    found = runs.ireval.pool(depth)
    rows = found[["system", "topic", "doc", "rank", "unique"]]
    return set(rows.itertuples(index=False, name=None))


def first_docs(runs):
    return runs.ireval.pool(1)["docno"].tolist()


def test_scores_decide_then_rows_then_ranks():
    runs = pd.DataFrame({"qid": "1", "docno": list("xyz"), "score": [1.0, 3.0, 3.0]})
    assert first_docs(runs) == ["y"]
    assert first_docs(runs[::-1]) == ["z"]
    assert first_docs(runs.assign(rank=[1, 3, 2])) == ["y"]
    assert first_docs(runs.drop(columns="score").assign(rank=[2, 1, 0])) == ["z"]


def test_another_policy_for_equal_scores():
    runs = pd.DataFrame({"qid": "1", "docno": list("yx"), "score": 1.0})
    assert first_docs(runs) == ["y"]
    assert first_docs(runs.ireval.rank(ties="doc")) == ["x"]


@given(order=st.randoms(use_true_random=False), depth=st.integers(1, 12))
def test_the_order_of_rows_does_not_matter(order, depth):
    runs, _ = ir.example_track()
    runs = runs[runs["topic"].isin(["101", "102"])].drop(columns="score")
    rows = list(range(len(runs)))
    order.shuffle(rows)
    for frame in (runs, runs.assign(score=-runs["rank"]).drop(columns="rank")):
        assert contributed(frame.iloc[rows], depth) == contributed(frame, depth)


def test_lists_without_an_order():
    runs = pd.DataFrame({"qid": "1", "docno": list("xy"), "rank": [1, 1]})
    with pytest.raises(RankingError, match="1 equal: run 1 y"):
        runs.ireval.pool(1)
    with pytest.raises(RankingError, match="1 missing: run 1 y"):
        runs.assign(score=[1.0, np.nan]).ireval.pool(1)


def test_unique_to_a_team():
    found = RUNS.ireval.pool(2, together="team")
    assert list(found.columns[:2]) == ["name", "team"]
    team = found[found["unique"]]
    assert team[["team", "docno", "qid"]].to_records(index=False).tolist() == [
        ("x", "d2", "1"),
        ("x", "d2", "1"),
        ("y", "d1", "2"),
    ]


def test_systems_without_a_team():
    lacking = RUNS.assign(team=RUNS["team"].where(RUNS["name"] == "a"))
    with pytest.raises(ParameterError, match="'team' for every system.*2 systems without: b, c"):
        lacking.ireval.pool(2, together="team")
    assert len(lacking.ireval.pool(2, together="team", contributing=["a"])) == 2


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


@pytest.mark.parametrize("depth", [0, -1, 1.5, True, None])
def test_depths_that_are_none(depth):
    with pytest.raises(DepthError, match="at least 1"):
        RUNS.ireval.pool(depth)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"contributing": ["a", "z"]}, "contributing systems: a, b, c; found 'z'"),
        ({"contributing": []}, "empty list"),
        ({"contributing": "team"}, "True and False"),
        ({"contributing": "who"}, "contributing to be a column of the runs"),
        (
            {"together": "who"},
            "together to be a column of the runs; found 0 of the name 'who'",
        ),
        ({"together": ["team"]}, "together to be a column"),
        ({"together": 5}, "together to be a column"),
        ({"contributing": 5}, "found 5"),
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
