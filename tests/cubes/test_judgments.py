"""Shallower pools and condensed runs on a cube."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.cubes.judgments import cut
from irframe.errors import DepthError, GradeError, InputError
from irframe.names import EMPTY, UNJUDGED


def frames(runs, qrels):
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


def judged_docs(cube):
    return sorted(cube.judged_doc.values[cube.judged_grade.values != EMPTY])


@pytest.fixture
def track():
    return ir.example_track()


@pytest.fixture
def cube(track):
    return ir.cube(*track)


def test_simulated_pools(golden):
    case = golden["002-pool"]
    runs, qrels = frames(case["input"]["runs"], case["input"]["qrels"])
    cube = runs.ireval.cube(qrels, pool_depth=6)
    for depth, docs in case["expected"]["judged_at_depth"].items():
        shallow = cube.ireval.pooled(int(depth))
        assert judged_docs(shallow) == docs
        assert (shallow.pool_depth == int(depth)).all()


def test_a_shallower_pool_equals_fewer_judgments(track, cube):
    runs, qrels = track
    kept = runs.ireval.judge(qrels)
    filed = kept.groupby(["system", "topic"]).cumcount() + 1
    pool = kept[kept["contributing"] & (filed <= 4)][["topic", "doc"]].drop_duplicates()
    rebuilt = runs.ireval.cube(qrels.merge(pool))
    shallow = cube.ireval.pooled(4)
    np.testing.assert_array_equal(shallow.grade, rebuilt.grade)
    metrics = ["AP", "nDCG(ideal='pool')", "AP(norm='pool')", "Q", "Bpref", "RBP(p=0.9)"]
    xr.testing.assert_allclose(shallow.ireval.score(*metrics), rebuilt.ireval.score(*metrics))


def test_condensed_lists(golden):
    for name in ("002-hand", "002-contributing-1", "002-contributing-2"):
        case, told = golden[name]["expected"], golden[name]["input"]
        docs = [f"d{i:02}" for i in range(len(told["serp"]))]
        graded = {d: g for d, g in zip(docs, told["serp"], strict=True) if g is not None}
        missing = list(told["judged_d"])
        for grade in graded.values():
            missing.remove(grade)
        runs, qrels = frames(
            {"s": docs}, graded | {f"m{i}": grade for i, grade in enumerate(missing)}
        )
        runs = pd.concat([runs, runs.assign(system="x", doc="x" + runs["doc"])])
        runs.loc[runs["system"] == "x", "doc"] = "z" + runs.loc[runs["system"] == "x", "doc"]
        depth = max(told["ks"])
        cube = runs.ireval.cube(qrels, depth=depth, contributing=["s"]).ireval.condense()
        row = cube.grade.sel(system="s", topic="t").values
        assert row[row != EMPTY].tolist() == case["condensed"]
        labels = {"AP(norm='min')": "AP_b", "nDCG": "NDCG_a_linear_log2", "RBP(p=0.8)": "RBP(0.8)"}
        scores = cube.ireval.score(*labels, at=told["ks"]).sel(system="s", topic="t")
        for metric, key in labels.items():
            expected = [case[f"@{k}"][f"condensed_{key}"] for k in told["ks"]]
            np.testing.assert_allclose(scores.sel(metric=metric), expected, atol=1e-9)


def test_condensing_closes_up(cube):
    closed = cube.ireval.condense()
    assert not (closed.grade == UNJUDGED).any()
    assert (closed.retrieved == (cube.grade > UNJUDGED).sum("depth")).all()
    assert ((closed.doc >= 0) == (closed.grade != EMPTY)).all()
    bpref = cube.ireval.score("Bpref", at=50)
    again = closed.ireval.score("Bpref", at=50)
    np.testing.assert_allclose(again, bpref)
    xr.testing.assert_identical(closed.ireval.condense(), closed)


def test_ties_survive_condensing():
    runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("dcba"), "score": [3, 2, 2, 2]})
    qrels = pd.DataFrame({"topic": "1", "doc": list("dca"), "grade": [1, 0, 2]})
    closed = runs.ireval.cube(qrels).ireval.condense()
    assert closed.tied.values[0, 0].tolist() == [False, False, True, False]


def test_cutting_keeps_the_top(cube):
    shallow = cut(cube, 5)
    assert shallow.sizes["depth"] == 5
    xr.testing.assert_equal(
        shallow.ireval.score("nDCG", "P"), cube.ireval.score("nDCG", "P", at=range(1, 6))
    )
    assert cut(cube, 99) is cube


def test_a_lazy_cube_stays_lazy(cube):
    lazy = cube.chunk({"system": 3, "topic": 5})
    for verb in ("condense", "pooled"):
        arguments = [4] if verb == "pooled" else []
        result = getattr(lazy.ireval, verb)(*arguments)
        assert result.grade.chunks
        xr.testing.assert_equal(result.compute(), getattr(cube.ireval, verb)(*arguments))


@pytest.mark.parametrize("depth", [0, 11, 2.5, True, -1])
def test_pool_depths_outside_the_pool(cube, depth):
    with pytest.raises(DepthError, match="at least 1 and at most 10"):
        cube.ireval.pooled(depth)


def test_a_pool_that_is_complete_to_no_depth(track):
    runs, qrels = track
    everyone = runs.drop(columns="contributing").ireval.cube(qrels)
    assert (everyone.pool_depth == 0).all()
    with pytest.raises(DepthError, match="no depth.*pool_depth="):
        everyone.ireval.pooled(1)


def test_documents_must_be_known(cube):
    for verb, arguments in (("condense", ()), ("pooled", (3,))):
        with pytest.raises(InputError, match="no variable: doc"):
            getattr(cube.drop_vars("doc").ireval, verb)(*arguments)


def test_unjudged_marks_are_no_judgments(track):
    runs, qrels = track
    marked = qrels.assign(grade=qrels["grade"].where(qrels.index % 7 > 0, -1))
    cube = runs.ireval.cube(marked)
    for verb, arguments in (("condense", ()), ("pooled", (3,)), ("bounds", ("P",))):
        with pytest.raises(GradeError, match="grade -1.*pooled but not judged"):
            getattr(cube.ireval, verb)(*arguments)


def test_condensing_needs_whole_lists(track):
    runs, qrels = track
    with pytest.raises(DepthError, match="depth 20 of 50"):
        runs.ireval.cube(qrels, depth=20).ireval.condense()


def test_shared_gain_needs_whole_lists(track):
    runs, qrels = track
    tied = runs.assign(score=runs["score"].round())
    with pytest.raises(DepthError, match="as deep as its lists"):
        tied.ireval.cube(qrels, depth=20, ties="mean").ireval.pooled(3)
