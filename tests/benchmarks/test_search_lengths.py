"""Speed of outcome breakdowns and search lengths.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_search_lengths.py``.
"""

import numpy as np
import pytest

import irframe as ir
from irframe.metrics import AP, ASL


@pytest.fixture(scope="module")
def leaderboard(shared):
    folder = shared / "data" / "msmarco-doc-dev"
    runs = ir.read_runs(str(folder / "runs" / "*"), system="file")
    return runs, ir.read_qrels(folder / "qrels.txt")


def test_breakdown_of_a_leaderboard_from_frames(benchmark, leaderboard):
    runs, qrels = leaderboard
    found = benchmark.pedantic(
        runs.ireval.outcomes, (qrels,), {"baseline": "bm25", "depth": 10}, rounds=5, warmup_rounds=1
    )
    assert len(found.summary) == 11
    assert benchmark.stats.stats.max < 1


def test_breakdown_of_a_leaderboard_from_a_cube(benchmark, leaderboard):
    cube = leaderboard[0].ireval.cube(leaderboard[1])
    found = benchmark.pedantic(
        cube.ireval.outcomes, (), {"baseline": "bm25"}, rounds=5, warmup_rounds=1
    )
    assert round(found.summary.loc[0, "mrr_a"], 5) == 0.21854
    assert benchmark.stats.stats.max < 1


def test_search_lengths_at_every_depth(benchmark):
    runs, qrels = ir.simulate_track(
        systems=40, topics=50, docs=20_000, depth=1000, pool_depth=100, seed=1
    )
    cube = runs.ireval.cube(qrels)
    scores = benchmark.pedantic(
        cube.ireval.score, (ASL(), ASL(first=10), AP()), rounds=3, warmup_rounds=1
    )
    lengths = cube.ireval.search_lengths()
    deep = scores.sel(metric="ASL", depth=1000).mean("topic").to_series()
    means = lengths.groupby(["system", "topic"])["search_length"].mean()
    np.testing.assert_allclose(means.groupby("system").mean()[deep.index], deep)
