"""Growth and statistics of pools."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import DepthError, InputError, ParameterError


def worked(golden):
    case = golden["002-pool"]
    rows = [(s, "t", d, -i) for s, ds in case["input"]["runs"].items() for i, d in enumerate(ds)]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    cube = runs.ireval.cube(qrels.assign(topic="t"), pool_depth=6)
    return cube, case["input"]["depths"], case["expected"]


def test_worked_growth(golden):
    cube, depths, expected = worked(golden)
    growth = cube.ireval.pool_growth(depths)
    pairs = np.stack([growth.judged, growth.relevant], axis=-1)
    np.testing.assert_allclose(pairs, expected["judged_and_relevant_per_depth"])
    np.testing.assert_allclose(growth.rate[1:], expected["rates"])
    assert growth.rate[0] == 0


def test_worked_statistics(golden):
    cube, _, expected = worked(golden)
    table = cube.ireval.pool_statistics([int(depth) for depth in expected["table4"]])
    columns = {
        "RelInPool": "relevant_in_pool",
        "RankUnj": "first_unjudged",
        "NumRelPast": "relevant_past",
    }
    for depth, row in expected["table4"].items():
        for key, column in columns.items():
            found = table.loc[int(depth), [column, f"{column}_sd"]]
            np.testing.assert_allclose(found.astype(float), row[key], atol=1e-12)


def test_statistics_by_a_loop():
    runs, qrels = ir.example_track()
    cube = ir.cube(runs, qrels)
    table = cube.ireval.pool_statistics([3, 10], rel=2)
    contributing = runs[runs["contributing"]]
    for depth in (3, 10):
        pool = set(map(tuple, runs.ireval.pool(depth)[["topic", "doc"]].to_numpy()))
        graded = {(t, d): g for t, d, g in qrels.to_numpy() if (t, d) in pool}
        rows = []
        for (_, topic), part in contributing.ireval.rank().groupby(["system", "topic"]):
            listed = [graded.get((topic, doc)) for doc in part["doc"]]
            found = sum(grade is not None and grade >= 2 for grade in listed[:depth])
            total = sum(t == topic and grade >= 2 for (t, _), grade in graded.items())
            first = listed.index(None) + 1 if None in listed else len(listed) + 1
            rows.append((found, first, total - found))
        means, spreads = np.mean(rows, axis=0), np.std(rows, axis=0, ddof=1)
        row = table.loc[depth].astype(float).to_numpy()
        np.testing.assert_allclose(row[0::2], means)
        np.testing.assert_allclose(row[1::2], spreads)
    assert np.isnan(table["relevant_in_pool"].iloc[-1])
    assert table["first_unjudged"].iloc[-1] == table["first_unjudged"].loc[10]


def test_growth_ends_with_all_judgments():
    runs, qrels = ir.example_track()
    growth = ir.cube(runs, qrels).ireval.pool_growth()
    assert growth.depth.values.tolist() == list(range(1, 11))
    assert growth.judged[-1] == len(qrels) / 16
    assert growth.relevant[-1] == (qrels["grade"] > 0).sum() / 16
    assert growth.attrs["pool_depth"] == 10


def test_refusals():
    cube = ir.cube(*ir.example_track())
    for verb in (cube.ireval.pool_growth, cube.ireval.pool_statistics):
        with pytest.raises(DepthError, match="from 1 to 10"):
            verb([5, 20])
        with pytest.raises(ParameterError, match="rise"):
            verb([5, 5])
    with pytest.raises(ParameterError, match="rise"):
        cube.ireval.pool_growth([])
    with pytest.raises(ParameterError, match="contribute"):
        cube.isel(system=~cube.contributing.values).ireval.pool_statistics()
    with pytest.raises(InputError, match="pool_rank"):
        cube.drop_vars("pool_rank").ireval.pool_growth()
