"""Tests of irframe.files.answers."""

import json
from types import SimpleNamespace

import pandas as pd
import pytest
from refusals import refused
from turns import few_of

import irframe as ir
from irframe import names
from irframe.errors import InputError, IrframeError, IrframeWarning, ParameterError
from irframe.files.answers import IDS, LISTED_SCORE, PARENT

QRELS = {"q1": {"a": 1}, "q2": {"b": 1}}
LISTS = {"q1": [("x", 2.0), ("a", 1.0)], "q2": [("b", 3.0)]}
STORES = {
    "Elasticsearch": lambda hits: {
        "hits": {"hits": [{"_id": d, "_score": s, "_source": more} for d, s, more in hits]}
    },
    "Elasticsearch, fields": lambda hits: {
        "hits": {
            "hits": [
                {"_id": d, "_score": s, "fields": {n: [v] for n, v in more.items()}}
                for d, s, more in hits
            ]
        }
    },
    "Solr": lambda hits: {
        "response": {"docs": [{**more, "id": d, "score": s} for d, s, more in hits]}
    },
    "Vespa": lambda hits: {
        "root": {
            "id": "toplevel",
            "relevance": 1.0,
            "children": [{"id": d, "relevance": s, "fields": more} for d, s, more in hits],
        }
    },
    "Chroma": lambda hits: {
        "ids": [[d for d, *_ in hits]],
        "distances": [[-s for _, s, _ in hits]],
        "metadatas": [[more for *_, more in hits]],
    },
    "Qdrant": lambda hits: SimpleNamespace(
        points=[SimpleNamespace(id=d, score=s, payload=more) for d, s, more in hits]
    ),
    "Pinecone": lambda hits: {
        "matches": [{"id": d, "score": s, "metadata": more} for d, s, more in hits]
    },
    "Pinecone, text": lambda hits: {
        "result": {"hits": [{"_id": d, "_score": s, "fields": more} for d, s, more in hits]}
    },
    "Weaviate": lambda hits: {
        "objects": [
            {"uuid": d, "properties": more, "metadata": {"score": s}} for d, s, more in hits
        ]
    },
    "Weaviate, GraphQL": lambda hits: {
        "data": {
            "Get": {"D": [{**more, "_additional": {"id": d, "score": s}} for d, s, more in hits]}
        }
    },
    "Milvus": lambda hits: [{"id": d, "distance": s, "entity": more} for d, s, more in hits],
    "Haystack": lambda hits: {
        "documents": [{"id": d, "score": s, "meta": more} for d, s, more in hits]
    },
    "LangChain": lambda hits: [
        (SimpleNamespace(page_content="", id=d, metadata=more), s) for d, s, more in hits
    ],
    "LlamaIndex": lambda hits: {
        "source_nodes": [{"node": {"id_": d, "metadata": more}, "score": s} for d, s, more in hits]
    },
}
ROLE_NAMES = [*dict.fromkeys(name for role in names.ALIASES.values() for name in role)]
ROLE_NAMES += [
    "_score",
    "_id",
    "id",
    "node_id",
    "uuid",
    "relevance_score",
    "similarity",
    "distance",
]
ROLE_NAMES += ["search", "repeat", "seed", "start", "end", "text", "length", "unit", LISTED_SCORE]


def answered(store, **payload):
    lists = LISTS.items()
    return {t: STORES[store]([(d, s, payload) for d, s in hits]) for t, hits in lists}


@pytest.mark.parametrize("store", few_of(STORES, 7))
def test_payload_fields_do_not_change_scores(store):
    qrels = ir.as_qrels(QRELS)
    expected = ir.evaluate(answered(store), qrels, ["RR", "AP"])
    assert expected["RR"].tolist() == [0.5, 1.0]
    plain = ir.as_runs(answered(store))
    columns = [c for c in ("topic", "rank", "doc", LISTED_SCORE) if c in plain]
    for name in ROLE_NAMES:
        for value in (7, "z"):
            runs = ir.as_runs(answered(store, **{name: value}))
            if name in IDS[PARENT]:  # the field is a second id of the document
                refused(InputError, "chunks in 'chunk_id'", ir.evaluate, runs, qrels, "RR")
            else:
                pd.testing.assert_frame_equal(
                    runs[columns], plain[columns], obj=f"{name}={value!r}"
                )
    payload = {name: 7 for name in ROLE_NAMES if name not in IDS[PARENT]}
    result = ir.evaluate(answered(store, **payload), qrels, ["RR", "AP"])
    pd.testing.assert_frame_equal(result, expected)


