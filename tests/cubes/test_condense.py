"""Condensed runs on a cube."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from listed import frames_of_docs

from irframe.errors import DepthError
from irframe.names import EMPTY, UNJUDGED


def test_condensed_lists(golden):
    for name in ("002-hand", "002-contributing-1", "002-contributing-2"):
        case, told = golden[name]["expected"], golden[name]["input"]
        docs = [f"d{i:02}" for i in range(len(told["serp"]))]
        graded = {d: g for d, g in zip(docs, told["serp"], strict=True) if g is not None}
        missing = list(told["judged_d"])
        for grade in graded.values():
            missing.remove(grade)
        runs, qrels = frames_of_docs(
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


def test_condensing_needs_whole_lists(track):
    runs, qrels = track
    with pytest.raises(DepthError, match="depth 20 of 50"):
        runs.ireval.cube(qrels, depth=20).ireval.condense()
