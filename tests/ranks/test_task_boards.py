"""Boards over tasks: means of task means, win rates and Borda counts, with tasks that some lack."""

import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{each}:irframe.errors.IrframeWarning")
    for each in ("systems without a score", "tests and intervals")
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
