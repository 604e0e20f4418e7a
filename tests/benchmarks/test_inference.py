"""Speed and memory of significance tests, compared with scipy loops.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_inference.py``. The loop calls
scipy once per pair and depth. The time of the loop is measured on a sample of the calls, and
extrapolated. The scores are those of a simulated track with 110 systems, 249 topics and 1000
depths.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from timed import against, mean_seconds, peak_of

import irframe as ir
from irframe.paired import all_pairs
from irframe.ranks.first import first_p

TWENTY = list(range(50, 1001, 50))
HUNDRED = list(range(10, 1001, 10))


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.simulate_track(
        systems=110, topics=249, docs=20_000, depth=1000, pool_depth=20, seed=1
    )
    return runs.ireval.cube(qrels).ireval.score("AP(norm='min')")


def sampled(scores, size=300):
    """Return pairs of score vectors at random depths."""
    rng = np.random.default_rng(1)
    values, pairs = scores.to_numpy()[0], all_pairs(scores.sizes["system"])
    depths = rng.integers(values.shape[2], size=size)
    return [
        tuple(values[system, :, depth] for system in pairs[row])
        for row, depth in zip(rng.integers(len(pairs), size=size), depths, strict=True)
    ]


def t_test(a, b):
    return stats.ttest_rel(a, b).pvalue


def wilcoxon(a, b):
    difference = np.round(a - b, 12)
    return stats.wilcoxon(difference, correction=False, method="approx").pvalue


def test_all_t_tests_at_every_depth(benchmark, scores):
    ratios = benchmark.pedantic(scores.ireval.discrimination, rounds=3, warmup_rounds=0)
    seconds, _ = mean_seconds(t_test, sampled(scores))
    peak = peak_of(scores.ireval.discrimination) / 1e9
    benchmark.extra_info["peak_GB"] = peak
    assert ratios.sizes["depth"] == 1000
    assert against(benchmark, "loop", seconds * 5995e3) >= 200
    assert peak < 0.5


def test_the_full_comparison_frame(benchmark, scores):
    frame = benchmark.pedantic(scores.ireval.compare, rounds=1, warmup_rounds=0)
    assert len(frame) == 5_995_000
    row = frame.iloc[3_000_007]
    a, b = (
        scores.sel(system=row[side], depth=row["depth"]).to_numpy()[0]
        for side in ("system_a", "system_b")
    )
    assert row["p"] == pytest.approx(t_test(a, b), rel=1e-9)
    seconds, _ = mean_seconds(t_test, sampled(scores))
    against(benchmark, "loop", seconds * 5995e3)


@pytest.mark.parametrize("verb", ["coverage", "inversions", "median_p"])
def test_ratios_at_every_depth(benchmark, scores, verb):
    options = () if verb == "median_p" else (20,)
    benchmark.pedantic(getattr(scores.ireval, verb), options, rounds=3, warmup_rounds=0)


@pytest.mark.parametrize("verb", ["summary", "compare"])
def test_two_systems_on_fifty_topics(benchmark, verb):
    index = pd.MultiIndex.from_product([["a", "b"], map(str, range(301, 351))])
    values = np.random.default_rng(0).random(100)
    frame = pd.DataFrame({"AP": values}, index.set_names(["system", "topic"]))
    benchmark.pedantic(getattr(frame.ireval, verb), rounds=30, warmup_rounds=3)

    def peer():
        wide = frame["AP"].unstack("system")
        return wide.mean(), stats.ttest_rel(wide["a"], wide["b"])

    seconds = min(mean_seconds(peer, [()])[0] for _ in range(30))
    assert against(benchmark, "loop", seconds) >= 0.3


def test_wilcoxon_at_twenty_depths(benchmark, scores):
    comparison = benchmark.pedantic(
        scores.ireval.discrimination, ("wilcoxon",), {"at": TWENTY}, rounds=3, warmup_rounds=0
    )
    seconds, _ = mean_seconds(wilcoxon, sampled(scores))
    assert comparison.sizes["depth"] == 20
    assert against(benchmark, "loop", seconds * 5995 * 20) >= 20


def test_volatility_of_a_thousand_depths(benchmark, scores):
    volatility = benchmark.pedantic(scores.ireval.volatility, rounds=3, warmup_rounds=0)[0]
    means = scores.mean("topic").to_numpy()[0].T.round(12)
    rows = np.random.default_rng(1).integers(1000, size=(300, 2))
    seconds, values = mean_seconds(
        lambda x, y: stats.kendalltau(x, y).statistic, [tuple(means[row]) for row in rows]
    )
    np.testing.assert_allclose(volatility.to_numpy()[rows[:, 0], rows[:, 1]], values, atol=1e-12)
    assert against(benchmark, "loop", seconds * 1e6) >= 500


@pytest.mark.parametrize("method", ["tau_ap", "rbo"])
def test_top_weighted_volatility_of_a_hundred_depths(benchmark, scores, method):
    benchmark.pedantic(
        scores.ireval.volatility,
        (),
        {"coefficient": method, "at": HUNDRED},
        rounds=3,
        warmup_rounds=0,
    )
    assert benchmark.stats.stats.min < 2


def test_discriminative_power_at_one_depth(benchmark, scores):
    benchmark.pedantic(
        scores.ireval.bootstrap_sensitivity, (), {"at": 100}, rounds=2, warmup_rounds=0
    )


def test_rank_intervals_at_twenty_depths(benchmark, scores):
    intervals = benchmark.pedantic(
        scores.ireval.rank_intervals, (), {"at": TWENTY}, rounds=3, warmup_rounds=0
    )
    assert intervals.sizes["depth"] == 20
    assert benchmark.stats.stats.min < 2


def test_max_t_at_one_depth(benchmark, scores):
    benchmark.pedantic(
        scores.ireval.discrimination,
        (),
        {"test": ir.Significance(adjust="max-t"), "at": 100},
        rounds=2,
        warmup_rounds=0,
    )


def test_intervals_of_agreement_at_twenty_depths(benchmark, scores):
    benchmark.pedantic(
        scores.ireval.agreement,
        (100,),
        {"interval_of": "expected", "at": TWENTY},
        rounds=2,
        warmup_rounds=0,
    )


def test_which_of_143_systems_could_be_first_takes_less_than_a_second(benchmark):
    values = np.random.default_rng(1).random((143, 30, 1))
    benchmark.pedantic(first_p, (values,), rounds=3, warmup_rounds=1)
    assert benchmark.stats.stats.min < 1
