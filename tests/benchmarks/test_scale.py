"""Time and memory for cubes larger than memory.

Run with ``pytest --benchmark-only -n 0 -s tests/benchmarks/test_scale.py``; it writes some 300 MB
of runs to a temporary folder. Memory is the peak of a child process.
"""

import shutil
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import xarray as xr
from timed import seconds

import irframe as ir

SYSTEMS, DEPTH, DOCS = 10, 1000, 200_000


def write_track(folder, topics, systems=SYSTEMS, depth=DEPTH, judgments=50):
    """Write one run file per system, and judgments."""
    (folder / "runs").mkdir(parents=True)
    rng = np.random.default_rng(0)
    names = pa.array([f"d{number:07d}" for number in range(DOCS)])
    labels = pa.array([str(topic) for topic in range(topics)])
    pools = np.stack([rng.choice(DOCS, 3000, replace=False) for _ in range(topics)])
    early = np.arange(3000) < 200
    for system in range(systems):
        keys = rng.random((topics, 3000)) - early * rng.uniform(0.2, 0.4)
        listed = np.take_along_axis(pools, np.argsort(keys, axis=1)[:, :depth], axis=1)
        columns = {
            "system": pa.repeat(pa.scalar(f"s{system}"), topics * depth),
            "topic": labels.take(pa.array(np.repeat(np.arange(topics), depth))),
            "doc": names.take(pa.array(listed.ravel())),
            "score": np.tile(np.linspace(10, 0, depth).round(4), topics),
        }
        pq.write_table(pa.table(columns), folder / "runs" / f"s{system}.parquet")
    judged = pools[:, : 4 * judgments : 4]
    grades = (rng.random(judged.size) < 0.4).astype(int) + (rng.random(judged.size) < 0.1)
    qrels = pd.DataFrame(
        {
            "topic": np.repeat(np.arange(topics).astype(str), judged.shape[1]),
            "doc": names.take(pa.array(judged.ravel())).to_pylist(),
            "grade": grades,
        }
    )
    qrels.to_parquet(folder / "qrels.parquet")
    return folder


@pytest.fixture(scope="module")
def tracks(tmp_path_factory):
    """Return a function that returns the folder of a track."""
    root, folders = tmp_path_factory.mktemp("tracks"), {}

    def track(topics):
        if topics not in folders:
            folder = write_track(root / str(topics), topics)
            folders[topics] = folder, seconds(save, folder)
        return folders[topics]

    yield track
    shutil.rmtree(root)


def save(folder):
    qrels = pd.read_parquet(folder / "qrels.parquet")
    return ir.scan_runs(folder / "runs").ireval.cube(qrels, pool=10).ireval.save(folder / "cube")


WORK = {
    "score": ("cube.ireval.score('AP', at=[10, 1000]).compute()", 0),
    "summary": ("cube.ireval.score('AP').ireval.summary().compute()", 16),
    "discrimination": ("cube.ireval.score('AP').ireval.discrimination('t').compute()", 16),
    "outcomes": ("cube.ireval.outcomes(baseline='s0', relevant='first')", 0),
    "pooled": ("cube.ireval.pooled(5).ireval.score('RBP(p=0.8)', at=1000).compute()", 10),
}
"""Mapping from tasks to the bytes per row that stay in memory. These bytes are scores at all
depths, judged documents, and the ids of the first documents of lists."""


