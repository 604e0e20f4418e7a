"""Sums over ideal rankings, against going down them; where curves cross zero."""

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.metrics.positions import DISCOUNTS, crosses, discounts, first_crossing, ideal_sum


@pytest.mark.parametrize("kind", DISCOUNTS)
@given(
    counts=st.lists(st.integers(0, 4), min_size=1, max_size=3),
    ranks=st.integers(1, 6),
    depths=st.lists(st.integers(1, 9) | st.just(np.inf), min_size=1, max_size=3),
)
def test_ideal_sums_end_with_the_weights(kind, counts, ranks, depths):
    """Documents at the best gains first; ranks beyond the weights weigh nothing."""
    reached = np.cumsum(counts)
    weights = discounts(kind, 2.0, ranks)
    ideal = [g for g, n in zip(range(len(counts), 0, -1), counts, strict=True) for _ in range(n)]
    found = ideal_sum(
        np.ones(len(counts)),
        reached,
        np.concatenate([[0.0], np.cumsum(weights)]),
        np.array(depths, float),
    )
    expected = [
        sum(g * w for rank, (g, w) in enumerate(zip(ideal, weights, strict=False)) if rank < depth)
        for depth in depths
    ]
    np.testing.assert_allclose(found, expected, atol=1e-12)


CURVES = np.array(list(product(range(-2, 3), repeat=3)))


def crossed(here, then, crossing):
    """Say in words whether a curve crosses 0 from one rank to the next."""
    if crossing == "matters":
        return (here > 0 and not then > 0) or (then > 0 and not here > 0)
    if crossing == "sign_change":
        return here != 0 and here * then <= 0
    return here * then <= 0


@pytest.mark.parametrize("crossing", ["sign_change", "definition", "matters"])
def test_curves_cross_zero_by_each_rule(crossing):
    found = crosses(CURVES, crossing)
    expected = [[crossed(a, b, crossing) for a, b in pairwise(curve)] for curve in CURVES.tolist()]
    assert found.tolist() == expected
    first = [1 + steps.index(True) if any(steps) else np.inf for steps in expected]
    assert first_crossing(found)[:, 0].tolist() == first
