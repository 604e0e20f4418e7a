"""Tests of `simulate_track` and `example_track`."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.planning.simulate_track import example_track, simulate_track

SIZE = {"systems": 10, "topics": 30, "docs": 2000, "depth": 60, "pool_depth": 12}


@pytest.fixture(scope="module")
def track():
    return simulate_track(**SIZE, teams=4, seed=3)


@pytest.fixture(scope="module")
def judged(track):
    runs, qrels = track
    joined = runs.merge(qrels, how="left", on=["topic", "doc"], validate="many_to_one")
    return joined.assign(relevant=joined["grade"] > 0, unjudged=joined["grade"].isna())


def test_runs_and_qrels_have_the_documented_shape(track):
    runs, qrels = track
    text = pd.Series(["text"]).dtype
    assert runs.dtypes.to_dict() == {
        **dict.fromkeys(["system", "team", "topic", "doc"], text),
        "rank": np.int64,
        "score": np.float64,
        "contributing": bool,
    }
    assert qrels.dtypes.to_dict() == {"topic": text, "doc": text, "grade": np.int64}
    assert len(runs) == 10 * 30 * 60
    assert runs.groupby(["system", "topic"]).size().eq(60).all()
    assert runs["system"].nunique() == 10
    assert runs["team"].nunique() == 4
    assert list(runs["topic"].unique()) == [str(topic) for topic in range(101, 131)]
    assert not runs.duplicated(["system", "topic", "doc"]).any()
    assert not qrels.duplicated(["topic", "doc"]).any()
    assert isinstance(runs.index, pd.RangeIndex)


def test_team_and_contributing_are_constant_per_system(track):
    runs, _ = track
    assert runs.groupby("system")[["team", "contributing"]].nunique().eq(1).all(axis=None)
    assert runs.drop_duplicates("system")["contributing"].sum() == 6


def test_rows_are_sorted_by_rank_and_scores_never_increase(track):
    runs, _ = track
    assert runs["rank"].to_list() == list(range(1, 61)) * 300
    scores = runs["score"].to_numpy().reshape(300, 60)
    assert (np.diff(scores, axis=1) <= 0).all()
    assert not np.signbit(scores[scores == 0]).any()


def test_judged_documents_are_the_pool_of_contributing_runs(track):
    runs, qrels = track
    pool = runs[runs["contributing"] & (runs["rank"] <= 12)][["topic", "doc"]]
    assert {*qrels[["topic", "doc"]].itertuples(index=False)} == {*pool.itertuples(index=False)}


def test_only_contributing_runs_have_no_unjudged_top_documents(judged):
    pooled = judged["rank"] <= 12
    contributing = judged["contributing"]
    assert not judged.loc[pooled & contributing, "unjudged"].any()
    assert judged[pooled & ~contributing].groupby("system")["unjudged"].any().all()
    assert judged[~pooled].groupby("system")["unjudged"].mean().between(0.2, 0.95).all()


def test_systems_differ_in_quality_and_topics_in_difficulty(judged):
    top = judged[judged["rank"] <= 10]
    systems = top.groupby("system")["relevant"].mean()
    topics = top.groupby("topic")["relevant"].mean()
    assert systems.max() > 1.5 * systems.min()
    assert topics.max() > 5 * topics.min()


def test_relevant_documents_are_rarer_at_greater_ranks(judged):
    bands = judged.groupby((judged["rank"] - 1) // 15)["relevant"].mean()
    assert bands.is_monotonic_decreasing
    assert bands.iloc[0] > 3 * bands.iloc[-1]


def test_systems_of_a_team_are_similar(track):
    runs, _ = track
    top = runs[runs["rank"] <= 12]
    result = {
        system: set(zip(rows["topic"], rows["doc"], strict=True))
        for system, rows in top.groupby("system")
    }
    overlaps = {True: [], False: []}
    for (a, in_a), (b, in_b) in combinations(result.items(), 2):
        overlaps[a.partition("-")[0] == b.partition("-")[0]].append(len(in_a & in_b))
    assert np.mean(overlaps[True]) > 1.3 * np.mean(overlaps[False])


def test_some_scores_tie_and_most_do_not():
    runs, _ = simulate_track(systems=40, topics=4)
    tied = runs.duplicated(["system", "topic", "score"], keep=False).groupby(runs["system"]).mean()
    assert 0.02 < tied.mean() < 0.3
    assert (tied == 0).any()
    assert (tied > 0.2).any()


def test_simulated_tracks_have_not_changed():
    runs, qrels = simulate_track(
        systems=3, topics=2, docs=100, depth=4, pool_depth=2, grades=[0.5, 0.3, 0.2]
    )
    assert runs[["system", "topic", "doc", "score"]].iloc[::5].to_numpy().tolist() == [
        ["team1-a", "101", "d90", 1.587],
        ["team1-a", "102", "d05", 1.285],
        ["team1-b", "101", "d85", 0.4703],
        ["team1-b", "102", "d07", 0.8087],
        ["team1-c", "102", "d07", 1.92961],
    ]
    assert qrels.to_numpy().tolist() == [
        ["101", "d75", 0],
        ["101", "d90", 0],
        ["102", "d05", 0],
        ["102", "d07", 0],
        ["102", "d24", 2],
        ["102", "d73", 1],
    ]


@pytest.mark.parametrize(
    ("grades", "shares"),
    [
        (2, [0.9, 0.1]),
        (4, [0.9, 0.4 / 7, 0.2 / 7, 0.1 / 7]),
        ([0.5, 0.3, 0.2], [0.5, 0.3, 0.2]),
        ((0.2, 0.0, 0.8), [0.2, 0.0, 0.8]),
        (np.array([0.0, 1.0]), [0.0, 1.0]),
        ([1, 0], [1.0, 0.0]),
    ],
)
def test_grades_have_the_requested_shares(grades, shares):
    size = {"systems": 5, "topics": 150, "docs": 60, "depth": 60, "pool_depth": 60}
    _, qrels = simulate_track(**size, grades=grades)
    assert len(qrels) == 150 * 60
    result = np.bincount(qrels["grade"], minlength=len(shares)) / len(qrels)
    np.testing.assert_allclose(result, shares, atol=0.03)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"docs": 99}, "docs to be a whole number of at least 100, but found 99"),
        ({"pool_depth": 101}, "pool_depth to be a whole number of at least 1 and at most 100"),
        ({"teams": 13}, "teams to be a whole number of at least 1 and at most 12, but found 13"),
        *(
            (
                {"grades": odd},
                "grades as shares that sum to 1, or how many to be a whole number of at least 2",
            )
            for odd in (129, [1.0], [0.5, 0.6], [1.5, -0.5], [0.5, float("nan")], "ab")
        ),
    ],
)
def test_simulate_track_refuses_arguments_out_of_range(arguments, message):
    refused(ParameterError, message, simulate_track, **arguments)


def test_example_track_is_as_documented():
    runs, qrels = example_track()
    assert len(runs) == 8 * 16 * 50
    assert {"bm25", "ance", "monot5"} <= set(runs["system"])
    assert runs.loc[runs["contributing"], "system"].nunique() == 5
    assert set(qrels["grade"]) == {0, 1, 2, 3}
    assert (ir.cube(runs, qrels).experiment.known_pool.depth == 10).all()
    relevant = qrels[qrels["grade"] > 0].groupby("topic").size()
    assert relevant.index.equals(pd.Index(runs["topic"].unique(), name="topic"))
    assert relevant.min() == 3
    top = runs[runs["rank"] <= 10]
    assert top.duplicated(["system", "topic", "score"]).any()
    joined = top.merge(qrels, how="left", on=["topic", "doc"])
    unjudged = joined["grade"].isna().groupby(joined["system"]).sum()
    assert sorted(unjudged[unjudged > 0].index) == ["ance", "colbert", "doct5query"]
    result = (joined["grade"] > 0).groupby(joined["system"]).mean().sort_values()
    assert set(result.index[-2:]) == {"monot5", "duot5"}
    assert result["monot5"] > 1.5 * result["bm25"]


def test_example_track_has_not_changed():
    runs, qrels = example_track()
    assert runs["doc"].iloc[:3].to_list() == ["d158", "d659", "d516"]
    assert runs["doc"].iloc[-3:].to_list() == ["d751", "d466", "d010"]
    assert runs["score"].sum() == pytest.approx(7758.299275, abs=1e-6)
    assert np.bincount(qrels["grade"]).tolist() == [365, 63, 51, 44]


def test_changes_of_an_example_track_do_not_reach_the_next_one():
    runs, qrels = example_track()
    expected = runs.copy(), qrels.copy()
    runs.loc[:, "score"] = 0.0
    qrels.loc[:, "grade"] = 0
    for frame, same in zip(example_track(), expected, strict=True):
        pd.testing.assert_frame_equal(frame, same)


def test_example_track_has_significant_and_non_significant_pairs():
    runs, qrels = example_track()
    frame = runs.ireval.evaluate(qrels, "AP").ireval.compare(baseline="bm25")
    better = frame[frame["significant"] & (frame["difference"] > 0)]["system_a"]
    assert {"monot5", "duot5"} <= set(better)
    assert (~frame["significant"]).any()
