"""Tests of irframe.plots.ladder."""

import numpy as np
import pandas as pd
import pytest
from drawn import legend, names, texts
from refusals import refused

import irframe as ir
from irframe.arrays import on_front
from irframe.errors import InputError, IrframeWarning
from irframe.plots.ladder import EDGES, _count


@pytest.fixture(scope="module")
def ranks(cube):
    scores = cube.ireval.score("nDCG", "ASL", at=[5, 10])
    return scores.ireval.rank_intervals("bootstrap", resamples=200)


class TestLadder:
    def test_ladder_shows_ranks_and_rank_intervals(self, ranks):
        ax = ranks.ireval.plot.ladder(metric="ASL", depth=5)
        here = ranks.sel(metric="ASL", depth=5).to_dataframe().sort_values("rank")
        assert names(ax) == [*here.index]
        np.testing.assert_array_equal(ax.lines[0].get_xdata(), here["rank"])
        ends = np.array([path.vertices[:, 0] for path in ax.collections[0].get_paths()])
        np.testing.assert_array_equal(ends, here[["rank_low", "rank_high"]])
        assert ax.get_xlabel() == "rank by ASL@5 and its spread over resamples"
        assert ax.get_ylim()[0] > ax.get_ylim()[1]

    def test_axis_label_of_the_ladder_names_the_depth(self, cube):
        for scores in (cube.ireval.score("nDCG", at=10), cube.ireval.score("nDCG").sel(depth=10)):
            ax = scores.ireval.rank_intervals().ireval.plot.ladder()
            assert ax.get_xlabel() == "rank by nDCG@10 with 95% interval"

    def test_ladder_labels_tiers_and_shares_of_first_places(self, ranks):
        ax = ranks.ireval.plot.ladder(metric="nDCG")
        here = ranks.sel(metric="nDCG", depth=10).to_dataframe().sort_values("rank")
        labels = texts(ax)
        assert [text for text in labels if text.startswith("tier")] == ["tier 1", "tier 2"]
        likely = here["first"][here["first"] >= 0.01]
        assert [text for text in labels if text.startswith("first")] == [
            f"first in {share:.0%}" for share in likely
        ]
        extents = [patch.get_window_extent() for patch in ax.patches]
        bands = [ax.transData.inverted().transform(extent)[::-1, 1] for extent in extents]
        border = (here["tier"] == 1).sum() - 0.5
        np.testing.assert_allclose(bands, [[-0.5, border], [border, 7.5]])

    def test_subtitle_of_the_ladder_contains_the_number_of_repeats(self):
        runs, qrels = ir.example_track()
        runs = runs.drop(columns="rank")
        seeds = [runs.assign(seed=n, score=runs["score"] * (1 + runs.index % n)) for n in (1, 2, 3)]
        ranks = pd.concat(seeds).ireval.evaluate(qrels, "AP").ireval.rank_intervals()
        title = " ".join(ranks.ireval.plot.ladder().get_title(loc="left").split())
        assert title == "3 seeds of each system, which intervals and tests count beside topics"

    def test_ladder_draws_frames_and_top_selects_the_best_systems(self):
        runs, qrels = ir.example_track()
        scores = runs.rename(columns={"system": "run"}).ireval.evaluate(qrels, "AP")
        frame = scores.ireval.rank_intervals()
        ax = frame.ireval.plot.ladder(top=3)
        assert ax.get_xlabel() == "rank by AP with 95% interval"
        assert not [text for text in ax.texts if text.get_text().startswith("first")]
        best = frame.droplevel("metric")["rank"].sort_values().index[:3]
        assert names(ax) == [*best]
        frame.attrs = {}
        assert ir.plots.ladder(frame).get_xlabel() == "rank by AP"

    def test_subtitles_contain_cautions(self):
        scores = ir.cube(*ir.example_track()).ireval.score("RR").isel(topic=slice(7), depth=[40])
        with pytest.warns(IrframeWarning, match="fewer than 8 topics: 7"):
            drawn = scores.ireval.rank_intervals().ireval.plot.ladder()
        with pytest.warns(IrframeWarning, match="fewer than 8 topics: 7"):
            also = scores.ireval.plot.system_ranking()
        for ax in (drawn, also):
            assert "fewer than 8 topics: 7" in ax.get_title("left").replace("\n", " ")


