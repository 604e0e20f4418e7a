"""Every agreement method agrees with reference implementations and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import agreement as oracle
from scipy import stats

from irframe.agreements import RBO, RMSE, Kendall, Pearson, Spearman, TauAP, base

ENUMERATED = {TauAP(): oracle.tau_ap, TauAP(symmetric=True): oracle.tau_ap_symmetric}
"""Mapping from a method to a reference implementation that enumerates all orders of ties. The tests
of these methods use few systems, because the number of orders grows fast."""
LOOPS = {
    Kendall(): oracle.tau,
    Kendall(variant="a"): lambda x, y: oracle.tau(x, y, "a"),
    TauAP(ties="b"): oracle.tau_ap_b,
    RBO(): lambda x, y: oracle.rbo_ext(x, y, 0.9),
    RBO(p=0.5): lambda x, y: oracle.rbo_ext(x, y, 0.5),
    RBO(ties="a"): lambda x, y: oracle.rbo_ext(x, y, 0.9, "a"),
    RBO(p=0.8, ties="b"): lambda x, y: oracle.rbo_ext(x, y, 0.8, "b"),
    RMSE(): oracle.rmse,
}
SCIPY = {Kendall(): stats.kendalltau, Spearman(): stats.spearmanr, Pearson(): stats.pearsonr}
METHODS = [*dict.fromkeys([*ENUMERATED, *LOOPS, *SCIPY])]
RANKWISE = [method for method in METHODS if not isinstance(method, Pearson | RMSE)]
SIGNED = [method for method in METHODS if not isinstance(method, RBO | RMSE)]
SYMMETRIC = [method for method in METHODS if method != TauAP()]
BOUNDS = {RBO: (0, 1), RMSE: (0, np.inf)}
FEW = st.sampled_from([0.0, 0.1, 0.2, 0.25, 0.5, 1.0])
MANY = st.floats(-1, 1, allow_subnormal=False)
TENTHS = st.integers(0, 12).map(lambda value: value / 10)

by_method = pytest.mark.parametrize("method", METHODS, ids=repr)


@st.composite
def sides(draw, values=TENTHS, smallest=2, largest=10):
    """Draw two arrays of scores with many ties."""
    systems, rows = draw(st.integers(smallest, largest)), st.integers(1, 3)
    return tuple(draw(arrays(float, (draw(rows), systems), elements=values)) for _ in "xy")


@st.composite
def permutations(draw):
    """Draw two orderings without ties, as rows of scores."""
    systems = draw(st.integers(2, 12))
    order = st.permutations(range(systems))
    return tuple(np.array([draw(order)], dtype=float) for _ in "xy")


def looped(function, x, y):
    return np.array([[function(a.tolist(), b.tolist()) for b in y] for a in x])


def assert_same(values, expected):
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize("method", LOOPS, ids=repr)
@given(sides(FEW | MANY, 1, 9) | permutations())
def test_values_agree_with_the_reference_implementation(method, xy):
    assert_same(method.kernel(*xy), looped(LOOPS[method], *xy))


@pytest.mark.parametrize("method", ENUMERATED, ids=repr)
@given(sides(FEW, 1, 4) | permutations())
def test_values_equal_the_mean_over_all_orders_of_ties(method, xy):
    assert_same(method.kernel(*xy), looped(ENUMERATED[method], *xy))


@given(permutations())
def test_variants_for_ties_are_equal_without_ties(xy):
    symmetric = TauAP(symmetric=True).kernel(*xy)
    assert_same(TauAP(ties="b").kernel(*xy), symmetric)
    assert_same(TauAP(ties="b", symmetric=True).kernel(*xy), symmetric)
    for ties in ("a", "b"):
        assert_same(RBO(ties=ties).kernel(*xy), RBO().kernel(*xy))


def scipy_loop(function, x, y):
    def value(a, b):
        return math.nan if len(set(a)) == 1 or len(set(b)) == 1 else function(a, b).statistic

    return looped(value, x, y)


@pytest.mark.parametrize("systems", [2, 3, 6, 33, 34])
@pytest.mark.parametrize("values", [2, 5, 1000])
def test_p_values_of_tau_agree_with_scipy(systems, values):
    rng = np.random.default_rng(systems * values)
    x, y = (rng.integers(0, values, (rows, systems)).astype(float) for rows in (3, 2))

    def of_pair(first, second):
        untied = len({*first.tolist()}) == len({*second.tolist()}) == systems <= 33
        return stats.kendalltau(first, second, method="exact" if untied else "asymptotic")[1]

    expected = [[of_pair(row_x, row_y) for row_y in y] for row_x in x]
    np.testing.assert_allclose(Kendall().p_values(x, y), expected, rtol=1e-9)
    x[1, 0] = np.nan
    assert np.isnan(Kendall().p_values(x, y)[1]).all()


@pytest.mark.parametrize("method", SCIPY)
@given(sides(smallest=3))
def test_values_agree_with_scipy(method, xy):
    assert_same(method.kernel(*xy), scipy_loop(SCIPY[method], *xy))


@pytest.mark.parametrize("systems", [110, 400])
def test_values_of_many_systems_agree_with_scipy(systems):
    rng = np.random.default_rng(1)
    x, y = rng.random((4, systems)), rng.random((5, systems)).round(2)
    y[:, : systems // 2] += x[0, : systems // 2].round(2)
    for method, function in SCIPY.items():
        assert_same(method.kernel(x, y), scipy_loop(function, x, y))


@pytest.mark.parametrize("method", SYMMETRIC, ids=repr)
@given(sides())
def test_methods_are_symmetric(method, xy):
    x, y = xy
    assert_same(method.kernel(x, y), method.kernel(y, x).T)


@by_method
@given(permutations())
def test_an_ordering_agrees_with_itself_and_disagrees_with_its_reverse(method, xy):
    x, _ = xy
    assert_same(method.kernel(x, x), 0 if method.distance else 1)
    if method in SIGNED:
        assert_same(method.kernel(x, -x), -1)


@by_method
@given(sides())
def test_a_copy_of_an_array_has_the_same_values(method, xy):
    assert_same(method.kernel(xy[0], xy[0]), method.kernel(xy[0], xy[0].copy()))


@pytest.mark.parametrize("method", [Kendall(), TauAP(), Spearman(), Pearson()], ids=repr)
@given(permutations())
def test_reversing_the_reference_changes_the_sign(method, xy):
    x, y = xy
    assert_same(method.kernel(-x, y), -method.kernel(x, y))


@by_method
@given(sides())
def test_values_are_in_range(method, xy):
    low, high = BOUNDS.get(type(method), (-1, 1))
    values = method.kernel(*xy)
    values = values[~np.isnan(values)]
    assert (values >= low - 1e-12).all()
    assert (values <= high + 1e-12).all()


@pytest.mark.parametrize("method", RANKWISE, ids=repr)
@given(sides())
def test_rank_methods_depend_only_on_the_order_of_scores(method, xy):
    x, y = xy
    assert_same(method.kernel(np.exp(3 * x) - 7, y**3), method.kernel(x, y))


@by_method
@given(sides() | permutations(), st.randoms(use_true_random=False))
def test_the_order_of_systems_does_not_change_values(method, xy, random):
    x, y = xy
    shuffled = random.sample(range(x.shape[-1]), x.shape[-1])
    assert_same(method.kernel(x[:, shuffled], y[:, shuffled]), method.kernel(x, y))


@by_method
@pytest.mark.parametrize("budget", [1, 100, 1000])
def test_block_sizes_do_not_change_values(method, budget, monkeypatch):
    rng = np.random.default_rng(4)
    x, y = rng.random((2, 7, 9)).round(1), rng.random((5, 9)).round(1)
    expected = method.kernel(x, y)
    monkeypatch.setattr(base, "PAIR_BYTES", budget)
    monkeypatch.setattr(base, "ROW_BYTES", budget)
    assert_same(method.kernel(x, y), expected)


@pytest.mark.parametrize("method", [Kendall(), Spearman(), Pearson()], ids=repr)
def test_correlations_with_constant_scores_are_nan(method):
    constant = np.full((1, 6), 0.1)
    assert np.isnan(method.kernel(constant, [[1, 2, 3, 4, 5, 6]])).all()
    assert np.isnan(method.kernel(constant, constant)).all()


@by_method
def test_values_for_one_system_are_nan_except_for_rbo_and_rmse(method):
    expected = {RBO: 1, RMSE: 0}.get(type(method), np.nan)
    assert_same(method.kernel([[0.3]], [[0.3]]), expected)


def test_rank_methods_rank_infinite_scores():
    x = np.array([[np.inf, np.inf, 1.0, -np.inf]])
    ranks = np.array([[2.0, 2.0, 1.0, 0.0]])
    for method in RANKWISE:
        assert method.kernel(x, x[:, ::-1]) == method.kernel(ranks, ranks[:, ::-1])


def test_rank_correlations_agree_with_the_worked_case(golden):
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
