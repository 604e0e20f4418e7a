"""How far relevant documents lie, in bins."""

import pandas as pd
import pytest
from lengths import lengths_frame

import irframe as ir
from irframe.errors import InputError, ParameterError


def test_histogram_sets_unretrieved_documents_apart():
    lengths = lengths_frame({"a": [1, 2, 3, 40, None], "b": [None, None, 11, 20, 21]})
    found = lengths.ireval.length_histogram(bins=4)
    assert found["low"].tolist() == [1, 11, 21, 31, pd.NA] * 2
    assert found["high"].tolist() == [10, 20, 30, 40, pd.NA] * 2
    assert found["documents"].tolist() == [3, 0, 0, 1, 1, 0, 2, 1, 0, 2]
    assert found["share"].tolist() == [0.6, 0, 0, 0.2, 0.2, 0, 0.4, 0.2, 0, 0.4]
    wide = lengths.ireval.length_histogram(width=25)
    assert wide["documents"].tolist() == [3, 1, 1, 3, 0, 2]


def test_what_cannot_be_counted():
    lengths = lengths_frame({"a": [1, 2], "b": [2, 1]})
    for bad in ({"bins": 0}, {"width": 0}, {"bins": 1.5}, {"width": True}):
        with pytest.raises(ParameterError, match=f"{next(iter(bad))}, a whole number"):
            lengths.ireval.length_histogram(**bad)
    runs, _ = ir.example_track()
    for verb in ("length_histogram", "effective_top"):
        with pytest.raises(InputError, match="search lengths"):
            getattr(runs.ireval, verb)()
        with pytest.raises(InputError, match="no rows"):
            getattr(lengths[:0].ireval, verb)()
