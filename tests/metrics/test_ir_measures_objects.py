"""Objects of ir_measures mean what its providers compute."""

import shutil

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import providers

import irframe as ir
from irframe.errors import MetricError

TEXTS = [
    *("AP", "AP@5", "AP(rel=2,judged_only=True)@5", "Accuracy", "Accuracy@5", "Accuracy(rel=2)"),
    *("P@5", "P(rel=2)@5", "P(judged_only=True)@5", "RR", "RR(rel=2)", "RR@3", "RR(rel=2)@3"),
    *("RR(judged_only=True)", "Rprec", "Rprec(rel=2)", "nDCG", "nDCG@5", "nDCG(dcg='exp-log2')@5"),
    *("nDCG(gains={1:5,2:9})@5", "nDCG(gains={0:1,1:2})@4", "nDCG(judged_only=True)@5"),
    *("nDCG(gains={2:7},judged_only=True)", "R@5", "R(rel=2)@5", "Bpref", "Bpref(rel=2)"),
    *("NumRet", "NumRet(rel=1)", "NumRet(rel=2)", "NumQ", "NumRel", "SetAP", "SetAP(rel=2)"),
    *("SetF", "SetF(beta=2.0)", "SetF(beta=0.3,rel=2)", "SetF(judged_only=True)", "SetP"),
    *("SetP(rel=2)", "SetP(relative=True,rel=2)", "SetR", "SetR(rel=2)", "Success@1", "ERR@20"),
    *("Success(rel=2)@5", "IPrec@0.1", "IPrec(judged_only=True)@0.3", "infAP", "infAP(rel=2)"),
    *("ERR@5", "Judged@5", "Judged", "Compat", "Compat(p=0.8)", "Compat(p=0.8,normalize=False)"),
]
ELSEWHERE = frozenset(
    {"AP_IA", "BPM", "ERR_IA", "INSQ", "INST", "NERR10", "NERR11", "NERR8", "NERR9", "NRBP", "P_IA"}
    | {"RBP", "SDCG", "StRecall", "alpha_DCG", "alpha_nDCG", "nERR_IA", "nNRBP"}
)
"""Measures of providers that are no dependency: their values are kept beside other tests."""
HALF = {1: 0.5} | dict.fromkeys(range(2, 128), 1)
INSTALLED = ("accuracy", "compat", "pytrec_eval", "judged", "gdeval", "msmarco")


def track(seed):
    """Return judgments and one run, without ties, as ir_measures has them."""
    rng = np.random.default_rng(seed)
    docs = np.array([f"d{n:02}" for n in range(30)])
    qrels = [
        (str(topic), doc, int(rng.integers(0, 4)))
        for topic in range(8)
        for doc in rng.permutation(docs)[:18]
    ]
    run = [
        (str(topic), doc, float(100 - rank))
        for topic in range(8)
        for rank, doc in enumerate(rng.permutation(docs)[: rng.integers(2, 26)])
    ]
    return (
        pd.DataFrame(qrels, columns=["query_id", "doc_id", "relevance"]),
        pd.DataFrame(run, columns=["query_id", "doc_id", "score"]),
    )


def test_every_measure_is_asked_for():
    asked = {ir_measures.parse_measure(text).NAME for text in TEXTS} | ELSEWHERE
    assert asked == {measure.NAME for measure in ir_measures.measures.registry.values()}


@pytest.mark.parametrize("text", TEXTS)
def test_an_object_is_what_its_provider_computes(text):
    measure = ir_measures.parse_measure(text)
    found = [providers.registry[name] for name in INSTALLED]
    provider = next(each for each in found if each.supports(measure))
    if provider.NAME == "gdeval" and shutil.which("perl") is None:
        pytest.skip("gdeval is written in Perl")
    qrels, run = track(len(text))
    theirs = {row.query_id: row.value for row in provider.iter_calc([measure], qrels, run)}
    ours = ir.evaluate(run, qrels, measure).iloc[:, 0].droplevel(0)
    exact = 1e-5 if provider.NAME == "gdeval" else 1e-12
    assert ours[[*theirs]].to_dict() == pytest.approx(theirs, abs=exact, rel=0)
    assert ours.drop([*theirs]).isna().all()  # no pair to be accurate about


@pytest.mark.parametrize(
    ("measure", "metric"),
    [
        (ir_measures.RBP(p=0.5) @ 7, "RBP(p=0.5, gain='linear')@7"),
        (ir_measures.RBP(p=0.5, rel=2), "RBP(p=0.5, rel=2)"),
        (ir_measures.ERR, "ERR(gain=Exponential(top=4))"),
        (ir_measures.SDCG(max_rel=2) @ 5, f"SDCG(gain={HALF})@5"),
        (ir_measures.INST(T=2.0), "INST(T=2.0)"),
        (ir_measures.alpha_nDCG(alpha=0.2) @ 5, "alpha_nDCG(alpha=0.2)@5"),
    ],
)
def test_an_object_that_no_provider_here_computes(measure, metric):
    assert ir.parse_metric(measure) == ir.parse_metric(metric)


@pytest.mark.parametrize(
    ("measure", "label"),
    [
        (ir_measures.ERR @ 5, "ERR(gain=Exponential(top=4))@5"),
        (ir_measures.RBP(p=0.5), "RBP(p=0.5, gain='linear')"),
        (ir_measures.RBP(p=0.5, rel=1), "RBP(p=0.5,rel=1)"),
        (ir_measures.SetF, "SetF"),
        (ir_measures.SetF(beta=4.0), "SetF(beta=2.0)"),
        (ir_measures.nDCG(gains={1: 5}) @ 5, "nDCG(gains={1:5})@5"),
    ],
)
def test_the_label_of_an_object_is_its_name_unless_that_means_something_else(measure, label):
    assert ir.evaluate(*track(0)[::-1], measure).columns.tolist() == [label]


@pytest.mark.parametrize(
    "measure",
    [
        ir_measures.nDCG(dcg="exp-log2", gains={1: 2}) @ 5,
        ir_measures.SDCG(dcg="exp-log2", max_rel=2) @ 5,
    ],
)
def test_an_object_that_irframe_does_not_have_is_refused(measure):
    with pytest.raises(MetricError, match="found .*exp-log2"):
        ir.parse_metric(measure)
