"""Tests of `rank_intervals` against reference implementations."""

import itertools
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from known_truth import covered, simulate
from refusals import refused
from scipy import stats
from turns import few_of

import irframe as ir
from irframe.errors import IrframeWarning, ParameterError
from irframe.paired.pairs import draw_topics

NAMES = ["mean", "ci_low", "ci_high", "rank", "rank_low", "rank_high", "tier", "could_be_first"]
NAMES = [*NAMES, "n_topics"]
METHODS = ("pairs", "holm", "max-t", "bootstrap")


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("nDCG", "ASL", "GMAP", at=[1, 10])


def rank_of(values):
    """Return ranks by a loop. Higher scores are better."""
    return [1 + sum(rival > value + 5e-13 for rival in values) for value in values]


def quiet(verb, *arguments, **options):
    """Call a function, ignoring warnings about constant scores."""
    with warnings.catch_warnings():
        messages = "no (interval where|outcome on)|the normal|comparisons (whose|of harmonic)"
        warnings.filterwarnings("ignore", messages, IrframeWarning)
        return verb(*arguments, **options)


def looped(values, samples, beyond):
    """Return quantiles of resampled ranks, and shares of rank 1."""
    drawn = draw_topics(values.shape[1], samples=samples, seed=3)
    ranks = np.array([rank_of([row[topics].mean() for row in values]) for topics in drawn])
    ordered = np.sort(ranks, axis=0)
    first = (ranks == 1) / (ranks == 1).sum(axis=1, keepdims=True)
    return ordered[beyond], ordered[-1 - beyond], first.mean(axis=0)


def holm_by_loop(values, alpha):
    """Return intervals of ranks from t-tests of all pairs."""
    systems, topics = values.shape
    result = []
    for j in range(systems):
        counts = []
        for side in (1, -1):
            p = []
            for k in set(range(systems)) - {j}:
                difference = side * (values[k] - values[j])
                error = difference.std(ddof=1) / np.sqrt(topics)
                t = difference.mean() / error if error > 1e-12 else -np.inf
                p.append(stats.t.sf(t, topics - 1))
            steps = np.sort(p) <= alpha / 2 / np.arange(systems - 1, 0, -1)
            counts.append(steps.argmin() if not steps.all() else systems - 1)
        result.append((1 + counts[0], systems - counts[1]))
    return np.transpose(result)


def assert_ranks(result, *expected):
    """Assert that ranks and ends of intervals are as expected."""
    for name, values in zip(("rank", "rank_low", "rank_high"), expected, strict=True):
        np.testing.assert_array_equal(result[name].values.ravel(), values)


def array_of(values, metric="AP"):
    return xr.DataArray(values, dims=["system", "topic"], name=metric)


@given(seed=st.integers(0, 999), metric=st.sampled_from(["AP", "ASL"]))
def test_bootstrap_rank_intervals_equal_those_of_a_loop(seed, metric):
    values = np.random.default_rng(seed).integers(0, 4, (5, 7)) / 4
    options = {"test": ir.Significance(alpha=0.2), "resamples": ir.Resampling(40, seed=3)}
    result = quiet(array_of(values, metric).ireval.rank_intervals, "bootstrap", **options)
    sign = -1 if metric == "ASL" else 1
    low, high, first = looped(sign * values, 40, beyond=4)
    assert_ranks(result, rank_of(sign * values.mean(axis=1)), low, high)
    np.testing.assert_allclose(result["first"].values.ravel(), first)
    assert result["first"].sum() == pytest.approx(1)


@given(
    seed=st.integers(0, 999),
    metric=st.sampled_from(["AP", "ASL", "GMAP", "InverseASL"]),
    alpha=st.sampled_from([0.05, 0.5]),
)
def test_holm_rank_intervals_equal_those_of_a_loop(seed, metric, alpha):
    rng = np.random.default_rng(seed)
    values = np.clip(rng.integers(1, 5, (6, 7)) + rng.integers(0, 4, (6, 1)), 1, 8) / 8
    values[1] = values[0]
    values[2] = values[3] - 0.125
    result = quiet(
        array_of(values, metric).ireval.rank_intervals, "holm", test=ir.Significance(alpha=alpha)
    )
    with np.errstate(divide="ignore", invalid="ignore"):  # costs of 0 have infinite reciprocals
        averaged = {"AP": values, "ASL": -values, "InverseASL": -1 / values}
        tested = averaged.get(metric, np.log(np.maximum(values, 1e-5)))
        low, high = holm_by_loop(tested, alpha)
    assert_ranks(result, rank_of(tested.mean(axis=1)), low, high)


