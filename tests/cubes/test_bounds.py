"""Score bounds on cubes: the worked residuals, hidden judgments, what is refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import DepthError, MetricError
from irframe.extremes import labelings

TABLE_2 = ("002-hand", "002-contributing-1", "002-contributing-2", "002-norel", "002-allrel")
RESIDUALS = {
    "P": "Prec_residual",
    "ERR": "ERR_exp_residual",
    "RBP(p=0.5)": "RBP(0.5)_residual",
    "RBP(p=0.8)": "RBP(0.8)_residual",
    "RBP(p=0.95)": "RBP(0.95)_residual",
}
EVERY = [
    "AP",
    "AP(norm='min')",
    "AP(norm='pool')",
    "nDCG",
    "nDCG(ideal='pool')",
    "Recall",
    "Rprec",
    "RBP(p=0.8)",
    "ERR",
    "P",
    "RR",
    "DCG",
]


def one_list(serp, judged, top, depth):
    """Return a cube of one ranking; another topic holds the top grade of the collection."""
    docs = [f"d{rank:03}" for rank in range(len(serp))]
    graded = [("t", doc, grade) for doc, grade in zip(docs, serp, strict=True) if grade is not None]
    missing = list(judged)
    for _, _, grade in graded:
        missing.remove(grade)
    graded += [("t", f"m{i}", grade) for i, grade in enumerate(missing)]
    rows = [("t", doc, -rank) for rank, doc in enumerate(docs)] + [("u", "x", 1)]
    runs = pd.DataFrame(rows, columns=["topic", "doc", "score"])
    qrels = pd.DataFrame([*graded, ("u", "x", top)], columns=["topic", "doc", "grade"])
    return runs.ireval.cube(qrels, depth=depth)


def spread(within):
    return within.sel(bound="upper") - within.sel(bound="lower")


@pytest.mark.parametrize("name", TABLE_2)
def test_residuals_of_table_2(golden, name):
    told, expected = golden[name]["input"], golden[name]["expected"]
    cube = one_list(told["serp"], told["judged_d"], told["gmax"], max(told["ks"]))
    within = cube.ireval.bounds(*RESIDUALS, at=told["ks"]).sel(system="run", topic="t")
    for metric, key in RESIDUALS.items():
        values = [expected[f"@{k}"][key] for k in told["ks"]]
        np.testing.assert_allclose(spread(within).sel(metric=metric), values, atol=1e-9)
    scores = cube.ireval.score(*RESIDUALS, at=told["ks"]).sel(system="run", topic="t")
    np.testing.assert_array_equal(within.sel(bound="lower"), scores)


def test_residual_formulas(golden):
    told, expected = golden["002-residuals"]["input"], golden["002-residuals"]["expected"]
    cube = one_list(told["serp"], [1, 1, 0], 2, 8)
    metrics = ["RBP(p=0.8)", "ERR(gain='linear')", "P"]
    residual = spread(cube.ireval.bounds(*metrics, at=told["ks"])).sel(system="run", topic="t")
    for metric, key in zip(metrics, ["RBP", "ERR_linear2", "Prec"], strict=True):
        values = expected[f"{key}_residual"]
        np.testing.assert_allclose(residual.sel(metric=metric), values, atol=1e-9)


def test_tail_of_a_judged_prefix(golden):
    case = golden["002-rbp-tails"]
    cube = one_list([0] * 100, [0] * 100, 1, 100)
    within = cube.ireval.bounds("RBP(p=0.95)", "RBP(p=0.8)", at=case["input"]["k"])
    for p, values in case["expected"].items():
        row = spread(within).sel(metric=f"RBP(p={p})", system="run", topic="t")
        np.testing.assert_allclose(row, values, atol=1e-12)


@pytest.mark.thorough
def test_hidden_judgments_score_inside():
    rng = np.random.default_rng(3)
    runs, qrels = ir.example_track()
    for system, run in runs.groupby("system", sort=False):
        listed = run[["topic", "doc"]].drop_duplicates()
        pool = qrels.merge(listed, indicator="found", how="left")["found"] == "both"
        hidden = pool & (rng.random(len(qrels)) < 0.4)
        known = run.ireval.cube(qrels[~hidden.to_numpy()], pool_depth=10, contributing=[system])
        true = run.ireval.cube(qrels, pool_depth=10, contributing=[system])
        free = [name for name in EVERY if "pool" not in name]
        within, scores = known.ireval.bounds(*free), true.ireval.score(*free)
        scores = scores.sel(topic=known.topic)
        assert (known.experiment.tops == true.experiment.tops).all()
        assert (within.sel(bound="lower") <= scores + 1e-12).all()
        assert (within.sel(bound="upper") >= scores - 1e-12).all()


def test_scores_lie_inside():
    cube = ir.cube(*ir.example_track())
    within, scores = cube.ireval.bounds(*EVERY), cube.ireval.score(*EVERY)
    assert within.dims == ("bound", *scores.dims)
    assert (within.sel(bound="lower") <= scores + 1e-12).all()
    assert (within.sel(bound="upper") >= scores - 1e-12).all()
    assert within.attrs["pool_depth"] == 10
    assert within.attrs["top"] == 3
    assert within.attrs["ties"] == "trec"
    assert list(within.coords["team"].values) == list(cube.coords["team"].values)


def test_depths_do_not_depend_on_each_other():
    cube = ir.cube(*ir.example_track())
    metrics = [*EVERY, "nDCG@7", "AP@7"]
    every = cube.ireval.bounds(*metrics)
    xr.testing.assert_allclose(cube.ireval.bounds(*metrics, at=[3, 12]), every.sel(depth=[3, 12]))
    fixed = every.sel(metric=["nDCG@7", "AP@7"], depth=[7, 50]).values
    np.testing.assert_array_equal(fixed, fixed[..., :1].repeat(2, axis=-1))
    q = cube.ireval.bounds("Q", at=[5, 8])
    xr.testing.assert_allclose(cube.ireval.bounds("Q", at=8), q.sel(depth=[8]))


def test_a_lazy_cube_stays_lazy():
    cube = ir.cube(*ir.example_track())
    within = cube.chunk({"system": 3, "topic": 5}).ireval.bounds("AP", "RBP(p=0.8)", at=[4, 9])
    assert within.chunks
    xr.testing.assert_allclose(within.compute(), cube.ireval.bounds("AP", "RBP(p=0.8)", at=[4, 9]))


def test_shared_gain_is_the_mean_over_all_orders():
    scores = [("d1", 3.0), *((doc, 2.0) for doc in ("d9", "d8", "d2")), ("d5", 1.0), ("d4", 1.0)]
    qrels = pd.DataFrame({"topic": "t", "doc": ["d1", "d8", "d4", "d3"], "grade": [1, 2, 0, 1]})
    run = pd.DataFrame(scores, columns=["doc", "score"]).assign(topic="t")
    metrics = ["RBP(p=0.8)", "P", "DCG"]
    orders = [
        run.iloc[[0, *first, *second]].assign(score=range(6, 0, -1)).ireval.cube(qrels)
        for first in itertools.permutations((1, 2, 3))
        for second in itertools.permutations((4, 5))
    ]
    mean = sum(order.ireval.bounds(*metrics).values for order in orders) / len(orders)
    for depth in (6, 3):
        shared = run.ireval.cube(qrels, depth=depth, ties="mean").ireval.bounds(*metrics)
        np.testing.assert_allclose(shared, mean[..., :depth], atol=1e-12)


def test_shared_gain_refuses_what_it_must():
    cube = ir.cube(*ir.example_track(), ties="mean")
    with pytest.raises(MetricError, match="ties='mean'.*Recall"):
        cube.ireval.bounds("Recall")
    with pytest.raises(MetricError, match="share gain"):
        cube.ireval.bounds("AP")


def test_refusals(monkeypatch):
    cube = ir.cube(*ir.example_track())
    with pytest.raises(MetricError, match="bounds: AP.*Bpref"):
        cube.ireval.bounds("AP", "Bpref")
    with pytest.raises(DepthError, match="found 51"):
        cube.ireval.bounds("AP", at=51)
    monkeypatch.setattr(labelings, "STEPS", 1e6)
    with pytest.raises(MetricError, match="Q.*at="):
        cube.ireval.bounds("Q", at=[10, 50])
