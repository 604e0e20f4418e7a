"""Joins of runs and judgments, with `judge` and `restrict`."""

import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from listed import TEAMED
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import IdError, InputError, IrframeWarning
from irframe.experiments import coded_tables, joining
from irframe.experiments.joining import fingerprints, with_number

QRELS = pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})


def test_documents_judged_twice_with_different_grades_are_refused():
    run = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": 1.0})
    twice = pd.concat([QRELS, QRELS.assign(grade=0)])
    refused(IdError, "1 document judged again: 1 a", lambda: run.ireval.judge(twice))
    with pytest.warns(IrframeWarning, match="repeated judgments with equal grades count once: 1"):
        assert run.ireval.judge(pd.concat([QRELS, QRELS]))["grade"].tolist() == [1]


def test_messages_about_empty_joins_show_ids_of_runs_and_judgments():
    run = pd.DataFrame({"topic": ["01"], "doc": ["a"], "score": 1.0})
    with pytest.raises(
        IdError,
        match="the runs have '01' in 'topic', the qrels '1' in 'topic'.*leading zeros",
    ):
        run.ireval.judge(QRELS)
    more = pd.DataFrame({"topic": list("wxyz"), "doc": "a", "score": 1.0})
    with pytest.raises(
        IdError, match="no such topics: the runs have 'w', 'x', 'y' in 'topic', the qrels '1'"
    ):
        more.ireval.judge(QRELS)
    with pytest.warns(
        IrframeWarning, match="the runs have 'b', 'c', 'd' in 'doc', the qrels 'a' in 'doc'"
    ):
        result = more.assign(topic="1", doc=list("bcde")).ireval.judge(QRELS)
    assert result["grade"].isna().all()


