"""Judgments joined to retrieved documents."""

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IdError, IrframeWarning

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
