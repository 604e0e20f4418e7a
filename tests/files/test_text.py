"""Tests of text files: first lines and required columns."""

import pytest

from irframe.errors import InputError
from irframe.files import text as formats
from irframe.files.text import cuts_of, parse
from irframe.frames.kinds import QRELS, RUN


@pytest.mark.parametrize(
    ("kind", "line", "columns", "header"),
    [
        (RUN, "1 Q0 d 1 2.5 s", ("topic", "Q0", "doc", "rank", "score", "system"), False),
        (RUN, "1 d 1", ("topic", "doc", "rank"), False),
        (RUN, "qid doc rank", ("topic", "doc", "rank"), True),
        (RUN, "1 Q0 d 1 2.5 s more", (*RUN.layouts[0], "Q0 6"), False),
        (RUN, "1 2 3 4", RUN.layouts[0], False),
        (QRELS, "1 0 d 2", ("topic", "iteration", "doc", "grade"), False),
        (QRELS, "query-id corpus-id score", ("topic", "doc", "grade"), True),
        (QRELS, "docno label extra qid", ("doc", "grade", "extra", "topic"), True),
        (QRELS, "qid qid docno label", QRELS.layouts[0], False),
    ],
)
def test_the_first_line_decides_the_columns(kind, line, columns, header):
    cut = cuts_of(line.encode(), kind)[0]
    assert (cut.columns, bool(cut.header)) == (columns, header)


def test_a_score_is_a_grade_in_judgments_without_grades():
    assert QRELS.find(["qid", "docno", "score"])["grade"] == "score"
    assert QRELS.find(["qid", "docno", "score", "rel"])["grade"] == "rel"
    assert "grade" not in RUN.find(["qid", "docno", "score", "label"])


def test_optional_columns_may_be_missing():
    assert set(RUN.require(["qid", "docno"], "a frame", optional=("score",))) == {"topic", "doc"}
    with pytest.raises(
        InputError, match="a run with a column for score or rank, but found a frame"
    ):
        RUN.require(["qid", "docno"], "a frame")


def test_columns_are_in_the_order_of_roles():
    table = parse(b"docno\tlabel\tnote\tqid\nb\t1\tx\t2\na\t0\ty\t1\n", "q", QRELS)
    assert table.column_names == ["topic", "doc", "grade", "note"]
    assert table["doc"].to_pylist() == ["b", "a"]
    assert table["note"].to_pylist() == ["x", "y"]


def test_blocks_do_not_change_the_rows(monkeypatch):
    text = b"".join(b"%d Q0 d%d 1 0.5 s\n" % (n % 7, n) for n in range(500))
    table = parse(text, "x", RUN)
    monkeypatch.setattr(formats, "BLOCK", 64)
    assert parse(text, "x", RUN).equals(table)
