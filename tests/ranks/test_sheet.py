"""Tests of `sheet`."""

import numpy as np
import pandas as pd
import xarray as xr
from refusals import refused

import irframe as ir
from irframe.errors import ParameterError


def test_sheet_equals_the_worked_case(track):
    scores = ir.evaluate(*track, ["AP", "ASL"])
    sheet = scores.ireval.sheet("bm25")
    assert sheet.index.names == ["metric", "topic"]
    for metric, best, worst in (("AP", "max", "min"), ("ASL", "min", "max")):
        by_topic, row = scores[metric].groupby("topic", sort=False), sheet.loc[metric]
        expected = {
            "score": scores[metric].xs("bm25"),
            "best": by_topic.agg(best),
            "median": by_topic.median(),
            "worst": by_topic.agg(worst),
            "rank": by_topic.rank(method="min", ascending=metric == "ASL").xs("bm25"),
            "n": by_topic.size(),
        }
        for name, values in expected.items():
            np.testing.assert_array_equal(row[name], values)


def test_topics_without_scores_are_nan_or_omitted():
    scores = pd.DataFrame(
        {"AP": [0.5, np.nan, 0.1, 0.7]},
        index=pd.MultiIndex.from_product([["a", "b"], ["1", "2"]], names=["run", "qid"]),
    )
    sheet = scores.ireval.sheet("a")
    assert sheet.index.names == ["metric", "qid"]
    expected = [[0.5, 0.5, 0.3, 0.1, 1, 2], [np.nan, 0.7, 0.7, 0.7, np.nan, 1]]
    np.testing.assert_allclose(sheet.to_numpy(), expected)


def test_sheet_of_an_array_has_a_dimension_for_depths():
    array = ir.cube(*ir.example_track()).ireval.score("AP", "P", at=[1, 10])
    sheet = array.ireval.sheet("ance")
    assert dict(sheet.sizes) == {"metric": 2, "topic": 16, "depth": 2}
    xr.testing.assert_equal(sheet["best"], array.max("system").drop_vars("system", errors="ignore"))
    top = array.sel(metric="P", depth=1).to_series()
    ance = top.xs("ance")
    assert sheet["rank"].sel(metric="P", depth=1).to_series()[ance == 1].eq(1).all()
    masked = array.where(array["topic"] != array["topic"][0])
    lazy = masked.chunk(topic=4).ireval.sheet("ance")
    xr.testing.assert_equal(lazy.compute(), masked.ireval.sheet("ance"))


def test_sheet_refuses_unknown_systems():
    scores = ir.evaluate(*ir.example_track(), "AP")
    refused(ParameterError, "a system of the scores .bm25", scores.ireval.sheet, "bm52")
