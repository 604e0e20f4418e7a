"""Changed cubes are restored or refused."""

import os
import pickle
import signal
import sys
import time

import numpy as np
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.cubes import view
from irframe.cubes.view import experiment_of, read_cube
from irframe.errors import DepthError, IdError, InputError
from irframe.names import EMPTY

SAME = {
    "numbers of another type": lambda c: c.astype(float).assign_coords(
        {name: c[name].astype(float) for name in ("retrieved", "system_code", "topic_code")}
    ),
    "grades alone": lambda c: c[["grade"]].assign_coords(team=c["team"]),
    "without counts": lambda c: c.drop_vars(["retrieved", "unjudged"]),
    "counts overwritten": lambda c: c.assign_coords(retrieved=c["retrieved"] * 0 + 3),
}


@pytest.mark.parametrize("change", SAME)
def test_changed_types_and_counts_are_restored(cube, change):
    result = read_cube(SAME[change](cube))
    xr.testing.assert_identical(result, cube)
    assert result["grade"].dims == ("system", "topic", "depth")
    assert result["grade"].dtype == np.int16


def test_scalar_coordinates_become_dimensions(cube):
    for label in ({"system": "ance"}, {"topic": "104"}):
        expected = cube.sel({dim: [name] for dim, name in label.items()})
        xr.testing.assert_identical(read_cube(cube.sel(label)), expected)
    both = read_cube(cube.sel(system="ance", topic="104"))
    assert both.sizes["system"] == both.sizes["topic"] == 1


@pytest.mark.parametrize("chunks", [None, {"system": 2}])
def test_masked_lists_are_missing(cube, chunks):
    inside = (cube["topic"] != "103") | (cube["system"] != "ance")
    result = read_cube((cube.chunk(chunks) if chunks else cube).where(inside)).compute()
    expected = inside.transpose("system", "topic").to_numpy()
    experiment = experiment_of(result)
    np.testing.assert_array_equal(experiment.participated, expected)
    assert (result["grade"].sel(system="ance", topic="103") == EMPTY).all()
    assert (experiment.rows_at(50)[~expected] == -1).all()


@pytest.mark.parametrize("chunks", [None, {"system": 2}])
def test_partly_masked_lists_are_refused(cube, chunks):
    masked = cube.where((cube["depth"] != 4) | ~cube["topic"].isin(["102", "105"]))
    if chunks:
        refused(InputError, "partly masked", lambda: read_cube(masked.chunk(chunks)).compute())
        return
    with pytest.raises(InputError, match="16 lists with other grades.*bm25 on 102, bm25 on") as e:
        read_cube(masked)
    assert len(e.value.offenders) == 16


@pytest.mark.parametrize(
    ("depths", "message"),
    [
        ([5, 10], r"depths \[5, 10\]\. .*at=\[5, 10\]"),
        (list(range(11, 51)), r"depths \[11, 12, 13, 14, 15\] and more"),
        (3, r"depths \[3\]\. .*at=\[3\]"),
    ],
)
def test_selections_of_depths_are_refused_with_advice(cube, depths, message):
    refused(DepthError, message, lambda: read_cube(cube.sel(depth=depths)))


def test_cubes_without_depths_are_refused(cube):
    refused(DepthError, "labels of depths, but found none", read_cube, cube.drop_vars("depth"))


def test_other_objects_are_refused(cube):
    for subject in (None, cube["grade"], xr.Dataset({"x": 1})):
        refused(InputError, f"irframe.cube, but found {type(subject).__name__}", read_cube, subject)


def test_missing_coordinates_and_attributes_are_refused(cube):
    refused(InputError, r"attribute experiment.*Save .*save\(path\)", read_cube, cube.drop_attrs())
    for dim in ("system", "topic"):
        with pytest.raises(InputError, match=f"a cube with {dim}, but found none"):
            read_cube(cube.drop_vars(dim))
        with pytest.raises(InputError, match=f"a cube with {dim}_code, but found none"):
            read_cube(cube.drop_vars(f"{dim}_code"))


