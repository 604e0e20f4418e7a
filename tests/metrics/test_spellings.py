"""Names of metrics in other tools."""

import re
import warnings
from dataclasses import replace

import ir_measures
import numpy as np
import pandas as pd
import pytest
import pytrec_eval
from refusals import refused
from variants import VARIANTS

import irframe as ir
from irframe.errors import IrframeWarning, MetricError
from irframe.metrics.base import ALIASES, PARSED
from irframe.metrics.facts import FLOOR, class_of, facts
from irframe.metrics.parse_metric import parse_named
from irframe.metrics.spellings import (
    CWL_ALIKE,
    RANX_NAMES,
    SETS,
    each_of_set,
    plain_name,
)


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("precision@5", ir.metrics.P(depth=5)),
        ("precision@5-l2", ir.metrics.P(rel=2, depth=5)),
        ("P_5-l2", ir.metrics.P(rel=2, depth=5)),
        ("bpref-l3", ir.metrics.Bpref(rel=3)),
        ("AP@10-l2", ir.metrics.AP(rel=2, depth=10)),
        ("utility.2,-1,0,0", ir.metrics.Utility(a=2.0)),
        ("11pt_avg..25,.5", ir.metrics.InterpolatedAP(levels=(0.25, 0.5))),
        ("iprec_at_recall..125", ir.metrics.IPrec(recall=0.125)),
        ("Rndcg.1=3,2=9.5", ir.metrics.RnDCG(gain={1: 3, 2: 9.5})),
        ("precision", ir.metrics.SetP()),
        ("f1@10", ir.metrics.F(depth=10)),
        ("f1", ir.metrics.SetF()),
        ("recall@100", ir.metrics.Recall(depth=100)),
        ("hits@5", ir.metrics.NumRelRet(depth=5)),
        ("hits", ir.metrics.NumRelRet()),
        ("hit_rate@5", ir.metrics.Success(depth=5)),
        ("hit_rate", ir.metrics.Success()),
        ("mrr@10", ir.metrics.RR(depth=10)),
        ("map-l2", ir.metrics.AP(rel=2)),
        ("map@100-l2", ir.metrics.AP(rel=2, depth=100)),
        ("r-precision", ir.metrics.Rprec()),
        ("r-precision-l2", ir.metrics.Rprec(rel=2)),
        ("ndcg@10", ir.metrics.nDCG(depth=10)),
        ("ndcg_burges@10", ir.metrics.nDCG(gain="exp", depth=10)),
        ("dcg@3", ir.metrics.DCG(gain=ir.gains.Linear(top=1), depth=3)),
        ("DCG@3", ir.metrics.DCG(depth=3)),
        ("NDCG_Burges@10", ir.metrics.nDCG(gain="exp", depth=10)),
        ("F1", ir.metrics.SetF()),
        ("Hit_Rate@5-l2", ir.metrics.Success(rel=2, depth=5)),
        ("ndcg_at_10", ir.metrics.nDCG(depth=10)),
        ("map_at_1000", ir.metrics.AP(depth=1000)),
        ("recall_at_100", ir.metrics.Recall(depth=100)),
        ("precision_at_10", ir.metrics.P(depth=10)),
        ("mrr_at_10", ir.metrics.RR(depth=10)),
        ("Recall_cap@100", ir.metrics.RelativeP(depth=100)),
        ("Hit@10", ir.metrics.Success(depth=10)),
        ("HR@10", ir.metrics.Success(depth=10)),
        ("S@5", ir.metrics.Success(depth=5)),
        ("acc@1", ir.metrics.Success(depth=1)),
        ("top_1_accuracy", ir.metrics.Success(depth=1)),
        ("accuracy_at_5", ir.metrics.Success(depth=5)),
        ("rbp", ir.metrics.RBP()),
        ("RBP@0.8", ir.metrics.RBP(p=0.8)),
        ("RBP@10", ir.metrics.RBP(depth=10)),
        ("ndcg.1=3,2=9.5", ir.metrics.nDCG(gain={1: 3, 2: 9.5})),
        ("NDCG_CUT_10", ir.metrics.nDCG(depth=10)),
        ("p_5", ir.metrics.P(depth=5)),
        ("p@5", ir.metrics.P(depth=5)),
        ("r@10", ir.metrics.Recall(depth=10)),
        ("ap(REL=2)".lower(), ir.metrics.AP(rel=2)),
        ("Map", ir.metrics.AP()),
        ("RECIP_RANK", ir.metrics.RR()),
        ("map_cut@10", ir.metrics.AP(depth=10)),
        ("numrelret", ir.metrics.NumRelRet()),
        ("NumRet(rel=2)", ir.metrics.NumRelRet(rel=2)),
        (ir_measures.nDCG @ 10, ir.metrics.nDCG(depth=10)),
        (ir_measures.NumRelRet, ir.metrics.NumRelRet()),
        ("INST-T=1", ir.metrics.INST(T=1)),
        ("INSQ-T=2.5", ir.metrics.INSQ(T=2.5)),
        ("NDCG-k@10", ir.metrics.SDCG(depth=10)),
        ("RBP@0.9", ir.metrics.RBP(p=0.9)),
        ("RBP@9", ir.metrics.RBP(depth=9)),
        ("P@5", ir.metrics.P(depth=5)),
        ("BPM-Static-T=1.0-K=10", ir.metrics.BPM(T=1, depth=10)),
        ("BPM-Dynamic-T=1-K=10-hb=1.0-hc=-1.0", ir.metrics.DynamicBPM(T=1, K=10, hb=1, hc=-1)),
        ("NERR-EQ8@k=10", ir.metrics.NERR8(depth=10)),
        ("NERR-EQ9@k=20", ir.metrics.NERR9(depth=20)),
        ("NERR-EQ10@phi=0.9", ir.metrics.NERR10(p=0.9)),
        ("NERR-EQ11@T=1.0", ir.metrics.NERR11(T=1)),
        ("IFT-C1-T=2.0-b1=0.9-R1=10", ir.metrics.IFTGoal(T=2, b1=0.9, R1=10)),
        ("IFT-C2-A=0.2-b2=0.9-R2=10", ir.metrics.IFTRate(A=0.2, b2=0.9, R2=10)),
        (
            "IFT-C1-C2-T=2.0-b1=0.9-R1=10-A=0.2-b2=0.9-R2=1",
            ir.metrics.IFTGoalRate(T=2, b1=0.9, R1=10, A=0.2, b2=0.9, R2=1),
        ),
        ("INST(T=1.0,max_rel=2)", ir.metrics.INST(T=1, gain=ir.gains.Linear(top=2))),
        ("NERR8(max_rel=2)@10", ir.metrics.NERR8(gain=ir.gains.Linear(top=2), depth=10)),
        (
            "BPM(T=2.0,min_rel=0,max_rel=2)@10",
            ir.metrics.BPM(T=2, gain=ir.gains.Linear(top=2), depth=10),
        ),
    ],
)
def test_names_in_other_tools_are_parsed(text, metric):
    assert ir.parse_metric(text) == metric


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rbp@80", "two meanings. Write 'RBP@80' for a depth, or 'RBP.p=0.80.' for a"),
        ("rbp.95", "such as RBP.p=0.95., but found .rbp.95.: in ranx this metric"),
        ("Hole@10", "such as Judged@10, but found 'Hole@10'"),
        ("MAP@R", "such as Rprec, but found 'MAP@R'"),
        ("nERR@10", "such as ERR@10, but found 'nERR@10'"),
        ("hit_rate.5", "unknown|a metric such as"),
        ("bpref@5-l0", "rel of Bpref"),
        ("ndcg-l2", "a metric with a lowest relevant grade before -l, but found 'ndcg-l2'"),
        ("P(rel=3)@5-l2", "one lowest relevant grade, but found two lowest relevant grades in"),
        ("utility.2", "utility with four parameters"),
        ("set_F.1,2", "set_F with one parameter, the square of beta, but found set_F_1,2"),
        ("p", "found 'p' .did you mean P"),
        ("P.5,10", "one metric, but found .*, which has 2 measures: P_5, P_10"),
        ("official", "which has 2. measures"),
        *((text, "a metric such as") for text in ("XYZ-T=1", "INST-T=", "NERR-EQ8@k=1.5")),
        ("INST(min_rel=1, max_rel=2)", "linear gain from grade 0 on"),
    ],
)
def test_unknown_and_ambiguous_names_are_refused(text, message):
    refused(MetricError, message, lambda: ir.parse_metric(text))


