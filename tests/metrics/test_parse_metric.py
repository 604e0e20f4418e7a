"""Parsing of metrics from text and from objects of ir_measures."""

import contextlib
import inspect
import re
import shutil

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import providers
from measures import measure_of
from refusals import refused
from turns import few_of

import irframe as ir
from irframe.errors import DepthError, IrframeError, MetricError
from irframe.gains import Exponential, GainMap, Linear
from irframe.metrics.base import ALIASES, PARSED
from irframe.metrics.parse_metric import CACHED, parse_metric, parse_named

GAINS = st.sampled_from(
    ["binary", "linear", "exp", Linear(top=4), Exponential(top=2), {1: 0.5, 2: 1}]
)
VALUES = st.one_of(
    st.builds(
        ir.metrics.RBP, p=st.floats(0.01, 0.99), gain=GAINS, depth=st.none() | st.integers(1, 1000)
    ),
    st.builds(ir.metrics.AP, norm=st.sampled_from(["R", "min", "pool"]), rel=st.integers(1, 5)),
    st.builds(ir.metrics.nDCG, gain=GAINS, ideal=st.sampled_from(["judged", "pool", "full"])),
    st.builds(ir.metrics.IPrec, recall=st.floats(0, 1), depth=st.none() | st.integers(1, 100)),
    st.builds(ir.metrics.Q, beta=st.floats(0, 100), gain=GAINS),
    st.builds(ir.metrics.Judged, depth=st.none() | st.integers(1, 100)),
)


@given(metric=VALUES)
def test_texts_of_metrics_are_parsed_to_equal_metrics(metric):
    names = vars(ir.metrics) | vars(ir.gains)
    assert ir.parse_metric(str(metric)) == metric
    assert ir.parse_metric(repr(metric)) == metric
    assert eval(repr(metric), names) == metric  # noqa: S307 - that is what a repr is for
    assert hash(metric) == hash(ir.parse_metric(str(metric)))


IDENTITY = {grade: grade for grade in range(1, 128)}


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("mean_average_precision@5", ir.metrics.AP(depth=5)),
        ("normalized_dcg", ir.metrics.nDCG()),
        ("r_precision", ir.metrics.Rprec()),
        ("RPrecision", ir.metrics.Rprec()),
        ("AP", ir.metrics.AP()),
        (" nDCG @ 10 ", ir.metrics.nDCG(depth=10)),
        ("NDCG@10", ir.metrics.nDCG(depth=10)),
        ("MAP", ir.metrics.AP()),
        ("MRR@10", ir.metrics.RR(depth=10)),
        ("Precision@5", ir.metrics.P(depth=5)),
        ("R@1000", ir.metrics.Recall(depth=1000)),
        ("P(rel=2)@5", ir.metrics.P(rel=2, depth=5)),
        ("P(cutoff=5)", ir.metrics.P(depth=5)),
        ("nDCG(dcg='exp-log2')@5", ir.metrics.nDCG(gain="exp", depth=5)),
        ("nDCG(dcg='log2')", ir.metrics.nDCG()),
        ("nDCG(gains={2:10})", ir.metrics.nDCG(gain=GainMap(IDENTITY | {2: 10}))),
        (
            "nDCG(gains={0:0,1:1,2:10}, dcg='log2')",
            ir.metrics.nDCG(gain=GainMap(IDENTITY | {0: 0, 2: 10})),
        ),
        ("nDCG(gains={})@10", ir.metrics.nDCG() @ 10),
        ("nDCG(gains={1: 1})", ir.metrics.nDCG()),
        ("IPrec@0.1", ir.metrics.IPrec(recall=0.1)),
        ("SetF(beta=0.5)", ir.metrics.SetF(beta=0.5)),
        ("BPref", ir.metrics.Bpref()),
        ("infAP(rel=2)", ir.metrics.InfAP(rel=2)),
        ("AP(judged_only=False)", ir.metrics.AP()),
        ("P(rel=2,judged_only=True)@10", ir.metrics.P(rel=2, judged_only=True, depth=10)),
        ("map", ir.metrics.AP()),
        ("R_cap@10", ir.metrics.RelativeP(depth=10)),
        ("SetRelP(rel=2)", ir.metrics.SetRelativeP(rel=2)),
        ("SetP(relative=True)", ir.metrics.SetRelativeP()),
        ("SetP(relative=False)", ir.metrics.SetP()),
        ("yaap", ir.metrics.YAAP()),
        ("GMBPref", ir.metrics.Bpref(average="geometric")),
        ("GMAP(norm='min')@5", ir.metrics.GMAP(norm="min") @ 5),
        ("NERR9@5", ir.metrics.NERR9 @ 5),
        (ir.metrics.NERR11, ir.metrics.NERR(stop="INSQ")),
        ("IFTRate(A=1, b2=1, R2=1)", ir.metrics.IFT(A=1, b2=1, R2=1)),
        ("P_avgjg_5", ir.metrics.P(depth=5)),
        ("map_cut.10", ir.metrics.AP(depth=10)),
        ("P_5", ir.metrics.P(depth=5)),
        ("SetR(rel=2)", ir.metrics.Recall(rel=2)),
        ("set_F_4", ir.metrics.SetF(beta=2)),
        ("set_F.0.25", ir.metrics.SetF(beta=0.5)),
        ("nDCG(gain=GainMap({1: 2}))", ir.metrics.nDCG(gain={1: 2})),
        (ir.metrics.RR, ir.metrics.RR()),
        (ir.metrics.P() @ 3, ir.metrics.P(depth=3)),
    ],
)
def test_names_and_parameters_are_parsed(text, metric):
    assert ir.parse_metric(text) == metric


