import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import irframe as ir
from irframe.errors import GradeError, InputError

pytestmark = pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
RUNS = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 1.0}}
AS_GRADES, AS_DOCUMENTS = "if each has a grade: ", "if each is a relevant document: "


def line_in(error, before):
    """Return the line of code that an error message suggests."""
    return error.advice.partition(before)[2].partition("; if each")[0]


def raised(act, *args):
    with pytest.raises(ir.errors.IrframeError) as error:
        act(*args)
    return error.value


LISTED = {
    "pairs": lambda judged: [(doc, grade) for doc, grade in judged.items()],
    "lists of two": lambda judged: [[doc, grade] for doc, grade in judged.items()],
    "records": lambda judged: [{"doc": doc, "grade": grade} for doc, grade in judged.items()],
    "records of other names": lambda judged: [
        {"document_id": doc, "query_relevance_label": grade} for doc, grade in judged.items()
    ],
}
grades = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), min_size=2, max_size=5)


@pytest.mark.parametrize("shape", LISTED)
@given(judged=st.fixed_dictionaries({"q1": grades, "q2": grades}))
@settings(deadline=None, max_examples=3)
def test_ambiguous_judgments_are_refused_with_code_for_each_meaning(shape, judged):
    qrels = {topic: LISTED[shape](docs) for topic, docs in judged.items()}
    for act in (ir.as_qrels, lambda x: ir.evaluate(RUNS, x, "P"), lambda x: ir.scorer(x, "P")):
        error = raised(act, qrels)
        assert isinstance(error, InputError)
        names = {"qrels": qrels}
        assert eval(line_in(error, AS_GRADES), names) == judged  # noqa: S307 - of a message
        listed = {topic: [*docs] for topic, docs in judged.items()}
        assert eval(line_in(error, AS_DOCUMENTS), names) == listed  # noqa: S307
    if shape.startswith("records"):
        assert all(repr(name) in str(error) for name in qrels["q1"][0])


def test_nested_lists_of_documents_are_refused():
    qrels = {"q1": [["a", "b"], ["c"]], "q2": [["d"]]}
    error = raised(ir.as_qrels, qrels)
    assert eval(line_in(error, AS_DOCUMENTS), {"qrels": qrels}) == {  # noqa: S307
        "q1": ["a", "b", "c"],
        "q2": ["d"],
    }


@given(
    judged=grades.filter(lambda docs: max(docs.values()) > 0),
    empty=st.sampled_from([{}, [], set(), ()]),
    first=st.booleans(),
    integers=st.booleans(),
)
@settings(deadline=None, max_examples=4)
def test_a_judged_topic_may_have_no_relevant_document(judged, empty, first, integers):
    relevant = judged if isinstance(empty, dict) else {doc for doc in judged if judged[doc]}
    same = judged if isinstance(empty, dict) else dict.fromkeys(relevant, 1)
    topics = [1, 2] if integers else ["q1", "q2"]
    order = topics[::-1] if first else topics
    qrels = {topic: {topics[0]: relevant, topics[1]: empty}[topic] for topic in order}
    plain = {topic: {topics[0]: same, topics[1]: {"unseen": 0}}[topic] for topic in order}
    runs = {"s": dict(zip(topics, RUNS.values(), strict=True))}
    for no_rel in ("zero", "nan", "silence"):
        frame = [
            ir.evaluate(runs, x, ["AP", "nDCG", "RR", "P@1"], no_rel=no_rel).sort_index()
            for x in (qrels, plain)
        ]
        pd.testing.assert_frame_equal(*frame, check_index_type=False)
        assert len(frame[0]) == 2
    for act in (
        lambda x: ir.scorer(x, ["AP", "P@1"])(runs).sort_index(),
        lambda x: ir.verbs.risk_coverage(runs, x),
        lambda x: ir.cube(runs, x).ireval.score("AP").to_series().sort_index(),
        lambda x: ir.cube(runs, x).sizes["topic"],
    ):
        result, expected = act(qrels), act(plain)
        equal = result == expected if isinstance(result, int) else result.equals(expected)
        assert equal


def test_a_topic_without_documents_is_refused_in_frames(tmp_path):
    qrels = {"q1": {"a": 1}, "q2": {}}
    (tmp_path / "q.json").write_text(json.dumps(qrels))
    for act, source in ((ir.as_qrels, qrels), (ir.read_qrels, tmp_path / "q.json")):
        refused(InputError, "1 topic without a judged document.*'q2'.*grade 0", act, source)
    columns = {"topic": [], "doc": [], "grade": []}
    refused(InputError, "an empty frame", ir.as_qrels, columns)
    refused(InputError, "an empty frame", ir.evaluate, RUNS, {"q1": {}}, "AP")


@pytest.mark.parametrize("name", ["grade", "label", "score"])
@pytest.mark.parametrize("written", [float, str])
@pytest.mark.parametrize("factor", [2, 3, 4, 10])
def test_decimal_grades_are_refused_with_code_that_scales_them(name, written, factor):
    docs = [written(number / factor) for number in range(factor + 1)]
    frame = pd.DataFrame({"qid": "q1", "docno": [*"abcdefghijk"][: len(docs)], name: docs})
    error = raised(ir.evaluate, RUNS, frame, "nDCG")
    assert isinstance(error, GradeError)
    if name == "score":
        return  # the numbers may also be the scores of runs
    line = error.advice.partition(": ")[2]
    scaled = eval(line, {"ir": ir, "qrels": frame})  # noqa: S307 - of a message
    expected = frame.assign(**{name: np.arange(len(docs))})
    assert ir.evaluate(RUNS, scaled, "nDCG").equals(ir.evaluate(RUNS, expected, "nDCG"))


def test_decimal_grades_in_files_are_refused_with_a_factor(tmp_path):
    (tmp_path / "q").write_text("1 0 a 0.5\n1 0 b 1\n")
    (tmp_path / "q.json").write_text('{"1": {"a": 0.5, "b": 1}}')
    pd.DataFrame({"topic": ["1"], "doc": "a", "grade": 0.5}).to_parquet(tmp_path / "q.parquet")
    for name in ("q", "q.json", "q.parquet"):
        message = r"Multiply the grades by 2, so that all are whole\.$"
        refused(GradeError, message, ir.read_qrels, tmp_path / name)
