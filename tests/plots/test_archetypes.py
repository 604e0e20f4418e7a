"""What `archetypes` draws."""

import pytest
from tracks import cube_of

import irframe as ir
from irframe.plots.crp_curves import archetypes


@pytest.fixture(scope="module")
def moved(cube):
    return cube.ireval.misplacement()


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_gallery():
    serps = [
        [2, 1, 1, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 1, 1, 2],
        [1, 2, 1, 0, 0, 0, 0, 0, 0],
        [0, 1, 1, 0, 2, 0, 0, 0, 0],
        [2, 0, 0, 0, 0, 0, 0, 0, 0],
    ]
    data = cube_of({"s": serps}, [[2, 1, 1] + [0] * 9] * 6).ireval.misplacement()
    ax = data.ireval.plot.archetypes()
    titles = [panel.get_title() for panel in ax.child_axes]
    names = ["ideal", "worst", "full scale", "excellent", "typical A", "typical B"]
    assert titles == [f"{name} (16.7%)" for name in names]
    assert all(len(panel.lines) == 3 for panel in ax.child_axes)


def test_kinds_that_do_not_occur_stay_empty(moved):
    empty = [panel for panel in archetypes(moved).child_axes if panel.texts]
    assert [panel.get_title() for panel in empty] == [
        f"{name} (0.0%)" for name in ("ideal", "worst", "full scale", "excellent")
    ]