@pytest.mark.parametrize("typed", ["map_cuts", "nDGC", "recip_rnk", "ndcg_cut_x", "Rprec5", "hit"])
def test_suggested_names_differ_from_the_unknown_name(typed):
    with pytest.raises(MetricError) as caught:
        ir.parse_metric(typed)
    suggested = caught.value.found.partition("did you mean ")[2].rstrip("?)").split(" or ")
    assert typed not in suggested
    assert len(suggested) < 4


def test_names_that_match_two_metrics_by_case_are_refused(monkeypatch):
    monkeypatch.setitem(ALIASES, "ASL", ir.metrics.ASL)
    monkeypatch.setitem(ALIASES, "Asl", ir.metrics.ESL)
    PARSED.clear()
    assert ir.parse_metric("ASL") == ir.metrics.ASL()
    refused(MetricError, "'asl', which may be any of: ASL, ESL", lambda: ir.parse_metric("asl"))


def test_names_of_several_measures_are_expanded():
    labels = [str(metric) for metric in parse_named("P.5,10")]
    assert labels == ["P_5", "P_10"]
    assert [str(metric) for metric in parse_named("ndcg_cut")][:2] == ["ndcg_cut_5", "ndcg_cut_10"]
    assert len(parse_named("iprec_at_recall")) == 11
    labels = [str(metric) for metric in parse_named("iprec_at_recall..125,.5-l2")]
    assert labels == ["iprec_at_recall_.125-l2", "iprec_at_recall_.5-l2"]
    points = [(metric.recall, metric.rel) for metric in parse_named("iprec_at_recall..125,.5-l2")]
    assert points == [(0.125, 2), (0.5, 2)]
    levels = {str(metric): getattr(metric, "rel", 1) for metric in parse_named("set-l3")}
    assert levels["set_P-l3"] == levels["num_rel-l3"] == 3
    assert {"num_q", "num_ret"} <= levels.keys()


