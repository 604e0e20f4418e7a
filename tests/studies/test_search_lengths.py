"""Search lengths, their distributions and weights, against worked cases and slow loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from oracles.searching import search_lengths as slow_lengths
from oracles.searching import wins_and_losses
from strategies import batches
from told import Told, frames

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeError, MetricError, ParameterError
from irframe.metrics import score_ranking


def lengths_of(told, **options):
    runs, qrels = frames([told])
    runs.loc[len(runs)] = ("s", "other", "z", 1)
    qrels.loc[len(qrels)] = ("other", "z", 0)
    return runs.ireval.cube(qrels).ireval.search_lengths(**options)["search_length"].tolist()


def test_search_lengths_by_hand(golden):
    case = golden["000-asl-hand"]
    told = Told.read(case["input"])
    assert lengths_of(told) == case["expected"]["eq3"]
    assert lengths_of(told, unretrieved="irrel+1") == case["expected"]["irrel+1"]
    for metric, key in {
        ir.ASL(): "asl",
        ir.ASL(rel=2): "asl_theta2",
        ir.ASL(first=1): "asl@g1-1",
        ir.ASL(first=2): "asl@g1-2",
        ir.ASL(first=10): "asl@g1-10",
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
        value = score_ranking(ir.ASL(), list(told.serp), judged=list(told.judged), depth=5)[-1]
        assert value == pytest.approx(expected["asl"])


def test_means_over_queries(golden):
    case = golden["000-asl-set"]
    runs, qrels = frames([Told.read(topic) for topic in case["input"]["topics"]])
    metrics = {
        "ASL": ir.ASL(),
        "ASL_irrel+1": ir.ASL(unretrieved="irrel+1"),
        "ASL_theta2": ir.ASL(rel=2),
        "ASL@g1-1": ir.ASL(first=1),
        "ASL@g1-3": ir.ASL(first=3),
        "ASL@g1-10": ir.ASL(first=10),
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


@settings(max_examples=60)
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
        ir.search_lengths(runs)
    with pytest.raises(MetricError):
        runs.ireval.cube(qrels, ties="mean").ireval.search_lengths()


def test_first_must_be_a_whole_number():
    for first in (0, -1, 1.5, True, "10"):
        with pytest.raises(MetricError, match="first"):
            ir.ASL(first=first)
    assert str(ir.ASL(first=10)) == "ASL(first=10)"
    assert ir.parse_metric("ASL(first=10, unretrieved='irrel+1')@100").depth == 100


def test_search_length_rises_towards_that_of_the_whole_list():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("ASL").to_numpy()
    assert (np.diff(scores, axis=-1) >= -1e-12).all()


def lengths_frame(by_system):
    """Build a frame of search lengths; None is not retrieved, at search length 50."""
    rows = [
        (system, "1", f"d{place}", 1, length, 50 if length is None else length, 0.0)
        for system, lengths in by_system.items()
        for place, length in enumerate(lengths)
    ]
    columns = ["system", "topic", "doc", "grade", "rank", "search_length", "precision"]
    return pd.DataFrame(rows, columns=columns).astype({"rank": "Int32"})


def test_histogram_sets_unretrieved_documents_apart():
    lengths = lengths_frame({"a": [1, 2, 3, 40, None], "b": [None, None, 11, 20, 21]})
    found = lengths.ireval.length_histogram(bins=4)
    assert found["low"].tolist() == [1, 11, 21, 31, pd.NA] * 2
    assert found["high"].tolist() == [10, 20, 30, 40, pd.NA] * 2
    assert found["documents"].tolist() == [3, 0, 0, 1, 1, 0, 2, 1, 0, 2]
    assert found["share"].tolist() == [0.6, 0, 0, 0.2, 0.2, 0, 0.4, 0.2, 0, 0.4]
    wide = lengths.ireval.length_histogram(width=25)
    assert wide["documents"].tolist() == [3, 1, 1, 3, 0, 2]


def test_differences_between_two_systems():
    lengths = lengths_frame(
        {"a": [1, 2, 3, 40, None, 9, 1], "b": [1, 5, 1, 20, 21, 1, None], "c": [1] * 7}
    )
    found = lengths.ireval.difference_histogram("a", "b", bins=3, width=4)
    assert found["low"].tolist() == [-np.inf, -8, -4, 0, 1, 5, 9]
    assert found["high"].tolist() == [-9, -5, -1, 0, 4, 8, np.inf]
    assert found["documents"].tolist() == [1, 0, 1, 1, 1, 1, 2]
    assert found["unretrieved"].tolist() == [1, 0, 0, 0, 0, 0, 1]
    mirrored = lengths.ireval.difference_histogram("b", "a", bins=3, width=4)
    assert mirrored["documents"].tolist() == found["documents"].tolist()[::-1]
    reached = lengths.ireval.difference_histogram("a", "b")
    assert reached["low"].tolist()[-1] == 41


def test_differences_equal_a_loop():
    runs, qrels = ir.example_track()
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    table = lengths.pivot_table(index=["topic", "doc"], columns="system", values="search_length")
    for bins, width in ((1, 1), (3, 7), (5, 20)):
        found = lengths.ireval.difference_histogram("duot5", "bm25", bins=bins, width=width)
        expected = wins_and_losses(table["duot5"], table["bm25"], bins, width)
        assert found["documents"].tolist() == expected


def test_histograms_of_something_else():
    lengths = lengths_frame({"a": [1, 2], "b": [2, 1]})
    for bad in ({"bins": 0}, {"width": 0}, {"bins": 1.5}, {"width": True}):
        with pytest.raises(ParameterError):
            lengths.ireval.length_histogram(**bad)
        with pytest.raises(ParameterError):
            lengths.ireval.difference_histogram("a", "b", **bad)
    for pair in (("a", "z"), ("a", "a")):
        with pytest.raises(ParameterError, match="systems"):
            lengths.ireval.difference_histogram(*pair)
    runs, _ = ir.example_track()
    for verb in ("length_histogram", "effective_top"):
        with pytest.raises(InputError, match="search lengths"):
            getattr(runs.ireval, verb)()
        with pytest.raises(InputError, match="no rows"):
            getattr(lengths[:0].ireval, verb)()


def test_means_in_both_spaces(golden):
    case = golden["000-eq9-eq10"]
    ranks = np.array(case["input"]["ranks"])
    expected = case["expected"]
    serp = [int(rank in ranks) for rank in range(1, ranks.max() + 2)]
    assert (1 / ranks).mean() == pytest.approx(expected["mean_P"])
    assert np.mean(ir.reweight(ranks)) == pytest.approx(expected["as_search_length"])
    apart = [1] + [0] * 999 + [1]
    assert len(serp) == len(apart) == 1001
    found = score_ranking(ir.ASL(), apart, judged=[1, 1])[-1]
    assert found == pytest.approx(expected["mean_SL"])
    found = score_ranking(ir.AtomizedP(), apart, judged=[1, 1])[-1]
    assert found == pytest.approx(expected["mean_P"])


def test_reweighted_lengths(golden):
    case = golden["000-a1-reweighted"]
    found = ir.reweight(case["input"]["search_lengths"])
    assert found == pytest.approx(case["expected"]["values"])
    assert found.mean() == pytest.approx(case["expected"]["weighted_average"])
    assert np.isinf(ir.reweight([np.inf, np.inf])).all()


def test_effective_top(golden):
    case = golden["000-a1-topn"]
    for lengths, (n, percent) in zip(
        case["input"]["lists"], case["expected"]["lists"], strict=True
    ):
        assert ir.effective_count(lengths) == n
        frame = lengths_frame({"s": lengths})
        found = frame.ireval.effective_top(precision="atomized").loc["s"]
        assert found["effective"] == n
        assert 100 * found["share"] == pytest.approx(percent)


def test_effective_top_of_runs():
    runs, qrels = ir.example_track()
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    found = lengths.ireval.effective_top()
    part = lengths[lengths["system"] == "ance"]
    with np.errstate(divide="ignore"):
        expected = ir.effective_count(1 / part["precision"].to_numpy())
    assert found.loc["ance", "effective"] == expected
    assert found.loc["ance", "documents"] == len(part)
    for bad in ([], [1, 0], [1, -2], [np.nan]):
        with pytest.raises(ParameterError):
            ir.effective_count(bad)
        with pytest.raises(ParameterError):
            ir.reweight(bad)
    with pytest.raises(IrframeError, match="atomized"):
        lengths.ireval.effective_top(precision="P")
    assert ir.effective_count([np.inf, np.inf]) == 1
    assert ir.effective_count([1, np.inf]) == 1
