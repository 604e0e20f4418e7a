"""Checksums: kept by what may be done to a cube, and what overwrites its values is told."""

import numpy as np
import pytest
import xarray as xr

import irframe as ir
from irframe.cubes.checksums import sealed
from irframe.cubes.gate import read_cube, trusting
from irframe.errors import InputError


@pytest.fixture(scope="module")
def cube():
    """Return a cube of lists of 150 documents, some judged in every span."""
    runs, qrels = ir.simulate_track(systems=3, topics=4, depth=150, seed=1)
    return ir.cube(runs, qrels)


def test_a_cube_may_be_cut_anywhere(cube):
    for depth in range(1, cube.sizes["depth"] + 1):
        assert read_cube(cube.isel(depth=slice(depth))).sizes["depth"] == depth


def test_what_changed_above_a_cut_is_seen(cube):
    for depth in (3, 60, 100, 128, 140):
        for rank in {0, depth // 2, depth - 1}:
            cut = cube.isel(depth=slice(depth)).copy(deep=True)
            cut["grade"].values[1, 2, rank] ^= 1
            with pytest.raises(InputError, match="found 1 list with other documents or grades: "):
                read_cube(cut)


def test_a_document_twice_below_the_last_whole_span_is_seen(cube):
    cut = cube.isel(depth=slice(100)).copy(deep=True)
    judged = np.argwhere(cut["doc"].values[..., 64:] >= 0)
    system, topic, rank = judged[0]
    other = judged[(judged[:, :2] == judged[0, :2]).all(axis=1)][-1, 2]
    assert other != rank
    for name in ("doc", "grade"):
        values = cut[name].values
        values[system, topic, 64 + other] = values[system, topic, 64 + rank]
    with pytest.raises(InputError, match="found 1 list"):
        read_cube(cut)


def test_deeper_lists_than_there_were_have_holes(cube):
    fill = {"grade": -128, "doc": -1, "tied": False}
    longer = cube.isel(depth=slice(50)).reindex(depth=range(1, 65), fill_value=fill)
    with pytest.raises(InputError, match="12 lists with other documents"):
        read_cube(longer)


def test_lists_are_named_by_lazy_cubes_too(cube):
    lazy = cube.where((cube.system != cube.system[1]) | (cube.topic != cube.topic[2]), 0)
    name = f"{cube.system.values[1]} on {cube.topic.values[2]}"
    for changed in (lazy, lazy.chunk(system=2, topic=3, depth=7)):
        with pytest.raises(InputError, match=f"found 1 list with other.*: {name}\\."):
            changed.ireval.score("P").compute()


def test_attributes_are_text_after_netcdf(tmp_path):
    made = ir.cube(*ir.example_track(), ties="random", seed=3, depth=20)
    for engine in ("h5netcdf", "scipy"):
        made.to_netcdf(tmp_path / engine, engine=engine)
        again = xr.load_dataset(tmp_path / engine, engine=engine)
        assert type(again.attrs["seed"]) is not int
        xr.testing.assert_equal(again.ireval.score("AP"), made.ireval.score("AP"))


def test_what_verbs_give_is_sealed_and_what_they_read_is_trusted(cube):
    found = cube.ireval.condense()
    assert sealed(found).identical(found)
    with trusting():
        assert read_cube(cube + 1 if "ties" in (cube + 1).attrs else cube) is not None
    with pytest.raises(InputError):
        read_cube((cube + 1).assign_attrs(cube.attrs))
