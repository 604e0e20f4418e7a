"""Judgments joined to retrieved documents."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IdError, IrframeWarning
from irframe.experiments import coded_tables

QRELS = pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})


def test_topics_without_judgments_are_topics_of_their_own():
    topics = ["1", "2", "3", "1", "2", "3"]
    run = pd.DataFrame({"topic": topics, "doc": list("aaabbb"), "score": 1.0})
    grades = run.ireval.judge(QRELS)["grade"]
    assert grades[0] == 1
    assert grades[1:].isna().all()
    rows = pd.DataFrame({"topic": ["1", "2", "3"], "doc": ["a", "x", "x"]})
    assert ir.verbs.restrict(QRELS, rows)["doc"].tolist() == ["a"]


def test_a_document_twice_in_a_list_without_judgments():
    run = pd.DataFrame({"topic": ["1", "2", "2"], "doc": ["a", "b", "b"], "score": 1.0})
    with pytest.raises(IdError, match="1 listed again: run 2 b"):
        run.ireval.judge(QRELS)


def test_judged_twice():
    run = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": 1.0})
    with pytest.raises(IdError, match="1 judged again: 1 a"):
        run.ireval.judge(pd.concat([QRELS, QRELS]))


def test_empty_joins_show_both_sides():
    run = pd.DataFrame({"topic": ["01"], "doc": ["a"], "score": 1.0})
    with pytest.raises(
        IdError,
        match="none: the runs have '01' in 'topic', the qrels '1' in 'topic'.*leading zeros",
    ):
        run.ireval.judge(QRELS)
    more = pd.DataFrame({"topic": list("wxyz"), "doc": "a", "score": 1.0})
    with pytest.raises(
        IdError, match="none: the runs have 'w', 'x', 'y' in 'topic', the qrels '1'"
    ):
        more.ireval.judge(QRELS)
    with pytest.warns(
        IrframeWarning, match="the runs have 'b', 'c', 'd' in 'doc', the qrels 'a' in 'doc'"
    ):
        found = more.assign(topic="1", doc=list("bcde")).ireval.judge(QRELS)
    assert found["grade"].isna().all()
    with pytest.raises(IdError, match="integers in the runs and text in the qrels"):
        run.assign(topic=1).ireval.judge(QRELS)
    with pytest.raises(IdError, match="docs of one type.*integers in the runs and text"):
        run.assign(topic="1", doc=1).ireval.judge(QRELS)


@pytest.mark.parametrize("rows", [1, 3, 7, 1000])
@pytest.mark.parametrize("scattered", [False, True])
def test_rows_joined_some_at_a_time_are_those_joined_at_once(monkeypatch, rows, scattered):
    rng = np.random.default_rng(rows)
    names = [(system, topic) for system in "st" for topic in "123"]
    lists = [[(*name, f"d{doc}") for doc in rng.permutation(6)[:5]] for name in names]
    run = pd.DataFrame([row for one in lists for row in one], columns=["system", "topic", "doc"])
    run["score"] = np.arange(len(run), 0.0, -1)
    if scattered:
        run = run.sample(frac=1, random_state=rows).reset_index(drop=True)
    qrels = pd.DataFrame({"topic": list("1122"), "doc": ["d1", "d2"] * 2, "grade": [0, 1, 2, 3]})
    monkeypatch.setattr(coded_tables, "ROWS", rows)
    known = {(topic, doc): grade for topic, doc, grade in qrels.itertuples(index=False)}
    found = run.ireval.judge(qrels)["grade"]
    expected = [
        known.get((topic, doc)) for topic, doc in zip(run["topic"], run["doc"], strict=True)
    ]
    assert [None if pd.isna(grade) else grade for grade in found] == expected
    for place in (0, len(run) // 2, len(run) - 1):
        twice = pd.concat([run.iloc[: place + 1], run.iloc[[place]], run.iloc[place + 1 :]])
        if scattered:
            twice = twice.sample(frac=1, random_state=place)
        with pytest.raises(IdError, match="1 listed again"):
            twice.ireval.judge(qrels)
