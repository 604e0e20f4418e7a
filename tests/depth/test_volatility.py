"""Tests of volatility matrices and stable depths."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from refusals import refused
from scipy import stats

import irframe as ir
from irframe.errors import DepthError, InputError, ParameterError


@pytest.fixture(scope="module")
def scores():
    runs, qrels = ir.example_track()
    return runs.ireval.cube(qrels).ireval.score("AP(norm='min')", "RBP(p=0.95)", "ASL")


def worked_cube(case):
    """Return a cube with the rankings of a worked case."""
    judged = sorted((g for g in case["input"]["judged"]), reverse=True)
    qrels = pd.DataFrame(
        {"topic": "1", "doc": [f"j{n}" for n in range(len(judged))], "grade": judged}
    )
    rows = []
    for system, serp in case["input"]["serps"].items():
        free = {grade: list(qrels.loc[qrels["grade"] == grade, "doc"]) for grade in set(judged)}
        for rank, grade in enumerate(serp):
            doc = f"u{rank}" if grade is None else free[grade].pop()
            rows.append((system, "1", doc, -rank))
    runs = pd.DataFrame(rows, columns=["system", "topic", "doc", "score"])
    return runs.ireval.cube(qrels)


@pytest.mark.filterwarnings("ignore:systems are compared on a single topic")
@pytest.mark.filterwarnings("ignore:.* agreements are undefined")
def test_volatility_matrices_equal_the_worked_case(golden):
    case = golden["002-volatility"]
    expected = case["expected"]
    at = case["input"]["ks"]
    scores = worked_cube(case).ireval.score("AP(norm='min')", "RBP(p=0.95)")
    for metric, name in [("AP(norm='min')", "AP_b"), ("RBP(p=0.95)", "RBP(0.95)")]:
        values = scores.sel(metric=metric, depth=at).squeeze("topic").transpose("depth", "system")
        np.testing.assert_allclose(values, expected[name], atol=1e-12)
    matrix = scores.sel(depth=at).ireval.volatility().sel(metric="AP(norm='min')")
    np.testing.assert_allclose(matrix, np.array(expected["T_AP_b"], float))
    cross = scores[:1].sel(depth=at).ireval.volatility(scores[1:].sel(depth=at))[0]
    np.testing.assert_allclose(cross, np.array(expected["T_cross"], float))
    assert cross["metric_other"].item() == "RBP(p=0.95)"


def order(scores, metric, depth):
    sign = -1 if metric == "ASL" else 1
    return sign * scores.sel(metric=metric, depth=depth).mean("topic").to_numpy().round(12)


def test_entries_of_volatility_matrices_equal_scipy(scores):
    result = scores.sel(depth=[1, 7, 20, 50]).ireval.volatility()
    assert result.dims == ("metric", "depth", "depth_other")
    for metric, k1, k2 in product(scores["metric"].to_numpy(), *2 * [result["depth"].to_numpy()]):
        x, y = order(scores, metric, k1), order(scores, metric, k2)
        value = result.sel(metric=metric, depth=k1, depth_other=k2).item()
        assert value == pytest.approx(stats.kendalltau(x, y).statistic, nan_ok=True)


def test_a_metric_as_reference_is_the_second_side(scores):
    result = scores.sel(depth=[2, 30]).ireval.volatility("ASL")
    assert result["metric_other"].to_numpy().tolist() == ["ASL"] * 3
    x, y = order(scores, "RBP(p=0.95)", 2), order(scores, "ASL", 30)
    value = result.sel(metric="RBP(p=0.95)", depth=2, depth_other=30).item()
    assert value == pytest.approx(stats.kendalltau(x, y).statistic)


def test_the_reference_of_volatility_can_have_different_depths(scores):
    shallow = scores[:, ::-1, :, :7]
    result = scores.ireval.volatility(shallow)
    assert (result.sizes["depth"], result.sizes["depth_other"]) == (50, 7)
    complete = scores.ireval.volatility()
    np.testing.assert_array_equal(result, complete[..., :7])


def test_tau_ap_takes_the_ordering_at_depth_as_the_true_ordering(scores):
    result = scores.sel(depth=[2, 50]).ireval.volatility(coefficient="tau_ap")[1]
    x, y = (order(scores, "RBP(p=0.95)", depth)[np.newaxis] for depth in (2, 50))
    expected = pytest.approx(ir.agreements.TauAP().kernel(x, y).item(), rel=1e-14)
    assert result.sel(depth=2, depth_other=50).item() == expected
    assert scores.sel(depth=[2, 50]).ireval.volatility(
        coefficient=ir.agreements.RBO(p=0.8)
    ).max() == pytest.approx(1)


@pytest.mark.parametrize(
    ("error", "message", "ask"),
    [
        (DepthError, "without depths", lambda s: s[..., 0].drop_vars("depth").ireval.volatility()),
        (ParameterError, "ASL", lambda s: s.ireval.volatility("nDCG")),
        (ParameterError, "same systems", lambda s: s.ireval.volatility(s[:, :5])),
        (ParameterError, "by depth", lambda s: s.ireval.volatility(s[..., 0].drop_vars("depth"))),
        (ParameterError, "'kendall'", lambda s: s.ireval.volatility(coefficient="tau_c")),
        (InputError, "depth_other", lambda s: s.ireval.stability()),
        (InputError, "same depths", lambda s: s.ireval.volatility(s[..., :7]).ireval.stability()),
        (
            ParameterError,
            "threshold",
            lambda s: s.sel(depth=[1]).ireval.volatility().ireval.stability(2),
        ),
    ],
)
def test_invalid_arguments_of_volatility_and_stability_are_refused(scores, error, message, ask):
    refused(error, message, ask, scores)


def test_stable_depths_agree_with_a_loop_over_depths(scores):
    matrix = scores.ireval.volatility()
    result = matrix.ireval.stability(0.8)
    for row, metric in enumerate(scores["metric"].to_numpy()):
        values = matrix.sel(metric=metric).to_numpy()
        good = [k for k in range(50) if (values[k:, k:] > 0.8).all()]
        assert result["stable_depth"][row].item() == good[0] + 1
        off = ~np.eye(50, dtype=bool)
        assert result["share_above"][row].item() == pytest.approx((values[off] > 0.8).mean())


def test_stability_does_not_depend_on_the_order_of_dimensions(scores):
    matrix = scores.sel(depth=[1, 5, 9]).ireval.volatility()
    turned = matrix.transpose("depth_other", "metric", "depth").ireval.stability()
    np.testing.assert_array_equal(turned["stable_depth"], matrix.ireval.stability()["stable_depth"])
