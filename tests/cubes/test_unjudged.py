"""Tests of score bounds, shallower pools and samples of judgments."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from hypothesis import given
from hypothesis import strategies as st
from listed import frames_of_docs
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, GradeError, InputError, MetricError
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
    """Return a cube with one ranking and one top grade."""
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
def test_residuals_equal_worked_cases(golden, name):
    inputs, expected = golden[name]["input"], golden[name]["expected"]
    cube = one_list(inputs["serp"], inputs["judged_d"], inputs["gmax"], max(inputs["ks"]))
    within = cube.ireval.bounds(*RESIDUALS, at=inputs["ks"]).sel(system="run", topic="t")
    for metric, key in RESIDUALS.items():
        values = [expected[f"@{k}"][key] for k in inputs["ks"]]
        np.testing.assert_allclose(spread(within).sel(metric=metric), values, atol=1e-9)
    scores = cube.ireval.score(*RESIDUALS, at=inputs["ks"]).sel(system="run", topic="t")
    np.testing.assert_array_equal(within.sel(bound="lower"), scores)


def test_residuals_equal_formulas(golden):
    inputs, expected = golden["002-residuals"]["input"], golden["002-residuals"]["expected"]
    cube = one_list(inputs["serp"], [1, 1, 0], 2, 8)
    metrics = ["RBP(p=0.8)", "ERR(gain='linear')", "P"]
    residual = spread(cube.ireval.bounds(*metrics, at=inputs["ks"])).sel(system="run", topic="t")
    for metric, key in zip(metrics, ["RBP", "ERR_linear2", "Prec"], strict=True):
        values = expected[f"{key}_residual"]
        np.testing.assert_allclose(residual.sel(metric=metric), values, atol=1e-9)


def test_rbp_residuals_below_judged_ranks_equal_worked_cases(golden):
    case = golden["002-rbp-tails"]
    cube = one_list([0] * 100, [0] * 100, 1, 100)
    within = cube.ireval.bounds("RBP(p=0.95)", "RBP(p=0.8)", at=case["input"]["k"])
    for p, values in case["expected"].items():
        row = spread(within).sel(metric=f"RBP(p={p})", system="run", topic="t")
        np.testing.assert_allclose(row, values, atol=1e-12)


@pytest.mark.thorough
def test_scores_with_hidden_judgments_lie_within_bounds():
    rng = np.random.default_rng(3)
    runs, qrels = ir.example_track()
    for system, run in runs.groupby("system", sort=False):
        listed = run[["topic", "doc"]].drop_duplicates()
        pool = qrels.merge(listed, indicator="found", how="left")["found"] == "both"
        hidden = pool & (rng.random(len(qrels)) < 0.4)
        registered = run.ireval.cube(
            qrels[~hidden.to_numpy()], pool=ir.Pool(depth=10, contributing=[system])
        )
        true = run.ireval.cube(qrels, pool=ir.Pool(depth=10, contributing=[system]))
        free = [name for name in EVERY if "pool" not in name]
        within, scores = registered.ireval.bounds(*free), true.ireval.score(*free)
        scores = scores.sel(topic=registered.topic)
        assert (registered.experiment.tops == true.experiment.tops).all()
        assert (within.sel(bound="lower") <= scores + 1e-12).all()
        assert (within.sel(bound="upper") >= scores - 1e-12).all()


def test_scores_lie_within_bounds(cube):
    within, scores = cube.ireval.bounds(*EVERY), cube.ireval.score(*EVERY)
    assert within.dims == ("bound", *scores.dims)
    assert (within.sel(bound="lower") <= scores + 1e-12).all()
    assert (within.sel(bound="upper") >= scores - 1e-12).all()
    assert within.attrs["pool_depth"] == 10
    assert within.attrs["top"] == 3
    assert within.attrs["ties"] == "trec"
    assert list(within.coords["team"].values) == list(cube.coords["team"].values)


def test_bounds_do_not_depend_on_other_depths(cube):
    metrics = [*EVERY, "nDCG@7", "AP@7"]
    every = cube.ireval.bounds(*metrics)
    xr.testing.assert_allclose(cube.ireval.bounds(*metrics, at=[3, 12]), every.sel(depth=[3, 12]))
    fixed = every.sel(metric=["nDCG@7", "AP@7"], depth=[7, 50]).values
    np.testing.assert_array_equal(fixed, fixed[..., :1].repeat(2, axis=-1))
    q = cube.ireval.bounds("Q", at=[5, 8])
    xr.testing.assert_allclose(cube.ireval.bounds("Q", at=8), q.sel(depth=[8]))


def test_bounds_with_shared_gain_are_means_over_all_orders_of_ties():
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


def test_metrics_that_cannot_share_gain_are_refused_with_ties_mean():
    cube = ir.cube(*ir.example_track(), ties="mean")
    refused(MetricError, "ties='mean'.*Recall", lambda: cube.ireval.bounds("Recall"))
    refused(MetricError, "ties='mean' for the metrics: AP", lambda: cube.ireval.bounds("AP"))
    refused(
        MetricError, "ties='mean' for the metrics: SetP", lambda: cube.ireval.bounds("RBP", "SetP")
    )
    refused(MetricError, "ties='mean' for the metrics: RR", lambda: cube.ireval.cwl("RBP", "RR"))


def test_unknown_or_slow_bounds_are_refused(cube, monkeypatch):
    refused(MetricError, "bounds: All.*Bpref", lambda: cube.ireval.bounds("AP", "Bpref"))
    refused(DepthError, "found 51", lambda: cube.ireval.bounds("AP", at=51))
    monkeypatch.setattr(labelings, "STEPS", 1e6)
    refused(MetricError, "Q.*at=", lambda: cube.ireval.bounds("Q", at=[10, 50]))


def judged_docs(cube):
    return sorted(dense(cube).judged_doc)


def test_pooled_judgments_equal_worked_cases(golden):
    case = golden["002-pool"]
    runs, qrels = frames_of_docs(case["input"]["runs"], case["input"]["qrels"])
    cube = runs.ireval.cube(qrels, pool=6)
    for depth, docs in case["expected"]["judged_at_depth"].items():
        shallow = cube.ireval.pooled(int(depth))
        assert judged_docs(shallow) == docs
        assert (dense(shallow).pool_depth == int(depth)).all()


def test_a_shallower_pool_equals_fewer_judgments(track, cube):
    runs, qrels = track
    selected = runs.ireval.judge(qrels)
    filed = selected.groupby(["system", "topic"]).cumcount() + 1
    pool = selected[selected["contributing"] & (filed <= 4)][["topic", "doc"]].drop_duplicates()
    rebuilt = runs.ireval.cube(qrels.merge(pool))
    shallow = cube.ireval.pooled(4)
    np.testing.assert_array_equal(shallow.grade, rebuilt.grade)
    metrics = ["AP", "nDCG(ideal='pool')", "AP(norm='pool')", "Q", "Bpref", "RBP(p=0.9)"]
    xr.testing.assert_allclose(shallow.ireval.score(*metrics), rebuilt.ireval.score(*metrics))


def test_unknown_pool_depths_are_refused(track):
    runs, qrels = track
    everyone = runs.drop(columns="contributing").ireval.cube(qrels)
    assert (dense(everyone).pool_depth == 0).all()
    refused(DepthError, "a known pool depth.*pool=ir.Pool", lambda: everyone.ireval.pooled(1))


NEEDING = {
    "pooled": lambda cube: cube.ireval.pooled(1),
    "leave_out": lambda cube: cube.ireval.leave_out("AP", at=5),
}


@pytest.mark.parametrize("name", NEEDING)
def test_cubes_without_topics_have_no_pool_depth(cube, name):
    message = "a cube with topics, but found none"
    refused(InputError, message, NEEDING[name], cube.isel(topic=[]))


def test_pooled_judgments_include_documents_below_the_depth_of_the_cube(track):
    runs, qrels = track
    tied = runs.assign(score=runs["score"].round())
    cut, uncut = (
        tied.ireval.cube(qrels, depth=depth, ties="mean").ireval.pooled(3) for depth in (20, None)
    )
    result = cut.ireval.score("P").drop_attrs()
    xr.testing.assert_identical(result, uncut.isel(depth=slice(20)).ireval.score("P").drop_attrs())


SHARES = (0.9, 0.7, 0.5, 0.3, 0.1)


def qrels_of(sizes):
    rows = [
        (topic, f"{topic}{grade}-{i}", grade)
        for topic, grades in sizes.items()
        for grade, size in grades.items()
        for i in range(size)
    ]
    return pd.DataFrame(rows, columns=["topic", "doc", "grade"])


def sample_size(size, grade, share):
    """Return the rounded size, or the minimum for irrelevant documents."""
    expected = max(1, math.floor(round(share * size, 9) + 0.5))
    return min(size, max(expected, 10) if grade < 1 else expected)


@given(
    sizes=st.dictionaries(
        st.sampled_from("abc"),
        st.dictionaries(st.sampled_from([-2, 0, 1, 2]), st.integers(1, 40), min_size=1),
        min_size=1,
    ),
    seed=st.integers(0, 9),
)
def test_samples_are_nested_and_have_expected_sizes(sizes, seed):
    qrels = qrels_of(sizes)
    larger = set(qrels["doc"])
    for share in SHARES:
        selected = qrels.ireval.sample(share, seed=seed)
        counts = selected.groupby(["topic", "grade"]).size()
        for topic, grades in sizes.items():
            for grade, size in grades.items():
                assert counts[topic, grade] == sample_size(size, grade, share)
        smaller = set(selected["doc"])
        assert smaller <= larger
        larger = smaller


def test_a_share_of_one_keeps_all_judgments():
    _, qrels = ir.example_track()
    pd.testing.assert_frame_equal(qrels.ireval.sample(1), qrels)


@pytest.mark.thorough
def test_samples_are_uniform_over_seeds():
    qrels = qrels_of({"a": {1: 20}, "b": {1: 20}})
    counts = sum(
        qrels.index.isin(qrels.ireval.sample(0.5, seed=s).index).astype(int) for s in range(400)
    )
    assert abs(counts - 200).max() < 60
    halves = [tuple(qrels.ireval.sample(0.5, seed=s).index) for s in range(5)]
    assert len(set(halves)) == 5


def test_grades_that_mark_unjudged_documents_are_refused():
    with pytest.raises(GradeError, match="3 documents with grade -1.*Drop these rows"):
        ir.verbs.sample(qrels_of({"a": {-1: 3, 1: 2}}), 0.5)


def test_bounds_of_the_metric_all_equal_worked_cases():
    names = {"topic": list("1111223"), "doc": list("abcdabb"), "rank": [1, 2, 3, 4, 1, 2, 1]}
    runs = pd.DataFrame({"system": "s", **names})
    qrels = pd.DataFrame({"topic": list("1123"), "doc": list("bczb"), "grade": [1, 1, 0, 0]})
    cube, nan = runs.ireval.cube(qrels), np.nan
    expected = [[[0, 0, 0, 1], [0, 0, 1, 1]], [[0, 1, 1, 1], [1, 1, 1, 1]], [[nan] * 4, [nan] * 4]]
    result = cube.ireval.bounds("All").isel(metric=0, system=0).transpose("topic", ...)
    np.testing.assert_array_equal(result, expected)
    sets = runs.ireval.cube(qrels.assign(set=list("pqpp"))).ireval.bounds("All", "All @ 1")
    np.testing.assert_array_equal(
        sets.isel(system=0, topic=0), [[[0, 0, 1, 1], [0] * 4], [[1] * 4, [1] * 4]]
    )


RANKED = ["grade", "unjudged", "retrieved"]


def judged_grades(cube):
    """Return the judged documents and grades by topic."""
    arrays = dense(cube)
    names = cube["topic"].to_numpy()[arrays.judged_topic]
    return dict(zip(zip(names, arrays.judged_doc, strict=True), arrays.judged_grade, strict=True))


def assert_built(changed, built):
    """Assert that two cubes have equal rankings and judgments."""
    for name in RANKED:
        np.testing.assert_array_equal(changed[name], built[name])
    assert judged_grades(changed) == judged_grades(built)


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.005])
@pytest.mark.parametrize("seed", [0, 7])
def test_sampled_cubes_equal_cubes_of_sampled_judgments(cube, share, seed):
    runs, qrels = ir.example_track()
    built = runs.ireval.cube(qrels.ireval.sample(share, seed=seed))
    assert_built(cube.ireval.sample(share, seed=seed), built)


def test_a_share_of_one_keeps_the_cube(cube):
    xr.testing.assert_identical(cube.ireval.sample(1).assign_attrs(cube.attrs), cube)


def test_sampled_cubes_keep_top_grades_and_pool(cube):
    fewer = cube.ireval.sample(0.01)
    for name in ("top", "pool_depth"):
        np.testing.assert_array_equal(getattr(dense(fewer), name), getattr(dense(cube), name))
    remaining = judged_grades(fewer)
    inside = [pair in remaining for pair in judged_grades(cube)]
    np.testing.assert_array_equal(dense(fewer).pool_rank, dense(cube).pool_rank[inside])
