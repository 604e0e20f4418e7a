"""Runs with the grades of their documents."""

import warnings

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import irframe as ir
from irframe.errors import IdError, InputError

pairs = st.tuples(st.sampled_from(["1", "01", "2"]), st.sampled_from("abcd"))


@given(
    retrieved=st.lists(pairs, unique=True, min_size=1),
    judged=st.dictionaries(pairs, st.integers(-2, 3), min_size=1),
)
def test_every_document_has_the_grade_that_a_look_up_finds(retrieved, judged):
    run = pd.DataFrame(retrieved, columns=["topic", "doc"]).assign(score=0.5)
    keys = pd.DataFrame(list(judged), columns=["topic", "doc"])
    qrels = keys.assign(grade=list(judged.values()))
    expected = [judged.get(pair) for pair in retrieved]
    if not {topic for topic, _ in retrieved} & {topic for topic, _ in judged}:
        with pytest.raises(IdError, match="that occur in runs and qrels; found none"):
            run.ireval.judge(qrels)
        return
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        grades = run.ireval.judge(qrels)["grade"]
    assert len(told) == all(grade is None for grade in expected)
    assert grades.dtype == "Int8"
    assert [None if pd.isna(grade) else grade for grade in grades] == expected


def test_everything_else_stays_as_it_is():
    runs, qrels = ir.example_track()
    runs = runs.sample(frac=1, random_state=0)
    before = runs.copy(), qrels.copy()
    judged = runs.ireval.judge(qrels)
    pd.testing.assert_frame_equal(judged.drop(columns="grade"), runs)
    for frame, copy in zip((runs, qrels), before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


def test_the_order_of_judgments_does_not_matter():
    runs, qrels = ir.example_track()
    judged = runs.ireval.judge(qrels.iloc[::-1])
    pd.testing.assert_frame_equal(judged, runs.ireval.judge(qrels))


def test_a_merge_finds_the_same_grades():
    runs, qrels = ir.example_track()
    merged = runs.merge(qrels, how="left", on=["topic", "doc"])["grade"].astype("Int8")
    pd.testing.assert_series_equal(runs.ireval.judge(qrels)["grade"], merged)


def test_judging_twice_is_refused():
    run = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": 1.0})
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})
    for name in ("grade", "label"):
        judged = run.ireval.judge(qrels).rename(columns={"grade": name})
        with pytest.raises(InputError, match=f"without a column of grades; found '{name}'. Drop"):
            judged.ireval.judge(qrels)


def test_real_runs_find_their_grades(shared):
    folder = shared / "data" / "dl-hard"
    qrels = ir.read_qrels(folder / "dl_hard-passage.qrels")
    path = min((folder / "baselines" / "passage").glob("*.run.gz"))
    run = ir.read_run(path)
    merged = run.merge(qrels[["topic", "doc", "grade"]], how="left", on=["topic", "doc"])
    found = run.ireval.judge(qrels)["grade"]
    assert found.notna().sum() > 100
    pd.testing.assert_series_equal(found, merged["grade"].astype("Int8"))
