"""Orders of systems under two ways to break ties."""

import itertools

import pytest
from scipy import stats
from ties import coarse, worked

import irframe as ir
from irframe.errors import DepthError, ParameterError


def test_worked_orders(golden):
    run, qrels, expected = worked(golden)
    for ties, name in (("trec", "trec"), ("order", "file")):
        assert run.ireval.rank(ties=ties)["doc"].tolist() == expected[name]
        score = run.ireval.evaluate(qrels, ["RBP(p=0.8, gain='linear')@3"], ties=ties).iloc[0, 0]
        assert score == pytest.approx(expected[f"RBP(0.8)@3 linear, {name}"])


def test_orders_of_systems():
    runs, qrels = coarse()
    metrics = ["RBP(p=0.8)", "P@5"]
    found = ir.verbs.tie_agreement(runs, qrels, metrics, at=[5, 20])
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


def test_refusals():
    runs, qrels = coarse()
    for ties in ("trec", ["trec"], ["trec", "doc", "order"]):
        with pytest.raises(ParameterError, match="two ways"):
            ir.verbs.tie_agreement(runs, qrels, ["AP"], ties=ties)
    with pytest.raises(DepthError, match="depth=5 to reach as deep as the metrics; found nDCG@10"):
        ir.verbs.tie_agreement(runs, qrels, ["P", "nDCG@10"], at=[5, 20])
