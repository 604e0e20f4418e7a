"""Shapes and NaN in kernels, blocks, ranks and stable depths."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from oracles import agreement as oracle
from refusals import refused

from irframe.agreements import AGREEMENTS, TauAP, base, share_above, stable_depth
from irframe.agreements.base import count_below, tied_ranks
from irframe.errors import ParameterError

METHODS = [*dict.fromkeys(AGREEMENTS.values()), TauAP(symmetric=True)]

by_method = pytest.mark.parametrize("method", METHODS, ids=repr)


def assert_same(values, expected):
    np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12, equal_nan=True)


@by_method
def test_leading_dimensions_broadcast(method):
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 3, 4, 6)).round(1), rng.random((3, 5, 6)).round(1)
    values = method.kernel(x, y)
    assert values.shape == (2, 3, 4, 5)
    for index in np.ndindex(2, 3):
        assert_same(values[index], method.kernel(x[index], y[index[1]]))
    assert method.kernel(y, x).shape == (2, 3, 5, 4)
    assert method.kernel(x[:, :, :0], y).shape == (2, 3, 0, 5)
    assert method.kernel(x[:0], y).shape == (0, 3, 4, 5)


@by_method
def test_only_rows_with_nan_are_nan(method):
    x = np.array([[1, 2, 3, 4], [1, np.nan, 3, 4], [2, 1, 4, 3]])
    y = np.array([[1, 3, 2, 4], [np.nan] * 4])
    values = method.kernel(x, y)
    np.testing.assert_array_equal(np.isnan(values), [[False, True], [True, True], [False, True]])
    assert_same(values[[0, 2], 0], method.kernel(x[[0, 2]], y[:1])[:, 0])
    assert np.isnan(x).sum() == 1


@by_method
def test_kernels_do_not_change_their_inputs(method):
    x, y = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 1.0]]), np.array([[2.0, 1.0, 3.0]])
    x_before, y_before = x.copy(), y.copy()
    x.setflags(write=False)
    y.setflags(write=False)
    method.kernel(x, y)
    np.testing.assert_array_equal(x, x_before)
    np.testing.assert_array_equal(y, y_before)


@by_method
@pytest.mark.parametrize(
    ("x", "y"), [((3,), (2, 3)), ((2, 0), (2, 0)), ((2, 3), (2, 4)), ((2, 5, 3), (3, 5, 3))]
)
def test_mismatched_shapes_are_refused(method, x, y):
    result = re.escape(f"x of shape {x}, y of shape {y}")
    refused(ParameterError, result, lambda: method.kernel(np.ones(x), np.ones(y)))


@pytest.mark.parametrize(("row_bytes", "pairs"), [(4, 64), (0, 64), (16, 16), (100, 2), (1000, 1)])
def test_blocks_of_pairs_respect_the_memory_limit(row_bytes, pairs, monkeypatch):
    monkeypatch.setattr(base, "PAIR_BYTES", 256)
    sizes = [len(first) for first, _ in base.pair_blocks(13, row_bytes)]
    assert max(sizes) == min(sizes[:-1]) == pairs
    assert sum(sizes) == 13 * 12 // 2


@pytest.mark.parametrize(("bytes_", "rows"), [(1, 1), (8 * 2 * 3 * 4, 1), (16 * 2 * 3 * 4, 2)])
def test_blocks_of_rows_respect_the_memory_limit(bytes_, rows, monkeypatch):
    monkeypatch.setattr(base, "ROW_BYTES", bytes_)
    shapes = []

    def reduce(x, y):
        shapes.append(np.broadcast_shapes(x.shape, y.shape))
        return (x * y).sum(axis=-1)

    x, y = np.random.default_rng(0).random((2, 5, 4)), np.ones((3, 4))
    np.testing.assert_allclose(base.over_rows(x, y, reduce), x @ y.T)
    assert {shape[1] for shape in shapes[:-1]} == {rows}
    assert sum(shape[1] for shape in shapes) == 5


SCORES = arrays(
    float,
    array_shapes(max_dims=3, max_side=7),
    elements=st.sampled_from([-np.inf, -1.0, 0.0, 0.25, 0.5, np.inf]),
)


@given(SCORES)
def test_ranks_are_one_plus_the_number_of_better_systems(scores):
    row_scores, column_scores = scores[..., :, None], scores[..., None, :]
    np.testing.assert_array_equal(count_below(scores), (column_scores < row_scores).sum(axis=-1))
    first, last = tied_ranks(scores)
    np.testing.assert_array_equal(first, 1 + (column_scores > row_scores).sum(axis=-1))
    np.testing.assert_array_equal(last, (column_scores >= row_scores).sum(axis=-1))


ENTRIES = st.sampled_from([1.0, 0.95, 0.91, 0.9, 0.5, -0.2, np.nan])


@st.composite
def matrices(draw):
    depths = draw(st.lists(st.integers(1, 50), min_size=1, max_size=6, unique=True).map(sorted))
    size = len(depths)
    return draw(arrays(float, (2, size, size), elements=ENTRIES)), depths


@given(matrices(), st.sampled_from([0.9, 0.5, 0.0, 1.0]))
def test_stable_depths_agree_with_the_reference_implementation(drawn, threshold):
    matrix, depths = drawn
    theta = [
        oracle.stable_depth(single_matrix.tolist(), depths, threshold) for single_matrix in matrix
    ]
    share = [oracle.share_above(single_matrix.tolist(), threshold) for single_matrix in matrix]
    np.testing.assert_array_equal(stable_depth(matrix, depths, threshold=threshold), theta)
    np.testing.assert_allclose(share_above(matrix, threshold=threshold), share)


def test_stable_depths_and_shares_have_one_value_per_matrix():
    matrix = np.ones((2, 3, 4, 4))
    assert stable_depth(matrix, range(1, 5)).shape == (2, 3)
    assert share_above(matrix).shape == (2, 3)
    assert np.isnan(share_above(np.ones((2, 1, 1)))).all()
    assert np.isnan(stable_depth(np.ones((0, 0)), []))


@pytest.mark.parametrize("matrix", [np.ones(3), np.ones((2, 3))])
def test_matrices_must_be_square(matrix):
    refused(ParameterError, "square", lambda: share_above(matrix))
    refused(ParameterError, "square", lambda: stable_depth(matrix, [1, 2, 3]))
    for depths in ([1, 2], [1, 3, 2], [1, 1, 2], [[1, 2, 3]]):
        refused(ParameterError, "in ascending order", stable_depth, np.ones((3, 3)), depths)
