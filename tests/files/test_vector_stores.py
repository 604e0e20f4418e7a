"""Hits of retrieval frameworks as run frames."""

from types import SimpleNamespace

import pandas as pd
import pytest
from refusals import refused

import irframe as ir
from irframe.errors import InputError

TEXT = {"page_content": "0123456789", "metadata": {"source": "a.md", "start_index": 40}}
SPAN = {"doc": "a.md", "start": 40, "end": 50}
SHAPES = {
    "LangChain, documents": (TEXT, SPAN),
    "LangChain, with scores": ((TEXT, 0.9), SPAN | {"score": 0.9}),
    "LangChain, objects": (SimpleNamespace(**TEXT), SPAN),
    "LangChain, with ids": (TEXT | {"id": "c7"}, {"chunk_id": "c7", "doc_id": "a.md"}),
    "LlamaIndex": (
        {"node": {"id_": "c7", "ref_doc_id": "a.md", "start_char_idx": 40, "end_char_idx": 50},
         "score": 0.9},
        {"chunk_id": "c7", "doc_id": "a.md", "start": 40, "end": 50, "score": 0.9},
    ),
    "LlamaIndex, objects": (
        SimpleNamespace(
            node=SimpleNamespace(node_id="c7", metadata={"file_path": "a.md"}), score=0.9
        ),
        {"chunk_id": "c7", "doc_id": "a.md", "score": 0.9},
    ),
    "Haystack": (
        {"id": "c7", "content": "0123456789", "score": 0.9,
         "meta": {"source_id": "a.md", "split_idx_start": 40}},
        {"chunk_id": "c7", "doc_id": "a.md", "start": 40, "end": 50, "score": 0.9},
    ),
    "sentence-transformers": ({"corpus_id": 3, "score": 0.9}, {"doc": 3, "score": 0.9}),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_hits_are_rows(shape):
    hit, wanted = SHAPES[shape]
    frame = ir.as_runs({"q1": [hit, hit], "q2": [hit]})
    assert frame["topic"].tolist() == ["q1", "q1", "q2"]
    assert frame["rank"].tolist() == [1, 2, 1]
    assert {**frame.iloc[0]}.items() >= wanted.items()
    assert ir.as_runs({"s": {"q1": [hit]}})["system"].tolist() == ["s"]
    assert ir.as_runs([[hit], [hit]])["topic"].tolist() == [0, 1]


def test_rows_of_sentence_transformers_are_runs():
    rows = [{"query_id": "q1", "corpus_id": "a", "score": 0.9}]
    assert ir.evaluate(rows, {"q1": {"a": 1}}, "RR").iloc[0, 0] == 1


def test_hits_are_scored_by_spans_and_by_documents():
    hits = {"q1": [SHAPES["Haystack"][0]]}
    spans = pd.DataFrame({"topic": "q1", "doc": ["a.md"], "start": [45], "end": [60]})
    found = ir.evaluate(hits, ir.as_spans(spans), "SpanR").iloc[0, 0]
    assert found == pytest.approx(1 / 3)
    qrels = {"q1": {"a.md": 1}}
    assert ir.evaluate(hits, qrels, "RR", of="doc_id").iloc[0, 0] == 1
    refused(InputError, "chunks in 'chunk_id'", ir.evaluate, hits, qrels, "RR")


def test_hits_without_ids_are_refused():
    with pytest.raises(InputError, match="none for: q1"):
        ir.as_runs({"q1": [{"page_content": "text", "metadata": {}}]})
