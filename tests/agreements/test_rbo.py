"""Rank-biased overlap, above all of systems that tie."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import agreement as oracle

from irframe.agreements import RBO
from irframe.errors import ParameterError

EVERY = [RBO(ties=ties) for ties in ("w", "a", "b")]
X, Y = [4, 4, 3, 2, 2, 1], [3, 4, 4, 1, 2, 2]
SIDES = st.integers(1, 5).flatmap(
    lambda systems: st.tuples(
        *2 * [arrays(float, (2, systems), elements=st.sampled_from([0.0, 0.2, 0.5, 1.0]))]
    )
)


@pytest.mark.thorough
@given(SIDES, st.sampled_from([0.2, 0.4, 0.6]))
def test_the_limit_of_its_sum_over_all_orders(xy, p):
    x, y = xy
    wanted = [[oracle.rbo_limit(a.tolist(), b.tolist(), p, 64) for b in y] for a in x]
    np.testing.assert_allclose(RBO(p=p, ties="a").kernel(x, y), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9, 0.99])
def test_worked_example(p):
    """Agreement at depths 1 to 6 by hand; the first two systems of X tie, and so on."""
    c = np.array([[0.5, 0.5, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0], [1, 1, 1, 0, 0, 0],
                  [1, 1, 1, 0.5, 0.5, 0], [1, 1, 1, 1, 1, 0], [1] * 6])  # fmt: skip
    other = np.array([[0, 0.5, 0.5, 0, 0, 0], [0, 1, 1, 0, 0, 0], [1, 1, 1, 0, 0, 0],
                      [1, 1, 1, 0, 0.5, 0.5], [1, 1, 1, 0, 1, 1], [1] * 6])  # fmt: skip
    shared, depth = (c * other).sum(axis=1), np.arange(1, 7)
    agreements = {
        # what is seen of X and Y by depth: 2 2 3 5 5 6 and 2 2 3 5 5 6; both: 1 1 3 4 4 6
        "w": np.array([1 / 2, 1 / 2, 1, 4 / 5, 4 / 5, 1]),
        "a": shared / depth,
        "b": shared / np.sqrt((c**2).sum(axis=1) * (other**2).sum(axis=1)),
    }
    np.testing.assert_allclose(agreements["a"], [1 / 4, 1 / 2, 1, 13 / 16, 4 / 5, 1])
    for ties, A in agreements.items():
        wanted = (1 - p) / p * (A * p**depth).sum() + p**6
        assert RBO(p=p, ties=ties).kernel([X], [Y]).item() == pytest.approx(wanted)
        assert oracle.rbo_ext(X, Y, p, ties) == pytest.approx(wanted)


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_reversed_listing_of_tied_systems_changes_nothing(method):
    found = method.kernel([X[::-1]], [Y[::-1]])
    np.testing.assert_allclose(found, method.kernel([X], [Y]), rtol=0, atol=1e-15)


def test_an_ordering_with_ties_agrees_with_itself_unless_its_order_is_unknown():
    assert RBO().kernel([X], [X]) == pytest.approx(1)
    assert RBO(ties="b").kernel([X], [X]) == pytest.approx(1)
    assert RBO(ties="a").kernel([X], [X]) < 0.97


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_orderings_without_ties_beside_one_with_ties(method):
    rng = np.random.default_rng(0)
    x, y = rng.random((4, 9)), rng.random((3, 9))
    mixed = np.concatenate([y, y[:1].round(1)])
    np.testing.assert_allclose(method.kernel(x, mixed)[:, :3], method.kernel(x, y), atol=1e-12)


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, np.nan, "0.9", None, True])
def test_p_out_of_range(p):
    with pytest.raises(ParameterError, match="above 0 and below 1"):
        RBO(p=p)


@pytest.mark.parametrize("ties", ["c", "W", None])
def test_unknown_treatment_of_ties(ties):
    with pytest.raises(ParameterError, match=f"ties to be one of 'w', 'a', 'b'; found {ties!r}"):
        RBO(ties=ties)
