"""Tests of irframe.plots.score_boxes."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from drawn import legend, names, texts
from overlaps import faults
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["AP", "ASL"])


def test_boxes_show_quartiles_and_diamonds_show_means(scores):
    ax = scores.ireval.plot.score_boxes(metric="AP")
    means = scores["AP"].groupby("system").mean().sort_values(ascending=False)
    assert names(ax) == means.index.tolist()
    diamonds = next(line for line in ax.lines if line.get_marker() == "D")
    np.testing.assert_allclose(diamonds.get_xdata(), means)
    for box, system in zip(ax.patches, means.index, strict=True):
        ends = np.array([box.get_x(), box.get_x() + box.get_width()])
        quartiles = np.percentile(scores["AP"].xs(system, level="system"), [25, 75])
        np.testing.assert_allclose([ends.min(), ends.max()], quartiles)
    assert ax.get_title(loc="left") == "16 topics"


def test_long_names_of_topics_are_shortened(scores):
    names = {topic: f"{topic}-{'x' * 90}" for topic in scores.index.levels[1]}
    ax = scores.rename(index=names, level="topic").ireval.plot.topic_differences(
        "monot5", "bm25", metric="AP"
    )
    assert max(len(label.get_text()) for label in ax.get_xticklabels()) < 20
    assert faults(ax.figure) == []


def test_score_boxes_of_one_topic_are_inside_the_axes(scores):
    of_topic = scores[scores.index.get_level_values("topic") == "101"]
    ax = of_topic.ireval.plot.score_boxes(metric="AP")
    low, high = ax.get_xlim()
    assert low < of_topic["AP"].min() < of_topic["AP"].max() < high
    assert ax.get_title(loc="left") == "1 topic"


def test_score_boxes_draw_the_lowest_costs_first(scores):
    means = scores["ASL"].groupby("system").mean()
    ax = scores.ireval.plot.score_boxes(metric="ASL", systems=["bm25", "monot5"])
    assert names(ax) == means[["bm25", "monot5"]].sort_values().index.tolist()
    refused(ParameterError, "'tf'", scores.ireval.plot.score_boxes, metric="AP", systems=["tf"])


def test_score_boxes_leave_out_missing_scores(scores):
    some = scores[["AP"]].copy()
    some.loc[("bm25", "101"), "AP"] = np.nan
    ax = some.ireval.plot.score_boxes(systems=["bm25"])
    box = ax.patches[0]
    ends = np.array([box.get_x(), box.get_x() + box.get_width()])
    present = some["AP"].xs("bm25", level="system").dropna()
    np.testing.assert_allclose([ends.min(), ends.max()], np.percentile(present, [25, 75]))


def frame(means, measure="AP"):
    rows = [(system, topic, measure, mean) for system, mean in means.items() for topic in "12"]
    return pd.DataFrame(rows, columns=["system", "topic", "measure", "value"])


DAYS = {"a": "2020-01-03", "b": "2020-01-01", "c": "2020-01-02", "d": "2020-01-04"}


def test_best_so_far_names_systems_better_than_all_earlier_ones():
    scores = frame({"a": 0.3, "b": 0.1, "c": 0.4, "d": 0.4})
    ax = scores.ireval.plot.best_so_far(DAYS)
    assert texts(ax) == ["b", "c"]
    points, steps, leaders = ax.lines
    np.testing.assert_allclose(points.get_ydata(), [0.3, 0.1, 0.4, 0.4])
    np.testing.assert_allclose(steps.get_ydata(), [0.1, 0.4, 0.4])
    np.testing.assert_allclose(leaders.get_ydata(), [0.1, 0.4])
    assert ax.get_title(loc="left") == "4 systems, 2 topics"


def test_best_so_far_names_only_the_best_system_of_a_day():
    scores = frame({"a": 0.3, "b": 0.1})
    ax = scores.ireval.plot.best_so_far(dict.fromkeys("ab", "2020-01-01"))
    assert texts(ax) == ["a"]


@pytest.mark.parametrize(("means", "leaders"), [((0.1, 0.4), ["a", "d"]), ((np.nan, np.nan), [])])
def test_systems_without_a_mean_never_lead_best_so_far(means, leaders):
    scores = frame({"a": means[0], "b": np.nan, "c": np.nan, "d": means[1]})
    ax = scores.ireval.plot.best_so_far(DAYS)
    assert texts(ax) == leaders
    assert [len(line.get_xdata()) for line in ax.lines[1:]] == [
        len(leaders) + bool(leaders),
        len(leaders),
    ]


def test_topics_with_equal_differences_keep_their_order():
    scores = frame({"a": 0.3, "b": 0.2})
    scores.loc[scores["topic"] == "2", "value"] = [0.2, 0.1]
    labels = scores.ireval.plot.topic_differences("a", "b").get_xticklabels()
    # 0.2 - 0.1 is above 0.3 - 0.2 in floating point
    assert [label.get_text() for label in labels] == ["1", "2"]


class TestSystemRanking:
    def test_system_ranking_has_the_best_system_at_the_top(self, three):
        ax = three.ireval.plot.system_ranking(metric="nDCG", depth=10)
        means = three.sel(metric="nDCG", depth=10).mean("topic").to_series()
        expected = means.sort_values(ascending=False)
        assert names(ax) == [*expected.index]
        np.testing.assert_allclose(ax.lines[0].get_xdata(), expected)
        assert ax.get_ylim()[0] > ax.get_ylim()[1]
        assert ax.get_xlabel() == "mean nDCG@10 with 95% confidence interval"

    def test_intervals_of_system_ranking_equal_summary(self, three):
        ax = three.ireval.plot.system_ranking(metric="nDCG", depth=10, alpha=0.2)
        summary = three.sel(metric=["nDCG"], depth=10).ireval.summary(alpha=0.2).isel(metric=0)
        ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
        order = np.argsort(-summary["mean"].to_numpy())
        np.testing.assert_allclose(ends[:, 0], summary["ci_low"][order])
        np.testing.assert_allclose(ends[:, 1], summary["ci_high"][order])

    def test_system_ranking_has_the_lowest_cost_at_the_top(self, three):
        ax = three.ireval.plot.system_ranking(metric="ASL", top=3)
        drawn = ax.lines[0].get_xdata()
        assert list(drawn) == sorted(drawn)
        assert len(drawn) == 3


def test_subtitles_contain_the_number_of_drawn_systems():
    names = [f"run-{n:02d}" for n in range(60)]
    rows = pd.MultiIndex.from_product([names, ["1", "2"]], names=["system", "topic"])
    scores = pd.DataFrame({"AP": np.linspace(0, 1, 120)}, index=rows)
    for figures in ("system_ranking", "score_boxes"):
        draw = getattr(scores.ireval.plot, figures)
        ax = draw()
        assert len(ax.get_yticks()) == 40
        assert "40 of 60 systems" in ax.get_title(loc="left")
        small = draw(figsize=(3.3, 2.4))
        shown = len(small.get_yticks())
        assert 5 < shown < 12
        assert f"{shown} of 60 systems" in small.get_title(loc="left")
    assert len(scores.ireval.plot.system_ranking(top=50).get_yticks()) == 50
    with ir.plots.paper():
        chosen = scores.ireval.plot.system_ranking(top=20)
    assert len(chosen.get_yticks()) == 20
    assert chosen.figure.get_size_inches()[1] > 5


class TestTopicDifferences:
    def test_bars_of_topic_differences_show_the_differences(self, three):
        ax = three.ireval.plot.topic_differences("splade", "bm25", metric="nDCG", depth=10)
        layer = three.sel(metric="nDCG", depth=10)
        gaps = (layer.sel(system="splade") - layer.sel(system="bm25")).to_numpy()
        heights = [bar.get_height() for bar in ax.patches]
        np.testing.assert_allclose(np.sort(heights), np.sort(gaps), atol=1e-12)
        counts = f"splade better on {(gaps > 0).sum()}, bm25 better on {(gaps < 0).sum()}"
        assert ax.get_title(loc="left") == f"16 topics: {counts}"
        assert legend(ax) == ["splade better", "bm25 better", "mean"]
        assert ax.lines[0].get_ydata()[0] == pytest.approx(gaps.mean())
        assert len(ax.get_xticklabels()) == 16

    def test_topics_with_equal_scores_have_no_bars(self):
        values = np.array([[1.0, 2, np.nan, 4], [1, 2, 3, 4]])
        scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
        ax = scores.ireval.plot.topic_differences("a", "b")
        assert ax.get_title(loc="left").endswith("equal on 3")
        assert legend(ax) == ["a better", "b better", "equal", "mean"]
        assert len(ax.patches) == 0

    def test_panes_by_group_share_one_legend_inside_the_figure(self, three):
        topics = three.indexes["topic"]
        groups = three.ireval.groupby({topic: topic < "109" for topic in topics})
        with ir.plots.paper(columns=1):
            axes = groups.plot.topic_differences("splade", "bm25", metric="nDCG", depth=10)
            figure = axes[0].figure
            figure.draw_without_rendering()
        (common,) = figure.legends
        labels = [text.get_text() for text in common.get_texts()]
        assert len(labels) == len({*labels}) == 3
        box = common.get_window_extent()
        assert figure.bbox.x0 <= box.x0 <= box.x1 <= figure.bbox.x1
        assert all("topics: splade better on" in ax.get_title(loc="left") for ax in axes)

    def test_topic_differences_of_many_topics_have_no_names(self):
        values = np.random.default_rng(0).random((2, 100))
        scores = xr.DataArray(values, {"system": ["a", "b"]}, ("system", "topic"))
        assert not scores.ireval.plot.topic_differences("a", "b").get_xticklabels()


# system b has only two repeats, so its interval is unreliable
@pytest.mark.filterwarnings("ignore:tests and intervals are unreliable")
def test_dots_of_system_ranking_show_the_means_of_repeats():
    rng = np.random.default_rng(0)
    values = rng.uniform(0.2, 0.6, (1, 2, 3, 8))
    values[0, 1, 2] = np.nan
    labels = {"metric": ["AP"], "system": ["a", "b"], "repeat": [1, 2, 3], "topic": range(8)}
    scores = xr.DataArray(values, labels, tuple(labels))
    ax = scores.ireval.plot.system_ranking()
    dots = next(line for line in ax.lines if line.get_marker() == ".")
    order = scores.mean(("repeat", "topic"))[0].to_numpy().argsort()[::-1]
    expected = scores.mean("topic")[0].to_numpy()[order]
    np.testing.assert_allclose(dots.get_xdata(), expected.ravel())
    assert "2 to 3 repeats of each system" in ax.get_title(loc="left")
