"""Tests of runs, hits and judgments from other tools."""

import json
from types import SimpleNamespace

import ir_measures
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import xarray as xr
from refusals import refused
from scipy import sparse

import irframe as ir
from irframe.errors import (
    GradeError,
    IdError,
    InputError,
    IrframeWarning,
    ParameterError,
    RankingError,
)

NESTED = {"q1": {"d1": 0.9, "d2": 0.7}, "q2": {"d1": 0.5}}
RUN = pd.DataFrame(
    {"topic": ["q1", "q1", "q2"], "doc": ["d1", "d2", "d1"], "score": [0.9, 0.7, 0.5]}
)
QRELS = pd.DataFrame({"topic": ["q1", "q2"], "doc": ["d2", "d1"], "grade": [1, 1]})
ROWS = list(RUN.itertuples(index=False, name=None))


def test_functions_accept_objects_of_other_tools():
    qrels = {"q1": {"d2": 1}, "q2": {"d1": 1}}
    expected = ir.evaluate(RUN, QRELS, "RR")
    scored = (ir_measures.ScoredDoc(*row) for row in ROWS)
    pd.testing.assert_frame_equal(
        ir.evaluate(scored, qrels, "RR").rename_axis(index={"query_id": "topic"}), expected
    )
    cube = ir.cube(NESTED, qrels)
    assert cube.identical(ir.cube(RUN, QRELS))
    pd.testing.assert_frame_equal(ir.verbs.rank(NESTED), ir.verbs.rank(RUN))
    pd.testing.assert_frame_equal(ir.verbs.judge(NESTED, qrels), ir.verbs.judge(RUN, QRELS))
    pd.testing.assert_frame_equal(ir.verbs.pool(NESTED, 1), ir.verbs.pool(RUN, 1))
    pd.testing.assert_frame_equal(ir.verbs.diagnose(NESTED, qrels), ir.verbs.diagnose(RUN, QRELS))
    assert len(ir.verbs.restrict(qrels, ir.verbs.pool(NESTED, 1))) == 1
    assert len(ir.verbs.sample(qrels, 1)) == 2


def test_a_run_frame_is_returned_unchanged():
    assert ir.as_runs(RUN) is RUN
    assert ir.as_runs(RUN.assign(name="bm25")).columns.tolist() == ["topic", "doc", "score", "name"]


def test_the_option_system_names_the_system():
    assert ir.as_runs(NESTED, "bm25")["system"].unique().tolist() == ["bm25"]
    runs = RUN.assign(name="x")
    assert ir.as_runs(runs, "bm25")["name"].unique().tolist() == ["bm25"]
    assert runs["name"].unique().tolist() == ["x"]
    with pytest.raises(
        IdError, match="a run of one system, for system='bm25', but found 2 systems: a, b"
    ):
        ir.as_runs(pd.concat([RUN.assign(run="a"), RUN.assign(run="b")]), "bm25")


def test_runs_by_system_are_concatenated():
    scored = [ir_measures.ScoredDoc(*row) for row in ROWS]
    runs = ir.as_runs({"a": NESTED, "b": RUN, "c": scored, "7": pa.table(RUN)})
    assert runs["system"].unique().tolist() == ["a", "b", "c", "7"]
    assert set(runs.columns) == {"system", "topic", "doc", "score"}
    assert not runs.isna().any(axis=None)
    renamed = ir.as_runs({"a": scored, "b": scored})
    assert renamed.columns.tolist() == ["system", "query_id", "doc_id", "score"]


@pytest.mark.thorough
@pytest.mark.filterwarnings("ignore:unsafe cast")
def test_ranx_runs_are_converted():
    ranx = pytest.importorskip("ranx")
    run = ranx.Run(NESTED, name="bm25")
    assert ir.as_runs(run).sort_values(["topic", "doc"]).to_dict("list") == {
        "system": ["bm25"] * 3,
        **RUN.to_dict("list"),
    }
    assert "system" not in ir.as_runs(ranx.Run(NESTED))
    both = [run, ranx.Run(NESTED, name="ance")]
    assert ir.as_runs(both)["system"].unique().tolist() == ["bm25", "ance"]
    refused(IdError, "a name of its own each, but found none, or one twice", ir.as_runs, [run, run])
    qrels = ranx.Qrels({"q1": {"d2": 1}, "q2": {"d1": 1}})
    assert ir.evaluate(run, qrels, "RR").index.tolist() == [("bm25", "q1"), ("bm25", "q2")]
    result = ir.evaluate(run, qrels, "RR")["RR"].mean()
    assert result == pytest.approx(ranx.evaluate(qrels, run, "mrr"))


