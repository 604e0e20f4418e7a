"""Shares of tied documents."""

import numpy as np
import pytest
from ties import coarse, worked

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, ParameterError


def test_worked_rates(golden):
    run, qrels, expected = worked(golden)
    cube = run.ireval.cube(qrels)
    assert 100 * cube.ireval.tie_rates() == pytest.approx(expected["tie_percentage_top20"])
    assert 100 * cube.ireval.tie_rates(3) == pytest.approx(expected["tie_percentage_top3"])


def test_rates_by_a_loop():
    runs, qrels = coarse()
    rates = runs.ireval.cube(qrels).ireval.tie_rates(10)
    for (system, topic), part in runs.groupby(["system", "topic"]):
        top = part["score"].nlargest(10).tolist()
        share = sum(top.count(score) > 1 for score in top) / len(top)
        assert rates.sel(system=system, topic=topic).item() == pytest.approx(share)


def test_empty_lists_have_no_rate():
    runs, qrels = coarse()
    some = runs[(runs["system"] != "ance") | (runs["topic"] != "101")]
    with pytest.warns(IrframeWarning, match="ance 1 of 16 topics"):
        cube = some.ireval.cube(qrels)
    rates = cube.ireval.tie_rates()
    assert np.isnan(rates.sel(system="ance", topic="101"))
    assert rates.notnull().sum() == rates.size - 1


def test_without_ties_there_is_no_rate():
    runs, qrels = ir.example_track()
    order = runs.assign(score=range(len(runs), 0, -1)).ireval.cube(qrels)
    assert order.ireval.tie_rates().sum() == 0


def test_refusals():
    runs, qrels = coarse()
    cube = runs.ireval.cube(qrels)
    with pytest.raises(DepthError, match="up to 10, that of the cube; found 20"):
        runs.ireval.cube(qrels, depth=10).ireval.tie_rates()
    for depth in (0, 2.5, True):
        with pytest.raises(DepthError, match="at least 1"):
            cube.ireval.tie_rates(depth)
    with pytest.raises(ParameterError, match="ties='rank'"):
        runs.ireval.cube(qrels, ties="rank").ireval.tie_rates()
