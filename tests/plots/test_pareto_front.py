import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError

SYSTEMS = ["a", "b", "c"]
INDEX = pd.MultiIndex.from_product([SYSTEMS, ["1", "2"]], names=["system", "topic"])
SCORES = pd.DataFrame(
    {"AP": [0.1, 0.3, 0.45, 0.75, 0.33, 0.47], "tokens": [10.0, 20, 30, 50, 60, 75]}, INDEX
)


@pytest.fixture
def scores():
    return ir.as_scores(SCORES, lower=["tokens"])


def test_points_are_means_and_the_line_is_the_front(scores):
    ax = scores.ireval.plot.pareto_front(cost="tokens", metric="AP")
    front = ax.lines[-1]
    np.testing.assert_allclose(front.get_xdata(), [15, 40])
    np.testing.assert_allclose(front.get_ydata(), [0.2, 0.6])
    assert len(ax.containers) == len(SYSTEMS)
    assert ax.get_xlabel() == "mean tokens"
    plt.close(ax.figure)


def test_costs_may_be_of_systems_alone(scores):
    price = pd.Series({"a": 3, "b": 2, "c": 1}, name="euro")
    ax = scores.ireval.plot.pareto_front(cost=price, metric="AP")
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), [1, 2])
    assert ax.get_xlabel() == "euro"
    plt.close(ax.figure)
    with pytest.raises(InputError, match="none for: c"):
        scores.ireval.plot.pareto_front(cost={"a": 1, "b": 2}, metric="AP")


def test_lower_is_better_on_boards_and_in_tables(scores):
    assert scores[["tokens"]].ireval.leaderboard().index.tolist() == SYSTEMS
    plain = ir.as_scores(SCORES)[["tokens"]].ireval.leaderboard()
    assert plain.index.tolist() == SYSTEMS[::-1]
    compared = scores.ireval.compare(adjust=None)
    row = compared[compared["metric"] == "tokens"].iloc[0]
    assert (row["wins"], row["losses"]) == (2, 0)
    tex = scores.ireval.summary().ireval.styled().to_latex()
    assert r"\bfseries 15" in tex
    assert "lower is better: tokens" in tex
    refused(InputError, "no words", ir.as_scores, SCORES, lower=["words"])
