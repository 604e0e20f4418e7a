"""Frames as the dictionaries that pytrec_eval takes."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import pytrec_eval

import irframe as ir
from irframe.errors import IdError, InputError


def test_pytrec_eval_scores_them_alike():
    runs, qrels = ir.example_track()
    judged, each = ir.verbs.to_pytrec_eval(qrels), ir.verbs.to_pytrec_eval(runs)
    assert list(each) == runs["system"].unique().tolist()
    evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
    expected = ir.evaluate(runs, qrels, "map")["map"]
    for system, run in each.items():
        found = {topic: row["map"] for topic, row in evaluator.evaluate(run).items()}
        assert found == pytest.approx(expected.loc[system].to_dict(), abs=1e-9)


def test_they_come_back():
    runs, qrels = ir.example_track()
    pd.testing.assert_frame_equal(
        ir.evaluate(runs, qrels, "AP"),
        ir.evaluate(runs.ireval.to_pytrec_eval(), qrels.ireval.to_pytrec_eval(), "AP"),
    )


def test_ids_are_text():
    run = pd.DataFrame({"qid": [1, 1], "docno": [7, 3], "score": [2, 5]})
    assert ir.verbs.to_pytrec_eval(run) == {"1": {"3": 5.0, "7": 2.0}}
    assert ir.verbs.to_pytrec_eval(run.set_index("qid")) == {"1": {"3": 5.0, "7": 2.0}}
    assert ir.verbs.to_pytrec_eval(pa.table(run)) == {"1": {"3": 5.0, "7": 2.0}}
    qrels = pd.DataFrame({"qid": [1], "docno": [7], "label": np.int8([2])})
    assert ir.verbs.to_pytrec_eval(qrels) == {"1": {"7": 2}}
    assert type(ir.verbs.to_pytrec_eval(qrels)["1"]["7"]) is int


def test_ranks_become_scores():
    run = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "rank": [5, 2]})
    assert ir.verbs.to_pytrec_eval(run) == {"1": {"b": -1, "a": -2}}


def test_one_system_has_no_level_of_its_own():
    run = pd.DataFrame({"run": "x", "topic": "1", "doc": ["a"], "score": 1.0})
    assert ir.verbs.to_pytrec_eval(run) == {"1": {"a": 1.0}}


def test_what_is_refused():
    run = pd.DataFrame({"topic": "1", "doc": ["a", "a"], "score": 1.0})
    with pytest.raises(IdError, match="every document once"):
        ir.verbs.to_pytrec_eval(run)
    qrels = pd.DataFrame({"topic": "1", "doc": ["a", "a"], "grade": [0, 1]})
    with pytest.raises(IdError, match="one judgment per topic"):
        ir.verbs.to_pytrec_eval(qrels)
    with pytest.raises(InputError, match="a run, a pandas DataFrame; found int"):
        ir.verbs.to_pytrec_eval(3)
