"""Tests of `losses`: sums, stages of pipelines, and refused input."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from incomplete import though_incomplete
from refusals import refused
from tracks import cube_of
from turns import few_of
from variants import VARIANTS

from irframe.errors import InputError, IrframeWarning, MetricError, ParameterError

GRADED = few_of([v for v in VARIANTS if v.ordered and v.metric.by_grade], 12, drawn=False)
LOST = ["not_retrieved", "ordered"]


def means(losses, *systems):
    return losses.groupby("system").mean().loc[[*systems]].round(3).to_numpy()[:, :3].tolist()


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("nDCG@10", [[0.204, 0.231, 0.566], [0.558, 0.066, 0.376]]),
        ("AP", [[0.163, 0.383, 0.454], [0.475, 0.162, 0.362]]),
        ("R@10", [[0.228, 0.262, 0.389], [0.505, 0.1, 0.274]]),
    ],
)
def test_losses_equal_worked_values(track, metric, expected):
    runs, qrels = track
    losses = runs.ireval.losses(qrels, metric)
    assert means(losses, "bm25", "monot5") == expected
    highest = losses[["score", *LOST]].sum(axis=1).groupby("system").mean()
    assert highest.round(3).unique().tolist() == [0.879 if metric == "R@10" else 1.0]


@st.composite
def pipelines(draw):
    """Draw judgments and runs a, b and c.

    Run b reranks documents of run a, and run c reranks documents of run b.
    """
    grade = st.sampled_from([None, None, -2, -1, 0, 1, 2, 3])
    first, middle, last, judged = {}, {}, {}, []
    for topic in range(draw(st.integers(1, 3))):
        grades = draw(st.lists(grade, max_size=8))
        judged += [
            (f"t{topic}", f"m{n}", g)
            for n, g in enumerate(draw(st.lists(st.integers(0, 3), max_size=3)))
        ]
        docs = [f"d{n}" for n in range(len(grades))]
        judged += [(f"t{topic}", d, g) for d, g in zip(docs, grades, strict=True) if g is not None]
        first[topic] = docs
        middle[topic] = draw(st.permutations(docs))[: draw(st.integers(0, 8))]
        last[topic] = draw(st.permutations(middle[topic]))[: draw(st.integers(0, 8))]
    judged.append(("t0", "always judged", draw(st.integers(0, 1))))
    rows = [
        (system, f"t{topic}", doc, draw(st.sampled_from([0.0, 1.0, 2.0])))
        for system, lists in {"a": first, "b": middle, "c": last}.items()
        for topic, docs in lists.items()
        for doc in docs
    ]
    rows += [(system, "t0", "always judged", -1.0) for system in "abc"]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    return runs, pd.DataFrame(judged, columns=["topic", "doc", "grade"])


@pytest.mark.parametrize("variant", GRADED, ids=str)
@given(drawn=pipelines(), depth=st.sampled_from([None, 1, 2, 5, 12]))
def test_score_and_losses_add_up_to_the_highest_score(variant, drawn, depth):
    runs, qrels = drawn
    metric = variant.metric if depth is None or "@" in str(variant) else variant.metric @ depth
    # losses are defined for arithmetic means, and the drawn runs have no pool depth
    if variant.facts.summary != "mean" or "pool" in str(variant):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IrframeWarning)
        cube = runs.ireval.cube(qrels, depth=depth and max(depth, 3))
        losses = cube.ireval.losses(metric, stages=["a", "b", "c"])
        stages = {name: cube.ireval.losses(metric).sel(system=name) for name in "abc"}
        scores = cube.ireval.score(metric).isel(metric=0, depth=-1)
    causes = ["not_retrieved", "cut_by_b", "cut_by_c", "ordered"]
    assert not (losses.sel(metric=causes) < 0).any()
    np.testing.assert_array_equal(losses.sel(metric="score"), scores)
    total = losses.sel(metric=["score", *causes]).sum("metric", skipna=False)
    highest = [stages[s].sel(metric=["score", *LOST]).sum("metric", skipna=False) for s in "abc"]
    for system, single in zip("abc", highest, strict=True):
        np.testing.assert_allclose(total.sel(system=system), single, rtol=0, atol=1e-12)
        np.testing.assert_allclose(single, highest[0], rtol=0, atol=1e-12)


def test_a_stage_loses_the_relevant_documents_that_it_drops():
    cube = cube_of({"s": [[0, 1, 1]], "r": [[1]]}, judged=[[0, 1, 1, 1]])
    losses = cube.ireval.losses("R@3", stages=["s", "r"]).isel(topic=0)
    third = 1 / 3
    expected = {"score": [2 * third, third], "not_retrieved": [third, third]}
    expected |= {"cut_by_r": [0, third], "ordered": [0, 0], "unjudged": [0, 0]}
    assert [*losses.metric.to_numpy()] == [*expected]
    for name, values in expected.items():
        assert losses.sel(metric=name).to_numpy() == pytest.approx(values)


def test_losses_of_different_second_stages_are_in_one_column():
    lists = {"s": [[0, 1, 1]], "r": [[1, 1]], "q": [[1]]}
    cube = cube_of(lists, judged=[[0, 1, 1]])
    losses = cube.ireval.losses("R@3", stages=[["s", "r"], ["s", "q"]])
    assert losses.sel(metric="cut_by_stage_2").to_numpy().ravel().tolist() == [0, 0, 0.5]
    refused(
        ParameterError,
        "different stages before q",
        cube.ireval.losses,
        "R",
        stages=[["s", "q"], ["r", "q"]],
    )


def test_documents_that_the_previous_stage_lacks_are_refused(track):
    runs, qrels = track
    act = runs.ireval.losses, runs.ireval.cube(qrels).ireval.losses
    message = "only documents of bm25 in ance.*on topic"
    refused(InputError, message, act[0], qrels, "AP", stages=["bm25", "ance"])
    refused(InputError, message, act[1], "AP", stages=["bm25", "ance"])
    copy = runs[runs["system"].eq("bm25") & runs["doc"].isin(qrels["doc"])].assign(system="copy")
    fused = pd.concat([runs, copy, copy.iloc[:1].assign(doc="another one")])
    refused(InputError, "another one on", fused.ireval.losses, qrels, "AP", stages=["bm25", "copy"])
    refused(ParameterError, "nobody", act[0], qrels, "AP", stages=["nobody", "bm25"])
    single = runs[runs["system"].eq("bm25")].drop(columns="system")
    refused(ParameterError, "bm25", single.ireval.losses, qrels, "AP", stages=["bm25"])


def test_metrics_that_are_not_highest_in_grade_order_are_refused(track):
    cube = track[0].ireval.cube(track[1])
    for metric in ("SetF", "Twist", "ASL", "Judged", "GMAP", "NumRelRet", "BPM(T=1)"):
        refused(MetricError, "documents in grade order", cube.ireval.losses, metric)


def test_losses_of_a_cube_equal_losses_of_its_runs(track):
    runs, qrels = track
    for metric in ("nDCG@10", "P@5", "AP", "Bpref"):
        frame, cube = runs.ireval.losses(qrels, metric), runs.ireval.cube(qrels)
        array = cube.ireval.losses(metric)
        stacked = array.transpose("system", "topic", "metric").to_numpy().reshape(frame.shape)
        np.testing.assert_array_equal(frame.to_numpy(), stacked)
        some = cube.isel(system=[3, 1], topic=[2, 0]).ireval.losses(metric)
        np.testing.assert_array_equal(some, array.isel(system=[3, 1], topic=[2, 0]))


def test_documents_below_the_depth_of_a_cube_count_as_misordered():
    cube = cube_of({"s": [[0, 0, 1]]}, judged=[[0, 0, 1, 1]], depth=2)
    result = cube.ireval.losses("AP").isel(system=0, topic=0).to_series()
    assert result[["score", *LOST]].tolist() == [0, 0.5, 0.5]


def test_relevant_documents_that_a_list_lacks_count_as_not_retrieved():
    losses = cube_of({"s": [[1]]}, judged=[[1, 1, 1]]).ireval.losses("R").isel(system=0, topic=0)
    assert losses.to_numpy()[:3] == pytest.approx([1 / 3, 2 / 3, 0])


def test_compare_and_summary_accept_losses_as_metrics(track):
    losses = track[0].ireval.losses(track[1], "nDCG@10")
    assert losses.attrs["lower"] == ["not_retrieved", "ordered", "unjudged"]
    with though_incomplete():
        compared = losses.drop(columns="unjudged").ireval.compare("t", baseline="bm25")
    ordered = compared[compared["metric"].eq("ordered") & compared["system_a"].eq("monot5")]
    assert ordered["difference"].tolist() == pytest.approx([0.376 - 0.566], abs=1e-3)
    assert {"ordered", "score"} <= {*compared["metric"]}
    table = losses.drop(columns="unjudged").ireval.summary()
    assert table.loc[("ordered", "monot5"), "mean"] == pytest.approx(0.376, abs=5e-4)


def test_repeats_are_refused(track):
    runs = track[0].assign(repeat=1)
    both = pd.concat([runs, runs.assign(repeat=2)])
    refused(ParameterError, "repeat", both.ireval.losses, track[1], "AP")


def test_unjudged_column_is_omitted_if_bounds_are_slow_or_missing(track):
    runs, qrels = track
    deep = runs.ireval.cube(qrels, depth=200)
    assert "unjudged" not in deep.ireval.losses("AP").metric
    assert "unjudged" in deep.ireval.losses("AP@20").metric
    assert "unjudged" in deep.ireval.losses("RBP(p=0.8)").metric
    assert "unjudged" not in deep.ireval.losses("Bpref").metric


def test_losses_by_group_of_topics_equal_losses_of_all_topics(track):
    runs, qrels = track
    half = {topic: topic < "109" for topic in qrels["topic"].unique()}
    losses = runs.ireval.losses(qrels, "nDCG@10", stages=["bm25"])
    grouped = runs.ireval.groupby(half).losses(qrels, "nDCG@10")
    assert grouped.index.nlevels == 3
    pd.testing.assert_frame_equal(
        grouped.droplevel(0).sort_index(), losses.sort_index(), check_exact=True
    )
    arrays = runs.ireval.cube(qrels).ireval.groupby(half).losses("nDCG@10")
    assert arrays.sizes["group"] == 2
