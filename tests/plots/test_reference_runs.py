"""What `reference_runs` draws."""

import numpy as np
import pandas as pd
import pytest
from incomplete import though_incomplete

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def cube():
    run = pd.DataFrame({"system": "s", "topic": "1", "doc": list("abcdef"), "rank": range(6)})
    qrels = pd.DataFrame({"topic": ["1", "1", "2"], "doc": ["b", "f", "x"], "grade": [1, 2, 0]})
    with though_incomplete():
        return ir.cube(run, qrels, ties="rank")


def test_curves_by_hand(cube):
    moved = cube.ireval.misplacement()
    ax = moved.ireval.plot.reference_runs(cube, system="s", topic="1")
    curves = {line.get_label(): np.array(line.get_ydata()).tolist() for line in ax.lines}
    assert curves["ideal"] == [0] * 6
    assert curves["worst"] == [-2, -3, -3, -3, -3, -3]
    # Reversed, the document of grade 1 stands at rank 5 in place of 2, that of grade 2 at 6 in
    # place of 1; irrelevant ones at ranks 1 and 2 belong at 3 or below.
    assert curves["full scale"] == [-2, -3, -3, -3, 0, 5]
    assert curves["s"] == moved["crp"].sel(system="s", topic="1").to_numpy().tolist()
    assert "Twist" in ax.get_title(loc="left")


def test_full_scale_is_as_far_as_documents_can_move():
    track = ir.cube(*ir.example_track())
    moved = track.ireval.misplacement()
    ax = moved.ireval.plot.reference_runs(track, system="bm25", topic="103")
    curve = next(line for line in ax.lines if line.get_label() == "full scale").get_ydata()
    one = moved.sel(system="bm25", topic="103")
    steps = np.diff(curve, prepend=0)
    for side, ratio, sign in (("s_plus", "sigma_plus", 1), ("s_minus", "sigma_minus", -1)):
        worst = np.maximum(sign * steps, 0).sum()
        assert 1 - one[side].item() / worst == pytest.approx(one[ratio].item())


def test_bad_choices(cube):
    moved = cube.ireval.misplacement()
    with pytest.raises(ParameterError, match="'x'"):
        moved.ireval.plot.reference_runs(cube, system="x", topic="1")
    with pytest.raises(ParameterError, match="relevant documents"):
        moved.ireval.plot.reference_runs(cube, system="s", topic="2")
