"""Rounding, names and ties in agreement methods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import agreement as oracle

from irframe import agreements
from irframe.agreements import AGREEMENTS, RBO, RMSE, Kendall, Pearson, TauAP, parse_agreement
from irframe.errors import ParameterError


def sides(largest):
    """Draw scores of up to `largest` systems, with ties."""
    some = st.sampled_from([0.0, 0.1, 0.2, 0.7, 1.0])
    return st.integers(1, largest).flatmap(
        lambda systems: st.tuples(*2 * [arrays(float, (2, systems), elements=some)])
    )


@given(sides(10))
def test_tau_b_of_equal_orderings_is_exactly_one(xy):
    x, _ = xy
    diagonal = np.diagonal(Kendall().kernel(x, x))
    tied = np.ptp(x, axis=-1) == 0
    np.testing.assert_array_equal(diagonal, np.where(tied, np.nan, 1))


def test_scores_are_not_rounded_before_comparison():
    noisy = np.array([[0.1 + 0.2, 0.3, 0.1]])
    clean = np.array([[2.0, 1.0, 0.0]])
    assert Kendall().kernel(noisy, clean).item() == 1
    assert Kendall().kernel(noisy.round(12), clean).item() < 1


@pytest.mark.parametrize("name", AGREEMENTS)
def test_reprs_of_agreement_methods_evaluate_to_equal_methods(name):
    method = parse_agreement(name)
    assert parse_agreement(method) is method
    assert eval(repr(method), vars(agreements)) == method  # noqa: S307 - a repr of irframe
    assert hash(method) == hash(parse_agreement(name))


@pytest.mark.parametrize(
    ("name", "method"),
    [
        *(("kendall", Kendall(variant="b")), ("tau_b", Kendall(variant="b"))),
        *(("tau_a", Kendall(variant="a")), ("tau_ap", TauAP(symmetric=False))),
        *(("tau_ap_b", TauAP(ties="b")), ("rbo", RBO(p=0.9, ties="w")), ("rbo_a", RBO(ties="a"))),
        *(("rbo_b", RBO(ties="b")), ("rmse", RMSE())),
    ],
)
def test_names_of_agreement_methods_are_parsed(name, method):
    assert parse_agreement(name) == method


@pytest.mark.parametrize("unknown", ["tau", "RBO", "", None, 3, Kendall, ["kendall"]])
def test_the_error_for_an_unknown_method_lists_all_names(unknown):
    with pytest.raises(ParameterError, match="one of '") as caught:
        parse_agreement(unknown)
    assert all(repr(name) in str(caught.value) for name in AGREEMENTS)


def test_pearson_handles_tiny_and_huge_scores():
    x, y = np.array([[1.0, 2.0, 4.0]]), np.array([[3.0, 1.0, 2.0]])
    expected = Pearson().kernel(x, y)
    for scale in (1e-200, 1e200):
        result = Pearson().kernel(x * scale, y / scale)
        np.testing.assert_allclose(result, expected, rtol=0, atol=1e-12)


def test_pearson_is_undefined_for_infinite_scores():
    assert np.isnan(Pearson().kernel([[np.inf, 1.0, 0.0]], [[2.0, 1.0, 0.0]]))


def test_pearson_never_exceeds_1():
    x = np.random.default_rng(0).random((50, 30))
    assert abs(Pearson().kernel(x, 3 * x)).max() == 1


EVERY = [RBO(ties=ties) for ties in ("w", "a", "b")]
X, Y = [4, 4, 3, 2, 2, 1], [3, 4, 4, 1, 2, 2]


@pytest.mark.thorough
@given(sides(5), st.sampled_from([0.2, 0.4, 0.6]))
def test_rbo_a_is_the_limit_of_the_mean_over_orders(xy, p):
    x, y = xy
    expected = [[oracle.rbo_limit(a.tolist(), b.tolist(), p, 64) for b in y] for a in x]
    np.testing.assert_allclose(RBO(p=p, ties="a").kernel(x, y), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.99])
def test_rbo_with_ties_agrees_with_a_calculation_by_hand(p):
    """The contributions of systems at every depth are written out."""
    c = np.array([[0.5, 0.5, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0],
                  [1, 1, 1, 0.5, 0.5, 0], [1, 1, 1, 1, 1, 0], [1] * 6])  # fmt: skip
    c_other = np.array([[0, 0.5, 0.5, 0, 0, 0], [0, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0],
                      [1, 1, 1, 0, 0.5, 0.5], [1, 1, 1, 0, 1, 1], [1] * 6])  # fmt: skip
    products = (c * c_other).sum(axis=1)
    depth = np.arange(1, 7)
    agreements = {
        # at depths 1 to 6, each ordering has 2 2 3 5 5 6 systems, of which 1 1 3 4 4 6 are common
        "w": np.array([1 / 2, 1 / 2, 1, 4 / 5, 4 / 5, 1]),
        "a": products / depth,
        "b": products / np.sqrt((c**2).sum(axis=1) * (c_other**2).sum(axis=1)),
    }
    np.testing.assert_allclose(agreements["a"], [1 / 4, 1 / 2, 1, 13 / 16, 4 / 5, 1])
    for ties, A in agreements.items():
        expected = (1 - p) / p * (A * p**depth).sum() + p**6
        assert RBO(p=p, ties=ties).kernel([X], [Y]).item() == pytest.approx(expected)
        assert oracle.rbo_ext(X, Y, p, ties) == pytest.approx(expected)


def test_only_variant_a_lowers_the_agreement_of_a_tied_ordering_with_itself():
    for method in (RBO(), RBO(ties="b"), TauAP(ties="b")):
        assert method.kernel([X], [X]) == pytest.approx(1)
    assert RBO(ties="a").kernel([X], [X]) < 0.97
    assert TauAP().kernel([X], [X]) < 0.95


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_ties_in_one_ordering_do_not_change_the_values_of_other_orderings(method):
    rng = np.random.default_rng(0)
    x, y = rng.random((4, 9)), rng.random((3, 9))
    mixed = np.concatenate([y, y[:1].round(1)])
    np.testing.assert_allclose(method.kernel(x, mixed)[:, :3], method.kernel(x, y), atol=1e-12)


def test_tau_ap_of_tied_systems_is_zero_or_nan():
    tied, order = [[0.5, 0.5, 0.5]], [[3, 2, 1]]
    assert TauAP().kernel(tied, order) == TauAP().kernel(order, tied) == 0
    assert np.isnan(TauAP(ties="b").kernel(tied, order))
    assert np.isnan(TauAP(ties="b").kernel(order, tied))


def test_tau_ap_with_ties_agrees_with_a_calculation_by_hand():
    x, y = [[3, 2, 1]], [[2, 2, 1]]
    # y is tied: tau_ap is 0 for the order (2, 1, 3), and 1 for the order (1, 2, 3)
    assert TauAP().kernel(x, y) == pytest.approx((0 + 1) / 2)
    # if y is the estimate, 1 system is below the tied best, 2 of 2 correctly above: 2/1 * 2/2 - 1
    # if x is the estimate, y has 0 systems above the second, 2 above the third: 2/2 * (0 + 2/2) - 1
    assert TauAP(ties="b").kernel(x, y) == pytest.approx((1 + 0) / 2)


def test_tau_ap_agrees_with_a_published_example(golden):
    case = golden["002-tau-ap-ircor"]
    x, y = ([case["input"][side]] for side in "xy")
    result = TauAP().kernel(x, y)
    np.testing.assert_allclose(result, case["expected"]["tau_ap"], rtol=0, atol=1e-12)