def test_classes_and_values_take_a_depth():
    assert ir.metrics.nDCG @ 10 == ir.metrics.nDCG() @ 10 == ir.metrics.nDCG(depth=10)
    assert ir.metrics.IPrec @ 0.5 == ir.metrics.IPrec(recall=0.5)


def test_aliases_are_attributes_of_the_package():
    for name, kind in ALIASES.items():
        result = getattr(ir.metrics, name)
        assert result is kind or inspect.ismodule(result)
    with pytest.raises(AttributeError, match="BM25"):
        _ = ir.BM25


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nDGC@10", "did you mean nDCG"),
        ("XYZ", "found 'XYZ'[.] "),
        (
            "RBP(q=3)",
            "parameters of RBP, but found q in .*[.] RBP has depth, gain, judged_only, p, rel",
        ),
        ("nDCG(gains={1: 5}, dcg='exp-log2')", "gains= only with dcg='log2'"),
        ("nDCG(gain={1: -1})", "1: -1"),
        ("nDCG(gain={})", "gains of at least 0"),
        ("ERR(gain={1: 2})", "at most 1 for ERR"),
        ("RBP(gain={1: 2})", "at most 1 for RBP"),
        ("IPrec", "IPrec with the parameters recall"),
        ("AP(1)", "parameters by name"),
        ("AP(rel=open)", "numbers, quoted text"),
        ("AP+P", "a metric such as"),
        ("a b", "a metric such as"),
        ("", "a metric such as"),
        (3, "a metric or its name"),
        ("nDCG(gain=Linear(x=1))", "parameters of Linear, but found x in .*[.] Linear has top"),
        (
            "nDCG(gain=Binary(top=1))",
            "parameters of Binary, but found top in .*[.] Binary has none",
        ),
        ("nDCG(gain=GainMap(3))", "a gain map"),
        ("nDCG(gain={[]: 1})", "numbers, quoted text"),
        ("nDCG(gain={-2: 0.5, 1: 1})", "of 0 for negative grades, but found -2: 0.5"),
        ("nDCG(dcg=[])", "a gain map"),
        ("AP\0", "a metric such as"),
        ("set_F_0", "beta of SetF to be a number above 0"),
        ("AP(norm=['R'])", "norm of AP to be one of"),
        (ir.metrics.IPrec, "IPrec with the parameters recall"),
    ],
)
def test_errors_suggest_names_and_parameters(text, message):
    refused(MetricError, message, lambda: ir.parse_metric(text))


@pytest.mark.parametrize("text", ["P@0", "P@-1", "P@2.5", "P(depth=True)", "P_0", "map_cut_1.5"])
def test_depths_other_than_positive_integers_are_refused(text):
    refused(DepthError, "at least 1", lambda: ir.parse_metric(text))


