"""`evaluate` scores each metric at the cutoff of the metric."""

import numpy as np
import pandas as pd
import pytest
from incomplete import incomplete
from listed import QRELS, RUNS
from properties.experiments import TRACKS, experiment
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, IdError, IrframeWarning, MetricError


def cube_scores(cube, metric, **options):
    """Return the scores of a cube at full depth."""
    scores = cube.ireval.score(metric, at=cube.sizes["depth"], **options)
    return scores.squeeze([*{"metric", "depth"} & {*scores.dims}], drop=True).to_series()


def test_each_metric_is_scored_at_its_own_depth():
    frame = RUNS.ireval.evaluate(QRELS, ["SetP", "P@1", "P@10"], topics=["1"])
    assert frame.loc[("a", "1")].tolist() == pytest.approx([1 / 3, 0.0, 0.1])
    refused(MetricError, "P @ 10", lambda: RUNS.ireval.evaluate(QRELS, ["P", "P@1"], topics=["1"]))
    frame = RUNS.ireval.evaluate(QRELS, ["P", "P@10"], depth=2, topics=["1"])
    assert frame.loc[("a", "1")].tolist() == pytest.approx([0.5, 0.1])
    same = RUNS.ireval.evaluate(QRELS, ["AP", "AP@3"], topics=["1"])
    assert (same["AP"] == same["AP@3"]).all()
    assert frame.columns.name == "metric"
    assert frame.index.names == ["system", "topic"]


def test_metrics_without_a_cutoff_use_the_complete_ideal_ranking(track):
    runs, qrels = track
    short = runs[runs["rank"] <= 2]
    scores = short.ireval.evaluate(qrels, ["nDCG", "nDCG@2", "AP", "AP@2", "R@2"])
    assert (scores["nDCG"] < scores["nDCG@2"]).any()
    ideal = short.ireval.cube(qrels, depth=1000)
    np.testing.assert_allclose(scores["nDCG"], cube_scores(ideal, "nDCG"))
    pd.testing.assert_series_equal(scores["AP"], scores["AP@2"], check_names=False)


def test_depth_cuts_every_list(track):
    runs, qrels = track
    cut = runs.ireval.evaluate(qrels, ["AP", "P@20", "NumRet"], depth=5)
    ranked = runs.ireval.rank()
    first = ranked[ranked["rank"] <= 5].ireval.evaluate(qrels, ["P@20"])
    assert (cut["NumRet"] == 5).all()
    np.testing.assert_allclose(cut["P@20"], first["P@20"])
    np.testing.assert_allclose(cut["AP"], cube_scores(runs.ireval.cube(qrels, depth=5), "AP"))


def test_precision_divides_by_the_depth_of_shorter_lists(track):
    runs, qrels = track
    frame = runs.ireval.evaluate(qrels, ["P", "P@50"], depth=100)
    np.testing.assert_allclose(frame["P"], frame["P@50"] / 2)


@pytest.mark.parametrize(
    "options",
    [
        {"ties": "doc"},
        {"ties": ir.Ties("random", seed=3)},
        {"ties": ir.Ties(dtype="float32"), "topics": "runs"},
        {"topics": ["103", "101"]},
    ],
)
def test_evaluate_and_cube_have_equal_scores_with_equal_options(track, options):
    runs, qrels = track
    runs = runs.assign(score=runs["score"].round(1))
    frame = runs.ireval.evaluate(qrels, "AP(norm='pool')", depth=20, **options)
    cube = runs.ireval.cube(qrels, depth=20, **options)
    expected = cube_scores(cube, "AP(norm='pool')")
    pd.testing.assert_series_equal(frame.iloc[:, 0], expected, check_names=False)
    assert {k: frame.attrs[k] for k in ("ties", "pool")} == {
        k: cube.attrs[k] for k in ("ties", "pool")
    }


def test_duplicate_metrics_are_refused(track):
    frame = ir.evaluate(*track, ["nDCG@10", "NDCG(gain='linear')@20", "Success@1"])
    assert list(frame.columns) == ["nDCG@10", "NDCG(gain='linear')@20", "Success@1"]
    refused(MetricError, "each once.*AP", lambda: ir.evaluate(*track, ["AP", ir.metrics.AP]))