def test_two_ids_of_a_hit_are_refused():
    hits = {"q1": [{"id": "a", "uuid": "7"}]}
    refused(InputError, r"'id', 'uuid'. .*as_runs\(hits, id='id'\)", ir.as_runs, hits)
    assert ir.as_runs(hits, id="id").doc.tolist() == ["a"]
    assert ir.as_runs({"q1": [{"id": "a", "_id": "a"}]}).doc.tolist() == ["a"]


def test_groups_of_vespa_are_not_documents():
    group = {"id": "group:root:0", "relevance": 1.0, "children": []}
    answer = STORES["Vespa"]([("a", 2.0, {})])
    answer["root"]["children"].insert(0, group)
    assert ir.as_runs({"q1": answer}).doc.tolist() == ["a"]


OTHERS = {
    "Meilisearch": ("hits", {"query": "x", "limit": 20, "offset": 0}, {"_rankingScore": 0.9}),
    "Typesense": ("hits", {"found": 2, "facet_counts": [], "page": 1}, {"text_match": 9}),
    "Azure AI Search": ("value", {"@odata.context": "https://x"}, {"@search.score": 0.9}),
    "Milvus, REST": ("data", {"code": 0, "cost": 0}, {"distance": 0.9}),
    "Vectara": ("search_results", {}, {"score": 0.9, "part_metadata": {}}),
}


def answer_of(tool, docs, name="id"):
    """Return an example answer of a tool in `OTHERS`."""
    key, further, fields = OTHERS[tool]
    hits = [{name: doc, **fields} for doc in docs]
    if tool == "Typesense":
        hits = [{"document": {name: doc}, **fields} for doc in docs]
    return {key: hits, **further}


@pytest.mark.parametrize("tool", OTHERS)
@pytest.mark.parametrize("several", [False, True])
def test_answers_of_unknown_tools_are_read_or_refused(tool, several):
    def runs(*answers):
        by_topic = dict(zip(("q1", "q2"), answers, strict=True))
        return {"s": by_topic, "t": by_topic} if several else by_topic

    key = OTHERS[tool][0]
    answers = runs(answer_of(tool, ["x", "a"]), answer_of(tool, ["b"]))
    if several and not OTHERS[tool][1]:
        return  # without a known key, the outer keys may be systems or topics
    assert ir.evaluate(answers, QRELS, "RR").RR.tolist() == [0.5, 1.0] * (1 + several)
    first_empty = runs(answer_of(tool, []), answer_of(tool, ["b"]))
    assert ir.as_runs(first_empty).doc.tolist() == ["b"] * (1 + several)
    strange = runs(answer_of(tool, ["x", "a"], "objectID"), answer_of(tool, ["b"], "objectID"))
    refused(InputError, rf"hits in '{key}' with .*hits='{key}', id=", ir.as_runs, strange)
    if tool != "Typesense":
        runs_read = ir.as_runs(strange, hits=key, id="objectID")
        assert runs_read.doc.tolist() == ["x", "a", "b"] * (1 + several)
    failed = runs(answer_of(tool, ["x", "a"]), {"code": 400, "message": "no"})
    refused(InputError, "no hits for 1 topic: 'q2'", ir.as_runs, failed)


UNREADABLE = {
    "OpenAI": (
        {"object": "page", "data": [{"file_id": "a", "filename": "f", "content": []}]},
        r"in 'data' with unknown fields: file_id, filename",
    ),
    "Algolia": (
        {"hits": [{"objectID": "a"}], "nbHits": 1},
        "in 'hits' with unknown fields: objectID",
    ),
    "an export of spans": ({"resourceSpans": [{"scopeSpans": []}]}, "in 'resourceSpans'"),
    "two lists": (
        {"code": 0, "data": [{"id": "a"}], "facets": [{"id": "z"}]},
        "in 'data' or 'facets'",
    ),
}


