"""Tests of irframe.plots.differences."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_rgb
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError


@pytest.fixture(scope="module")
def frame():
    runs, qrels = ir.example_track()
    return runs.ireval.evaluate(qrels, ["nDCG@10", "ASL"])


@pytest.mark.parametrize(("metric", "sign"), [("nDCG@10", 1), ("ASL", -1)])
def test_differences_show_interval_and_significance_of_pairs(frame, metric, sign):
    compared = frame.ireval.compare(baseline="bm25")
    ax = compared.ireval.plot.differences(metric=metric)
    rows = compared[compared["metric"] == metric].sort_values("difference", ascending=sign < 0)
    assert [label.get_text() for label in ax.get_yticklabels()] == rows["system_a"].tolist()
    segments = np.array(ax.collections[0].get_segments())[:, :, 0]
    np.testing.assert_array_equal(segments, rows[["ci_low", "ci_high"]])
    filled, hollow = (
        dict(zip(line.get_ydata(), line.get_xdata(), strict=True)) for line in ax.lines[:2]
    )
    drawn = rows["difference"].to_numpy()
    assert filled | hollow == dict(enumerate(drawn))
    assert [*filled] == np.flatnonzero(rows["significant"]).tolist()
    plt.close(ax.figure)


def test_systems_with_equal_means_keep_their_order():
    # the three means are 0.2, but their rounding errors differ
    values = {
        "x": [0.1, 0.2, 0.3],
        "y": [0.3, 0.2, 0.1],
        "w": [0.3, 0.1, 0.2],
        "z": [0.9, 0.8, 0.9],
    }
    coords = {"metric": ["AP"], "system": [*values], "topic": list("123")}
    scores = xr.DataArray([[*values.values()]], coords)
    ax = scores.ireval.compare(baseline="z").ireval.plot.differences()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x", "y", "w"]
    ax = scores.ireval.leaderboard().ireval.plot.critical_difference()
    assert [text.get_text() for text in (*ax.get_yticklabels(), *ax.texts)] == ["w", "x", "y", "z"]
    plt.close("all")


def test_labels_of_differences_name_pairs_and_metrics(frame):
    axes = frame.ireval.compare().ireval.groupby("metric").plot.differences()
    labels = [ax.get_xlabel().split(",")[0] for ax in axes]
    assert labels == ["difference in nDCG@10", "difference in ASL"]
    every = frame[["ASL"]].ireval.compare()
    ax = every.ireval.plot.differences(figsize=(9, 9))
    # ASL is a cost, so the largest improvement is the lowest difference
    first = every.loc[every["difference"].idxmin()]
    assert ax.get_yticklabels()[0].get_text() == f"{first['system_a']} - {first['system_b']}"
    plt.close("all")
    compared = frame.ireval.compare(baseline="bm25", margin=0.1)
    ax = compared.ireval.plot.differences(metric="ASL")
    assert [line.get_xdata()[0] for line in ax.lines[2:]] == [0, 0.1]
    plt.close(ax.figure)
    refused(ParameterError, "Choose from nDCG@10, ASL", lambda: ir.plots.differences(compared))
    refused(
        ParameterError, "depth=", lambda: compared.ireval.plot.differences(metric="ASL", depth=5)
    )


def test_shortened_names_of_pairs_remain_distinct(frame):
    every = frame[["ASL"]].ireval.compare()
    sides = ["system_a", "system_b"]
    every[sides] = "our-laboratory-" + every[sides] + "-of-2026-run"
    ax = every.ireval.plot.differences(figsize=(3.3, 9))
    names = [label.get_text().split(" - ") for label in ax.get_yticklabels()]
    assert len({name for pair in names for name in pair}) == 8
    assert len({*map(tuple, names)}) == len(every)
    plt.close(ax.figure)


def test_ladder_of_a_leaderboard_uses_its_first_metric(frame):
    board = frame.ireval.leaderboard()
    ax = board.ireval.plot.ladder()
    ranks = frame.ireval.rank_intervals().ireval.plot.ladder(metric="nDCG@10")
    for method in ("get_xlabel", "get_xlim"):
        assert getattr(ax, method)() == getattr(ranks, method)()
    lines = [np.array(axes.collections[0].get_segments()) for axes in (ax, ranks)]
    np.testing.assert_array_equal(*lines)
    plt.close("all")


def test_legend_shows_the_colour_of_a_system_that_is_never_better(frame):
    better = frame[["nDCG@10"]].unstack("system")["nDCG@10"]
    better["none"] = better["bm25"] - 0.01
    ax = better.stack().rename("nDCG@10").to_frame().ireval.plot.topic_differences("bm25", "none")
    first, last = (
        to_rgb(handle.get_facecolor()[:3]) for handle in ax.get_legend().legend_handles[:2]
    )
    assert first != last
    plt.close(ax.figure)


pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")


def scored(metric="AP", systems=12):
    runs, qrels = ir.simulate_track(systems=systems, topics=60, docs=400, depth=20, seed=5)
    return runs.ireval.evaluate(qrels, metric)


@pytest.mark.parametrize("order", ["mean", "borda", "win_rate"])
@pytest.mark.parametrize("metric", ["AP", "ASL"])
def test_critical_difference_bars_join_systems_that_do_not_differ(order, metric):
    scores = scored(metric)
    tasks = {topic: str(n % 3) for n, topic in enumerate(scores.index.unique("topic"))}
    scores = scores.ireval.design(task=tasks)
    board = scores.ireval.leaderboard(order_by=order)
    compared = scores.ireval.compare()
    different = {
        frozenset(pair) for pair in compared.query("significant")[["system_a", "system_b"]].values
    }
    ax = board.ireval.plot.critical_difference()
    mean_rank = board[[*"012"]].rank(ascending=metric == "ASL").mean(axis=1)
    where = {"borda": mean_rank, "mean": board[metric], "win_rate": board["win_rate"]}[order]
    groups = [line for line in ax.lines if line.get_marker() == "o"]
    joined = set()
    for line in groups:
        positions = [np.flatnonzero(np.isclose(where, x)) for x in line.get_xdata()]
        names = {board.index[pos] for indices in positions for pos in indices}
        joined |= {frozenset(pair) for pair in combinations(names, 2)}
    everyone = {frozenset(pair) for pair in combinations(board.index, 2)}
    assert groups
    assert joined >= everyone - different
    # win rates and mean ranks can tie, so a position does not identify a system
    if order == "mean":
        assert joined == everyone - different
    stems = [line.get_xdata()[0] for line in {*ax.lines} - {*groups} if len(line.get_ydata()) == 3]
    np.testing.assert_allclose(sorted(stems), sorted(where))
    names = [text.get_text() for text in (*ax.get_yticklabels(), *ax.texts)]
    assert sorted(names) == sorted(board.index)
    plt.close(ax.figure)


def with_holes(lacking):
    """Return scores on four tasks, without each system's `lacking` tasks."""
    scores = scored(systems=6)
    task = {topic: f"t{n % 4}" for n, topic in enumerate(scores.index.unique("topic"))}
    scores = scores.ireval.design(task=task)
    systems, tasks = scores.index.get_level_values("system"), scores.index.get_level_values("task")
    names = scores.index.unique("system")
    missing = [(names[pos], name) for pos, name in lacking.items()]
    return scores[[pair not in missing for pair in zip(systems, tasks, strict=True)]]


