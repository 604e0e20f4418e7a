"""Speed and memory of conclusions from scores, against a loop over scipy.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_inference.py``. The loop, one call
for each pair and depth, is timed on a sample in the same run and extrapolated. Scores are those
of a simulated track, 110 systems x 249 topics x 1000 depths.
"""

import sys
import time

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from timed import peak_of

import irframe as ir
from irframe.paired import all_pairs

TWENTY = list(range(50, 1001, 50))
HUNDRED = list(range(10, 1001, 10))


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.simulate_track(
        systems=110, topics=249, docs=20_000, depth=1000, pool_depth=20, seed=1
    )
    return runs.ireval.cube(qrels).ireval.score("AP(norm='min')")


def each(function, pairs):
    """Mean seconds of a call, and what the calls gave."""
    function(*pairs[0])
    start = time.perf_counter()
    values = [function(*pair) for pair in pairs]
    return (time.perf_counter() - start) / len(pairs), values


def sampled(scores, size=300):
    """Pairs of score vectors at some depth, from all over the array."""
    rng = np.random.default_rng(1)
    values, pairs = scores.to_numpy()[0], all_pairs(scores.sizes["system"])
    depths = rng.integers(values.shape[2], size=size)
    return [
        tuple(values[system, :, depth] for system in pairs[row])
        for row, depth in zip(rng.integers(len(pairs), size=size), depths, strict=True)
    ]


def say(benchmark, what, loop=None):
    ours = benchmark.stats.stats.min
    text = f"\n{what}: {ours:.2f} s"
    if loop is not None:
        benchmark.extra_info.update(loop=loop, ratio=loop / ours)
        text += f", loop {loop:.0f} s: {loop / ours:.0f} x"
    sys.stdout.write(text + "\n")
    return loop / ours if loop is not None else ours


def t_test(a, b):
    return stats.ttest_rel(a, b).pvalue


def wilcoxon(a, b):
    difference = np.round(a - b, 12)
    return stats.wilcoxon(difference, correction=False, method="approx").pvalue


def test_all_t_tests_at_every_depth(benchmark, scores):
    ratios = benchmark.pedantic(scores.ireval.discrimination, rounds=3, warmup_rounds=0)
    seconds, _ = each(t_test, sampled(scores))
    peak = peak_of(scores.ireval.discrimination) / 1e9
    benchmark.extra_info["peak_GB"] = peak
    sys.stdout.write(f"\npeak {peak:.2f} GB on top of the scores\n")
    assert ratios.sizes["depth"] == 1000
    assert say(benchmark, "discrimination, 5995 pairs x 1000 depths", seconds * 5995e3) >= 200
    assert peak < 0.5


def test_the_whole_comparison_frame(benchmark, scores):
    frame = benchmark.pedantic(scores.ireval.compare, rounds=1, warmup_rounds=0)
    assert len(frame) == 5_995_000
    row = frame.iloc[3_000_007]
    a, b = (
        scores.sel(system=row[side], depth=row["depth"]).to_numpy()[0]
        for side in ("system_a", "system_b")
    )
    assert row["p"] == pytest.approx(t_test(a, b), rel=1e-9)
    seconds, _ = each(t_test, sampled(scores))
    say(benchmark, "compare, 5,995,000 rows of 18 columns", seconds * 5995e3)


@pytest.mark.parametrize("verb", ["coverage", "inversions", "median_p"])
def test_ratios_at_every_depth(benchmark, scores, verb):
    options = () if verb == "median_p" else (20,)
    benchmark.pedantic(getattr(scores.ireval, verb), options, rounds=3, warmup_rounds=0)
    say(benchmark, f"{verb}, 5995 pairs x 1000 depths")


@pytest.mark.parametrize("verb", ["summary", "compare"])
def test_two_systems_on_fifty_topics(benchmark, verb):
    index = pd.MultiIndex.from_product([["a", "b"], map(str, range(301, 351))])
    values = np.random.default_rng(0).random(100)
    frame = pd.DataFrame({"AP": values}, index.set_names(["system", "topic"]))
    benchmark.pedantic(getattr(frame.ireval, verb), rounds=30, warmup_rounds=3)

    def peer():
        wide = frame["AP"].unstack("system")
        return wide.mean(), stats.ttest_rel(wide["a"], wide["b"])

    seconds = min(each(peer, [()])[0] for _ in range(30))
    assert say(benchmark, f"{verb}, 2 systems x 50 topics", seconds) >= 0.3


