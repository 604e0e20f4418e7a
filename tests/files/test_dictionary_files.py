"""Dictionaries in files."""

import json

import pandas as pd
import pytest

import irframe as ir
from irframe.errors import FileFormatError, InputError

NESTED = {"q1": {"d1": 0.9, "d2": 0.5}, "q2": {"d1": 1}}
QRELS = {"q1": {"d1": 0, "d2": 2}}


def test_json(tmp_path):
    path = tmp_path / "bm25.json"
    path.write_text(json.dumps(NESTED, indent=2))
    run = ir.read_run(path)
    assert run.columns.tolist() == ["system", "topic", "doc", "score"]
    assert run["system"].unique().tolist() == ["bm25"]
    assert run["score"].tolist() == [0.9, 0.5, 1.0]
    path.write_text(json.dumps(QRELS))
    assert ir.read_qrels(path)["grade"].tolist() == [0, 2]


def test_predictions_of_mteb(tmp_path):
    meta = {"mteb_model_meta": {"model_name": "e5"}, "de": {"test": NESTED}, "fr": {"test": NESTED}}
    path = tmp_path / "MIRACL_predictions.json"
    path.write_text(json.dumps(meta))
    runs = ir.read_runs(path)
    assert runs["system"].unique().tolist() == ["e5"]
    assert runs["subset"].tolist() == ["de"] * 3 + ["fr"] * 3
    assert "split" not in runs


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_files_of_ranx(tmp_path):
    ranx = pytest.importorskip("ranx")
    run, qrels = ranx.Run(NESTED, name="bm25"), ranx.Qrels(QRELS)
    for kind in ("json", "lz4", "parquet", "trec"):
        run.save(tmp_path / f"a.{kind}", kind)
        found = ir.read_run(tmp_path / f"a.{kind}", system="a")
        expected = ir.as_runs(run, system="a")
        columns = ["system", "topic", "doc", "score"]
        pd.testing.assert_frame_equal(found[columns], expected, check_dtype=False)
    qrels.save(tmp_path / "q.json")
    assert sorted(ir.read_qrels(tmp_path / "q.json")["grade"]) == [0, 2]


@pytest.mark.parametrize("data", [b"{]}", b'{"a": }', b"\xa1\x61"])
def test_damaged_files(tmp_path, data):
    pytest.importorskip("cbor2")
    path = tmp_path / "a"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="a file that is whole; found .* damaged"):
        ir.read_run(path)


def test_other_dictionaries(tmp_path):
    path = tmp_path / "a"
    path.write_text('{"d1": 0.5}')
    with pytest.raises(InputError, match="documents without a topic in .*: 'd1'"):
        ir.read_run(path)


def test_the_package_that_is_needed_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cbor2", None)
    path = tmp_path / "a.lz4"
    path.write_bytes(b"\xa0")
    with pytest.raises(FileFormatError, match="pip install cbor2"):
        ir.read_run(path)
