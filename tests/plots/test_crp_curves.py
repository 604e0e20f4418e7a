"""Tests of irframe.plots.crp_curves."""

import numpy as np
import pandas as pd
import pytest
from drawn import legend
from incomplete import though_incomplete
from refusals import refused
from tracks import cube_of

import irframe as ir
from irframe.errors import ParameterError
from irframe.plots.crp_curves import KINDS, archetypes, crp_curves, effort_gain


def test_crp_curves_have_twist_and_archetype_in_the_legend(moved):
    ax = moved.ireval.plot.crp_curves(topic="101", systems=["bm25", "ance"])
    lines = {str(line.get_label()): line for line in ax.lines}
    assert len(lines) == 8 + 3
    assert "recall base, 15" in lines
    curve = next(line for label, line in lines.items() if label.startswith("bm25:"))
    np.testing.assert_array_equal(curve.get_ydata(), moved["crp"].sel(system="bm25", topic="101"))
    twist = moved["twist"].sel(system="bm25", topic="101").item()
    assert curve.get_label() == f"bm25: {twist:.2f}, typical B"
    assert ax.get_title(loc="left") == "topic 101"


def test_crp_curves_highlight_the_best_the_quartiles_and_the_worst(moved):
    ax = crp_curves(moved, topic="102")
    named = [line.get_label() for line in ax.lines if not line.get_label().startswith("_")]
    assert named[5:] == ["3 other systems", "recall base, 10"]
    twists = [float(label.split(": ")[1].split(",")[0]) for label in named[:5]]
    assert twists == sorted(twists, reverse=True)
    every = moved["twist"].sel(topic="102").to_numpy()
    quartiles = np.sort(every)[::-1][[0, 2, 4, 5, 7]]
    assert twists == [round(value, 2) for value in quartiles.tolist()]


def test_archetypes_have_one_panel_each():
    lists = ("211000000", "000000000", "000000112", "121000000", "012100000", "120000000")
    lists += ("011020000", "200000000")
    serps = [[int(grade) for grade in grades] for grades in lists]
    data = cube_of({"s": serps}, [[2, 1, 1] + [0] * 9] * 8).ireval.misplacement()
    ax = data.ireval.plot.archetypes()
    titles = [panel.get_title() for panel in ax.child_axes]
    assert titles == [f"{name} (12.5%)" for name in KINDS]
    assert all(len(panel.lines) == 3 for panel in ax.child_axes)


def test_panels_of_archetypes_without_rankings_are_empty(moved):
    empty = [panel for panel in archetypes(moved).child_axes if panel.texts]
    assert [panel.get_title() for panel in empty] == [f"{name} (0.0%)" for name in KINDS[:6]]


def test_second_axis_of_crp_and_gain_shows_the_gain(cube, moved):
    dcg = cube.ireval.score("DCG", "AP")
    ax = moved.ireval.plot.crp_and_gain(dcg, system="ance", topic="101", metric="DCG")
    right = next(axes for axes in ax.figure.axes if axes is not ax)
    crp, gain = (data.sel(system="ance", topic="101") for data in (moved["crp"], dcg))
    np.testing.assert_array_equal(right.lines[0].get_ydata(), gain.sel(metric="DCG"))
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), crp)
    assert right.get_ylabel() == "DCG (dashed)"


def test_dots_of_effort_gain_show_the_scores_of_rankings(cube):
    cells = cube.ireval.score("Twist", "AP", "nDCG", at=50).ireval.effort_gain()
    ax = cells.ireval.plot.effort_gain(metric="nDCG")
    drawn = [len(dots.get_offsets()) for dots in ax.collections]
    quadrant = cells["quadrant"].sel(metric="nDCG").to_numpy()
    regions = cells["region"].to_numpy()
    assert drawn == [int((quadrant == region).sum()) for region in regions]
    assert len(ax.texts) == 16
    assert len(ax.lines) == 6
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Twist: 1 wastes no effort", "nDCG")
    refused(ParameterError, "Choose from AP, nDCG", lambda: effort_gain(cells))


@pytest.fixture(scope="module")
def short():
    run = pd.DataFrame({"system": "s", "topic": "1", "doc": list("abcdef"), "rank": range(6)})
    qrels = pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["b", "f", "x"], "grade": [1, 2, 0]})
    with though_incomplete():
        return ir.cube(run, qrels, ties="rank")


def test_topics_without_relevant_documents_have_no_archetype(short):
    moved = short.ireval.misplacement()
    labels = legend(moved.ireval.plot.crp_curves(topic="2"))
    assert labels[0] == "s: no relevant documents"
    ax = moved.ireval.plot.crp_and_gain(short.ireval.score("DCG"), system="s", topic="2")
    assert ax.get_title() == "s, topic 2: no relevant documents"
    draw = moved.ireval.plot.reference_runs
    refused(ParameterError, "relevant documents", draw, short, system="s", topic="2")


def test_reference_curves_equal_a_manual_calculation(short):
    moved = short.ireval.misplacement()
    ax = moved.ireval.plot.reference_runs(short, system="s", topic="1")
    curves = {line.get_label(): np.array(line.get_ydata()).tolist() for line in ax.lines}
    assert curves["ideal"] == [0] * 6
    assert curves["worst"] == [-2, -3, -3, -3, -3, -3]
    # The full-scale ranking has the document of grade 1 at rank 5 instead of rank 2, and the
    # document of grade 2 at rank 6 instead of rank 1. The irrelevant documents at ranks 1 and 2
    # belong at rank 3 or below.
    assert curves["full scale"] == [-2, -3, -3, -3, 0, 5]
    assert curves["s"] == moved["crp"].sel(system="s", topic="1").to_numpy().tolist()
    assert "Twist" in ax.get_title(loc="left")


def test_sums_over_the_full_scale_curve_give_the_space_ratios(cube):
    moved = cube.ireval.misplacement()
    ax = moved.ireval.plot.reference_runs(cube, system="bm25", topic="103")
    curve = next(line for line in ax.lines if line.get_label() == "full scale").get_ydata()
    ranking = moved.sel(system="bm25", topic="103")
    steps = np.diff(curve, prepend=0)
    for side, ratio, sign in (("s_plus", "sigma_plus", 1), ("s_minus", "sigma_minus", -1)):
        worst = np.maximum(sign * steps, 0).sum()
        assert 1 - ranking[side].item() / worst == pytest.approx(ranking[ratio].item())
