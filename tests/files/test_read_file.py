"""Files of either kind, whatever their name."""

from pathlib import Path

import pandas as pd
import pytest

from irframe.errors import FileFormatError
from irframe.files.formats import QRELS, RUN
from irframe.files.read_file import read_file, run_table, stem

LINES = "301 Q0 d7 1 2.5 bm25\n301 Q0 d3 2 1.25 bm25\n"


@pytest.mark.parametrize(
    ("name", "system"),
    [
        ("bm25", "bm25"),
        ("runs/bm25.run", "bm25"),
        ("bm25.RUN.GZ", "bm25"),
        ("bm25.k1.txt", "bm25.k1"),
        ("input.bm25", "input.bm25"),
        ("a.trec.zst", "a"),
        ("a.run.run", "a.run"),
        ("a.csv.gz", "a.csv"),
    ],
)
def test_a_system_is_named_after_its_file(name, system):
    assert stem(name) == stem(Path(name)) == system


def test_the_content_decides_what_a_file_is(tmp_path):
    frame = pd.DataFrame({"topic": ["1"], "doc": ["d"], "grade": [2]})
    frame.to_parquet(tmp_path / "qrels.txt")
    (tmp_path / "qrels.parquet").write_text("1 0 d 2\n")
    for name in ("qrels.txt", "qrels.parquet"):
        table = read_file(tmp_path / name, QRELS).to_pylist()
        assert {key: table[0][key] for key in frame} == {"topic": "1", "doc": "d", "grade": 2}


def test_the_system_is_the_argument_then_the_tag_then_the_file(tmp_path):
    trec, marco = tmp_path / "trec.run", tmp_path / "marco.tsv"
    trec.write_text(LINES)
    marco.write_text("301 d7 1\n")
    for path, system, expected in (
        (trec, None, "bm25"),
        (trec, "mine", "mine"),
        (marco, None, "marco"),
        (marco, "mine", "mine"),
    ):
        table = run_table(path, system)
        assert table.column_names.count("system") == 1
        assert set(table["system"].to_pylist()) == {expected}
    assert run_table(trec, "mine").column_names[0] == "system"
    assert read_file(trec, RUN).num_rows == 2


def test_json_objects_are_rows_whose_text_stays_text(tmp_path):
    rows = pd.DataFrame(
        {"qid": ["001", "2020-01-01"], "docno": ["2020-01-01 10:00", "1e5"], "score": [2, 1.5]}
    )
    rows.assign(team="x").to_json(tmp_path / "bm25.jsonl.gz", orient="records", lines=True)
    found = run_table(tmp_path / "bm25.jsonl.gz", None).to_pandas()
    assert found["topic"].tolist() == rows["qid"].tolist()
    assert found["doc"].tolist() == rows["docno"].tolist()
    assert found["score"].tolist() == [2, 1.5]
    assert set(found["system"]) == {"bm25"}
    assert set(found["team"]) == {"x"}
    numbers = '{"topic": 1, "doc": 7, "grade": 1}\r\n  {"topic": 1, "doc": 8, "grade": 0}\r\n'
    (tmp_path / "qrels").write_text("\ufeff" + numbers)
    assert read_file(tmp_path / "qrels", QRELS)["doc"].to_pylist() == ["7", "8"]


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ('{"topic": "1", "doc": "b", "score": }', "Invalid value"),
        ('{"topic": "1", "doc": "b", "score": "x"}', "changed from number to string in row 1"),
        ('{"topic": "1", "doc": {"a": 1}, "score": 1}', "changed from string to object"),
        ('{"topic": "1", "topic": "2", "doc": "b", "score": 1}', "specified twice in row 1"),
    ],
)
def test_json_objects_that_are_no_rows(tmp_path, second, words):
    (tmp_path / "a.jsonl").write_text(f'{{"topic": "1", "doc": "a", "score": 1}}\n{second}\n')
    with pytest.raises(FileFormatError, match=f"file of JSON lines that is whole.*{words}"):
        read_file(tmp_path / "a.jsonl", RUN)
