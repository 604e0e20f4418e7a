"""Frames read by role: numbers that are numbers, columns that are there once."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

import irframe as ir
from irframe.errors import GradeError, InputError, ParameterError

RUN = pd.DataFrame({"system": "s", "topic": "1", "doc": list("abc"), "score": [3.0, 2.0, 1.0]})
QRELS = pd.DataFrame({"topic": "1", "doc": list("ab"), "grade": [0, 1]})


def twice(frame, name):
    """Add two columns of one name."""
    return pd.concat(
        [frame, pd.DataFrame({0: "x", 1: range(len(frame))}).set_axis([name] * 2, axis=1)], axis=1
    )


NUMBERS = {
    "text": list("123"),
    "objects": pd.Series([1, 2.5, 3], dtype=object),
    "decimals": [Decimal(1), Decimal("2.5"), Decimal(3)],
    "categories": pd.Categorical([1, 2, 3]),
    "categories of text": pd.Categorical(list("123")),
    "nullable": pd.array([1, 2, 3], dtype="Int8"),
    "unsigned": np.array([1, 2, 2**64 - 1], dtype="uint64"),
    "Arrow": pd.array([1.0, 2.0, 3.0], dtype="float64[pyarrow]"),
}
OTHERS = {
    "datetime": pd.to_datetime(["2020", "2021", "2022"]),
    "timedelta": pd.to_timedelta([1, 2, 3]),
    "boolean": [True, False, True],
    "complex": [1j, 2j, 3j],
    "mixed": pd.Series(["1", 2, 3], dtype=object),
    "period": pd.period_range("2020", periods=3),
}


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_of_any_type_of_number(kind):
    assert RUN.assign(score=NUMBERS[kind]).ireval.rank()["doc"].tolist() == list("cba")


@pytest.mark.parametrize("kind", OTHERS)
def test_scores_and_grades_that_are_no_numbers(kind):
    words = f"numbers in column '{{}}'; found values of type {kind}"
    with pytest.raises(InputError, match=words.format("score")):
        RUN.assign(score=OTHERS[kind]).ireval.rank()
    if kind != "boolean":
        with pytest.raises(GradeError, match=words.format("label")):
            ir.verbs.judge(RUN, QRELS[["topic", "doc"]].assign(label=OTHERS[kind][:2]))


def test_flags_are_grades():
    flags = QRELS.assign(grade=[False, True])
    assert ir.verbs.judge(RUN, flags)["grade"].tolist()[:2] == [0, 1]


@pytest.mark.parametrize("text", ["0x10", "1_000", "one", "", "nan"])
def test_text_that_says_no_decimal_number(text):
    with pytest.raises(InputError, match=f"numbers in column 'score'; found {text!r}"):
        RUN.assign(score=["3", "2", text]).ireval.rank()
    with pytest.raises(GradeError, match=f"numbers in column 'grade'; found {text!r}"):
        ir.verbs.judge(RUN, QRELS.assign(grade=["1", text]))


@pytest.mark.parametrize("grades", [[0, 128], [0, -127], [0, 0.5], [0, np.inf], [0, None]])
def test_grades_out_of_range(grades):
    with pytest.raises(GradeError, match="whole numbers from -126 to 127; found "):
        ir.verbs.judge(RUN, QRELS.assign(grade=grades))


def test_grades_at_the_ends_of_the_range():
    assert ir.verbs.judge(RUN, QRELS.assign(grade=[-126, 127]))["grade"].tolist()[:2] == [-126, 127]


def test_unrelated_columns_of_one_name_do_not_matter():
    runs, qrels = twice(RUN, "x"), twice(QRELS, "x")
    plain, found = ir.evaluate(RUN, QRELS, "AP"), ir.evaluate(runs, qrels, "AP")
    pd.testing.assert_frame_equal(found, plain)
    for verb, arguments in (("rank", []), ("judge", [qrels]), ("pool", [2])):
        expected = getattr(ir.verbs, verb)(RUN, *arguments)
        found = getattr(ir.verbs, verb)(runs, *arguments).drop(columns="x", errors="ignore")
        pd.testing.assert_frame_equal(found[expected.columns], expected)
    assert ir.verbs.restrict(qrels, runs)["doc"].tolist() == ["a", "b"]
    assert ir.verbs.sample(qrels, 1)["doc"].tolist() == ["a", "b"]


def test_columns_that_matter_are_there_once():
    with pytest.raises(InputError, match="one column per role.*several named: doc"):
        ir.verbs.rank(twice(RUN.drop(columns="doc"), "doc"))
    with pytest.raises(ParameterError, match="found 2 of the name 'team'"):
        ir.verbs.pool(twice(RUN, "team"), 2, together="team")
    with pytest.raises(ParameterError, match="found 2 of the name 'contributing'"):
        ir.verbs.pool(twice(RUN, "contributing"), 2)


def test_columns_that_are_needed():
    with pytest.raises(
        InputError, match=r"a run with a column for topic and score or rank; .*: doc\."
    ):
        ir.verbs.rank(RUN[["doc"]])
    with pytest.raises(InputError, match="Grade may be named grade, label, relevance, rel"):
        ir.verbs.judge(RUN, RUN[["topic", "doc"]])
    with pytest.raises(InputError, match="found a run. The runs come first, .* may be swapped"):
        ir.verbs.judge(RUN, RUN)
    with pytest.raises(
        InputError, match="judgments: a pandas DataFrame, a table, .*; found NoneType"
    ):
        ir.verbs.judge(RUN, None)
    with pytest.raises(InputError, match="a run with rows; found an empty one"):
        ir.verbs.rank(RUN[:0])