def test_search_lengths_are_drawn_on_the_scale_of_precision():
    rows = [("x", "P@20", 1.0), ("y", "P@20", 0.35), ("x", "ASL", 1.0), ("y", "ASL", 400.0)]
    best = pd.DataFrame(rows, columns=["track", "metric", "value"]).assign(system="s")
    ax = ir.plots.best_systems(best)
    heights = np.array([patch.get_height() for patch in ax.patches]).reshape(2, -1)
    assert heights[0].nonzero()[0].tolist() == [0, 6]
    assert heights[1].nonzero()[0].tolist() == [0, len(EDGES) - 2]
    assert ax.get_ylabel() == "best systems, one per track"
    assert legend(ax) == ["P@20", "ASL"]


def test_best_systems_count_every_score_in_a_bin():
    counts = _count(np.array([0.0, 0.1, 0.9, 1.0, np.nan]), "mine").tolist()
    assert counts == [1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1]
    assert _count(np.array([10.0, 11.0, 0.5]), "ASL").sum() == 3


SYSTEMS = ["a", "b", "c"]
INDEX = pd.MultiIndex.from_product([SYSTEMS, ["1", "2"]], names=["system", "topic"])
SCORES = pd.DataFrame(
    {"AP": [0.1, 0.3, 0.45, 0.75, 0.33, 0.47], "tokens": [10.0, 20, 30, 50, 60, 75]}, INDEX
)


@pytest.fixture
def scores():
    return ir.as_scores(SCORES, lower=["tokens"])


def test_pareto_front_shows_means_and_joins_the_best_systems(scores):
    ax = scores.ireval.plot.pareto_front(cost="tokens", metric="AP")
    front = ax.lines[-1]
    np.testing.assert_allclose(front.get_xdata(), [15, 40])
    np.testing.assert_allclose(front.get_ydata(), [0.2, 0.6])
    assert len(ax.containers) == len(SYSTEMS)
    assert ax.get_xlabel() == "mean tokens"


def test_systems_without_a_score_are_not_on_the_pareto_front(scores):
    lacking = scores.copy()
    lacking.loc[["c"], "AP"] = np.nan
    ax = lacking.ireval.plot.pareto_front(cost={"a": 3, "b": 2, "c": 1}, metric="AP")
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), [2])
    assert on_front(np.array([1, np.nan]), np.array([0.1, 0.2])).tolist() == [0]
    assert on_front(np.array([np.nan]), np.array([0.2])).tolist() == []


def test_systems_of_one_colour_have_different_markers():
    scores = ir.example_track()[0].ireval.evaluate(ir.example_track()[1], ["AP", "ASL"])
    ax = scores.ireval.plot.pareto_front(cost="ASL", metric="AP")
    points = [point[0] for point in ax.containers]
    assert len({(point.get_color(), point.get_marker()) for point in points}) == 8


def test_pareto_front_accepts_a_cost_per_system(scores):
    price = pd.Series({"a": 3, "b": 2, "c": 1}, name="euro")
    ax = scores.ireval.plot.pareto_front(cost=price, metric="AP")
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), [1, 2])
    assert ax.get_xlabel() == "euro"
    draw = scores.ireval.plot.pareto_front
    refused(InputError, "no cost for: c", draw, cost={"a": 1, "b": 2}, metric="AP")


def test_systems_with_lower_costs_lead_leaderboards_and_tables(scores):
    assert scores[["tokens"]].ireval.leaderboard().index.tolist() == SYSTEMS
    by_name = ir.as_scores(SCORES)[["tokens"]].ireval.leaderboard()
    assert by_name.index.tolist() == SYSTEMS
    unknown = SCORES[["tokens"]].rename(columns={"tokens": "hops"})
    assert ir.as_scores(unknown).ireval.leaderboard().index.tolist() == SYSTEMS[::-1]
    declared = ir.as_scores(unknown, lower=["hops"])
    assert declared.ireval.leaderboard().index.tolist() == SYSTEMS
    compared = scores.ireval.compare(adjust=None)
    row = compared[compared["metric"] == "tokens"].iloc[0]
    assert (row["wins"], row["losses"]) == (2, 0)
    tex = scores.ireval.summary().ireval.styled().to_latex()
    assert r"\bfseries 15" in tex
    assert "lower is better: tokens" in tex
    refused(InputError, "found words", ir.as_scores, SCORES, lower=["words"])
