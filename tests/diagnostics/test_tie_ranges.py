"""Tests of `tie_ranges`, `tie_rates` and `tie_agreement`."""

import itertools

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from refusals import refused
from scipy import stats
from variants import VARIANTS

import irframe as ir
from irframe.errors import DepthError, IrframeWarning, MetricError, ParameterError


def worked(golden):
    """Return run, judgments and expected values of a worked example."""
    case = golden["002-ties"]
    run = pd.DataFrame(case["input"]["run"], columns=["doc", "score"]).assign(topic="t")
    qrels = pd.DataFrame(case["input"]["qrels"].items(), columns=["doc", "grade"])
    return run, qrels.assign(topic="t"), case["expected"]


def coarse():
    """Return the example track with rounded, mostly tied scores."""
    runs, qrels = ir.example_track()
    return runs.assign(score=runs["score"].round()), qrels


def test_scores_with_shared_ranks_equal_the_worked_case(golden):
    run, qrels, expected = worked(golden)
    metrics = ["RBP(p=0.8, gain='linear')", "P"]
    for depth in (7, 3):
        cube = run.ireval.cube(qrels, depth=depth, ties="mean")
        scores = cube.ireval.score(*metrics).isel(system=0, topic=0)
        for k in (3, 5, 7)[: 3 if depth == 7 else 1]:
            rbp, precision = scores.sel(depth=k).values
            assert rbp == pytest.approx(expected[f"shared RBP(0.8)@{k} linear"])
            assert precision == pytest.approx(expected[f"shared Prec@{k} binary"])


def test_tie_ranges_are_the_extreme_scores_over_all_orders_of_ties(golden):
    run, qrels, expected = worked(golden)
    metrics = ["P", "Recall", "DCG", "RBP(p=0.5)", "DCG(gain='exp', discount='zipf')"]
    blocks = [itertools.permutations(block) for block in expected["blocks"]]
    scores = []
    for order in itertools.product(*blocks):
        docs = list(itertools.chain(*order))
        ranked = pd.DataFrame({"topic": "t", "doc": docs, "score": range(len(docs), 0, -1)})
        scores.append(ranked.ireval.cube(qrels).ireval.score(*metrics).values)
    ranges = run.ireval.cube(qrels).ireval.tie_ranges(*metrics)
    np.testing.assert_allclose(ranges.sel(bound="lower"), np.min(scores, axis=0), atol=1e-12)
    np.testing.assert_allclose(ranges.sel(bound="upper"), np.max(scores, axis=0), atol=1e-12)


def test_metrics_that_cannot_share_gains_are_refused():
    cube = coarse()[0].ireval.cube(coarse()[1], ties="mean")
    refused(
        MetricError,
        "support ties='mean'.*found Bpref, Q",
        lambda: cube.ireval.score("P", "Bpref", "Q"),
    )


def test_scores_under_every_tie_policy_are_within_the_tie_range():
    runs, qrels = coarse()
    metrics = ["AP", "nDCG", "Q", "ERR", "Bpref", "Judged", "Rprec", "RR@7", "nDCG(ideal='pool')"]
    for depth in (None, 13):
        ranges = runs.ireval.cube(qrels, depth=depth).ireval.tie_ranges(*metrics)
        spread = ranges.sel(bound="upper") - ranges.sel(bound="lower")
        assert (spread >= 0).all()
        assert (spread.max(["system", "topic", "depth"]) > 0).all()
        for ties in ("trec", "doc", "order", "random"):
            cube = runs.ireval.cube(qrels, depth=depth, ties=ir.Ties(ties, seed=1))
            scores = cube.ireval.score(*metrics)
            assert (ranges.sel(bound="lower") <= scores + 1e-12).all()
            assert (ranges.sel(bound="upper") >= scores - 1e-12).all()
            xr.testing.assert_allclose(cube.ireval.tie_ranges(*metrics), ranges)


def test_tie_ranges_include_tied_documents_below_the_depth():
    runs, qrels = coarse()
    full = runs.ireval.cube(qrels).ireval.tie_ranges("AP", "P", "Bpref", at=[4, 9])
    cut = runs.ireval.cube(qrels, depth=9).ireval.tie_ranges("AP", "P", "Bpref", at=[4, 9])
    xr.testing.assert_allclose(cut, full)


