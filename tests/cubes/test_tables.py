"""Scores that come as frames, wide or long, or as arrays."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir
from irframe.cubes.tables import to_scores
from irframe.cubes.verb import groups
from irframe.errors import IdError, InputError, ParameterError

LONG = pd.DataFrame(
    {
        "name": ["b", "b", "a", "a", "b", "b", "a", "a"],
        "qid": ["2", "1"] * 4,
        "measure": ["P@5"] * 4 + ["AP"] * 4,
        "value": np.arange(8.0),
    }
)


def test_long_frames_of_pyterrier_and_ir_measures():
    scores = to_scores(LONG)
    assert scores.dims == ("metric", "system", "topic")
    assert list(scores.metric.values) == ["P@5", "AP"]
    assert list(scores.system.values) == ["b", "a"]
    assert list(scores.topic.values) == ["2", "1"]
    assert scores.sel(metric="AP", system="a", topic="1").item() == 7
    one = LONG[LONG["name"] == "a"].drop(columns="name").rename(columns={"qid": "query_id"})
    assert to_scores(one).sizes == {"metric": 2, "system": 1, "topic": 2}


def test_measures_of_ir_measures_serve_as_labels():
    measures = pytest.importorskip("ir_measures")
    frame = LONG.assign(measure=[measures.P @ 5] * 4 + [measures.AP] * 4)
    xr.testing.assert_equal(to_scores(frame), to_scores(LONG))
    assert ir.parse_metric(measures.nDCG(dcg="exp-log2") @ 20) == ir.nDCG(gain="exp", depth=20)
    assert ir.parse_metric(measures.IPrec @ 0.1) == ir.IPrec(recall=0.1)
    assert ir.parse_metric(measures.AP(judged_only=True)) == ir.AP(judged_only=True)


def test_wide_frames_round_trip():
    wide = LONG.set_index(["name", "qid", "measure"])["value"].unstack()
    xr.testing.assert_equal(
        to_scores(wide).sel(metric=["P@5", "AP"], system=["b", "a"], topic=["2", "1"]),
        to_scores(LONG),
    )
    assert wide.ireval.summary().loc[("AP", "a"), "mean"] == 6.5
    assert wide.ireval.summary().index.names == ["metric", "name"]
    assert LONG.ireval.summary().index.names == ["metric", "name"]


def test_missing_pairs_are_nan_and_counted():
    summary = LONG.iloc[:-1].ireval.summary()
    assert summary.loc[("AP", "a"), "n"] == 1
    assert summary.loc[("AP", "a"), "mean"] == 6
    assert np.isnan(summary.loc[("AP", "a"), "ci_low"])


def test_a_metric_coordinate_or_name_labels_an_array_of_one_metric():
    scores = to_scores(LONG)
    xr.testing.assert_equal(to_scores(scores.sel(metric="AP")), scores.sel(metric=["AP"]))
    bare = scores.sel(metric="AP", drop=True).rename("AP")
    assert list(to_scores(bare).metric.values) == ["AP"]


def test_groups_by_level_column_and_coordinate():
    wide = LONG.set_index(["name", "qid", "measure"])["value"].unstack()
    level = wide.assign(track=["x", "y"] * 2).set_index("track", append=True)
    column = LONG.assign(track=np.where(LONG["qid"] == "1", "x", "y"))
    array = to_scores(LONG).assign_coords(track=("topic", ["y", "x"]))
    for scores in (level, column, array):
        parts = {key: to_scores(part) for key, part in groups(scores, "track")}
        assert set(parts) == {"x", "y"}
        assert parts["x"].sizes["topic"] == 1
        assert parts["x"].sel(metric="AP", system="a", topic="1").item() == 7
        with pytest.raises(ParameterError, match="'team'"):
            dict(groups(scores, "team"))
    summary = array.ireval.summary(by="track")
    assert dict(summary.sizes) == {"track": 2, "metric": 2, "system": 2}
    assert level.ireval.summary(by="track").index.names == ["track", "metric", "name"]


@pytest.mark.parametrize(
    ("scores", "error", "words"),
    [
        (pd.concat([LONG, LONG.iloc[:1]]), IdError, "1 again"),
        (LONG.assign(value="x"), InputError, "a column of numbers"),
        (xr.DataArray([1.0], dims="system"), InputError, "dimensions system and topic"),
        (xr.DataArray([[[1.0]]], dims=["system", "topic", "x"]), InputError, "x"),
        ([1.0], InputError, "list"),
        (pd.DataFrame({"x": [1]}), InputError, "indexed by system and topic"),
    ],
)
def test_bad_scores(scores, error, words):
    with pytest.raises(error, match=words):
        to_scores(scores)
