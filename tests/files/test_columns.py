"""Columns of any type as text, whole numbers or numbers."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from irframe.errors import GradeError, IdError, InputError, ParameterError
from irframe.files.columns import TEXT, TYPES, constant, numbers, to_arrow, to_frame, to_role


def role_of(values, role):
    return to_role(to_arrow(pd.Series(values, name="x")), role, "column 'x'")


@pytest.mark.parametrize(
    ("role", "values", "expected"),
    [
        ("doc", ["001", "NA"], ["001", "NA"]),
        ("doc", [7, -1], ["7", "-1"]),
        ("topic", pd.Categorical(["b", "a", "b"]), ["b", "a", "b"]),
        ("grade", [1.0, -2.0], [1, -2]),
        ("rank", pd.array([3, 1], dtype="UInt8"), [3, 1]),
        ("score", [1, 2], [1.0, 2.0]),
        ("score", [0.1, -np.inf], [0.1, -np.inf]),
        ("score", pd.Categorical([2.5, 1.0]), [2.5, 1.0]),
    ],
)
def test_a_column_takes_the_type_of_its_role(role, values, expected):
    column = role_of(values, role)
    assert column.type == TYPES[role]
    assert column.to_pylist() == expected


@pytest.mark.parametrize(
    ("role", "values", "error", "words"),
    [
        ("doc", ["a", None, "b", np.nan], IdError, "in column 'x'; found 2 missing: row 1, row 3"),
        ("score", [1.0, np.nan], InputError, "no missing values.*: row 1. Mend or drop"),
        ("grade", [None, 1], GradeError, "no missing values.*: row 0"),
        ("doc", [1.5], IdError, r"text or whole numbers.*type double. Convert .*astype\(str\)"),
        ("doc", [True], IdError, "type bool"),
        ("score", ["a"], InputError, r"numbers in .*string.*astype\(float\)"),
        ("grade", [1.0, 0.5, np.inf], GradeError, "found 0.5 in row 1, inf in row 2"),
        ("rank", [1.0, 2.25], InputError, "whole numbers in .*found 2.25 in row 1"),
        ("topic", ["a", 1], IdError, "one type of values in column 'x'; found several: int, str"),
    ],
)
def test_what_a_role_does_not_allow(role, values, error, words):
    with pytest.raises(error, match=words):
        role_of(values, role)


def test_numbers_of_any_type():
    for values in ([1, 2], ["1", "2"], [Decimal(1), Decimal(2)], pd.array([1, 2], dtype="Int8")):
        found = numbers(pd.Series(values))
        assert found.dtype == np.float64
        assert found.tolist() == [1, 2]
    assert np.isnan(numbers(pd.Series(["3", None]))[1])
    assert np.isnan(numbers(pd.Series(pd.array([3, None], dtype="Int8")))[1])
    with pytest.raises(GradeError, match="numbers in column 'g'; found 'x', '1_0'"):
        numbers(pd.Series(["x", "1", "1_0"], name="g"), GradeError)


def test_a_table_becomes_a_frame_whose_text_is_text():
    table = pa.table({"doc": pa.chunked_array([["001"], ["é"]], TEXT), "grade": [1, 2]})
    frame = to_frame(table)
    assert frame["doc"].tolist() == ["001", "é"]
    assert frame["doc"].dtype == "str" or str(frame["doc"].dtype).startswith("string")
    assert frame["grade"].dtype == np.int64
    assert len(frame.index) == 2


def test_one_system_in_every_row():
    assert constant("bm25", 3).to_pylist() == ["bm25"] * 3
    assert constant("bm25", 0).type == TEXT
    with pytest.raises(ParameterError, match="system, a text; found 7"):
        constant(7, 1)
