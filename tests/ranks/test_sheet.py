import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.errors import ParameterError


@pytest.fixture(scope="module")
def scores():
    return ir.evaluate(*ir.example_track(), ["AP", "ASL"])


def test_own_score_against_all(scores):
    sheet = scores.ireval.sheet("bm25")
    assert sheet.index.names == ["metric", "topic"]
    for metric, best, worst in (("AP", "max", "min"), ("ASL", "min", "max")):
        by_topic, row = scores[metric].groupby("topic", sort=False), sheet.loc[metric]
        own = scores[metric].xs("bm25")
        np.testing.assert_array_equal(row["score"], own)
        np.testing.assert_array_equal(row["best"], by_topic.agg(best))
        np.testing.assert_array_equal(row["median"], by_topic.median())
        np.testing.assert_array_equal(row["worst"], by_topic.agg(worst))
        ranks = by_topic.rank(method="min", ascending=metric == "ASL").xs("bm25")
        np.testing.assert_array_equal(row["rank"], ranks)
        assert (row["n"] == 8).all()


def test_topics_without_a_score():
    scores = pd.DataFrame(
        {"AP": [0.5, np.nan, 0.1, 0.7]},
        index=pd.MultiIndex.from_product([["a", "b"], ["1", "2"]], names=["run", "qid"]),
    )
    sheet = scores.ireval.sheet("a")
    assert sheet.index.names == ["metric", "qid"]
    expected = [[0.5, 0.5, 0.3, 0.1, 1, 2], [np.nan, 0.7, 0.7, 0.7, np.nan, 1]]
    np.testing.assert_allclose(sheet.to_numpy(), expected)


def test_every_depth_of_an_array():
    array = ir.cube(*ir.example_track()).ireval.score("AP", "P", at=[1, 10])
    sheet = array.ireval.sheet("ance")
    assert dict(sheet.sizes) == {"metric": 2, "topic": 16, "depth": 2}
    xr.testing.assert_equal(sheet["best"], array.max("system").drop_vars("system", errors="ignore"))
    top = array.sel(metric="P", depth=1).to_series()
    own = top.xs("ance")
    assert sheet["rank"].sel(metric="P", depth=1).to_series()[own == 1].eq(1).all()


def test_a_system_that_is_not_there(scores):
    with pytest.raises(ParameterError, match="a system of the scores: bm25"):
        scores.ireval.sheet("bm52")
