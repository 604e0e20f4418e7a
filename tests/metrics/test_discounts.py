"""Sums over ideal rankings, against going down them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from irframe.metrics.positions import DISCOUNTS, discounts, ideal_sum


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
