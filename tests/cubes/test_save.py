"""Cubes written to Zarr, block by block."""

import pytest
import xarray as xr
from planned import only_planned

import irframe as ir
from irframe.errors import IrframeWarning, StoreError

LAZY = ("grade", "doc", "tied", "tail", "tail_size", "filed")


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track(), depth=20)


@pytest.fixture
def lazy(cube):
    return cube.assign({name: cube[name].chunk(topic=3) for name in LAZY[:3]}).assign_coords(
        {name: cube[name].variable.chunk(topic=3) for name in LAZY[3:]}
    )


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cube.zarr"


def fail_after(monkeypatch, blocks):
    """Let writing end after some blocks, as a job that is killed does."""
    monkeypatch.setattr("irframe.cubes.save.TOGETHER", 1)
    work, done = ir.cubes.save.work, []

    def fail(tasks, **options):
        done.append(tasks)
        if len(done) > blocks:
            raise KeyboardInterrupt
        return work(tasks, **options)

    monkeypatch.setattr("irframe.cubes.save.work", fail)
    return done


@pytest.mark.parametrize("kind", ["eager", "lazy"])
def test_a_saved_cube_is_the_cube(cube, lazy, path, kind):
    saved = (cube if kind == "eager" else lazy).ireval.save(path)
    assert saved["grade"].chunks
    xr.testing.assert_identical(saved.compute(), cube)
    xr.testing.assert_identical(ir.open_cube(path).compute(), cube)
    scores = xr.open_zarr(path, consolidated=False).ireval.score("AP", at=10)
    xr.testing.assert_identical(
        scores.compute().drop_attrs(), cube.ireval.score("AP", at=10).drop_attrs()
    )


def test_parts_of_cubes_are_saved(cube, path):
    part = cube.isel(system=slice(1, None, 2)).sel(topic=cube["topic"] > "108")
    saved = part.ireval.save(path).compute()
    xr.testing.assert_identical(saved.ireval.score("nDCG"), part.ireval.score("nDCG"))


def test_opening_reads_no_ranking(lazy, path):
    lazy.ireval.save(path)
    with only_planned():
        opened = ir.open_cube(path)
    assert {name for name in opened.variables if opened[name].chunks} == set(LAZY)


def test_a_job_that_was_killed_goes_on(lazy, cube, path, monkeypatch):
    with monkeypatch.context() as context:
        fail_after(context, 2)
        with pytest.raises(KeyboardInterrupt):
            lazy.ireval.save(path)
    for opening in (
        ir.open_cube,
        lambda path: xr.open_zarr(path, consolidated=False).ireval.score("P"),
    ):
        with pytest.raises(StoreError, match="saved whole; found one with 2 of 6 blocks"):
            opening(path)
    done = fail_after(monkeypatch, 9)
    xr.testing.assert_identical(lazy.ireval.save(path).compute(), cube)
    assert len(done) == 4


def test_a_whole_one_is_not_written_again(lazy, path, monkeypatch):
    saved = lazy.ireval.save(path)
    monkeypatch.setattr("irframe.cubes.save.work", None)
    xr.testing.assert_identical(lazy.ireval.save(path).compute(), saved.compute())


def test_other_things_are_left_alone(cube, lazy, path):
    cube.ireval.save(path)
    with pytest.raises(StoreError, match="this cube, or nothing yet; found another one"):
        cube.ireval.pooled(3).ireval.save(path)
    (path.parent / "notes").mkdir()
    (path.parent / "notes" / "a.txt").touch()
    with pytest.raises(StoreError, match="an empty folder, or a saved cube; found other things"):
        lazy.ireval.save(path.parent / "notes")


def test_only_saved_cubes_are_opened(cube, path, tmp_path):
    with pytest.raises(StoreError, match=r"written by save\(\); found none"):
        ir.open_cube(path)
    cube.ireval.save(path)
    for array in ("tied", "retrieved"):
        (path / array).rename(tmp_path / array)
        with pytest.raises(StoreError, match="that is whole"):
            ir.open_cube(path)
        (tmp_path / array).rename(path / array)


def test_a_full_disk(lazy, path, monkeypatch):
    def full(*_arguments, **_options):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as context:
        context.setattr("irframe.cubes.save.work", full)
        with pytest.raises(StoreError, match="blocks 0 to .*No space left"):
            lazy.ireval.save(path)
    lazy.ireval.save(path)


def test_files_that_changed_since_are_told(tmp_path):
    runs, qrels = ir.example_track()
    for system, part in runs.groupby("system"):
        ir.write_run(part, tmp_path / f"{system}.gz")
    scanned = ir.scan_runs(f"{tmp_path}/*.gz")
    cubes = {
        "scanned": scanned.ireval.store(tmp_path / "store", qrels).cube(),
        "read": ir.cube(ir.read_runs(f"{tmp_path}/*.gz"), qrels),
    }
    for name, cube in cubes.items():
        cube.ireval.save(tmp_path / name)
        ir.open_cube(tmp_path / name)
    (tmp_path / "bm25.gz").touch()
    (tmp_path / "ance.gz").unlink()
    for name in cubes:
        with pytest.warns(IrframeWarning, match=r"2 files that .* changed since: .*ance.*bm25\.gz"):
            ir.open_cube(tmp_path / name)


def test_addresses(cube):
    pytest.importorskip("fsspec", reason="addresses need fsspec")
    cube.ireval.save("memory://cubes/one")
    xr.testing.assert_identical(ir.open_cube("memory://cubes/one").compute(), cube)


def test_documents_with_numbers_for_names(path):
    runs, qrels = (
        frame.assign(doc=frame["doc"].str[1:].astype(int), topic=frame["topic"].astype(int))
        for frame in ir.example_track()
    )
    cube = ir.cube(runs, qrels)
    xr.testing.assert_identical(cube.ireval.save(path).compute(), cube)