@pytest.mark.parametrize("name", SETS)
def test_sets_contain_the_measures_of_trec_evals_sets(name):
    nicknames = pytrec_eval.supported_nicknames[name] - {"runid", "relstring"}
    assert set(SETS[name].split()) == nicknames | ({"num_q"} & set(SETS[name].split()))
    qrels, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0}}
    options = pytrec_eval.RelevanceEvaluator(qrels, set(nicknames)).evaluate(run)["q"]
    printed = {label for label in each_of_set(name) if not label.startswith("gm_")}
    differing = printed ^ options.keys()
    assert {
        label for label in differing if not label.startswith(("gm_", "runid", "relstr"))
    } == set()


def marked_track():
    """Return 24 lists, and judgments with negative grades."""
    rng = np.random.default_rng(3)
    docs = [f"d{number}" for number in range(40)]
    sizes = rng.integers(1, 40, (24, 2))
    qrels = {
        str(topic): {"top": 3}
        | {doc: int(rng.integers(-2, 4)) for doc in rng.permutation(docs)[:n]}
        for topic, (n, _) in enumerate(sizes)
    }
    run = {
        str(topic): {doc: int(rng.integers(20)) / 4 for doc in rng.permutation(docs)[:n]}
        for topic, (_, n) in enumerate(sizes)
    }
    return run, qrels


@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_scores_of_all_measures_agree_with_trec_eval(level, judged_only):
    run, qrels = marked_track()
    metrics = {
        str(metric).removesuffix(f"-l{level}"): replace(metric, judged_only=judged_only)
        for metric in parse_named(f"all_trec-l{level}")
    }
    cube = ir.cube(run, qrels, ties=ir.Ties(dtype="float32"), depth=1000)
    scores = cube.ireval.score(*(m.named(name) for name, m in metrics.items()), at=1000)
    actual = scores.squeeze("system", drop=True).to_pandas().T
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"all_trec"}, relevance_level=level, judged_docs_only_flag=judged_only
    )
    expected = pd.DataFrame(evaluator.evaluate(run)).T.drop(columns=["runid", "relstring"])
    logarithms = ["gm_map", "gm_bpref"]
    actual[logarithms] = np.log(actual[logarithms].clip(lower=FLOOR))
    assert set(actual.columns) == set(expected.columns)
    expected = expected.loc[actual.index, actual.columns].astype(float)
    # for empty lists, trec_eval divides 0 by 0 in two measures
    empty = expected["num_ret"] == 0
    expected.loc[empty] = expected.loc[empty].fillna(0)
    np.testing.assert_allclose(actual, expected, atol=1e-12, rtol=1e-12)


