"""Pools: which documents, who contributed them, in which order."""

import pandas as pd
import pytest

from irframe.errors import DepthError, IdError, ParameterError

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
