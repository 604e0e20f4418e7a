"""Summaries of volatility matrices against slow loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import agreement as oracle

from irframe.agreements import Kendall, share_above, stable_depth
from irframe.errors import ParameterError

ENTRIES = st.sampled_from([1.0, 0.95, 0.91, 0.9, 0.5, -0.2, np.nan])


@st.composite
def matrices(draw):
    depths = draw(st.lists(st.integers(1, 50), min_size=1, max_size=6, unique=True).map(sorted))
    size = len(depths)
    return draw(arrays(float, (2, size, size), elements=ENTRIES)), depths


@given(matrices(), st.sampled_from([0.9, 0.5, 0.0, 1.0]))
def test_matches_slow_loop(drawn, threshold):
    matrix, depths = drawn
    theta = [oracle.stable_depth(one.tolist(), depths, threshold) for one in matrix]
    share = [oracle.share_above(one.tolist(), threshold) for one in matrix]
    np.testing.assert_array_equal(stable_depth(matrix, depths, threshold=threshold), theta)
    np.testing.assert_allclose(share_above(matrix, threshold=threshold), share)


@given(matrices())
def test_stable_depth_bounds_the_share(drawn):
    matrix, depths = drawn
    theta, share = stable_depth(matrix, depths), share_above(matrix)
    everywhere = theta == depths[0]
    assert (share[everywhere & (len(depths) > 1)] == 1).all()


def test_threshold_has_to_be_exceeded():
    matrix = [[1, 0.9], [0.9, 1]]
    assert stable_depth(matrix, [10, 20]) == 20
    assert stable_depth(matrix, [10, 20], threshold=0.89) == 10
    assert share_above(matrix) == 0
    assert share_above(matrix, threshold=0.89) == 1


def test_no_depth_is_stable_where_the_last_is_undefined():
    matrix = np.array([[1, 0.95, np.nan], [0.95, 1, np.nan], [np.nan] * 3])
    assert np.isnan(stable_depth(matrix, [1, 2, 3]))
    assert share_above(matrix) == pytest.approx(2 / 6)


def test_undefined_shallow_depth_does_not_spoil_deeper_ones():
    scores = np.array([[0, 0, 0, 0], [3, 2, 1, 4], [4, 3, 2, 1], [5, 3, 2, 1]])
    assert stable_depth(Kendall().kernel(scores, scores), [1, 5, 10, 20]) == 10


def test_shapes():
    matrix = np.ones((2, 3, 4, 4))
    assert stable_depth(matrix, range(1, 5)).shape == (2, 3)
    assert share_above(matrix).shape == (2, 3)
    assert np.isnan(share_above(np.ones((2, 1, 1)))).all()
    assert np.isnan(stable_depth(np.ones((0, 0)), []))


@pytest.mark.parametrize("matrix", [np.ones(3), np.ones((2, 3))])
def test_matrices_must_be_square(matrix):
    with pytest.raises(ParameterError, match="square"):
        share_above(matrix)
    with pytest.raises(ParameterError, match="square"):
        stable_depth(matrix, [1, 2, 3])


@pytest.mark.parametrize("depths", [[1, 2], [1, 3, 2], [1, 1, 2], [[1, 2, 3]]])
def test_depths_must_ascend_and_match(depths):
    with pytest.raises(ParameterError, match="ascending depth"):
        stable_depth(np.ones((3, 3)), depths)