@pytest.mark.parametrize("library", ["polars", "duckdb"])
def test_arrow_tables_are_converted(library):
    module = pytest.importorskip(library, exc_type=ImportError)
    if library == "polars":
        table = module.DataFrame(RUN.to_dict("list")).lazy()
    else:
        connection = module.connect()
        connection.register("run", pa.table(RUN))
        table = connection.sql("select * from run")
    pd.testing.assert_frame_equal(ir.as_runs(table), RUN, check_dtype=False)
    assert ir.evaluate(table, QRELS, "RR")["RR"].tolist() == [0.5, 1.0]
    if library == "polars":
        seeds = module.concat([table.with_columns(seed=module.lit(seed)) for seed in (1, 2)])
        result = ir.evaluate(seeds, QRELS, "RR")
        assert result.index.names == ["system", "seed", "topic"]


def test_iterators_are_read_once(tmp_path):
    def stream(frame):
        return pa.table(frame.to_dict("list")).to_reader()

    pd.testing.assert_frame_equal(ir.as_runs(stream(RUN)), RUN, check_dtype=False)
    expected = ir.evaluate(RUN, QRELS, "RR")
    for result in (
        ir.evaluate(stream(RUN), stream(QRELS), "RR"),
        ir.evaluate({"run": stream(RUN)}, QRELS, "RR"),
        ir.scorer(stream(QRELS), "RR")(stream(RUN)),
    ):
        pd.testing.assert_frame_equal(result, expected, check_index_type=False)
    assert ir.cube(stream(RUN), stream(QRELS)).identical(ir.cube(RUN, QRELS))
    ir.verbs.write_run(stream(RUN), tmp_path / "a.run")
    assert len(ir.read_run(tmp_path / "a.run")) == len(RUN)


@pytest.mark.parametrize("kind", [np.array, lambda docs: np.array(docs, object), tuple])
def test_documents_of_a_topic_may_be_an_array(kind):
    lists = {"q1": ["d1", "d2"], "q2": ["d1"], "q9": ["d3"]}
    arrays = {topic: kind(docs) for topic, docs in lists.items()}
    expected = ir.as_runs(lists)
    pd.testing.assert_frame_equal(ir.as_runs(arrays), expected)
    assert ir.as_runs({"a": arrays})["system"].unique().tolist() == ["a"]
    score = ir.scorer(QRELS, "RR")
    with pytest.warns(IrframeWarning, match="have no judgments|has no judgments"):
        pd.testing.assert_frame_equal(score(arrays), score(expected))
    series = {"q1": pd.Series([0.5, 0.2], ["d1", "d2"])}
    refused(InputError, "rows of type float", score, series)


def test_predictions_of_mteb_are_converted():
    meta = {"model_name": "e5", "revision": "1"}
    single = {"mteb_model_meta": meta, "default": {"test": NESTED}}
    assert ir.as_runs(single).to_dict("list") == {"system": ["e5"] * 3, **RUN.to_dict("list")}
    two = {"mteb_model_meta": meta, "de": {"test": NESTED}, "fr": {"test": NESTED, "dev": NESTED}}
    assert ir.as_runs(two).groupby(["subset", "split"]).size().to_dict() == {
        ("de", "test"): 3,
        ("fr", "dev"): 3,
        ("fr", "test"): 3,
    }
    refused(InputError, "only the name of the model", ir.as_runs, {"mteb_model_meta": meta})


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({}, "found an empty dictionary"),
        ({"d1": 0.5}, "documents without a topic: 'd1'"),
        ({"q1": {"d1": 1.0}, "d2": 0.5}, "documents without a topic: 'd2'"),
        (
            {"q1": {"d1": 1.0}, "bm25": NESTED},
            "'q1' contains scores like a topic, and 'bm25' contains topics",
        ),
        (np.ones((2, 2)), r"ir.as_runs\(matrix, topics=..., docs=...\)"),
        (RUN["score"].rename(None), "rows of type float"),
        ([], "found an empty list"),
        (
            ROWS,
            r"rows of type tuple. Name the columns: pd.DataFrame\(rows, columns=\['topic', 'doc',",
        ),
        ([ir_measures.ScoredDoc("q", "d", 1.0), {"topic": "q"}], "2 types: ScoredDoc, dict"),
        (3, r"type int. Make a frame: pd.DataFrame\(rows, columns=\['topic', 'doc', 'score"),
        ("bm25.run", "found an object of type str. Read files with ir.read_runs"),
        (np.float64(3), "found an object of type float64"),
        (ir.cube(RUN, QRELS), "expected .*, but found an object of type Dataset"),
    ],
)
def test_other_objects_are_refused_as_runs(x, message):
    refused(InputError, message, lambda: ir.as_runs(x))


