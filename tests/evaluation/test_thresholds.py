"""Scores at a threshold equal scores at the depth reached."""

import numpy as np
import pandas as pd
import pytest
from flat import arguments
from refusals import refused

import irframe as ir
from irframe.errors import InputError, IrframeWarning, ParameterError

METRICS = ["P", "R", "AP", "RBP(p=0.8)", "DCG", "RR", "NumRet", "ERR", "Success", "F"]
"""Metrics whose ideal ranking has no cutoff."""


def lists(seed=0, systems=2, topics=6, docs=12, levels=7):
    """Return runs with ties, and judgments.

    At least a third of the topics have no relevant document.
    """
    rng = np.random.default_rng(seed)
    columns = ["system", "topic", "doc"]
    names = [f"s{n}" for n in range(systems)], [f"t{n}" for n in range(topics)], range(docs)
    index = pd.MultiIndex.from_product(names, names=columns)
    runs = pd.DataFrame({"score": rng.integers(0, levels, len(index)) / 8}, index).reset_index()
    runs["doc"] = "d" + runs["doc"].astype(str)
    runs = runs[rng.random(len(runs)) < 0.8].reset_index(drop=True)
    qrels = runs[["topic", "doc"]].drop_duplicates()
    grades = rng.integers(0, 3, len(qrels)) * (rng.random(len(qrels)) < 0.4)
    return runs, qrels.assign(grade=np.where(qrels["topic"] < f"t{topics // 3}", 0, grades))


@pytest.mark.parametrize("ties", ["trec", "order", "mean"])
def test_scores_at_a_threshold_equal_scores_at_the_depth_reached(ties):
    runs, qrels = lists()
    metrics = [name for name in METRICS if ties != "mean" or name not in {"RR", "ERR", "Success"}]
    cube = runs.ireval.cube(qrels, scores=True, ties=ties)
    by_depth = cube.ireval.score(*metrics).to_numpy()
    scores = cube.ireval.score(*metrics, stop=ir.Threshold("all"))
    score = runs.set_index(["system", "topic"])["score"]
    steps = np.unique(runs["score"])
    np.testing.assert_array_equal(scores["threshold"], steps)
    for s, t in np.ndindex(2, 6):
        pos = scores["system"].to_numpy()[s], scores["topic"].to_numpy()[t]
        depths = (score.loc[[pos]].to_numpy() >= steps[:, np.newaxis]).sum(axis=1)
        expected = by_depth[:, s, t, np.maximum(depths, 1) - 1]
        is_read = depths > 0
        np.testing.assert_array_equal(scores.to_numpy()[:, s, t, is_read], expected[:, is_read])
        assert not scores.sel(metric="P")[s, t, ~is_read].any()


def test_a_threshold_below_all_scores_cuts_nothing():
    runs, qrels = lists(1)
    uncut = runs.ireval.evaluate(qrels, [*METRICS[1:4], "nDCG"])
    scores = runs.ireval.evaluate(qrels, [*METRICS[1:4], "nDCG"], stop=ir.Threshold(-1))
    np.testing.assert_array_equal(scores, uncut)
    by_system = runs.ireval.evaluate(
        qrels, [*METRICS[1:4], "nDCG"], stop=ir.Threshold({"s0": -1, "s1": 0})
    )
    np.testing.assert_array_equal(by_system, uncut)
    metrics = [*METRICS[1:4], "nDCG"]
    beyond = {"stop": ir.Threshold(-1e300), "ties": ir.Ties(dtype="float32")}
    np.testing.assert_array_equal(runs.ireval.evaluate(qrels, metrics, **beyond), uncut)


def test_all_inputs_have_the_same_scores(tmp_path):
    runs, qrels = lists(2, systems=1)
    steps = [0.25, 0.5]
    frame = runs.ireval.evaluate(qrels, ["P", "AP"], stop=ir.Threshold(steps))
    assert [*frame] == ["P >= 0.25", "P >= 0.5", "AP >= 0.25", "AP >= 0.5"]
    cube = runs.ireval.cube(qrels, scores=True)
    array = cube.ireval.score("P", "AP", stop=ir.Threshold(steps)).transpose(
        "metric", "threshold", ...
    )
    np.testing.assert_array_equal(array.to_numpy().reshape(4, -1).T, frame)
    score = ir.scorer(qrels, ["P", "AP"], stop=ir.Threshold(steps))
    np.testing.assert_array_equal(score(runs), frame)
    cube.ireval.save(tmp_path / "cube")
    reopened = ir.open_cube(tmp_path / "cube").ireval.score("P", "AP", stop=ir.Threshold(steps))
    np.testing.assert_array_equal(reopened.transpose("metric", "threshold", ...), array)
    subset = cube.isel(topic=[4, 1]).ireval.score("P", "AP", stop=ir.Threshold("all"))
    uncut = cube.ireval.score("P", "AP", stop=ir.Threshold("all"))
    np.testing.assert_array_equal(subset, uncut.isel(topic=[4, 1]))


