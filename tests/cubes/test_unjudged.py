"""Tests of irframe.cubes.unjudged.

Score bounds on cubes: the worked residuals, hidden judgments, what is refused; Shallower pools on
a cube; Nested, stratified samples of judgments.
"""

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
    """Return a cube of one ranking, with a top grade."""
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
    given, expected = golden[name]["input"], golden[name]["expected"]
    cube = one_list(given["serp"], given["judged_d"], given["gmax"], max(given["ks"]))
    within = cube.ireval.bounds(*RESIDUALS, at=given["ks"]).sel(system="run", topic="t")
    for metric, key in RESIDUALS.items():
        values = [expected[f"@{k}"][key] for k in given["ks"]]
        np.testing.assert_allclose(spread(within).sel(metric=metric), values, atol=1e-9)
    scores = cube.ireval.score(*RESIDUALS, at=given["ks"]).sel(system="run", topic="t")
    np.testing.assert_array_equal(within.sel(bound="lower"), scores)


def test_residual_formulas(golden):
    given, expected = golden["002-residuals"]["input"], golden["002-residuals"]["expected"]
    cube = one_list(given["serp"], [1, 1, 0], 2, 8)
    metrics = ["RBP(p=0.8)", "ERR(gain='linear')", "P"]
    residual = spread(cube.ireval.bounds(*metrics, at=given["ks"])).sel(system="run", topic="t")
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
        known = run.ireval.cube(
            qrels[~hidden.to_numpy()], pool=ir.Pool(depth=10, contributing=[system])
        )
        true = run.ireval.cube(qrels, pool=ir.Pool(depth=10, contributing=[system]))
        free = [name for name in EVERY if "pool" not in name]
        within, scores = known.ireval.bounds(*free), true.ireval.score(*free)
        scores = scores.sel(topic=known.topic)
        assert (known.experiment.tops == true.experiment.tops).all()
        assert (within.sel(bound="lower") <= scores + 1e-12).all()
        assert (within.sel(bound="upper") >= scores - 1e-12).all()


def test_scores_lie_inside(cube):
    within, scores = cube.ireval.bounds(*EVERY), cube.ireval.score(*EVERY)
    assert within.dims == ("bound", *scores.dims)
    assert (within.sel(bound="lower") <= scores + 1e-12).all()
    assert (within.sel(bound="upper") >= scores - 1e-12).all()
    assert within.attrs["pool_depth"] == 10
    assert within.attrs["top"] == 3
    assert within.attrs["ties"] == "trec"
    assert list(within.coords["team"].values) == list(cube.coords["team"].values)


def test_depths_do_not_depend_on_each_other(cube):
    metrics = [*EVERY, "nDCG@7", "AP@7"]
    every = cube.ireval.bounds(*metrics)
    xr.testing.assert_allclose(cube.ireval.bounds(*metrics, at=[3, 12]), every.sel(depth=[3, 12]))
    fixed = every.sel(metric=["nDCG@7", "AP@7"], depth=[7, 50]).values
    np.testing.assert_array_equal(fixed, fixed[..., :1].repeat(2, axis=-1))
    q = cube.ireval.bounds("Q", at=[5, 8])
    xr.testing.assert_allclose(cube.ireval.bounds("Q", at=8), q.sel(depth=[8]))


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
    refused(MetricError, "ties='mean'.*Recall", lambda: cube.ireval.bounds("Recall"))
    refused(MetricError, "ties='mean': AP", lambda: cube.ireval.bounds("AP"))
    refused(MetricError, "ties='mean': SetP", lambda: cube.ireval.bounds("RBP", "SetP"))
    refused(MetricError, "ties='mean': RR", lambda: cube.ireval.cwl("RBP", "RR"))


def test_refusals(cube, monkeypatch):
    refused(MetricError, "bounds: All.*Bpref", lambda: cube.ireval.bounds("AP", "Bpref"))
    refused(DepthError, "found 51", lambda: cube.ireval.bounds("AP", at=51))
    monkeypatch.setattr(labelings, "STEPS", 1e6)
    refused(MetricError, "Q.*at=", lambda: cube.ireval.bounds("Q", at=[10, 50]))


def judged_docs(cube):
    return sorted(dense(cube).judged_doc)


def test_simulated_pools(golden):
    case = golden["002-pool"]
    runs, qrels = frames_of_docs(case["input"]["runs"], case["input"]["qrels"])
    cube = runs.ireval.cube(qrels, pool=6)
    for depth, docs in case["expected"]["judged_at_depth"].items():
        shallow = cube.ireval.pooled(int(depth))
        assert judged_docs(shallow) == docs
        assert (dense(shallow).pool_depth == int(depth)).all()


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


def test_a_pool_that_is_complete_to_no_depth(track):
    runs, qrels = track
    everyone = runs.drop(columns="contributing").ireval.cube(qrels)
    assert (dense(everyone).pool_depth == 0).all()
    refused(DepthError, "a known pool depth.*pool=ir.Pool", lambda: everyone.ireval.pooled(1))


NEEDING = {
    "pooled": lambda cube: cube.ireval.pooled(1),
    "leave_out": lambda cube: cube.ireval.leave_out("AP", at=5),
}


