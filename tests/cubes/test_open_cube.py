"""Cubes read from where they were saved; how they are written is tested beside `save`."""

import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import IrframeWarning, StoreError


def test_an_opened_cube_takes_every_verb(tmp_path):
    cube = ir.cube(*ir.example_track())
    cube.ireval.save(tmp_path / "cube")
    opened = ir.open_cube(tmp_path / "cube")
    part = opened.isel(system=slice(None, None, 2)).sel(topic=["103", "101"])
    expected = cube.isel(system=slice(None, None, 2)).sel(topic=["103", "101"])
    found = part.ireval.bounds("AP", at=5).compute()
    xr.testing.assert_identical(found, expected.ireval.bounds("AP", at=5))
    with pytest.warns(IrframeWarning, match="13 of 61 judgments are set aside"):
        found, expected = (each.ireval.leave_out("AP") for each in (part, expected))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)


@pytest.mark.parametrize("inside", ["", "cube.zarr"])
def test_what_is_no_saved_cube_is_said(tmp_path, inside):
    file = tmp_path / "file"
    file.write_text("no cube")
    for path in (file / inside, tmp_path / inside):
        with pytest.raises(StoreError, match="a cube written by save"):
            ir.open_cube(path)
