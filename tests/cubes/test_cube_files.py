"""Saved cubes equal the original cube, or raise an error."""

import shutil
import weakref
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.cubes import view
from irframe.errors import InputError, IrframeError, IrframeWarning, StoreError
from irframe.experiments import folder


def cut(file):
    """Remove the last byte of a file."""
    file.write_bytes(file.read_bytes()[:-1])


def flip(file):
    """Change a bit in the middle of a file."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


DAMAGES = [Path.unlink, cut, flip]


def files_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cube"


@pytest.mark.parametrize("block", few_of([1200, 1 << 24], 2))
def test_saved_cubes_equal_the_original(cube, path, monkeypatch, block):
    monkeypatch.setattr(view, "BLOCK", block)
    named = cube.assign_coords(
        year=("topic", np.arange(16)),
        seen=("topic", pd.date_range("2020", periods=16)),
        mark=(("system", "topic"), np.eye(8, 16)),
    )
    saved = named.ireval.save(path)
    assert len(saved["grade"].chunks[1]) == (1 if block > 1200 else 6)
    for result in (saved, ir.open_cube(path), saved.chunk(system=3, topic=5)):
        computed = result.compute()
        xr.testing.assert_identical(computed, named)
        xr.testing.assert_identical(computed.ireval.score("AP"), named.ireval.score("AP"))
        scores = result.ireval.score("AP", "nDCG")
        assert scores.chunks
        xr.testing.assert_identical(scores.compute(), named.ireval.score("AP", "nDCG"))
    subset = ir.open_cube(path).isel(system=slice(None, None, 2)).sel(topic=["103", "101", "116"])
    expected = named.isel(system=slice(None, None, 2)).sel(topic=["103", "101", "116"])
    assert subset.ireval.bounds("AP", at=5).compute().equals(expected.ireval.bounds("AP", at=5))
    subsets = [subset.isel(system=[0, 2]), subset.isel(system=[1, 3])]
    for single in (subset, ir.concat(subsets, dim="system").isel(system=[0, 2, 1, 3])):
        pd.testing.assert_frame_equal(single.ireval.judge_next(5), expected.ireval.judge_next(5))
    for verb in ("condense", "judge_next", "search_lengths", "tie_rates", "pool_growth"):
        arguments = (3,) if verb == "judge_next" else ()
        result, target = (getattr(c.ireval, verb)(*arguments) for c in (saved, named))
        if isinstance(result, pd.DataFrame):
            pd.testing.assert_frame_equal(result, target, check_dtype=False)
        else:
            xr.testing.assert_allclose(result.compute(), target)


def test_unused_selections_are_garbage_collected(cube):
    subset = view.experiment_of(cube).select(np.arange(8), np.arange(3)).loaded
    assert subset.longest
    reference = weakref.ref(subset)
    del subset
    assert reference() is None


@pytest.mark.parametrize("labels", [[1, "b"], [("a", 1), ("b", 2)], [1, 2**70]])
def test_labels_that_parquet_cannot_store_are_refused(cube, path, labels):
    named = pd.Index(labels, dtype=object, tupleize_cols=False)
    two = cube.isel(system=[0, 1])
    for name in ("system", "make"):
        labelled = two.assign_coords({name: ("system", named)})
        assert labelled.ireval.score("AP").sizes["system"] == 2
        refused(
            InputError,
            f"values of {name} that are all text or all numbers",
            labelled.ireval.save,
            path,
        )
    assert not path.exists()


def test_cubes_without_topics_are_saved(cube, path):
    saved = cube.isel(topic=[]).ireval.save(path)
    assert dict(saved.sizes) == {"system": 8, "topic": 0, "depth": 50}
    assert saved.ireval.score("AP").sizes["topic"] == 0


def test_saving_again_repairs_files_and_refuses_other_cubes(cube, path):
    cube.ireval.save(path)
    before = {file: file.stat().st_mtime_ns for file in files_in(path)}
    cube.ireval.save(path)
    assert before == {file: file.stat().st_mtime_ns for file in files_in(path)}
    (path / "hits-0.parquet").write_bytes(b"other")
    xr.testing.assert_identical(cube.ireval.save(path).compute(), cube)
    for changed in (cube.ireval.pooled(3), cube.isel(depth=slice(9)), cube.drop_vars("team")):
        refused(
            StoreError,
            "no other cube in the folder, but found another cube at",
            changed.ireval.save,
            path,
        )
    (path.parent / "notes").mkdir()
    (path.parent / "notes" / "a.txt").touch()
    with pytest.raises(StoreError, match="an empty folder, or a saved cube, but found other files"):
        cube.ireval.save(path.parent / "notes")
    refused(StoreError, r"written by save\(\), but found none", ir.open_cube, path.parent / "notes")


def used(path):
    """Return results that need all files of a saved cube."""
    opened = ir.open_cube(path)
    return opened.ireval.score("AP", "nDCG", at=[5, 50]).compute(), opened.ireval.judge_next(9)


def test_damaged_files_are_named(cube, path):
    cube.ireval.save(path)
    names = [file.name for file in files_in(path)]
    for number, (name, damage) in enumerate(product(names, DAMAGES)):
        copied = shutil.copytree(
            path, path.with_name(f"copy-{number}")
        )  # files at a new path are not cached
        damage(copied / name)
        with pytest.raises(
            StoreError, match=f"{copied / name} (missing|cut or)|{copied}"
        ) as caught:
            used(copied)
        assert "\n" not in str(caught.value)
    used(path)


@pytest.mark.thorough
@pytest.mark.property
def test_flipped_bits_are_refused_or_harmless(cube, path):
    cube.ireval.save(path)
    expected, random = used(path), np.random.default_rng(0)
    for file in files_in(path):
        content = file.read_bytes()
        for pos in random.integers(0, len(content), 40):
            flipped = bytearray(content)
            flipped[pos] ^= 1 << int(random.integers(8))
            file.write_bytes(flipped)
            try:
                scores, frame = used(path)
            except IrframeError:
                continue
            finally:
                file.write_bytes(content)
            xr.testing.assert_identical(scores, expected[0])
            pd.testing.assert_frame_equal(frame, expected[1])


@pytest.mark.parametrize("files", [0, 1, 5, 7])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_interrupted_saving_leaves_no_files(cube, path, monkeypatch, files, error):
    put, written = folder.Path.write_bytes, []

    def fail(self, content):
        written.append(self)
        if len(written) > files:
            raise error
        return put(self, content)

    with monkeypatch.context() as context:
        context.setattr(folder.Path, "write_bytes", fail)
        with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else StoreError):
            cube.ireval.save(path)
    assert not [*path.parent.iterdir()]
    xr.testing.assert_identical(cube.ireval.save(path).compute(), cube)


def test_files_that_changed_after_opening_are_named(tmp_path):
    runs, qrels = ir.example_track()
    for system, subset in runs.groupby("system"):
        ir.verbs.write_run(subset, tmp_path / f"{system}.gz")
    cubes = {
        "scanned": ir.scan_runs(f"{tmp_path}/*.gz").ireval.cube(qrels),
        "read": ir.cube(ir.read_runs(f"{tmp_path}/*.gz"), qrels),
    }
    for name, cube in cubes.items():
        cube.ireval.save(tmp_path / name)
        ir.open_cube(tmp_path / name)
    (tmp_path / "bm25.gz").touch()
    (tmp_path / "ance.gz").unlink()
    for name in cubes:
        with pytest.warns(
            IrframeWarning, match=r"2 files from which .* have changed .*: .*ance.*bm25\.gz"
        ):
            ir.open_cube(tmp_path / name)


def test_cubes_are_saved_to_fsspec_addresses(cube):
    pytest.importorskip("fsspec", reason="addresses need fsspec")
    cube.ireval.save("memory://cubes/one")
    xr.testing.assert_identical(ir.open_cube("memory://cubes/one").compute(), cube)


def test_integer_document_ids_are_saved(path):
    runs, qrels = (
        frame.assign(doc=frame["doc"].str[1:].astype(int), topic=frame["topic"].astype(int))
        for frame in ir.example_track()
    )
    cube = ir.cube(runs, qrels)
    xr.testing.assert_identical(cube.ireval.save(path).compute(), cube)
