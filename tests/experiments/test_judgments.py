"""Dictionaries of judgments are read like frames."""

import numpy as np
import pytest

import irframe as ir
from irframe.errors import GradeError, IdError, InputError
from irframe.experiments.coded_tables import read_qrels_dictionary
from irframe.experiments.judgments import Judgments


@pytest.mark.parametrize(
    ("qrels", "quick"),
    [
        ({"q1": {"é": 2, "b": -1}, "q0": {"b": 1}, "q2": {"b": 0}}, True),
        ({"q1": {"a": True}}, False),
        ({"q1": {"a": np.int64(1)}}, False),
        ({"q1": {"a": 1.0}}, False),
        ({1: {7: 1}}, False),
    ],
    ids=str,
)
def test_dictionaries_are_read_like_frames(qrels, quick):
    assert (read_qrels_dictionary(qrels) is not None) == quick
    result, expected = (Judgments.of(source, []) for source in (qrels, ir.as_qrels(qrels)))
    assert result.topics.equals(expected.topics)
    assert result.lists == expected.lists
    for name in ("grade", "count", "levels", "row"):
        np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))


@pytest.mark.parametrize(
    ("qrels", "error"),
    [
        ({"q1": {"a": 32768}}, GradeError),
        ({"q1": {"a": 2**70}}, GradeError),
        ({"q1": {"a": 0.5}}, GradeError),
        ({"q1": {"a": 1, 2: 1}}, IdError),
        ({"q1": {}}, InputError),
        ({}, InputError),
    ],
    ids=str,
)
def test_invalid_dictionaries_raise_the_errors_of_frames(qrels, error):
    with pytest.raises(error) as result:
        Judgments.of(qrels, [])
    with pytest.raises(error) as expected:
        Judgments.of(ir.as_qrels(qrels), [])
    assert str(result.value) == str(expected.value)