@pytest.mark.parametrize("rows", few_of([1, 3, 7, 1000], 2))
@pytest.mark.parametrize("scattered", [False, True])
def test_joins_do_not_depend_on_the_size_of_blocks(monkeypatch, rows, scattered):
    rng = np.random.default_rng(rows)
    names = [(system, topic) for system in "st" for topic in "123"]
    lists = [[(*name, f"d{doc}") for doc in rng.permutation(6)[:5]] for name in names]
    run = pd.DataFrame(
        [row for single in lists for row in single], columns=["system", "topic", "doc"]
    )
    run["score"] = np.arange(len(run), 0.0, -1)
    if scattered:
        run = run.sample(frac=1, random_state=rows).reset_index(drop=True)
    qrels = pd.DataFrame({"topic": list("1122"), "doc": ["d1", "d2"] * 2, "grade": [0, 1, 2, 3]})
    monkeypatch.setattr(coded_tables, "ROWS", rows)
    labels = {(topic, doc): grade for topic, doc, grade in qrels.itertuples(index=False)}
    result = run.ireval.judge(qrels)["grade"]
    expected = [
        labels.get((topic, doc)) for topic, doc in zip(run["topic"], run["doc"], strict=True)
    ]
    assert [None if pd.isna(grade) else grade for grade in result] == expected
    for pos in (0, len(run) // 2, len(run) - 1):
        twice = pd.concat([run.iloc[: pos + 1], run.iloc[[pos]], run.iloc[pos + 1 :]])
        if scattered:
            twice = twice.sample(frac=1, random_state=pos)
        refused(IdError, "1 document listed again", twice.ireval.judge, qrels)


NAMES = ["", "\0", "\0\0", "a", "b", "é", "x" * 7, "x" * 8, "x" * 9, "y" * 16, "y" * 200, "a" * 17]


def of(names, kind=None):
    return fingerprints(pa.chunked_array([pa.array(names, kind)]))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_equal_ids_have_equal_fingerprints(kind):
    alone = of(NAMES, kind)
    assert len(set(alone.tolist())) == len(NAMES)
    for shift in range(len(NAMES)):
        around = [*NAMES[shift:], *NAMES[:shift]]
        chunks = pa.chunked_array([pa.array(around, kind)[2:5], pa.array(around, kind)[5:]])
        assert fingerprints(chunks).tolist() == np.roll(alone, -shift)[2:].tolist()


def test_fingerprints_of_integers_and_long_ids_are_distinct():
    rng = np.random.default_rng(0)
    integers = np.unique(rng.integers(-(2**62), 2**62, 1000))
    assert len(np.unique(of(integers))) == len(integers)
    assert len(set(of(["x" * 40_000, "x" * 40_001, "x", "x" * 39_999 + "y"]).tolist())) == 4
    assert len(of([], pa.string())) == 0
    topics = np.repeat(np.arange(100), 100)
    pairs = with_number(np.tile(of([f"d{number}" for number in range(100)]), 100), topics)
    assert len(np.unique(pairs)) == len(pairs)


def drawn(*, integers):
    """Return a run and judgments with unjudged topics."""
    rng = np.random.default_rng(4)
    rows = pd.MultiIndex.from_product(
        [["s", "t"], range(5), range(60)], names=["system", "topic", "doc"]
    )
    runs = rows.to_frame(index=False).sample(frac=0.5, random_state=1).assign(score=1.0)
    qrels = pd.MultiIndex.from_product([range(3), range(80)], names=["topic", "doc"]).to_frame(
        index=False
    )
    qrels = qrels.sample(frac=0.4, random_state=2).assign(
        grade=lambda q: rng.integers(0, 4, len(q))
    )
    if integers:
        return runs, qrels
    name = {"doc": lambda frame: "d" + frame["doc"].astype(str)}
    return runs.assign(**name), qrels.assign(**name)


@pytest.mark.parametrize("integers", [False, True], ids=["text", "integers"])
@pytest.mark.parametrize("prints", ["names", "their lengths"])
def test_joins_do_not_depend_on_collisions_of_fingerprints(integers, prints, monkeypatch):
    runs, qrels = drawn(integers=integers)
    expected = runs.merge(qrels, how="left", on=["topic", "doc"])["grade"].to_numpy()
    if prints == "their lengths":
        short = lambda doc: np.array([len(str(name)) for name in doc.to_pylist()], np.uint64)  # noqa: E731
        monkeypatch.setattr(joining, "fingerprints", short)
    with pytest.warns(match="2 topics"):
        ir.cube(runs, qrels)
    result = ir.verbs.judge(runs, qrels)["grade"].to_numpy(np.float64, na_value=np.nan)
    assert np.array_equal(result, expected, equal_nan=True)
    with pytest.raises(IdError, match="found 1 document listed again: t 4 "):
        ir.verbs.judge(
            pd.concat([runs, runs[runs["system"] == "t"].sort_values("topic").tail(1)]), qrels
        )


def test_different_ids_with_equal_fingerprints_are_not_joined(monkeypatch):
    run = pd.DataFrame({"topic": "1", "doc": ["bb", "a"], "score": 1.0})
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["aa"], "grade": [1]})
    monkeypatch.setattr(
        joining, "fingerprints", lambda doc: np.array([len(d) for d in doc.to_pylist()], np.uint64)
    )
    with pytest.warns(match="no retrieved document is judged"):
        assert ir.verbs.judge(run, qrels)["grade"].isna().all()


pairs = st.tuples(st.sampled_from(["1", "01", "2"]), st.sampled_from("abcd"))


@given(
    retrieved=st.lists(pairs, unique=True, min_size=1),
    judged=st.dictionaries(pairs, st.integers(-2, 3), min_size=1),
)
def test_judge_adds_the_grade_of_each_document(retrieved, judged):
    run = pd.DataFrame(retrieved, columns=["topic", "doc"]).assign(score=0.5)
    keys = pd.DataFrame(list(judged), columns=["topic", "doc"])
    qrels = keys.assign(grade=list(judged.values()))
    expected = [judged.get(pair) for pair in retrieved]
    if not {topic for topic, _ in retrieved} & {topic for topic, _ in judged}:
        refused(IdError, "that occur in runs and qrels, but found none", run.ireval.judge, qrels)
        return
    with warnings.catch_warnings(record=True, action="always") as caught:
        grades = run.ireval.judge(qrels)["grade"]
    assert len(caught) == all(grade is None for grade in expected)
    assert grades.dtype == "Int16"
    assert [None if pd.isna(grade) else grade for grade in grades] == expected