@pytest.mark.parametrize("tool", UNREADABLE)
def test_unreadable_answers_are_refused(tool):
    answer, message = UNREADABLE[tool]
    for act in (ir.as_runs, lambda x: ir.evaluate(x, QRELS, "RR"), ir.scorer(QRELS, "RR")):
        refused(InputError, message, act, {"q1": answer, "q2": answer})


def test_options_hits_and_id_locate_hits_of_other_tools():
    answer = {"code": 0, "data": {"rows": [{"key": "a"}, {"key": "x"}]}}
    for x in ({"q1": answer}, {"s": {"q1": answer}}):
        assert ir.as_runs(x, hits="data.rows", id="key").doc.tolist() == ["a", "x"]
        refused(
            ParameterError,
            "hits= to be the path to the hits",
            ir.as_runs,
            x,
            hits="data.hits",
            id="key",
        )
    assert (
        ir.as_runs([answer], topics=["q1"], hits="data.rows", id="key").topic.tolist() == ["q1"] * 2
    )
    lost = {"q1": answer, "q2": {"code": 1}}
    refused(InputError, "no hits for 1 topic: 'q2'", ir.as_runs, lost, hits="data.rows", id="key")


FACTS = {
    "timed_out": ("Elasticsearch", {"timed_out": True}),
    "_shards.failed": ("Elasticsearch", {"_shards": {"total": 2, "failed": 1}}),
    "terminated_early": ("Elasticsearch", {"terminated_early": True}),
    "responseHeader.partialResults": ("Solr", {"responseHeader": {"partialResults": True}}),
    "errors": ("Weaviate, GraphQL", {"errors": [{"message": "no"}]}),
    "search_cutoff": ("Pinecone", {"search_cutoff": True}),
}
COMPLETE = {"timed_out": False, "_shards": {"failed": 0}, "errors": [], "error": None}
COMPLETE |= {"responseHeader": {"status": 0}, "terminated_early": False}


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("several", [False, True])
def test_incomplete_answers_raise_a_warning_and_set_an_attribute(fact, several):
    tool, facts = FACTS[fact]
    answers = {topic: answer | COMPLETE for topic, answer in answered(tool).items()}
    assert "caution" not in ir.evaluate(answers, QRELS, "RR").attrs
    answers["q2"] |= facts
    runs = {"s": answers, "t": answered(tool)} if several else answers
    message = f"incomplete: {fact} in 'q2'" + " \\(system s\\)" * several
    with pytest.warns(IrframeWarning, match=message):
        scores = ir.evaluate(runs, QRELS, "RR")
    assert f"{fact} in 'q2'" in scores.attrs["caution"]
    with pytest.warns(IrframeWarning, match=message):
        frame = ir.as_runs(runs)
    assert f"{fact} in 'q2'" in frame.ireval.evaluate(QRELS, "RR").attrs["caution"]
    with pytest.warns(IrframeWarning, match=message):
        assert f"{fact} in 'q2'" in ir.cube(runs, QRELS).ireval.score("RR").attrs["caution"]


def test_warnings_about_answers_are_kept_in_files_and_frames(tmp_path):
    answers, message = answered("Elasticsearch"), "timed_out in 'q2'"
    answers["q2"]["timed_out"] = True
    (tmp_path / "s.json").write_text(json.dumps(answers))
    with pytest.warns(IrframeWarning, match=message):
        frame = ir.as_runs(answers)
    with pytest.warns(IrframeWarning, match=message):
        frame_read = [ir.read_run(tmp_path / "s.json"), ir.read_runs([tmp_path / "s.json"])]
    with pytest.warns(IrframeWarning, match=message):
        scanned = ir.evaluate(ir.scan_runs(tmp_path / "s.json"), QRELS, "RR")
    assert message in scanned.attrs["caution"]
    for runs in (frame, *frame_read):
        assert message in runs.ireval.evaluate(QRELS, "RR").attrs["caution"]
    with pytest.warns(IrframeWarning, match=message):
        assert message in ir.evaluate({"s": frame, "t": frame}, QRELS, "RR").attrs["caution"]


def test_a_degraded_answer_of_vespa_raises_a_warning():
    answers = answered("Vespa")
    answers["q1"]["root"]["coverage"] = {"degraded": {"match-phase": False, "timeout": True}}
    with pytest.warns(IrframeWarning, match=r"root.coverage.degraded in 'q1'"):
        ir.as_runs(answers)
    answers["q1"]["root"]["coverage"] = {"degraded": {"timeout": False}}
    ir.as_runs(answers)


