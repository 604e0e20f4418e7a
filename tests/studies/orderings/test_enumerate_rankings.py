"""All rankings of a length against counting, and the scores of metrics on them."""

import itertools

import numpy as np
import pytest
from oracles import innate as oracle

import irframe as ir
from irframe.agreements.innate import LABELS
from irframe.errors import MetricError, ParameterError
from irframe.metrics.contributions import score_ranking
from irframe.metrics.parse_metric import parse_metric


def test_all_rankings_of_length_3(golden):
    case = golden["001-figure2"]
    grid = ir.verbs.enumerate_rankings(3)
    spelled = ["".join(map(str, serp)) for serp in case["input"]["serps"]]
    assert grid["row"].to_numpy().tolist() == spelled
    assert grid["column"].to_numpy().tolist() == spelled
    names = [[LABELS[code][:2] for code in row] for row in grid["label"].to_numpy().tolist()]
    assert names == case["expected"]["matrix"]


def test_arrangements_by_metrics(golden):
    case = golden["001-figure3-taus"]
    k, R = case["input"]["k"], case["input"]["R"]
    metrics = {"RBP": "RBP(p=0.5)", "AP": "AP", "NDCG": "nDCG"}
    for pair, tau in case["expected"].items():
        rows, columns = (metrics[name] for name in pair.split("-"))
        grid = ir.verbs.enumerate_rankings(k, rows, columns, n_relevant=R)
        assert grid["tau"].item() == pytest.approx(tau, rel=1e-9)
        assert grid.attrs.items() >= {"rows": rows, "columns": columns}.items()


def test_every_metric_follows_the_labels():
    for metric in ("P", "RR", "AP", "RBP(p=0.95)", "nDCG", "ERR"):
        label = ir.verbs.enumerate_rankings(5, metric, metric)["label"].to_numpy()
        above = np.triu(np.ones_like(label), 1).astype(bool)
        assert not (label[above] == -1).any()


def test_costs_are_arranged_from_the_lowest():
    row = ir.verbs.enumerate_rankings(3, "BalancePoint")["row"].to_numpy().tolist()
    assert row[0] == "111"


def test_scores_of_the_non_separable_pair(golden):
    case = golden["001-table1"]
    judged, phi = case["input"]["judged"], case["input"]["phi"]
    named = {
        "Prec@3": "P@3",
        "RBP(0.8)@3": "RBP(p=0.8)@3",
        "AP@3 (R=3)": "AP@3",
        "NDCG@3 (R=3)": "nDCG@3",
        "Succ@3": "Success@3",
        "RBP(phi)@3": f"RBP(p={phi!r})@3",
        "RR@3": "RR@3",
        "RBP(0.5)@3": "RBP(p=0.5)@3",
    }
    assert named.keys() == case["expected"].keys()
    for name, expected in case["expected"].items():
        metric = parse_metric(named[name])
        found = [score_ranking(metric, serp, judged)[-1] for serp in ([1, 0, 0], [0, 1, 1])]
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("k", range(1, 7))
def test_next_above(k):
    grid = ir.verbs.enumerate_rankings(k, "AP", "nDCG")
    row, column = np.nonzero(grid["covers"].to_numpy())
    found = set(zip(grid["row"].to_numpy()[row], grid["column"].to_numpy()[column], strict=True))
    expected = {
        ("".join(map(str, serp)), "".join(map(str, below)))
        for serp in itertools.product([0, 1], repeat=k)
        for below in oracle.covers(serp)
    }
    assert found == expected


def test_bad_input():
    for k in (0, 11, 2.0, True):
        with pytest.raises(ParameterError, match="at most 10"):
            ir.verbs.enumerate_rankings(k)
    with pytest.raises(ParameterError, match="at least 4"):
        ir.verbs.enumerate_rankings(4, n_relevant=3)
    with pytest.raises(MetricError):
        ir.verbs.enumerate_rankings(2, "nonsense")