def test_a_baseline_and_ten_thousand_systems(benchmark):
    names = pd.Index(range(10_000)).astype(str)
    index = pd.MultiIndex.from_product([names, ["1", "2", "3"]], names=["system", "topic"])
    frame = pd.DataFrame({"AP": np.random.default_rng(0).random(len(index))}, index)
    some = {"baseline": "0"}
    benchmark.pedantic(frame.ireval.compare, (), some, rounds=3, warmup_rounds=1)
    peak = peak_of(lambda: frame.ireval.compare(**some)) / 1e6
    sys.stdout.write(f"\n{peak:.0f} MB on top of the scores\n")
    assert say(benchmark, "compare, 10,000 systems with a baseline") < 1
    assert peak < 200


def test_clusters_cost_little(benchmark, scores):
    start = time.process_time()
    scores.ireval.compare(at=HUNDRED)
    alone = time.process_time() - start
    cluster = {topic: number // 5 for number, topic in enumerate(scores["topic"].to_numpy())}
    start = time.process_time()
    scores.ireval.compare(at=HUNDRED, cluster=cluster)
    ratio = (time.process_time() - start) / alone
    benchmark.pedantic(lambda: None, rounds=1)
    benchmark.extra_info["ratio"] = ratio
    sys.stdout.write(f"\ncompare with clusters: {ratio:.2f} of the time without\n")
    assert ratio < 1.2


def test_wilcoxon_at_twenty_depths(benchmark, scores):
    found = benchmark.pedantic(
        scores.ireval.discrimination, ("wilcoxon",), {"at": TWENTY}, rounds=3, warmup_rounds=0
    )
    seconds, _ = each(wilcoxon, sampled(scores))
    assert found.sizes["depth"] == 20
    assert say(benchmark, "Wilcoxon, 5995 pairs x 20 depths", seconds * 5995 * 20) >= 20


def test_volatility_of_a_thousand_depths(benchmark, scores):
    found = benchmark.pedantic(scores.ireval.volatility, rounds=3, warmup_rounds=0)[0]
    means = scores.mean("topic").to_numpy()[0].T.round(12)
    rows = np.random.default_rng(1).integers(1000, size=(300, 2))
    seconds, values = each(
        lambda x, y: stats.kendalltau(x, y).statistic, [tuple(means[row]) for row in rows]
    )
    np.testing.assert_allclose(found.to_numpy()[rows[:, 0], rows[:, 1]], values, atol=1e-12)
    assert say(benchmark, "tau matrix, 1000 x 1000 depths", seconds * 1e6) >= 500


@pytest.mark.parametrize("method", ["tau_ap", "rbo"])
def test_top_weighted_volatility_of_a_hundred_depths(benchmark, scores, method):
    benchmark.pedantic(
        scores.ireval.volatility, (), {"method": method, "at": HUNDRED}, rounds=3, warmup_rounds=0
    )
    assert say(benchmark, f"{method} matrix, 100 x 100 depths") < 2


def test_discriminative_power_at_one_depth(benchmark, scores):
    benchmark.pedantic(
        scores.ireval.bootstrap_sensitivity, (), {"at": 100}, rounds=2, warmup_rounds=0
    )
    say(benchmark, "bootstrap of 1000 resamples, 5995 pairs x 1 depth")


def test_rank_intervals_at_twenty_depths(benchmark, scores):
    found = benchmark.pedantic(
        scores.ireval.rank_intervals, (), {"at": TWENTY}, rounds=3, warmup_rounds=0
    )
    assert found.sizes["depth"] == 20
    assert say(benchmark, "rank intervals, 1000 resamples, 110 systems x 20 depths") < 2


def test_max_t_at_one_depth(benchmark, scores):
    benchmark.pedantic(
        scores.ireval.discrimination, (), {"adjust": "max-t", "at": 100}, rounds=2, warmup_rounds=0
    )
    say(benchmark, "max-t, 10,000 draws, 5995 pairs x 1 depth")


def test_intervals_of_agreement_at_twenty_depths(benchmark, scores):
    benchmark.pedantic(
        scores.ireval.agreement, (100,), {"interval": True, "at": TWENTY}, rounds=2, warmup_rounds=0
    )
    say(benchmark, "agreement with depth 100 at 20 depths, 1000 resamples")
