"""Volatility matrices and their summaries."""

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
    """Return the cube of the worked rankings."""
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
@pytest.mark.filterwarnings("ignore:agreements that are undefined")
def test_worked_matrices(golden):
    case = golden["002-volatility"]
    expected = case["expected"]
    at = case["input"]["ks"]
    scores = worked_cube(case).ireval.score("AP(norm='min')", "RBP(p=0.95)")
    for metric, name in [("AP(norm='min')", "AP_b"), ("RBP(p=0.95)", "RBP(0.95)")]:
        values = scores.sel(metric=metric, depth=at).squeeze("topic").transpose("depth", "system")
        np.testing.assert_allclose(values, expected[name], atol=1e-12)
    own = scores.sel(depth=at).ireval.volatility().sel(metric="AP(norm='min')")
    np.testing.assert_allclose(own, np.array(expected["T_AP_b"], float))
    cross = scores[:1].sel(depth=at).ireval.volatility(scores[1:].sel(depth=at))[0]
    np.testing.assert_allclose(cross, np.array(expected["T_cross"], float))
    assert cross["metric_other"].item() == "RBP(p=0.95)"


def order(scores, metric, depth):
    sign = -1 if metric == "ASL" else 1
    return sign * scores.sel(metric=metric, depth=depth).mean("topic").to_numpy().round(12)


def test_every_entry_is_a_correlation(scores):
    found = scores.sel(depth=[1, 7, 20, 50]).ireval.volatility()
    assert found.dims == ("metric", "depth", "depth_other")
    for metric, k1, k2 in product(scores["metric"].to_numpy(), *2 * [found["depth"].to_numpy()]):
        x, y = order(scores, metric, k1), order(scores, metric, k2)
        value = found.sel(metric=metric, depth=k1, depth_other=k2).item()
        assert value == pytest.approx(stats.kendalltau(x, y).statistic, nan_ok=True)


def test_two_metrics(scores):
    found = scores.sel(depth=[2, 30]).ireval.volatility("ASL")
    assert found["metric_other"].to_numpy().tolist() == ["ASL"] * 3
    x, y = order(scores, "RBP(p=0.95)", 2), order(scores, "ASL", 30)
    value = found.sel(metric="RBP(p=0.95)", depth=2, depth_other=30).item()
    assert value == pytest.approx(stats.kendalltau(x, y).statistic)


def test_other_scores_may_have_other_depths(scores):
    shallow = scores[:, ::-1, :, :7]
    found = scores.ireval.volatility(shallow)
    assert (found.sizes["depth"], found.sizes["depth_other"]) == (50, 7)
    whole = scores.ireval.volatility()
    np.testing.assert_array_equal(found, whole[..., :7])


def test_top_weighted_methods_read_depth_as_the_truth(scores):
    found = scores.sel(depth=[2, 50]).ireval.volatility(coefficient="tau_ap")[1]
    x, y = (order(scores, "RBP(p=0.95)", depth)[np.newaxis] for depth in (2, 50))
    expected = pytest.approx(ir.agreements.TauAP().kernel(x, y).item(), rel=1e-14)
    assert found.sel(depth=2, depth_other=50).item() == expected
    assert scores.sel(depth=[2, 50]).ireval.volatility(
        coefficient=ir.agreements.RBO(p=0.8)
    ).max() == pytest.approx(1)


@pytest.mark.parametrize(
    ("error", "words", "ask"),
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
def test_bad_input(scores, error, words, ask):
    refused(error, words, ask, scores)


def test_it_follows_the_definition(scores):
    matrix = scores.ireval.volatility()
    found = matrix.ireval.stability(0.8)
    for row, metric in enumerate(scores["metric"].to_numpy()):
        values = matrix.sel(metric=metric).to_numpy()
        good = [k for k in range(50) if (values[k:, k:] > 0.8).all()]
        assert found["stable_depth"][row].item() == good[0] + 1
        off = ~np.eye(50, dtype=bool)
        assert found["share_above"][row].item() == pytest.approx((values[off] > 0.8).mean())


def test_the_order_of_dimensions_does_not_matter(scores):
    matrix = scores.sel(depth=[1, 5, 9]).ireval.volatility()
    turned = matrix.transpose("depth_other", "metric", "depth").ireval.stability()
    np.testing.assert_array_equal(turned["stable_depth"], matrix.ireval.stability()["stable_depth"])
