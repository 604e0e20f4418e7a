"""Tests of contents, participation and errors of cubes."""

import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from dense import dense
from flat import arguments
from incomplete import incomplete
from listed import QRELS, RUNS
from refusals import refused
from variants import VARIANTS

import irframe as ir
from irframe import arrays
from irframe.errors import (
    DepthError,
    InputError,
    IrframeWarning,
    MetricError,
    ParameterError,
    StoreError,
)
from irframe.experiments import coded_tables
from irframe.names import EMPTY, UNJUDGED

VARIABLES = ["system", "topic", "retrieved", "unjudged", "system_code", "topic_code"]
"""Variables of a cube except depths and grades."""


def quiet_cube(runs=RUNS, qrels=QRELS, **options):
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        return runs.ireval.cube(qrels, **arguments(ir.cube, options))


def test_a_small_cube_has_the_expected_grades():
    cube = quiet_cube()
    assert dict(cube.sizes) == {"system": 2, "topic": 3, "depth": 3}
    assert {*cube.variables} == {*VARIABLES, "depth", "grade"}
    assert list(cube.topic.values) == ["1", "2", "4"]
    assert cube.grade.sel(system="a", topic="1").values.tolist() == [0, 2, UNJUDGED]
    assert cube.grade.sel(system="b", topic="1").values.tolist() == [-1, EMPTY, EMPTY]
    assert cube.grade.sel(system="a", topic="4").values.tolist() == [EMPTY] * 3
    assert cube.retrieved.values.tolist() == [[3, 1, 0], [1, 0, 0]]
    arrays = dense(cube)
    assert arrays.names[0, 0].tolist() == ["d1", "d2", ""]
    assert (arrays.top == 2).all()
    assert cube.unjudged.values.tolist() == [[1, 1, 0], [0, 0, 0]]
    assert arrays.took_part.all()


def test_unjudged_topics_are_dropped_with_a_warning():
    with pytest.warns(IrframeWarning) as caught:
        RUNS.ireval.cube(QRELS)
    assert [str(warning.message).partition(":")[0] for warning in caught] == [
        "1 topic of the runs has no judgments and is left out",
        "no system has a list for 1 of 3 judged topics",
        "lists that systems lack count as empty",
    ]
    assert {warning.filename for warning in caught} == {__file__}


@incomplete
def test_topics_are_selected_by_rule_or_list():
    assert list(quiet_cube(topics="runs").topic.values) == ["1", "2"]
    assert list(quiet_cube(topics="common").topic.values) == ["1"]
    assert list(RUNS.ireval.cube(QRELS, topics=["4", "1"]).topic.values) == ["4", "1"]
    refused(ParameterError, "'3'", lambda: RUNS.ireval.cube(QRELS, topics=["3"]))
    refused(ParameterError, "'all'", lambda: quiet_cube(topics="all"))


def test_missing_lists_score_zero():
    scores = quiet_cube().ireval.score("AP")
    assert scores.sel(system="a", depth=3).values[0].tolist() == [0.5, 0.0, 0.0]


def test_topics_without_relevant_documents_score_zero_or_nan():
    qrels = pd.DataFrame({"topic": ["1", "2"], "doc": ["d1", "d1"], "grade": [0, 1]})
    cube = quiet_cube(qrels=qrels)
    plain = cube.ireval.score("AP", "nDCG").sel(system="a", depth=3)
    marked = cube.ireval.score("AP", "nDCG", no_rel="nan").sel(system="a", depth=3)
    assert plain.values.tolist() == [[0, 1], [0, 1]]
    assert np.isnan(marked.sel(topic="1")).all()
    assert (marked.sel(topic="2") == 1).all()


def test_depth_cuts_or_pads_lists():
    deep, cut = quiet_cube(depth=5), quiet_cube(depth=2)
    assert (deep.grade.sel(depth=[4, 5]) == EMPTY).all()
    assert cut.retrieved.values.tolist() == [[3, 1, 0], [1, 0, 0]]
    assert cut.ireval.score("NumRet", at=2).values.ravel().tolist() == [2, 1, 0, 1, 0, 0]
    at_two = quiet_cube().ireval.score("P", "nDCG", "Bpref", at=[2])
    xr.testing.assert_allclose(cut.ireval.score("P", "nDCG", "Bpref", at=[2]), at_two)
    for depth in (0, -1, 1.5, True):
        refused(DepthError, str(depth), quiet_cube, depth=depth)
    for bad in ({"at": 4}, {"at": [0]}, {"at": []}):
        refused(DepthError, "build the cube|1 to 3", quiet_cube().ireval.score, "P", **bad)
    refused(DepthError, "P@10", lambda: quiet_cube().ireval.score("P@10"))


