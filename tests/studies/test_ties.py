"""Tie rates, orders under two policies, ranges over all orders, shared gain."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, InputError, MetricError, ParameterError


def worked(golden):
    case = golden["002-ties"]
    run = pd.DataFrame(case["input"]["run"], columns=["doc", "score"]).assign(topic="t")
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    return run, qrels.assign(topic="t"), case["expected"]


@pytest.fixture(scope="module")
def coarse():
    runs, qrels = ir.example_track()
    return runs.assign(score=runs["score"].round()), qrels


def test_worked_rates(golden):
    run, qrels, expected = worked(golden)
    cube = run.ireval.cube(qrels)
    assert 100 * cube.ireval.tie_rates() == pytest.approx(expected["tie_percentage_top20"])
    assert 100 * cube.ireval.tie_rates(3) == pytest.approx(expected["tie_percentage_top3"])


def test_worked_orders(golden):
    run, qrels, expected = worked(golden)
    for ties, name in (("trec", "trec"), ("order", "file")):
        assert run.ireval.rank(ties=ties)["doc"].tolist() == expected[name]
        score = run.ireval.evaluate(qrels, ["RBP(p=0.8, gain='linear')@3"], ties=ties).iloc[0, 0]
        assert score == pytest.approx(expected[f"RBP(0.8)@3 linear, {name}"])


def test_worked_shared_gain(golden):
    run, qrels, expected = worked(golden)
    metrics = ["RBP(p=0.8, gain='linear')", "P"]
    for depth in (7, 3):
        cube = run.ireval.cube(qrels, depth=depth, ties="mean")
        scores = cube.ireval.score(*metrics).isel(system=0, topic=0)
        for k in (3, 5, 7)[: 3 if depth == 7 else 1]:
            rbp, precision = scores.sel(depth=k).values
            assert rbp == pytest.approx(expected[f"shared RBP(0.8)@{k} linear"])
            assert precision == pytest.approx(expected[f"shared Prec@{k} binary"])


def test_shared_gain_is_the_mean_over_all_orders(golden):
    run, qrels, expected = worked(golden)
    metrics = ["P", "Recall", "DCG", "RBP(p=0.5)", "DCG(gain='exp', discount='zipf')"]
    blocks = [itertools.permutations(block) for block in expected["blocks"]]
    scores = []
    for order in itertools.product(*blocks):
        docs = list(itertools.chain(*order))
        ranked = pd.DataFrame({"topic": "t", "doc": docs, "score": range(len(docs), 0, -1)})
        scores.append(ranked.ireval.cube(qrels).ireval.score(*metrics).values)
    shared = run.ireval.cube(qrels, ties="mean").ireval.score(*metrics)
    np.testing.assert_allclose(shared, np.mean(scores, axis=0), atol=1e-12)
    ranges = run.ireval.cube(qrels).ireval.tie_ranges(*metrics)
    np.testing.assert_allclose(ranges.sel(bound="lower"), np.min(scores, axis=0), atol=1e-12)
    np.testing.assert_allclose(ranges.sel(bound="upper"), np.max(scores, axis=0), atol=1e-12)


def test_shared_gain_refuses_other_metrics(coarse):
    cube = coarse[0].ireval.cube(coarse[1], ties="mean")
    with pytest.raises(MetricError, match="share gain.*AP, nDCG"):
        cube.ireval.score("P", "AP", "nDCG")


def test_rates_by_a_loop(coarse):
    runs, qrels = coarse
    rates = runs.ireval.cube(qrels).ireval.tie_rates(10)
    for (system, topic), part in runs.groupby(["system", "topic"]):
        top = part["score"].nlargest(10).tolist()
        share = sum(top.count(score) > 1 for score in top) / len(top)
        assert rates.sel(system=system, topic=topic).item() == pytest.approx(share)


def test_empty_lists_have_no_rate(coarse):
    runs, qrels = coarse
    some = runs[(runs["system"] != "ance") | (runs["topic"] != "101")]
    rates = some.ireval.cube(qrels).ireval.tie_rates()
    assert np.isnan(rates.sel(system="ance", topic="101"))
    assert rates.notnull().sum() == rates.size - 1


def test_orders_of_systems(coarse):
    runs, qrels = coarse
    metrics = ["RBP(p=0.8)", "P@5"]
    found = ir.tie_agreement(runs, qrels, metrics, at=[5, 20])
    scores = [
        runs.ireval.cube(qrels, ties=ties)
        .ireval.score(*metrics, at=[5, 20])
        .mean("topic")
        .round(12)
        for ties in ("trec", "order")
    ]
    for metric, depth in itertools.product(metrics, (5, 20)):
        tau = stats.kendalltau(*(s.sel(metric=metric, depth=depth) for s in scores)).statistic
        assert found.sel(metric=metric, depth=depth) == pytest.approx(tau)
    alone = runs.ireval.tie_agreement(qrels, ["AP"], ties=("doc", "doc"))
    assert alone.item() == pytest.approx(1)
    assert alone.depth.item() == 50


def test_every_policy_scores_within_the_range(coarse):
    runs, qrels = coarse
    metrics = ["AP", "nDCG", "Q", "ERR", "Bpref", "Judged", "Rprec", "RR@7", "nDCG(ideal='pool')"]
    for depth in (None, 13):
        ranges = runs.ireval.cube(qrels, depth=depth).ireval.tie_ranges(*metrics)
        spread = ranges.sel(bound="upper") - ranges.sel(bound="lower")
        assert (spread >= 0).all()
        assert (spread.max(["system", "topic", "depth"]) > 0).all()
        for ties in ("trec", "doc", "order", "random"):
            cube = runs.ireval.cube(qrels, depth=depth, ties=ties, seed=1)
            scores = cube.ireval.score(*metrics)
            assert (ranges.sel(bound="lower") <= scores + 1e-12).all()
            assert (ranges.sel(bound="upper") >= scores - 1e-12).all()
            xr.testing.assert_allclose(cube.ireval.tie_ranges(*metrics), ranges)


def test_a_cut_knows_what_is_tied_below(coarse):
    runs, qrels = coarse
    whole = runs.ireval.cube(qrels).ireval.tie_ranges("AP", "P", "Bpref", at=[4, 9])
    cut = runs.ireval.cube(qrels, depth=9).ireval.tie_ranges("AP", "P", "Bpref", at=[4, 9])
    xr.testing.assert_allclose(cut, whole)
    lazy = runs.ireval.cube(qrels).chunk({"system": 3})
    xr.testing.assert_allclose(
        lazy.ireval.tie_ranges("AP", at=9).compute(), whole.sel(metric=["AP"], depth=[9])
    )


def test_without_ties_there_is_one_score():
    runs, qrels = ir.example_track()
    order = runs.assign(score=range(len(runs), 0, -1)).ireval.cube(qrels)
    ranges = order.ireval.tie_ranges("AP")
    assert (ranges.sel(bound="lower") == ranges.sel(bound="upper")).all()
    assert order.ireval.tie_rates().sum() == 0


def test_refusals(coarse):
    runs, qrels = coarse
    cube = runs.ireval.cube(qrels)
    with pytest.raises(MetricError, match="orders of tied documents in a ranking for InfAP"):
        cube.ireval.tie_ranges("AP", "InfAP")
    with pytest.raises(InputError, match="no variable: tail"):
        cube.drop_vars("tail").ireval.tie_ranges("AP")
    with pytest.raises(InputError, match="no variable: tied"):
        cube.drop_vars("tied").ireval.tie_rates()
    with pytest.raises(DepthError, match="20 in a cube of depth 10"):
        runs.ireval.cube(qrels, depth=10).ireval.tie_rates()
    with pytest.raises(DepthError, match="0 in a cube"):
        cube.ireval.tie_rates(0)
    by_rank = runs.ireval.cube(qrels, ties="rank")
    for verb in (by_rank.ireval.tie_rates, lambda: by_rank.ireval.tie_ranges("AP")):
        with pytest.raises(ParameterError, match="ties='rank'"):
            verb()
    for ties in ("trec", ["trec"], ["trec", "doc", "order"]):
        with pytest.raises(ParameterError, match="two ways"):
            ir.tie_agreement(runs, qrels, ["AP"], ties=ties)