PIECES = ["AP", "nDCG", "RBP", "set_F", "map_cut", "gain", "p", "rel", "depth", "top", "Linear"]
PIECES += ["GainMap", "'linear'", "1", "0.5", *"@_.()=,{}[-:"]


@given(text=st.text(max_size=12) | st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_text_is_a_metric_or_raises_an_irframe_error(text):
    with contextlib.suppress(IrframeError):
        assert ir.parse_metric(str(ir.parse_metric(text))) == ir.parse_metric(text)


def test_numpy_numbers_are_accepted():
    assert str(ir.metrics.P @ np.int64(10)) == "P@10"
    assert str(ir.metrics.RBP(p=np.float64(0.5), rel=np.int8(2))) == "RBP(p=0.5, rel=2)"


@pytest.mark.parametrize(
    "text", ["P_" + "1" * 5000, "P@" + "-" * 20_000 + "1", "P" + "@1" * 50_000, "P.1" + ",1" * 5000]
)
def test_long_texts_are_refused_before_parsing(text):
    message = f"4,000 characters, but found {len(text):,} characters that begin with {text[:20]!r}"
    for parse in (ir.parse_metric, parse_named):
        with pytest.raises(MetricError, match=re.escape(message)) as wrong:
            parse(text)
        assert len(str(wrong.value)) < 200


@pytest.mark.parametrize(
    "text", ["P@" + "-" * 3900 + "1", "P" + "@1" * 1900, "P(rel=" + "[" * 3900]
)
def test_deeply_nested_texts_are_refused(text):
    refused(MetricError, "expected (a metric|numbers)", lambda: ir.parse_metric(text))


def test_texts_with_a_gain_for_every_grade_are_parsed():
    metric = ir.metrics.DCG(
        gain={grade: grade / 8 for grade in range(-126, 128)} | dict.fromkeys(range(-126, 0), 0)
    )
    assert ir.parse_metric(repr(metric)) == metric


def test_the_cache_of_parsed_texts_is_bounded():
    for depth in range(1, 2 * CACHED):
        assert parse_metric(f"P@{depth}").depth == depth
    assert len(PARSED) <= CACHED


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
"""Names of measures that ir_measures cannot compute here, because their providers are not
installed. Other tests compare these measures with stored values."""
HALF = {1: 0.5} | dict.fromkeys(range(2, 128), 1)
INSTALLED = ("accuracy", "compat", "pytrec_eval", "judged", "gdeval", "msmarco")


def track(seed):
    """Return judgments and a run without ties for ir_measures."""
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


def test_every_measure_of_ir_measures_is_tested():
    tested = {measure_of(text).NAME for text in TEXTS} | ELSEWHERE
    assert tested == {measure.NAME for measure in ir_measures.measures.registry.values()}


@pytest.mark.parametrize("text", few_of(TEXTS, 3))
def test_objects_of_ir_measures_have_the_scores_of_their_provider(text):
    measure = measure_of(text)
    result = [providers.registry[name] for name in INSTALLED]
    provider = next(candidate for candidate in result if candidate.supports(measure))
    if provider.NAME == "gdeval" and shutil.which("perl") is None:
        pytest.skip("gdeval is written in Perl")
    qrels, run = track(len(text))
    theirs = {row.query_id: row.value for row in provider.iter_calc([measure], qrels, run)}
    ours = ir.evaluate(run, qrels, measure).iloc[:, 0].droplevel(0)
    exact = 1e-5 if provider.NAME == "gdeval" else 1e-12
    assert ours[[*theirs]].to_dict() == pytest.approx(theirs, abs=exact, rel=0)
    assert ours.drop([*theirs]).isna().all()  # accuracy without pairs


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
def test_objects_without_an_installed_provider_are_parsed(measure, metric):
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
def test_objects_keep_names_that_have_the_same_meaning_in_irframe(measure, label):
    assert ir.evaluate(*track(0)[::-1], measure).columns.tolist() == [label]


@pytest.mark.parametrize(
    "measure",
    [
        ir_measures.nDCG(dcg="exp-log2", gains={1: 2}) @ 5,
        ir_measures.SDCG(dcg="exp-log2", max_rel=2) @ 5,
    ],
)
def test_unsupported_objects_are_refused(measure):
    refused(MetricError, "found .*exp-log2", lambda: ir.parse_metric(measure))
