"""Tests of `search_lengths`, its histograms and `effective_top`."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from incomplete import though_incomplete
from oracles.searching import search_lengths as slow_lengths
from oracles.searching import wins_and_losses
from ranked_topics import RankedTopic, frames_of_topics
from refusals import refused
from strategies import batches, scored

import irframe as ir
from irframe.effort.search_lengths import effective_count
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError


def lengths_frame(by_system):
    """Return a frame of search lengths (None: not retrieved)."""
    rows = [
        (system, "1", f"d{number}", 1, length, 50 if length is None else length, 0.0)
        for system, lengths in by_system.items()
        for number, length in enumerate(lengths)
    ]
    columns = ["system", "topic", "doc", "grade", "rank", "search_length", "precision"]
    return pd.DataFrame(rows, columns=columns).astype({"rank": "Int32"})


RUNS, QRELS = ir.example_track()


def lengths_of(topic, **options):
    runs, qrels = frames_of_topics([topic])
    runs.loc[len(runs)] = ("s", "other", "z", 1)
    qrels.loc[len(qrels)] = ("other", "z", 0)
    with though_incomplete():
        cube = runs.ireval.cube(qrels)
    return cube.ireval.search_lengths(**options)["search_length"].tolist()


def test_search_lengths_equal_the_worked_cases(golden):
    case = golden["000-asl-hand"]
    topic = RankedTopic.read(case["input"])
    assert lengths_of(topic) == case["expected"]["eq3"]
    assert lengths_of(topic, unretrieved="irrel+1") == case["expected"]["irrel+1"]
    for metric, key in {
        ir.metrics.ASL(): "asl",
        ir.metrics.ASL(rel=2): "asl_theta2",
        ir.metrics.ASL(first=1): "asl@g1-1",
        ir.metrics.ASL(first=2): "asl@g1-2",
        ir.metrics.ASL(first=10): "asl@g1-10",
    }.items():
        value = scored(metric, topic.serp, topic.judged)[-1]
        assert value == pytest.approx(case["expected"][key])


def test_edge_cases_equal_the_worked_cases(golden):
    case = golden["000-asl-edges"]
    for name, values in case["input"].items():
        topic, expected = RankedTopic.read(values), case["expected"][name]
        if expected["asl"] is None:
            refused(InputError, "relevant", lengths_of, topic)
            continue
        assert lengths_of(topic) == expected["eq3"]
        assert lengths_of(topic, unretrieved="irrel+1") == expected["irrel+1"]
        value = scored(ir.metrics.ASL(), topic.serp, topic.judged, depth=5)[-1]
        assert value == pytest.approx(expected["asl"])


def test_means_over_topics_equal_the_worked_cases(golden):
    case = golden["000-asl-set"]
    runs, qrels = frames_of_topics([RankedTopic.read(topic) for topic in case["input"]["topics"]])
    metrics = {
        "ASL": ir.metrics.ASL(),
        "ASL_irrel+1": ir.metrics.ASL(unretrieved="irrel+1"),
        "ASL_theta2": ir.metrics.ASL(rel=2),
        "ASL@g1-1": ir.metrics.ASL(first=1),
        "ASL@g1-3": ir.metrics.ASL(first=3),
        "ASL@g1-10": ir.metrics.ASL(first=10),
    }
    result = runs.ireval.evaluate(qrels, list(metrics.values())).ireval.summary()
    for key, metric in metrics.items():
        mean = result.loc[(str(metric), "s"), "mean"]
        assert mean == pytest.approx(case["expected"][key], rel=1e-9)
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    by_topic = lengths.groupby("topic")["search_length"].mean()
    assert by_topic.mean() == pytest.approx(case["expected"]["ASL"])
    first = lengths.groupby("topic").head(3).groupby("topic")["search_length"].mean()
    assert first.mean() == pytest.approx(case["expected"]["ASL@g1-3"])


# the strategy also draws topics without judged documents
@pytest.mark.filterwarnings("ignore:.* no judgments and")
@given(batches(min_len=1))
def test_search_lengths_agree_with_a_reference_implementation(batch):
    topics, depth = batch
    runs, qrels = frames_of_topics(topics, systems=("a", "b"))
    if not any(grade > 0 for topic in topics for grade in topic.judged):
        return
    if not any(grade is not None for topic in topics for grade in topic.serp):
        return
    cube = runs.ireval.cube(qrels)
    depth = min(depth, cube.sizes["depth"])
    for unretrieved in ("irrel", "irrel+1"):
        result = cube.ireval.search_lengths(depth=depth, unretrieved=unretrieved)
        expected = [
            (f"t{number}", length)
            for number, topic in enumerate(topics)
            for length in slow_lengths(topic, depth, unretrieved=unretrieved)
        ]
        order = list(dict.fromkeys(qrels["topic"]))
        expected.sort(key=lambda pair: order.index(pair[0]))
        for system in "ab":
            rows_of_system = result[result["system"] == system]
            rows = zip(rows_of_system["topic"], rows_of_system["search_length"], strict=True)
            assert [(topic, int(length)) for topic, length in rows] == expected


def test_mean_precision_of_a_topic_equals_average_precision(cube):
    lengths = cube.ireval.search_lengths(depth=20)
    scores = cube.ireval.score("AP", at=20).isel(metric=0)
    mean = lengths.groupby(["system", "topic"])["precision"].mean().to_xarray()
    np.testing.assert_allclose(mean, scores.reindex_like(mean))


def test_search_lengths_at_a_depth_equal_search_lengths_of_cut_lists(cube):
    lengths = cube.ireval.search_lengths()
    assert len(lengths) == cube.sizes["system"] * (QRELS["grade"] > 0).sum()
    assert list(lengths.columns) == [
        *("system", "topic", "doc", "grade", "rank", "search_length", "precision")
    ]
    cut = cube.ireval.search_lengths(depth=5)
    assert cut["rank"].max() == 5
    deep = RUNS.ireval.cube(QRELS, depth=5).ireval.search_lengths()
    pd.testing.assert_frame_equal(cut, deep)
    refused(DepthError, "at most 50", lambda: cube.ireval.search_lengths(depth=51))


def test_difference_histogram_counts_wins_and_losses():
    lengths = lengths_frame(
        {"a": [1, 2, 3, 40, None, 9, 1], "b": [1, 5, 1, 20, 21, 1, None], "c": [1] * 7}
    )
    result = lengths.ireval.difference_histogram("a", "b", bins=3, width=4)
    assert result["low"].tolist() == [-np.inf, -8, -4, 0, 1, 5, 9]
    assert result["high"].tolist() == [-9, -5, -1, 0, 4, 8, np.inf]
    assert result["documents"].tolist() == [1, 0, 1, 1, 1, 1, 2]
    assert result["unretrieved"].tolist() == [1, 0, 0, 0, 0, 0, 1]
    mirrored = lengths.ireval.difference_histogram("b", "a", bins=3, width=4)
    assert mirrored["documents"].tolist() == result["documents"].tolist()[::-1]
    reached = lengths.ireval.difference_histogram("a", "b")
    assert reached["low"].tolist()[-1] == 41


def test_difference_histogram_agrees_with_a_reference_implementation():
    lengths = RUNS.ireval.cube(QRELS).ireval.search_lengths()
    table = lengths.pivot_table(index=["topic", "doc"], columns="system", values="search_length")
    for bins, width in ((1, 1), (3, 7), (5, 20)):
        result = lengths.ireval.difference_histogram("duot5", "bm25", bins=bins, width=width)
        expected = wins_and_losses(table["duot5"], table["bm25"], bins, width)
        assert result["documents"].tolist() == expected


def test_invalid_arguments_of_histograms_are_refused():
    lengths = lengths_frame({"a": [1, 2], "b": [2, 1]})
    for bad in ({"bins": 0}, {"width": True}):
        message = f"{next(iter(bad))} to be a whole number"
        refused(ParameterError, message, lengths.ireval.difference_histogram, "a", "b", **bad)
        refused(ParameterError, message, lengths.ireval.length_histogram, **bad)
    for verb in ("length_histogram", "effective_top"):
        refused(InputError, "search lengths", getattr(RUNS.ireval, verb))
        refused(InputError, "a frame without rows", getattr(lengths[:0].ireval, verb))
    for pair in (("a", "z"), ("a", "a"), ("a", ["b"])):
        refused(ParameterError, "systems", lengths.ireval.difference_histogram, *pair)


def test_length_histogram_counts_unretrieved_documents_in_the_last_bin():
    lengths = lengths_frame({"a": [1, 2, 3, 40, None], "b": [None, None, 11, 20, 21]})
    result = lengths.ireval.length_histogram(bins=4)
    assert result["low"].tolist() == [1, 11, 21, 31, pd.NA] * 2
    assert result["high"].tolist() == [10, 20, 30, 40, pd.NA] * 2
    assert result["documents"].tolist() == [3, 0, 0, 1, 1, 0, 2, 1, 0, 2]
    assert result["share"].tolist() == [0.6, 0, 0, 0.2, 0.2, 0, 0.4, 0.2, 0, 0.4]
    wide = lengths.ireval.length_histogram(width=25)
    assert wide["documents"].tolist() == [3, 1, 1, 3, 0, 2]


def uneven():
    """Return the example track, and a shortened copy of bm25."""
    runs, qrels = ir.example_track()
    short = runs[runs["system"] == "bm25"].groupby("topic").head(10).assign(system="short")
    return pd.concat([runs, short]), qrels


def test_a_caution_is_added_to_costs_if_lists_differ_in_length():
    runs, qrels = uneven()
    message = "short has 10 and bm25 has 50 documents. Documents that are not retrieved cost little"
    with pytest.warns(IrframeWarning, match=message):
        scores = runs.ireval.evaluate(qrels, ["AP", "ASL", "ASL@10", "ASL(unretrieved=50)"])
    with pytest.warns(IrframeWarning, match=message):
        by_depth = runs.ireval.cube(qrels).ireval.score("ASL", at=[10, 50])
    with pytest.warns(IrframeWarning, match=message):
        lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    with warnings.catch_warnings(action="ignore", category=IrframeWarning):
        results = [scores.ireval.summary(), scores.ireval.compare(), scores.ireval.leaderboard()]
        results += [by_depth.ireval.discrimination(), by_depth.ireval.volatility()]
    for result in (scores, by_depth, lengths, *results):
        assert message in result.attrs["caution"]
    assert message in results[2].ireval.styled().to_latex()
    assert (
        "of 1,422 relevant documents, counted per system, were not retrieved"
        in lengths.attrs["caution"]
    )
    assert scores["ASL(unretrieved=50)"].groupby("system").mean().idxmax() == "short"


def test_no_caution_is_added_if_all_lists_are_cut_at_the_same_depth():
    runs, qrels = uneven()
    for scores in (
        runs.ireval.evaluate(qrels, ["ASL@10", "AP", "ASL(unretrieved=50)"]),
        runs.ireval.cube(qrels).ireval.score("ASL", at=10),
        runs[runs["system"] == "short"].ireval.evaluate(qrels, "ASL"),
    ):
        assert "caution" not in scores.attrs


def test_best_and_median_select_systems_by_asl():
    lengths = ir.cube(RUNS, QRELS).ireval.search_lengths()
    by_topic = lengths.groupby(["system", "topic"])["search_length"].mean()
    ranked = by_topic.groupby("system").mean().sort_values().index.tolist()
    result = lengths.ireval.difference_histogram("best", "median")
    expected = lengths.ireval.difference_histogram(ranked[0], ranked[3])
    pd.testing.assert_frame_equal(result, expected)
    assert result.loc[0, ["system_a", "system_b"]].tolist() == [ranked[0], ranked[3]]
    named = lengths.assign(system=lengths["system"].replace({"bm25": "median"}))
    assert named.ireval.difference_histogram("ance", "median").loc[0, "system_b"] == "median"
    message = r"two different systems.*'monot5' twice"
    refused(ParameterError, message, lengths.ireval.difference_histogram, "best", "monot5")


def test_mean_precision_and_mean_length_equal_the_worked_case(golden):
    case = golden["000-eq9-eq10"]
    ranks = np.array(case["input"]["ranks"])
    expected = case["expected"]
    serp = [int(rank in ranks) for rank in range(1, ranks.max() + 2)]
    assert (1 / ranks).mean() == pytest.approx(expected["mean_P"])
    spread = [1] + [0] * 999 + [1]
    assert len(serp) == len(spread) == 1001
    result = ir.metrics.ASL().curve(spread)[-1]
    assert result == pytest.approx(expected["mean_SL"])
    result = ir.metrics.AtomizedP().curve(spread)[-1]
    assert result == pytest.approx(expected["mean_P"])


def test_effective_counts_equal_the_worked_case(golden):
    case = golden["000-a1-topn"]
    for lengths, (n, percent) in zip(
        case["input"]["lists"], case["expected"]["lists"], strict=True
    ):
        assert effective_count(lengths) == n
        frame = lengths_frame({"s": lengths})
        result = frame.ireval.effective_top(precision="atomized").loc["s"]
        assert result["effective"] == n
        assert 100 * result["share"] == pytest.approx(percent)


def test_effective_top_equals_the_effective_count_of_each_system():
    lengths = ir.cube(*ir.example_track()).ireval.search_lengths()
    result = lengths.ireval.effective_top()
    rows_of_system = lengths[lengths["system"] == "ance"]
    with np.errstate(divide="ignore"):
        expected = effective_count(1 / rows_of_system["precision"].to_numpy())
    assert result.loc["ance", "effective"] == expected
    assert result.loc["ance", "documents"] == len(rows_of_system)
    for bad in ([], [1, 0], [1, -2], [np.nan]):
        refused(ParameterError, "expected", effective_count, bad)
    assert effective_count([np.inf, np.inf]) == 0
    assert effective_count([1, np.inf]) == 1


@pytest.mark.parametrize("precision", ["map", "atomized"])
def test_effective_top_is_zero_if_no_relevant_document_is_retrieved(precision):
    rows = [
        ("some", "1", "a", 2),
        ("some", "1", "x", 1),
        ("none", "1", "x", 2),
        ("none", "1", "y", 1),
    ]
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    qrels = pd.DataFrame({"topic": "1", "doc": ["a", "b"], "grade": 1})
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    result = lengths.ireval.effective_top(precision=precision)
    assert result.loc["some", "share"] > 0
    assert result.loc["none"].tolist() == [0, 2, 0]
