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
from irframe.cubes import view
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
    scanned, expected = ir.scan_runs(files / "runs").ireval.cube(frames[1]), ir.cube(*frames)
    cube = scanned.ireval.save(files / "cube").chunk(topic=5)
    slow = cube.assign(grade=cube["grade"].copy(data=cube["grade"].data.map_blocks(slowly)))
    victims = [*client.run(os.getpid).values()]
    scores = client.compute(slow.ireval.score("AP", "nDCG"))
    time.sleep(0.5)
    os.kill(victims[0], signal.SIGKILL)
    xr.testing.assert_equal(
        scores.result(timeout=60), expected.drop_vars("team").ireval.score("AP", "nDCG")
    )
    saved = cube.ireval.save(files / "again").compute()
    xr.testing.assert_equal(saved.drop_vars("team", errors="ignore"), expected.drop_vars("team"))


@pytest.mark.thorough
def test_a_job_that_is_killed_costs_only_time(frames, files, monkeypatch):
    frames[1].to_parquet(files / "qrels.parquet")
    code = """
        import os, signal, pandas as pd, irframe as ir
        from irframe.cubes import view
        from irframe.experiments.saved import Folder
        calls, put = [], Folder.put

        def deadly(folder, name, content):
            calls.append(name)
            if len(calls) == 7:
                os.kill(os.getpid(), signal.SIGKILL)
            return put(folder, name, content)

        Folder.put, view.BLOCK = deadly, 20_000
        qrels = pd.read_parquet("qrels.parquet")
        ir.scan_runs("runs").ireval.cube(qrels).ireval.save("cube")
    """
    job = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)]
    done = subprocess.run(job, cwd=files, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    monkeypatch.chdir(files)
    with pytest.raises(StoreError, match="found none at"):
        ir.open_cube("cube")
    cube = ir.scan_runs("runs").ireval.cube(pd.read_parquet("qrels.parquet"))
    expected = ir.cube(*frames).drop_vars("team")
    xr.testing.assert_equal(cube.ireval.save("cube").compute(), expected)


def test_dask_is_asked_for_by_name(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", None)
    with pytest.raises(InputError, match=r'pip install "irframe\[dask\]"'):
        view.need_dask()
