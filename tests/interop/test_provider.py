"""ir_measures that computes with irframe."""

import subprocess
import sys

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, ERR, RBP, RR, Judged, NumQ, NumRel, NumRelRet, P, R, SetP, nDCG

import irframe as ir
from irframe.errors import InputError
from irframe.interop import IrframeProvider
from irframe.interop.provider import register, translate

TEXTS = [
    *("AP", "AP@100", "AP(rel=2)", "P@10", "P(rel=2)@10", "RR", "RR(rel=2)", "Rprec", "R@50"),
    *("R(rel=2)@50", "nDCG", "nDCG@10", "nDCG(gains={1:5,2:9})@20", "Bpref", "Bpref(rel=2)"),
    *("NumRet", "NumRelRet", "NumRet(rel=2)", "NumQ", "NumRel", "SetP", "SetP(rel=2)", "SetR"),
    *("SetF", "SetF(beta=0.5)", "Success@5", "Success(rel=2)@5", "IPrec@0.1", "infAP"),
]
MEASURES = [ir_measures.parse_measure(text) for text in TEXTS]


def table(provider, qrels, run, measures=MEASURES):
    rows = provider.iter_calc(measures, qrels, run)
    frame = pd.DataFrame([(row.query_id, str(row.measure), row.value) for row in rows])
    return frame.set_index([0, 1])[2].unstack().sort_index()


@pytest.fixture(scope="module")
def provider():
    return IrframeProvider()


@pytest.mark.parametrize("track", ["robust03", "trec-covid-round1"])
def test_the_tables_are_those_of_pytrec_eval(shared, provider, track):
    folder = shared / "data" / track
    qrels = ir.read_qrels(next(folder.glob("qrels*")))
    paths = sorted((folder / "runs").iterdir())[:4]
    judged = ir.to_pytrec_eval(qrels.assign(grade=qrels["grade"].clip(lower=0)))
    for path in paths:
        run = ir.to_pytrec_eval(ir.read_run(path, system="run"))
        found, expected = (table(each, judged, run) for each in (provider, ir_measures.pytrec_eval))
        assert len(expected) >= 30
        pd.testing.assert_frame_equal(found, expected, atol=1e-9, rtol=0)


QRELS = {"q1": {"a": 2, "b": 0}, "q2": {"a": 1}, "q3": {"z": 1}}
RUN = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"x": 1.0}, "q9": {"a": 1.0}}


def test_topics_that_a_run_lacks_are_those_of_pytrec_eval(provider):
    found, expected = (table(each, QRELS, RUN) for each in (provider, ir_measures.pytrec_eval))
    pd.testing.assert_frame_equal(found, expected)


def test_the_share_of_judged_documents_is_that_of_its_provider(provider):
    run = {"q1": {"a": 3.0, "x": 2.0, "b": 1.0}, "q2": {"x": 1.0, "a": 0.5}}
    measures = [Judged @ 1, Judged @ 2, Judged @ 10, Judged]
    found, expected = (table(each, QRELS, run, measures) for each in (provider, ir_measures.judged))
    pd.testing.assert_frame_equal(found, expected)


def test_rank_biased_precision_of_relevant_documents(provider):
    run = {"q1": {"x": 2.0, "a": 1.0}}
    assert provider.calc_aggregate([RBP(rel=1, p=0.5)], {"q1": {"a": 2}}, run) == {
        RBP(rel=1, p=0.5): 0.25
    }


@pytest.mark.parametrize("run", [{}, [], iter([]), {"q9": {"a": 1.0}}, {"q2": {"x": 1.0}}])
def test_runs_that_retrieve_nothing_judged(provider, run):
    found = provider.calc_aggregate([AP, P @ 5, RR], QRELS, run)
    assert found == {AP: 0.0, P @ 5: 0.0, RR: 0.0}