@incomplete
def test_frames_keep_the_names_and_types_of_the_caller():
    runs = RUNS.rename(columns={"system": "name", "topic": "qid", "doc": "docno"})
    runs = runs.astype({"qid": int})
    qrels = QRELS.rename(columns={"topic": "query_id", "grade": "label"}).astype({"query_id": int})
    frame = runs.ireval.evaluate(qrels, "AP", topics=[1, 2])
    assert frame.index.names == ["name", "qid"]
    assert frame.index.levels[1].dtype == np.int64
    judged = runs.ireval.judge(qrels)
    assert list(judged.columns) == ["name", "qid", "docno", "score", "grade"]
    assert judged["grade"].tolist()[:2] == [0, 2]
    assert judged["grade"].isna().tolist() == [False, False, True, True, False, True]


@pytest.mark.parametrize("kind", ["object", "category", "string", "string[pyarrow]"])
def test_runs_and_judgments_are_joined_by_ids_of_any_dtype(kind):
    runs = RUNS.astype({"system": kind, "topic": kind, "doc": kind})
    xr.testing.assert_identical(quiet_cube(runs), quiet_cube())
    qrels = QRELS.astype({"topic": kind, "doc": kind})
    xr.testing.assert_identical(quiet_cube(qrels=qrels), quiet_cube())


@incomplete
def test_frames_without_a_system_column_are_one_system():
    single = RUNS[RUNS["system"] == "a"].drop(columns="system")
    frame = single.ireval.evaluate(QRELS, "AP")
    assert frame.index.unique("system").tolist() == ["run"]


@incomplete
def test_groups_are_scored_on_their_own_topics():
    qrels = pd.concat([QRELS, pd.DataFrame({"topic": ["2"], "doc": ["d1"], "grade": [0]})])
    runs = RUNS.assign(track=RUNS["topic"].map({"1": "web", "2": "news", "3": "none"}))
    runs = runs[runs["track"] != "none"]
    absent = pytest.warns(
        IrframeWarning, match=r"track are left out of this group: news \(b\); pass collection="
    )
    with absent:
        frame = runs.ireval.groupby("track").evaluate(qrels, ["AP", "P@2"], topics="runs")
    assert frame.index.names == ["track", "system", "topic"]
    assert sorted(set(frame.index.droplevel("system"))) == [("news", "2"), ("web", "1")]
    alone = runs[runs["track"] == "web"].ireval.evaluate(qrels, ["AP", "P@2"], topics=["1"])
    pd.testing.assert_frame_equal(frame.loc["web"], alone)
    with absent:
        cubes = dict(runs.ireval.groupby("track").cube(qrels, topics="runs"))
    assert {*cubes} == {"web", "news"}
    assert cubes["news"].sizes["topic"] == 1
    refused(ParameterError, "'year'", lambda: runs.ireval.groupby("year").evaluate(qrels, "AP"))
    with pytest.raises(ParameterError, match="group \\(track\\).*none for 1: 4"):
        runs.ireval.groupby("track").evaluate(qrels, "AP")


@incomplete
def test_groups_with_equal_topic_names_have_separate_judgments():
    first = RUNS.query("topic == '1'")
    runs = pd.concat([first.assign(track="x"), first.assign(track="y", doc=first["doc"] + "y")])
    qrels = pd.concat([QRELS.assign(track="x"), QRELS.assign(track="y", doc=QRELS["doc"] + "y")])
    qrels.loc[(qrels["track"] == "y").to_numpy(), "grade"] = 0
    frame = runs.ireval.groupby("track").evaluate(qrels, ["AP", "Judged@2"])
    pd.testing.assert_frame_equal(frame.loc["x"], first.ireval.evaluate(QRELS, ["AP", "Judged@2"]))
    assert frame.loc["y", "AP"].max() == 0
    assert frame.loc["y", "Judged@2"].max() > 0


