"""Tests of irframe as a provider of ir_measures."""

import json
import subprocess
import sys
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, Judged, NumQ, NumRel, NumRelRet, P, R, nDCG
from measures import measure_of
from refusals import refused

import irframe as ir
from irframe.errors import InputError
from irframe.interop import IrframeProvider, register, translate

TEXTS = [
    *("AP", "AP@100", "AP(rel=2)", "P@10", "P(rel=2)@10", "RR", "RR(rel=2)", "Rprec", "R@50"),
    *("R(rel=2)@50", "nDCG", "nDCG@10", "nDCG(gains={1:5,2:9})@20", "Bpref", "Bpref(rel=2)"),
    *("NumRet", "NumRelRet", "NumRet(rel=2)", "NumQ", "NumRel", "SetP", "SetP(rel=2)", "SetR"),
    *("SetF", "SetF(beta=0.5)", "Success@5", "Success(rel=2)@5", "IPrec@0.1", "infAP"),
    *("SetAP", "SetAP(rel=2)", "SetP(relative=True)", "AP(judged_only=True)@100"),
    *("P(judged_only=True)@10", "nDCG(judged_only=True)@10", "Rprec(judged_only=True)"),
]
MEASURES = [measure_of(text) for text in TEXTS]


def table(provider, qrels, run, measures=MEASURES):
    rows = provider.iter_calc(measures, qrels, run)
    frame = pd.DataFrame([(row.query_id, str(row.measure), row.value) for row in rows])
    return frame.set_index([0, 1])[2].unstack().sort_index()


@pytest.fixture(scope="module")
def provider():
    return IrframeProvider()


@pytest.mark.thorough
@pytest.mark.parametrize("track", ["robust03", "trec-covid-round1"])
def test_scores_of_real_runs_equal_those_of_pytrec_eval(shared, provider, track):
    folder = shared / "data" / track
    qrels = ir.read_qrels(next(folder.glob("qrels*")))
    paths = sorted((folder / "runs").iterdir())[:4]
    judged = ir.verbs.to_pytrec_eval(qrels)
    for path in paths:
        run = ir.verbs.to_pytrec_eval(ir.read_run(path, system="run"))
        result, expected = (
            table(tool, judged, run) for tool in (provider, ir_measures.pytrec_eval)
        )
        assert len(expected) >= 30
        pd.testing.assert_frame_equal(result, expected, atol=1e-9, rtol=0)


def test_scores_with_negative_grades_equal_those_of_pytrec_eval(provider):
    """Documents with negative grades are pooled, but not judged."""
    rng = np.random.default_rng(0)
    docs = [f"d{n}" for n in range(30)]
    drawn = [[*rng.permutation(docs)[:size]] for size in rng.integers(1, 30, 80)]
    judged = {
        f"q{n}": {"top": 2} | {doc: int(rng.integers(-2, 4)) for doc in some}
        for n, some in enumerate(drawn[:40])
    }
    run = {
        f"q{n}": {doc: int(rng.integers(0, 12)) / 4 for doc in some}
        for n, some in enumerate(drawn[40:])
    }
    exact = [ir_measures.SetF(beta=beta) for beta in (0.3, 2, 4)]
    measures = [*MEASURES, *exact, P(judged_only=True, rel=2) @ 5]
    result, expected = (
        table(tool, judged, run, measures) for tool in (provider, ir_measures.pytrec_eval)
    )
    pd.testing.assert_frame_equal(result, expected, atol=1e-12, rtol=0)
    assert result.size > 1400
    names = [str(measure) for measure in exact]
    pd.testing.assert_frame_equal(result[names], expected[names], check_exact=True)


NOTHING = [{}, [], {"q1": {}}, {"q1": {}, "z": {"a": 1}}, pd.DataFrame(columns=["query_id"])]


@pytest.mark.parametrize("run", [*NOTHING, {"q1": {"b": 1.0}}], ids=repr)
@pytest.mark.parametrize("qrels", NOTHING, ids=repr)
def test_empty_runs_and_judgments_score_as_in_pytrec_eval(provider, qrels, run):
    if isinstance(qrels, pd.DataFrame):
        qrels = pd.DataFrame(columns=["query_id", "doc_id", "relevance"])
    if isinstance(run, pd.DataFrame):
        run = pd.DataFrame(columns=["query_id", "doc_id", "score"])
    result, expected = (
        (
            sorted(map(str, tool.iter_calc([AP, P @ 5], qrels, run))),
            str(tool.calc_aggregate([AP, P @ 5], qrels, run)),
        )
        for tool in (provider, ir_measures.pytrec_eval)
    )
    assert result == expected


QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}, "q3": {"z": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 1.0}, "q9": {"a": 1.0}}


def test_missing_topics_score_as_in_pytrec_eval(provider):
    result, expected = (table(tool, QRELS, RUN) for tool in (provider, ir_measures.pytrec_eval))
    pd.testing.assert_frame_equal(result, expected)


def test_judged_shares_equal_those_of_the_provider_of_judged(provider):
    run = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"x": 1.0, "a": 0.5}}
    measures = [Judged @ 1, Judged @ 2, Judged @ 10, Judged]
    result, expected = (
        table(tool, QRELS, run, measures) for tool in (provider, ir_measures.judged)
    )
    pd.testing.assert_frame_equal(result, expected)


CWL = json.loads(
    Path(__file__).parents[1].joinpath("metrics", "_cwl_eval", "values.json").read_text()
)
SCALED = {
    "BPM(T=1.0)@10": "BPM(T=1,max_rel=2)@10",
    "BPM(T=2.5)@20": "BPM(T=2.5,max_rel=2)@20",
    "INSQ(T=1.0)": "INSQ(max_rel=2)",
    "INSQ(T=3.0)": "INSQ(T=3,max_rel=2)",
    "INST(T=1.0)": "INST(max_rel=2)",
    "INST(T=2.5)": "INST(T=2.5,max_rel=2)",
    "NERR8@10": "NERR8(max_rel=2)@10",
    "NERR9@20": "NERR9(max_rel=2)@20",
    "NERR10(p=0.9)": "NERR10(p=0.9,max_rel=2)",
    "NERR11(T=1.0)": "NERR11(T=1,max_rel=2)",
    "SDCG@10": "SDCG(max_rel=2)@10",
}


@pytest.mark.parametrize("text", SCALED)
@pytest.mark.parametrize("shift", [0, 1])
def test_measures_of_cwl_eval_equal_its_recorded_values(provider, text, shift):
    """Adding 1 to grades and their limits changes no value."""
    measure = measure_of(SCALED[text])
    measure = measure(max_rel=2 + shift, **({"min_rel": shift} if shift else {}))
    lists = {str(n): grades for n, grades in enumerate(CWL["lists"]) if grades}
    run = {
        q: {f"d{rank}": -float(rank) for rank in range(len(grades))} for q, grades in lists.items()
    }
    qrels = {
        q: {f"d{rank}": shift + 3 * (g == 2) + (g == 1) for rank, g in enumerate(grades) if g >= 0}
        for q, grades in lists.items()
    }
    result = {row.query_id: row.value for row in provider.iter_calc([measure], qrels, run)}
    expected = {q: CWL["values"][text][int(q)][0] for q in lists}
    assert result == pytest.approx(expected, abs=1e-6)


def test_compatibility_equals_that_of_its_provider_in_ir_measures(provider):
    rng = np.random.default_rng(0)
    qrels = {
        str(q): {f"d{n}": int(g) for n, g in enumerate(rng.integers(0, 4, 20))} for q in range(6)
    }
    run = {
        str(q): {f"d{n}": float(s) for n, s in enumerate(rng.permutation(30 + q)[5:])}
        for q in range(6)
    }
    measures = [ir_measures.Compat, ir_measures.Compat(p=0.8)]
    result, expected = (
        table(tool, qrels, run, measures) for tool in (provider, ir_measures.compat)
    )
    pd.testing.assert_frame_equal(result, expected)


def test_rbp_with_a_relevance_threshold_is_binary(provider):
    run = {"q1": {"x": 2.0, "a": 1.0}}
    assert provider.calc_aggregate([RBP(rel=1, p=0.5)], {"q1": {"a": 2}}, run) == {
        RBP(rel=1, p=0.5): 0.25
    }


@pytest.mark.parametrize("run", [{}, [], iter([]), {"q9": {"a": 1.0}}])
def test_runs_without_a_judged_topic_score_zero(provider, run):
    result = provider.calc_aggregate([AP, P @ 5, RR], QRELS, run)
    assert result == {AP: 0.0, P @ 5: 0.0, RR: 0.0}


def test_retrieved_documents_of_topics_without_relevant_documents_are_counted(provider):
    result = provider.calc_aggregate(
        [AP, NumRelRet, ir_measures.NumRet, NumRel], QRELS, {"q2": {"x": 1.0}}
    )
    assert list(result.values()) == [0, 0, 1, 1]


