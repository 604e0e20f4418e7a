"""Work by dask: clusters, workers and jobs that are killed, and workers without irframe."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.cubes import dask_tasks
from irframe.errors import InputError, StoreError

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def frames():
    return ir.simulate_track(systems=6, topics=40, docs=300, depth=100, pool_depth=10, seed=3)


@pytest.fixture
def files(frames, tmp_path):
    (tmp_path / "runs").mkdir()
    frames[0].drop(columns="team").to_parquet(tmp_path / "runs" / "all.parquet")
    return tmp_path


@pytest.fixture
def client():
    distributed = pytest.importorskip("distributed", reason="clusters need distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def slowly(values):
    time.sleep(0.3)
    return values


@pytest.mark.thorough
@pytest.mark.xdist_group("cluster")
def test_a_cluster_gives_what_memory_gives_though_a_worker_is_killed(client, frames, files):
    made = ir.scan_runs(files / "runs").ireval.store(files / "store", frames[1], topics=5)
    expected = ir.cube(*frames)
    cube = made.cube()
    slow = cube.assign(grade=cube["grade"].copy(data=cube["grade"].data.map_blocks(slowly)))
    victims = [*client.run(os.getpid).values()]
    scores = client.compute(slow.ireval.score("AP", "nDCG").ireval.discrimination("t"))
    time.sleep(0.5)
    os.kill(victims[0], signal.SIGKILL)
    xr.testing.assert_allclose(
        scores.result(timeout=60), expected.ireval.score("AP", "nDCG").ireval.discrimination("t")
    )
    saved = cube.ireval.save(files / "cube.zarr").compute()
    xr.testing.assert_equal(saved.drop_vars("team", errors="ignore"), expected.drop_vars("team"))


@pytest.mark.thorough
@pytest.mark.xdist_group("cluster")
@pytest.mark.usefixtures("client")
def test_workers_without_irframe_are_named(monkeypatch, frames, files):
    monkeypatch.setattr(dask_tasks, "VERSION", "9.9")
    with pytest.raises(StoreError, match="workers with irframe 9.9; found tcp.* has 0.1.0"):
        ir.scan_runs(files / "runs").ireval.store(files / "store", frames[1])


@pytest.mark.thorough
@pytest.mark.parametrize("stage", ["sort", "save"])
def test_a_job_that_is_killed_goes_on(frames, files, monkeypatch, stage):
    frames[1].to_parquet(files / "qrels.parquet")
    code = f"""
        import os, signal, dask, pandas as pd, irframe as ir
        import irframe.cubes.stored.contents as store, irframe.cubes.stored.save as save
        dask.config.set(scheduler="synchronous")
        calls, sort, work = [], store.sort_block, save.work

        def deadly(do, *arguments, **options):
            calls.append(do)
            if len(calls) == 4:
                os.kill(os.getpid(), signal.SIGKILL)
            return do(*arguments, **options)

        if {stage!r} == "sort":
            store.sort_block = lambda *arguments: deadly(sort, *arguments)
        save.TOGETHER, save.BYTES = 1, 20_000
        save.work = lambda *arguments, **options: deadly(work, *arguments, **options)
        qrels = pd.read_parquet("qrels.parquet")
        cube = ir.scan_runs("runs").ireval.store("store", qrels, topics=5).cube()
        cube.ireval.save("cube.zarr")
    """
    job = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    done = subprocess.run(job, cwd=files, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    monkeypatch.chdir(files)
    with pytest.raises(StoreError, match="whole"):
        ir.Store(str(files / "store")).cube() if stage == "sort" else ir.open_cube(
            files / "cube.zarr"
        )
    made = ir.scan_runs("runs").ireval.store("store", pd.read_parquet("qrels.parquet"), topics=5)
    cube = made.cube()
    expected = ir.cube(*frames).drop_vars("team")
    xr.testing.assert_equal(cube.ireval.save("cube.zarr").compute(), expected)


def test_dask_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(InputError, match=r'pip install "irframe\[dask\]"'):
        dask_tasks.need_dask()
