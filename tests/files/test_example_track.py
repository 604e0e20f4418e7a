"""The small track of the documentation."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.files.simulate_track import TEAMS, example_track


def test_the_example_is_what_it_says():
    runs, qrels = example_track()
    assert len(runs) == 8 * 16 * 50
    assert {"bm25", "ance", "monot5"} <= set(runs["system"])
    assert runs.groupby("team")["system"].nunique().to_list() == [2] * 4
    assert set(qrels["grade"]) == {0, 1, 2, 3}
    relevant = qrels[qrels["grade"] > 0].groupby("topic").size()
    assert relevant.index.equals(pd.Index(runs["topic"].unique(), name="topic"))
    assert relevant.min() == 3
    top = runs[runs["rank"] <= 10]
    assert top.duplicated(["system", "topic", "score"]).any()
    joined = top.merge(qrels, how="left", on=["topic", "doc"])
    unjudged = joined["grade"].isna().groupby(joined["system"]).sum()
    assert sorted(unjudged[unjudged > 0].index) == ["ance", "colbert", "doct5query"]
    found = (joined["grade"] > 0).groupby(joined["system"]).mean().sort_values()
    assert set(found.index[-2:]) == {"monot5", "duot5"}
    assert found["monot5"] > 1.5 * found["bm25"]


def test_the_example_never_changes():
    runs, qrels = example_track()
    assert runs["doc"].iloc[:3].to_list() == ["d158", "d659", "d516"]
    assert runs["doc"].iloc[-3:].to_list() == ["d751", "d466", "d010"]
    assert runs["score"].sum() == pytest.approx(7758.299275, abs=1e-6)
    assert np.bincount(qrels["grade"]).tolist() == [365, 63, 51, 44]


def test_the_example_is_the_callers_own():
    runs, qrels = example_track()
    runs["score"] = 0.0
    qrels["grade"] = 0
    again, judgments = example_track()
    assert again["score"].any()
    assert judgments["grade"].any()


def test_every_team_has_the_systems_it_is_said_to_have():
    runs, _ = example_track()
    members = runs.drop_duplicates("system").groupby("team", sort=False)["system"].agg(tuple)
    assert members.to_dict() == TEAMS


def test_some_systems_are_told_apart_and_some_are_not():
    runs, qrels = example_track()
    frame = runs.ireval.evaluate(qrels, "AP").ireval.compare(baseline="bm25")
    better = frame[frame["significant"] & (frame["difference"] > 0)]["system_a"]
    assert {"monot5", "duot5"} <= set(better)
    assert (~frame["significant"]).any()


def test_the_pool_is_as_deep_as_it_is_said_to_be():
    runs, qrels = example_track()
    pool = runs[runs["contributing"] & (runs["rank"] <= 10)][["topic", "doc"]].drop_duplicates()
    assert runs[runs["contributing"]]["system"].nunique() == 5
    judged = set(zip(qrels["topic"], qrels["doc"], strict=True))
    assert set(zip(pool["topic"], pool["doc"], strict=True)) <= judged
    assert (ir.cube(runs, qrels).experiment.known_pool.depth == 10).all()