def test_all_input_forms_of_ir_measures_are_accepted(provider):
    expected = provider.calc_aggregate(MEASURES, QRELS, RUN)
    scored = [ir_measures.ScoredDoc(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    judged = [ir_measures.Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    for qrels, run in (
        (judged, scored),
        (iter(judged), iter(scored)),
        (pd.DataFrame(judged), pd.DataFrame(scored).assign(rank=1, name="x")),
    ):
        assert provider.calc_aggregate(MEASURES, qrels, run) == expected


def test_topics_in_results_keep_the_type_of_their_ids(provider):
    qrels = pd.DataFrame({"query_id": [1, 2], "doc_id": [7, 8], "relevance": 1})
    run = pd.DataFrame({"query_id": [1], "doc_id": [7], "score": [0.5]})
    rows = list(provider.iter_calc([AP], qrels, run))
    assert [(row.query_id, type(row.query_id), row.value) for row in rows] == [
        (1, int, 1.0),
        (2, int, 0.0),
    ]


def test_an_evaluator_scores_several_runs(provider):
    evaluator = provider.evaluator([AP, nDCG @ 10], QRELS)
    first = evaluator.calc_aggregate(RUN)
    assert evaluator.calc_aggregate({"q1": {"a": 1.0}}) != first
    assert evaluator.calc_aggregate(RUN) == first


@pytest.mark.parametrize(
    "measure",
    [
        ERR @ 10,
        RBP,
        ir_measures.Accuracy,
        ir_measures.alpha_nDCG @ 10,
        nDCG(dcg="exp-log2", gains={1: 2}),
    ],
)
def test_measures_with_a_different_definition_are_not_supported(provider, measure):
    assert not provider.supports(measure)
    refused(InputError, "measures that irframe computes", provider.evaluator, [measure], QRELS)


def test_all_measures_use_the_same_order_of_ties(provider):
    tied = {"q1": {"a": 1.0, "b": 1.0}}
    result = provider.calc_aggregate([RR @ 10, RR, Judged @ 1, R @ 1], QRELS, tied)
    assert result[RR @ 10] == result[RR] == 0.5 / 3


@pytest.mark.thorough
def test_irframe_is_the_first_provider_of_the_default_pipeline():
    code = (
        "import ir_measures; from ir_measures import AP;"
        "qrels, run = {'q': {'a': 1}}, {'q': {'a': 1.0}};"
        "import irframe.interop;"
        "evaluator = ir_measures.evaluator([AP], qrels);"
        "print(type(evaluator).__module__, evaluator.calc_aggregate(run)[AP],"
        "      ir_measures.providers.registry['irframe'].NAME)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == ["irframe.interop", "1.0", "irframe"]


def test_registering_again_changes_nothing():
    pipeline = ir_measures.DefaultPipeline.providers
    before = [item.NAME for item in pipeline]
    register()
    assert [item.NAME for item in pipeline] == before
    assert before.index("irframe") == 1


def test_metrics_are_named_after_measures():
    assert str(translate(NumQ)) == "NumQ"
    assert translate(NumRelRet) == ir.metrics.NumRelRet()
    assert translate(AP(judged_only=True)) is None or ir.parse_metric("AP(judged_only=True)")


def test_pyterrier_computes_with_irframe(monkeypatch):
    pt = pytest.importorskip("pyterrier")
    topics = pd.DataFrame({"qid": ["q1", "q2"], "query": ["x", "y"]})
    qrels = pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["a", "b", "a"], "label": [2, 0, 1]})
    run = pd.DataFrame({"qid": ["q1", "q1", "q2"], "docno": ["b", "a", "a"], "score": [2.0, 1, 1]})
    run = run.assign(rank=[0, 1, 0], query="x")
    measures = [AP, nDCG @ 10, RR @ 10]
    pipeline = ir_measures.DefaultPipeline.providers
    tables = []
    for providers in (pipeline[:], [item for item in pipeline if item.NAME != "irframe"]):
        monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", providers)
        tables.append(pt.Experiment([run], topics, qrels, measures, names=["bm25"]))
    pd.testing.assert_frame_equal(*tables)
    perquery = pt.Experiment([run], topics, qrels, measures, names=["bm25"], perquery=True)
    scores = ir.as_scores(perquery)
    assert set(scores.columns) == {"AP", "nDCG@10", "RR@10"}
    assert scores.index.names == ["name", "qid"]
