"""Ranks with their intervals, against a loop over resamples."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from known_truth import covered, simulate

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError
from irframe.paired.resamples import draw_topics

NAMES = ["mean", "ci_low", "ci_high", "rank", "rank_low", "rank_high", "first", "tier", "n_topics"]


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", "GMAP", at=[1, 10])


def rank_of(values):
    """Return competition ranks by a loop, higher is better."""
    return [1 + sum(other > value + 5e-13 for other in values) for value in values]


def looped(values, samples, beyond):
    """Return ends of the ranks in resamples and how often they are 1; values (system, topic)."""
    drawn = draw_topics(values.shape[1], samples=samples, seed=3)
    ranks = np.array([rank_of([row[topics].mean() for row in values]) for topics in drawn])
    ordered = np.sort(ranks, axis=0)
    return ordered[beyond], ordered[-1 - beyond], (ranks == 1).mean(axis=0)


def array_of(values, metric="AP"):
    return xr.DataArray(values, dims=["system", "topic"], name=metric)


@given(seed=st.integers(0, 999), metric=st.sampled_from(["AP", "ASL"]))
def test_ranks_equal_the_loop(seed, metric):
    values = np.random.default_rng(seed).integers(0, 4, (5, 7)) / 4
    found = array_of(values, metric).ireval.rank_intervals(0.8, samples=40, seed=3)
    sign = -1 if metric == "ASL" else 1
    low, high, first = looped(sign * values, 40, beyond=4)
    assert found["rank"].values.ravel().tolist() == rank_of(sign * values.mean(axis=1))
    assert found["rank_low"].values.ravel().tolist() == low.tolist()
    assert found["rank_high"].values.ravel().tolist() == high.tolist()
    assert found["first"].values.ravel().tolist() == first.tolist()


def test_all_depths_and_metrics_are_ranked_as_each_is_alone(scores):
    found = scores.ireval.rank_intervals(samples=200)
    assert [*found] == NAMES
    assert found["rank"].dims == ("metric", "system", "depth")
    for label in scores["metric"].values:
        for depth in (1, 10):
            alone = scores.sel(metric=[label]).ireval.rank_intervals(samples=200, at=depth)
            xr.testing.assert_allclose(found.sel(metric=[label], depth=[depth]), alone)


def test_means_are_those_of_the_summary(scores):
    found, summary = scores.ireval.rank_intervals(0.9, samples=9), scores.ireval.summary(alpha=0.1)
    for name in ("mean", "ci_low", "ci_high"):
        np.testing.assert_array_equal(found[name], summary[name])
    assert found.attrs | {"level": 0.9, "samples": 9, "test": "t"} == found.attrs


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_systems_and_topics_never_matters(seed):
    rng = np.random.default_rng(seed)
    labels = {"system": list("abcdef"), "topic": [f"t{n}" for n in range(8)]}
    given = array_of(rng.integers(0, 3, (6, 8)) / 3).assign_coords(labels)
    given[1] = given[4]
    order = {dim: rng.permutation(names) for dim, names in labels.items()}
    found = given.ireval.rank_intervals(samples=50)
    again = given.sel(order).ireval.rank_intervals(samples=50).sel(system=labels["system"])
    for name in ("rank", "rank_low", "rank_high", "first", "tier"):
        np.testing.assert_array_equal(found[name], again[name])
    assert found["first"][0, 1] == found["first"][0, 4]


def tiers_by_loop(means, pairs):
    """Cut a ranking into tiers by a loop; pairs are told apart, by the numbers of the systems."""
    tiers, tier, inside = {}, 0, None
    for rank in sorted(set(rank_of(means))):
        tied = [system for system, r in enumerate(rank_of(means)) if r == rank]
        if inside is None or any({a, b} in pairs for a in inside for b in tied):
            tier, inside = tier + 1, []
        inside += tied
        tiers |= dict.fromkeys(tied, tier)
    return [tiers[system] for system in range(len(means))]


@given(seed=st.integers(0, 9999), test=st.sampled_from(["t", "wilcoxon"]))
def test_tiers_equal_the_loop(seed, test):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (8, 9)) / 4 + rng.integers(0, 4, (8, 1)) / 4
    given, asked = array_of(values), {"adjust": "fdr_bh", "alpha": 0.2}
    frame = given.ireval.compare(test, **asked).query("significant")
    pairs = [{a - 1, b - 1} for a, b in zip(frame["system_a"], frame["system_b"], strict=True)]
    found = given.ireval.rank_intervals(samples=2, test=test, **asked)["tier"]
    assert found.values[0].tolist() == tiers_by_loop(values.mean(axis=1), pairs)


def test_a_tier_ends_before_the_first_that_is_told_apart_from_one_inside():
    noise = np.array([0, 1, 0, 2, 1, 0, 2, 1]) / 100
    wide = np.array([3, -3, 2, -2, 1, -1, 0, 0]) / 100
    chain = [noise, noise + 0.005 + wide, noise + 0.01 + np.array([1, -1] * 4) / 1000]
    scores = array_of(np.array([*chain, 0.5 + noise, noise]))
    told = scores.ireval.compare(adjust="holm")["significant"].to_numpy()
    # Of 0, 1, 2 in the chain, 0 and 2 are told apart, 3 from all; 4 is the same as 0.
    assert told.tolist() == [False, True, True, False, False, True, False, True, True, True]
    found = scores.ireval.rank_intervals(samples=9)["tier"]
    assert found.values[0].tolist() == [3, 2, 2, 1, 3]


def test_true_ranks_are_covered_as_often_as_promised():
    scores, truth = simulate(20, 50, 100, spread=2, seed=0)
    hits, _ = covered(scores.ireval.rank_intervals(samples=400, adjust=None), truth)
    assert 0.93 <= hits.mean() <= 0.97
    hits, _ = covered(scores.ireval.rank_intervals(0.5, samples=400, adjust=None), truth)
    assert 0.5 <= hits.mean() <= 0.7  # a rank is a whole number, and an interval a bit too wide


def test_topics_that_some_system_lacks_are_left_out(scores):
    holes = scores.where((scores["topic"] != "101") | (scores["system"] != "bm25"))
    with pytest.warns(IrframeWarning, match="1 of 16 for nDCG"):
        found = holes.ireval.rank_intervals(samples=50)
    rest = scores.sel(topic=scores["topic"] != "101").ireval.rank_intervals(samples=50)
    xr.testing.assert_allclose(found, rest)
    assert (found["n_topics"] == 15).all()


def test_frames_come_back_as_frames_with_their_names():
    runs, qrels = ir.example_track()
    frame = runs.rename(columns={"system": "run"}).ireval.evaluate(qrels, ["AP@10", "ASL"])
    found = frame.ireval.rank_intervals(samples=20)
    assert found.index.names == ["metric", "run"]
    assert [*found] == NAMES
    array = ir.cube(runs, qrels).ireval.score("AP", at=10).ireval.rank_intervals(samples=20)
    np.testing.assert_allclose(found.loc["AP@10"], array.to_dataframe()[NAMES])
    groups = frame.assign(half=[n % 2 for n in range(len(frame))]).ireval
    assert groups.rank_intervals(samples=20, by="half").index.names == ["half", "metric", "run"]


def test_an_infinite_term_of_an_average_leads_to_no_missing_rank():
    values = xr.DataArray(
        [[0.0, 0.5, 0.5], [0.25, 0.5, 0.1]], dims=["system", "topic"], name="InverseASL"
    )
    found = values.ireval.rank_intervals(samples=100)
    drawn = draw_topics(3, samples=100, seed=0)
    without = ~(drawn == 0).any(axis=1)
    assert found["first"][0, 0] == without.mean()
    assert found["rank"].values.tolist() == [[2, 1]]


def test_a_single_topic_tells_nothing_of_others(scores):
    with pytest.warns(IrframeWarning, match="single topic"):
        found = scores.isel(topic=[3]).ireval.rank_intervals(samples=50)
    assert (found["rank_low"] == 1).all()
    assert (found["rank_high"] == 8).all()
    assert np.isnan(found["first"]).all()
    assert found["rank"].max() > 4


def test_bad_input(scores):
    for options in (
        {"level": 1},
        {"samples": 0},
        {"seed": -1},
        {"alpha": 0},
        {"adjust": "holmes"},
        {"test": "z"},
    ):
        with pytest.raises(ParameterError, match=str(*options.values())):
            scores.ireval.rank_intervals(**options)
    with pytest.raises(DepthError):
        scores.ireval.rank_intervals(at=7)
    with pytest.raises(ParameterError, match="two systems"):
        scores.isel(system=[0]).ireval.rank_intervals()


def test_groups_have_rankings_of_their_own(scores):
    teams = scores.ireval.rank_intervals(samples=20, by="team")
    assert teams["rank"].max() == teams["rank"].notnull().sum("system").max()
    assert isinstance(teams, xr.Dataset)
    assert pd.unique(scores["team"].values).tolist() == teams["team"].values.tolist()
