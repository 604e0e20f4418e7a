"""Judgments out of what other tools hand over."""

import ir_measures
import pandas as pd
import pyarrow as pa
import pytest

import irframe as ir
from irframe.errors import GradeError, IdError, InputError

NESTED = {"q1": {"d1": 0, "d2": 2}, "q2": {"d1": 1}}
QRELS = pd.DataFrame({"topic": ["q1", "q1", "q2"], "doc": ["d1", "d2", "d1"], "grade": [0, 2, 1]})
RUN = {"q1": {"d1": 0.9, "d2": 0.7}, "q2": {"d1": 0.5}}
ROWS = list(QRELS.itertuples(index=False, name=None))
BEIR = QRELS.set_axis(["query-id", "corpus-id", "score"], axis=1)


@pytest.mark.parametrize(
    "qrels",
    [
        NESTED,
        QRELS,
        BEIR,
        QRELS.set_index(["topic", "doc"]),
        pa.table(QRELS),
        pa.table(BEIR),
        [ir_measures.Qrel(*row) for row in ROWS],
        QRELS.to_dict("records"),
    ],
    ids=["nested", "frame", "BEIR", "index", "arrow", "BEIR in arrow", "Qrel", "records"],
)
def test_shapes_of_one_set(qrels):
    found = ir.evaluate(RUN, qrels, ["nDCG", "RR"])
    expected = ir.evaluate(RUN, QRELS, ["nDCG", "RR"])
    assert found.to_dict() == expected.to_dict()


def test_iterators_are_read_once():
    qrels = (ir_measures.Qrel(*row) for row in ROWS)
    assert len(ir.as_qrels(qrels)) == 3
    frame = ir.evaluate(RUN, (ir_measures.Qrel(*row) for row in ROWS), "RR", by=None)
    assert frame["RR"].tolist() == [0.5, 1.0]


def test_a_frame_stays_what_it_is():
    assert ir.as_qrels(QRELS) is QRELS
    assert ir.as_qrels(BEIR) is BEIR


@pytest.mark.thorough
def test_ranx_qrels():
    ranx = pytest.importorskip("ranx")
    frame = ir.as_qrels(ranx.Qrels(NESTED)).sort_values(["topic", "doc"], ignore_index=True)
    pd.testing.assert_frame_equal(frame, QRELS)


def test_scores_are_grades_where_nothing_else_is():
    for others in ({"rank": 1}, {"run": "bm25"}):
        with pytest.raises(InputError, match="found a run"):
            ir.as_qrels(BEIR.assign(**others))
    assert ir.verbs.judge(RUN, BEIR.assign(label=0))["grade"].tolist() == [0, 0, 0]
    with pytest.raises(GradeError, match="in column 'score'; found 0.5"):
        ir.verbs.judge(RUN, BEIR.assign(score=0.5))


def test_grades_of_two_kinds():
    with pytest.raises(InputError, match="one column for grade; found 'label', .* 'relevance'"):
        ir.as_qrels(QRELS.rename(columns={"grade": "label"}).assign(relevance=1))


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ({"q1": 1}, r"wanted {topic: {doc: grade}}; found .*: 'q1'"),
        ({"q1": {"d1": 1}, "q2": 0}, "found .*: 'q2'"),
        ({}, "found an empty one"),
        (ROWS, r"pd.DataFrame\(rows, columns=\['topic', 'doc', 'grade'\]\)"),
        (None, "found NoneType"),
        (QRELS.rename(columns={"grade": "g"}), r"frame.rename\(columns={'g': 'grade'}\)"),
    ],
)
def test_what_is_no_set_of_judgments(x, words):
    with pytest.raises(InputError, match=words):
        ir.as_qrels(x)


def test_an_empty_join_says_which_columns_were_taken():
    other = BEIR.assign(**{"query-id": "x" + BEIR["query-id"]})
    with pytest.raises(IdError, match="'q1', 'q2' in 'topic', the qrels 'xq1'.* in 'query-id'"):
        ir.evaluate(RUN, other, "AP")