def test_judge_changes_no_other_column():
    runs, qrels = ir.example_track()
    runs = runs.sample(frac=1, random_state=0)
    before = runs.copy(), qrels.copy()
    judged = runs.ireval.judge(qrels)
    pd.testing.assert_frame_equal(judged.drop(columns="grade"), runs)
    for frame, copy in zip((runs, qrels), before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)


def test_runs_with_grades_are_refused():
    run = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": 1.0})
    qrels = pd.DataFrame({"topic": ["1"], "doc": ["a"], "grade": [1]})
    for name in ("grade", "label"):
        judged = run.ireval.judge(qrels).rename(columns={"grade": name})
        with pytest.raises(
            InputError, match=f"without a column of grades, but found the column '{name}'. Drop"
        ):
            judged.ireval.judge(qrels)


RESTRICT_QRELS = pd.DataFrame(
    {"qid": ["1", "1", "1", "2"], "docno": ["d1", "d3", "d9", "d1"], "label": [1, 0, 2, 1]}
)


def pooled_docs(runs, qrels, depth, contributing):
    """Return whether each judged document is in the pool."""
    pool, ranks = set(), {}
    for row in runs.itertuples():
        key = row.system, row.topic
        ranks[key] = ranks.get(key, 0) + 1
        if ranks[key] <= depth and row.system in contributing:
            pool.add((row.topic, row.doc))
    return [(row.topic, row.doc) in pool for row in qrels.itertuples()]


def test_restrict_keeps_judgments_of_the_pool():
    assert RESTRICT_QRELS.ireval.restrict(TEAMED.ireval.pool(1)).index.tolist() == [0, 3]
    assert RESTRICT_QRELS.ireval.restrict(TEAMED.ireval.pool(3)).index.tolist() == [0, 1, 3]
    runs, qrels = ir.example_track()
    contributing = set(runs.loc[runs["contributing"], "system"])
    for depth in (1, 4, 10):
        selected = qrels.ireval.restrict(runs.ireval.pool(depth))
        expected = qrels[pooled_docs(runs, qrels, depth, contributing)]
        pd.testing.assert_frame_equal(selected, expected)
    pd.testing.assert_frame_equal(qrels, qrels.ireval.restrict(runs.ireval.pool(10)))


def test_restrict_equals_a_worked_example(golden):
    case = golden["002-pool"]
    rows = [(s, "t", d) for s, docs in case["input"]["runs"].items() for d in docs]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc"]).assign(score=1.0)
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    for depth, docs in case["expected"]["judged_at_depth"].items():
        selected = ir.verbs.restrict(qrels.assign(topic="t"), runs.ireval.pool(int(depth)))
        assert sorted(selected["doc"]) == docs


def test_restrict_refuses_invalid_or_unjudged_documents():
    with pytest.raises(
        InputError, match="documents with a column for doc, but found .*: name, qid"
    ):
        ir.verbs.restrict(RESTRICT_QRELS, TEAMED[["name", "qid"]])
    with pytest.raises(InputError, match="documents as a pandas DataFrame, but found list"):
        ir.verbs.restrict(RESTRICT_QRELS, ["d1"])
    refused(InputError, "empty frame", lambda: ir.verbs.restrict(RESTRICT_QRELS, TEAMED.iloc[:0]))
    with pytest.raises(IdError, match="no such documents: the qrels have 'd1'.*'zd1'"):
        ir.verbs.restrict(RESTRICT_QRELS, TEAMED.assign(docno="z" + TEAMED["docno"]))