@pytest.mark.parametrize("write", ["to_netcdf", "to_zarr"])
def test_xarray_cannot_write_cubes(cube, tmp_path, write):
    refused(TypeError, "experiment|Dataset.attrs", lambda: getattr(cube, write)(tmp_path / "cube"))


def test_a_cube_is_pickled_with_its_experiment(cube):
    repeated = pickle.loads(pickle.dumps(cube.isel(topic=[2, 4])))  # noqa: S301 - our own
    expected = cube.isel(topic=[2, 4]).ireval.score("AP")
    xr.testing.assert_identical(repeated.ireval.score("AP"), expected)


def test_concatenated_parts_of_different_experiments_are_refused(cube):
    runs, qrels = ir.example_track()
    regraded = ir.cube(runs, qrels.assign(grade=qrels["grade"].clip(upper=1)))
    halves = [cube.isel(topic=slice(8)), regraded.isel(topic=slice(8, None))]
    with pytest.raises(InputError, match="a cube of one experiment, but found lists of several"):
        read_cube(xr.concat(halves, "topic", coords="minimal", compat="override"))
    same = xr.concat(
        [halves[0], cube.isel(topic=slice(8, None))], "topic", coords="minimal", compat="override"
    )
    xr.testing.assert_identical(read_cube(same), cube)


MOVED = {
    "stacked": lambda c: c.stack(cell=("system", "topic")),
    "swapped": lambda c: c.assign_coords(place=("topic", range(16))).swap_dims(topic="place"),
}


@pytest.mark.parametrize("moved", MOVED)
def test_codes_with_other_dimensions_are_refused(cube, moved):
    with pytest.raises(
        InputError, match="dimensions system and topic, but found .*_code over: (cell|place)"
    ):
        read_cube(MOVED[moved](cube))


def test_grades_of_lazy_cubes_are_verified_when_computed(cube):
    lazy = (cube.chunk(topic=4) + 1).ireval.score("AP")
    refused(InputError, "unchanged grades", lazy.compute)


def test_duplicate_labels_are_refused(cube):
    with pytest.raises(InputError, match="over systems, topics and depths, but found .*: track"):
        read_cube(xr.concat([cube, cube], dim="track", coords="minimal", compat="override"))
    for dim in ("system", "topic"):
        label = cube[dim].values[0]
        with pytest.raises(
            IdError, match=f"every {dim} once in a cube, but found duplicates: {label}"
        ):
            read_cube(cube.isel({dim: [0, 1, 0]}))
        with pytest.raises(IdError, match=f"every {dim} once in a cube, but found duplicates: c"):
            read_cube(cube.isel({dim: [0, 1, 0]}).assign_coords({dim: list("abc")}))


def test_unknown_labels_are_refused(cube):
    topics = [*cube["topic"].values, "x", "y"]
    with pytest.raises(InputError, match="topics of the cube, but found unknown labels: x, y"):
        read_cube(cube.reindex(topic=topics))
    with pytest.raises(InputError, match="systems of the cube, but found unknown labels: nobody"):
        read_cube(cube.reindex(system=["bm25", "nobody"]))


def test_unknown_labels_of_a_lazy_cube_are_refused(cube):
    lazy = cube.chunk(system=2, topic=5)
    with pytest.raises(InputError, match="topics of the cube, but found unknown labels: x"):
        read_cube(lazy.reindex(topic=[*cube["topic"].values, "x"]))
    with pytest.raises(InputError, match="systems of the cube, but found unknown labels: nobody"):
        read_cube(lazy.reindex(system=["bm25", "nobody"]))


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
@pytest.mark.filterwarnings("ignore")
def test_scores_on_a_cluster_survive_a_killed_worker(client, frames, files):
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


def test_missing_dask_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "dask.array", None)
    refused(InputError, r'pip install "irframe\[dask\]"', view.need_dask)
