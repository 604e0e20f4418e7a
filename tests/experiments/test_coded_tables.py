"""Runs and judgments are read into tables with integer ids."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.errors import InputError, ParameterError
from irframe.experiments.coded_tables import Side, code_documents, take
from irframe.names import HIGHEST_GRADE, LOWEST_GRADE

RUN = pd.DataFrame({"system": "s", "topic": "1", "doc": list("abc"), "score": [3.0, 2.0, 1.0]})
QRELS = pd.DataFrame({"topic": "1", "doc": list("ab"), "grade": [0, 1]})


def twice(frame, name):
    """Return a frame with two additional columns of one name."""
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


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_may_be_numeric_text_or_any_numeric_dtype(kind):
    assert RUN.assign(score=NUMBERS[kind]).ireval.rank()["doc"].tolist() == list("cba")


def test_lowest_and_highest_grades_are_read():
    ends = [LOWEST_GRADE, HIGHEST_GRADE]
    assert ir.verbs.judge(RUN, QRELS.assign(grade=ends))["grade"].tolist()[:2] == ends


def test_thousands_of_distinct_grades_are_scored(tmp_path):
    rng = np.random.default_rng(0)
    names = {
        "topic": np.repeat(list("abcde"), 1_000),
        "doc": np.tile(np.arange(1_000).astype(str), 5),
    }
    grade = rng.permutation(np.linspace(-500, 30_000, 5_000).round())
    qrels, runs = (
        pd.DataFrame(names).assign(grade=grade),
        pd.DataFrame(names).sample(500, random_state=0),
    )
    runs = runs.assign(system="s", score=np.arange(500) // 2)
    steps = {level: level / grade.max() for level in grade.astype(int) if level > 0}
    metrics = ["nDCG", ir.metrics.nDCG(gain=steps), "ERR(gain='linear')"]
    cube = runs.ireval.cube(qrels)
    cube.ireval.save(tmp_path / "cube")
    linear, mapped, stops = cube.ireval.score(*metrics, at=[10]).to_numpy()[:, 0, :, 0]
    joined = runs.merge(qrels).sort_values(["score", "doc"], ascending=False)
    gains = joined.assign(gain=joined["grade"].clip(lower=0) / grade.max())
    discount = 1 / np.log2(np.arange(2, 12))
    for pos, topic in enumerate("abcde"):
        ideal = np.sort(grade[qrels["topic"] == topic])[::-1][:10] / grade.max()
        got = gains.loc[gains["topic"] == topic, "gain"].to_numpy()[:10]
        assert linear[pos] == pytest.approx((got * discount).sum() / (ideal * discount).sum())
        reading = np.cumprod(np.append(1, 1 - got))
        assert stops[pos] == pytest.approx((reading[:10] * got / np.arange(1, 11)).sum())
    np.testing.assert_allclose(mapped, linear, rtol=1e-12)
    reopened = ir.open_cube(tmp_path / "cube").ireval.score(*metrics, at=[10])
    np.testing.assert_array_equal(reopened.to_numpy()[0, 0, :, 0], linear)


def test_duplicates_of_unused_columns_are_ignored():
    runs, qrels = twice(RUN, "x"), twice(QRELS, "x")
    plain, scores = ir.evaluate(RUN, QRELS, "AP"), ir.evaluate(runs, qrels, "AP")
    pd.testing.assert_frame_equal(scores, plain)
    for verb, arguments in (("rank", []), ("judge", [qrels]), ("pool", [2])):
        expected = getattr(ir.verbs, verb)(RUN, *arguments)
        scores = getattr(ir.verbs, verb)(runs, *arguments).drop(columns="x", errors="ignore")
        pd.testing.assert_frame_equal(scores[expected.columns], expected)
    assert ir.verbs.restrict(qrels, runs)["doc"].tolist() == ["a", "b"]
    assert ir.verbs.sample(qrels, 1)["doc"].tolist() == ["a", "b"]


def test_duplicates_of_used_columns_are_refused():
    with pytest.raises(
        InputError, match="one column per role.*several columns of a frame with the name: doc"
    ):
        ir.verbs.rank(twice(RUN.drop(columns="doc"), "doc"))
    with pytest.raises(ParameterError, match="found 2 columns with the name 'team'"):
        ir.verbs.pool(twice(RUN, "team"), 2, together="team")
    with pytest.raises(ParameterError, match="found 2 columns with the name 'contributing'"):
        ir.verbs.pool(twice(RUN, "contributing"), 2)


def test_inputs_without_required_columns_or_rows_are_refused():
    with pytest.raises(
        InputError, match=r"a run with a column for topic and score or rank, .*: doc\."
    ):
        ir.verbs.rank(RUN[["doc"]])
    with pytest.raises(InputError, match="Grade may be named grade, label, relevance, rel"):
        ir.verbs.judge(RUN, RUN[["topic", "doc"]])
    with pytest.raises(InputError, match="found a run. Pass the runs first, then the judgments"):
        ir.verbs.judge(RUN, RUN)
    with pytest.raises(
        InputError,
        match="judgments as a pandas DataFrame, .*, but found an object of type NoneType",
    ):
        ir.verbs.judge(RUN, None)
    refused(InputError, "a run with rows, but found an empty frame", lambda: ir.verbs.rank(RUN[:0]))


pairs = st.lists(st.tuples(st.integers(0, 6), st.text("abé", max_size=2)), max_size=30)


def side(rows, kind):
    """Return rows whose documents are stored in two Arrow chunks."""
    docs = [doc for _, doc in rows]
    chunks = [pa.array(subset, kind) for subset in (docs[:2], docs[2:])]
    return Side(np.array([topic for topic, _ in rows], int), pa.chunked_array(chunks, kind))


@given(sides=st.lists(pairs, min_size=1, max_size=3))
def test_equal_pairs_of_topic_and_document_have_equal_codes(sides):
    kinds = [pa.string(), pa.large_string(), pa.string()]
    coded = code_documents(*map(side, sides, kinds[: len(sides)]))
    assert [len(codes) for codes in coded] == list(map(len, sides))
    codes = [int(code) for codes in coded for code in codes]
    names = [row for rows in sides for row in rows]
    assert pd.factorize(np.array(codes))[0].tolist() == pd.factorize(pd.Series(names))[0].tolist()


@pytest.mark.parametrize("rows", [[], [2], [1, 2, 3], [3, 2, 1], [0, 2, 3], [0, 2, 1, 3], [0, 0]])
def test_take_returns_the_requested_rows(rows):
    values = pa.chunked_array([["a", "b"], ["c", "d"]])
    rows_taken = take(values, np.array(rows, int))
    assert rows_taken.type == pa.large_string()
    assert rows_taken.to_pylist() == ["abcd"[row] for row in rows]
    numbers = pa.chunked_array([pa.array([4, 5, 6, 7], pa.int16())])
    assert take(numbers, np.array(rows, int)).to_pylist() == [row + 4 for row in rows]
