"""Cubes read from where they were saved; how they are written is tested beside `save`."""

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import IrframeWarning


def test_an_opened_cube_takes_every_verb(tmp_path):
    cube = ir.cube(*ir.example_track())
    cube.ireval.save(tmp_path / "cube.zarr")
    opened = ir.open_cube(tmp_path / "cube.zarr")
    part = opened.isel(system=slice(None, None, 2)).sel(topic=["103", "101"])
    expected = cube.isel(system=slice(None, None, 2)).sel(topic=["103", "101"])
    found = part.ireval.bounds("AP", at=5).compute()
    assert found.equals(expected.ireval.bounds("AP", at=5))
    with pytest.warns(IrframeWarning, match="13 of 61 judgments are set aside"):
        found, expected = (each.ireval.leave_out("AP") for each in (part, expected))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False)
