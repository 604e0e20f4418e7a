"""Columns that must be there, by role."""

import pytest

from irframe.errors import InputError
from irframe.files.require import lacking, require

NEEDED = [("topic",), ("score", "rank"), ("doc",)]


def test_one_of_a_choice_is_enough():
    assert lacking({"topic", "rank"}, NEEDED) == [("doc",)]
    assert lacking({"topic", "score", "rank", "doc"}, NEEDED) == []
    assert lacking(set(), NEEDED) == NEEDED


def test_what_is_there_is_passed_on():
    found = {"topic": "qid", "rank": "rank", "doc": "docno"}
    assert require(found, ["qid", "rank", "docno", "x", "x"], NEEDED, "a run", "a frame") is found


def test_all_missing_roles_are_named_with_their_aliases():
    with pytest.raises(InputError) as caught:
        require({"doc": "docno"}, ["docno", "price"], NEEDED, "a run", "runs.csv")
    error = caught.value
    assert error.wanted == "a run with a column for topic and score or rank"
    assert error.found == "runs.csv with other columns"
    assert error.offenders == ["docno", "price"]
    assert "topic may be named topic, qid, " in error.advice
    assert "rank may be named rank" in error.advice


def test_names_that_stand_twice_are_named():
    found = {"topic": "qid", "rank": "rank", "doc": "docno"}
    with pytest.raises(InputError, match="a file with several named: qid, docno"):
        require(found, ["qid", "docno", "rank", "docno", "qid"], NEEDED, "a run", "a file")