def test_thresholds_may_differ_between_systems():
    runs, qrels = lists(3)
    by_system = {"s1": 0.5, "s0": 0.25}
    scores = runs.ireval.evaluate(qrels, "P", stop=ir.Threshold(by_system))["P >= own threshold"]
    for system, step in by_system.items():
        alone = runs[runs["system"] == system].ireval.evaluate(qrels, "P", stop=ir.Threshold(step))
        np.testing.assert_array_equal(scores.loc[[system]], alone[f"P >= {step}"])
    array = runs.ireval.cube(qrels, scores=True).ireval.score("P", stop=ir.Threshold(by_system))
    assert array["threshold"].to_series().to_dict() == by_system
    assert array.ireval.compare()["metric"].tolist() == ["P"]


def test_silence_scores_one_on_topics_without_relevant_documents():
    runs, qrels = lists(4)
    metrics = ["P", "R", "NumRet", "DCG", "ESL"]
    topics = [*sorted(qrels["topic"].unique()), "new"]
    with pytest.warns(IrframeWarning, match="without judgments have no relevant documents: new"):
        scores = runs.ireval.evaluate(
            qrels, metrics, stop=ir.Threshold([0.0, 9.0]), no_rel="silence", topics=topics
        )
    best = qrels.groupby("topic")["grade"].max()
    none = best.index[best == 0].tolist()
    hopeless = scores.loc[(slice(None), [*none, "new"]), :]
    is_read = scores["NumRet >= 0"].loc[hopeless.index] > 0
    assert is_read.any()
    for name in ("P", "R"):
        np.testing.assert_array_equal(hopeless[f"{name} >= 0"], 1.0 - is_read)
        assert hopeless[f"{name} >= 9"].eq(1).all()
    assert hopeless[["DCG >= 0", "ESL >= 0"]].isna().all(axis=None)
    zeros = runs.ireval.evaluate(qrels, metrics, stop=ir.Threshold([0.0, 9.0]))
    unchanged = zeros.drop(index=none, level="topic")
    pd.testing.assert_frame_equal(scores.loc[unchanged.index], unchanged, check_like=True)
    cube = runs.ireval.cube(qrels, scores=True)
    array = cube.ireval.score("P", stop=ir.Threshold([0.0, 9.0]), no_rel="silence")
    np.testing.assert_array_equal(
        array[0].to_numpy().reshape(-1, 2),
        scores[["P >= 0", "P >= 9"]].drop(index="new", level="topic"),
    )
    some = runs[(runs["topic"] != "t5") & ((runs["topic"] != "t4") | (runs["system"] == "s0"))]
    few = some.ireval.evaluate(
        qrels, "R", no_rel="silence", stop=ir.Threshold(0)
    )  # warns of nothing
    right = best[["t4", "t5"]].eq(0).astype(float)  # a missing list counts as an empty list
    np.testing.assert_array_equal(few.loc[("s1", ["t4", "t5"]), "R >= 0"], right)
    depths = cube.ireval.score("P", no_rel="silence", at=[1])
    assert depths.sel(topic="t0").to_numpy().max() == 0


REFUSED = {
    "twice": (ParameterError, "repeated values", {"threshold": [1, 1.0]}),
    "none": (
        ParameterError,
        "at least one value and no duplicates, but found none",
        {"threshold": []},
    ),
    "a Series": (ParameterError, "to_dict", {"threshold": pd.Series({"a": 1.0, "b": 2.0})}),
    "a system without": (
        ParameterError,
        "for every system, but found none for 1 system",
        {"threshold": {"s0": 1}},
    ),
    "two ways": (
        ParameterError,
        r"stop to be ir.Budget.* or ir.Threshold.*, but found \[Budget\(5\), Threshold\(1\)\]",
        {"threshold": 1, "budget": 5},
    ),
    "depths too": (ParameterError, "at= or stop=", {"threshold": 1, "at": 5}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_invalid_thresholds_are_refused(name):
    error, message, options = REFUSED[name]
    runs, qrels = lists()
    score = runs.ireval.cube(qrels, scores=True).ireval.score
    refused(error, message, lambda: score("P", **arguments(ir.verbs.score, options)))


def test_thresholds_need_scores_in_descending_order():
    runs, qrels = lists()
    refused(
        ParameterError,
        "scores=True",
        runs.ireval.cube(qrels).ireval.score,
        "P",
        stop=ir.Threshold(1),
    )
    rank = runs.groupby(["system", "topic"]).cumcount() + 1
    rising = runs.assign(rank=rank).ireval.cube(qrels, ties="rank", scores=True)
    refused(InputError, "do not rise", rising.ireval.score, "P", stop=ir.Threshold(1))
    every = ir.Threshold("all")
    refused(ParameterError, "thresholds that are numbers", ir.scorer, qrels, "P", stop=every)
    ranks = runs.assign(rank=rank).drop(columns="score")
    refused(
        InputError,
        "found ranks without scores",
        ranks.ireval.evaluate,
        qrels,
        "P",
        stop=ir.Threshold(1),
    )
    scales = runs.assign(score=runs["score"] + 9 * (runs["system"] == "s1"))
    with pytest.warns(IrframeWarning, match="disjoint ranges, s0 from 0 to 0.75 and s1 from 9"):
        scores = scales.ireval.evaluate(qrels, "P", stop=ir.Threshold(1))
    assert "does not treat all systems alike" in scores.attrs["caution"]
