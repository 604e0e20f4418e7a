"""Reference implementations agree with trec_eval, run through pytrec_eval."""

from dataclasses import replace

import pytest
import pytrec_eval
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import batches

from irframe.metrics.parse_metric import parse_metric
from oracles import ORACLES, Topic

RECALL_POINTS = [i / 10 for i in range(11)]
CUTS = (1, 2, 5, 10, 20)
UNCUT = {
    "map": ("AP", {}),
    "recip_rank": ("RR", {}),
    "Rprec": ("Rprec", {}),
    "ndcg": ("nDCG", {"ideal": "full"}),
    "set_P": ("SetP", {}),
    "set_recall": ("Recall", {}),
    "set_F": ("SetF", {}),
    "num_ret": ("NumRet", {}),
    "num_rel": ("NumRel", {}),
    "num_rel_ret": ("NumRelRet", {}),
    "num_q": ("NumQ", {}),
    **{f"iprec_at_recall_{x:.2f}": ("IPrec", {"recall": x}) for x in RECALL_POINTS},
}
CUT = {"P": "P", "recall": "Recall", "map_cut": "AP", "ndcg_cut": "nDCG", "success": "Success"}
GRADED = {"nDCG", "NumRet", "NumQ"}


def trec_eval(batch, k, measures, rel=1):
    """Return scores of trec_eval for lists cut at k."""
    qrels, runs = {}, {}
    for i, topic in enumerate(batch):
        known = [grade for grade in topic.serp[:k] if grade is not None]
        remainder = list(topic.judged)
        for grade in known:
            remainder.remove(grade)
        ranked = {f"ranked{rank}": g for rank, g in enumerate(topic.serp[:k])}
        qrels[str(i)] = {doc: g for doc, g in ranked.items() if g is not None}
        qrels[str(i)] |= {f"missed{j}": g for j, g in enumerate(remainder)}
        runs[str(i)] = {doc: float(-rank) for rank, doc in enumerate(ranked)}
    scores = pytrec_eval.RelevanceEvaluator(qrels, measures, relevance_level=rel).evaluate(runs)
    return [scores[str(i)] for i in range(len(batch))]


@st.composite
def trec_cases(draw, **options):
    """Draw topics, depth and threshold that trec_eval accepts.

    trec_eval needs at least one retrieved document, and a judged grade of at least the threshold
    minus 1.
    """
    batch, k = draw(batches(min_len=1, **options))
    rel = draw(st.integers(1, 3))
    batch = [topic for topic in batch if max(topic.judged, default=-1) >= rel - 1]
    assume(batch)
    return batch, k, rel


def near(expected):
    return pytest.approx(expected, abs=1e-6, rel=0)


@settings(deadline=None)
@given(trec_cases(max_len=20))
def test_usual_measures_agree_with_trec_eval(drawn):
    batch, k, rel = drawn
    cuts = ",".join(map(str, CUTS))
    uncut = {"iprec_at_recall" if key.startswith("iprec") else key for key in UNCUT}
    scores = trec_eval(batch, k, uncut | {f"{measure}_{cuts}" for measure in CUT}, rel)
    for topic, expected in zip(batch, scores, strict=True):
        expected.pop("runid", None)
        result = {}
        for measure, (metric, params) in UNCUT.items():
            threshold = {} if metric in GRADED else {"rel": rel}
            result[measure] = ORACLES[metric](topic, k, **params, **threshold)
        cut_topic = replace(topic, serp=topic.serp[:k])
        for measure, metric in CUT.items():
            threshold = {} if metric in GRADED else {"rel": rel}
            for cut in CUTS:
                result[f"{measure}_{cut}"] = ORACLES[metric](cut_topic, cut, **threshold)
        assert result == near(expected)


JUDGED = {"infAP": "InfAP", "bpref": "Bpref", "num_nonrel_judged_ret": "NumNonrelJudgedRet"}
"""Measures that treat documents with negative grades as pooled but not judged."""


@settings(deadline=None)
@given(trec_cases())
def test_trec_eval_reads_negative_grades_as_not_judged(drawn):
    batch, k, rel = drawn
    for topic, expected in zip(batch, trec_eval(batch, k, set(JUDGED), rel), strict=True):
        result = {name: ORACLES[metric](topic, k, rel=rel) for name, metric in JUDGED.items()}
        assert result == near({name: expected[name] for name in JUDGED})


@pytest.mark.thorough
def test_recall_levels_are_rounded_as_in_trec_eval():
    for R in range(1, 120):
        topic = Topic(serp=(*(R * (1, 0)),), judged=(*(R * (1, 0)),), gmax=1)
        (expected,) = trec_eval([topic], 2 * R, {"iprec_at_recall"})
        for x in RECALL_POINTS:
            result = ORACLES["IPrec"](topic, 2 * R, recall=x)
            assert result == near(expected[f"iprec_at_recall_{x:.2f}"]), (R, x)


@pytest.mark.parametrize("parameter", ["2", "0.5", "4"])
def test_the_parameter_of_set_f_is_beta_squared(parameter):
    qrels, run = {"1": {"a": 1, "b": 1, "c": 1}}, {"1": {"a": 2.0, "x": 1.0}}
    name = f"set_F.{parameter}"
    (theirs,) = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)["1"].values()
    ours = parse_metric(name).curve([1, None, 1, 1], listed=[1, 1, 0, 0])[1]
    assert theirs == pytest.approx(ours, abs=1e-12)