@incomplete
def test_groups_that_divide_a_topic_are_refused():
    runs = RUNS[RUNS["topic"] == "1"].assign(half=lambda rows: rows["system"].map({"a": "x"}))
    runs["half"] = np.where(np.arange(len(runs)) % 2, "x", "y")
    groups = runs.ireval.groupby("half")
    for make in (groups.cube, lambda qrels: groups.evaluate(qrels, "AP")):
        with pytest.raises(
            ParameterError, match="the group column 'half' to have one value .* 1 topic: 1"
        ):
            make(QRELS)


def test_pools_contain_documents_of_contributing_runs():
    cube = quiet_cube(contributing=["a"])
    arrays = dense(cube)
    assert arrays.contributing.tolist() == [True, False]
    assert arrays.pool_rank[: arrays.judged_count[0]].tolist() == [2, 1, 0]
    assert (arrays.pool_depth == 0).all()
    assert (dense(quiet_cube(pool_depth=2)).pool_depth == 2).all()
    flagged = RUNS.assign(pooled=RUNS["system"] == "a")
    same = quiet_cube(flagged, contributing="pooled").drop_vars("pooled")
    xr.testing.assert_equal(same, cube)
    for wrong, message in ((["c"], "'c'"), ([], "an empty list"), ("doc", "a boolean column")):
        refused(ParameterError, message, quiet_cube, contributing=wrong)


def test_cubes_may_have_no_contributing_run():
    runs, qrels = ir.example_track()
    some = runs[~runs["contributing"]]
    assert (dense(some.ireval.cube(qrels)).pool_depth == 0).all()
    with pytest.raises(ParameterError, match="a system that contributes"):
        some.ireval.cube(qrels, pool=ir.Pool(contributing="contributing"))


def test_the_pool_depth_is_inferred_from_runs_and_judgments():
    runs, qrels = ir.example_track()
    assert (dense(runs.ireval.cube(qrels)).pool_depth == 10).all()


def test_normalisation_by_the_pool_uses_the_pool_of_each_depth(cube):
    runs, qrels = ir.example_track()
    scores = cube.ireval.score("AP(norm='pool')", "AP", "nDCG(ideal='pool')", "nDCG")
    deep = scores.sel(depth=slice(10, None))
    np.testing.assert_array_equal(deep[0], deep[1])
    np.testing.assert_array_equal(deep[2], deep[3])
    joined = runs.merge(qrels, on=["topic", "doc"])
    contributing = joined[joined["contributing"]]
    first = contributing.groupby(["topic", "doc"]).agg(rank=("rank", "min"), grade=("grade", "max"))
    at_three = first[(first["rank"] <= 3) & (first["grade"] > 0)].groupby("topic").size()
    n_relevant = (qrels["grade"] > 0).groupby(qrels["topic"]).sum()
    ratio = (scores[0] / scores[1]).sel(system="bm25", depth=3)
    for topic in ratio.topic.values:
        if np.isfinite(ratio.sel(topic=topic)):
            expected = n_relevant[topic] / at_three[topic]
            assert ratio.sel(topic=topic).item() == pytest.approx(expected)


def test_lazy_scores_equal_scores_in_memory(cube):
    metrics = [variant.text for variant in VARIANTS]
    now = cube.ireval.score(*metrics, at=[3, 20])
    later = cube.chunk(system=3, depth=10).ireval.score(*metrics, at=[3, 20])
    assert later.chunks is not None
    xr.testing.assert_equal(later.compute(), now)
    assert later.dims == now.dims


def test_results_do_not_depend_on_block_sizes(monkeypatch):
    runs, qrels = ir.example_track()
    expected = runs.ireval.cube(qrels)
    scores = expected.ireval.score("AP(norm='pool')", "nDCG", "RBP(p=0.8)")
    monkeypatch.setattr(coded_tables, "ROWS", 900)
    monkeypatch.setattr(arrays, "BLOCK", 120)
    shuffled = runs.sample(frac=1, random_state=0)
    order = {"system": expected.system, "topic": expected.topic}
    for cube in (runs.ireval.cube(qrels), shuffled.ireval.cube(qrels).sel(order)):
        subsets = [*expected.data_vars, "retrieved", "unjudged"]
        xr.testing.assert_equal(
            cube[subsets].reset_coords(drop=True), expected[subsets].reset_coords(drop=True)
        )
    repeated = runs.ireval.cube(qrels).ireval.score("AP(norm='pool')", "nDCG", "RBP(p=0.8)")
    xr.testing.assert_equal(repeated, scores)


