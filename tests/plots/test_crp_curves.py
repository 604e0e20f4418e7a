"""What `crp_curves` draws."""

import numpy as np
import pytest

import irframe as ir
from irframe.plots.crp_curves import crp_curves


@pytest.fixture(scope="module")
def moved(cube):
    return cube.ireval.misplacement()


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


def test_curves(moved):
    ax = moved.ireval.plot.crp_curves(topic="101", systems=["bm25", "ance"])
    lines = {str(line.get_label()): line for line in ax.lines}
    assert len(lines) == 8 + 3
    assert "recall base, 15" in lines
    curve = next(line for label, line in lines.items() if label.startswith("bm25:"))
    np.testing.assert_array_equal(curve.get_ydata(), moved["crp"].sel(system="bm25", topic="101"))
    twist = moved["twist"].sel(system="bm25", topic="101").item()
    assert curve.get_label() == f"bm25: {twist:.2f}, typical B"
    assert ax.get_title(loc="left") == "topic 101"


def test_curves_of_the_best_the_quartiles_and_the_worst(moved):
    ax = crp_curves(moved, topic="102")
    named = [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    assert named[5:] == ["3 other systems", "recall base, 10"]
    twists = [float(label.split(": ")[1].split(",")[0]) for label in named[:5]]
    assert twists == sorted(twists, reverse=True)
