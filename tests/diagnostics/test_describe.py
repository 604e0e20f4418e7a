"""Tests that compare `describe` with counts from loops."""

import numpy as np
import pandas as pd
import pytest
from incomplete import though_incomplete

import irframe as ir


def counted(runs, qrels, depth, rel):
    """Return the expected values from loops over the frames."""
    judged = {(t, d): g for t, d, g in qrels[["topic", "doc", "grade"]].itertuples(index=False)}
    lists = {
        key: ranking.sort_values("score", ascending=False, kind="stable")["doc"].tolist()
        for key, ranking in runs.groupby(["system", "topic"])
    }
    topics = sorted({topic for topic, _ in judged})
    relevant = [sum(g >= rel for (t, _), g in judged.items() if t == topic) for topic in topics]
    open_ = [
        sum((topic, doc) not in judged for doc in docs[:depth])
        for (_, topic), docs in lists.items()
    ]
    return {
        "systems": runs["system"].nunique(),
        "topics": len(topics),
        "no_relevant": relevant.count(0),
        "lists": len(lists),
        "longest": max(map(len, lists.values())),
        "judged": len(judged) / len(topics),
        "relevant": sum(relevant) / len(topics),
        "relevant_median": float(np.median(relevant)),
        "unjudged": sum(open_) / len(open_),
        "with_unjudged": sum(n > 0 for n in open_) / len(open_),
    }


@pytest.mark.parametrize(("depth", "rel"), [(5, 1), (50, 2), (20, 3)])
def test_descriptions_equal_counts_in_the_frames(depth, rel):
    runs, qrels = ir.example_track()
    runs = runs[(runs["system"] != "ance") | (runs["topic"] < "110")]
    with though_incomplete():
        result = ir.cube(runs, qrels, ties="order").ireval.describe(depth=depth, rel=rel).iloc[0]
    expected = counted(runs, qrels, depth, rel)
    assert {name: result[name] for name in expected} == pytest.approx(expected)
    assert result["grades"] == "0 1 2 3"


def test_descriptions_by_group_equal_counts_in_each_group():
    runs, qrels = ir.example_track()
    track = {topic: "early" if topic < "105" else "late" for topic in qrels["topic"]}
    cube = ir.cube(runs, qrels, ties="order")
    result = cube.ireval.groupby(track).describe(depth=10).set_index("group")
    for name, subset in qrels.groupby(qrels["topic"].map(track)):
        expected = counted(runs[runs["topic"].map(track) == name], subset, 10, 1)
        assert {key: result.loc[name, key] for key in expected} == pytest.approx(expected)


def test_pool_depth_is_missing_if_unknown():
    runs, qrels = ir.example_track()
    assert ir.cube(runs, qrels).ireval.describe()["pool_depth"].item() == 10
    only = runs[runs["system"].isin(["bm25", "ance"])]
    bare = ir.cube(only.drop(columns="contributing", errors="ignore"), qrels)
    assert ir.verbs.describe(bare.ireval.sample(0.5))["judged"].item() < 32
    stated = ir.cube(runs, qrels, pool=ir.Pool(depth=4, contributing=["bm25"])).ireval.describe()
    assert stated[["contributing", "pool_depth"]].iloc[0].tolist() == [1, 4]
    unknown = pd.DataFrame({"topic": ["1"], "doc": ["a"], "score": [1.0], "system": "s"})
    judged = pd.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1, 1]})
    assert ir.cube(unknown, judged).ireval.describe()["pool_depth"].isna().all()