def test_invalid_metrics_are_refused():
    cube = quiet_cube()
    refused(MetricError, "at least one metric", cube.ireval.score)
    refused(MetricError, "AP", lambda: cube.ireval.score("AP", "AP@1", "AP"))
    refused(MetricError, "gain for every grade.*: 2", cube.ireval.score, "nDCG(gain={1: 1})")
    refused(ParameterError, "no_rel", lambda: cube.ireval.score("AP", no_rel=0))
    refused(InputError, "the attribute experiment", lambda: cube.drop_attrs().ireval.score("AP"))


def test_tied_documents_share_their_gain(golden):
    case = golden["002-ties"]
    inputs, expected = case["input"], case["expected"]
    runs = pd.DataFrame(inputs["run"], columns=["doc", "score"]).assign(topic="1")
    qrels = pd.DataFrame(inputs["qrels"].items(), columns=["doc", "grade"]).assign(topic="1")
    for depth in (None, 3, 5):
        cube = runs.ireval.cube(qrels, ties="mean", depth=depth)
        scores = cube.ireval.score("RBP(p=0.8, gain='linear')", "P").squeeze()
        for k in (3, 5, 7):
            if k in scores.depth:
                rbp, precision = scores.sel(depth=k).values
                assert rbp == pytest.approx(expected[f"shared RBP(0.8)@{k} linear"])
                assert precision == pytest.approx(expected[f"shared Prec@{k} binary"])
    refused(MetricError, "P, RBP, Recall.*found Q", lambda: cube.ireval.score("P", "Q", "AP"))


def test_input_frames_are_unchanged():
    runs, qrels = RUNS.copy(), QRELS.copy()
    quiet_cube(runs, qrels)
    pd.testing.assert_frame_equal(runs, RUNS)
    pd.testing.assert_frame_equal(qrels, QRELS)


def test_selected_topics_keep_the_pool_of_all_topics():
    runs, qrels = ir.example_track()
    every = ir.cube(runs, qrels)
    for topics in (["103", "101"], ["116"]):
        subset = ir.cube(runs, qrels, topics=topics)
        same = every.sel(topic=topics).isel(depth=slice(subset.sizes["depth"]))
        for name in ("grade", "retrieved", "unjudged"):
            np.testing.assert_array_equal(subset[name], same[name])
        for name in ("pool_depth", "tied", "names"):
            result, expected = (getattr(dense(item), name) for item in (subset, same))
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("depth", [10**12, 2**62])
def test_depths_that_exceed_memory_are_refused(depth, tmp_path):
    runs, qrels = ir.example_track()
    size = f"{8 * 16 * depth * 7:,} bytes"
    runs.drop(columns="team").to_parquet(tmp_path / "runs.parquet")
    for ask in (
        lambda: ir.cube(runs, qrels, depth=depth),
        lambda: ir.evaluate(runs, qrels, "AP", depth=depth),
        lambda: ir.evaluate(runs, qrels, ["AP", f"P@{depth}"]),
    ):
        refused(ParameterError, f"depth {depth:,} to need at most .* found .*{size}", ask)
    with pytest.raises(ParameterError, match=f"depth {depth:,} to need at most"):
        ir.scan_runs(tmp_path / "runs.parquet").ireval.cube(qrels, depth=depth)


@pytest.mark.parametrize("inside", ["", "cube.zarr"])
def test_folders_without_a_cube_are_refused(tmp_path, inside):
    file = tmp_path / "file"
    file.write_text("no cube")
    for path in (file / inside, tmp_path / inside):
        refused(StoreError, "a cube written by save", ir.open_cube, path)


def test_repr_shows_grades_judged_share_and_verbs():
    cube = ir.cube(*ir.example_track()).ireval.sample(0.5, seed=1)
    judged = 1 - cube["unjudged"].sum().item() / cube["retrieved"].sum().item()
    for text in (repr(cube), cube._repr_html_()):
        assert f"grades 0 to 3, {judged:.0%} of 6,400 hits judged" in text
        assert "cube, sample; .ireval.record has the options" in text
        assert '"ties"' not in text
