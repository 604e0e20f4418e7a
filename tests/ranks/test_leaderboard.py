"""The ranking of systems as a table."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeWarning
from irframe.ranks.leaderboard import LETTERS, letter_groups


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("ASL", "nDCG", at=[10, 5])


@pytest.mark.parametrize("family", ["depth", "metric", "all"])
def test_pairs_are_corrected_for_the_family_that_is_listed(scores, family):
    board = scores.ireval.leaderboard(at=[10, 5], family=family, alpha=0.2)
    ranks = scores.ireval.rank_intervals(family=family, alpha=0.2).sel(metric="ASL", depth=10)
    found = ranks[["rank_low", "rank_high"]].to_dataframe().loc[board.index]
    assert (board[["rank_low", "rank_high"]] == found[["rank_low", "rank_high"]]).all(axis=None)
    held = scores.ireval.leaderboard(at=[10, 5], family=family, baseline="bm25")
    pairs = scores.ireval.compare(family=family, baseline="bm25").query(
        "metric == 'ASL' & depth == 10"
    )
    expected = pairs.set_index("system_b" if "bm25" in {*pairs["system_a"]} else "system_a")
    p = held["p_adjusted"].dropna()
    np.testing.assert_allclose(p, expected["p_adjusted"][p.index], rtol=1e-12)


def test_the_first_metric_and_depth_decide(scores):
    board = scores.ireval.leaderboard(at=[5, 10], method="bootstrap", samples=50)
    told = "rank tier letters ASL@5 ci_low ci_high rank_low rank_high first"
    assert " ".join(board) == f"{told} ASL@10 nDCG@5 nDCG@10 n_topics"
    assert board["ASL@5"].is_monotonic_increasing
    ranks = scores.ireval.rank_intervals("bootstrap", samples=50)
    expected = (
        ranks.sel(metric="ASL", depth=5, drop=True)
        .to_dataframe()
        .rename(columns={"mean": "ASL@5"})
        .loc[board.index]
    )
    shared = [name for name in board if name in expected]
    assert len(shared) == 9
    pd.testing.assert_frame_equal(board[shared], expected[shared])
    means = scores.mean("topic").sel(system=board.index.to_numpy())
    for metric, depth in [("ASL", 10), ("nDCG", 5), ("nDCG", 10)]:
        expected = means.sel(metric=metric, depth=depth)
        np.testing.assert_allclose(board[f"{metric}@{depth}"], expected)


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
    for order in ([*rows], ["b", "c", "d", "a"]):
        with pytest.warns(IrframeWarning, match="my own of c"):
            board = ir.as_scores(frame[order], metric="my own").ireval.leaderboard()
        assert board["rank"].to_dict() == {"c": 1, "a": 2, "b": 2, "d": 2}
        assert board.index.tolist() == ["c", "a", "b", "d"]


def test_every_metric_is_averaged_over_topics_that_all_systems_have(scores):
    lost = (scores["topic"] == "101") & (scores["metric"] == "nDCG") & (scores["system"] == "ance")
    with pytest.warns(IrframeWarning, match=r"left out: 1 of 16 for nDCG \(101\)$"):
        board = scores.where(~lost).ireval.leaderboard(at=10)
    rest = scores.sel(topic=scores["topic"] != "101", metric="nDCG", depth=10).mean("topic")
    np.testing.assert_allclose(board["nDCG@10"], rest.sel(system=board.index.to_numpy()))
    assert (board["n_topics"] == 16).all()


NAMED = ["ASL", "tier"]


def named(scores, metrics):
    return scores.isel(depth=0, drop=True).assign_coords(metric=metrics)


@pytest.mark.parametrize(
    ("error", "words", "ask"),
    [
        (DepthError, "7", lambda s: s.ireval.leaderboard(at=7)),
        (InputError, "tier", lambda s: named(s, NAMED).ireval.leaderboard()),
    ],
)
def test_bad_input(scores, error, words, ask):
    refused(error, words, ask, scores)


def test_a_difference_is_significant_below_alpha_and_not_at_it(scores):
    board = scores.ireval.leaderboard(baseline="bm25", adjust=None)
    alpha = board["p_adjusted"].sort_values().iloc[3]
    found = scores.ireval.leaderboard(baseline="bm25", adjust=None, alpha=alpha)
    assert found["significant"].sum() == 3


def test_the_greatest_depth_decides_in_whatever_order_depths_are():
    cube = ir.cube(*ir.example_track())
    rising, falling = (cube.ireval.score("Twist", "AP", at=at) for at in ([2, 10], [10, 2]))
    pd.testing.assert_frame_equal(rising.ireval.leaderboard(), falling.ireval.leaderboard())
    shares = (scores.ireval.effort_gain()["share"] for scores in (rising, falling))
    xr.testing.assert_equal(*shares)


def draw_alike(seed, systems, share):
    """Return which systems are alike, by chance, symmetric."""
    drawn = np.triu(np.random.default_rng(seed).random((systems, systems)) < share, 1)
    return drawn | drawn.T | np.eye(systems, dtype=bool)


@given(seed=st.integers(0, 9999), systems=st.integers(1, 12), share=st.floats(0, 1))
def test_pairs_share_a_letter_exactly_if_they_are_alike(seed, systems, share):
    alike = draw_alike(seed, systems, share)
    groups = letter_groups(alike)
    assert (((groups.T.astype(int) @ groups) > 0) == alike).all()
    assert groups[0, 0]
    for place, group in enumerate(groups):
        assert not alike[group].all(axis=0)[~group].any()  # nobody could be added
        rest = np.delete(groups, place, axis=0).astype(int)
        assert (((rest.T @ rest) > 0) != alike).any()  # and no group left out


def test_letters_of_a_ranking_are_runs():
    place = np.arange(200)
    alike = abs(place[:, np.newaxis] - place) < 40
    groups = letter_groups(alike)
    assert [(group.argmax(), group.sum()) for group in groups] == [(n, 40) for n in range(161)]


@pytest.mark.parametrize("order", [[7, 6, 5, 4, 3, 2, 1, 0], [3, 1, 4, 0, 5, 7, 2, 6]])
def test_letters_never_depend_on_the_order_of_systems(order):
    rng = np.random.default_rng(5)
    index = pd.MultiIndex.from_product([list("abcdefgh"), range(6)], names=["system", "topic"])
    scores = pd.DataFrame(
        {"AP": (rng.integers(0, 4, 48) + np.repeat([0, 0, 1, 1, 2, 2, 3, 3], 6))}, index
    )
    expected = scores.ireval.leaderboard()
    turned = scores.loc[[list("abcdefgh")[place] for place in order]]
    pd.testing.assert_series_equal(turned.ireval.leaderboard()["letters"], expected["letters"])
    assert expected["letters"].nunique() > 3


@pytest.mark.parametrize("metric", ["nDCG", "ASL"])
@pytest.mark.parametrize("how", [{"method": "bootstrap"}, {"test": "sign", "adjust": None}])
def test_letters_say_what_the_comparison_says(metric, how):
    scores = ir.cube(*ir.example_track()).ireval.score(metric, at=[10])
    told = scores.ireval.leaderboard(alpha=0.2, **how)["letters"]
    asked = {name: each for name, each in how.items() if name != "method"}
    for row in scores.ireval.compare(alpha=0.2, **asked).itertuples():
        a, b = (told[side] for side in (row.system_a, row.system_b))
        assert bool(set(a) & set(b)) == (not row.significant)
    assert told.iloc[0].startswith("a")


def test_there_are_letters_after_the_last():
    systems, last = 110, len(LETTERS)
    names = [f"s{number:03}" for number in range(systems)]
    index = pd.MultiIndex.from_product([names, range(4)], names=["system", "topic"])
    noise = np.random.default_rng(0).random(4 * systems) / 1000
    scores = pd.DataFrame({"AP": np.repeat(np.arange(systems)[::-1], 4) + noise}, index)
    found = scores.ireval.leaderboard()["letters"]
    assert found.iloc[[0, last - 1, last, 2 * last]].tolist() == ["a", "Z", "a2", "a3"]
    assert found.is_unique
