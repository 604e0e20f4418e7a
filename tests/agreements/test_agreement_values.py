"""Every method against a slow loop from its definition, scipy, and worked cases."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import agreement as oracle
from scipy import stats

from irframe.agreements import RBO, RMSE, Kendall, Pearson, Spearman, TauAP

ORACLES = {
    Kendall(): oracle.tau,
    Kendall(variant="a"): lambda x, y: oracle.tau(x, y, "a"),
    TauAP(): oracle.tau_ap,
    TauAP(symmetric=True): oracle.tau_ap_symmetric,
    RBO(): lambda x, y: oracle.rbo_ext(x, y, 0.9),
    RBO(p=0.5): lambda x, y: oracle.rbo_ext(x, y, 0.5),
    RMSE(): oracle.rmse,
}
FEW = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0])
MANY = st.floats(-1, 1, allow_subnormal=False)


@st.composite
def sides(draw, values=FEW | MANY):
    systems = draw(st.integers(1, 9))
    rows = st.integers(1, 3)
    return tuple(draw(arrays(float, (draw(rows), systems), elements=values)) for _ in "xy")


def looped(function, x, y):
    return np.array([[function(a.tolist(), b.tolist()) for b in y] for a in x])


def assert_same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("method", ORACLES, ids=repr)
@given(sides())
def test_matches_slow_loop(method, xy):
    x, y = xy
    assert_same(method.kernel(x, y), looped(ORACLES[method], x, y))


def scipy_loop(function, x, y):
    def value(a, b):
        return math.nan if len(set(a)) == 1 or len(set(b)) == 1 else function(a, b).statistic

    return looped(value, x, y)


TENTHS = st.integers(0, 12).map(lambda value: value / 10)


@pytest.mark.parametrize(
    ("method", "function"),
    [
        (Kendall(), stats.kendalltau),
        (Spearman(), stats.spearmanr),
        (Pearson(), stats.pearsonr),
    ],
)
@given(sides(TENTHS).filter(lambda xy: xy[0].shape[-1] > 2))
def test_matches_scipy(method, function, xy):
    assert_same(method.kernel(*xy), scipy_loop(function, *xy))


@pytest.mark.parametrize("systems", [110, 400])
def test_matches_scipy_on_many_systems(systems):
    rng = np.random.default_rng(1)
    x, y = rng.random((4, systems)), rng.random((5, systems)).round(2)
    y[:, : systems // 2] += x[0, : systems // 2].round(2)
    for method, function in (
        (Kendall(), stats.kendalltau),
        (Spearman(), stats.spearmanr),
        (Pearson(), stats.pearsonr),
    ):
        assert_same(method.kernel(x, y), scipy_loop(function, x, y))


@given(sides(), st.sampled_from([0.2, 0.5, 0.8]))
def test_rbo_is_the_limit_of_its_sum(xy, p):
    x, y = xy
    wanted = looped(lambda a, b: oracle.rbo_limit(a, b, p, 160), x, y)
    assert_same(RBO(p=p).kernel(x, y), wanted)


def test_scores_are_compared_as_given():
    noisy = np.array([[0.1 + 0.2, 0.3, 0.1]])
    clean = np.array([[2.0, 1.0, 0.0]])
    assert Kendall().kernel(noisy, clean).item() == 1
    assert Kendall().kernel(noisy.round(12), clean).item() < 1


def test_infinite_scores_have_an_order():
    x = np.array([[np.inf, np.inf, 1.0, -np.inf]])
    ranks = np.array([[2.0, 2.0, 1.0, 0.0]])
    for method in (Kendall(), TauAP(), RBO(), Spearman()):
        assert method.kernel(x, x[:, ::-1]) == method.kernel(ranks, ranks[:, ::-1])
    assert np.isnan(Pearson().kernel(x, ranks))


def test_pearson_of_tiny_and_huge_scores():
    x, y = np.array([[1.0, 2.0, 4.0]]), np.array([[3.0, 1.0, 2.0]])
    wanted = Pearson().kernel(x, y)
    for scale in (1e-200, 1e200):
        assert_same(Pearson().kernel(x * scale, y / scale), wanted)


def test_golden_ties(golden):
    case = golden["002-kendall-ties"]
    x, y = ([case["input"][side]] for side in "xy")
    expected = case["expected"]
    assert_same(Kendall().kernel(x, y), expected["tau_b"])
    assert_same(Kendall(variant="a").kernel(x, y), expected["tau_a"])
    assert_same(Pearson().kernel(x, y), expected["pearson"])
    assert_same(RMSE().kernel(x, y), expected["rmse"])
    assert expected["all_tied_tau_b"] is None
    assert np.isnan(Kendall().kernel(x, np.ones((1, 7)))).all()


def test_golden_rank_correlation(golden):
    case = golden["002-rank-correlation"]
    orders, expected = case["input"], case["expected"]
    names = orders["reference"]
    reference, estimated = ([[-o.index(s) for s in names]] for o in orders.values())
    assert_same(TauAP().kernel(reference, estimated), expected["tau_ap(estimated; reference)"])
    assert_same(TauAP().kernel(estimated, reference), expected["tau_ap(reference; estimated)"])
    symmetric = TauAP(symmetric=True)
    assert_same(symmetric.kernel(reference, estimated), expected["tau_ap_symmetric"])
    assert_same(Kendall().kernel(reference, estimated), expected["tau"])
    for p in (0.8, 0.9, 0.98):
        assert_same(RBO(p=p).kernel(reference, estimated), expected[f"rbo_ext p={p}"])


def test_golden_public_example(golden):
    case = golden["002-tau-ap-ircor"]
    x, y = ([case["input"][side]] for side in "xy")
    assert_same(TauAP().kernel(x, y), case["expected"]["tau_ap"])
    assert_same(Kendall().kernel(x, y), case["expected"]["tau"])


@pytest.mark.parametrize(("name", "other"), [("T_AP_b", "AP_b"), ("T_cross", "RBP(0.95)")])
def test_golden_volatility(golden, name, other):
    expected = golden["002-volatility"]["expected"]
    wanted = np.array(expected[name], dtype=float)
    assert_same(Kendall().kernel(expected["AP_b"], expected[other]), wanted)
