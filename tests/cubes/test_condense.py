"""Tests of condensed runs and of metrics with ``judged_only=True``."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from listed import frames_of_docs
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, MetricError
from irframe.names import EMPTY, UNJUDGED
from irframe.orderings.orderings import is_bound
from irframe.record import steps_of


def test_condensed_lists_equal_worked_cases(golden):
    for name in ("002-hand", "002-contributing-1", "002-contributing-2"):
        case, inputs = golden[name]["expected"], golden[name]["input"]
        docs = [f"d{i:02}" for i in range(len(inputs["serp"]))]
        graded = {d: g for d, g in zip(docs, inputs["serp"], strict=True) if g is not None}
        missing = list(inputs["judged_d"])
        for grade in graded.values():
            missing.remove(grade)
        runs, qrels = frames_of_docs(
            {"s": docs}, graded | {f"m{i}": grade for i, grade in enumerate(missing)}
        )
        runs = pd.concat([runs, runs.assign(system="x", doc="x" + runs["doc"])])
        runs.loc[runs["system"] == "x", "doc"] = "z" + runs.loc[runs["system"] == "x", "doc"]
        depth = max(inputs["ks"])
        cube = runs.ireval.cube(
            qrels, depth=depth, pool=ir.Pool(contributing=["s"])
        ).ireval.condense()
        row = cube.grade.sel(system="s", topic="t").values
        assert row[row != EMPTY].tolist() == case["condensed"]
        labels = {"AP(norm='min')": "AP_b", "nDCG": "NDCG_a_linear_log2", "RBP(p=0.8)": "RBP(0.8)"}
        scores = cube.ireval.score(*labels, at=inputs["ks"]).sel(system="s", topic="t")
        for metric, key in labels.items():
            expected = [case[f"@{k}"][f"condensed_{key}"] for k in inputs["ks"]]
            np.testing.assert_allclose(scores.sel(metric=metric), expected, atol=1e-9)


def test_condensed_lists_contain_no_unjudged_documents(cube):
    closed = cube.ireval.condense()
    assert not (closed.grade == UNJUDGED).any()
    assert (closed.retrieved == (cube.grade > UNJUDGED).sum("depth")).all()
    assert ((dense(closed).doc >= 0) == (closed.grade != EMPTY)).all()
    bpref = cube.ireval.score("Bpref", at=50)
    repeated = closed.ireval.score("Bpref", at=50)
    np.testing.assert_allclose(repeated, bpref)
    repeated = closed.ireval.condense()
    assert [step.verb for step in steps_of(repeated)] == ["cube", "condense", "condense"]
    xr.testing.assert_identical(repeated.assign_attrs(closed.attrs), closed)


@pytest.mark.parametrize("chunks", [{}, {"topic": 4}])
def test_documents_with_negative_grades_are_removed(track, chunks):
    runs, qrels = track
    marked = qrels.assign(grade=qrels["grade"].mask(qrels.index % 7 == 0, -1 - qrels.index % 2))
    cube, names = runs.ireval.cube(marked), ["AP", "nDCG@10", "Bpref", "NumRet", "infAP"]
    closed = (cube.chunk(chunks) if chunks else cube).ireval.condense()
    dropped = runs.ireval.cube(marked[marked["grade"] >= 0]).ireval.condense()
    assert (closed.retrieved == dropped.retrieved).all()
    np.testing.assert_array_equal(closed.grade, dropped.grade)
    result = closed.ireval.score(*names, at=50)
    np.testing.assert_array_equal(result, dropped.ireval.score(*names, at=50))
    alone = [replace(ir.parse_metric(name), judged_only=True) for name in names]
    np.testing.assert_array_equal(cube.ireval.score(*alone, at=50), result)


def test_judged_only_metrics_equal_scores_of_condensed_lists(cube):
    names = ["P@10", "AP", "nDCG(gain='exp')@20", "RR(rel=2)", "Bpref"]
    metrics = [replace(ir.parse_metric(name), judged_only=True) for name in names]
    result = cube.ireval.score(*metrics, "P", at=[10, 50])
    expected = cube.ireval.condense().ireval.score(*names, at=[10, 50])
    np.testing.assert_array_equal(result[:5], expected)
    np.testing.assert_array_equal(result[5:], cube.ireval.score("P", at=[10, 50]))
    assert result["metric"].values[0] == "P(judged_only=True)@10"


def test_evaluate_reads_complete_lists_for_judged_only_metrics(track):
    runs, qrels = track
    frame = runs.ireval.evaluate(qrels, ["P(judged_only=True)@5", "P@5"])
    condensed = runs.ireval.cube(qrels).ireval.condense().ireval.score("P@5", at=5).squeeze()
    expected = condensed.to_series().rename("P(judged_only=True)@5")
    pd.testing.assert_series_equal(
        frame["P(judged_only=True)@5"], expected.loc[frame.index], check_names=False
    )
    with pytest.raises(DepthError, match="of 50 documents cut at depth 20"):
        runs.ireval.evaluate(qrels, "P(judged_only=True)@5", depth=20)


def test_judged_only_metrics_refuse_cut_lists_and_bounds(track, cube):
    runs, qrels = track
    with pytest.raises(DepthError, match="depth 20 for lists of up to 50 documents"):
        runs.ireval.cube(qrels, depth=20).ireval.score("AP(judged_only=True)")
    with pytest.raises(DepthError, match="depth 20 for lists of up to 50 documents"):
        cube.isel(depth=slice(20)).ireval.score("AP(judged_only=True)")
    refused(MetricError, "bounds", lambda: cube.ireval.bounds("RBP(p=0.5, judged_only=True)"))
    assert not is_bound(cube, ir.metrics.AP(judged_only=True), gain="binary", rel=1)


def test_tie_ranges_of_judged_only_metrics_equal_worked_cases():
    runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("abcd"), "score": [2, 2, 2, 1]})
    qrels = pd.DataFrame({"topic": "1", "doc": list("acd"), "grade": [1, 0, 1]})
    result = runs.ireval.cube(qrels).ireval.tie_ranges("RR(judged_only=True)", at=4)
    assert result.to_numpy().ravel().tolist() == [0.5, 1]


def test_condense_keeps_ties():
    runs = pd.DataFrame({"system": "s", "topic": "1", "doc": list("dcba"), "score": [3, 2, 2, 2]})
    qrels = pd.DataFrame({"topic": "1", "doc": list("dca"), "grade": [1, 0, 2]})
    closed = runs.ireval.cube(qrels).ireval.condense()
    assert dense(closed).tied[0, 0].tolist() == [False, False, True, False]


def test_condense_refuses_cut_lists(track):
    runs, qrels = track
    refused(
        DepthError,
        "depth 20 for lists of up to 50 documents",
        runs.ireval.cube(qrels, depth=20).ireval.condense,
    )