GRADED = {"q1": {"d1": 0, "d2": 2}, "q2": {"d1": 1}}
JUDGED = pd.DataFrame({"topic": ["q1", "q1", "q2"], "doc": ["d1", "d2", "d1"], "grade": [0, 2, 1]})
RANKED = {"q1": {"d1": 0.9, "d2": 0.7}, "q2": {"d1": 0.5}}
GRADES = list(JUDGED.itertuples(index=False, name=None))
BEIR = JUDGED.set_axis(["query-id", "corpus-id", "score"], axis=1)


@pytest.mark.thorough
def test_ranx_qrels_are_converted():
    ranx = pytest.importorskip("ranx")
    frame = ir.as_qrels(ranx.Qrels(GRADED)).sort_values(["topic", "doc"], ignore_index=True)
    pd.testing.assert_frame_equal(frame, JUDGED)


def test_scores_are_grades_in_frames_without_grades():
    for columns in ({"rank": 1}, {"run": "bm25"}):
        refused(InputError, "found a run", ir.as_qrels, BEIR.assign(**columns))
    assert ir.verbs.judge(RANKED, BEIR.assign(label=0))["grade"].tolist() == [0, 0, 0]
    with pytest.raises(GradeError, match="in column 'score', but found 0.5"):
        ir.verbs.judge(RANKED, BEIR.assign(score=0.5))


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"q1": 1}, r"expected {topic: {doc: grade}}, but found .*: 'q1'"),
        ({"q1": {"d1": 1}, "q2": 0}, "found .*: 'q2'"),
        ({}, "found an empty frame"),
        (GRADES, r"pd.DataFrame\(rows, columns=\['topic', 'doc', 'grade'\]\)"),
        (None, "found an object of type NoneType"),
    ],
)
def test_other_objects_are_refused_as_judgments(x, message):
    refused(InputError, message, lambda: ir.as_qrels(x))


def test_errors_about_disjoint_topics_name_both_columns():
    qrels = BEIR.assign(**{"query-id": "x" + BEIR["query-id"]})
    with pytest.raises(IdError, match="'q1', 'q2' in 'topic', the qrels 'xq1'.* in 'query-id'"):
        ir.evaluate(RANKED, qrels, "AP")


def test_different_index_levels_with_one_name_are_refused():
    ranked = ir.as_runs(RANKED)
    twice = ranked.set_index(["topic", "topic"])
    expected = ir.evaluate(RANKED, JUDGED, "AP")
    pd.testing.assert_frame_equal(ir.evaluate(twice, JUDGED, "AP"), expected)
    unequal = ranked.set_index(["topic", "doc"]).rename_axis(["topic", "topic"])
    refused(
        IdError,
        "distinct names of index levels, but found repeated names: topic",
        ir.as_runs,
        unequal,
    )


TEXT = {"page_content": "0123456789", "metadata": {"source": "a.md", "start_index": 40}}
SPAN = {"doc": "a.md", "start": 40, "end": 50}
HITS = {
    "LangChain, documents": (TEXT, SPAN),
    "LangChain, with scores": ((TEXT, 0.9), SPAN | {"listed_score": 0.9}),
    "LangChain, objects": (SimpleNamespace(**TEXT), SPAN),
    "LangChain, with ids": (TEXT | {"id": "c7"}, {"chunk_id": "c7", "doc_id": "a.md"}),
    "LlamaIndex": (
        {"node": {"id_": "c7", "ref_doc_id": "a.md", "start_char_idx": 40, "end_char_idx": 50},
         "score": 0.9},
        {"chunk_id": "c7", "doc_id": "a.md", "start": 40, "end": 50, "listed_score": 0.9},
    ),
    "LlamaIndex, objects": (
        SimpleNamespace(
            node=SimpleNamespace(node_id="c7", metadata={"file_path": "a.md"}), score=0.9
        ),
        {"chunk_id": "c7", "doc_id": "a.md", "listed_score": 0.9},
    ),
    "Haystack": (
        {"id": "c7", "content": "0123456789", "score": 0.9,
         "meta": {"source_id": "a.md", "split_idx_start": 40}},
        {"chunk_id": "c7", "doc_id": "a.md", "start": 40, "end": 50, "listed_score": 0.9},
    ),
    "sentence-transformers": ({"corpus_id": 3, "score": 0.9}, {"doc": 3, "listed_score": 0.9}),
}  # fmt: skip


