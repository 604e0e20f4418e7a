"""Kendall's tau, where rounding could show."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irframe.agreements import Kendall
from irframe.errors import ParameterError

ROWS = st.integers(2, 10).flatmap(
    lambda systems: arrays(float, (3, systems), elements=st.sampled_from([0.0, 0.1, 0.2, 0.7]))
)


@given(ROWS)
def test_tau_b_of_equal_orderings_is_exactly_one(x):
    diagonal = np.diagonal(Kendall().kernel(x, x))
    tied = np.ptp(x, axis=-1) == 0
    np.testing.assert_array_equal(diagonal, np.where(tied, np.nan, 1))


def test_scores_are_compared_as_given():
    noisy = np.array([[0.1 + 0.2, 0.3, 0.1]])
    clean = np.array([[2.0, 1.0, 0.0]])
    assert Kendall().kernel(noisy, clean).item() == 1
    assert Kendall().kernel(noisy.round(12), clean).item() < 1


@pytest.mark.parametrize("variant", ["c", "", None, 1])
def test_unknown_variant(variant):
    with pytest.raises(ParameterError, match=f"variant to be one of 'a', 'b'; found {variant!r}"):
        Kendall(variant=variant)


@pytest.mark.parametrize(("name", "other"), [("T_AP_b", "AP_b"), ("T_cross", "RBP(0.95)")])
def test_golden_volatility(golden, name, other):
    expected = golden["002-volatility"]["expected"]
    wanted = np.array(expected[name], dtype=float)
    found = Kendall().kernel(expected["AP_b"], expected[other])
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
