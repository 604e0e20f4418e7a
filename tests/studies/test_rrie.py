"""Relative reduction in error."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import DepthError, InputError, IrframeWarning, ParameterError


def scores_of(metric, **systems):
    values = [list(map(float, row)) for row in systems.values()]
    return xr.DataArray(values, {"system": list(systems)}, ("system", "topic"), name=metric)


def test_relative_reduction_in_error(golden):
    case = golden["000-rrie"]
    rows = case["input"]["rows"]
    index = pd.MultiIndex.from_product([["old", "new"], ["1"]], names=["system", "topic"])
    for (name, kind, old, new), expected, percent in zip(
        rows, case["expected"]["rrie"], case["printed"]["percent"], strict=True
    ):
        metric = name if kind == "precision" else "ASL(first=10)" if "@" in name else "ASL"
        frame = pd.DataFrame({metric: [old, new]}, index=index)
        found = frame.ireval.rrie(baseline="old").loc[0, "rrie"]
        assert found == pytest.approx(expected)
        assert round(100 * found) == percent


@pytest.mark.parametrize(
    ("metric", "old", "new"), [("P", 1, 0.5), ("ASL", 0.5, 0.8), ("ASL", 0.5, 0.2), ("DCG", 2, 3)]
)
def test_nothing_is_left_to_reduce_beyond_perfection(metric, old, new):
    found = scores_of(metric, a=[old], b=[new]).ireval.rrie(baseline="a")
    assert found["rrie"].isna().all()
    assert found[["old", "new"]].to_numpy().tolist() == [[old, new]]


def test_costs_and_gains_that_get_worse_are_negative():
    for metric, old, new in (("ASL", 3, 5), ("P", 0.5, 0.0)):
        found = scores_of(metric, a=[old], b=[new]).ireval.rrie(baseline="a")
        assert found["rrie"].tolist() == [-1]


def test_means_are_over_shared_topics():
    scores = scores_of("P", a=[0.5, 0.0, 0.0], b=[0.0, np.nan, np.nan], c=[0.5, 1, 1])
    with pytest.warns(IrframeWarning, match="left out: 2 for P"):
        found = scores.ireval.rrie(baseline="a")
    assert found["rrie"].tolist() == [-1, 0]
    assert found["old"].tolist() == [0.5, 0.5]
    unscored = scores_of("ASL", a=[3, np.nan], b=[2, np.nan]).ireval.rrie(baseline="a")
    assert unscored["rrie"].tolist() == [0.5]
    with pytest.raises(InputError, match="every system has a score; found none: P"):
        scores_of("P", a=[1, np.nan], b=[np.nan, 1]).ireval.rrie(baseline="a")


def test_bad_input():
    runs, qrels = ir.example_track()
    scores = runs.ireval.cube(qrels).ireval.score("AP", "ASL")
    refused(ParameterError, "systems to compare.*'nobody'", scores.ireval.rrie, baseline="nobody")
    with pytest.raises(ParameterError, match="one system beside the baseline"):
        scores.sel(system=["bm25"]).ireval.rrie(baseline="bm25")
    with pytest.raises(DepthError, match="without"):
        scores.isel(depth=0, drop=True).ireval.rrie(baseline="bm25", at=3)
