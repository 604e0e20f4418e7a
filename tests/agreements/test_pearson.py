"""Pearson's correlation of scores of any size."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from irframe.agreements import Pearson

SIDES = st.integers(2, 10).flatmap(
    lambda systems: st.tuples(
        *2 * [arrays(float, (2, systems), elements=st.sampled_from([0.0, 0.1, 0.3, 0.7, 1.0]))]
    )
)


@given(SIDES)
def test_ignores_origin_and_unit(xy):
    x, y = xy
    np.testing.assert_allclose(
        Pearson().kernel(4 * x + 2, 0.5 * y - 1), Pearson().kernel(x, y), atol=1e-9
    )


def test_tiny_and_huge_scores():
    x, y = np.array([[1.0, 2.0, 4.0]]), np.array([[3.0, 1.0, 2.0]])
    wanted = Pearson().kernel(x, y)
    for scale in (1e-200, 1e200):
        found = Pearson().kernel(x * scale, y / scale)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_infinite_scores_are_undefined():
    assert np.isnan(Pearson().kernel([[np.inf, 1.0, 0.0]], [[2.0, 1.0, 0.0]]))


def test_never_leaves_its_range():
    x = np.random.default_rng(0).random((50, 30))
    assert abs(Pearson().kernel(x, 3 * x)).max() == 1