@pytest.mark.parametrize("shape", HITS)
def test_hits_become_rows(shape):
    hit, expected = HITS[shape]
    frame = ir.as_runs({"q1": [hit, hit], "q2": [hit]})
    assert frame["topic"].tolist() == ["q1", "q1", "q2"]
    assert frame["rank"].tolist() == [1, 2, 1]
    assert {**frame.iloc[0]}.items() >= expected.items()
    assert ir.as_runs({"s": {"q1": [hit]}})["system"].tolist() == ["s"]
    assert ir.as_runs([[hit], [hit]], topics=["q1", "q2"])["topic"].tolist() == ["q1", "q2"]
    refused(InputError, r"a list of 2 .*topics=\[...\]", ir.evaluate, [[hit], [hit]], JUDGED, "RR")


def test_hits_are_scored_by_spans_and_by_documents():
    hits = {"q1": [HITS["Haystack"][0]]}
    spans = pd.DataFrame({"topic": "q1", "doc": ["a.md"], "start": [45], "end": [60]})
    result = ir.evaluate(hits, ir.as_spans(spans), "SpanR").iloc[0, 0]
    assert result == pytest.approx(1 / 3)
    qrels = {"q1": {"a.md": 1}}
    assert ir.evaluate(hits, qrels, "RR", units="doc_id").iloc[0, 0] == 1
    refused(InputError, "chunks in 'chunk_id'", ir.evaluate, hits, qrels, "RR")


def test_hits_without_ids_are_refused():
    with pytest.raises(InputError, match="hits without an id for: q1"):
        ir.as_runs({"q1": [{"page_content": "text", "metadata": {}}]})


def _elastic(*hits):
    result = [{"_index": "i", "_id": doc, "_score": score, "_source": {}} for doc, score in hits]
    return {"took": 3, "timed_out": False, "hits": {"total": {"value": 9}, "hits": result}}


def _chroma(*hits):
    ids, scores = ([[hit[field] for hit in hits]] for field in (0, 1))
    return {"ids": ids, "distances": [[-s for s in scores[0]]], "documents": None}


def _objects(*hits, **further):
    return [SimpleNamespace(id=doc, score=score, **further) for doc, score in hits]


def _rows(*hits):
    return [{"id": doc, "score": score} for doc, score in hits]


ANSWERS = {
    "Elasticsearch": _elastic,
    "Solr": lambda *hits: {"response": {"numFound": 9, "docs": _rows(*hits)}},
    "Chroma": _chroma,
    "Qdrant": lambda *hits: SimpleNamespace(points=_objects(*hits, payload={"a": 1})),
    "Qdrant, REST": lambda *hits: {"result": {"points": _rows(*hits)}, "status": "ok"},
    "Vespa": lambda *hits: {"root": {"id": "toplevel", "relevance": 1.0} | ({"children": [
        {"id": doc, "relevance": score, "source": "all", "fields": {}} for doc, score in hits]}
        if hits else {})},
    "Pinecone": lambda *hits: {"matches": _rows(*hits), "namespace": ""},
    "Weaviate": lambda *hits: {"data": {"Get": {"Doc": [
        {"title": "t", "_additional": {"id": doc, "score": str(score)}} for doc, score in hits]}}},
    "Haystack": lambda *hits: {"documents": _objects(*hits, content="t", meta={})},
    "Haystack, a pipeline": lambda *hits: {
        "llm": {"replies": ["t"]}, "find": {"documents": _objects(*hits, content="t", meta={})}},
    "LlamaIndex": lambda *hits: SimpleNamespace(source_nodes=[
        SimpleNamespace(node=SimpleNamespace(node_id=doc), score=score) for doc, score in hits]),
    "pairs": lambda *hits: [*hits],
}  # fmt: skip
FOUND = {"q1": [("b", 2.0), ("a", 1.0)], "q2": [("b", 0.5)]}


