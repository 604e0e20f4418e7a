"""Cubes written to Zarr, block by block."""

from itertools import cycle

import dask
import pytest
import xarray as xr
from damage import DAMAGES, files_in, kill_at
from planned import only_planned

import irframe as ir
from irframe.cubes.layout import LAZY
from irframe.cubes.stored.folder import Folder
from irframe.errors import IrframeWarning, StoreError


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
    monkeypatch.setattr("irframe.cubes.stored.save.TOGETHER", 1)
    monkeypatch.setattr("irframe.cubes.stored.save.BYTES", 5000)
    work, done = ir.cubes.stored.save.work, []

    def fail(tasks, **options):
        done.append(tasks)
        if len(done) > blocks:
            raise KeyboardInterrupt
        return work(tasks, **options)

    monkeypatch.setattr("irframe.cubes.stored.save.work", fail)
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


CHUNKED = {
    "topics": lambda cube: cube.chunk(topic=4),
    "depths": lambda cube: cube.chunk(depth=10),
    "everything": lambda cube: cube.chunk(system=3, topic=5, depth=7, judged=99),
    "some": lambda cube: cube.assign(grade=cube["grade"].chunk(system=3, topic=5)),
    "facts": lambda cube: cube.assign_coords(took_part=cube["took_part"].chunk(topic=3)),
}


WAYS = ("built", "opened", "by xarray")


@pytest.mark.parametrize(
    ("chunked", "way"),
    [
        pytest.param(chunked, way, marks=[] if i % 3 == j else pytest.mark.thorough)
        for i, chunked in enumerate(CHUNKED)
        for j, way in enumerate(WAYS)
    ],
)
def test_chunks_do_not_show(cube, path, monkeypatch, chunked, way):
    """Whatever the chunks are, save writes its own."""
    monkeypatch.setattr("irframe.cubes.stored.save.BYTES", 5000)
    if way != "built":
        cube.ireval.save(path.with_name("before"))
    opened = {
        "built": lambda: cube,
        "opened": lambda: ir.open_cube(path.with_name("before")),
        "by xarray": lambda: xr.open_zarr(path.with_name("before"), consolidated=False),
    }[way]()
    saved = CHUNKED[chunked](opened).ireval.save(path)
    assert saved["grade"].chunks[1] == (3, 3, 3, 3, 3, 1)
    xr.testing.assert_identical(saved.compute().drop_attrs(), cube.drop_attrs())
    xr.testing.assert_identical(saved.ireval.score("AP").compute(), cube.ireval.score("AP"))


@pytest.mark.thorough
@pytest.mark.law
def test_a_damaged_file_is_named_and_mended(cube, path):
    """Whatever happens to whichever file: an error that names it, and saving again helps."""
    cube.ireval.save(path)
    files = files_in(path)
    assert len(files) > 30
    for file, damage in zip(files * 3, cycle([*DAMAGES, DAMAGES[0]]), strict=False):
        content = file.read_bytes()
        damage(file)
        with pytest.raises(StoreError, match=f"{file} (missing|cut or).* Save the cube again"):
            ir.open_cube(path).compute()
        if file.parent.name in {"manifest", "grade", path.name}:
            xr.testing.assert_identical(cube.ireval.save(path).compute(), cube)
        file.write_bytes(content)
    xr.testing.assert_identical(ir.open_cube(path).compute(), cube)


def test_blocks_that_were_exchanged_are_named(lazy, path, monkeypatch):
    monkeypatch.setattr("irframe.cubes.stored.save.BYTES", 5000)
    lazy.ireval.save(path)
    (path / "grade/c/0/1/0").rename(path / "one")
    (path / "grade/c/0/2/0").rename(path / "grade/c/0/1/0")
    (path / "one").rename(path / "grade/c/0/2/0")
    opened = ir.open_cube(path)
    opened.isel(topic=[0, 1, 10]).compute()
    for topic in (3, 6):
        with pytest.raises(StoreError, match="grade/c/0/./0 cut or changed"):
            opened.isel(topic=topic).compute()


@pytest.mark.thorough
@pytest.mark.parametrize("after", [False, True])
def test_a_job_that_ends_anywhere_goes_on(lazy, cube, path, monkeypatch, after):
    """Whichever file was being written, saving again makes the same."""
    monkeypatch.setattr("irframe.cubes.stored.save.BYTES", 20_000)
    monkeypatch.setattr("irframe.cubes.stored.save.TOGETHER", 1)
    for at in range(3 * after, 99, 7):
        here = path.with_name(str(at))
        with monkeypatch.context() as context, dask.config.set(scheduler="synchronous"):
            killed = kill_at(context, at, after=after)
            try:
                lazy.ireval.save(here)
            except KeyboardInterrupt:
                assert killed
        if killed:
            with pytest.raises(StoreError):
                ir.open_cube(here)
        xr.testing.assert_identical(lazy.ireval.save(here).compute(), cube)
        if not killed:
            break
    assert at > 30


def test_an_unfinished_other_cube_gives_way(lazy, cube, path, monkeypatch):
    with monkeypatch.context() as context:
        fail_after(context, 2)
        with pytest.raises(KeyboardInterrupt):
            lazy.ireval.save(path)
    other = cube.ireval.pooled(3)
    xr.testing.assert_identical(other.ireval.save(path).compute(), other)


def test_one_writes_at_a_time(cube, path):
    refused = pytest.raises(StoreError, match="no other writer; found another one at")
    with Folder(str(path), "").locked("manifest/lock"), refused:
        cube.ireval.save(path)
    cube.ireval.save(path)
    assert not (path / "manifest" / "lock").exists()


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
    with pytest.raises(StoreError, match="saved whole; found one with 2 of 6 blocks"):
        ir.open_cube(path)
    with pytest.raises(StoreError, match="saved whole; found one of which not all"):
        xr.open_zarr(path, consolidated=False).ireval.score("P")
    done = fail_after(monkeypatch, 9)
    xr.testing.assert_identical(lazy.ireval.save(path).compute(), cube)
    assert len(done) == 4


def test_a_whole_one_is_not_written_again(lazy, path, monkeypatch):
    saved = lazy.ireval.save(path)
    monkeypatch.setattr("irframe.cubes.stored.save.work", None)
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
        with pytest.raises(StoreError, match=f"cube.zarr/{array}/.* missing. Save the cube again"):
            ir.open_cube(path)
        (tmp_path / array).rename(path / array)


def test_a_full_disk(lazy, path, monkeypatch):
    files = type(Folder("", "").files)
    put = files.pipe_file

    def full(self, place, content):
        if "/grade/c/" in place:
            raise OSError(28, "No space left on device")
        return put(self, place, content)

    with monkeypatch.context() as context:
        context.setattr(files, "pipe_file", full)
        with pytest.raises(StoreError, match="grade/c/0/0/0 failing .*No space left"):
            lazy.ireval.save(path)
    assert not [*path.rglob("*.part")]
    lazy.ireval.save(path)


def test_files_that_changed_since_are_told(tmp_path):
    runs, qrels = ir.example_track()
    for system, part in runs.groupby("system"):
        ir.verbs.write_run(part, tmp_path / f"{system}.gz")
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