@pytest.mark.thorough
def test_scores_by_names_of_ranx_agree_with_ranx():
    ranx = pytest.importorskip("ranx")
    runs, qrels = ir.example_track()
    ranked = runs[runs["system"] == "bm25"].ireval.rank()
    run = ir.verbs.to_pytrec_eval(ranked.drop(columns="score"))  # ranx orders ties randomly
    names = [
        *(f"{name}@{k}" for name in RANX_NAMES if name not in {"rbp", "bpref"} for k in (1, 5, 60)),
        *("map-l2", "precision", "f1", "recall@10-l2", "r-precision", "hits", "mrr"),
    ]
    names = [name for name in names if name.partition("@")[0] not in BY_FUNCTION]
    names = [name for name in names if not name.startswith("r-precision@")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graded = ranx.evaluate(ir.verbs.to_pytrec_eval(qrels), run, names)
    scores = ir.evaluate(run, qrels, names, ties="order").mean()
    for name in names:
        assert scores[name] == pytest.approx(graded[name], abs=1e-9), name


BY_FUNCTION = {"average_precision", "reciprocal_rank"}
"""Names of functions in ranx that are not also names of metrics in ranx."""


LABELS = ["R@5", "MRR@10", "map_cut_10", "NDCG@10", "hit_rate@5", "RBP@0.8", " AP ", "P.5", "asl"]


def test_requested_names_are_labels_of_results(track):
    runs, qrels = track
    scores = runs.ireval.evaluate(qrels, LABELS)
    assert scores.columns.tolist() == LABELS
    assert scores.attrs["metrics"] == LABELS
    canonical = runs.ireval.evaluate(qrels, [ir.parse_metric(label) for label in LABELS])
    assert canonical.columns.tolist() == [str(ir.parse_metric(label)) for label in LABELS]
    np.testing.assert_array_equal(scores, canonical)
    cube = runs.ireval.cube(qrels)
    assert cube.ireval.score(*LABELS)["metric"].values.tolist() == LABELS
    with pytest.warns(match="no interval if all scores are the same: hit_rate@5 of monot5"):
        summary = scores.ireval.summary()
    assert summary.index.unique("metric").tolist() == LABELS
    compared = scores.ireval.compare(baseline="bm25")
    assert compared["metric"].unique().tolist() == LABELS
    assert compared.set_index("metric")["depth"].loc["map_cut_10"].unique().tolist() == [10]
    bounds = cube.ireval.bounds("R@5", "RBP@0.8")
    assert bounds["metric"].values.tolist() == ["R@5", "RBP@0.8"]


def test_metrics_are_printed_with_their_names_in_irframe():
    assert str(ir.parse_metric("R@5")) == "Recall@5"
    assert str(ir.metrics.Recall @ 5) == "Recall@5"
    assert repr(parse_named("R@5")[0]) == "Recall()@5"


def test_measures_of_ir_measures_keep_their_names(track):
    scores = ir.evaluate(*track, [ir_measures.R @ 5, ir_measures.P(rel=2) @ 5])
    assert scores.columns.tolist() == ["R@5", "P(rel=2)@5"]
    assert ir.evaluate(*track, ir_measures.nDCG @ 5).columns.tolist() == ["nDCG@5"]


def test_a_metric_may_be_requested_twice_only_by_different_names(track):
    scores = ir.evaluate(*track, ["map", "AP"])
    np.testing.assert_array_equal(scores["map"], scores["AP"])
    with pytest.raises(MetricError, match="each once, but found duplicates: AP"):
        ir.evaluate(*track, ["AP", ir.metrics.AP()])
    for names in (["P_5", "P.5,10"], ["P.5,10", "P_5"]):
        assert ir.evaluate(*track, names).columns.tolist() == ["P_5", "P_10"]
    for names, name in (
        (["ndcg_cut", "ndcg_cut_15"], "ndcg_cut"),
        (["official", "map"], "official"),
    ):
        assert ir.evaluate(*track, names).equals(ir.evaluate(*track, name))


def test_functions_find_metrics_by_any_name(track):
    runs, qrels = track
    assert facts("asl").cost
    cube = runs.ireval.cube(qrels)
    scores = cube.ireval.score("map", "R@5")
    by_label = scores.ireval.agreement("map")
    xr_equal = scores.ireval.agreement("AP")
    assert by_label.equals(xr_equal)
    assert scores.ireval.agreement("MAP@5").equals(scores.ireval.agreement("AP@5"))
    styled = scores.sel(depth=[5]).ireval.compare(baseline="bm25").ireval.styled()
    assert [name for name in styled.columns if "map" in str(name)]
    assert scores.ireval.select_top(metric="AP").equals(scores.ireval.select_top(metric="map"))


def test_unsupported_measures_of_a_set_are_named_in_a_warning(track, monkeypatch):
    monkeypatch.setitem(SETS, "official", "map no_such_measure")
    with pytest.warns(IrframeWarning, match="does not have are left out: no_such_measure"):
        assert ir.evaluate(*track, "official").columns.tolist() == ["map"]


@pytest.mark.parametrize("name", CWL_ALIKE)
def test_names_of_cwl_eval_are_parsed(name):
    assert type(ir.parse_metric(name)).__name__ == CWL_ALIKE[name]


def test_names_of_ir_measures_are_parsed():
    names = [name for name in ir_measures.measures.registry if name in ALIASES]
    assert len(names) > 20
    for name in names:
        at = "@0.5" if name == "IPrec" else "@5"
        metric = ir.parse_metric(name + at)
        assert isinstance(metric, class_of(name))


@pytest.mark.parametrize("text", ["Accuracy@1", "accuracy@5"])
def test_names_with_another_meaning_in_other_tools_warn(text):
    runs, qrels = ir.example_track()
    with pytest.warns(IrframeWarning, match=f"^{text} is .*Success@"):
        ir.evaluate(runs, qrels, text)


MLFLOW = re.compile(r"^[/\w.\- :]*$")
"""Names of metrics that mlflow accepts, from mlflow/utils/validation.py."""
TENSORBOARD = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/-]*$")
OTHERS = [
    *(
        "ndcg_cut_10",
        "P_5",
        "map",
        "R@100",
        "RBP@0.8",
        "Accuracy@10",
        "utility.2,-1,0,0",
        "set_F.0.5",
    ),
    *("hit_rate@5", "precision@5-l2", "HR@5", "ndcg_at_10", "iprec_at_recall_0.10", "P_5-l2"),
    *("nDCG(gain={1: 1, 2: 5})@10", "IA(metric='nDCG@10')", "INST(T=2.5)@20", "AP(norm='min')"),
]