@pytest.mark.parametrize("tool", ANSWERS)
def test_answers_of_tools_are_converted(tool):
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    answers = {topic: ANSWERS[tool](*hits) for topic, hits in FOUND.items()}
    assert ir.evaluate(answers, qrels, "RR")["RR"].tolist() == [0.5, 1.0]
    listed = [*answers.values()]
    pd.testing.assert_frame_equal(ir.as_runs(listed, topics=answers), ir.as_runs(answers))
    refused(InputError, r"a list of 2 .*as_runs\(answers, topics=", ir.as_runs, listed)
    refused(
        InputError,
        "one topic for each answer, but found 1 topic for 2 answers",
        ir.as_runs,
        listed,
        topics=["q1"],
    )
    empty = answers | {"q2": ANSWERS[tool]()}
    with pytest.warns(IrframeWarning, match="y 1 of 2 topics"):
        both = ir.evaluate({"x": answers, "y": empty}, qrels, "RR")
    assert both["RR"].tolist() == [0.5, 1.0, 0.5, 0.0]


@pytest.mark.parametrize("tool", ANSWERS.keys() - {"Chroma", "Haystack, a pipeline", "pairs"})
@pytest.mark.parametrize("number", [0, 1, 2])
def test_answers_without_topics_are_refused(tool, number):
    answer = ANSWERS[tool](*FOUND["q1"][:number])
    if isinstance(answer, dict) and "data" not in answer:
        for more in ({}, {"took": 3}, {"usage": {"units": 6}}):
            message = r"one answer without its topic. Name its topic: {'q1': answer}"
            refused(InputError, message, ir.as_runs, answer | more)
    failed = {"q1": ANSWERS[tool](*FOUND["q1"]), "q2": answer, "q3": {"error": "x", "status": 400}}
    refused(InputError, "no hits for 1 topic: 'q3'", ir.evaluate, failed, {"q1": {"a": 1}}, "RR")


CALLS = [[("a", 0.9), ("b", 0.5)], [("c", 0.4)], []]
"""The hits of three searches."""
STARTS = ["2025-01-01T00:00:05Z", "2025-01-01T00:00:05.5+00:00", "2025-01-01T02:00:00+01:00"]


def _dictionaries(hits, doc="id"):
    return [{doc: name, "score": score, "rank": n} for n, (name, score) in enumerate(hits)]


def _timed(calls, times=STARTS, key="timestamp"):
    """Return timed calls in reverse order after another tool's call."""
    named = [call | {key: time} for call, time in zip(calls, times, strict=True)]
    return [{"event": "model", "output": "a text", "id": "m"}, *named[::-1]]


def _flat(hits):
    fields = {
        f"retrieval.documents.{n}.document.{name}": value
        for n, hit in enumerate(_dictionaries(hits))
        for name, value in hit.items()
    }
    return {"openinference.span.kind": "RETRIEVER"} | fields


def _keys(attributes):
    kinds = {str: "stringValue", float: "doubleValue", int: "intValue"}
    return [{"key": n, "value": {kinds[type(v)]: v}} for n, v in attributes.items()]


