"""Saved cubes keep the dtypes of topic coordinates."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import irframe as ir

CUBE = ir.cube(*ir.example_track())
N = CUBE.sizes["topic"]
COLUMNS = {
    "int8": np.arange(N, dtype="int8"),
    "float32": np.arange(N, dtype="float32"),
    "missing float": np.append(np.arange(N - 1.0), np.nan),
    "bool": np.arange(N) > 3,
    "object of int": np.arange(N).astype(object),
    "datetime": pd.date_range("2026", periods=N).to_numpy(),
    "text": np.array(["a", "bc"] * N)[:N],
    "category": pd.Categorical(["short", "long"] * (N // 2)),
    "nullable int": pd.array([*range(N - 1), None], dtype="Int64"),
    "nullable text": pd.array(["x"] * N, dtype="string"),
    "pandas text": pd.Index(["x"] * N).values,  # the dtype is object before pandas 3
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_topic_coordinates_keep_dtype_and_values(column, tmp_path):
    cube = CUBE.assign_coords(kind=("topic", column))
    cube.ireval.save(tmp_path / "cube")
    opened = ir.open_cube(tmp_path / "cube")
    assert opened["kind"].dtype == cube["kind"].dtype
    xr.testing.assert_identical(opened["kind"], cube["kind"])


@pytest.mark.parametrize("label", ["cluster", "task", "weight"])
@pytest.mark.parametrize("number", [1, 2.0, np.int16(3)])
def test_numeric_design_labels_of_cubes_stay_numeric(label, number, tmp_path):
    topics = CUBE.indexes["topic"]
    cube = CUBE.ireval.design(**{label: dict.fromkeys(topics, number)})
    assert np.issubdtype(cube[label].dtype, np.number)
    cube.ireval.save(tmp_path / "cube")
    xr.testing.assert_identical(ir.open_cube(tmp_path / "cube")[label], cube[label])


@pytest.mark.parametrize("label", ["cluster", "task", "weight"])
def test_numeric_design_labels_of_scores_stay_numeric_in_parquet(label, tmp_path):
    topics = CUBE.indexes["topic"]
    scores = ir.evaluate(*ir.example_track(), ["AP"])
    scores = scores.ireval.design(**{label: {topic: len(topic) for topic in topics}})
    scores.to_parquet(tmp_path / "scores.parquet")
    reopened = pd.read_parquet(tmp_path / "scores.parquet")
    assert pd.api.types.is_integer_dtype(reopened.index.get_level_values(label))
    pd.testing.assert_frame_equal(reopened, scores)
