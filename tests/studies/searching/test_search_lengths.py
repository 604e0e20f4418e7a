"""Search lengths against worked cases and slow loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from incomplete import though_incomplete
from oracles.searching import search_lengths as slow_lengths
from strategies import batches
from told import Told, frames

import irframe as ir
from irframe.errors import DepthError, InputError, MetricError
from irframe.metrics.contributions import score_ranking


def lengths_of(told, **options):
    runs, qrels = frames([told])
    runs.loc[len(runs)] = ("s", "other", "z", 1)
    qrels.loc[len(qrels)] = ("other", "z", 0)
    with though_incomplete():
        cube = runs.ireval.cube(qrels)
    return cube.ireval.search_lengths(**options)["search_length"].tolist()


def test_search_lengths_by_hand(golden):
    case = golden["000-asl-hand"]
    told = Told.read(case["input"])
    assert lengths_of(told) == case["expected"]["eq3"]
    assert lengths_of(told, unretrieved="irrel+1") == case["expected"]["irrel+1"]
    for metric, key in {
        ir.metrics.ASL(): "asl",
        ir.metrics.ASL(rel=2): "asl_theta2",
        ir.metrics.ASL(first=1): "asl@g1-1",
        ir.metrics.ASL(first=2): "asl@g1-2",
        ir.metrics.ASL(first=10): "asl@g1-10",
    }.items():
        value = score_ranking(metric, list(told.serp), judged=list(told.judged))[-1]
        assert value == pytest.approx(case["expected"][key])


def test_edge_cases_of_search_length(golden):
    case = golden["000-asl-edges"]
    for name, given_ in case["input"].items():
        told, expected = Told.read(given_), case["expected"][name]
        if expected["asl"] is None:
            with pytest.raises(InputError, match="relevant"):
                lengths_of(told)
            continue
        assert lengths_of(told) == expected["eq3"]
        assert lengths_of(told, unretrieved="irrel+1") == expected["irrel+1"]
        value = score_ranking(ir.metrics.ASL(), list(told.serp), judged=list(told.judged), depth=5)[
            -1
        ]
        assert value == pytest.approx(expected["asl"])


def test_means_over_queries(golden):
    case = golden["000-asl-set"]
    runs, qrels = frames([Told.read(topic) for topic in case["input"]["topics"]])
    metrics = {
        "ASL": ir.metrics.ASL(),
        "ASL_irrel+1": ir.metrics.ASL(unretrieved="irrel+1"),
        "ASL_theta2": ir.metrics.ASL(rel=2),
        "ASL@g1-1": ir.metrics.ASL(first=1),
        "ASL@g1-3": ir.metrics.ASL(first=3),
        "ASL@g1-10": ir.metrics.ASL(first=10),
    }
    found = runs.ireval.evaluate(qrels, list(metrics.values())).ireval.summary()
    for key, metric in metrics.items():
        mean = found.loc[(str(metric), "s"), "mean"]
        assert mean == pytest.approx(case["expected"][key], rel=1e-9)
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    by_topic = lengths.groupby("topic")["search_length"].mean()
    assert by_topic.mean() == pytest.approx(case["expected"]["ASL"])
    first = lengths.groupby("topic").head(3).groupby("topic")["search_length"].mean()
    assert first.mean() == pytest.approx(case["expected"]["ASL@g1-3"])


@given(batches(min_len=1))
def test_lengths_equal_a_loop(batch):
    topics, depth = batch
    runs, qrels = frames(topics, systems=("a", "b"))
    if not any(grade > 0 for topic in topics for grade in topic.judged):
        return
    if not any(grade is not None for topic in topics for grade in topic.serp):
        return
    cube = runs.ireval.cube(qrels)
    depth = min(depth, cube.sizes["depth"])
    for unretrieved in ("irrel", "irrel+1"):
        found = cube.ireval.search_lengths(depth=depth, unretrieved=unretrieved)
        expected = [
            (f"t{number}", length)
            for number, topic in enumerate(topics)
            for length in slow_lengths(topic, depth, unretrieved=unretrieved)
        ]
        order = list(dict.fromkeys(qrels["topic"]))
        expected.sort(key=lambda pair: order.index(pair[0]))
        for system in "ab":
            part = found[found["system"] == system]
            rows = zip(part["topic"], part["search_length"], strict=True)
            assert [(topic, int(length)) for topic, length in rows] == expected


def test_precision_is_that_of_average_precision():
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    lengths = cube.ireval.search_lengths(depth=20)
    scores = cube.ireval.score("AP", at=20).isel(metric=0, depth=0)
    mean = lengths.groupby(["system", "topic"])["precision"].mean().to_xarray()
    np.testing.assert_allclose(mean, scores.reindex_like(mean))


def test_depth_and_marks_of_search_lengths():
    runs, qrels = ir.example_track()
    cube = runs.ireval.cube(qrels)
    lengths = cube.ireval.search_lengths()
    assert len(lengths) == cube.sizes["system"] * (qrels["grade"] > 0).sum()
    assert list(lengths.columns) == [
        *("system", "topic", "doc", "grade", "rank", "search_length", "precision")
    ]
    cut = cube.ireval.search_lengths(depth=5)
    assert cut["rank"].max() == 5
    deep = runs.ireval.cube(qrels, depth=5).ireval.search_lengths()
    pd.testing.assert_frame_equal(cut, deep)
    with pytest.raises(DepthError, match="at most 50"):
        cube.ireval.search_lengths(depth=51)
    with pytest.raises(DepthError):
        cube.ireval.search_lengths(depth=0)
    with pytest.raises(MetricError):
        cube.ireval.search_lengths(unretrieved="far")
    with pytest.raises(InputError):
        ir.verbs.search_lengths(runs)
    with pytest.raises(MetricError):
        runs.ireval.cube(qrels, ties="mean").ireval.search_lengths()


def test_first_must_be_a_whole_number():
    for first in (0, -1, 1.5, True, "10"):
        with pytest.raises(MetricError, match="first"):
            ir.metrics.ASL(first=first)
    assert str(ir.metrics.ASL(first=10)) == "ASL(first=10)"
    assert ir.parse_metric("ASL(first=10, unretrieved='irrel+1')@100").depth == 100


def test_search_length_rises_towards_that_of_the_whole_list():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("ASL").to_numpy()
    assert (np.diff(scores, axis=-1) >= -1e-12).all()
