"""Tests of evidence spans from objects and files."""

import json

import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError

ROWS = [
    {"qid": "q0", "doc_id": "a", "start": 1, "end": 4},
    {"qid": "q1", "doc_id": "b", "start": 0, "end": 2},
]
REFERENCES = [
    [{"content": "x", "start_index": 1, "end_index": 4}],
    [{"content": "y", "start_index": 0, "end_index": 2}],
]
QUESTIONS = pd.DataFrame(
    {
        "question": ["who?", "when?"],
        "references": map(json.dumps, REFERENCES),
        "corpus_id": ["a", "b"],
    }
)
WANTED = [("q0", "a", 1, 4, 1), ("q1", "b", 0, 2, 1)]
SHAPES = {
    "rows": ROWS,
    "a frame": pd.DataFrame(ROWS),
    "questions": QUESTIONS,
    "questions with lists": QUESTIONS.assign(references=REFERENCES),
    "spans beside questions": [
        {"qid": row["qid"], "evidence": [{k: row[k] for k in ("doc_id", "start", "end")}]}
        for row in ROWS
    ],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_all_forms_of_input_give_the_same_spans(shape):
    assert list(ir.as_spans(SHAPES[shape]).itertuples(index=False, name=None)) == WANTED


def test_grades_and_sets_are_kept():
    frame = ir.as_spans(pd.DataFrame(ROWS).assign(set="x", grade=2))
    assert frame.columns.tolist() == ["topic", "doc", "start", "end", "grade", "set"]


def test_spans_beyond_their_texts_are_refused(tmp_path):
    texts = {"a": "four", "b": 2}
    assert (
        len(ir.as_spans(ROWS, texts=texts)) == len(ir.as_spans(ROWS, texts=pd.Series(texts))) == 2
    )
    with pytest.raises(
        InputError, match=r"1 span with an end beyond the document: q0 a \[1, 4\) of 3"
    ):
        ir.as_spans(ROWS, texts=texts | {"a": "the"})
    pd.DataFrame(ROWS).to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    refused(
        InputError,
        "1 document without.*: b",
        ir.read_spans,
        tmp_path / "a.jsonl",
        texts={"a": "four"},
    )


RUN = pd.DataFrame({"topic": ["q0"], "doc": ["a"], "start": [0], "end": [9], "rank": [1]})
REFUSED = {
    "an end before its start": ("1 row with invalid borders: q0 a", {"start": [5, 0]}),
    "an empty span": ("1 row with invalid borders", {"end": [1, 2]}),
    "a negative start": ("1 row with invalid borders", {"start": [-1, 0]}),
    "half a character": ("1 row with invalid borders", {"end": [2.5, 2]}),
    "a missing border": ("1 row with invalid borders", {"end": [None, 2]}),
}


@pytest.mark.parametrize("case", REFUSED)
def test_invalid_spans_are_refused(case):
    message, columns = REFUSED[case]
    spans = ir.as_spans(pd.DataFrame(ROWS)).assign(**columns)
    refused(InputError, message, RUN.ireval.evaluate, spans, "SpanR")
    with pytest.raises(InputError, match="only the columns"):
        RUN.drop(columns="end").ireval.evaluate(ir.as_spans(ROWS), "SpanR")


@pytest.mark.parametrize(
    "wrong",
    [3, "text", [], pd.DataFrame({"topic": ["1"], "doc": ["a"]}),
     *(QUESTIONS.assign(references=text) for text in ("[1]", "{", "[]"))],
    ids=["number", "text", "nothing", "documents", "no spans", "no JSON", "no span"],
)  # fmt: skip
def test_objects_without_spans_are_refused(wrong):
    with pytest.raises(InputError):
        ir.as_spans(wrong)


SPANS = pd.DataFrame({"topic": ["007"], "doc": ["1e5"], "start": [3], "end": [9], "grade": [1]})


@pytest.mark.parametrize("name", ["s.csv", "s.tsv", "s.jsonl", "s.json", "s.csv.gz", "s.parquet"])
def test_files_of_spans_are_read(name, tmp_path):
    path = tmp_path / name
    if "parquet" in name:
        SPANS.to_parquet(path)
    elif "json" in name:
        SPANS.to_json(path, orient="records", lines=name.endswith("l"))
    else:
        SPANS.to_csv(path, index=False, sep="\t" if ".tsv" in name else ",")
    pd.testing.assert_frame_equal(ir.read_spans(path), SPANS, check_dtype=False)


def test_questions_of_chunking_evaluation_are_converted(tmp_path):
    path = tmp_path / "questions_df.csv"
    references = [{"content": "x", "start_index": 3, "end_index": 9}]
    frame = {"question": ["q"], "references": [json.dumps(references)], "corpus_id": ["1e5"]}
    pd.DataFrame(frame).to_csv(path, index=False)
    expected = SPANS.assign(topic="q0")
    pd.testing.assert_frame_equal(ir.read_spans(path), expected, check_dtype=False)