@given(seed=st.integers(0, 999))
def test_max_t_rank_intervals_equal_those_of_a_loop(seed):
    rng = np.random.default_rng(seed)
    values = rng.random((5, 9)) + rng.random((5, 1))
    drawn = ir.paired.MaxT(samples=99, seed=4)
    result = array_of(values).ireval.rank_intervals(
        "max-t", test=ir.Significance(alpha=0.1), resamples=ir.Resampling(99, seed=4)
    )
    for j in range(5):
        rivals = [k for k in range(5) if k != j]
        differs = drawn.kernel(values.T, np.array([[k, j] for k in rivals])) < 0.1
        better = sum(
            differs[n] and values[k].mean() > values[j].mean() for n, k in enumerate(rivals)
        )
        assert result["rank_low"][0, j] == 1 + better
        assert result["rank_high"][0, j] == 5 - (differs.sum() - better)


def test_equal_systems_share_the_first_rank():
    rows = np.random.default_rng(1).random((3, 8))
    result = array_of(rows[[0, 1, 1, 2]]).ireval.rank_intervals("bootstrap")["first"].values[0]
    assert result.sum() == pytest.approx(1)
    assert result[1] == result[2]


def test_constant_differences_are_never_significant():
    scores = array_of(np.array([0.1, 0.4, 0.2, 0.5]) + np.array([[0], [0.1], [0.2]]))
    for method in ("pairs", "holm"):
        with pytest.warns(IrframeWarning, match="same on all topics.*: 3 of 3"):
            result = scores.ireval.rank_intervals(method)
        assert (result["rank_low"] == 1).all()
        assert (result["rank_high"] == 3).all()


@pytest.mark.filterwarnings("ignore:tukey assumes:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:the normal approximation:irframe.errors.IrframeWarning")
@pytest.mark.filterwarnings("ignore:no outcome on at most:irframe.errors.IrframeWarning")
@pytest.mark.parametrize(
    "fields",
    few_of(
        [
            *({}, {"adjust": None}, {"adjust": "fdr_bh", "test": "wilcoxon"}, {"adjust": "max-t"}),
            *({"test": "tukey", "alpha": 0.3}, {"family": "all", "test": "sign"}),
        ],
        2,
    ),
)
def test_intervals_and_tiers_agree_with_compare(scores, fields):
    options = {"test": ir.Significance(**fields)}
    rows = scores.ireval.compare(**options)
    sign = np.where(rows["metric"] == "ASL", -1, 1)
    ahead = np.sign(sign * (rows["mean_a"] - rows["mean_b"]).round(12)) * rows["significant"]
    result = scores.ireval.rank_intervals(**options).to_dataframe()
    for (metric, system, depth), pos in result.iterrows():
        here = (rows["metric"] == metric) & (rows["depth"] == depth)
        side = (rows["system_a"] == system) * 1 - (rows["system_b"] == system) * 1
        worse, better = ((here & (side * ahead == direction)).sum() for direction in (1, -1))
        assert (pos["rank_low"], pos["rank_high"]) == (1 + better, 8 - worse)
    for depth in (1, 10):
        board = scores[:1].ireval.leaderboard(at=depth, **options)
        alone = (
            scores[:1].sel(depth=depth).ireval.rank_intervals(**options).squeeze().to_dataframe()
        )
        columns = ["rank_low", "rank_high", "tier"]
        pd.testing.assert_frame_equal(board[columns].sort_index(), alone[columns].sort_index())
        recorded = rows.attrs["test"], rows.attrs["adjust"], rows.attrs["alpha"]
        assert recorded == tuple(board.attrs[name] for name in ("test", "adjust", "alpha"))


def test_ranking_all_depths_equals_ranking_single_depths(scores):
    for method in METHODS:
        # By default the scale of intervals depends on the scores at all depths.
        options = {"resamples": 200, "interval": "t"}
        result = scores.ireval.rank_intervals(method, **options)
        assert {*result} == {*NAMES, *(["first"] if method == "bootstrap" else [])}
        assert result["rank"].dims == ("metric", "system", "depth")
        for label, depth in itertools.product(scores["metric"].values, (1, 10)):
            of_metric = scores.sel(metric=[label])
            alone = of_metric.sel(depth=depth).ireval.rank_intervals(method, **options)
            xr.testing.assert_allclose(result.sel(metric=[label], depth=depth), alone)


def test_means_and_intervals_equal_those_of_summary(scores):
    for interval in ("logit", "t"):
        decided = ir.Significance(alpha=0.1)
        result = scores.ireval.rank_intervals(test=decided, interval=interval)
        summary = scores.ireval.summary(alpha=0.1, interval=interval)
        for name in ("mean", "ci_low", "ci_high"):
            np.testing.assert_array_equal(result[name], summary[name])
    recorded = {
        "alpha": 0.1,
        "rank_interval": "pairs",
        "interval": "t",
        "adjust": "holm",
        "test": "t",
    }
    assert result.attrs | recorded == result.attrs


