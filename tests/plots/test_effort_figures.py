"""Figures of avoidable effort: what they say, and how many things they draw."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from tracks import cube_of

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.plots.archetypes import archetypes
from irframe.plots.crp_and_gain import crp_and_gain
from irframe.plots.crp_curves import crp_curves
from irframe.plots.effort_gain import effort_gain


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cube():
    return ir.cube(*ir.example_track())


@pytest.fixture(scope="module")
def moved(cube):
    return cube.ireval.misplacement()


def test_curves(moved):
    ax = moved.ireval.plot.crp_curves(topic="101", systems=["bm25", "ance"])
    lines = {str(line.get_label()): line for line in ax.lines}
    assert len(lines) == 8 + 2
    assert "recall base, 15" in lines
    curve = next(line for label, line in lines.items() if label.startswith("bm25:"))
    np.testing.assert_array_equal(curve.get_ydata(), moved["crp"].sel(system="bm25", topic="101"))
    twist = moved["twist"].sel(system="bm25", topic="101").item()
    assert curve.get_label() == f"bm25: {twist:.2f}, typical B"
    assert ax.get_title() == "topic 101"


def test_curves_of_the_best_the_quartiles_and_the_worst(moved):
    ax = crp_curves(moved, topic="102")
    named = [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    assert len(named) == 5 + 1
    twists = [float(label.split(": ")[1].split(",")[0]) for label in named[:-1]]
    assert twists == sorted(twists, reverse=True)


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


def test_bad_choices(cube, moved):
    with pytest.raises(ParameterError, match="a topic that was measured"):
        crp_curves(moved, topic="7")
    with pytest.raises(ParameterError, match="'tf'"):
        crp_curves(moved, topic="101", systems=["tf"])
    scores = cube.ireval.score("DCG")
    with pytest.raises(ParameterError, match="'tf'"):
        crp_and_gain(moved, scores, system="tf", topic="101")
    with pytest.raises(InputError, match="dimension depth"):
        crp_and_gain(moved, scores[..., -1], system="bm25", topic="101")
    for figure in (archetypes, effort_gain):
        with pytest.raises(InputError):
            figure(cube)
    with pytest.raises(InputError):
        crp_curves(cube, topic="101")
