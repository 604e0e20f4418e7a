"""AP correlation, above all of systems that tie."""

import numpy as np
import pytest

from irframe.agreements import TauAP
from irframe.errors import ParameterError


def test_reference_and_estimate_are_told_apart():
    x, y = [[4, 3, 2, 1]], [[1, 4, 3, 2]]
    assert TauAP().kernel(x, y) != TauAP().kernel(y, x)
    assert TauAP(symmetric=True).kernel(x, y) == TauAP(symmetric=True).kernel(y, x)


def test_reversed_listing_of_tied_systems_changes_nothing():
    x, y = np.array([[5, 5, 5, 4, 3, 3, 1]]), np.array([[2, 1, 2, 2, 0, 1, 0]])
    for method in (TauAP(), TauAP(symmetric=True), TauAP(ties="b")):
        found = method.kernel(x[:, ::-1], y[:, ::-1])
        np.testing.assert_allclose(found, method.kernel(x, y), rtol=0, atol=1e-15)


def test_an_ordering_that_says_nothing():
    tied, order = [[0.5, 0.5, 0.5]], [[3, 2, 1]]
    assert TauAP().kernel(tied, order) == TauAP().kernel(order, tied) == 0
    assert np.isnan(TauAP(ties="b").kernel(tied, order))
    assert np.isnan(TauAP(ties="b").kernel(order, tied))


def test_ties_by_hand():
    x, y = [[3, 2, 1]], [[2, 2, 1]]
    # (2, 1, 3): 0 + 1 of 2 places; (1, 2, 3): 2 of 2
    assert TauAP().kernel(x, y) == pytest.approx((0 + 1) / 2)
    # y as estimate: one system below the best group, two above it, both right: 2/1 * 2/2 - 1;
    # x as estimate: the second has nothing above it in y, the third two: 2/2 * (0 + 2/2) - 1
    assert TauAP(ties="b").kernel(x, y) == pytest.approx((1 + 0) / 2)


def test_an_ordering_with_ties_agrees_with_itself_once_corrected():
    x = [[4, 4, 3, 2, 2, 1]]
    assert TauAP(ties="b").kernel(x, x) == pytest.approx(1)
    assert TauAP().kernel(x, x) < 0.95


@pytest.mark.parametrize("value", ["yes", 1, None])
def test_symmetric_is_true_or_false(value):
    with pytest.raises(ParameterError, match=f"symmetric to be True or False; found {value!r}"):
        TauAP(symmetric=value)


@pytest.mark.parametrize("ties", ["w", "c", None])
def test_unknown_treatment_of_ties(ties):
    with pytest.raises(ParameterError, match=f"ties to be one of 'a', 'b'; found {ties!r}"):
        TauAP(ties=ties)


def test_golden_public_example(golden):
    case = golden["002-tau-ap-ircor"]
    x, y = ([case["input"][side]] for side in "xy")
    found = TauAP().kernel(x, y)
    np.testing.assert_allclose(found, case["expected"]["tau_ap"], rtol=0, atol=1e-12)