def test_plain_names_are_parsed_to_the_same_metric():
    texts = list(dict.fromkeys([*(variant.text for variant in VARIANTS), *OTHERS]))
    metric_of = {}
    for text in texts:
        metric = ir.parse_metric(text)
        plain = plain_name(text, ir.parse_metric)
        assert MLFLOW.fullmatch(plain), text
        assert TENSORBOARD.fullmatch(plain), text
        assert ir.parse_metric(plain) == metric, text
        assert metric_of.setdefault(plain, metric) == metric, text


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("RBP(p=0.8)", "RBP.p-0.8"),
        ("RBP(p=0.5, gain='linear')@20", "RBP.p-0.5.gain-linear_at_20"),
        ("AP(rel=2)", "AP.rel-2"),
        ("AP(judged_only=True)@5", "AP.judged_only-True_at_5"),
        ("Accuracy@10", "Accuracy_x40_10"),
        ("map_cut_10", "map_cut_10"),
    ],
)
@pytest.mark.filterwarnings("ignore:Accuracy@10 is a share")
def test_metric_names_for_trackers_replace_special_characters(name, plain):
    assert plain_name(name, ir.parse_metric) == plain
    scorer = ir.scorer({"q": {"a": 1, "b": 0, "c": 2}}, name)
    assert [*scorer.mean({"q": {"b": 1.0, "a": 2.0, "c": 0.5}}, names="plain")] == [plain]


@pytest.mark.parametrize("text", ["nDCG_at_x", "nothing_at_10", "RBP.q-3", "_x28_", "AP.rel-_at_3"])
def test_invalid_plain_names_are_refused(text):
    with pytest.raises(ir.errors.MetricError):
        ir.parse_metric(text)
