"""Speed of `leave_out`, of bounds, and of samples of judgments.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_judgments.py``. The alternative to
`leave_out` builds and scores a cube without each run. The time of the alternative is measured on a
sample of the runs, and extrapolated. At the pool depth, the alternative spends nearly all time on
building cubes. At depth 1000, irframe and the alternative score all rankings for every run.
"""

import time

import numpy as np
import pandas as pd
import pytest
from timed import against, seconds

import irframe as ir

METRICS = ["AP(norm='min')", "nDCG", "RBP(p=0.8)", "RBP(p=0.95)"]
SAMPLE = 3


@pytest.fixture(scope="module")
def track(shared):
    """Return runs with teams and contribution flags, and qrels."""
    folder = shared / "data" / "trec-covid-round1"
    board = pd.read_csv(folder / "leaderboard.csv").set_index("run")
    runs = ir.read_runs(sorted((folder / "runs").iterdir()))
    contributed = board["contributed judgments"].eq("yes")
    runs = runs.assign(
        team=runs["system"].map(board["team"]), contributing=runs["system"].map(contributed)
    )
    return runs, ir.read_qrels(folder / "qrels.txt")


@pytest.fixture(scope="module")
def cube(track):
    return ir.cube(*track)


def rebuilt(runs, qrels, others, depth, at):
    """Return scores computed with the pool of the remaining runs."""
    judged = qrels.ireval.restrict(runs.ireval.pool(ir.Pool(depth, contributing=others)))
    cube = runs.ireval.cube(judged, pool=ir.Pool(depth=depth, contributing=others))
    return cube.ireval.score(*METRICS, at=at).mean("topic")


@pytest.mark.filterwarnings("ignore:.* judgments are set aside")
@pytest.mark.parametrize(("at", "times"), [(7, 20), (1000, 4)])
@pytest.mark.parametrize("together", ["system", "team"])
def test_leaving_runs_out(benchmark, track, cube, together, at, times):
    runs, qrels = track
    options = {"together": None if together == "system" else together, "at": at}
    rows = benchmark.pedantic(
        cube.ireval.leave_out, args=METRICS, kwargs=options, rounds=2, warmup_rounds=1
    )
    groups = runs[runs["contributing"]].drop_duplicates("system").set_index("system")
    groups = groups.index.to_series() if together == "system" else groups["team"]
    chosen = groups.drop_duplicates().sample(SAMPLE, random_state=0)
    start = time.perf_counter()
    for group in chosen:
        others = groups.index[groups != group].tolist()
        means = rebuilt(runs, qrels, others, 7, at)
        for system in groups.index[groups == group]:
            means_without = rows[rows["system"] == system].set_index("metric")["mean_without"]
            expected = means.sel(system=system).to_series()
            np.testing.assert_allclose(means_without, expected, atol=1e-12)
    loop = (time.perf_counter() - start) / SAMPLE * groups.nunique()
    assert against(benchmark, "loop", loop) >= times


@pytest.mark.parametrize("metric", ["RBP(p=0.95)", "ERR", "P", "RR"])
def test_bounds_by_formula_grow_with_the_cells(benchmark, cube, metric):
    by_cell = []
    for systems in (35, 70, 140):
        subset = cube.isel(system=slice(systems))
        subset.ireval.bounds(metric)
        by_cell.append(seconds(subset.ireval.bounds, metric) / subset["grade"].size)
    benchmark.pedantic(cube.ireval.bounds, args=[metric], rounds=3, warmup_rounds=1)
    assert by_cell[-1] < 3 * by_cell[0]


@pytest.mark.parametrize(
    ("metric", "at"), [("AP", 10), ("AP", 100), ("nDCG", 10), ("nDCG", 100), ("Q", 10), ("Q", 20)]
)
def test_exact_bounds(benchmark, cube, metric, at):
    benchmark.pedantic(cube.ireval.bounds, args=[metric], kwargs={"at": at}, rounds=1)


def test_samples(benchmark, cube):
    benchmark.pedantic(
        cube.ireval.robustness, args=METRICS, kwargs={"seeds": 2, "at": 100}, rounds=1
    )


def test_orders_of_ties(benchmark, cube):
    benchmark.pedantic(cube.ireval.tie_ranges, args=METRICS, rounds=2)


def test_diagnosis(benchmark, track):
    runs, qrels = track
    benchmark.pedantic(runs.ireval.diagnose, args=[qrels], rounds=2)
