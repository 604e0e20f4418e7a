"""Critical difference diagrams: where systems stand, and which groups bars join."""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")


def scored(metric="AP", systems=12):
    runs, qrels = ir.simulate_track(systems=systems, topics=60, docs=400, depth=20, seed=5)
    return runs.ireval.evaluate(qrels, metric)


@pytest.mark.parametrize("order", ["mean", "borda", "win_rate"])
@pytest.mark.parametrize("metric", ["AP", "ASL"])
def test_bars_join_those_that_do_not_differ(order, metric):
    scores = scored(metric)
    tasks = {topic: str(n % 3) for n, topic in enumerate(scores.index.unique("topic"))}
    board = scores.ireval.leaderboard(tasks=tasks, order=order)
    compared = scores.ireval.compare(tasks=tasks)
    apart = {
        frozenset(pair) for pair in compared.query("significant")[["system_a", "system_b"]].values
    }
    ax = board.ireval.plot.critical_difference()
    mean_rank = board[[*"012"]].rank(ascending=metric == "ASL").mean(axis=1)
    where = {"borda": mean_rank, "mean": board[metric], "win_rate": board["win_rate"]}[order]
    groups = [line for line in ax.lines if line.get_marker() == "o"]
    joined = set()
    for line in groups:
        places = [np.flatnonzero(np.isclose(where, x)) for x in line.get_xdata()]
        names = {board.index[place] for found in places for place in found}
        joined |= {frozenset(pair) for pair in combinations(names, 2)}
    everyone = {frozenset(pair) for pair in combinations(board.index, 2)}
    assert groups
    assert joined >= everyone - apart
    if order == "mean":  # where no two stand at one place
        assert joined == everyone - apart
    stems = [line.get_xdata()[0] for line in {*ax.lines} - {*groups} if len(line.get_ydata()) == 3]
    np.testing.assert_allclose(sorted(stems), sorted(where))
    names = [text.get_text() for text in (*ax.get_yticklabels(), *ax.texts)]
    assert sorted(names) == sorted(board.index)
    plt.close(ax.figure)


def test_other_frames_and_few_systems():
    refused(InputError, "what leaderboard returned", ir.plots.critical_difference, scored())
    ax = scored(systems=2).ireval.leaderboard().ireval.plot.critical_difference()
    assert len(ax.get_yticklabels()) == len(ax.texts) == 1
    plt.close(ax.figure)
