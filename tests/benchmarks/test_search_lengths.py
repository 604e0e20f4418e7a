"""Speed and memory of `outcomes` and `search_lengths`.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_search_lengths.py``.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import irframe as ir
from irframe.metrics import AP, ASL

MILLION = """
import json, time
from pathlib import Path
import numpy as np, pandas as pd
import irframe as ir

def peak():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10

queries, length, systems = 1_000_000, 10, ["a", "b"]
rng = np.random.default_rng(0)
place = np.tile(np.arange(length, dtype=np.int32), 2 * queries)
doc = place.copy()
right = rng.integers(0, length + 2, 2 * queries)
doc[(np.arange(2 * queries) * length + right)[right < length]] = -1
names = np.repeat(np.array([0, 1], np.int8), queries * length)
topic = np.tile(np.repeat(np.arange(queries, dtype=np.int32), length), 2)
columns = {"system": pd.Categorical.from_codes(names, systems), "topic": topic, "doc": doc}
runs = pd.DataFrame(columns | {"score": -place.astype(np.float32)})
qrels = pd.DataFrame({"topic": np.arange(queries, dtype=np.int32), "doc": np.int32(-1), "grade": 1})
del place, doc, names, topic, columns
before, start = peak(), time.perf_counter()
found = runs.ireval.outcomes(qrels, baseline="a", depth=length)
seconds = time.perf_counter() - start
both = int(found.summary.loc[0, "both"])
known = right.reshape(2, -1) < length
assert both == int(known.all(axis=0).sum()) and len(found.queries) == queries
print(json.dumps({"input": before, "peak": peak(), "seconds": seconds}))
"""


@pytest.fixture(scope="module")
def leaderboard(shared):
    folder = shared / "data" / "msmarco-doc-dev"
    runs = ir.read_runs(str(folder / "runs" / "*"), system="file")
    return runs, ir.read_qrels(folder / "qrels.txt")


def test_breakdown_of_a_leaderboard_from_frames(benchmark, leaderboard):
    runs, qrels = leaderboard
    outcomes = benchmark.pedantic(
        runs.ireval.outcomes, (qrels,), {"baseline": "bm25", "depth": 10}, rounds=5, warmup_rounds=1
    )
    assert len(outcomes.summary) == 11
    assert benchmark.stats.stats.max < 1


def test_breakdown_of_a_leaderboard_from_a_cube(benchmark, leaderboard):
    cube = leaderboard[0].ireval.cube(leaderboard[1])
    outcomes = benchmark.pedantic(
        cube.ireval.outcomes, (), {"baseline": "bm25"}, rounds=5, warmup_rounds=1
    )
    assert round(outcomes.summary.loc[0, "mrr_a"], 5) == 0.21854
    assert benchmark.stats.stats.max < 1


def test_million_queries_within_a_gigabyte(benchmark):
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-c", MILLION]

    def run():
        process = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
        return json.loads(process.stdout)

    result = benchmark.pedantic(run, rounds=1)
    benchmark.extra_info.update(result)
    assert result["peak"] < 1024


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