TRACES = {
    "lists of ids": lambda calls: [[doc for doc, _ in hits] for hits in calls],
    "lists of pairs": lambda calls: calls,
    "lists of hits": lambda calls: [*map(_dictionaries, calls)],
    "answers": lambda calls: [_elastic(*hits) for hits in calls],
    "Inspect": lambda calls: _timed(
        [{"event": "tool", "id": n, "function": "f", "result": json.dumps(_dictionaries(hits))}
         for n, hits in enumerate(calls)]
    ),
    "Inspect, in parts": lambda calls: [
        {"event": "tool", "result": [{"type": "text", "text": json.dumps(_dictionaries(hits))}]}
        for hits in calls
    ],
    "messages": lambda calls: [
        {"role": "user", "content": "[1]"},
        *({"role": "tool", "tool_call_id": n,
           "content": json.dumps({"results": _dictionaries(hits, "doc_id")})}
          for n, hits in enumerate(calls)),
    ],
    "objects": lambda calls: [
        SimpleNamespace(tool_call_id=n, content="seen", artifact=_objects(*hits, payload={}))
        for n, hits in enumerate(calls)
    ],
    "OpenInference": lambda calls: _timed(
        [{"attributes": _flat(hits)} for hits in calls], key="start_time"
    ),
    "Phoenix": lambda calls: [
        {"attributes": {"retrieval": {"documents": [{"document": d} for d in _dictionaries(hits)]}}}
        for hits in calls
    ],
    "OTLP": lambda calls: _timed(
        [{"attributes": _keys(_flat(hits))} for hits in calls],
        ["9", "10", "2000"],
        "startTimeUnixNano",
    ),
    "OpenTelemetry": lambda calls: _timed(
        [{"attributes": {"gen_ai.retrieval.documents": json.dumps(_dictionaries(hits))}}
         for hits in calls],
        [1.5, 2, 1e3],
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", TRACES)
def test_traces_become_numbered_searches(shape):
    traces = {"q1": TRACES[shape](CALLS), "q2": TRACES[shape]([CALLS[1], [], CALLS[0]])}
    runs = ir.as_runs(traces)
    expected = [("q1", 1, 1, "a"), ("q1", 1, 2, "b"), ("q1", 2, 1, "c")]
    expected += [("q2", 1, 1, "c"), ("q2", 3, 1, "a"), ("q2", 3, 2, "b")]
    result = runs[["topic", "search", "rank", "doc"]].itertuples(index=False, name=None)
    assert [*result] == expected
    qrels = {"q1": {"c": 1}, "q2": {"a": 1}}
    message = "no search=, although 'search' varies"
    for runs in (traces, {"x": traces, "y": {"q1": TRACES[shape](CALLS)}}):
        refused(ParameterError, message, ir.evaluate, runs, qrels, "R")
        refused(ParameterError, message, ir.scorer(qrels, "R"), runs)
    both = ir.evaluate(
        {"x": traces, "y": traces}, qrels, "R", search="search", stop=ir.AfterSearches([1, 2, 3])
    )
    assert both.to_numpy().tolist() == [[0, 1, 1], [0, 0, 1]] * 2
    alone = ir.scorer(qrels, "R", search="search", stop=ir.AfterSearches([1, 2, 3]))(traces)
    assert alone.to_numpy().tolist() == [[0, 1, 1], [0, 0, 1]]


def test_searches_without_hits_are_counted():
    traces, qrels = {"q1": [[], ["a"]]}, {"q1": {"a": 1}}
    for runs in (traces, ir.as_runs(traces, "x"), {"x": traces, "y": {"q1": [[], [], ["a"]]}}):
        result = ir.evaluate(runs, qrels, "R", search="search", stop=ir.AfterSearches([1, 2, 3]))
        assert result.to_numpy().tolist() == [[0, 1, 1], [0, 0, 1]][: len(result)]


def test_searches_without_order_are_refused():
    calls = [{"result": _dictionaries(hits)} for hits in CALLS[:2]]
    for time in (None, "soon", "2024-99-01"):
        odd = [calls[0] | {"timestamp": "2024-01-01"}, calls[1] | {"timestamp": time}]
        refused(InputError, "1 searches without a time in: 'q1'", ir.as_runs, {"q1": odd})
    both = {"q1": [[("a", 0.1), ("b", 0.2)], [("a", 0.3), ("c", 0.1)]]}
    refused(RankingError, "ranked_by='list'", ir.as_runs, both)
    for x in (both, {"x": both, "y": both}):
        assert "score" not in ir.as_runs(x, ranked_by="list")


def test_columns_of_an_answer_need_equal_lengths():
    for odd in ([[0.1]], [[0.1, 0.2], []], [0.1, 0.2], [[0.1, 0.2, 0.3]], "ab"):
        answer = {"ids": [["a", "b"]], "distances": odd}
        message = r"'ids', which has \[2\], but found other numbers of hits in: 'distances'"
        refused(InputError, message, ir.as_runs, answer)


RUNS_OF_ONE = {
    "dictionary": {"q1": {"a": 0.5}},
    "lists": {"q1": ["a"]},
    "hits": {"q1": [{"id": "a", "score": 0.5}]},
    "answers": {"q1": _elastic(("a", 0.5))},
    "frame": pd.DataFrame({"topic": ["q1"], "doc": ["a"], "score": [0.5]}),
}


@pytest.mark.parametrize("run", RUNS_OF_ONE)
@pytest.mark.parametrize(
    "empty", [{}, {"q1": {}}, {"q1": []}, {"q1": _elastic()}, RUNS_OF_ONE["frame"][:0]], ids=str
)
def test_empty_systems_are_scored_but_not_converted(run, empty):
    for runs in ({"x": RUNS_OF_ONE[run], "y": empty}, {"y": empty, "x": RUNS_OF_ONE[run]}):
        refused(
            InputError, "documents of every system, but found no documents of: y", ir.as_runs, runs
        )
        with pytest.warns(IrframeWarning, match="0 on all judged topics: y"):
            result = ir.evaluate(runs, {"q1": {"a": 1}}, "RR")["RR"]
        assert result.to_dict() == {("x", "q1"): 1.0, ("y", "q1"): 0.0}


def test_payload_fields_become_columns():
    payload = {"doc_id": "d", "article": "x", "tokens": 12, "model": "e5", "tags": ["a"]}
    hits = {"q": {"points": [{"id": 3, "score": 0.5, "payload": payload}]}}
    frame = ir.as_runs(hits, id="article")
    assert frame.drop(columns="article").to_dict("records") == [
        {"topic": "q", "rank": 1, "doc": "x", "listed_score": 0.5, "tokens": 12}
    ]
    frame_read = ir.evaluate(
        hits,
        {"q": {"d": 1}},
        "Recall",
        units=ir.Units("doc_id", length="tokens"),
        stop=ir.Budget([9, 12]),
    )
    assert frame_read.to_numpy().tolist() == [[0.0, 1.0]]
    refused(ParameterError, "lists of hits for id=", ir.as_runs, RUN, id="doc")


def test_lists_of_hits_keep_their_order():
    near, both = {"q": [("b", 0.1), ("a", 0.4)]}, {"q": [("b", 0.1), ("a", 0.4), ("c", 0.2)]}
    assert ir.as_runs({"s": near, "t": FOUND})["rank"].tolist()[:2] == [1, 2]
    assert ir.verbs.rank(ir.as_runs({"s": near}, ranked_by="score"))["doc"].tolist() == ["a", "b"]
    refused(
        RankingError,
        "ranked_by='list'.* or ranked_by='score'",
        ir.evaluate,
        {"s": both},
        JUDGED,
        "RR",
    )
    assert ir.verbs.rank(ir.as_runs(both, ranked_by="list"))["doc"].tolist() == ["b", "a", "c"]
    answer = {"q": _elastic(("b", 0.1), ("a", 0.4), ("c", 0.2))}
    assert ir.verbs.rank(answer)["doc"].tolist() == ["b", "a", "c"]
    refused(ParameterError, "ranked_by to be one of", ir.as_runs, near, ranked_by="rank")
    refused(InputError, "hits with scores", ir.as_runs, {"q": [{"id": "a"}]}, ranked_by="score")


def test_matrices_are_converted():
    matrix = pd.DataFrame([[0.5, 0.9, np.nan]], ["q1"], ["a", "b", "c"])
    frame, labels = matrix.rename_axis(index="qid", columns="docno"), {"topics": ["q1"]}
    axes = {"system": ["x", "y"], "qid": ["q1"], "docno": ["a", "b", "c"]}
    array = xr.DataArray(np.stack([frame] * 2), axes, [*axes])
    stored = sparse.csr_array(matrix.fillna(0))
    named = ir.as_runs(stored, **labels, docs=["a", "b", "c"])
    for run in (frame, frame.T, array, named):
        assert ir.evaluate(run, {"q1": {"a": 1}}, "RR")["RR"].unique().tolist() == [0.5]
    assert frame.ireval.evaluate({"q1": {"a": 1}}, "NumRet").iloc[0, 0] == 2
    judged = ir.as_qrels((matrix > 0.5).astype(int).to_numpy(), **labels, docs=["a", "b", "c"])
    assert judged["grade"].tolist() == [0, 1, 0]
    assert ir.evaluate(frame, frame.notna().astype(int), "NumRel").iloc[0, 0] == 2
    refused(InputError, "both topics= and docs=", ir.as_runs, stored, **labels)
    bare = xr.DataArray([[1.0]], {"topic": ["q"]}, ["topic", "doc"])
    refused(InputError, "none on: 'doc'", ir.as_runs, bare)


LISTED = {"a", "c"}, ["a", "c"], np.array(["a", "c"])


@pytest.mark.parametrize("relevant", LISTED, ids=lambda listed: type(listed).__name__)
def test_relevant_documents_may_be_listed(relevant):
    frame = ir.as_qrels({"q": relevant}).sort_values("doc")
    assert frame.to_numpy().tolist() == [["q", "a", 1], ["q", "c", 1]]