@incomplete
def test_no_rel_decides_scores_of_topics_without_relevant_documents():
    qrels = QRELS.assign(grade=[0, 0, 0, 1, 0])
    plain = RUNS.ireval.evaluate(qrels, "AP", topics=["1", "2"])["AP"]
    marked = RUNS.ireval.evaluate(qrels, "AP", topics=["1", "2"], no_rel="nan")["AP"]
    assert plain.tolist() == [0, 0, 0, 0]
    assert marked.isna().tolist() == [True, False, True, False]


@incomplete
def test_systems_have_rows_only_in_collections_in_which_they_took_part():
    runs, qrels = experiment(0)
    frame = runs.ireval.evaluate(qrels, ["AP", "nDCG@3"], collection="track")
    assert not set(frame.loc["s0"].index) & set(TRACKS["web"])
    assert set(frame.loc["s1"].index) == {*TRACKS["news"], *TRACKS["web"]}
    web = runs[runs["track"] == "web"].ireval.evaluate(
        qrels[qrels["track"] == "web"], ["AP", "nDCG@3"]
    )
    pd.testing.assert_frame_equal(frame.loc[web.index], web, check_like=True)


@incomplete
def test_groups_come_first_in_the_index():
    runs, qrels = experiment(0)
    frame = runs.ireval.groupby("team").evaluate(qrels, "AP", collection="track")
    assert frame.index.names == ["team", "system", "topic"]
    ungrouped = runs.ireval.evaluate(qrels, "AP", collection="track")
    pd.testing.assert_frame_equal(frame.droplevel("team").loc[ungrouped.index], ungrouped)
    assert frame.attrs["collection"] == "track"


@incomplete
def test_attributes_list_the_top_grades_of_groups():
    tracks = [frame.assign(track=name) for name in "xy" for frame in (RUNS,)]
    qrels = QRELS.assign(grade=QRELS["grade"].clip(upper=1))
    graded = [
        (qrels if name == "x" else qrels.assign(grade=3 * qrels["grade"])).assign(track=name)
        for name in "xy"
    ]
    with pytest.warns(IrframeWarning, match="1 topic of the runs has no judgments"):
        result = (
            pd.concat(tracks)
            .ireval.groupby("track")
            .evaluate(pd.concat(graded), "AP", topics="runs")
        )
    assert result.attrs["top"] == [1, 3]


def test_a_depth_that_separates_ties_is_refused(track):
    runs, qrels = track
    tied = runs.assign(score=runs["score"].round())
    with pytest.raises(DepthError, match="a depth that does not separate ties.*Omit depth="):
        tied.ireval.evaluate(qrels, "P@10", depth=5, ties="mean")
    assert len(tied.ireval.evaluate(qrels, "P@5", depth=5, ties="mean"))


def test_constant_iterations_are_not_subtopics():
    runs, qrels = ir.example_track()
    for iterations, labels in (("0", False), (["1", "2"], True)):
        named = qrels.assign(iteration=np.resize(iterations, len(qrels)))
        if labels:
            assert ir.evaluate(runs, named, "alpha_nDCG@10").to_numpy().max() > 0
        else:
            refused(MetricError, "subtopic", ir.evaluate, runs, named, "alpha_nDCG@10")


def test_runs_with_grades_need_no_judgments():
    columns = {"system": ["a", "a", "b", "b"], "qid": "q", "docno": ["x", "y", "x", "z"]}
    runs = pd.DataFrame({**columns, "score": [1, 2, 2, 1], "label": [1, 0, 1, None]})
    with pytest.warns(IrframeWarning, match="all judgments come from 'label' of the runs"):
        scores = runs.ireval.evaluate("RR", ["Judged@2"])
    assert scores.to_numpy().tolist() == [[0.5, 1.0], [1.0, 0.5]]
    refused(
        IdError, "1 document judged again: q x", lambda: silent(runs.assign(label=[1, 0, 2, None]))
    )


def silent(runs):
    with pytest.warns(IrframeWarning):
        return runs.ireval.evaluate("RR")
