"""Tests of `pool_growth`."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError


def test_pool_growth_equals_the_worked_case(golden):
    case = golden["002-pool"]
    rows = [(s, "t", d, -i) for s, ds in case["input"]["runs"].items() for i, d in enumerate(ds)]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    cube, expected = runs.ireval.cube(qrels.assign(topic="t"), pool=6), case["expected"]
    growth = cube.ireval.pool_growth(at=case["input"]["depths"])
    pairs = np.stack([growth.judged, growth.relevant], axis=-1)
    np.testing.assert_allclose(pairs, expected["judged_and_relevant_per_depth"])
    np.testing.assert_allclose(growth.rate[1:], expected["rates"])
    assert growth.rate[0] == 0
    growth = cube.ireval.pool_growth(at=[int(depth) for depth in expected["table4"]])
    keys = {"RelInPool": "relevant_in_pool", "RankUnj": "first_unjudged"}
    for depth, row in expected["table4"].items():
        for key, column in (keys | {"NumRelPast": "relevant_past"}).items():
            values = [growth[name].sel(depth=int(depth)) for name in (column, f"{column}_sd")]
            np.testing.assert_allclose(values, row[key], atol=1e-12)


def test_means_and_deviations_over_runs_agree_with_a_loop(cube):
    runs, qrels = ir.example_track()
    growth = cube.ireval.pool_growth(at=[3, 10], rel=2)
    contributing = runs[runs["contributing"]]
    for depth in (3, 10):
        pool = set(map(tuple, runs.ireval.pool(depth)[["topic", "doc"]].to_numpy()))
        graded = {(t, d): g for t, d, g in qrels.to_numpy() if (t, d) in pool}
        rows = []
        for (_, topic), ranking in contributing.ireval.rank().groupby(["system", "topic"]):
            listed = [graded.get((topic, doc)) for doc in ranking["doc"]]
            hits = sum(grade is not None and grade >= 2 for grade in listed[:depth])
            total = sum(t == topic and grade >= 2 for (t, _), grade in graded.items())
            first = listed.index(None) + 1 if None in listed else len(listed) + 1
            rows.append((hits, first, total - hits))
        means, spreads = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
        names = ["relevant_in_pool", "first_unjudged", "relevant_past"]
        at_depth = growth.sel(depth=depth)
        np.testing.assert_allclose([at_depth[name] for name in names], means)
        np.testing.assert_allclose([at_depth[f"{name}_sd"] for name in names], spreads)
    assert growth["first_unjudged_all"] == growth["first_unjudged"].sel(depth=10)


def test_pool_growth_of_chunked_and_loaded_cubes_is_equal(cube):
    lazy = cube.chunk(topic=5).ireval.pool_growth(at=[3, 10])
    xr.testing.assert_allclose(lazy, cube.ireval.pool_growth(at=[3, 10]))


def test_first_unjudged_is_one_past_the_end_of_fully_judged_lists():
    runs = pd.DataFrame({"topic": "1", "doc": list("abc"), "score": [3, 2, 1]})
    qrels = pd.DataFrame({"topic": "1", "doc": list("abc"), "grade": [1, 0, 1]})
    for depth in (None, 7):
        growth = runs.ireval.cube(qrels, depth=depth).ireval.pool_growth()
        assert growth["first_unjudged"].to_numpy().tolist() == [2, 3, 4]
        assert growth["first_unjudged_all"] == 4
        assert growth["relevant_in_pool"].to_numpy().tolist() == [1, 1, 2]
        assert np.isnan(growth["first_unjudged_sd"]).all()


def test_means_are_nan_at_pool_depths_below_the_cut_of_lists():
    runs, qrels = ir.example_track()
    uncut = ir.cube(runs, qrels).ireval.pool_growth(at=[2, 5, 10])
    with pytest.warns(IrframeWarning, match="at 2 of 3 depths, because lists were cut at 5"):
        cut = ir.cube(runs, qrels, depth=5).ireval.pool_growth(at=[2, 5, 10])
    assert (cut.attrs.pop("depth"), "depth" in uncut.attrs) == (5, False)
    assert "lists were cut at 5" in cut.attrs.pop("caution")
    xr.testing.assert_identical(
        cut.sel(depth=2).assign_attrs(record=uncut.attrs["record"]),
        uncut.sel(depth=2).assign(first_unjudged_all=np.nan, first_unjudged_all_sd=np.nan),
    )
    for name in ("judged", "relevant", "rate"):
        xr.testing.assert_identical(cut[name], uncut[name])
    assert uncut["relevant_in_pool"].sel(depth=10) == 3.825
    assert np.isnan(cut["relevant_in_pool"].sel(depth=10))
    assert cut["relevant_in_pool"].sel(depth=5) == uncut["relevant_in_pool"].sel(depth=5)
    assert np.isnan(cut["first_unjudged"].sel(depth=[5, 10])).all()


@pytest.mark.parametrize("length", range(2, 9))
def test_lists_that_end_at_the_depth_of_the_cube_are_complete(length):
    lists = {"a": [f"d{n}" for n in range(length)], "b": ["d0", *(f"e{n}" for n in range(9))]}
    runs = pd.DataFrame(
        [(name, "1", doc, -rank) for name, docs in lists.items() for rank, doc in enumerate(docs)],
        columns=["system", "topic", "doc", "score"],
    )
    qrels = pd.DataFrame({"topic": "1", "doc": lists["a"], "grade": 1})
    uncut = ir.cube(runs, qrels).ireval.pool_growth(at=[1])
    cut = ir.cube(runs, qrels, depth=length).ireval.pool_growth(at=[1])
    for name in ("relevant_in_pool", "relevant_past", "first_unjudged", "first_unjudged_all"):
        np.testing.assert_equal(cut[name].to_numpy(), uncut[name].to_numpy())


def test_the_deepest_pool_of_the_example_contains_all_judgments():
    runs, qrels = ir.example_track()
    growth = ir.cube(runs, qrels).ireval.pool_growth()
    assert growth.depth.values.tolist() == list(range(1, 11))
    assert growth.judged[-1] == len(qrels) / 16
    assert growth.relevant[-1] == (qrels["grade"] > 0).sum() / 16
    assert growth.attrs["pool_depth"] == 10


def test_means_over_runs_are_nan_without_contributing_runs(cube):
    with pytest.warns(IrframeWarning, match="no system of the cube contributes"):
        growth = cube.isel(system=~dense(cube).contributing).ireval.pool_growth(at=[5, 10])
    of_all = cube.ireval.pool_growth(at=[5, 10])
    xr.testing.assert_identical(growth["judged"], of_all["judged"])
    assert np.isnan(growth["relevant_in_pool"]).all()
    assert np.isnan(growth["first_unjudged_all_sd"])


def test_invalid_pool_depths_are_refused(cube):
    refused(DepthError, "at least 1 and at most 10", lambda: cube.ireval.pool_growth(at=[5, 20]))
    for depths in ([5, 5], []):
        refused(ParameterError, "ascending order", cube.ireval.pool_growth, at=depths)