def child(folder, work):
    """Return the seconds and peak megabytes of a process."""
    code = (
        "import sys, time, irframe as ir; start = time.perf_counter();"
        f"cube = ir.open_cube({str(folder / 'cube')!r}); {work};"
        "status = open('/proc/self/status').read();"
        "print(time.perf_counter() - start, status.split('VmHWM:')[1].split()[0])"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    took, peak = map(float, process.stdout.split())
    return took, peak / 1e3


@pytest.mark.parametrize("name", WORK)
def test_memory_does_not_grow_with_topics(benchmark, tracks, name):
    results, (work, kept) = {}, WORK[name]
    for topics in (1000, 3000):
        folder, sorting = tracks(topics)
        results[topics] = child(folder, work)
        rows = SYSTEMS * topics * DEPTH / 1e6
        took, peak = results[topics]
        measured = {"seconds": took, "sorting": sorting, "peak": peak}
        benchmark.extra_info[f"{rows:.0f} million rows"] = measured
    benchmark.pedantic(lambda: None, rounds=1)
    few, many = (results[topics][1] - kept * SYSTEMS * topics * DEPTH / 1e6 for topics in results)
    ratio = many / few
    benchmark.extra_info["ratio"] = ratio
    assert ratio < 1.2
    assert results[3000][1] < 1024


@pytest.mark.parametrize("short", [False, True], ids=["deep lists", "short lists"])
def test_scanning_is_bounded(benchmark, tmp_path, short):
    """Check that scanning needs at most 400 MB of memory.

    For 180,000 lists of 50 documents, whose ids are nearly all kept, the limit is 450 MB.
    """
    code = """if True:
        import sys, dask.array, pandas as pd, pyarrow.parquet, irframe as ir
        runs = ir.scan_runs(sys.argv[1] + "/runs")
        qrels = pd.read_parquet(sys.argv[1] + "/qrels.parquet")
        def held(key):
            return int(open("/proc/self/status").read().split(key)[1].split()[0]) / 1e3
        before = held("VmRSS:")
        with dask.config.set(scheduler="threads", num_workers=2):
            runs.ireval.cube(qrels).ireval.save(sys.argv[1] + "/cube")
        print(held("VmHWM:") - before)
    """
    for topics in (15_000,) if short else (300, 900, 2700):
        systems, depth, judgments = (12, 50, 40) if short else (SYSTEMS, DEPTH, 50)
        folder = write_track(tmp_path / str(topics), topics, systems, depth, judgments)
        job = [sys.executable, "-c", code, str(folder)]
        peak = float(subprocess.run(job, capture_output=True, text=True, check=True).stdout)
        rows = f"{systems * topics * depth / 1e6:.0f} million rows"
        benchmark.extra_info[rows] = peak
        assert peak < (450 if short else 400)
    benchmark.pedantic(lambda: None, rounds=1)


def test_time_grows_with_rows(benchmark, tracks):
    per_row = {}
    for topics in (100, 1000):
        folder, _ = tracks(topics)
        best = min(seconds(_end_to_end, folder) for _ in range(3 if topics == 100 else 2))
        per_row[topics] = best / (SYSTEMS * topics * DEPTH)
    benchmark.pedantic(lambda: None, rounds=1)
    ratio = per_row[1000] / per_row[100]
    benchmark.extra_info["row"] = ratio
    assert ratio < 1.15


def _end_to_end(folder):
    ir.open_cube(folder / "cube").ireval.score("AP").ireval.summary().compute()


@pytest.mark.filterwarnings("ignore")
def test_two_small_workers(benchmark, tracks):
    distributed = pytest.importorskip("distributed", reason="clusters need distributed")
    folder, _ = tracks(3000)
    rows, qrels = SYSTEMS * 3000 * DEPTH, pd.read_parquet(folder / "qrels.parquet")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        start = time.perf_counter()
        cube = ir.open_cube(folder / "cube")
        frame = cube.ireval.score("AP", at=[10, 1000]).sel(depth=10).ireval.compare()
        ratios = cube.ireval.score("AP").ireval.discrimination("t").compute()
        lazy = time.perf_counter() - start
    start = time.perf_counter()
    cube = ir.read_runs(folder / "runs").ireval.cube(qrels, pool=10)
    expected = cube.ireval.score("AP", at=[10, 1000]).sel(depth=10).ireval.compare()
    expected_ratios = cube.ireval.score("AP").ireval.discrimination("t")
    eager = time.perf_counter() - start
    benchmark.pedantic(lambda: None, rounds=1)
    benchmark.extra_info |= {"lazy": rows / lazy / 1e6, "eager": rows / eager / 1e6}
    np.testing.assert_allclose(frame["p"], expected["p"], rtol=0, atol=1e-11)
    xr.testing.assert_allclose(ratios, expected_ratios)
    assert rows / lazy > 0.9e6


def test_a_saved_cube_is_opened_at_once(benchmark, tracks):
    folder, _ = tracks(1000)
    qrels = pd.read_parquet(folder / "qrels.parquet")
    start = time.perf_counter()
    cube = ir.read_runs(folder / "runs").ireval.cube(qrels, pool=10)
    built = time.perf_counter() - start
    cube.ireval.save(folder / "cube.zarr")
    benchmark.pedantic(lambda: ir.open_cube(folder / "cube.zarr"), rounds=3)
    opened = benchmark.stats.stats.min
    loaded = seconds(lambda: ir.open_cube(folder / "cube.zarr").load())
    benchmark.extra_info |= {"built": built, "opened": opened, "loaded": loaded}
    xr.testing.assert_equal(ir.open_cube(folder / "cube.zarr").load(), cube)
