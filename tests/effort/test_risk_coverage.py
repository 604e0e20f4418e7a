"""Tests of `risk_coverage` against a loop over thresholds."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError, IrframeWarning, ParameterError


def track(seed=0):
    """Return judgments and runs, with one missing list."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"s{s}", f"t{t}", f"d{d}", float(rng.integers(0, 6)))
        for s in range(3)
        for t in range(8)
        for d in range(4)
        if (s, t) != (1, 3)
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = runs[["topic", "doc"]].drop_duplicates()
    grades = rng.integers(0, 3, len(qrels))
    return runs, qrels.assign(grade=np.where(qrels["topic"] < "t3", 0, grades))


def slowly(runs, qrels, rel):
    """Yield the expected rows of `risk_coverage`, one per threshold."""
    grades = qrels.set_index(["topic", "doc"])["grade"]
    topics = sorted(qrels["topic"].unique())
    unanswerable = [topic for topic in topics if (grades[topic] < rel).all()]
    for system, rows_of_system in runs.groupby("system"):
        first = {
            topic: of_topic.sort_values(["score", "doc"], ascending=False).iloc[0]
            for topic, of_topic in rows_of_system.groupby("topic")
        }
        for step in sorted({row["score"] for row in first.values()}, reverse=True):
            answered = [topic for topic, row in first.items() if row["score"] >= step]
            wrong = [t for t in answered if grades[t, first[t]["doc"]] < rel]
            alone = [topic for topic in unanswerable if topic not in answered]
            n = len(answered)
            shares = n / len(topics), len(wrong) / n, len(alone) / len(unanswerable)
            yield system, step, n, *shares, len(topics)


def test_risk_and_coverage_agree_with_a_loop_over_thresholds():
    for seed in range(5):
        runs, qrels = track(seed)
        for rel in (1, 2):
            result = runs.ireval.risk_coverage(qrels, rel=rel)
            expected = pd.DataFrame(slowly(runs, qrels, rel), columns=result.columns)
            result = result.sort_values(["system", "answered"], ignore_index=True)
            pd.testing.assert_frame_equal(result, expected, check_dtype=False)


def test_topics_with_infinite_scores_are_answered():
    runs, qrels = track()
    runs["score"] = runs["score"].replace({5.0: np.inf, 0.0: -np.inf})
    result = runs.ireval.risk_coverage(qrels).sort_values(["system", "answered"], ignore_index=True)
    expected = pd.DataFrame(slowly(runs, qrels, 1), columns=result.columns)
    assert np.isinf(expected["threshold"]).any()
    pd.testing.assert_frame_equal(result, expected, check_dtype=False)
    low = runs.assign(score=-np.inf).ireval.risk_coverage(qrels)
    assert low["answered"].tolist() == [8, 7, 8]


@pytest.mark.filterwarnings("ignore:lists that systems lack:irframe.errors.IrframeWarning")
def test_scores_beyond_the_range_of_float32_are_infinite_thresholds():
    runs, qrels = track()
    huge = runs.assign(score=1e300 * (1 + runs["score"]))
    cube = huge.ireval.cube(qrels, ties=ir.Ties(dtype="float32"), scores=True)
    result = cube.ireval.risk_coverage()
    assert result["threshold"].tolist() == [np.inf] * 3
    shorter = huge[huge["system"] != "s1"]
    scores = shorter.ireval.evaluate(
        qrels, "AP", stop=ir.Threshold("all"), ties=ir.Ties(dtype="float32")
    )
    assert scores.columns.tolist() == ["AP >= inf"]


@pytest.mark.filterwarnings("ignore:lists that systems lack:irframe.errors.IrframeWarning")
def test_runs_that_are_not_ranked_by_score_are_refused():
    runs, qrels = track()
    ranks = runs.assign(rank=runs.groupby(["system", "topic"]).cumcount() + 1)
    ranked = ranks.ireval.cube(qrels, ties="rank", scores=True)
    refused(ParameterError, "a cube that is ranked by scores", ranked.ireval.risk_coverage)
    with pytest.warns(IrframeWarning, match="scores rise with the ranks"):
        plain = ranks.ireval.cube(qrels)
    refused(ParameterError, "scores=True", plain.ireval.risk_coverage)
    refused(
        InputError,
        "found ranks without scores",
        ranks.drop(columns="score").ireval.risk_coverage,
        qrels,
    )
    refused(ParameterError, "rel", runs.ireval.risk_coverage, qrels, rel=0)


def test_lowest_threshold_answers_every_topic_with_documents():
    runs, qrels = track()
    last = runs.ireval.risk_coverage(qrels).groupby("system").last()
    assert last["answered"].tolist() == [8, 7, 8]
    assert last.loc["s0", "left_alone"] == 0
    runs, some = runs[runs["topic"] >= "t3"], qrels[qrels["topic"] >= "t3"]
    assert runs.ireval.risk_coverage(some.assign(grade=1))["left_alone"].isna().all()
