"""Judgments that are written read back, and what could not be read back is refused."""

import io
from contextlib import nullcontext

import pandas as pd
import pytest
import pytrec_eval
from filed import whole, writable
from hypothesis import given
from hypothesis import strategies as st

from irframe.errors import GradeError, InputError, IrframeWarning
from irframe.files.read_run import read_qrels
from irframe.files.write_run import write_qrels

QRELS = pd.DataFrame({"topic": ["1", "1"], "doc": ["a", "b"], "grade": [-1, 3]})


@given(st.lists(st.tuples(writable, writable, whole, writable), min_size=1))
def test_qrels_read_back(tmp_path_factory, rows):
    frame = pd.DataFrame(rows, columns=["topic", "doc", "grade", "iteration"])
    path = tmp_path_factory.mktemp("qrels") / "qrels"
    write_qrels(frame, path)
    assert read_qrels(path).to_dict("list") == frame.to_dict("list")


@pytest.mark.parametrize(
    ("grades", "message"),
    [
        (pd.array([1, None], dtype="Int64"), "missing.*: row 1"),
        ([1.5, 1], "whole numbers in column 'grade'; found 1.5 in row 0"),
        (["1", "2"], "numbers in column 'grade'"),
    ],
)
def test_what_judgments_cannot_hold(tmp_path, grades, message):
    with pytest.raises(GradeError, match=message):
        write_qrels(QRELS.assign(grade=grades), tmp_path / "a")


def test_the_very_text(tmp_path):
    write_qrels(QRELS, tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"1 0 a -1\n1 0 b 3\n"
    text = io.StringIO((tmp_path / "a").read_text())
    assert pytrec_eval.parse_qrel(text) == {"1": {"a": -1, "b": 3}}


@pytest.mark.parametrize(("judged", "written"), [(0.5, True), (0.4, False)])
def test_probabilities_are_written_only_as_strata_give_them(tmp_path, judged, written):
    frame = QRELS.assign(stratum="s", probability=judged)
    with nullcontext() if written else pytest.warns(IrframeWarning, match="column probability"):
        write_qrels(frame, tmp_path / "a")
    assert read_qrels(tmp_path / "a")["stratum"].tolist() == ["s", "s"]


def test_columns_that_are_needed(tmp_path):
    with pytest.raises(InputError, match="grade"):
        write_qrels(QRELS[["topic", "doc"]], tmp_path / "a")


def test_judgments_of_other_tools_are_written(tmp_path):
    write_qrels({"q1": {"d1": 2, "d2": 0}}, tmp_path / "q")
    assert (tmp_path / "q").read_text() == "q1 0 d1 2\nq1 0 d2 0\n"