@pytest.mark.parametrize("order", ["mean", "borda", "win_rate"])
def test_critical_difference_names_omitted_systems_that_lack_tasks(order):
    scores = with_holes({0: "t1", 3: "t2"})
    board = scores.ireval.leaderboard(order_by=order)
    complete = board.dropna(subset="AP")
    out = sorted({*board.index} - {*complete.index})
    assert len(out) == 2
    ax = board.ireval.plot.critical_difference()
    names = [text.get_text() for text in (*ax.get_yticklabels(), *ax.texts)]
    assert sorted(name for name in names if name in [*board.index]) == sorted(complete.index)
    assert all(name in ax.get_title(loc="left") for name in out)
    stems = [line.get_xdata()[0] for line in ax.lines if len(line.get_ydata()) == 3]
    where = {"mean": complete["AP"], "win_rate": complete["win_rate"]}
    where["borda"] = complete[["t0", "t1", "t2", "t3"]].rank(ascending=False).mean(axis=1)
    np.testing.assert_allclose(sorted(stems), sorted(where[order]))
    plt.close(ax.figure)


def test_critical_difference_refuses_leaderboards_without_means():
    board = with_holes({n: f"t{n % 4}" for n in range(6)}).ireval.leaderboard(order_by="borda")
    refused(InputError, board.index[0], board.ireval.plot.critical_difference)


def test_critical_difference_of_two_systems_has_a_name_on_each_side():
    ax = scored(systems=2).ireval.leaderboard().ireval.plot.critical_difference()
    assert len(ax.get_yticklabels()) == len(ax.texts) == 1
    plt.close(ax.figure)


@pytest.mark.parametrize("by", ["half", ["half", "quarter"]])
def test_each_group_of_comparisons_has_a_panel(by):
    scores = scored(systems=3)
    topics = scores.index.get_level_values("topic")
    number = topics.unique().get_indexer(topics)
    scores = scores.assign(half=number % 2, quarter=number % 4 // 2)
    compared = scores.ireval.groupby(by).compare()
    refused(InputError, "groups by half", compared.ireval.plot.differences)
    axes = compared.ireval.groupby(by).plot.differences()
    assert len(axes) == (2 if by == "half" else 4)
    assert all(len(ax.get_yticks()) == 3 for ax in axes)
    plt.close(axes[0].figure)
