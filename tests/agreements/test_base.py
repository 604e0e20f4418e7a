"""What the kernel of every method does with shapes, batches and NaN."""

import numpy as np
import pytest

from irframe.agreements import AGREEMENTS, TauAP
from irframe.errors import ParameterError

METHODS = [*dict.fromkeys(AGREEMENTS.values()), TauAP(symmetric=True)]

by_method = pytest.mark.parametrize("method", METHODS, ids=repr)


def assert_same(found, wanted):
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12, equal_nan=True)


@by_method
def test_batches_broadcast_and_equal_rows(method):
    rng = np.random.default_rng(3)
    x, y = rng.random((2, 3, 4, 6)).round(1), rng.random((3, 5, 6)).round(1)
    values = method.kernel(x, y)
    assert values.shape == (2, 3, 4, 5)
    for place in np.ndindex(2, 3):
        assert_same(values[place], method.kernel(x[place], y[place[1]]))
    assert method.kernel(y, x).shape == (2, 3, 5, 4)
    assert method.kernel(x[:, :, :0], y).shape == (2, 3, 0, 5)
    assert method.kernel(x[:0], y).shape == (0, 3, 4, 5)


@by_method
def test_row_with_nan_gives_nan_and_no_other_does(method):
    x = np.array([[1, 2, 3, 4], [1, np.nan, 3, 4], [2, 1, 4, 3]])
    y = np.array([[1, 3, 2, 4], [np.nan] * 4])
    values = method.kernel(x, y)
    np.testing.assert_array_equal(np.isnan(values), [[False, True], [True, True], [False, True]])
    assert_same(values[[0, 2], 0], method.kernel(x[[0, 2]], y[:1])[:, 0])
    assert np.isnan(x).sum() == 1


@by_method
def test_inputs_are_unchanged(method):
    x, y = np.array([[1.0, np.nan, 2.0], [3.0, 1.0, 1.0]]), np.array([[2.0, 1.0, 3.0]])
    x_before, y_before = x.copy(), y.copy()
    x.setflags(write=False)
    y.setflags(write=False)
    method.kernel(x, y)
    np.testing.assert_array_equal(x, x_before)
    np.testing.assert_array_equal(y, y_before)


@by_method
@pytest.mark.parametrize(
    ("x", "y", "found"),
    [
        ((3,), (2, 3), r"x of shape \(3,\)"),
        ((2, 0), (2, 0), r"x of shape \(2, 0\); y of shape \(2, 0\)"),
        ((2, 3), (2, 4), "3 systems in x and 4 in y"),
        ((2, 5, 3), (3, 5, 3), r"leading dimensions \(2,\) in x and \(3,\) in y"),
    ],
)
def test_shapes_that_do_not_match(method, x, y, found):
    with pytest.raises(ParameterError, match=found):
        method.kernel(np.ones(x), np.ones(y))
