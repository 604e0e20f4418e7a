"""Runs and judgments in Parquet, their columns found by name."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from irframe.errors import FileFormatError, GradeError, IdError, InputError
from irframe.files.read_run import read_qrels, read_run
from irframe.files.read_runs import read_runs


def parquet(folder, name="a.parquet", **columns):
    pd.DataFrame(columns).to_parquet(folder / name)
    return folder / name


def test_parquet_run(tmp_path):
    columns = {"docno": ["d7", "d3"], "qid": [301, 301], "score": np.float32([2.5, 1.25])}
    frame = read_run(parquet(tmp_path, "bm25.parquet", **columns, team=["x", None]))
    assert list(frame) == ["system", "topic", "doc", "score", "team"]
    assert frame["system"].tolist() == ["bm25", "bm25"]
    assert frame["topic"].tolist() == ["301", "301"]
    assert frame["score"].dtype == np.float64
    assert frame["team"].isna().tolist() == [False, True]


def test_parquet_index_and_categories(tmp_path):
    frame = read_run(parquet(tmp_path, "a", topic=["1", "1"], doc=["a", "b"], rank=[1.0, 2.0]))
    frame = frame.astype({"topic": "category", "system": "category"}).iloc[::-1]
    frame.to_parquet(tmp_path / "b")
    again = read_run(tmp_path / "b")
    assert list(again) == ["system", "topic", "doc", "rank"]
    assert again.to_dict("list") == frame.astype(str).astype({"rank": int}).to_dict("list")
    frame.set_index(["system", "topic"]).to_parquet(tmp_path / "c")
    pd.testing.assert_frame_equal(read_run(tmp_path / "c"), again)


def test_parquet_qrels(tmp_path):
    columns = {"query-id": ["1", "1"], "corpus-id": ["a", "b"], "score": [1, 0]}
    frame = read_qrels(parquet(tmp_path, **columns))
    assert frame.to_dict("list") == {"topic": ["1", "1"], "doc": ["a", "b"], "grade": [1, 0]}


@pytest.mark.parametrize(
    ("read", "columns", "error", "message"),
    [
        (read_run, {"qid": ["1"], "rank": [1]}, InputError, r"for doc.*: qid, rank\..*docno"),
        (read_run, {"qid": ["1"], "doc": ["a"]}, InputError, "score or rank"),
        (read_qrels, {"qid": ["1"], "doc": ["a"]}, InputError, "Grade may be named grade, label"),
        (read_run, {"qid": [None], "doc": ["a"], "rank": [1]}, IdError, "'qid' of .*: row 0"),
        (read_run, {"qid": [1.5], "doc": ["a"], "rank": [1]}, IdError, "type double"),
        (read_run, {"qid": ["1"], "doc": ["a"], "score": [np.nan]}, InputError, "missing"),
        (read_run, {"qid": ["1"], "doc": ["a"], "score": ["x"]}, InputError, "numbers"),
        (read_run, {"qid": ["1"], "doc": ["a"], "rank": [1.5]}, InputError, "1.5 in row 0"),
        (read_qrels, {"qid": ["1"], "doc": ["a"], "rel": [0.5]}, GradeError, "0.5 in row 0"),
        (read_qrels, {"qid": [], "doc": [], "rel": []}, FileFormatError, "without a single row"),
    ],
)
def test_parquet_errors(tmp_path, read, columns, error, message):
    with pytest.raises(error, match=message):
        read(parquet(tmp_path, **columns))


def test_further_columns_of_one_name(tmp_path):
    table = pa.table(
        [["1"], ["a"], [1], ["x"], ["y"]], names=["qid", "doc", "rank", "team", "team"]
    )
    pq.write_table(table, tmp_path / "a")
    assert read_run(tmp_path / "a").iloc[0].tolist() == ["a", "1", "a", 1, "x"]
    twice = pa.table([["1"], ["a"], [1], ["b"]], names=["qid", "doc", "rank", "doc"])
    pq.write_table(twice, tmp_path / "a")
    with pytest.raises(InputError, match="several named: doc"):
        read_run(tmp_path / "a")


def test_damaged_parquet(tmp_path):
    (tmp_path / "a").write_bytes(b"PAR1 and nothing else PAR1")
    with pytest.raises(FileFormatError, match="damaged"):
        read_run(tmp_path / "a")


def test_parquet_files_with_further_columns(tmp_path):
    run = {"topic": ["1"], "doc": ["a"], "rank": [1]}
    parquet(tmp_path, "a", **run, team=["x"])
    parquet(tmp_path, "b", **run)
    assert read_runs(tmp_path)["team"].isna().tolist() == [False, True]
    parquet(tmp_path, "c", **run, team=[[1]])
    with pytest.raises(InputError, match="further columns"):
        read_runs(tmp_path)
