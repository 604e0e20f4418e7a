"""What `effort_gain` draws."""

import pytest

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots.crp_curves import effort_gain


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_effort_against_gain(cube):
    cells = cube.ireval.score("Twist", "AP", "nDCG", at=50).ireval.effort_gain()
    ax = cells.ireval.plot.effort_gain(metric="nDCG")
    drawn = [len(dots.get_offsets()) for dots in ax.collections]
    quadrant = cells["quadrant"].sel(metric="nDCG").to_numpy()
    regions = cells["region"].to_numpy()
    assert drawn == [int((quadrant == region).sum()) for region in regions]
    assert len(ax.texts) == 16
    assert len(ax.lines) == 6
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Twist: 1 wastes no effort", "nDCG")
    with pytest.raises(ParameterError, match="none chosen: AP, nDCG"):
        effort_gain(cells)
