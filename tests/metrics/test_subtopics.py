"""Metrics of subtopics: against slow loops, against ndeval, and the laws they keep."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.novelty import ORACLES

import irframe as ir
from irframe.errors import MetricError
from irframe.metrics import METRICS
from irframe.metrics.contributions import score_ranking, score_subtopics

PEER = json.loads(Path(__file__).with_name("_pyndeval").joinpath("values.json").read_text())
TEXTS = [
    *("AP_IA", "ERR_IA", "ERR_IA(alpha=0.2, bound=False)", "ERR_IA(alpha=1.0)", "NRBP"),
    *("NRBP(alpha=0.9, beta=0.3)", "P_IA", "StRecall", "alpha_DCG", "alpha_DCG(bound=False)"),
    *("alpha_DCG(alpha=0.0)", "alpha_nDCG", "alpha_nDCG(alpha=0.7)", "alpha_nDCG(alpha=1.0)"),
    *("nERR_IA", "nERR_IA(alpha=0.3)", "nNRBP", "nNRBP(alpha=0.1, beta=0.8)"),
]
GAINS = ("AP", "P", "RR", "nDCG", "Recall", "RBP(p=0.8)", "ERR")
"""Metrics that are averaged over subtopics."""
UNBOUND = ("alpha_DCG(bound=False)", "ERR_IA(alpha=0.2, bound=False)")

documents = st.lists(st.sets(st.integers(0, 4), max_size=3), max_size=9)


def fields(metric):
    return {
        name: value
        for name, value in vars(metric).items()
        if name in {"alpha", "beta", "bound", "metric"}
    }


def test_every_metric_of_subtopics_is_tested():
    named = {name for name, kind in METRICS.items() if kind.subtopics}
    assert named == set(ORACLES)
    assert {type(ir.parse_metric(text)).__name__ for text in TEXTS} == ORACLES.keys()


@pytest.mark.parametrize("text", TEXTS)
@given(ranking=documents.filter(bool), missed=documents)
def test_equals_the_slow_loop(text, ranking, missed):
    metric = ir.parse_metric(text)
    found = score_subtopics(metric, ranking, missed)
    oracle = ORACLES[type(metric).__name__]
    expected = [oracle(ranking, missed, k, **fields(metric)) for k in range(1, len(ranking) + 1)]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    if text not in UNBOUND:
        assert (found >= 0).all()
        assert (found <= 1.2).all()


@pytest.mark.parametrize("text", TEXTS)
@given(ranking=documents.filter(bool), missed=documents, names=st.permutations(range(5)))
def test_subtopics_have_no_order_and_later_ranks_no_say(text, ranking, missed, names):
    metric = ir.parse_metric(text)
    found = score_subtopics(metric, ranking, missed)
    renamed = [[{names[each] for each in one} for one in side] for side in (ranking, missed)]
    np.testing.assert_allclose(score_subtopics(metric, *renamed), found, rtol=1e-12)
    half = 1 + len(ranking) // 2
    cut = score_subtopics(metric, ranking[:half], [*ranking[half:], *missed])
    np.testing.assert_allclose(cut, found[:half], rtol=1e-12)


@pytest.mark.parametrize("text", GAINS)
@given(ranking=documents.filter(bool), missed=documents)
def test_the_intent_aware_mean_is_the_mean_over_subtopics(text, ranking, missed):
    found = score_subtopics(ir.metrics.IA(metric=text), ranking, missed)
    names = sorted(set().union(*ranking, *missed))
    apart = [
        score_ranking(
            ir.parse_metric(text),
            [int(name in each) for each in ranking],
            judged=[int(name in each) for each in (*ranking, *missed)],
        )
        for name in names
    ]
    expected = np.mean(apart, axis=0) if names else np.zeros(len(ranking))
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_ideal_rankings_score_one():
    ranking = [{0, 1, 2}, {3}, {0, 1}, {2}]
    for name in ("alpha_nDCG", "nERR_IA"):
        np.testing.assert_allclose(score_subtopics(ir.parse_metric(name), ranking), 1)
    assert score_subtopics(ir.metrics.nNRBP(), ranking)[-1] == pytest.approx(1)


@pytest.mark.parametrize("setting", PEER["values"], ids=lambda each: str(each["alpha"]))
def test_equals_ndeval(setting):
    """But at rank 1, which it does not divide by the bound, and in nNRBP of 0 by 0."""
    peer = pd.DataFrame(setting["scores"]).T.drop(columns=["ERR-IA@1", "alpha-DCG@1"])
    assert peer.columns[peer.isna().any()].tolist() in (["nNRBP"], [])
    peer = peer.fillna(0.0)
    given_there = {name: setting[name] for name in ("alpha", "beta")}
    metrics = []
    for name in peer.columns:
        metric = ir.parse_metric(name)
        own = {field: value for field, value in given_there.items() if hasattr(metric, field)}
        metrics.append(replace(metric, **own).named(name))
    qrels = pd.DataFrame(PEER["qrels"], columns=["topic", "subtopic", "doc", "grade"])
    run = pd.DataFrame(PEER["run"], columns=["topic", "doc", "score"])
    found = run.ireval.evaluate(qrels, metrics).droplevel("system")
    assert len(found) == 12
    np.testing.assert_allclose(found, peer.loc[found.index], rtol=1e-9, atol=1e-12)


def test_means_of_metrics_print_and_read_back():
    metric = ir.metrics.IA(metric=ir.metrics.nDCG(gain="exp") @ 10)
    assert str(metric) == "IA(metric=\"nDCG(gain='exp')\")@10"
    assert ir.parse_metric(str(metric)) == metric == ir.metrics.IA(metric="nDCG(gain='exp')") @ 10
    assert str(ir.metrics.AP_IA(rel=2)) == "IA(metric='AP', rel=2)"
    assert ir.parse_metric("IA(metric='P(rel=2)')@5") == ir.metrics.P_IA(rel=2) @ 5
    with pytest.raises(MetricError, match="reads rel"):
        ir.metrics.IA(metric="Judged", rel=2)


@pytest.mark.parametrize("text", ["ASL", "NumRet", "alpha_nDCG", "AP(judged_only=True)", "GMAP"])
def test_what_has_no_mean_over_subtopics(text):
    with pytest.raises(MetricError, match="a gain of plain judgments"):
        ir.metrics.IA(metric=text)
