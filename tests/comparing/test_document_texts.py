"""Texts of documents and queries."""

import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.comparing.explain import read_texts
from irframe.errors import FileFormatError, IdError, InputError

DOCS = {"1": "One.", "2": "Two.", "3": "Three."}
TITLES = {"q1": "what?"}
FRAME = pd.DataFrame({"docno": [1, 2, 3], "text": list(DOCS.values())})
QUERIES = pd.DataFrame({"qid": ["q1"], "query": ["what?"]})


@pytest.mark.parametrize(
    "texts",
    [
        [DOCS, QUERIES],
        {"doc": DOCS, "topic": TITLES},
        (FRAME, {"topic": TITLES}),
        [FRAME.rename(columns={"text": "contents"}), QUERIES.rename(columns={"query": "text"})],
        FRAME.assign(qid="q1", query="what?"),
    ],
)
def test_texts_are_read_as_users_have_them(texts, tmp_path):
    for given in (texts, _as_files(texts, tmp_path)):
        told = read_texts(given, ["2", "3", "4"], ["q1", "q2"])
        assert told.documents == {"2": "Two.", "3": "Three."}
        assert told.queries == TITLES


def _as_files(texts, folder):
    several = texts if isinstance(texts, list | tuple) else [texts]
    return [_as_file(part, folder / f"{n}.parquet") for n, part in enumerate(several)]


def _as_file(part, path):
    if not isinstance(part, pd.DataFrame):
        return part
    part.to_parquet(path)
    return path


def test_texts_stand_beside_documents():
    runs, qrels = ir.example_track()
    texts = {doc: f"text of {doc}" for doc in qrels["doc"].unique()[:40]}
    queries = {"topic": {topic: f"query {topic}" for topic in qrels["topic"].unique()}}
    found = ir.cube(runs, qrels).ireval.explain("bm25", "ance", "AP", texts=[texts, queries])
    assert (found["query"] == "query " + found["topic"]).all()
    known = found["doc"].isin(list(texts))
    assert (found.loc[known, "text"] == "text of " + found.loc[known, "doc"]).all()
    assert 0 < known.sum() < len(found)
    assert found.loc[~known, "text"].isna().all()


@pytest.mark.parametrize(
    ("texts", "error", "message"),
    [
        ({"d9": "x"}, IdError, "texts of docs that occur; found texts of 'd9'; results of '1'"),
        ({"topic": {"7": "x"}}, IdError, "texts of 'q?7'?; results of 'q1'"),
        ({"1": 5}, InputError, "other values for docs: 1"),
        (7, InputError, "a int"),
        ({"doc": ["x"]}, InputError, "a list"),
        (pd.DataFrame({"a": [1]}), InputError, "only the columns: a"),
        (FRAME.assign(docno=["1", "1", "2"]), InputError, "one text for each doc.*1"),
        ("no.parquet", FileFormatError, "no file no.parquet"),
        (__file__, FileFormatError, "test_document_texts.py"),
    ],
)
def test_bad_texts(texts, error, message):
    refused(error, message, lambda: read_texts(texts, ["1", "2"], ["q1"]))