def test_what_is_retrieved_counts_where_nothing_is_judged(provider):
    found = provider.calc_aggregate(
        [NumRelRet, ir_measures.NumRet, NumRel], QRELS, {"q2": {"x": 1.0}}
    )
    assert list(found.values()) == [0, 1, 1]


def test_all_shapes_of_ir_measures(provider):
    expected = provider.calc_aggregate(MEASURES, QRELS, RUN)
    scored = [ir_measures.ScoredDoc(q, d, s) for q, docs in RUN.items() for d, s in docs.items()]
    judged = [ir_measures.Qrel(q, d, g) for q, docs in QRELS.items() for d, g in docs.items()]
    for qrels, run in (
        (judged, scored),
        (iter(judged), iter(scored)),
        (pd.DataFrame(judged), pd.DataFrame(scored).assign(rank=1, name="x")),
    ):
        assert provider.calc_aggregate(MEASURES, qrels, run) == expected


def test_ids_keep_their_type(provider):
    qrels = pd.DataFrame({"query_id": [1, 2], "doc_id": [7, 8], "relevance": 1})
    run = pd.DataFrame({"query_id": [1], "doc_id": [7], "score": [0.5]})
    rows = list(provider.iter_calc([AP], qrels, run))
    assert [(row.query_id, type(row.query_id), row.value) for row in rows] == [
        (1, int, 1.0),
        (2, int, 0.0),
    ]


def test_one_evaluator_scores_many_runs(provider):
    evaluator = provider.evaluator([AP, nDCG @ 10], QRELS)
    first = evaluator.calc_aggregate(RUN)
    assert evaluator.calc_aggregate({"q1": {"a": 1.0}}) != first
    assert evaluator.calc_aggregate(RUN) == first


@pytest.mark.parametrize(
    "measure",
    [
        ERR @ 10,
        RBP,
        SetP(relative=True),
        ir_measures.alpha_nDCG @ 10,
        nDCG(dcg="exp-log2", gains={1: 2}),
    ],
)
def test_measures_that_others_define_otherwise_are_left_to_them(provider, measure):
    assert not provider.supports(measure)
    with pytest.raises(InputError, match="measures that irframe computes"):
        provider.evaluator([measure], QRELS)


def test_measures_by_one_order_of_ties(provider):
    tied = {"q1": {"a": 1.0, "b": 1.0}}
    found = provider.calc_aggregate([RR @ 10, RR, Judged @ 1, R @ 1], QRELS, tied)
    assert found[RR @ 10] == found[RR] == 0.5 / 3


def test_the_default_pipeline_asks_irframe_first():
    code = (
        "import ir_measures; from ir_measures import AP;"
        "qrels, run = {'q': {'a': 1}}, {'q': {'a': 1.0}};"
        "import irframe.interop;"
        "evaluator = ir_measures.evaluator([AP], qrels);"
        "print(type(evaluator).__module__, evaluator.calc_aggregate(run)[AP],"
        "      ir_measures.providers.registry['irframe'].NAME)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["irframe.interop.provider", "1.0", "irframe"]


def test_registering_again_changes_nothing():
    pipeline = ir_measures.DefaultPipeline.providers
    before = [each.NAME for each in pipeline]
    register()
    assert [each.NAME for each in pipeline] == before
    assert before.index("irframe") == 1


def test_metrics_are_named_after_measures():
    assert str(translate(NumQ)) == "NumQ"
    assert translate(NumRelRet) == ir.NumRelRet()
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
    for providers in (pipeline[:], [each for each in pipeline if each.NAME != "irframe"]):
        monkeypatch.setattr(ir_measures.DefaultPipeline, "providers", providers)
        tables.append(pt.Experiment([run], topics, qrels, measures, names=["bm25"]))
    pd.testing.assert_frame_equal(*tables)
    perquery = pt.Experiment([run], topics, qrels, measures, names=["bm25"], perquery=True)
    scores = ir.as_scores(perquery)
    assert set(scores.columns) == {"AP", "nDCG@10", "RR@10"}
    assert scores.index.names == ["name", "qid"]
