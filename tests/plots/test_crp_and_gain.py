"""What `crp_and_gain` draws."""

import numpy as np
import pytest

import irframe as ir


@pytest.fixture(scope="module")
def moved(cube):
    return cube.ireval.misplacement()


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_effort_beside_gain(cube, moved):
    dcg = cube.ireval.score("DCG", "AP")
    ax = moved.ireval.plot.crp_and_gain(dcg, system="ance", topic="101", metric="DCG")
    right = next(other for other in ax.figure.axes if other is not ax)
    np.testing.assert_array_equal(
        right.lines[0].get_ydata(), dcg.sel(metric="DCG", system="ance", topic="101")
    )
    np.testing.assert_array_equal(
        ax.lines[0].get_ydata(), moved["crp"].sel(system="ance", topic="101")
    )
    assert right.get_ylabel() == "DCG (dashed)"