@pytest.mark.parametrize("seed", range(3))
def test_ranks_do_not_depend_on_the_order_of_systems_and_topics(seed):
    rng = np.random.default_rng(seed)
    labels = {"system": list("abcdef"), "topic": [f"t{n}" for n in range(8)]}
    scores = array_of(rng.integers(0, 3, (6, 8)) / 3).assign_coords(labels)
    scores[1] = scores[4]
    order = {dim: rng.permutation(names) for dim, names in labels.items()}
    for method in METHODS:
        result = quiet(scores.ireval.rank_intervals, method, resamples=50)
        repeated = quiet(scores.sel(order).ireval.rank_intervals, method, resamples=50)
        repeated = repeated.sel(system=labels["system"])
        for name in {"rank", "rank_low", "rank_high", "first", "tier"} & {*result}:
            np.testing.assert_array_equal(result[name], repeated[name])
    assert result["first"][0, 1] == result["first"][0, 4]


def tiers_by_loop(means, pairs):
    """Return tiers by a loop over significant pairs."""
    tiers, tier, inside = {}, 0, None
    for rank in sorted(set(rank_of(means))):
        tied = [system for system, r in enumerate(rank_of(means)) if r == rank]
        if inside is None or any({a, b} in pairs for a in inside for b in tied):
            tier, inside = tier + 1, []
        inside += tied
        tiers |= dict.fromkeys(tied, tier)
    return [tiers[system] for system in range(len(means))]


@given(seed=st.integers(0, 9999), test=st.sampled_from(["t", "wilcoxon"]))
def test_tiers_equal_those_of_a_loop(seed, test):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, (8, 9)) / 4 + rng.integers(0, 4, (8, 1)) / 4
    scores = array_of(values)
    decided = ir.Significance(test, adjust="fdr_bh", alpha=0.2)
    frame = quiet(scores.ireval.compare, decided).query("significant")
    pairs = [{a - 1, b - 1} for a, b in zip(frame["system_a"], frame["system_b"], strict=True)]
    result = quiet(scores.ireval.rank_intervals, test=decided)["tier"]
    assert result.values[0].tolist() == tiers_by_loop(values.mean(axis=1), pairs)


def test_a_tier_ends_before_a_significant_difference():
    noise = np.array([0, 1, 0, 2, 1, 0, 2, 1]) / 100
    wide = np.array([3, -3, 2, -2, 1, -1, 0, 0]) / 100
    chain = [noise, noise + 0.005 + wide, noise + 0.01 + np.array([1, -1] * 4) / 1000]
    scores = array_of(np.array([*chain, 0.5 + noise * 1.01, noise + noise[::-1] / 1e6]))
    differs = scores.ireval.compare(adjust="holm")["significant"].to_numpy()
    # Systems 0 and 4 differ from 2 and 3, system 1 from 3, and system 2 from 3.
    assert differs.tolist() == [False, True, True, False, False, True, False, True, True, True]
    result = scores.ireval.rank_intervals()["tier"]
    assert result.values[0].tolist() == [3, 2, 2, 1, 3]


def test_coverage_of_holm_exceeds_that_of_the_bootstrap():
    scores, truth = simulate(10, 8, 200, spread=0.5, seed=0)
    shares = {}
    for method in ("holm", "bootstrap"):
        result = scores.ireval.rank_intervals(
            method, resamples=200, test=ir.Significance(adjust=None), interval="t"
        )
        hits, ranks = covered(result, truth)
        shares[method] = hits.mean(), hits[ranks == 1].mean()
    assert min(shares["holm"]) >= 0.95
    assert shares["bootstrap"][1] < 0.9


@pytest.mark.filterwarnings("ignore:comparisons of harmonic:irframe.errors.IrframeWarning")
def test_harmonic_means_of_zero_are_ranked():
    values = xr.DataArray(
        [[0.0, 0.5, 0.5], [0.25, 0.5, 0.1]], dims=["system", "topic"], name="InverseASL"
    )
    result = values.ireval.rank_intervals("bootstrap", resamples=100)
    drawn = draw_topics(3, samples=100, seed=0)
    without = ~(drawn == 0).any(axis=1)
    # Both systems tie in samples with the second topic twice or three times.
    tied = (drawn == 1).all(axis=1).mean()
    assert result["first"][0, 0] == pytest.approx(without.mean() - tied / 2)
    with pytest.warns(IrframeWarning, match="harmonic means that are 0 because of a score of 0: 1"):
        assert_ranks(values.ireval.rank_intervals(), [2, 1], [1, 1], [2, 2])


@pytest.mark.filterwarnings("ignore:comparisons whose:irframe.errors.IrframeWarning")
def test_a_single_topic_allows_every_rank(scores):
    with pytest.warns(IrframeWarning, match="single topic"):
        every = [
            scores.isel(topic=[3]).ireval.rank_intervals(name, resamples=50) for name in METHODS
        ]
    for result in every:
        assert (result["rank_low"] == 1).all()
        assert (result["rank_high"] == 8).all()
        assert result["rank"].max() > 4
    assert np.isnan(every[-1]["first"]).all()


def test_incompatible_options_of_rank_intervals_are_refused(scores):
    refused(ParameterError, "holm", scores.ireval.rank_intervals, "holm", test="sign")
    refused(ParameterError, "two systems", scores.isel(system=[0]).ireval.rank_intervals)
