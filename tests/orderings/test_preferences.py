"""Tests of `preferences`, `separability` and `enumerate_rankings`."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracles import innate as oracle
from refusals import refused
from strategies import scored
from tracks import cube_of

import irframe as ir
from irframe.agreements.innate import LABELS
from irframe.errors import MetricError, ParameterError
from irframe.metrics.parse_metric import parse_metric

WEIGHTS = {
    "uniform": lambda i: 1.0,  # noqa: ARG005
    "dcg": lambda i: 1 / math.log2(i + 1),
    "inverse": lambda i: 1 / i,
}
serps = st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=8)


def ranks(serp, k, rel, n_relevant):
    """Return ranks of relevant documents, infinite if not retrieved."""
    result = [r for r, g in enumerate(serp[:k], start=1) if g is not None and g >= rel]
    return result + [math.inf] * (n_relevant - len(result))


def slow(first, second, k, rel, weights, n_relevant):
    """Return rpp, lexirecall and lexiprecision by their definitions."""
    if not n_relevant:
        return [math.nan] * 3
    ranks_a, ranks_b = ranks(first, k, rel, n_relevant), ranks(second, k, rel, n_relevant)
    signs = [int(x < y) - int(x > y) for x, y in zip(ranks_a, ranks_b, strict=True)]
    decided = [sign for sign in signs if sign] or [0]
    table = [WEIGHTS[weights](i) for i in range(1, n_relevant + 1)]
    share = sum(w * s for w, s in zip(table, signs, strict=True)) / sum(table)
    return [share, decided[-1], decided[0]]


@given(
    first=serps,
    second=serps,
    missed=st.lists(st.sampled_from([0, 1, 2]), max_size=4),
    rel=st.integers(1, 2),
    weights=st.sampled_from(list(WEIGHTS)),
)
def test_preferences_agree_with_the_reference_implementation(first, second, missed, rel, weights):
    assume(any(grade is not None for grade in first + second))
    most = {g: max(first.count(g), second.count(g)) for g in (0, 1, 2)}
    judged = [g for g, n in most.items() for _ in range(n)] + missed + [0]
    cube = cube_of({"a": [first], "b": [second]}, [judged], depth=9)
    result = cube.ireval.preferences("a", "b", at=range(1, 10), weights=weights, rel=rel)
    n_relevant = sum(grade >= rel for grade in judged)
    for k in range(1, 10):
        expected = slow(first, second, k, rel, weights, n_relevant)
        here = result.sel(depth=k).to_array().to_numpy().ravel()
        assert here == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_lexirecall_and_lexiprecision_may_differ():
    cube = cube_of({"a": [[1, 0, 0, 0, 1]], "b": [[0, 1, 1, 0, 0]]}, [[1, 1, 0, 0, 0]])
    result = cube.ireval.preferences("a", "b", at=[1, 5]).squeeze()
    assert result["lexiprecision"].to_numpy().tolist() == [1, 1]
    assert result["lexirecall"].to_numpy().tolist() == [1, -1]
    assert result["rpp"].to_numpy().tolist() == [0.5, 0]


def test_pairs_are_in_the_order_of_the_cube(cube):
    every = cube.ireval.preferences()
    assert dict(every.sizes) == {"pair": 28, "topic": 16, "depth": 1}
    single_pair = cube.ireval.preferences("ance", "bm25")
    turned = ((every["system_a"] == "bm25") & (every["system_b"] == "ance")).to_numpy()
    for name in ("rpp", "lexirecall", "lexiprecision"):
        np.testing.assert_allclose(
            single_pair[name], -every[name].to_numpy()[turned][0], atol=1e-12
        )
    assert cube.ireval.preferences(b="bm25").sizes["pair"] == 7


def test_lexiprecision_equals_the_sign_of_orderings(cube):
    result = cube.ireval.preferences()["lexiprecision"].squeeze("depth")
    np.testing.assert_array_equal(result, cube.ireval.orderings()["sign"])


def test_separable_systems_are_preferred(cube):
    label = cube.ireval.orderings(labels=True)["label"].sel(depth=50)
    result = cube.ireval.preferences().sel(depth=50)
    for sign in (1, -1):
        decided = (label == sign).to_numpy()
        assert decided.any()
        for name in result:
            assert (sign * result[name].to_numpy()[decided] > 0).all()


def test_rankings_of_length_3_agree_with_the_worked_case(golden):
    case = golden["001-figure2"]
    grid = ir.verbs.enumerate_rankings(3)
    spelled = ["".join(map(str, serp)) for serp in case["input"]["serps"]]
    assert grid["row"].to_numpy().tolist() == spelled
    assert grid["column"].to_numpy().tolist() == spelled
    names = [[LABELS[code][:2] for code in row] for row in grid["label"].to_numpy().tolist()]
    assert names == case["expected"]["matrix"]


def test_orders_by_metrics_agree_with_the_worked_case(golden):
    case = golden["001-figure3-taus"]
    k, R = case["input"]["k"], case["input"]["R"]
    metrics = {"RBP": "RBP(p=0.5)", "AP": "AP", "NDCG": "nDCG"}
    for pair, tau in case["expected"].items():
        rows, columns = (metrics[name] for name in pair.split("-"))
        grid = ir.verbs.enumerate_rankings(k, rows, columns, n_relevant=R)
        assert grid["tau"].item() == pytest.approx(tau, rel=1e-9)
        assert grid.attrs.items() >= {"rows": rows, "columns": columns}.items()


def test_no_metric_contradicts_the_labels():
    for metric in ("P", "RR", "AP", "RBP(p=0.95)", "nDCG", "ERR"):
        label = ir.verbs.enumerate_rankings(5, metric, metric)["label"].to_numpy()
        above = np.triu(np.ones_like(label), 1).astype(bool)
        assert not (label[above] == -1).any()


def test_costs_are_sorted_in_ascending_order():
    row = ir.verbs.enumerate_rankings(3, "BalancePoint")["row"].to_numpy().tolist()
    assert row[0] == "111"


def test_scores_of_the_non_separable_pair_agree_with_the_worked_case(golden):
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
        result = [scored(metric, serp, judged)[-1] for serp in ([1, 0, 0], [0, 1, 1])]
        assert result == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("k", range(1, 7))
def test_no_ranking_is_between_a_ranking_and_one_that_it_covers(k):
    grid = ir.verbs.enumerate_rankings(k, "AP", "nDCG")
    row, column = np.nonzero(grid["covers"].to_numpy())
    result = set(zip(grid["row"].to_numpy()[row], grid["column"].to_numpy()[column], strict=True))
    expected = {
        ("".join(map(str, serp)), "".join(map(str, below)))
        for serp in itertools.product([0, 1], repeat=k)
        for below in oracle.covers(serp)
    }
    assert result == expected


def test_invalid_arguments_of_enumerate_rankings_are_refused():
    for k in (0, 11, 2.0, True):
        refused(ParameterError, "at most 10", ir.verbs.enumerate_rankings, k)
    refused(ParameterError, "at least 4", lambda: ir.verbs.enumerate_rankings(4, n_relevant=3))
    refused(MetricError, "expected", ir.verbs.enumerate_rankings, 2, "nonsense")


def test_separability_equals_the_shares_of_orderings(cube):
    shares = cube.ireval.separability(depth=20)
    label = cube.ireval.orderings(depth=20, labels=True)["label"].to_numpy()
    expected = [
        [(abs(label) == code).mean(axis=(0, 1)) for code in (0, 1, 2)][row] for row in range(3)
    ]
    np.testing.assert_allclose(shares, expected, atol=1e-12)
    assert shares["outcome"].to_numpy().tolist() == ["equal", "separable", "non-separable"]


def test_a_single_system_is_refused(cube):
    refused(ParameterError, "two systems", ir.verbs.separability, cube.isel(system=[0]))
