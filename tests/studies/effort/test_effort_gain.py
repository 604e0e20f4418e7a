"""Effort against gain, and the selection of systems."""

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.metrics.contributions import score_ranking
from irframe.metrics.parse_metric import parse_metric


@pytest.fixture(scope="module")
def scores():
    return ir.cube(*ir.example_track()).ireval.score("AP", "Twist", "nDCG", at=50)


def test_cells(golden):
    case = golden["004-effort-gain"]
    points = np.array(case["input"]["points_twist_gain"])
    index = pd.MultiIndex.from_product([["s"], range(len(points))], names=["system", "topic"])
    frame = pd.DataFrame(points, index, columns=["Twist", "AP"])
    found = frame.ireval.effort_gain(quartiles=case["input"]["quartiles"])
    cells = np.stack([found["row"][0, 0], found["column"][0, 0]], axis=-1)
    assert cells.tolist() == case["expected"]["cells"]
    assert found["quadrant"][0, 0].to_numpy().tolist() == case["expected"]["regions"]
    np.testing.assert_allclose(found["share"][0], [0.2, 0.6, 0.0, 0.2])


def test_shares(scores):
    found = scores.ireval.effort_gain()
    assert found["metric"].to_numpy().tolist() == ["AP", "nDCG"]
    np.testing.assert_allclose(found["share"].sum("region"), 1)
    np.testing.assert_allclose(found["cell"].sum(["gain", "effort"]), 1)
    for number, metric in enumerate(("AP", "nDCG")):
        gain = scores.sel(metric=metric).to_numpy().ravel()
        np.testing.assert_allclose(found["border"][number], np.quantile(gain, [0.25, 0.5, 0.75]))
        row = found["row"][number].to_numpy().ravel()
        column = found["column"][number].to_numpy().ravel()
        for i in range(1, 5):
            for j in range(1, 5):
                share = np.mean((row == i) & (column == j))
                assert found["cell"][number].sel(gain=i, effort=j).item() == pytest.approx(share)
        diagonal, high = np.mean(row == column), np.mean((row >= 3) & (column <= 2))
        grey = np.mean(((row == 2) & (column == 1)) | ((row == 4) & (column == 3)))
        assert found["share"][number].to_numpy()[:3] == pytest.approx([diagonal, high, grey])


def test_equal_scores_are_in_one_cell_whatever_their_rounding():
    third, sixth, ninth = 1 / 3, 1 / 6, 1 / 9
    equal = [third + sixth + ninth, ninth + sixth + third, ninth + third + sixth]
    assert len(set(equal)) > 1
    names = pd.MultiIndex.from_product([["s"], range(5)], names=["system", "topic"])
    frame = pd.DataFrame({"Twist": [*equal, 0, 1], "AP": [*equal, 0, 1]}, index=names)
    for quartiles in (None, (0.3, equal[0], 0.9), (0.3, equal[1], 0.9)):
        found = frame.ireval.effort_gain(quartiles=quartiles)
        assert len({*found["row"][0, 0, :3].to_numpy()}) == 1
    columns = (frame * (0.75 / equal[0])).ireval.effort_gain()["column"]
    assert {*columns[0, 0, :3].to_numpy()} == {4}


def test_points_without_a_score_are_left_out(scores):
    holed = scores.copy()
    holed[1, :, 3] = np.nan
    found = holed.ireval.effort_gain()
    assert (found["points"] == 8 * 15).all()
    assert (found["row"][:, :, 3] == 0).all()
    assert (found["quadrant"][:, :, 3] == "").all()
    without = scores.drop_isel(topic=3).ireval.effort_gain()
    np.testing.assert_allclose(found["share"], without["share"])


def test_metrics_without_scores_are_named(scores):
    holes = scores.copy()
    holes.loc[{"metric": "nDCG"}] = np.nan
    with pytest.raises(InputError, match="scores of Twist and the metric; found none: nDCG"):
        holes.ireval.effort_gain()
    with pytest.raises(InputError, match="found none: AP, nDCG"):
        (scores * np.nan).ireval.effort_gain()


def test_full_depth_counts():
    cube = ir.cube(*ir.example_track())
    by_depth = cube.ireval.score("AP", "Twist").ireval.effort_gain()
    at_end = cube.ireval.score("AP", "Twist", at=50).ireval.effort_gain()
    np.testing.assert_array_equal(by_depth["row"], at_end["row"])


def test_bad_scores(scores):
    with pytest.raises(InputError, match="scores of Twist and of a gain metric"):
        scores.sel(metric=["AP", "nDCG"]).ireval.effort_gain()
    with pytest.raises(InputError, match="scores of Twist and of a gain metric"):
        scores.sel(metric=["Twist"]).ireval.effort_gain()
    for quartiles in ([1, 2], [3, 2, 1]):
        with pytest.raises(ParameterError, match="three numbers"):
            scores.ireval.effort_gain(quartiles=quartiles)


def test_gain_of_the_effort_study(golden):
    case = golden["004-ndcg-log10"]
    told, expected = case["input"], case["expected"]
    gains = dict(map(tuple, told["gains"]))
    for base, key in ((10, "ndcg"), (2, "base 2")):
        metric = parse_metric(f"nDCG(gain={gains}, discount='jk', base={base})")
        found = score_ranking(metric, told["serp"], told["judged"])[-1]
        assert found == pytest.approx(expected[key], rel=1e-9)
