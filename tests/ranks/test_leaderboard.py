"""The ranking of systems as a table."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("ASL", "nDCG", at=[10, 5])


def test_the_first_metric_and_depth_decide(scores):
    board = scores.ireval.leaderboard(at=[5, 10], method="bootstrap", samples=50)
    assert [*board] == [
        *("rank", "tier", "ASL@5", "ci_low", "ci_high", "rank_low", "rank_high", "first"),
        *("ASL@10", "nDCG@5", "nDCG@10", "n_topics"),
    ]
    assert board["ASL@5"].is_monotonic_increasing
    ranks = scores.ireval.rank_intervals("bootstrap", samples=50).sel(
        metric="ASL", depth=5, drop=True
    )
    expected = ranks.to_dataframe().rename(columns={"mean": "ASL@5"}).loc[board.index]
    shared = [name for name in board if name in expected]
    assert len(shared) == 9
    pd.testing.assert_frame_equal(board[shared], expected[shared])
    means = scores.mean("topic").sel(system=board.index.to_numpy())
    for metric, depth in [("ASL", 10), ("nDCG", 5), ("nDCG", 10)]:
        np.testing.assert_allclose(
            board[f"{metric}@{depth}"], means.sel(metric=metric, depth=depth)
        )


def test_the_greatest_depth_is_the_default(scores):
    whole = scores.sortby("depth").ireval.leaderboard()
    pd.testing.assert_frame_equal(whole, scores.ireval.leaderboard(at=10))


def test_changes_are_those_of_a_comparison_with_the_baseline(scores):
    board = scores.ireval.leaderboard(baseline="ance", at=10, adjust="fdr_bh")
    frame = scores[:1].ireval.compare(baseline="ance", at=10, adjust="fdr_bh")
    expected = frame.set_index("system_a").loc[board.index.drop("ance")]
    others = board.drop("ance")
    np.testing.assert_allclose(others["difference"], expected["difference"])
    np.testing.assert_allclose(others["change"], expected["difference"] / expected["mean_b"])
    np.testing.assert_allclose(others["p_adjusted"], expected["p_adjusted"])
    assert others["significant"].tolist() == expected["significant"].tolist()
    assert board.loc["ance", ["difference", "change", "p_adjusted"]].isna().all()
    assert not board.loc["ance", "significant"]


def test_nothing_is_a_share_of_a_baseline_of_zero():
    index = pd.MultiIndex.from_product([["a", "b"], ["1", "2"]], names=["run", "topic"])
    frame = pd.DataFrame({"AP": [0.5, 0.25, 0, 0]}, index)
    with pytest.warns(IrframeWarning, match="no interval where all scores are the same: AP of b"):
        board = frame.ireval.leaderboard(baseline="b")
    assert board.loc["b", ["ci_low", "ci_high"]].isna().all()
    assert "AP of b" in board.attrs["caution"]
    assert "AP of b" in board.ireval.styled().notes
    assert board.index.name == "run"
    assert np.isnan(board.loc["a", "change"])
    assert board.loc["a", "difference"] == 0.375


def test_systems_that_tie_stand_by_name_whatever_their_order():
    rows = {"d": [1, 0], "a": [0, 1], "c": [1, 1], "b": [1, 0]}
    frame = pd.DataFrame(rows, pd.Index(["1", "2"], name="topic")).rename_axis(columns="system")
    scores = ir.as_scores(frame, metric="my own")
    with pytest.warns(IrframeWarning, match="my own of c"):
        board = scores.ireval.leaderboard()
    assert board.index.tolist() == ["c", "a", "b", "d"]
    assert board["rank"].tolist() == [1, 2, 2, 2]
    other = ir.as_scores(frame[["b", "c", "d", "a"]], metric="my own")
    with pytest.warns(IrframeWarning, match="my own of c"):
        again = other.ireval.leaderboard()
    pd.testing.assert_frame_equal(board, again)


def test_groups_are_lists_of_their_own(scores):
    boards = scores.ireval.leaderboard(by="team")
    assert boards.index.names == ["team", "system"]
    alone = scores.isel(system=scores["team"].values == "rerankers").ireval.leaderboard()
    pd.testing.assert_frame_equal(boards.loc["rerankers"], alone)


def test_every_metric_is_averaged_over_topics_that_all_systems_have(scores):
    lost = (scores["topic"] == "101") & (scores["metric"] == "nDCG") & (scores["system"] == "ance")
    with pytest.warns(IrframeWarning, match=r"left out: 1 of 16 for nDCG \(101\)$"):
        board = scores.where(~lost).ireval.leaderboard(at=10)
    rest = scores.sel(topic=scores["topic"] != "101", metric="nDCG", depth=10).mean("topic")
    np.testing.assert_allclose(board["nDCG@10"], rest.sel(system=board.index.to_numpy()))
    assert (board["n_topics"] == 16).all()


def test_bad_input(scores):
    with pytest.raises(ParameterError, match="nobody"):
        scores.ireval.leaderboard(baseline="nobody")
    with pytest.raises(DepthError, match="7"):
        scores.ireval.leaderboard(at=7)
    named = scores.sel(depth=10, drop=True).assign_coords(metric=["ASL", "tier"])
    with pytest.raises(InputError, match="tier"):
        named.ireval.leaderboard()


def test_a_difference_is_significant_below_alpha_and_not_at_it(scores):
    board = scores.ireval.leaderboard(baseline="bm25", adjust=None)
    alpha = board["p_adjusted"].sort_values().iloc[3]
    found = scores.ireval.leaderboard(baseline="bm25", adjust=None, alpha=alpha)
    assert found["significant"].sum() == 3
