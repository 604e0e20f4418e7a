"""Tests of `leaderboard`."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError
from irframe.ranks.letters import LETTERS, letter_groups
from irframe.tables.captions import caption_text


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("ASL", "nDCG", at=[10, 5])


@pytest.mark.parametrize("family", ["depth", "metric", "all"])
def test_p_values_are_adjusted_for_the_family_of_the_leaderboard(scores, family):
    board = scores.ireval.leaderboard(at=[10, 5], test=ir.Significance(family=family, alpha=0.2))
    ranks = scores.ireval.rank_intervals(test=ir.Significance(family=family, alpha=0.2)).sel(
        metric="ASL", depth=10
    )
    result = ranks[["rank_low", "rank_high"]].to_dataframe().loc[board.index]
    assert (board[["rank_low", "rank_high"]] == result[["rank_low", "rank_high"]]).all(axis=None)
    compared = scores.ireval.leaderboard(
        at=[10, 5], test=ir.Significance(family=family), baseline="bm25"
    )
    pairs = scores.ireval.compare(ir.Significance(family=family), baseline="bm25").query(
        "metric == 'ASL' & depth == 10"
    )
    expected = pairs.set_index("system_b" if "bm25" in {*pairs["system_a"]} else "system_a")
    p = compared["p_adjusted"].dropna()
    np.testing.assert_allclose(p, expected["p_adjusted"][p.index], rtol=1e-12)


def test_the_first_metric_and_depth_determine_the_ranking(scores):
    board = scores.ireval.leaderboard(at=[5, 10], rank_interval="bootstrap", resamples=50)
    columns = "rank tier letters ASL@5 ci_low ci_high rank_low rank_high first could_be_first"
    assert " ".join(board) == f"{columns} ASL@10 nDCG@5 nDCG@10 n_topics"
    assert board["ASL@5"].is_monotonic_increasing
    ranks = scores.ireval.rank_intervals("bootstrap", resamples=50)
    expected = (
        ranks.sel(metric="ASL", depth=5, drop=True)
        .to_dataframe()
        .rename(columns={"mean": "ASL@5"})
        .loc[board.index]
    )
    common = [name for name in board if name in expected]
    assert len(common) == 10
    pd.testing.assert_frame_equal(board[common], expected[common])
    means = scores.mean("topic").sel(system=board.index.to_numpy())
    for metric, depth in [("ASL", 10), ("nDCG", 5), ("nDCG", 10)]:
        expected = means.sel(metric=metric, depth=depth)
        np.testing.assert_allclose(board[f"{metric}@{depth}"], expected)


def test_changes_from_the_baseline_equal_those_of_compare(scores):
    board = scores.ireval.leaderboard(baseline="ance", at=10, test=ir.Significance(adjust="fdr_bh"))
    frame = scores[:1].sel(depth=10).ireval.compare(baseline="ance", adjust="fdr_bh")
    expected = frame.set_index("system_a").loc[board.index.drop("ance")]
    compared = board.drop("ance")
    np.testing.assert_allclose(compared["difference"], expected["difference"])
    np.testing.assert_allclose(compared["change"], expected["difference"] / expected["mean_b"])
    np.testing.assert_allclose(compared["p_adjusted"], expected["p_adjusted"])
    assert compared["significant"].tolist() == expected["significant"].tolist()
    assert board.loc["ance", ["difference", "change", "p_adjusted"]].isna().all()
    assert not board.loc["ance", "significant"]


def test_relative_changes_from_a_baseline_of_zero_are_nan():
    index = pd.MultiIndex.from_product([["a", "b"], ["1", "2"]], names=["run", "topic"])
    frame = pd.DataFrame({"AP": [0.5, 0.25, 0, 0]}, index)
    with pytest.warns(IrframeWarning, match="no interval if all scores are the same: AP of b"):
        board = frame.ireval.leaderboard(baseline="b")
    assert board.loc["b", ["ci_low", "ci_high"]].isna().all()
    assert "AP of b" in board.attrs["caution"]
    assert "AP of b" in board.ireval.styled().notes
    assert board.index.name == "run"
    assert np.isnan(board.loc["a", "change"])
    assert board.loc["a", "difference"] == 0.375


def test_ties_are_sorted_by_name():
    rows = {"d": [1, 0], "a": [0, 1], "c": [1, 1], "b": [1, 0]}
    frame = pd.DataFrame(rows, pd.Index(["1", "2"], name="topic")).rename_axis(columns="system")
    for order in ([*rows], ["b", "c", "d", "a"]):
        with pytest.warns(IrframeWarning, match="my own of c"):
            board = ir.as_scores(frame[order], metric="my own").ireval.leaderboard()
        assert board["rank"].to_dict() == {"c": 1, "a": 2, "b": 2, "d": 2}
        assert board.index.tolist() == ["c", "a", "b", "d"]


NAMED = ["ASL", "tier"]


def named(scores, metrics):
    return scores.isel(depth=0, drop=True).assign_coords(metric=metrics)


@pytest.mark.parametrize(
    ("error", "message", "ask"),
    [
        (DepthError, "7", lambda s: s.ireval.leaderboard(at=7)),
        (InputError, "tier", lambda s: named(s, NAMED).ireval.leaderboard()),
    ],
)
def test_invalid_arguments_of_leaderboard_are_refused(scores, error, message, ask):
    refused(error, message, ask, scores)


def test_a_p_value_equal_to_alpha_is_not_significant(scores):
    board = scores.ireval.leaderboard(baseline="bm25", test=ir.Significance(adjust=None))
    alpha = board["p_adjusted"].sort_values().iloc[3]
    result = scores.ireval.leaderboard(
        baseline="bm25", test=ir.Significance(adjust=None, alpha=alpha)
    )
    assert result["significant"].sum() == 3


def test_the_greatest_depth_determines_the_ranking_by_default():
    cube = ir.cube(*ir.example_track())
    rising, falling = (cube.ireval.score("Twist", "AP", at=at) for at in ([2, 10], [10, 2]))
    pd.testing.assert_frame_equal(rising.ireval.leaderboard(), falling.ireval.leaderboard())
    shares = (scores.ireval.effort_gain()["share"] for scores in (rising, falling))
    xr.testing.assert_equal(*shares)


def draw_alike(seed, systems, share):
    """Return a random symmetric matrix of which systems are alike."""
    drawn = np.triu(np.random.default_rng(seed).random((systems, systems)) < share, 1)
    return drawn | drawn.T | np.eye(systems, dtype=bool)


@given(seed=st.integers(0, 9999), systems=st.integers(1, 12), share=st.floats(0, 1))
def test_pairs_share_a_letter_if_and_only_if_they_do_not_differ(seed, systems, share):
    alike = draw_alike(seed, systems, share)
    groups = letter_groups(alike)
    assert (((groups.T.astype(int) @ groups) > 0) == alike).all()
    assert groups[0, 0]
    for pos, group in enumerate(groups):
        assert not alike[group].all(axis=0)[~group].any()  # every group is maximal
        remaining = np.delete(groups, pos, axis=0).astype(int)
        assert (((remaining.T @ remaining) > 0) != alike).any()  # no group is superfluous


def test_letters_of_a_ranking_are_consecutive():
    pos = np.arange(200)
    alike = abs(pos[:, np.newaxis] - pos) < 40
    groups = letter_groups(alike)
    assert [(group.argmax(), group.sum()) for group in groups] == [(n, 40) for n in range(161)]


@pytest.mark.parametrize("metric", ["nDCG", "ASL"])
@pytest.mark.parametrize("options", [{"rank_interval": "bootstrap"}, {"test": "sign"}])
def test_systems_share_a_letter_unless_compare_finds_a_significant_difference(metric, options):
    scores = ir.cube(*ir.example_track()).ireval.score(metric, at=[10])
    decided = ir.Significance(
        options.pop("test", "t"), adjust=None if options else "auto", alpha=0.2
    )
    letters = scores.ireval.leaderboard(test=decided, **options)["letters"]
    for row in scores.ireval.compare(decided).itertuples():
        a, b = (letters[side] for side in (row.system_a, row.system_b))
        assert bool(set(a) & set(b)) == (not row.significant)
    assert letters.iloc[0].startswith("a")


def test_letters_have_numbers_after_the_first_52_groups():
    systems, last = 110, len(LETTERS)
    names = [f"s{number:03}" for number in range(systems)]
    index = pd.MultiIndex.from_product([names, range(4)], names=["system", "topic"])
    noise = np.random.default_rng(0).random(4 * systems) / 1000
    scores = pd.DataFrame({"AP": np.repeat(np.arange(systems)[::-1], 4) + noise}, index)
    result = scores.ireval.leaderboard()["letters"]
    assert result.iloc[[0, last - 1, last, 2 * last]].tolist() == ["a", "Z", "a2", "a3"]
    assert result.is_unique


pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{beginning}:irframe.errors.IrframeWarning")
    for beginning in ("systems without", "tests and intervals", "no interval", "comparisons whose")
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
    """Return win rates and Borda counts by a loop."""
    means = scores["AP"].groupby(["set", "system"]).mean().round(12).unstack("set") * sign
    rates, counts = {}, {}
    for system, task_means in means.iterrows():
        shares, beaten = [], []
        for task, mean in task_means.items():
            rivals = means[task].drop(system)
            if np.isnan(mean):
                beaten.append(0.0)
                continue
            won = sum((mean > rival) + (mean == rival) / 2 for rival in rivals.dropna())
            shares.append(won / rivals.notna().sum())
            beaten.append(won + rivals.isna().sum())
        rates[system], counts[system] = np.mean(shares), np.mean(beaten)
    return pd.DataFrame({"win_rate": rates, "borda": counts})


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("lower", [False, True])
def test_win_rates_and_borda_counts_equal_those_of_a_loop(seed, lower):
    for without in ((), [("hard", "a")], [("hard", "a"), ("covid", "b")]):
        scores = ir.as_scores(
            drawn(seed, without).ireval.design(task="set"), lower=["AP"] if lower else []
        )
        board = scores.ireval.leaderboard()
        expected = loops(drawn(seed, without), -1 if lower else 1).loc[board.index]
        pd.testing.assert_frame_equal(board[["win_rate", "borda"]], expected, check_names=False)
        complete = [s for s in "abcde" if s not in {system for _, system in without}]
        subset = scores[scores.index.isin(complete, level="system")].ireval.leaderboard()
        pd.testing.assert_series_equal(board["AP"].dropna(), subset["AP"])
        assert list(board.index[len(complete) :]) == [s for s in board.index if s not in complete]


@pytest.mark.parametrize("order", ["win_rate", "borda"])
def test_leaderboards_are_sorted_by_the_chosen_column(order):
    board = drawn(7).ireval.design(task="set").ireval.leaderboard(order_by=order)
    assert board[order].is_monotonic_decreasing
    assert (board["rank"] == board[order].rank(ascending=False, method="min")).all()
    assert board.attrs["n_tasks"] == "4"
    means = board[[*SIZES]].mean(axis=1)
    np.testing.assert_allclose(board["AP"], means)


def test_systems_that_tie_up_to_rounding_errors_are_sorted_by_name():
    # the win rates of c and d are both 0.5, but their rounding errors differ
    means = {"d": [3, 1, 2, 0], "c": [2, 2, 1, 1], "b": [1, 0, 0, 3], "a": [0, 3, 3, 2]}
    rows = [
        (set_, system, f"{set_}{n}", means[system][pos])
        for system in means
        for pos, set_ in enumerate(SIZES)
        for n in range(2)
    ]
    scores = pd.DataFrame(rows, columns=["set", "system", "topic", "AP"])
    scores = scores.set_index(["set", "system", "topic"]) / 10
    board = scores.ireval.design(task="set").ireval.leaderboard(order_by="win_rate")
    assert board["rank"].to_dict() == {"a": 1, "c": 2, "d": 2, "b": 4}
    assert list(board.index) == ["a", "c", "d", "b"]


@pytest.mark.parametrize("order", ["mean", "win_rate", "borda"])
@pytest.mark.parametrize("complete", [0, 1])
def test_leaderboard_has_no_means_if_every_system_lacks_a_task(order, complete):
    without = [*zip([*SIZES, "hard"], "abcde", strict=True)][complete:]
    scores = drawn(3, without).ireval.design(task="set")
    with pytest.warns(UserWarning, match="no means are compared") as caught:
        board = scores.ireval.leaderboard(order_by=order)
    advised = [str(warning.message).endswith("to sort systems") for warning in caught]
    assert any(advised) == (order == "mean")
    assert "no means are compared" in board.attrs["caution"]
    expected = loops(drawn(3, without), 1).loc[board.index]
    pd.testing.assert_frame_equal(board[["win_rate", "borda"]], expected, check_names=False)
    for column in ("AP", "ci_low", "tier", "letters", "rank_low"):
        assert board[column].isna().all()
    if order == "mean":
        assert board["rank"].isna().all()
    else:
        assert (board["rank"] == board[order].round(12).rank(ascending=False, method="min")).all()
    assert "win_rate" in repr(board)
    assert board.ireval.styled().to_html()


def test_systems_that_lack_a_task_are_last_with_a_warning():
    with pytest.warns(UserWarning, match=r"are listed last: c \(1\)$"):
        board = drawn(3, [("robust", "c")]).ireval.design(task="set").ireval.leaderboard()
    assert board.index[-1] == "c"
    assert np.isnan(board.loc["c", "AP"])
    assert board.loc["c", "marco"] > 0
    message, scores = "tasks for order_by='borda'", drawn(3, [("robust", "c")])
    groups = drawn(3).ireval.groupby("set")
    refused(ParameterError, message, groups.leaderboard, order_by="borda")
    scores = scores.ireval.design(task="set")
    refused(ParameterError, "a topic of every task", scores.ireval.compare)


def resampled(scores, seed, samples):
    """Return 60% intervals of resampled win rates and Borda counts."""
    tasks = sorted({*scores.index.get_level_values("set")}, key=lambda task: f"{task} q0")
    random, result = np.random.default_rng(seed), []
    draws = {t: random.integers(SIZES[t], size=(samples, SIZES[t]), dtype=np.int64) for t in tasks}
    by_task = {task: scores["AP"].xs(task, level="set").unstack("topic") for task in tasks}
    for n in range(samples):
        means = {t: frame.iloc[:, draws[t][n]].mean(axis=1) for t, frame in by_task.items()}
        result.append(loops(pd.concat(means, names=["set", "system"]).to_frame("AP"), 1))
    ends = {"low": samples // 5, "high": samples - 1 - samples // 5}
    return pd.DataFrame(
        {
            f"{name}_{end}": np.sort([columns[name] for columns in result], axis=0)[pos]
            for name in ("win_rate", "borda")
            for end, pos in ends.items()
        },
        result[0].index,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("without", [(), [("hard", "a")]])
def test_intervals_of_win_rates_equal_a_bootstrap_within_tasks(without):
    scores = drawn(4, without)
    expected = resampled(scores, 3, 20)
    options = {"test": ir.Significance(alpha=0.4), "resamples": ir.Resampling(20, seed=3)}
    for order in (scores, scores.iloc[::-1]):
        board = order.ireval.design(task="set").ireval.leaderboard(**options)
        result = board.loc[expected.index, [*expected]]
        pd.testing.assert_frame_equal(result, expected, check_names=False)
    assert "20 samples, seed 3" in caption_text(board.attrs)
    alone = scores[scores.index.get_level_values("topic") == "q0"]
    few = alone.ireval.design(task="set").ireval.leaderboard(order_by="borda")
    assert few[[*expected]].isna().all(axis=None)


@pytest.mark.parametrize("over", ["both", "task"])
def test_task_metrics_select_the_metric_of_each_task(over):
    scores, options = drawn(6), {"test": ir.Significance(over=over)}
    scores["RR"], scores["ASL"] = drawn(8)["AP"], 3.0
    scores = scores.ireval.design(task="set")
    by = {"covid": "RR", "robust": "AP", "hard": "AP", "marco": "RR"}
    sets = scores.index.get_level_values("set")
    joined = scores["AP"].where(sets.map(by) == "AP", scores["RR"]).rename("RR or AP").to_frame()
    expected = joined.ireval.leaderboard(**options)
    board = scores.ireval.leaderboard(**options, task_metrics=by)
    pd.testing.assert_frame_equal(board, expected)
    refuse = scores.ireval.leaderboard
    for message, wrong in {
        "a metric for every task": {"covid": "AP"},
        "existing tasks in": by | {"other": "AP"},
        "metrics of the scores": by | {"hard": "P@5"},
        "arithmetic means, with higher scores better": by | {"hard": "ASL"},
    }.items():
        refused(ParameterError, message, refuse, **options, task_metrics=wrong)
    refuse = drawn(6).ireval.groupby("set").leaderboard
    refused(ParameterError, "tasks for task_metrics=", refuse, task_metrics=by)


def test_optimism_of_two_equal_systems_is_near_its_true_value():
    """The optimism of two equal systems is known."""
    lead = np.tile([1.0, -1.0], 50)
    scores = pd.DataFrame({"AP": np.concatenate([lead / 2, -lead / 2])})
    scores.index = pd.MultiIndex.from_product([["a", "b"], range(100)], names=["system", "topic"])
    board = scores.ireval.leaderboard(interval="t", resamples=4000)
    assert board.attrs["optimism"] == pytest.approx(np.sqrt(2 / np.pi / 100) / 2, rel=0.1)
    assert board["could_be_first"].all()


def test_too_few_topics_raise_a_warning_about_first_systems():
    rng = np.random.default_rng(0)
    index = pd.MultiIndex.from_product([["a", "b"], range(6)], names=["system", "topic"])
    values = np.concatenate([rng.random(6) / 100, 0.9 + rng.random(6) / 100])
    scores = pd.DataFrame({"AP": values}, index)
    assert scores.ireval.leaderboard()["could_be_first"].tolist() == [True, False]
    fewer = scores[scores.index.get_level_values("topic") < 5].ireval.leaderboard()
    assert fewer["could_be_first"].tolist() == [True, True]
    assert "every system could be first: p is at least 0.061 on 5 topics" in fewer.attrs["caution"]


def test_leaderboards_with_repeats_have_could_be_first_only_over_topics():
    rng = np.random.default_rng(0)
    levels = [["a", "b"], [1, 2, 3], range(8)]
    index = pd.MultiIndex.from_product(levels, names=["system", "repeat", "topic"])
    scores = pd.DataFrame({"AP": rng.random(48)}, index).ireval.design(repeats="system")
    assert "could_be_first" not in scores.ireval.leaderboard()
    assert "could_be_first" in scores.ireval.leaderboard(test=ir.Significance(over="topic"))


def test_task_means_are_at_the_greatest_depth_by_default(scores):
    task = {topic: str(int(topic) % 2) for topic in scores["topic"].to_numpy()}
    scores = scores.ireval.design(task=task)
    board = scores.ireval.leaderboard()
    pd.testing.assert_frame_equal(board, scores.ireval.leaderboard(at=10))
    expected = scores.isel(metric=0).sel(depth=10).groupby("task").mean("topic").to_pandas()
    result = board[["0", "1"]].to_numpy()
    np.testing.assert_allclose(result, expected.loc[board.index, ["0", "1"]].to_numpy())