# building the cube warns about topics without lists
@pytest.mark.filterwarnings("ignore::irframe.errors.IrframeWarning")
def test_bounds_of_runs_without_ties_equal_the_score():
    """No relevant document of topics 2 and 3 is retrieved."""
    runs = pd.DataFrame({"system": list("aab"), "topic": list("121"), "doc": list("xyx")})
    qrels = pd.DataFrame({"topic": list("123"), "doc": list("xzx"), "grade": 1})
    cube = ir.cube(runs.assign(score=1.0), qrels, pool=1)
    metrics = [variant.metric for variant in VARIANTS if variant.ordered]
    expected = cube.ireval.score(metrics)
    for _, side in cube.ireval.tie_ranges(metrics).groupby("bound", squeeze=False):
        xr.testing.assert_allclose(
            side.squeeze("bound", drop=True).drop_attrs(), expected.drop_attrs()
        )


def test_scores_by_tie_policy_equal_the_worked_case(golden):
    run, qrels, expected = worked(golden)
    for ties, name in (("trec", "trec"), ("order", "file")):
        assert run.ireval.rank(ties=ties)["doc"].tolist() == expected[name]
        score = run.ireval.evaluate(qrels, ["RBP(p=0.8, gain='linear')@3"], ties=ties).iloc[0, 0]
        assert score == pytest.approx(expected[f"RBP(0.8)@3 linear, {name}"])


def test_tie_agreement_equals_the_agreement_between_two_cubes():
    runs, qrels = coarse()
    metrics = ["RBP(p=0.8)", "P@5"]
    result = ir.verbs.tie_agreement(runs, qrels, metrics, at=[5, 20])
    scores = [
        runs.ireval.cube(qrels, ties=ties)
        .ireval.score(*metrics, at=[5, 20])
        .mean("topic")
        .round(12)
        for ties in ("trec", "order")
    ]
    for metric, depth in itertools.product(metrics, (5, 20)):
        tau = stats.kendalltau(*(s.sel(metric=metric, depth=depth) for s in scores)).statistic
        assert result.sel(metric=metric, depth=depth) == pytest.approx(tau)
    same_rule = runs.ireval.tie_agreement(qrels, ["AP"], ties=("doc", "doc"))
    assert same_rule.item() == pytest.approx(1)
    assert same_rule.depth.item() == 50


def test_tie_rates_equal_the_worked_case(golden):
    run, qrels, expected = worked(golden)
    cube = run.ireval.cube(qrels)
    assert 100 * cube.ireval.tie_rates() == pytest.approx(expected["tie_percentage_top20"])
    assert 100 * cube.ireval.tie_rates(3) == pytest.approx(expected["tie_percentage_top3"])


def test_tie_rates_agree_with_a_loop_over_lists():
    runs, qrels = coarse()
    rates = runs.ireval.cube(qrels).ireval.tie_rates(10)
    for (system, topic), ranking in runs.groupby(["system", "topic"]):
        top = ranking["score"].nlargest(10).tolist()
        share = sum(top.count(score) > 1 for score in top) / len(top)
        assert rates.sel(system=system, topic=topic).item() == pytest.approx(share)


def test_tie_rates_of_empty_lists_are_nan():
    runs, qrels = coarse()
    some = runs[(runs["system"] != "ance") | (runs["topic"] != "101")]
    with pytest.warns(IrframeWarning, match="ance 1 of 16 topics"):
        cube = some.ireval.cube(qrels)
    rates = cube.ireval.tie_rates()
    assert np.isnan(rates.sel(system="ance", topic="101"))
    assert rates.notnull().sum() == rates.size - 1


def test_invalid_arguments_of_tie_ranges_and_tie_rates_are_refused():
    runs, qrels = coarse()
    cube, ranked = (runs.ireval.cube(qrels, ties=ties).ireval for ties in ("trec", "rank"))
    message = "a best order of ties, but found InfAP"
    refused(MetricError, message, cube.tie_ranges, "AP", "InfAP")
    refused(ParameterError, "ties='rank'", ranked.tie_ranges, "AP")
    refused(ParameterError, "ties='rank'", ranked.tie_rates)
    cut = runs.ireval.cube(qrels, depth=10).ireval
    refused(DepthError, "up to 10, the depth of the cube, but found 20", cut.tie_rates)
    refused(DepthError, "at least 1", cube.tie_rates, 0)
    for ties in ("trec", ["trec"], ["trec", "doc", "order"]):
        act = runs.ireval.tie_agreement
        refused(ParameterError, "two tie policies", act, qrels, ["AP"], ties=ties)
    message = "depth=5 to be at least the depth of every metric, but found nDCG@10"
    refused(DepthError, message, runs.ireval.tie_agreement, qrels, ["P", "nDCG@10"], at=[5, 20])
