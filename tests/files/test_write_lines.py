"""Columns as lines of text."""

import pandas as pd
import pytest

from irframe.errors import IdError, InputError
from irframe.files import write_run
from irframe.files.formats import QRELS
from irframe.files.write_run import columns_of, write

FRAME = pd.DataFrame({"note": "n", "label": [2, -1], "docno": ["b", "a"], "qid": [7, 7]})


def written(path, frame=FRAME):
    write(path, columns_of(frame, QRELS), QRELS)
    return path.read_text(encoding="utf-8")


def test_columns_are_those_of_the_format_and_what_is_lacking_is_its_name(tmp_path):
    assert written(tmp_path / "q") == "7 iteration b 2\n7 iteration a -1\n"


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_pieces_do_not_show(tmp_path, monkeypatch, rows):
    frame = pd.concat([FRAME] * 3)
    whole = written(tmp_path / "whole", frame)
    monkeypatch.setattr(write_run, "ROWS", rows)
    assert written(tmp_path / "pieces", frame) == whole


@pytest.mark.parametrize("doc", ["", "a b", "a\tb", "a\u000bb", "a\n"])
def test_ids_that_a_line_cannot_hold_are_shown(tmp_path, doc):
    frame = FRAME.assign(docno=["fine", doc])
    with pytest.raises(IdError, match="doc ids that a line can hold") as caught:
        written(tmp_path / "q", frame)
    assert caught.value.offenders == [repr(doc)]
    assert not (tmp_path / "q").exists()


def test_only_a_topic_may_be_taken_for_a_comment(tmp_path):
    assert "7 iteration #a 2" in written(tmp_path / "q", FRAME.assign(docno=["#a", "b"]))
    with pytest.raises(IdError, match="topic ids .* begin as a comment does: '#7'"):
        written(tmp_path / "q", FRAME.assign(qid=["#7", "#7"]))


def test_what_is_no_frame_of_rows():
    with pytest.raises(InputError, match="judgments.*found"):
        columns_of([1], QRELS)
    with pytest.raises(InputError, match="judgments to write; found a frame without rows"):
        columns_of(FRAME[:0], QRELS)
    with pytest.raises(InputError, match="judgments with a column for doc"):
        columns_of(FRAME.drop(columns="docno"), QRELS)
