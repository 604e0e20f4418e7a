"""Boards over tasks: means of task means, win rates and Borda counts, with tasks that some lack."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError
from irframe.tables.captions import told

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{each}:irframe.errors.IrframeWarning")
    for each in ("systems without", "tests and intervals", "no interval", "comparisons whose")
]
SIZES = {"covid": 3, "robust": 9, "hard": 5, "marco": 4}


def drawn(seed, without=()):
    random = np.random.default_rng(seed)
    rows = [
        (task, system, f"q{n}")
        for task, size in SIZES.items()
        for system in "dacbe"
        for n in range(size)
        if (task, system) not in without
    ]
    index = pd.MultiIndex.from_tuples(rows, names=["set", "system", "topic"])
    return pd.DataFrame({"AP": random.choice([0.1, 0.2, 0.4], len(index))}, index)


def loops(scores, sign):
    """Return win rates as HELM has them and Borda counts as MTEB orders by, pair by pair."""
    means = scores["AP"].groupby(["set", "system"]).mean().round(12).unstack("set") * sign
    rates, counts = {}, {}
    for system, own in means.iterrows():
        shares, beaten = [], []
        for task, mine in own.items():
            others = means[task].drop(system)
            if np.isnan(mine):
                beaten.append(0.0)
                continue
            won = sum((mine > each) + (mine == each) / 2 for each in others.dropna())
            shares.append(won / others.notna().sum())
            beaten.append(won + others.isna().sum())
        rates[system], counts[system] = np.mean(shares), np.mean(beaten)
    return pd.DataFrame({"win_rate": rates, "borda": counts})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("lower", [False, True])
def test_counts_are_those_of_loops(seed, lower):
    for without in ((), [("hard", "a")], [("hard", "a"), ("covid", "b")]):
        scores = ir.as_scores(drawn(seed, without), tasks="set", lower=["AP"] if lower else [])
        board = scores.ireval.leaderboard()
        expected = loops(drawn(seed, without), -1 if lower else 1).loc[board.index]
        pd.testing.assert_frame_equal(board[["win_rate", "borda"]], expected, check_names=False)
        whole = [s for s in "abcde" if s not in {system for _, system in without}]
        kept = scores[scores.index.isin(whole, level="system")].ireval.leaderboard()
        pd.testing.assert_series_equal(board["AP"].dropna(), kept["AP"])
        assert list(board.index[len(whole) :]) == [s for s in board.index if s not in whole]


@pytest.mark.parametrize("order", ["win_rate", "borda"])
def test_boards_are_in_the_order_asked_for(order):
    board = drawn(7).ireval.leaderboard(tasks="set", order=order)
    assert board[order].is_monotonic_decreasing
    assert (board["rank"] == board[order].rank(ascending=False, method="min")).all()
    assert board.attrs["n_tasks"] == "4"
    means = board[[*SIZES]].mean(axis=1)
    np.testing.assert_allclose(board["AP"], means)


def test_systems_that_lack_a_task_are_named_and_last():
    with pytest.warns(UserWarning, match=r"stand below the others: c \(1\)$"):
        board = drawn(3, [("robust", "c")]).ireval.leaderboard(tasks="set")
    assert board.index[-1] == "c"
    assert np.isnan(board.loc["c", "AP"])
    assert board.loc["c", "marco"] > 0
    message, scores = "tasks for order='borda'", drawn(3, [("robust", "c")])
    refused(ParameterError, message, drawn(3).ireval.leaderboard, by="set", order="borda")
    refused(ParameterError, "topics of every task", scores.ireval.compare, tasks="set")


def resampled(scores, seed, samples):
    """Return ends of the middle 60% of win rates and Borda counts, a resample after the other."""
    tasks = sorted({*scores.index.get_level_values("set")}, key=lambda task: f"{task} q0")
    random, found = np.random.default_rng(seed), []
    draws = {t: random.integers(SIZES[t], size=(samples, SIZES[t]), dtype=np.int64) for t in tasks}
    whole = {task: scores["AP"].xs(task, level="set").unstack("topic") for task in tasks}
    for n in range(samples):
        means = {t: own.iloc[:, draws[t][n]].mean(axis=1) for t, own in whole.items()}
        found.append(loops(pd.concat(means, names=["set", "system"]).to_frame("AP"), 1))
    ends = {"low": samples // 5, "high": samples - 1 - samples // 5}
    return pd.DataFrame(
        {
            f"{name}_{end}": np.sort([each[name] for each in found], axis=0)[place]
            for name in ("win_rate", "borda")
            for end, place in ends.items()
        },
        found[0].index,
    )


@pytest.mark.parametrize("without", [(), [("hard", "a")]])
def test_win_rates_spread_as_over_resamples_within_tasks(without):
    scores = drawn(4, without)
    expected = resampled(scores, 3, 20)
    options = {"tasks": "set", "alpha": 0.4, "samples": 20, "seed": 3}
    for order in (scores, scores.iloc[::-1]):
        board = order.ireval.leaderboard(**options)
        found = board.loc[expected.index, [*expected]]
        pd.testing.assert_frame_equal(found, expected, check_names=False)
    assert "20 samples, seed 3" in told(board.attrs)
    alone = scores[scores.index.get_level_values("topic") == "q0"].ireval
    few = alone.leaderboard(tasks="set", order="borda")
    assert few[[*expected]].isna().all(axis=None)


@pytest.mark.parametrize("over", ["both", "task"])
def test_every_task_counts_by_its_own_metric(over):
    scores, options = drawn(6), {"tasks": "set", "over": over}
    scores["RR"], scores["ASL"] = drawn(8)["AP"], 3.0
    by = {"covid": "RR", "robust": "AP", "hard": "AP", "marco": "RR"}
    sets = scores.index.get_level_values("set")
    joined = scores["AP"].where(sets.map(by) == "AP", scores["RR"]).rename("RR or AP").to_frame()
    expected = joined.ireval.leaderboard(**options)
    board = scores.ireval.leaderboard(**options, task_metrics=by)
    pd.testing.assert_frame_equal(board, expected)
    refuse = scores.ireval.leaderboard
    for message, given in {
        "a metric for every task": {"covid": "AP"},
        "tasks there are": by | {"other": "AP"},
        "of those scored": by | {"hard": "P@5"},
        "higher is better": by | {"hard": "ASL"},
    }.items():
        refused(ParameterError, message, refuse, **options, task_metrics=given)
    refused(ParameterError, "tasks for task_metrics=", refuse, by="set", task_metrics=by)