@pytest.mark.parametrize("name", NEEDING)
def test_a_pool_of_no_topics_has_no_depth(cube, name):
    words = "a cube with topics, but found none"
    refused(InputError, words, NEEDING[name], cube.isel(topic=[]))


def test_what_lies_below_a_cut_is_known(track):
    runs, qrels = track
    tied = runs.assign(score=runs["score"].round())
    cut, uncut = (
        tied.ireval.cube(qrels, depth=depth, ties="mean").ireval.pooled(3) for depth in (20, None)
    )
    found = cut.ireval.score("P").drop_attrs()
    xr.testing.assert_identical(found, uncut.isel(depth=slice(20)).ireval.score("P").drop_attrs())


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
    """Return the rounded size, with a minimum of irrelevant documents."""
    wanted = max(1, math.floor(round(share * size, 9) + 0.5))
    return min(size, max(wanted, 10) if grade < 1 else wanted)


@given(
    sizes=st.dictionaries(
        st.sampled_from("abc"),
        st.dictionaries(st.sampled_from([-2, 0, 1, 2]), st.integers(1, 40), min_size=1),
        min_size=1,
    ),
    seed=st.integers(0, 9),
)
def test_sizes_and_nesting(sizes, seed):
    qrels = qrels_of(sizes)
    larger = set(qrels["doc"])
    for share in SHARES:
        kept = qrels.ireval.sample(share, seed=seed)
        counts = kept.groupby(["topic", "grade"]).size()
        for topic, grades in sizes.items():
            for grade, size in grades.items():
                assert counts[topic, grade] == sample_size(size, grade, share)
        smaller = set(kept["doc"])
        assert smaller <= larger
        larger = smaller


def test_all_of_it():
    _, qrels = ir.example_track()
    pd.testing.assert_frame_equal(qrels.ireval.sample(1), qrels)


@pytest.mark.thorough
def test_seeds_draw_evenly():
    qrels = qrels_of({"a": {1: 20}, "b": {1: 20}})
    counts = sum(
        qrels.index.isin(qrels.ireval.sample(0.5, seed=s).index).astype(int) for s in range(400)
    )
    assert abs(counts - 200).max() < 60
    halves = [tuple(qrels.ireval.sample(0.5, seed=s).index) for s in range(5)]
    assert len(set(halves)) == 5


def test_unjudged_marks():
    with pytest.raises(GradeError, match="3 of grade -1.*Drop these rows"):
        ir.verbs.sample(qrels_of({"a": {-1: 3, 1: 2}}), 0.5)


def test_what_unjudged_documents_could_do_to_all_that_is_needed():
    names = {"topic": list("1111223"), "doc": list("abcdabb"), "rank": [1, 2, 3, 4, 1, 2, 1]}
    runs = pd.DataFrame({"system": "s", **names})
    qrels = pd.DataFrame({"topic": list("1123"), "doc": list("bczb"), "grade": [1, 1, 0, 0]})
    cube, nan = runs.ireval.cube(qrels), np.nan
    wanted = [[[0, 0, 0, 1], [0, 0, 1, 1]], [[0, 1, 1, 1], [1, 1, 1, 1]], [[nan] * 4, [nan] * 4]]
    found = cube.ireval.bounds("All").isel(metric=0, system=0).transpose("topic", ...)
    np.testing.assert_array_equal(found, wanted)
    sets = runs.ireval.cube(qrels.assign(set=list("pqpp"))).ireval.bounds("All", "All @ 1")
    np.testing.assert_array_equal(
        sets.isel(system=0, topic=0), [[[0, 0, 1, 1], [0] * 4], [[1] * 4, [1] * 4]]
    )


RANKED = ["grade", "unjudged", "retrieved"]


def kept(cube):
    """Return the judged documents and grades by topic."""
    arrays = dense(cube)
    names = cube["topic"].to_numpy()[arrays.judged_topic]
    return dict(zip(zip(names, arrays.judged_doc, strict=True), arrays.judged_grade, strict=True))


def assert_built(found, built):
    """Assert that two cubes have equal rankings and judgments."""
    for name in RANKED:
        np.testing.assert_array_equal(found[name], built[name])
    assert kept(found) == kept(built)


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1, 0.005])
@pytest.mark.parametrize("seed", [0, 7])
def test_the_same_documents_are_kept_as_by_sample(cube, share, seed):
    runs, qrels = ir.example_track()
    built = runs.ireval.cube(qrels.ireval.sample(share, seed=seed))
    assert_built(cube.ireval.sample(share, seed=seed), built)


def test_all_judgments_change_nothing(cube):
    xr.testing.assert_identical(cube.ireval.sample(1).assign_attrs(cube.attrs), cube)


def test_the_recall_base_keeps_its_top_grade_and_its_pool(cube):
    fewer = cube.ireval.sample(0.01)
    for name in ("top", "pool_depth"):
        np.testing.assert_array_equal(getattr(dense(fewer), name), getattr(dense(cube), name))
    left = kept(fewer)
    inside = [pair in left for pair in kept(cube)]
    np.testing.assert_array_equal(dense(fewer).pool_rank, dense(cube).pool_rank[inside])
