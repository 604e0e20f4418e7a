"""Tests of irframe.frames.ids, and of columns by role."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import IdError, InputError
from irframe.files.as_runs import by_role
from irframe.frames.ids import LONG, code_labels, every_row, grouped, identifiers, within
from irframe.frames.kinds import DOCUMENTS, QRELS, RUN, require_columns

IDS_RUN = pd.DataFrame({"system": 1, "topic": 2, "doc": [3, 4, 5], "score": [3.0, 2.0, 1.0]})
IDS_QRELS = pd.DataFrame({"topic": 2, "doc": [4, 9], "grade": [1, 1]})
UNSIGNED = ["uint8", "uint16", "uint32", "uint64", "UInt8", "UInt64", "uint64[pyarrow]"]
codes = st.lists(st.integers(0, 4)).map(np.array) | st.lists(st.integers(65_534, 65_538)).map(
    np.array
)


@given(codes.map(lambda drawn: drawn.astype(int)))
@example(np.array([65_536, 65_535]))
def test_positions_within_groups_agree_with_a_loop(drawn):
    members = {}
    expected = [members.setdefault(code, []).append(0) or len(members[code]) - 1 for code in drawn]
    assert within(drawn).tolist() == expected
    rows = grouped(drawn)
    assert rows.tolist() == sorted(range(len(drawn)), key=lambda row: drawn[row])


@pytest.mark.parametrize(("kind", "role"), few_of(product(UNSIGNED, ["system", "topic", "doc"]), 4))
def test_unsigned_ids_match_signed_ids(kind, role):
    run = IDS_RUN.astype({role: kind})
    for qrels in (IDS_QRELS, IDS_QRELS.astype(dict.fromkeys({role} - {"system"}, kind))):
        result = ir.evaluate(run, qrels, "AP").reset_index()
        assert result["AP"].tolist() == [0.25]
        assert ir.cube(run, qrels).experiment.judgments.docs.tolist() == [4, 9]
        assert run.ireval.judge(qrels)["grade"].isna().tolist() == [True, False, True]
        assert ir.verbs.restrict(qrels, run)["doc"].tolist() == [4]
    assert run.ireval.pool(2)[role].dtype == kind
    assert run.ireval.rank(ties=ir.Ties("random", seed=1))[role].dtype == kind


@pytest.mark.parametrize("kind", ["category", "str", "object", "string[pyarrow]"])
def test_text_and_categories_are_read_as_ids(kind):
    result = identifiers(pd.Series(["7", "x", "7"]).astype(kind), "doc")
    assert result.to_pylist() == ["7", "x", "7"]
    assert identifiers(pd.Series([7, 3]).astype("category"), "doc").to_pylist() == [7, 3]
    holes = pd.Series(["x", "y"]).astype(kind).where([True, False])
    refused(IdError, "1 row without a doc: row 1", identifiers, holes, "doc")


@pytest.mark.parametrize("rows", [LONG - 1, LONG, 2 * LONG + 5])
@pytest.mark.parametrize("times", [1, 2, 40])
def test_run_length_encoding_does_not_change_codes(rows, times):
    rng = np.random.default_rng(rows + times)
    ids = np.repeat(rng.integers(0, 9, rows), times)[:rows].astype(str)
    for dtype in ("object", "string[python]", "string[pyarrow]", "category"):
        column = pd.Series(ids, name="qid").astype(dtype)
        for some in (column, column.iloc[::2], column.iloc[7:-3], pd.concat([column, column])):
            codes, labels = code_labels(some, "topic")
            expected, expected_labels = pd.factorize(some.to_numpy(object))
            np.testing.assert_array_equal(codes, expected)
            assert (codes.dtype, labels.tolist()) == (np.int32, expected_labels.tolist())


SIDES = [
    *(["b", "a", "c"], [3, 1, 2], [1.5, 0.5], ["a", 1], [], ["a", "a"], [True, False], [None, "a"]),
    *(
        pd.Index(["b", "a"], dtype=object),
        pd.CategoricalIndex(["b", "a"]),
        pd.Index([2, 1], dtype="Int64"),
    ),
    *(pd.Index([3, 1], dtype=np.int32), pd.Index([5, 1], dtype=object)),
]


@pytest.mark.parametrize(("left", "right"), few_of(product(SIDES, SIDES[:4]), 9), ids=str)
def test_every_row_agrees_with_from_product_of_pandas(left, right):
    both = pd.Index(left), pd.Index(right)
    result, expected = every_row(both, [1, 2]), pd.MultiIndex.from_product(both, names=[1, 2])
    pd.testing.assert_index_equal(result, expected)
    for level, expected_level in zip(result.levels, expected.levels, strict=True):
        pd.testing.assert_index_equal(level, expected_level)


def test_missing_ids_are_named_by_their_rows():
    column = pd.Series(["1"] * LONG, dtype="string[pyarrow]")
    column[[7, 2500, 2501]] = pd.NA
    with pytest.raises(IdError, match="found 3 rows without a topic: row 7, row 2500, row 2501"):
        code_labels(column, "topic")


ROW = {"qid": ["1"], "docno": ["d"], "score": [1.0]}


@pytest.mark.parametrize("kind", [RUN, QRELS])
def test_frames_with_known_roles_are_returned_unchanged(kind):
    named = by_role(pd.DataFrame(ROW), kind)
    assert by_role(named, kind) is named
    assert named.columns.keys() - {"score", "grade"} == {"topic", "doc"}


def test_roles_of_other_kinds_are_ignored():
    frame = pd.DataFrame({**ROW, "label": [1], "iteration": ["0"]})
    assert require_columns(frame, RUN) == {"topic": "qid", "doc": "docno", "score": "score"}
    assert require_columns(frame, DOCUMENTS) == {"topic": "qid", "doc": "docno"}
    expected = {"topic": "qid", "doc": "docno", "grade": "label", "iteration": "iteration"}
    assert require_columns(frame, QRELS) == expected


def test_all_missing_roles_are_named_with_their_aliases():
    with pytest.raises(InputError) as caught:
        require_columns(pd.DataFrame({"docno": ["d"], "question": ["1"], "sim": [1]}), RUN)
    error = caught.value
    assert error.expected == "a run with a column for topic and score or rank"
    assert error.found == "a frame with other columns"
    assert error.offenders == ["docno", "question", "sim"]
    assert "topic may be named topic, qid, " in error.advice
    assert "rank may be named rank" in error.advice
    assert error.advice.endswith("frame.rename(columns={'question': 'topic', 'sim': 'score'})")
