"""Judgments against a slow reader, on odd files and on real ones."""

import io

import pytest
from filed import assert_holds, files, ids, numbers, slow_rows, write
from hypothesis import given

from irframe.errors import FileFormatError
from irframe.files.read_run import read_qrels


@given(files(ids, ids, ids, numbers))
def test_qrels_are_what_a_slow_reader_reads(text):
    frame = read_qrels(io.BytesIO(text.encode()))
    assert list(frame) == ["topic", "doc", "grade", "iteration"]
    columns = ["topic", "iteration", "doc", "grade"]
    assert_holds(frame, slow_rows(text.removeprefix("\ufeff"), columns))


@pytest.mark.parametrize(
    "name",
    [
        "robust03/qrels.txt",
        "trec-covid-round1/qrels.txt",
        "msmarco-doc-dev/qrels.txt",
        "dl-hard/dl_hard-doc.qrels",
    ],
)
def test_real_qrels(shared, name):
    path = shared / "data" / name
    columns = slow_rows(path.read_text(), ["topic", "iteration", "doc", "grade"])
    assert_holds(read_qrels(path), columns)


def test_named_columns_of_judgments(tmp_path):
    beir = "query-id\tcorpus-id\tscore\n001\td1\t2\n002\t-\t-1\n"
    assert read_qrels(write(tmp_path, beir)).to_dict("list") == {
        "topic": ["001", "002"],
        "doc": ["d1", "-"],
        "grade": [2, -1],
    }
    other = "# hand-made\ndocno relevance qid  pool\nd1 2 001 a\n"
    frame = read_qrels(write(tmp_path, other))
    assert frame.to_dict("list") == {"topic": ["001"], "doc": ["d1"], "grade": [2], "pool": ["a"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a 1\n1 0 b 0.5\n", "line 2 has the grade '0.5'"),
        ("1 0 a\n", "line 1 has 3 columns, not 4"),
        ("1 0 a 1 x 2\n", "line 1 has 6 columns, not 4"),
        ("1 0 a 0x1\n", "line 1 has the grade '0x1'"),
        ("query-id\tcorpus-id\tscore\n", "without a row below its header"),
        ("query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\tno\n", "line 3 has the grade 'no'"),
        ("query-id\tcorpus-id\tscore\n1 0 a 1\n", "line 2 has 4 columns, not 3"),
        ("qid doc doc grade\n1 0 a 1\n", "line 1 is a header"),
    ],
)
def test_qrels_errors_name_file_and_line(tmp_path, text, message):
    with pytest.raises(FileFormatError, match=rf"4 columns.*qrels\.txt.*{message}"):
        read_qrels(write(tmp_path, text, "qrels.txt"))
