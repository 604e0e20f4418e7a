"""By how much one system brings relevant documents nearer than another."""

import numpy as np
import pytest
from lengths import lengths_frame
from oracles.searching import wins_and_losses

import irframe as ir
from irframe.errors import ParameterError


def test_differences_between_two_systems():
    lengths = lengths_frame(
        {"a": [1, 2, 3, 40, None, 9, 1], "b": [1, 5, 1, 20, 21, 1, None], "c": [1] * 7}
    )
    found = lengths.ireval.difference_histogram("a", "b", bins=3, width=4)
    assert found["low"].tolist() == [-np.inf, -8, -4, 0, 1, 5, 9]
    assert found["high"].tolist() == [-9, -5, -1, 0, 4, 8, np.inf]
    assert found["documents"].tolist() == [1, 0, 1, 1, 1, 1, 2]
    assert found["unretrieved"].tolist() == [1, 0, 0, 0, 0, 0, 1]
    mirrored = lengths.ireval.difference_histogram("b", "a", bins=3, width=4)
    assert mirrored["documents"].tolist() == found["documents"].tolist()[::-1]
    reached = lengths.ireval.difference_histogram("a", "b")
    assert reached["low"].tolist()[-1] == 41


def test_differences_equal_a_loop():
    runs, qrels = ir.example_track()
    lengths = runs.ireval.cube(qrels).ireval.search_lengths()
    table = lengths.pivot_table(index=["topic", "doc"], columns="system", values="search_length")
    for bins, width in ((1, 1), (3, 7), (5, 20)):
        found = lengths.ireval.difference_histogram("duot5", "bm25", bins=bins, width=width)
        expected = wins_and_losses(table["duot5"], table["bm25"], bins, width)
        assert found["documents"].tolist() == expected


def test_what_cannot_be_counted():
    lengths = lengths_frame({"a": [1, 2], "b": [2, 1]})
    for bad in ({"bins": 0}, {"width": 0}, {"bins": 1.5}, {"width": True}):
        with pytest.raises(ParameterError, match=f"{next(iter(bad))}, a whole number"):
            lengths.ireval.difference_histogram("a", "b", **bad)
    for pair in (("a", "z"), ("a", "a"), ("a", ["b"])):
        with pytest.raises(ParameterError, match="systems"):
            lengths.ireval.difference_histogram(*pair)