class Body:
    """An answer of the client of Elasticsearch."""

    def __init__(self, body):
        self.body = body

    def __getitem__(self, name):
        return self.body[name]


class ToDict:
    """An answer of the clients of Pinecone and Elasticsearch DSL."""

    def __init__(self, body):
        self._body = body

    def to_dict(self):
        return self._body


class Items:
    """An answer whose values are only read by keys."""

    def __init__(self, body):
        self._body = body

    def __getitem__(self, name):
        body = self._body[name]
        return Items(body) if isinstance(body, dict) else body


@pytest.mark.parametrize("kind", [Body, ToDict, Items])
@pytest.mark.parametrize("store", ["Elasticsearch", "Pinecone", "Solr"])
def test_client_objects_are_read_like_their_dictionaries(kind, store):
    plain = answered(store)
    objects = {topic: kind(answer) for topic, answer in plain.items()}
    for x in (objects, {"s": objects}):
        assert ir.evaluate(x, QRELS, "RR").RR.tolist() == [0.5, 1.0]
    pd.testing.assert_frame_equal(ir.as_runs([*objects.values()], topics=plain), ir.as_runs(plain))
    refused(InputError, "topics=", ir.as_runs, [*objects.values()])


def test_answers_to_several_searches_need_their_topics():
    batch = {"responses": [*answered("Elasticsearch").values()]}
    columns = {"ids": [["x", "a"], ["b"]], "distances": [[1.0, 2.0], [1.0]]}
    for x in (batch, columns, Body(batch)):
        refused(InputError, "without topics", ir.evaluate, x, QRELS, "RR")
        runs = ir.as_runs(x, topics=["q1", "q2"])
        assert ir.evaluate(runs, QRELS, "RR").RR.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("first", ["answer", "error", "no hits"])
def test_an_answer_without_hits_does_not_change_other_topics(first):
    answers = answered("Elasticsearch")
    first_answers = {
        "answer": answers["q1"],
        "error": {"error": "x"},
        "no hits": {"hits": {"hits": []}},
    }
    runs = {"q1": first_answers[first], "q2": answers["q2"]}
    for answers_by_topic in (runs, dict(reversed(runs.items()))):
        if first == "error":
            refused(InputError, "no hits for 1 topic: 'q1'", ir.as_runs, answers_by_topic)
        else:
            assert "b" in ir.as_runs(answers_by_topic).doc.tolist()


def test_answers_in_a_file_are_read(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps(answered("Elasticsearch")))
    runs = ir.read_runs(tmp_path / "s.json")
    assert ir.evaluate(runs, QRELS, "RR").RR.tolist() == [0.5, 1.0]
    (tmp_path / "s.json").write_text(json.dumps({"q1": UNREADABLE["OpenAI"][0]}))
    refused(IrframeError, "hits in 'data'", ir.read_runs, tmp_path / "s.json")


@pytest.mark.parametrize("odd", [{"a": [1]}, {"a": {"b": 1}}, {"a": 0.5, "c": [{"d": 1}]}])
def test_scores_that_are_not_numbers_are_refused(odd):
    for runs in ({"q1": {"x": 0.5}, "q2": odd}, {"s": {"q1": {"x": 0.5}, "q2": odd}}):
        for act in (ir.as_runs, lambda x: ir.evaluate(x, QRELS, "RR"), ir.scorer(QRELS, "RR")):
            refused(InputError, "found", act, runs)


@pytest.mark.parametrize("kind", ["runs", "qrels"])
def test_columns_of_unequal_length_are_refused(kind, tmp_path):
    number = {"runs": "score", "qrels": "grade"}[kind]
    columns = {"topic": ["q1", "q1"], "doc": ["a"], number: [1, 2]}
    message = r"columns of equal length, but found 'topic' with 2 rows, 'doc' with 1 row"
    refused(InputError, message, getattr(ir, f"as_{kind}"), columns)
    (tmp_path / "s.json").write_text(json.dumps(columns))
    refused(InputError, message, getattr(ir, f"read_{kind}"), tmp_path / "s.json")
